"""The keys of game records and of infos that are specific to this game (§8)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from olb_env.core.checking import check_setup, is_int, shown
from olb_env.core.game import State, States, zeros_of
from olb_env.core.ranking import ranks_of
from olb_env.core.rulings import describe_rulings
from olb_env.portobello_market.board import BOARD_KEYS, configure
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    BAG_SIZE,
    BURGHER,
    CUSTOMERS,
    DISTRICT_NAMES,
    OF_EACH,
    PLAZA_NAMES,
    PLAZAS,
    RULINGS,
    SERVANT,
)
from olb_env.portobello_market.dealing import begin_games
from olb_env.portobello_market.state import BOARD_COLUMNS, STATE

SETUP_KEYS = ("start_score", "start_player", "open", "customers", "alleys", "districts")
END_KEYS = ("scores", "rank")
PLACES_IN_TURN = ("first", "second", "third", "fourth")


def describe_setup(game: State) -> dict[str, Any]:
    """Return the keys `players`, `rulings` and `setup` of a record, from any state of the game."""
    rulings, places = describe_rulings(game.board.rulings, RULINGS), game.place.tolist()
    return {
        "players": int(game.players),
        **({"rulings": rulings} if rulings else {}),
        "setup": {
            "start_score": int(game.start_score),
            "start_player": int(game.start_player),
            "open": bool(game.open),
            "customers": [CUSTOMERS[who] for who in game.order.tolist()],
            "alleys": _describe_alleys(game),
            "districts": [[ALLEY_NAMES[alley] for alley in around] for around in game.board.around.tolist()],
            **({"plazas": places} if places != [list(place) for place in PLAZAS] else {}),
        },
    }


def describe_board(game: State) -> dict[str, Any]:
    """Return the whole board, from any state of the game; the alleys around a district are sorted."""
    around = [[ALLEY_NAMES[alley] for alley in sorted(alleys)] for alleys in game.board.around.tolist()]
    return {
        "plazas": dict(zip(PLAZA_NAMES, game.place.tolist(), strict=True)),
        "alleys": dict(zip(ALLEY_NAMES, _describe_alleys(game), strict=True)),
        "districts": dict(zip(DISTRICT_NAMES, around, strict=True)),
    }


def remarks(game: State) -> list[str]:
    """Return what looks like a mistake on a board: a plaza without alleys, or two plazas at one place."""
    plazas = range(len(PLAZA_NAMES))
    found = [f"No alley leads to {PLAZA_NAMES[plaza]}." for plaza in plazas if not (game.board.ends == plaza).any()]
    return found + [
        f"{PLAZA_NAMES[one]} and {PLAZA_NAMES[other]} are drawn at the same place."
        for one, other in itertools.combinations(plazas, 2)
        if (game.place[one] == game.place[other]).all()
    ]


def _describe_alleys(game: State) -> list[dict[str, Any]]:
    return [
        {"ends": [PLAZA_NAMES[plaza] for plaza in ends], "values": values[:length]}
        for ends, values, length in zip(
            game.board.ends.tolist(), game.board.values.tolist(), game.length.tolist(), strict=True
        )
    ]


def starts(game: State) -> list[str]:
    """Return the place of each seat in the order of turns."""
    players = int(game.players)
    return [PLACES_IN_TURN[(seat - int(game.start_player)) % players] for seat in range(players)]


def read_setup(record: Mapping[str, Any]) -> States:
    """Return the game [1] that a record begins with, or raise a ValueError that says what is wrong."""
    players, setup = record["players"], record["setup"]
    check_setup(setup, SETUP_KEYS, optional=("plazas",))
    for key in BOARD_KEYS:
        if not isinstance(setup.get(key, []), list):
            raise ValueError(f"{key} are {shown(setup[key])}: expected a list of all")
    if not isinstance(setup["open"], bool):
        raise ValueError(f"open is {shown(setup['open'])}: expected true or false")
    chosen = configure(
        num_players=players,
        customers="open" if setup["open"] else "hidden",
        start_score=setup["start_score"],
        board={part: setup[part] for part in BOARD_KEYS if part in setup},
        rulings=record.get("rulings"),
    )[0]
    first = setup["start_player"]
    if not is_int(first) or not 0 <= first < players:
        raise ValueError(f"start_player is {shown(first)}: expected a seat from 0 to {players - 1}")
    states = zeros_of(1, STATE)
    game = states[0]
    game.players = players
    game.open = chosen.open
    game.start_score = chosen.start_score
    game.start_player = first
    game.order[:] = _read_customers(setup["customers"])
    for name in BOARD_COLUMNS:
        game[name] = chosen[name]
    begin_games(states)
    return states


def _read_customers(customers: Any) -> list[int]:
    if not isinstance(customers, list) or len(customers) != BAG_SIZE:
        count = len(customers) if isinstance(customers, list) else shown(customers)
        raise ValueError(f"setup has {count} customers: expected {BAG_SIZE}")
    for customer in customers:
        if customer not in CUSTOMERS[SERVANT : BURGHER + 1]:
            raise ValueError(f"setup has the customer {shown(customer)}: expected servant or burgher")
    for kind in (SERVANT, BURGHER):
        count = customers.count(CUSTOMERS[kind])
        if count != OF_EACH:
            raise ValueError(f"setup has the customer {CUSTOMERS[kind]!r} {count} times: expected {OF_EACH}")
    return [CUSTOMERS.index(customer) for customer in customers]


def describe_end(game: State) -> dict[str, Any]:
    """Return the end keys of a finished game."""
    return {"scores": game["score"][: int(game["players"])].tolist(), "rank": ranks_of(game)}


def final_infos(game: State) -> list[dict[str, Any]]:
    """Return the final `info` of each seat: the scores and ranks of all."""
    return [describe_end(game) for _ in range(int(game["players"]))]
