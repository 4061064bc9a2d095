"""The options of a deal, checked: players, customers, the score at the start, rulings, and a board of the caller's own.

A board is a mapping with any of these keys: `plazas` (where each is drawn, [x, y]), `alleys` (each {"ends", "values"}
as in game records, with the values from the first end to the second) and `districts` (the three alleys around each).
Each is a list of all, or a mapping from names to those that are replaced. Several alleys may join the same two plazas.
Actions that place stalls are named after the plazas of their alley, in the order given. A failed check raises a
ValueError that says what was given and what is expected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from olb_env.core.boards import BoardError, Where, checked_board, is_board_file, read_board_file
from olb_env.core.checking import is_int, is_list, shown
from olb_env.core.game import Choices, zeros_of
from olb_env.core.rulings import DEFAULT, parse_rulings, read_rulings, rulings_help
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
    RULINGS,
    SHORTEST_ALLEY,
    SIDES,
    START_SCORE,
)
from olb_env.portobello_market.state import OUTSIDE, SETUP

BAGS = ("hidden", "open")
BOARD_KEYS = ("plazas", "alleys", "districts")
BOARDS: Mapping[str, Mapping[str, Any]] = {}  # no board but the default one has a name
OPTIONS: Mapping[str, Any] = {
    "num_players": 4, "customers": "hidden", "start_score": START_SCORE, "board": None, "rulings": None,
}  # fmt: skip
COMMAND_OPTIONS: Mapping[str, str] = {
    "customers": "hidden, or open: everybody knows the order of the bag (default: hidden)",
    "start_score": f"points of every player at the start (default: {START_SCORE})",
    "board": "your own board as FILE.toml or FILE.json, see olb board (default: the board of the rules)",
    "rulings": rulings_help(RULINGS),
}
OPTION_VALUES: Mapping[str, Choices] = {
    "customers": Choices(BAGS),
    "start_score": Choices((str(START_SCORE), "0")),
    "rulings": Choices((DEFAULT,), {name: ruling.values for name, ruling in RULINGS.items()}),
}


class Part(NamedTuple):
    """A plaza, an alley or a district of a board."""

    name: str
    value: Any
    where: Where  # empty if the caller did not give it


class Alley(NamedTuple):
    """An alley that has been checked."""

    ends: list[int]  # the numbers of its plazas
    values: list[int]
    where: Where


def configure(
    num_players: int = 4,
    customers: str = "hidden",
    start_score: int = START_SCORE,
    board: str | Mapping[str, Any] | None = None,
    rulings: str | Mapping[str, str] | None = None,
) -> Any:
    """Return a setup of one row for `deal`; `board` is a file or a mapping."""
    if not is_int(num_players) or num_players not in PLAYERS:
        raise ValueError(f"num_players is {shown(num_players)}: expected 2, 3 or 4")
    if not isinstance(customers, str) or customers not in BAGS:
        raise ValueError(f"customers is {shown(customers)}: expected {' or '.join(BAGS)}")
    if not is_int(start_score) or not 0 <= start_score <= HIGHEST_START:
        raise ValueError(f"start_score is {shown(start_score)}: expected a whole number from 0 to {HIGHEST_START}")
    setups = checked_board(board, BOARDS, BOARD_KEYS, read_board)
    setups["players"] = num_players
    setups["open"] = customers == "open"
    setups["start_score"] = start_score
    setups["board"]["rulings"] = read_rulings(rulings, RULINGS)
    return setups


def read_board(board: Mapping[str, Any]) -> Any:
    """Return a setup of one row with this board and nothing else."""
    setups = zeros_of(1, SETUP)
    setup = setups[0]
    setup.place[:] = read_plazas(board.get("plazas", {}))
    alleys = read_alleys(board.get("alleys", {}))
    for number, alley in enumerate(alleys):
        setup.board.ends[number] = alley.ends
        setup.length[number] = len(alley.values)
        setup.board.values[number, : len(alley.values)] = alley.values
    setup.board.around[:] = read_districts(board.get("districts", {}), alleys)
    setup.beyond[:] = neighbours(setup.board.around.tolist())
    return setups


def printed_board() -> dict[str, Any]:
    """Return the whole board that is played by default, as a mapping of the caller's own would be written."""
    return {
        "plazas": {name: list(place) for name, place in zip(PLAZA_NAMES, PLAZAS, strict=True)},
        "alleys": {
            name: {"ends": [PLAZA_NAMES[plaza] for plaza in ends], "values": list(values)}
            for name, ends, values in zip(ALLEY_NAMES, ENDS, LOTS, strict=True)
        },
        "districts": {
            name: [ALLEY_NAMES[alley] for alley in around]
            for name, around in zip(DISTRICT_NAMES, DISTRICTS, strict=True)
        },
    }


PRINTED: Mapping[str, Mapping[str, Any]] = printed_board()
ABOUT_THE_BOARD = """\
A board of Portobello Market. Change what differs on yours; what is left out is as on the default board.
Check it with `olb board check FILE --game portobello_market`, and use it with `--board FILE`, or as `board="FILE"` in
an environment."""
COMMENTS: Mapping[str, str] = {
    "plazas": f"Where each plaza is drawn, [x, y] from 0 to {FURTHEST}, x to the right and y downwards.",
    "alleys": f"The two plazas of each alley, and the values of its {SHORTEST_ALLEY} to {LONGEST_ALLEY} lots from the "
    f"first plaza to the second, each from 1 to {HIGHEST_VALUE}.\nEither may be left out. Several alleys may join the "
    "same two plazas.",
    "districts": "The three alleys around each district, which meet at three plazas. Every alley is beside one or two\n"
    "districts, and two districts share at most one alley.",
}


def parse_option(option: str, text: str) -> Any:
    """Return the value of an option typed in a command."""
    if option == "rulings":
        return parse_rulings(text)
    if option == "board" and is_board_file(text):
        configure(board=text)  # an error names the line
        return read_board_file(Path(text))
    if option == "start_score" and text.isascii() and text.isdigit():
        return int(text)
    return text


def read_plazas(given: Any) -> list[list[int]]:
    """Return where each plaza is drawn."""
    found = []
    for name, place, where in _all_of("plazas", given):
        if not is_list(place) or len(place) != 2 or not all(is_int(at) and 0 <= at <= FURTHEST for at in place):
            raise BoardError(f"plaza {name} is at {shown(place)}: expected [x, y], each from 0 to {FURTHEST}", *where)
        found.append([int(at) for at in place])
    return found


def read_alleys(given: Any) -> list[Alley]:
    """Return the two plazas of each alley and its lot values.

    In a mapping of some alleys, an alley may leave out one of the two; a list of all is complete.
    """
    if isinstance(given, Mapping):
        given = {name: _filled_in(name, alley) for name, alley in given.items()}
    return [_read_alley(part) for part in _all_of("alleys", given)]


def _filled_in(name: Any, alley: Any) -> Any:
    """Return an alley with what it leaves out as on the default board."""
    if not isinstance(alley, Mapping) or not alley or name not in ALLEY_NAMES:
        return alley
    return {**PRINTED["alleys"][name], **alley}


def _read_alley(part: Part) -> Alley:
    name, alley, where = part
    if not isinstance(alley, Mapping) or set(alley) != {"ends", "values"}:
        raise BoardError(f"alley {name} is {shown(alley)}: expected a mapping with 'ends' and 'values'", *where)
    ends, values = alley["ends"], alley["values"]
    if not is_list(ends) or len(ends) != 2:
        raise BoardError(f"alley {name} has the ends {shown(ends)}: expected two plazas", *where, "ends")
    for place, end in enumerate(ends):
        if not isinstance(end, str) or end not in PLAZA_NAMES:
            raise BoardError(
                f"alley {name} has the end {shown(end)}: expected a plaza, P1 to {PLAZA_NAMES[-1]}",
                *where, "ends", place,
            )  # fmt: skip
    if ends[0] == ends[1]:
        raise BoardError(f"alley {name} has the end {ends[0]} twice: expected two plazas", *where, "ends")
    if not is_list(values) or not SHORTEST_ALLEY <= len(values) <= LONGEST_ALLEY:
        raise BoardError(
            f"alley {name} has the lots {shown(values)}: expected {SHORTEST_ALLEY} to {LONGEST_ALLEY} values",
            *where, "values",
        )  # fmt: skip
    for place, value in enumerate(values):
        if not is_int(value) or not 1 <= value <= HIGHEST_VALUE:
            raise BoardError(
                f"alley {name} has a lot of value {shown(value)}: expected 1 to {HIGHEST_VALUE}",
                *where, "values", place,
            )  # fmt: skip
    return Alley([PLAZA_NAMES.index(end) for end in ends], [int(value) for value in values], where)


def read_districts(given: Any, alleys: Sequence[Alley]) -> list[list[int]]:
    """Return the three alleys around each district, which must meet at three plazas.

    Two districts share at most one alley, so that a step of the Bobby from one to the other has one toll.
    """
    found: list[list[int]] = []
    places: list[Where] = []
    for name, around, where in _all_of("districts", given):
        if not is_list(around) or len(around) != SIDES:
            raise BoardError(f"district {name} is {shown(around)}: expected three alleys", *where)
        for place, alley in enumerate(around):
            if not isinstance(alley, str) or alley not in ALLEY_NAMES:
                raise BoardError(
                    f"district {name} has the alley {shown(alley)}: expected A1 to {ALLEY_NAMES[-1]}", *where, place
                )
        numbers = [ALLEY_NAMES.index(alley) for alley in around]
        # The cause may be one of its alleys, if the district itself is as on the default board.
        cause = where or next((alleys[number].where for number in numbers if alleys[number].where), ())
        places.append(where)
        corners = [plaza for number in numbers for plaza in alleys[number].ends]
        if len(set(numbers)) != SIDES or any(corners.count(plaza) != 2 for plaza in corners):
            raise BoardError(
                f"district {name} is {', '.join(around)}: expected three alleys that meet at three plazas", *cause
            )
        for other, beside, its_place in zip(DISTRICT_NAMES, found, places, strict=False):
            shared = [ALLEY_NAMES[number] for number in numbers if number in beside]
            if len(shared) == SIDES:
                raise BoardError(
                    f"district {name} is {', '.join(around)}, as {other} is: expected different ones",
                    *(where or its_place or cause),
                )
            if len(shared) > 1:
                raise BoardError(
                    f"districts {other} and {name} share {' and '.join(shared)}: expected at most one alley, "
                    "so that a step of the Bobby between them has one toll",
                    *(where or its_place or cause),
                )
        found.append(numbers)
    borders = Counter(alley for around in found for alley in around)
    for number, name in enumerate(ALLEY_NAMES):
        if not 1 <= borders[number] <= 2:
            raise BoardError(
                f"alley {name} has {borders[number]} districts beside it: expected one or two", "districts"
            )
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


def _all_of(what: str, given: Any) -> Iterator[Part]:
    """Yield a complete list as it is given, or the parts of the default board with those of a mapping replaced."""
    printed = PRINTED[what]
    names = list(printed)
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise BoardError(
                    f"board {what} have {shown(name)}: expected {names[0]} to {names[-1]}", what, str(name)
                )
        for name, part in printed.items():
            yield Part(name, given[name], (what, name)) if name in given else Part(name, part, ())
        return
    if not is_list(given) or len(given) != len(names):
        count = len(given) if is_list(given) else shown(given)
        raise BoardError(f"board {what} are {count}: expected a list of {len(names)}, or a mapping of some", what)
    for number, (name, part) in enumerate(zip(names, given, strict=True)):
        yield Part(name, part, (what, number))
