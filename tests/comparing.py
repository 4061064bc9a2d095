"""The engine against the reference: the same deals, the same random answers, compared at every question.

Run as a command for many games: ``python -m tests.comparing --games 100000``.
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
from olb_env.old_london_bridge import ACTIONS, GAME
from olb_env.old_london_bridge.components import CRESTS, KINDS, SCORINGS, TILES
from tests.reference import ReferenceGame

ROWS = 200  # games compared side by side


def engine_views(states: States) -> Iterator[dict[str, Any]]:
    """The states of a batch in the reference's words, one after the other."""
    names = ("chapel", "gate", "hand", "tiles", "built", "bridge_kind", "bridge_number", "bridge_crest")
    seats = {name: states["seats"][name].tolist() for name in names}
    money, order = states["money"].tolist(), states["order"].tolist()
    supply = states["table"]["supply"].tolist()
    for row, players in enumerate(states["players"].tolist()):
        seat = {name: values[row][:players] for name, values in seats.items()}
        yield {
            "money": money[row][:players],
            "chapel": seat["chapel"],
            "gate": seat["gate"],
            "chapel_order": order[row][:players],
            "hands": seat["hand"],
            "supply": supply[row],
            "tiles": [
                {tile: count for tile, count in zip(TILES, held, strict=True) if count} for held in seat["tiles"]
            ],
            "bridges": [
                [
                    (KINDS[kind - 1], number, CRESTS[crest])
                    for kind, number, crest in zip(kinds[:built], numbers[:built], crests[:built], strict=True)
                ]
                for built, kinds, numbers, crests in zip(
                    seat["built"], seat["bridge_kind"], seat["bridge_number"], seat["bridge_crest"], strict=True
                )
            ],
        }


def reference_view(game: ReferenceGame) -> dict[str, Any]:
    """The same of the reference."""
    return {
        "money": list(game.money),
        "chapel": list(game.chapel),
        "gate": list(game.gate),
        "chapel_order": list(game.chapel_order),
        "hands": [list(hand) for hand in game.hands],
        "supply": list(game.supply),
        "tiles": [{tile: count for tile, count in held.items() if count} for held in game.tiles],
        "bridges": [[tuple(building) for building in bridge] for bridge in game.bridges],
    }


def random_board(chooser: random.Random) -> dict[str, Any]:
    """Now and then a board of one's own, so that nothing rests on the printed one."""
    if chooser.random() < 0.6:
        return {}
    coins = ["X", *(chooser.randint(0, 3) for _ in range(5))]
    chooser.shuffle(coins)
    chapel, gate = chooser.randint(3, 20), chooser.randint(3, 20)
    chapel_spaces = chooser.sample(range(1, chapel), chooser.randint(0, 2))
    return {
        "coins": coins,
        "stack_order": chooser.sample(KINDS, 6),
        "chapel_track": {"length": chapel, "coins": {space: chooser.randint(1, 5) for space in chapel_spaces}},
        "gate_track": {"length": gate, "bonus": sorted(chooser.sample(range(1, gate), chooser.randint(1, gate - 1)))},
    }


def random_options(number: int, chooser: random.Random) -> dict[str, Any]:
    """Players, scoring and board of the n-th game; every scoring option comes by in turn."""
    scoring: Any = {area: names[(number // 5**i) % 5] for i, (area, names) in enumerate(SCORINGS.items())}
    return {"num_players": 2 + number % 3, "scoring": scoring, "board": random_board(chooser)}


def weigh(names: list[str], eager: bool) -> list[float]:
    """Random play that, when eager, collects and spends bonus tiles, so that their rules come up often."""
    if not eager:
        return [1.0] * len(names)
    liked = ("use", "bonus", "boost", "rondel gate", "centre gate")
    return [6.0 if name.startswith(liked) else 1.0 for name in names]


def compare(first: int, count: int) -> int:
    """Compare some games from number `first` on; answers the number of decisions compared."""
    chooser = random.Random(first)
    setups = np.concatenate([GAME.configure(**random_options(first + row, chooser)) for row in range(count)])
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
            assert reference.over == (actors[row] < 0), where
            if reference.over:
                continue
            legal = [ACTIONS[action] for action in np.flatnonzero(masks[row])]
            assert (reference.actor, reference.legal) == (actors[row], legal), where
            theirs = reference_view(reference)
            assert mine == theirs, f"{where}: " + str([(k, mine[k], theirs[k]) for k in mine if mine[k] != theirs[k]])
            name = chooser.choices(legal, weigh(legal, eager=(first + row) % 2 == 1))[0]
            actions[row] = ACTIONS.index(name)
            reference.apply(name)
            compared += 1
        if (actors < 0).all():
            break
        batch.apply_rows(states, actions, done)
    for row, reference in enumerate(references):
        end = {"money": reference.money, "ranking": reference.ranking, "breakdown": reference.breakdown}
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
