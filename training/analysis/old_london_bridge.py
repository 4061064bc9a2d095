"""Old London Bridge by its records: what players bid, take, build, use and earn, decision by decision.

Every table here has a row for each decision of a kind, or for each seat of each game; `estimating` makes means with
intervals of them. Words for columns are those of the rules.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from agents.old_london_bridge.foresight import WANTS_UNIT, write_wants
from agents.verbs import adviser_of, room
from olb_env.core.compiling import kernel, rule
from olb_env.core.game import State, copied
from olb_env.old_london_bridge.components import (
    AREAS,
    CRESTS,
    KINDS,
    LEDGER,
    PILES,
    SCORINGS,
    TILES,
)
from olb_env.old_london_bridge.moves import fits_behind, take_building
from olb_env.old_london_bridge.notation import (
    HIRE_CARD,
    REPLACE_SPACE,
    TAKE_BONUS,
    TO_CENTRE,
    TO_RONDEL,
    USE_TILE,
)
from olb_env.old_london_bridge.rules import apply
from olb_env.old_london_bridge.state import PLAY
from training.analysis.games import Games

K: Final = len(KINDS)
NAME: Final = "old_london_bridge"
OTHER, BID, PLACEMENT, REPLACEMENT, BONUS_CHOICE, TILE_USE = range(6)  # kinds of decision
DECISION: Final = np.dtype(
    [
        ("game", "i4"),
        ("stake", "f4"),  # of a bid, see `stake_of`
        ("money", "i2"),
        ("what", "i1"),  # kind of decision
        ("seat", "i1"),
        ("round", "i1"),
        ("players", "i1"),
        ("action", "i1"),
        ("legal", "i1"),  # how many there were
        ("standing", "i1"),  # in chapel order, 0 is best
        ("built", "i1"),
        ("kind", "i1"),  # of the building taken
        ("number", "i1"),
        ("crest", "i1"),
        ("power", "i1"),  # that its crest would have on the bridge, behind the last building
        ("coin", "i1"),  # gained or, on the centre, paid
        ("fits", "i1"),  # whether it goes behind the last building
        ("left", "i1"),  # the last number of the bridge, 0 if there is none or it is a park
        ("lost_kind", "i1"),  # the building that leaves
        ("lost_number", "i1"),
        ("tile", "i1"),  # the bonus tile taken or used
        ("offered", "i1", (PILES,)),  # face up, -1 where a pile is empty
    ]
)


@rule
def stake_of(game: State, seat: int, style: Any, scratch: Any, numbers: Any) -> float:
    """What there is to win by choosing first, in pounds: the best building less the one that is left for the last.

    Buildings are worth what the planner would give for them in the seat's place, and the coins beside them.
    """
    wants = np.full(K, -1e9, np.float64)
    write_wants(game, seat, style, scratch, numbers[1], np.zeros(K), wants)
    for kind in range(K):
        if game.table.crossed[kind] or game.table.stack_left[kind] == 0:
            wants[kind] = -1e9
        else:
            wants[kind] = wants[kind] * WANTS_UNIT + game.table.coin[kind]
    wants.sort()
    last = K - int(game.players)
    while last < K - 1 and wants[last] < -1e8:
        last += 1
    return float(wants[K - 1] - wants[last])


@rule
def note(game: State, action: int, row: Any, style: Any, scratch: Any, numbers: Any) -> None:
    """Write down a decision before it is made."""
    seat = int(game.actor)
    player = game.seats[seat]
    row.seat, row.round, row.players = seat, game.round_number, game.players
    row.action, row.money, row.standing, row.built = action, game.money[seat], player.standing, player.built
    found = game.legal
    row.legal = 0
    while found != 0:
        found &= found - 1
        row.legal += 1
    row.what = OTHER
    row.left = player.bridge_number[player.built - 1] if player.built > 0 else 0
    if game.phase == PLAY:
        row.what = BID
        row.stake = stake_of(game, seat, style, scratch, numbers)
    elif TO_RONDEL <= action < REPLACE_SPACE:
        row.what = PLACEMENT
        kind = action - TO_RONDEL if action < TO_CENTRE else action - TO_CENTRE
        row.coin = game.table.coin[kind] if action < TO_CENTRE else -2
        scratch[0] = game
        after = scratch[0]
        take_building(after, kind)
        row.kind, row.number, row.crest = kind, after.table.tile_number, after.tile_crest
        row.fits = fits_behind(after, seat)
        row.power = 0 if after.tile_crest > 4 else player.power[after.tile_crest - 1] + 1
    elif REPLACE_SPACE <= action <= HIRE_CARD:
        row.what = REPLACEMENT
        space = action - REPLACE_SPACE
        row.kind, row.number, row.crest = game.tile_kind, game.table.tile_number, game.tile_crest
        row.lost_kind, row.lost_number = player.bridge_kind[space] - 1, player.bridge_number[space]
    elif TAKE_BONUS <= action < USE_TILE:
        row.what = BONUS_CHOICE
        for pile in range(PILES):
            left = game.table.pile_left[pile]
            row.offered[pile] = game.hidden.pile[pile, len(TILES) - left] if left > 0 else -1
        row.tile = row.offered[action - TAKE_BONUS]
    elif USE_TILE <= action < USE_TILE + len(TILES):
        row.what = TILE_USE
        row.tile = action - USE_TILE


@kernel
def note_games(states: Any, first: Any, actions: Any, style: Any, scratch: Any, numbers: Any, rows: Any) -> None:
    """Write down all decisions [M] of games [G], which are played through."""
    for game in range(states.shape[0]):
        state = states[game]
        for move in range(first[game], first[game + 1]):
            rows[move].game = game
            note(state, actions[move], rows[move], style, scratch, numbers)
            apply(state, actions[move])


def decisions(games: Games) -> pd.DataFrame:
    """A row for each decision; `agent` says whose."""
    rows = np.zeros(len(games.actions), np.dtype((np.record, DECISION)))
    scratch, numbers, _ = room(games.game)
    note_games(copied(games.initial), games.first, games.actions, adviser_of(NAME), scratch, numbers, rows)
    columns: dict[str, Any] = {name: rows[name] for name in DECISION.names or () if name != "offered"}
    columns |= {f"offered_{pile + 1}": rows["offered"][:, pile] for pile in range(PILES)}
    names, codes = _agent_codes(games)
    columns["agent"] = pd.Categorical.from_codes(codes[rows["game"], rows["seat"]], names)
    return pd.DataFrame(columns)


def _agent_codes(games: Games) -> tuple[list[str], npt.NDArray[np.int16]]:
    """The names of agents, and which of them sat where [G, P]."""
    names = sorted({name for seats in games.agents for name in seats})
    place = {name: code for code, name in enumerate(names)}
    codes = np.full((len(games), max(games.game.players)), -1, np.int16)
    for game, seats in enumerate(games.agents):
        codes[game, : len(seats)] = [place[name] for name in seats]
    return names, codes


def bids(frame: pd.DataFrame) -> pd.DataFrame:
    """The cards picked, with what was at stake: in five parts of equally many bids, from little to much."""
    found = frame[frame["what"] == BID][["game", "seat", "agent", "players", "round", "action", "stake", "standing"]]
    found = found.rename(columns={"action": "card"})
    edges = np.unique(np.quantile(found["stake"], np.linspace(0, 1, 6)))
    return found.assign(at_stake=pd.cut(found["stake"], edges, include_lowest=True))


def buildings(frame: pd.DataFrame) -> pd.DataFrame:
    """The buildings taken: kind, crest, its power, whether it went behind the last one, and what was paid for it."""
    found = frame[frame["what"] == PLACEMENT]
    kept = ["game", "seat", "agent", "players", "round", "number", "power", "coin", "fits", "left", "built"]
    return found[kept].assign(
        kind=pd.Categorical.from_codes(found["kind"], list(KINDS)),
        crest=pd.Categorical.from_codes(found["crest"] - 1, list(CRESTS[1:])),
        centre=found["coin"] < 0,
    )


def shares(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """A categorical column as one row for each of its values, 1 where it is that value: its means are shares."""
    values = frame[column].cat.categories
    parts = [frame.assign(**{column: value, "share": (frame[column] == value).astype(float)}) for value in values]
    whole = pd.concat(parts, ignore_index=True)
    return whole.assign(**{column: pd.Categorical(whole[column], values)})


def room_below(frame: pd.DataFrame) -> pd.DataFrame:
    """Buildings taken by the last number of the bridge: how often a park is built, and how often the run is broken.

    A run is broken by a building that does not fit behind the last one: it replaces another.
    """
    found = buildings(frame)
    found = found[found["left"] > 0]
    edges = [0, 10, 20, 30, 40, 50, 60]
    labels = [f"{low + 1}–{high}" for low, high in itertools.pairwise(edges)]
    return found.assign(
        last=pd.cut(found["left"], edges, labels=labels),
        park=(found["kind"] == "park").astype(float),
        broken=(found["fits"] == 0).astype(float),
    )


def bonus_choices(frame: pd.DataFrame) -> pd.DataFrame:
    """For every bonus tile that lay face up at a choice, whether it was taken; choices between equals are left out."""
    found = frame[frame["what"] == BONUS_CHOICE]
    offered = found[[f"offered_{pile + 1}" for pile in range(PILES)]].to_numpy()
    parts = []
    for tile, name in enumerate(TILES):
        there = (offered == tile).any(axis=1) & ((offered >= 0) & (offered != tile)).any(axis=1)
        rows = found[there]
        taken = (rows["tile"] == tile).astype(float)
        parts.append(rows[["game", "seat", "agent", "players", "round"]].assign(tile=name, taken=taken))
    whole = pd.concat(parts, ignore_index=True)
    return whole.assign(tile=pd.Categorical(whole["tile"], list(TILES)))


def seats(games: Games, frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each seat of each game: result, account, scoring, what was built, bonus tiles taken and used."""
    found = games.seats()
    game, seat = found["game"].to_numpy(), found["seat"].to_numpy()
    final = games.final
    total = np.zeros(len(games))
    np.add.at(total, game, found["money"])
    found["margin"] = found["money"] - (total[game] - found["money"]) / (found["players"] - 1)
    ledger = final["ledger"][game, seat]
    for place, name in enumerate(LEDGER):
        found[f"£ {name.replace('_', ' ')}"] = ledger[:, place].astype(float)
    for place, area in enumerate(AREAS):
        found[f"{area} scoring"] = pd.Categorical.from_codes(final["scoring"][game, place], list(SCORINGS[area]))
    kinds = final["seats"]["kinds"][game, seat]
    for place, kind in enumerate(KINDS):
        found[kind] = kinds[:, place]
    found["spaces built"] = final["seats"]["built"][game, seat]
    for what, verb in ((BONUS_CHOICE, "took"), (TILE_USE, "used")):
        chosen = frame[frame["what"] == what]
        counts = np.zeros((len(games), max(games.game.players), len(TILES)), np.int16)
        np.add.at(counts, (chosen["game"], chosen["seat"], chosen["tile"]), 1)
        for tile, name in enumerate(TILES):
            found[f"{verb} {name}"] = counts[game, seat, tile]
    return found
