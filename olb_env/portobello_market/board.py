"""The options of a deal, checked: players, customers, the score at the start, and a board of the caller's own (P1, P2).

A board is a mapping with any of these keys: `plazas` (where each is drawn, [x, y]), `alleys` (each {"ends", "values"}
as in game records, with the values from the first end to the second) and `districts` (the three alleys around each).
Each is a list of all, or a mapping from names to those that are replaced. Actions that place stalls are named after
the plazas of their alley, in the order given. A failed check raises a ValueError that says what was given and what is
expected.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from olb_env.core.checking import is_int, is_list
from olb_env.core.game import Choices, zeros_of
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    DISTRICT_NAMES,
    DISTRICTS,
    ENDS,
    FURTHEST,
    HIGHEST_START,
    HIGHEST_VALUE,
    LONGEST_ALLEY,
    LOTS,
    PLAYERS,
    PLAZA_NAMES,
    PLAZAS,
    SHORTEST_ALLEY,
    SIDES,
    START_SCORE,
)
from olb_env.portobello_market.state import OUTSIDE, SETUP

BAGS = ("hidden", "open")
BOARD_KEYS = ("plazas", "alleys", "districts")
OPTIONS: Mapping[str, Any] = {
    "num_players": 4, "customers": "hidden", "start_score": START_SCORE, "board": None,
}  # fmt: skip
COMMAND_OPTIONS: Mapping[str, str] = {
    "customers": "hidden, or open: everybody knows the order of the bag (default: hidden)",
    "start_score": f"points of every player at the start (default: {START_SCORE})",
    "board": "your own board as FILE.json (default: the printed board)",
}
OPTION_VALUES: Mapping[str, Choices] = {"customers": Choices(BAGS), "start_score": Choices((str(START_SCORE), "0"))}


def configure(
    num_players: int = 4,
    customers: str = "hidden",
    start_score: int = START_SCORE,
    board: Mapping[str, Any] | None = None,
) -> Any:
    """Return a setup of one row for `deal`."""
    if not is_int(num_players) or num_players not in PLAYERS:
        raise ValueError(f"num_players is {num_players!r}: expected 2, 3 or 4")
    if not isinstance(customers, str) or customers not in BAGS:
        raise ValueError(f"customers is {customers!r}: expected {' or '.join(BAGS)}")
    if not is_int(start_score) or not 0 <= start_score <= HIGHEST_START:
        raise ValueError(f"start_score is {start_score!r}: expected a whole number from 0 to {HIGHEST_START}")
    if board is not None and not isinstance(board, Mapping):
        raise ValueError(f"board is {board!r}: expected a mapping with any of {', '.join(BOARD_KEYS)}")
    given = dict(board or {})
    unknown = [key for key in given if key not in BOARD_KEYS]
    if unknown:
        raise ValueError(f"board has the key {unknown[0]!r}: expected any of {', '.join(BOARD_KEYS)}")
    setups = zeros_of(1, SETUP)
    setup = setups[0]
    setup.players = num_players
    setup.open = customers == "open"
    setup.start_score = start_score
    setup.place[:] = read_plazas(given["plazas"]) if "plazas" in given else PLAZAS
    alleys = read_alleys(given.get("alleys", {}))
    for alley, (ends, values) in enumerate(alleys):
        setup.end[alley] = ends
        setup.length[alley] = len(values)
        setup.value[alley, : len(values)] = values
    setup.around[:] = read_districts(given.get("districts", {}), [ends for ends, _ in alleys])
    setup.beyond[:] = neighbours(setup.around.tolist())
    return setups


def parse_option(option: str, text: str) -> Any:
    """Return the value of an option typed in a command; the text of `board` is the content of its file."""
    if option == "board":
        return parse_board(text)
    if option == "start_score" and text.isascii() and text.isdigit():
        return int(text)
    return text


def parse_board(text: str) -> Any:
    """Return a board that is written as JSON."""
    expected = f"expected a mapping with any of {', '.join(BOARD_KEYS)}"
    try:
        board = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"board is not JSON ({error}): {expected}") from None
    if board is None:
        raise ValueError(f"board is null: {expected}")
    return board


def read_plazas(given: Any) -> list[list[int]]:
    """Return where each plaza is drawn."""
    found = []
    for name, place in _all_of("plazas", given, PLAZA_NAMES, [list(place) for place in PLAZAS]).items():
        if not is_list(place) or len(place) != 2 or not all(is_int(at) and 0 <= at <= FURTHEST for at in place):
            raise ValueError(f"plaza {name} is at {place!r}: expected [x, y], each from 0 to {FURTHEST}")
        found.append([int(at) for at in place])
    return found


def read_alleys(given: Any) -> list[tuple[list[int], list[int]]]:
    """Return the two plazas of each alley and its lot values; no two alleys join the same plazas."""
    printed = [
        {"ends": [PLAZA_NAMES[plaza] for plaza in ends], "values": list(values)}
        for ends, values in zip(ENDS, LOTS, strict=True)
    ]
    found: dict[str, tuple[list[int], list[int]]] = {}
    for name, alley in _all_of("alleys", given, ALLEY_NAMES, printed).items():
        ends, values = _read_alley(name, alley)
        same = next((other for other, (joined, _) in found.items() if set(joined) == set(ends)), None)
        if same is not None:
            raise ValueError(f"alley {name} joins the plazas that {same} joins: expected two others")
        found[name] = ends, values
    return list(found.values())


def _read_alley(name: str, alley: Any) -> tuple[list[int], list[int]]:
    if not isinstance(alley, Mapping) or set(alley) != {"ends", "values"}:
        raise ValueError(f"alley {name} is {alley!r}: expected a mapping with 'ends' and 'values'")
    ends, values = alley["ends"], alley["values"]
    if not is_list(ends) or len(ends) != 2:
        raise ValueError(f"alley {name} has the ends {ends!r}: expected two plazas")
    for end in ends:
        if not isinstance(end, str) or end not in PLAZA_NAMES:
            raise ValueError(f"alley {name} has the end {end!r}: expected a plaza, P1 to {PLAZA_NAMES[-1]}")
    if ends[0] == ends[1]:
        raise ValueError(f"alley {name} has the end {ends[0]} twice: expected two plazas")
    if not is_list(values) or not SHORTEST_ALLEY <= len(values) <= LONGEST_ALLEY:
        raise ValueError(f"alley {name} has the lots {values!r}: expected {SHORTEST_ALLEY} to {LONGEST_ALLEY} values")
    for value in values:
        if not is_int(value) or not 1 <= value <= HIGHEST_VALUE:
            raise ValueError(f"alley {name} has a lot of value {value!r}: expected 1 to {HIGHEST_VALUE}")
    return [PLAZA_NAMES.index(end) for end in ends], [int(value) for value in values]


def read_districts(given: Any, ends: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the three alleys around each district; given the `ends` of all alleys, these must meet at three plazas.

    No two alleys join the same plazas, so two different districts share at most one alley.
    """
    printed = [[ALLEY_NAMES[alley] for alley in around] for around in DISTRICTS]
    found: list[list[int]] = []
    for name, around in _all_of("districts", given, DISTRICT_NAMES, printed).items():
        if not is_list(around) or len(around) != SIDES:
            raise ValueError(f"district {name} is {around!r}: expected three alleys")
        for alley in around:
            if not isinstance(alley, str) or alley not in ALLEY_NAMES:
                raise ValueError(f"district {name} has the alley {alley!r}: expected A1 to {ALLEY_NAMES[-1]}")
        numbers = [ALLEY_NAMES.index(alley) for alley in around]
        corners = [plaza for alley in numbers for plaza in ends[alley]]
        if len(set(numbers)) != SIDES or any(corners.count(plaza) != 2 for plaza in corners):
            raise ValueError(f"district {name} is {', '.join(around)}: expected three alleys that meet at three plazas")
        if sorted(numbers) in map(sorted, found):
            raise ValueError(f"district {name} is {', '.join(around)}, as another is: expected different ones")
        found.append(numbers)
    borders = Counter(alley for around in found for alley in around)
    for number, name in enumerate(ALLEY_NAMES):
        if not 1 <= borders[number] <= 2:
            raise ValueError(f"alley {name} has {borders[number]} districts beside it: expected one or two")
    return found


def neighbours(districts: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return, for every alley around every district, the district on its other side or OUTSIDE."""
    return [
        [
            next((there for there, other in enumerate(districts) if there != here and alley in other), OUTSIDE)
            for alley in around
        ]
        for here, around in enumerate(districts)
    ]


def _all_of(what: str, given: Any, names: Sequence[str], printed: Sequence[Any]) -> dict[str, Any]:
    """Return a complete list as it is given, or the printed parts with those of a mapping replaced."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise ValueError(f"board {what} have {name!r}: expected {names[0]} to {names[-1]}")
        return {**dict(zip(names, printed, strict=True)), **given}
    if not is_list(given) or len(given) != len(names):
        count = len(given) if is_list(given) else repr(given)
        raise ValueError(f"board {what} are {count}: expected a list of {len(names)}, or a mapping of some")
    return dict(zip(names, given, strict=True))
