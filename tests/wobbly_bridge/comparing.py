"""The engine against the reference: the same deals, the same random answers, compared at every question.

Run as a command for many games: ``python -m tests.wobbly_bridge.comparing --games 100000``.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.game import States
from olb_env.wobbly_bridge import ACTIONS, GAME
from olb_env.wobbly_bridge.components import CARDS, EVENTS, MATCHES, NORMALS, PLAYERS
from tests.wobbly_bridge.reference import NAMES, ReferenceGame

ROWS = 200  # games compared side by side


def engine_views(states: States) -> Iterator[dict[str, Any]]:
    """The states of a batch in the reference's words, one after the other."""
    spaces, hands, holds = (states["seats"][name].tolist() for name in ("space", "hand", "holds_special"))
    specials, events = states["special"].tolist(), states["event"].tolist()
    shown = np.stack([states["played"], states["instead"]], axis=2)  # [B, matches, 2, seats]
    shown = shown.reshape(len(states), 2 * MATCHES, -1).swapaxes(1, 2).tolist()
    matches, revealed = states["match_number"].tolist(), states["revealed"].tolist()
    for row, players in enumerate(states["players"].tolist()):
        held = [
            [
                *(card for card, count in enumerate(hands[row][seat]) for _ in range(count)),
                *[special] * holds[row][seat],
            ]
            for seat, special in enumerate(specials[row][:players])
        ]
        yield {
            "positions": spaces[row][:players],
            "hands": [[CARDS[card] for card in hand] for hand in held],
            "shown": [[CARDS[card - 1] for card in cards if card] for cards in shown[row][:players]],
            "match": matches[row],
            "revealed": [EVENTS[event] for event in events[row][: revealed[row]]],
        }


def reference_view(game: ReferenceGame) -> dict[str, Any]:
    """The same of the reference."""
    return {
        "positions": game.positions,
        "hands": [sorted(one.hand, key=NAMES.index) for one in game.explorers],
        "shown": [list(one.shown) for one in game.explorers],
        "match": game.match,
        "revealed": list(game.revealed),
    }


def weigh(names: list[str], style: int) -> list[float]:
    """Random play that plays special cards late, early or as they come, so that all that they can meet comes up."""
    if style == 0:
        return [1.0] * len(names)
    special = 0.05 if style == 1 else 4.0
    return [special if name in ACTIONS[NORMALS:] else 1.0 for name in names]


def compare(first: int, count: int) -> int:
    """Compare some games from number `first` on; answers the number of decisions compared."""
    chooser = random.Random(first)
    players = [PLAYERS[(first + row) % len(PLAYERS)] for row in range(count)]
    setups = np.concatenate([GAME.configure(num_players=number) for number in players])
    states = GAME.new_states(count)
    batch.deal_rows(states, setups, np.arange(first, first + count))
    references = [ReferenceGame(GAME.describe_setup(state)) for state in states]
    masks = np.zeros((count, len(ACTIONS)), np.int8)
    actions, done, actors = np.zeros(count, np.int64), np.zeros(count, np.bool_), np.zeros(count, np.int64)
    compared = 0
    for move in itertools.count():
        batch.write_masks(states, masks)
        batch.actor_rows(states, actors)
        for row, (reference, mine) in enumerate(zip(references, engine_views(states), strict=True)):
            where = f"game {first + row}, move {move}"
            legal = [ACTIONS[action] for action in np.flatnonzero(masks[row])]
            assert (reference.actor, reference.legal) == (actors[row], legal), where
            if reference.over:
                continue
            theirs = reference_view(reference)
            assert mine == theirs, f"{where}: " + str([(k, mine[k], theirs[k]) for k in mine if mine[k] != theirs[k]])
            name = chooser.choices(legal, weigh(legal, style=(first + row) // len(PLAYERS) % 3))[0]
            actions[row] = ACTIONS.index(name)
            reference.apply(name)
            compared += 1
        if (actors < 0).all():
            break
        batch.apply_rows(states, actions, done)
    for row, (reference, mine) in enumerate(zip(references, engine_views(states), strict=True)):
        assert mine == reference_view(reference), f"game {first + row}, at its end"
        end = {"positions": reference.positions, "rank": reference.rank}
        assert GAME.describe_end(states[row]) == end, f"game {first + row}, at its end"
    return compared


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the engine with the reference over random games.")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    starts = range(options.first, options.first + options.games, ROWS)
    counts = [min(ROWS, options.first + options.games - start) for start in starts]
    began, games, decisions = time.monotonic(), 0, 0
    with ProcessPoolExecutor(options.workers) as pool:
        for count, compared in zip(counts, pool.map(compare, starts, counts), strict=True):
            games, decisions = games + count, decisions + compared
            rate = games / (time.monotonic() - began)
            print(f"\r{games:,} games, {decisions:,} decisions equal, {rate:.0f} games/s", end="", file=sys.stderr)
    print(f"\n{games:,} games, {decisions:,} decisions: the engine and the reference agree.")


if __name__ == "__main__":
    main()
