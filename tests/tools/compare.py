"""The engine against the reference: the same deals and the same random actions, compared at every decision.

The reference of a game is a second implementation, written from the rules alone. The module `compare` of each game
defines how the two are compared: `random_options` and `action_weights` choose the options and the actions of the n-th
game, `engine_views` and `reference_view` must be equal at every decision, and `reference_end` must be the recorded end.

To compare many games, run ``python -m tests.tools.compare --games 100000``; ``--game NAME`` selects a game.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from olb_env.core import batch
from tests.old_london_bridge import compare as old_london_bridge
from tests.portobello_market import compare as portobello_market
from tests.wobbly_bridge import compare as wobbly_bridge

COMPARED = {game.GAME.name: game for game in (old_london_bridge, portobello_market, wobbly_bridge)}
ROWS = 100  # games compared side by side


def compare(name: str, first: int, count: int) -> int:
    """Compare `count` games from number `first` on; return the number of decisions compared."""
    compared, game = COMPARED[name], COMPARED[name].GAME
    rng = random.Random(first)
    setups = np.concatenate([game.rules.configure(**compared.random_options(first + row, rng)) for row in range(count)])
    states = game.new_states(count)
    batch.deal_rows(states, setups, np.arange(first, first + count))
    references = [compared.ReferenceGame(game.records.describe_setup(state)) for state in states]
    masks = np.zeros((count, len(game.actions)), np.int8)
    actions, done, actors = np.zeros(count, np.int64), np.zeros(count, np.bool_), np.zeros(count, np.int64)
    decisions, over = 0, np.zeros(count, np.bool_)
    for move in itertools.count():
        batch.write_masks(states, masks)
        batch.actor_rows(states, actors)
        views = compared.engine_views(states[actors >= 0])
        assert (actors[over] < 0).all(), f"{name} from {first} on, move {move}"
        assert not masks[over].any(), f"{name} from {first} on, move {move}"
        for row, reference in enumerate(references):
            if over[row]:
                continue
            where = f"{name} {first + row}, move {move}"
            names = game.names(states[row])
            legal = [names[action] for action in np.flatnonzero(masks[row])]
            assert (reference.over, reference.legal) == (actors[row] < 0, legal), where
            over[row] = reference.over
            if reference.over:
                continue
            assert reference.actor == actors[row], where
            mine, theirs = next(views), compared.reference_view(reference)
            assert mine == theirs, f"{where}: " + str([(k, mine[k], theirs[k]) for k in mine if mine[k] != theirs[k]])
            chosen = rng.choices(legal, compared.action_weights(legal, first + row))[0]
            actions[row] = game.ids(states[row])[chosen]
            reference.apply(chosen)
            decisions += 1
        if (actors < 0).all():
            break
        batch.apply_rows(states, actions, done)
    for row, (reference, mine) in enumerate(zip(references, compared.engine_views(states), strict=True)):
        assert mine == compared.reference_view(reference), f"{name} {first + row}, at its end"
        assert game.records.describe_end(states[row]) == compared.reference_end(reference), (
            f"{name} {first + row}, at its end"
        )
    return decisions


def compare_many(name: str, first: int, count: int, workers: int) -> None:
    """Compare many games in several processes and print the progress."""
    starts = range(first, first + count, ROWS)
    counts = [min(ROWS, first + count - start) for start in starts]
    began, games, decisions = time.monotonic(), 0, 0
    with ProcessPoolExecutor(workers) as pool:
        for compared, found in zip(counts, pool.map(partial(compare, name), starts, counts), strict=True):
            games, decisions = games + compared, decisions + found
            rate = games / (time.monotonic() - began)
            progress = f"{name}: {games:,} games, {decisions:,} decisions equal, {rate:.0f} games/s"
            print(f"\r{progress}", end="", file=sys.stderr)
    print(f"\n{name}: {games:,} games, {decisions:,} decisions: the engine and the reference agree.")


def main() -> None:
    """Run the comparison as a command."""
    parser = argparse.ArgumentParser(description="Compare the engine with the reference in random games.")
    parser.add_argument("--game", choices=COMPARED, action="append", help="a game to compare (default: all)")
    parser.add_argument("--games", type=int, default=2000, help="games to compare of each (default: 2000)")
    parser.add_argument("--first", type=int, default=0, help="number of the first game (default: 0)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    options = parser.parse_args()
    for name in options.game or COMPARED:
        compare_many(name, options.first, options.games, options.workers)


if __name__ == "__main__":
    main()
