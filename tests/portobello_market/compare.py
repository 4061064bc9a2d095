"""The comparison of Portobello Market with its reference: which games, how they are played, and what is compared."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from olb_env.core.game import States
from olb_env.portobello_market import GAME
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    BAG_SIZE,
    CUSTOMERS,
    DISTRICT_NAMES,
    DISTRICTS,
    ENDS,
    LOTS,
    PLAYERS,
    PLAZA_NAMES,
    RULINGS,
)
from tests.portobello_market.reference import ReferenceGame

__all__ = [
    "GAME",
    "ReferenceGame",
    "action_weights",
    "engine_views",
    "random_options",
    "reference_end",
    "reference_view",
]


def engine_views(states: States) -> Iterator[dict[str, Any]]:
    """Yield the states of a batch in the terms of the reference."""
    names = ("score", "order", "customer", "lot", "length", "bobby", "round_number")
    columns = {name: states[name].tolist() for name in names}
    kept = ("hand", "token_value", "token_own", "token_up", "mark")
    seats = {name: states["seats"][name].tolist() for name in kept}
    bag, scored = states["table"]["bag"].sum(axis=1).tolist(), states["table"]["alley_scored"].astype(bool).tolist()
    for row, players in enumerate(states["players"].tolist()):
        game = {name: values[row] for name, values in columns.items()}
        seat = {name: values[row][:players] for name, values in seats.items()}
        yield {
            "scores": game["score"][:players],
            "hands": seat["hand"],
            "tokens": [
                [(value, not own) for value, own in zip(values, owned, strict=True)]
                for values, owned in zip(seat["token_value"], seat["token_own"], strict=True)
            ],
            "up": seat["token_up"],
            "bag": [CUSTOMERS[who] for who in game["order"][BAG_SIZE - bag[row] :]],
            "customers": {
                plaza: CUSTOMERS[who] for plaza, who in zip(PLAZA_NAMES, game["customer"], strict=True) if who
            },
            "marks": {
                district: (number, mark)
                for number, marks in enumerate(seat["mark"])
                for district, mark in zip(DISTRICT_NAMES, marks, strict=True)
                if mark
            },
            "lots": [
                [owner - 1 if owner else None for owner in owners[:length]]
                for owners, length in zip(game["lot"], game["length"], strict=True)
            ],
            "scored": scored[row],
            "bobby": DISTRICT_NAMES[game["bobby"]] if game["bobby"] >= 0 else None,
            "round": game["round_number"],
        }


def reference_view(game: ReferenceGame) -> dict[str, Any]:
    """Return the same view of the reference."""
    return {
        "scores": [player.score for player in game.players],
        "hands": [player.stalls for player in game.players],
        "tokens": [[(token.value, token.neutral) for token in player.tokens] for player in game.players],
        "up": [[int(token.up and token is not game.in_use) for token in player.tokens] for player in game.players],
        "bag": list(game.bag),
        "customers": {plaza: game.customers[plaza] for plaza in PLAZA_NAMES if plaza in game.customers},
        "marks": dict(game.marks),
        "lots": [list(alley.owners) for alley in game.alleys.values()],
        "scored": [alley.scored for alley in game.alleys.values()],
        "bobby": game.bobby,
        "round": game.rounds,
    }


def reference_end(game: ReferenceGame) -> dict[str, Any]:
    """Return the end keys of a record."""
    return {"scores": [player.score for player in game.players], "rank": game.rank}


def other_plan(rng: random.Random, flips: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return the ends of alleys and the districts of another market.

    Some inner alleys are flipped: each joins the other two corners of its two districts, beside another alley perhaps
    that joins them too. Two districts never share two alleys.
    """
    ends = [[PLAZA_NAMES[plaza] for plaza in two] for two in ENDS]
    districts = [[ALLEY_NAMES[alley] for alley in around] for around in DISTRICTS]
    for _ in range(flips):
        name = rng.choice(ALLEY_NAMES)
        sides = [around for around in districts if name in around]
        if len(sides) < 2:
            continue
        others = [other for around in sides for other in around if other != name]
        near = ends[ALLEY_NAMES.index(name)]
        plazas = {plaza for other in others for plaza in ends[ALLEY_NAMES.index(other)]}
        far = sorted(plazas - set(near))
        if len(far) < 2:
            continue
        ends[ALLEY_NAMES.index(name)] = far
        before = [list(around) for around in sides]
        for around, corner in zip(sides, near, strict=True):
            around[:] = [name, *(other for other in others if corner in ends[ALLEY_NAMES.index(other)])]
        if any(len(set(one) & set(other)) > 1 for one, other in itertools.combinations(districts, 2)):
            ends[ALLEY_NAMES.index(name)] = near
            for around, was in zip(sides, before, strict=True):
                around[:] = was
    return ends, districts


def random_board(rng: random.Random) -> dict[str, Any]:
    """Return a random board in some of the games, so that nothing relies on the printed one.

    Short alleys cannot hold all stalls: then actions are given up, and games end after an idle round.
    """
    if rng.random() < 0.4:
        return {}
    longest = rng.choice((2, 2, 3, 6))
    lots = [[rng.randint(1, 5) for _ in range(rng.randint(2, longest))] for _ in LOTS]
    if rng.random() < 0.3:
        lots = [list(values) for values in LOTS]
    plan, districts = other_plan(rng, rng.choice((0, 1, 20, 100)))
    alleys = [
        {"ends": ends[::-1] if rng.random() < 0.3 else ends, "values": values}
        for ends, values in zip(plan, lots, strict=True)
    ]
    districts = [rng.sample(around, 3) for around in districts]
    rng.shuffle(districts)
    return {"alleys": alleys, "districts": districts}


def random_rulings(rng: random.Random) -> dict[str, str]:
    """Return random rulings in half of the games."""
    if rng.random() < 0.5:
        return {}
    return {name: rng.choice(ruling.values) for name, ruling in RULINGS.items()}


def random_options(number: int, rng: random.Random) -> dict[str, Any]:
    """Return the players, bag, start score, board and rulings of the n-th game."""
    return {
        "num_players": PLAYERS[number % len(PLAYERS)],
        "customers": rng.choice(("hidden", "open")),
        "start_score": rng.choice((0, 1, 2, 10, 10, 40)),
        "board": random_board(rng),
        "rulings": random_rulings(rng),
    }


# Ways to play at random. Drawing customers early brings up tolls, the Lord and given-up actions; moving the Bobby often
# brings up the rules about where he may go.
WEIGHTS: tuple[dict[str, float], ...] = (
    {},
    {"draw": 30, "lord": 30, "mark": 0.05},
    {"bobby": 8, "mark": 0.1, "done": 0.2},
    {"mark": 0.02, "stall": 6, "draw": 0.1, "bobby": 0.5},
    {"draw": 40, "lord": 40, "stall": 8, "bobby": 0.4, "mark": 0.0001, "done": 5},
    {"mark": 20, "token": 0.5},
)


def action_weights(names: list[str], number: int) -> list[float]:
    """Return the weights of random actions in the n-th game, the same for all its players."""
    weights = WEIGHTS[number // len(PLAYERS) % len(WEIGHTS)]
    return [weights.get(name.split()[0], 1.0) for name in names]
