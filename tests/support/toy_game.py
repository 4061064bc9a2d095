"""Pebbles: a tiny game with randomness, hidden information and ties, which shows that the engine knows no game's rules.

Two or three players take turns. Each takes one to three pebbles from a heap. Some pebbles hide a coin, which nobody
sees until the pebble is taken. The most coins win; equal coins share the rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import CommandOptions, Display, Game, RecordFormat, Rules, State, States, register
from olb_env.core.layout import Field, Layout
from olb_env.core.rng import below, shuffle, stream
from olb_env.envs.aec import GameEnv

HEAP, MAX_PLAYERS = 12, 3
STATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("coin", "i1", (HEAP,)),  # 1 if the pebble hides a coin, in the order in which pebbles are taken
                ("purse", "i1", (MAX_PLAYERS,)),
                ("players", "i1"),
                ("coins", "i1"),  # in the whole heap
                ("taken", "i1"),
                ("actor", "i1"),
            ]
        ),
    )
)
SETUP = np.dtype((np.record, np.dtype([("players", "i1"), ("coins", "i1")])))
LAYOUT = Layout(
    [
        ("heap", (Field("left", (), HEAP, HEAP, "pebbles left"), Field("coins", (), HEAP, HEAP, "coins left"))),
        ("purse", (Field("own", (), 1, HEAP, "coins won"), Field("others", (2,), 1, HEAP, "coins of the others"))),
    ]
)
ACTIONS = ("take 1", "take 2", "take 3")


@jitable
def deal(game: State, setup: Any, seed: int) -> None:
    game.players = setup.players
    game.coins = setup.coins
    game.taken = 0
    game.actor = 0
    for i in range(HEAP):
        game.coin[i] = i < setup.coins
    for seat in range(MAX_PLAYERS):
        game.purse[seat] = 0
    shuffle(game.coin, 0, HEAP, stream(seed, 0))


@jitable
def legal(game: State, mask: Any) -> int:
    count = 0
    for action in range(3):
        mask[action] = game.actor >= 0 and game.taken + action < HEAP
        count += mask[action]
    return count


@jitable
def random_action(game: State, rng_state: int) -> int:
    return int(below(rng_state, min(3, HEAP - game.taken)))


@jitable
def apply(game: State, action: int) -> bool:
    if action < 0 or action > 2 or game.actor < 0 or game.taken + action >= HEAP:
        return False
    take(game, action + 1)
    if game.taken == HEAP - 1:
        take(game, 1)  # a decision with one legal action is skipped
    if game.taken == HEAP:
        game.actor = -1
    return True


@jitable
def take(game: State, pebbles: int) -> None:
    for _ in range(pebbles):
        game.purse[game.actor] += game.coin[game.taken]
        game.taken += 1
    game.actor = (game.actor + 1) % game.players


@jitable
def actor(game: State) -> int:
    return int(game.actor)


@jitable
def secret(game: State) -> int:
    return 0


@jitable
def coins_left(game: State) -> int:
    left = int(game.coins)
    for seat in range(game.players):
        left -= game.purse[seat]
    return left


@jitable
def observe(game: State, seat: int, out: Any) -> None:
    out[0] = (HEAP - game.taken) / HEAP
    out[1] = coins_left(game) / HEAP
    for i in range(MAX_PLAYERS):
        out[2 + i] = game.purse[(seat + i) % game.players] if i < game.players else 0


@jitable
def resample(game: State, seat: int, seed: int) -> None:
    left = coins_left(game)
    for i in range(game.taken, HEAP):
        game.coin[i] = i - game.taken < left
    shuffle(game.coin, game.taken, HEAP, stream(seed, 1))


@jitable
def returns(game: State, ranks: Any, scores: Any) -> None:
    for seat in range(game.players):
        rank = 1
        for other in range(game.players):
            rank += game.purse[other] > game.purse[seat]
        ranks[seat] = rank
        scores[seat] = game.purse[seat]


@jitable
def possible(game: State) -> bool:
    if not 2 <= game.players <= MAX_PLAYERS or not 0 <= game.coins <= HEAP or not 0 <= game.taken <= HEAP:
        return False
    hidden, won = 0, 0
    for i in range(HEAP):
        if not 0 <= game.coin[i] <= 1:
            return False
        hidden += int(game.coin[i])
        won += int(game.coin[i]) if i < game.taken else 0
    for seat in range(MAX_PLAYERS):
        if not 0 <= game.purse[seat] <= (HEAP if seat < game.players else 0):
            return False
        won -= int(game.purse[seat])
    if hidden != game.coins or won != 0:
        return False
    return bool(game.actor == -1 if game.taken == HEAP else 0 <= game.actor < game.players)


def configure(num_players: int = 2, coins: int = 6) -> Any:
    if num_players not in (2, 3):
        raise ValueError(f"num_players is {num_players!r}: expected 2 or 3")
    setups = np.zeros(1, SETUP)
    setups["players"], setups["coins"] = num_players, coins
    return setups


def describe_setup(game: State) -> dict[str, Any]:
    return {"players": int(game.players), "setup": {"coin": game.coin.tolist()}}


def read_setup(record: Mapping[str, Any]) -> States:
    coin = record["setup"]["coin"]
    if len(coin) != HEAP:
        raise ValueError(f"setup has {len(coin)} pebbles: expected {HEAP}")
    states = np.zeros(1, STATE)
    states["coin"], states["players"], states["coins"] = coin, record["players"], sum(coin)
    return states


def ranks_of(game: State) -> list[int]:
    ranks, scores = np.zeros(game.players, np.int64), np.zeros(game.players)
    returns(game, ranks, scores)
    return [int(rank) for rank in ranks]


def describe_end(game: State) -> dict[str, Any]:
    return {"coins": game.purse[: game.players].tolist(), "rank": ranks_of(game)}


PEBBLES = register(
    Game(
        name="pebbles",
        version=0,
        players=(2, 3),
        actions=ACTIONS,
        observation=LAYOUT,
        score="coins",
        score_unit=1.0,
        largest_deficit=10.0,
        rules=Rules(
            dtype=STATE,
            setup_dtype=SETUP,
            options={"num_players": 2, "coins": 6},
            configure=configure,
            deal=deal,
            legal=legal,
            random_action=random_action,
            apply=apply,
            actor=actor,
            secret=secret,
            observe=observe,
            resample=resample,
            returns=returns,
            possible=possible,
        ),
        records=RecordFormat(
            describe_setup=describe_setup,
            read_setup=read_setup,
            describe_end=describe_end,
            end_keys=("coins", "rank"),
            final_infos=lambda game: [
                {"coins": int(game.purse[seat]), "rank": rank} for seat, rank in enumerate(ranks_of(game))
            ],
            start_name="seat",
            starts=lambda game: [str(seat) for seat in range(game.players)],
        ),
        display=Display(
            text=lambda game: f"{HEAP - game.taken} pebbles left, coins {game.purse[: game.players].tolist()}",
        ),
        commands=CommandOptions(
            help={"coins": "coins in the heap"},
            parse=lambda _option, text: int(text),
        ),
    )
)


class PebblesEnv(GameEnv):
    game = PEBBLES
    metadata = {"name": "pebbles_v0", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self, num_players: int = 2, coins: int = 6, reward: str = "rank", render_mode: str | None = None
    ) -> None:
        super().__init__(reward=reward, render_mode=render_mode, num_players=num_players, coins=coins)
