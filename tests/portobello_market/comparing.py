"""The engine against the reference: the same deals, the same random answers, compared at every question.

Run as a command for many games: ``python -m tests.portobello_market.comparing --games 10000``.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.game import States
from olb_env.portobello_market import ACTIONS, GAME
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    CUSTOMERS,
    DISTRICT_NAMES,
    DISTRICTS,
    ENDS,
    LOTS,
    PLAZA_NAMES,
)
from tests.portobello_market.reference import ReferenceGame

ROWS = 100  # games compared side by side


def engine_views(states: States) -> Iterator[dict[str, Any]]:
    """The states of a batch in the reference's words, one after the other."""
    for state in states:
        players = int(state.players)
        seats = [state.seats[seat] for seat in range(players)]
        bag = [CUSTOMERS[who] for who in state.order[10 - int(state.table.bag.sum()) :]]
        yield {
            "scores": state.score[:players].tolist(),
            "hands": [int(seat.hand) for seat in seats],
            "tokens": [
                [(int(seat.token_value[slot]), not seat.token_own[slot]) for slot in range(3)] for seat in seats
            ],
            "up": [seat.token_up.tolist() for seat in seats],
            "bag": bag,
            "customers": {
                plaza: CUSTOMERS[who] for plaza, who in zip(PLAZA_NAMES, state.customer.tolist(), strict=True) if who
            },
            "marks": {
                DISTRICT_NAMES[district]: (number, int(seat.mark[district]))
                for number, seat in enumerate(seats)
                for district in np.flatnonzero(seat.mark).tolist()
            },
            "lots": [
                [owner - 1 if owner else None for owner in owners[:length]]
                for owners, length in zip(state.lot.tolist(), state.length.tolist(), strict=True)
            ],
            "scored": [bool(scored) for scored in state.table.alley_scored],
            "bobby": DISTRICT_NAMES[int(state.bobby)] if state.bobby >= 0 else None,
            "round": int(state.round_number),
        }


def reference_view(game: ReferenceGame) -> dict[str, Any]:
    """The same of the reference."""
    return {
        "scores": [player.score for player in game.players],
        "hands": [player.stalls for player in game.players],
        "tokens": [[(token.value, token.neutral) for token in player.tokens] for player in game.players],
        "up": [[int(token.up) for token in player.tokens] for player in game.players],
        "bag": list(game.bag),
        "customers": {plaza: game.customers[plaza] for plaza in PLAZA_NAMES if plaza in game.customers},
        "marks": dict(game.marks),
        "lots": [list(alley.owners) for alley in game.alleys.values()],
        "scored": [alley.scored for alley in game.alleys.values()],
        "bobby": game.bobby,
        "round": game.rounds,
    }


def random_board(chooser: random.Random) -> dict[str, Any]:
    """Now and then a board of one's own, so that nothing rests on the printed one.

    Short alleys leave no room for all stalls: then actions are forfeited, and games end because nothing happens.
    """
    if chooser.random() < 0.4:
        return {}
    longest = chooser.choice((2, 2, 3, 6))
    lots = [[chooser.randint(1, 5) for _ in range(chooser.randint(2, longest))] for _ in LOTS]
    if chooser.random() < 0.3:
        lots = [list(values) for values in LOTS]
    alleys = []
    for ends, values in zip(ENDS, lots, strict=True):
        names = [PLAZA_NAMES[plaza] for plaza in ends]
        alleys.append({"ends": names[::-1] if chooser.random() < 0.3 else names, "values": values})
    districts = [chooser.sample([ALLEY_NAMES[alley] for alley in around], 3) for around in DISTRICTS]
    chooser.shuffle(districts)
    return {"alleys": alleys, "districts": districts}


def random_options(number: int, chooser: random.Random) -> dict[str, Any]:
    """Players, bag, first scores and board of the n-th game."""
    return {
        "num_players": 2 + number % 3,
        "customers": chooser.choice(("hidden", "open")),
        "start_score": chooser.choice((0, 1, 2, 10, 10, 40)),
        "board": random_board(chooser),
    }


# Ways to play at random: those who draw early see tolls, the Lord and forfeits; those who wander see the Bobby's rules.
LIKINGS: tuple[dict[str, float], ...] = (
    {},
    {"draw": 30, "lord": 30, "mark": 0.05},
    {"bobby": 8, "mark": 0.1, "done": 0.2},
    {"mark": 0.02, "stall": 6, "draw": 0.1, "bobby": 0.5},
    {"draw": 40, "lord": 40, "stall": 8, "bobby": 0.4, "mark": 0.0001, "done": 5},
    {"mark": 20, "token": 0.5},
)


def weigh(names: list[str], likings: dict[str, float]) -> list[float]:
    """How likely each answer is for a player of some likings."""
    return [likings.get(name.split()[0], 1.0) for name in names]


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
            if mine["up"] != theirs["up"]:  # the engine turns a token down when it is used, the reference afterwards
                theirs["up"] = mine["up"] if _token_in_use(mine, theirs, int(actors[row])) else theirs["up"]
            assert mine == theirs, f"{where}: " + str([(k, mine[k], theirs[k]) for k in mine if mine[k] != theirs[k]])
            name = chooser.choices(legal, weigh(legal, LIKINGS[(first + row) // 3 % len(LIKINGS)]))[0]
            actions[row] = ACTIONS.index(name)
            reference.apply(name)
            compared += 1
        if (actors < 0).all():
            break
        batch.apply_rows(states, actions, done)
    for row, reference in enumerate(references):
        end = {"scores": [player.score for player in reference.players], "rank": reference.rank}
        assert GAME.describe_end(states[row]) == end, f"game {first + row}, at its end"
    return compared


def _token_in_use(mine: dict[str, Any], theirs: dict[str, Any], actor: int) -> bool:
    """Whether the two differ in one token of the acting seat, face down here and still up there."""
    pairs = [
        (seat, one, other)
        for seat, (ours, others) in enumerate(zip(mine["up"], theirs["up"], strict=True))
        for one, other in zip(ours, others, strict=True)
        if one != other
    ]
    return pairs == [(actor, 0, 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the engine with the reference over random games.")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    options = parser.parse_args()
    began, games, decisions = time.monotonic(), 0, 0
    for start in range(options.first, options.first + options.games, ROWS):
        count = min(ROWS, options.first + options.games - start)
        decisions += compare(start, count)
        games += count
        rate = games / (time.monotonic() - began)
        print(f"\r{games:,} games, {decisions:,} decisions equal, {rate:.0f} games/s", end="", file=sys.stderr)
    print(f"\n{games:,} games, {decisions:,} decisions: the engine and the reference agree.")


if __name__ == "__main__":
    main()
