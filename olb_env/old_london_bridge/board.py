"""The options of a deal, checked: players, scoring, memory, rulings, and a board of the caller's own.

A board is a mapping with any of these keys, written as in game records: `tiles` (kind -> twelve [number, crest]),
`bonus_piles` (three of eight tiles), `coins` (six, "X" for a crossed out space), `stack_order` (six kinds),
`chapel_track` and `gate_track` (each with a `length` and any of `coins`, `bonus` and `end`). A failed check raises a
ValueError that says what was given and what is expected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from olb_env.core.boards import BoardError, checked_board, is_board_file, read_board_file
from olb_env.core.checking import is_int, is_list, shown
from olb_env.core.game import Choices, zeros_of
from olb_env.core.rulings import DEFAULT, parse_pairs, parse_rulings, read_rulings, rulings_help
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    AREAS,
    BLUE,
    BOARD,
    CHAPEL_COINS,
    CHAPEL_LENGTH,
    CRESTS,
    CROSSED_OUT,
    END_OF_TRACK,
    GATE_BONUS,
    GATE_LENGTH,
    GREEN,
    GUILD,
    HIGHEST_NUMBER,
    KINDS,
    LONGEST_TRACK,
    MOST_COINS,
    NO_CREST,
    PARK,
    PILES,
    PLAYERS,
    RANDOM_SIDE,
    RONDEL_COINS,
    RULINGS,
    SCORINGS,
    SECOND_BOARD,
    STACK_ORDER,
    STACK_SIZE,
    TILES,
    TILES_OF_A_KIND,
    printed_tiles,
)
from olb_env.old_london_bridge.state import SETUP, TRACKS, tile_code

MEMORIES = ("perfect", "table")
BOARD_KEYS = ("coins", "stack_order", "bonus_piles", "chapel_track", "gate_track", "tiles")
TRACK_KEYS = ("length", "coins", "bonus", "end")
BOARDS: Mapping[str, Mapping[str, Any]] = {"first": {}, "second": SECOND_BOARD}
OPTIONS: Mapping[str, Any] = {
    "num_players": 4, "scoring": "board", "memory": "perfect", "board": None, "rulings": None,
}  # fmt: skip
COMMAND_OPTIONS: Mapping[str, str] = {
    "scoring": "board, random, or area=name for some areas, e.g. 'gate=steps,inn=card sets' (default: board)",
    "board": "first, second (chapel coins on 3, 6, 9, 12 of 15, rondel 1, 1, 2, 2, 3, X), or your own as FILE.toml or "
    "FILE.json, see olb board (default: first)",
    "memory": "perfect, or table: nobody remembers the money and the cards of the others (default: perfect)",
    "rulings": rulings_help(RULINGS),
}
OPTION_VALUES: Mapping[str, Choices] = {
    "scoring": Choices(("board", "random"), {area: SCORINGS[area] for area in AREAS}),
    "board": Choices(tuple(BOARDS)),
    "memory": Choices(MEMORIES),
    "rulings": Choices((DEFAULT,), {name: ruling.values for name, ruling in RULINGS.items()}),
}
NAME_OF_NO_CREST = "none"  # of a park, in a board and in records
PARK_CRESTS = {NAME_OF_NO_CREST: NO_CREST, **{CRESTS[crest]: crest for crest in range(BLUE, GREEN + 1)}}
CODES = [
    {
        (number, name): tile_code(number, crest)
        for number in ([0] if kind == PARK else range(1, HIGHEST_NUMBER + 1))
        for name, crest in (
            PARK_CRESTS.items()
            if kind == PARK
            else [(CRESTS[crest], crest) for crest in ([ALL_CRESTS] if kind == GUILD else range(BLUE, GREEN + 1))]
        )
    }
    for kind in range(len(KINDS))
]


def configure(
    num_players: int = 4,
    scoring: str | Mapping[str, str] = "board",
    memory: str = "perfect",
    board: str | Mapping[str, Any] | None = None,
    rulings: str | Mapping[str, str] | None = None,
) -> Any:
    """Return a setup of one row for `deal`; `board` is a name in `BOARDS`, a file, or a mapping."""
    if not is_int(num_players) or num_players not in PLAYERS:
        raise ValueError(f"num_players is {shown(num_players)}: expected 2, 3 or 4")
    if not isinstance(memory, str) or memory not in MEMORIES:
        raise ValueError(f"memory is {shown(memory)}: expected one of {_listed(MEMORIES)}")
    setups = checked_board(board, BOARDS, BOARD_KEYS, read_board)
    setups["players"] = num_players
    setups["perfect"] = memory == "perfect"
    setups["scoring"] = read_scoring(scoring)
    setups["board"]["rulings"] = read_rulings(rulings, RULINGS)
    return setups


def read_board(board: Mapping[str, Any]) -> Any:
    """Return a setup of one row with this board and nothing else.

    What is left out is as on the default board: a key, a part of a track, or a kind of tile.
    """
    printed = printed_board()
    given = dict(printed)
    for key, part in board.items():
        whole = isinstance(part, Mapping) and isinstance(printed[key], Mapping)
        given[key] = {**printed[key], **part} if whole else part
    setups = zeros_of(1, SETUP)
    own_tiles = board.get("tiles", {})
    setups["tile"] = read_tiles(given["tiles"], set(own_tiles) if isinstance(own_tiles, Mapping) else set())
    setups["pile"] = read_piles(given["bonus_piles"])
    setups["rondel"] = read_coins(given["coins"])
    setups["stack_order"] = read_stack_order(given["stack_order"])
    for name in TRACKS:
        key = f"{name}_track"
        _check_shortened(key, board.get(key), printed[key])
        length, end, coins, bonus = read_track(key, given[key])
        track = setups["board"][name]
        track["length"], track["end"], track["coins"], track["bonus"] = length, end, coins, bonus
    return setups


def printed_board() -> dict[str, Any]:
    """Return the whole board that is played by default, as a mapping of the caller's own would be written."""
    return {
        "coins": ["X" if coin == CROSSED_OUT else coin for coin in RONDEL_COINS],
        "stack_order": [KINDS[kind] for kind in STACK_ORDER],
        "bonus_piles": [list(TILES) for _ in range(PILES)],
        "chapel_track": {
            "length": CHAPEL_LENGTH,
            "coins": {str(space): coin for space, coin in CHAPEL_COINS.items()},
            "bonus": [],
            "end": END_OF_TRACK,
        },
        "gate_track": {"length": GATE_LENGTH, "coins": {}, "bonus": list(GATE_BONUS), "end": END_OF_TRACK},
        "tiles": {
            KINDS[kind]: [[number, CRESTS[crest]] for number, crest in tiles] for kind, tiles in printed_tiles().items()
        },
    }


ABOUT_THE_BOARD = """\
A board of Old London Bridge. Change what differs on yours. What is left out is as on the default board: a key, a part
of a track, or a kind of tile.
Check it with `olb board check FILE`, and use it with `--board FILE`, or as `board="FILE"` in an environment."""
COMMENTS: Mapping[str, str] = {
    "coins": f'The six outer spaces of the rondel, clockwise: whole pounds from 0 to {MOST_COINS}, or "X".\n'
    "Any number of them may be an X.",
    "stack_order": "The six stacks around the rondel, clockwise.",
    "bonus_piles": "The bonus tiles in each of the three piles of eight, in any order; there are three of each kind.",
    "chapel_track": f"length: the number of spaces after the stairs, 1 to {LONGEST_TRACK}. coins: pounds by space, 1 "
    f"to {MOST_COINS},\nthe last space included. bonus: the spaces that bring a bonus tile. end: pounds for reaching "
    f"the last space, 0 to {MOST_COINS}.",
    "gate_track": f"length: the number of spaces after the start, 1 to {LONGEST_TRACK}. The rest is as for the chapel "
    "track.",
    "tiles": "The twelve [number, crest] of each kind. The numbers 1 to 60 are there once each; a park has number 0.\n"
    'Crests are blue, orange, grey and green; "all" for every guild; a park may have "none".',
}


def parse_option(option: str, text: str) -> Any:
    """Return the value of an option typed in a command: `board`, `random`, or `gate=steps,inn=card sets`."""
    if option == "scoring" and "=" in text:
        return parse_pairs("scoring", text)
    if option == "rulings":
        return parse_rulings(text)
    if option == "board" and is_board_file(text):
        configure(board=text)  # an error names the line
        return read_board_file(Path(text))
    return text


def read_scoring(scoring: str | Mapping[str, str]) -> list[int]:
    """Return the scoring option of each area (§2.5).

    `scoring` is "board", "random", or a mapping of area to name; an area without a name uses the board.
    """
    if isinstance(scoring, str):
        if scoring == "board":
            return [BOARD] * len(AREAS)
        if scoring == "random":
            return [RANDOM_SIDE] * len(AREAS)
    if not isinstance(scoring, Mapping):
        raise ValueError(f"scoring is {shown(scoring)}: expected 'board', 'random' or a mapping of area to name")
    unknown = [area for area in scoring if area not in AREAS]
    if unknown:
        raise ValueError(f"scoring names the area {shown(unknown[0])}: expected any of {_listed(AREAS)}")
    chosen = []
    for area in AREAS:
        name = scoring.get(area, "board")
        if name not in SCORINGS[area]:
            raise ValueError(f"scoring of {area} is {shown(name)}: expected one of {_listed(SCORINGS[area])}")
        chosen.append(SCORINGS[area].index(name))
    return chosen


def read_tiles(tiles: Any, changed: AbstractSet[str] = frozenset()) -> list[list[int]]:
    """Return the tile codes of every kind, in the order given (A1).

    If a number is there twice, the error names a tile of the kinds in `changed`, where some are changed.
    """
    if not isinstance(tiles, Mapping):
        raise BoardError(f"tiles are {shown(tiles)}: expected a mapping of kind to tiles", "tiles")
    for name in tiles:
        if name not in KINDS:
            raise BoardError(f"tiles have the kind {shown(name)}: expected {_listed(KINDS)}", "tiles", str(name))
    for name in KINDS:
        if name not in tiles:
            raise BoardError(f"tiles lack the kind {name}: expected {_listed(KINDS)}", "tiles")
    codes = _read_good_tiles([tiles[name] for name in KINDS])
    if codes is not None:
        return codes
    found: dict[str, list[int]] = {}  # something is wrong: check tile by tile to say what
    seen: dict[int, str] = {}
    for name in sorted(KINDS, key=lambda name: name in changed):
        stack = tiles[name]
        if not is_list(stack) or len(stack) != STACK_SIZE:
            raise BoardError(f"the {name} stack has {_count(stack)} tiles: expected {STACK_SIZE}", "tiles", name)
        found[name] = [_read_tile(tile, KINDS.index(name), seen, place) for place, tile in enumerate(stack)]
    return [found[name] for name in KINDS]


def _read_good_tiles(stacks: list[Any]) -> list[list[int]] | None:
    """Return the codes of well-formed stacks, read all at once for speed; None if anything is unusual."""
    try:
        tiles = [[(number, crest) for number, crest in stack] for stack in stacks]
        codes = [[CODES[kind][tile] for tile in stack] for kind, stack in enumerate(tiles)]
    except (KeyError, TypeError, ValueError):
        return None
    numbers = [tile[0] for kind, stack in enumerate(tiles) if kind != PARK for tile in stack]
    usual = set(map(type, numbers)) == {int} and len(set(numbers)) == len(numbers) == HIGHEST_NUMBER
    usual = usual and {type(tile[0]) for tile in tiles[PARK]} == {int} and len(tiles[PARK]) == STACK_SIZE
    return codes if usual and {len(stack) for stack in tiles} == {STACK_SIZE} else None


def _read_tile(tile: Any, kind: int, seen: dict[int, str], place: int) -> int:
    name = KINDS[kind]
    where = ("tiles", name, place)
    if not is_list(tile) or len(tile) != 2:
        raise BoardError(f"the {name} stack has the tile {shown(tile)}: expected [number, crest]", *where)
    number, crest = tile
    names = {crest for _, crest in CODES[kind]}
    if not isinstance(crest, str) or crest not in names:
        allowed = [name for name in (*CRESTS, NAME_OF_NO_CREST) if name in names]
        raise BoardError(
            f"the {name} tile {shown(tile)} has the crest {shown(crest)}: expected {_listed(allowed)}", *where
        )
    if kind == PARK:
        if not is_int(number) or number != 0:
            raise BoardError(
                f"the park tile {shown(tile)} has the number {shown(number)}: expected 0, parks have none", *where
            )
    elif not is_int(number) or not 1 <= number <= HIGHEST_NUMBER:
        raise BoardError(
            f"the {name} tile {shown(tile)} has the number {shown(number)}: expected 1 to {HIGHEST_NUMBER}", *where
        )
    elif number in seen:
        raise BoardError(f"the number {number} is there twice, in the {seen[number]} and the {name} stack", *where)
    else:
        seen[number] = name
    return CODES[kind][int(number), crest]


def read_piles(piles: Any) -> list[list[int]]:
    """Return the bonus tiles of every pile, in the order given (A2)."""
    size = len(TILES)
    if not is_list(piles) or len(piles) != PILES:
        raise BoardError(f"there are {_count(piles)} bonus piles: expected {PILES}", "bonus_piles")
    found = []
    for number, pile in enumerate(piles):
        where = ("bonus_piles", number)
        if not is_list(pile) or len(pile) != size:
            raise BoardError(f"bonus pile {number + 1} has {_count(pile)} tiles: expected {size}", *where)
        for place, tile in enumerate(pile):
            if not isinstance(tile, str) or tile not in TILES:
                raise BoardError(f"bonus pile {number + 1} has {shown(tile)}: expected {_listed(TILES)}", *where, place)
        found.append([TILES.index(tile) for tile in pile])
    counts = Counter(tile for pile in found for tile in pile)
    for tile, name in enumerate(TILES):
        if counts[tile] != TILES_OF_A_KIND:
            raise BoardError(
                f"the bonus piles have {name} {counts[tile]} times: expected {TILES_OF_A_KIND}", "bonus_piles"
            )
    return found


def read_coins(coins: Any) -> list[int]:
    """Return the coins of the six outer spaces clockwise, CROSSED_OUT for an X (A3)."""
    expected = f"six, each 'X' or whole pounds from 0 to {MOST_COINS}"
    if not is_list(coins) or len(coins) != len(KINDS):
        raise BoardError(f"rondel coins are {shown(coins)}: expected {expected}", "coins")
    for place, coin in enumerate(coins):
        if not _is_cross(coin) and not (is_int(coin) and 0 <= coin <= MOST_COINS):
            raise BoardError(f"rondel coins have {shown(coin)}: expected {expected}", "coins", place)
    return [CROSSED_OUT if _is_cross(coin) else int(coin) for coin in coins]


def _is_cross(coin: Any) -> bool:
    return isinstance(coin, str) and coin == "X"


def read_stack_order(order: Any) -> list[int]:
    """Return the six kinds clockwise (A4)."""
    if not is_list(order) or len(order) != len(KINDS) or sorted(map(str, order)) != sorted(KINDS):
        raise BoardError(f"stack_order is {shown(order)}: expected each of {_listed(KINDS)} once", "stack_order")
    return [KINDS.index(kind) for kind in order]


def read_track(name: str, track: Any) -> tuple[int, int, list[int], list[int]]:
    """Return the length of a track, the reward at its end, and the coins and bonus flags of all spaces (A5, A6)."""
    expected = f"any of {_listed(TRACK_KEYS)}"
    if not isinstance(track, Mapping):
        raise BoardError(f"{name} is {shown(track)}: expected a mapping with {expected}", name)
    for key in track:
        if key not in TRACK_KEYS:
            raise BoardError(f"{name} has the key {shown(key)}: expected {expected}", name, str(key))
    length = track["length"]
    if not is_int(length) or not 1 <= length <= LONGEST_TRACK:
        raise BoardError(
            f"{name} has the length {shown(length)}: expected a whole number from 1 to {LONGEST_TRACK}", name, "length"
        )
    end = track.get("end", END_OF_TRACK)
    if not is_int(end) or not 0 <= end <= MOST_COINS:
        raise BoardError(
            f"{name} has {shown(end)} at its end: expected whole pounds from 0 to {MOST_COINS}", name, "end"
        )
    return int(length), int(end), _read_track_coins(name, track, length), _read_bonus_spaces(name, track, length)


def _check_shortened(name: str, own: Any, printed: Mapping[str, Any]) -> None:
    """Raise a BoardError if the caller's track ends before a space that the default track brings along."""
    length = own.get("length", 0) if isinstance(own, Mapping) else 0
    if not is_int(length) or length < 1:
        return
    for part in ("coins", "bonus"):
        last = max(map(int, printed[part]), default=0)
        if part not in own and last > length:
            raise BoardError(
                f"{name} has the length {length}, but no {part} of its own, and those of the default board go up to "
                f"space {last}: expected {part} too",
                name, "length",
            )  # fmt: skip


def _read_track_coins(name: str, track: Mapping[str, Any], length: int) -> list[int]:
    coins = track.get("coins", {})
    if not isinstance(coins, Mapping):
        raise BoardError(f"{name} coins are {shown(coins)}: expected a mapping of space to coins", name, "coins")
    row = [0] * LONGEST_TRACK
    for space, coin in coins.items():
        where = (name, "coins", str(space))
        at = _read_space(name, space, length, where)
        if not is_int(coin) or not 1 <= coin <= MOST_COINS:
            raise BoardError(
                f"{name} has {shown(coin)} coins on space {shown(space)}: expected whole pounds from 1 to {MOST_COINS}",
                *where,
            )
        if row[at - 1]:
            raise BoardError(f"{name} names space {at} twice: expected once", *where)
        row[at - 1] = int(coin)
    return row


def _read_bonus_spaces(name: str, track: Mapping[str, Any], length: int) -> list[int]:
    bonus = track.get("bonus", ())
    if not is_list(bonus) and not isinstance(bonus, AbstractSet):
        raise BoardError(f"{name} bonus is {shown(bonus)}: expected a list of spaces", name, "bonus")
    row = [0] * LONGEST_TRACK
    for place, space in enumerate(bonus):
        where = (name, "bonus", place)
        at = _read_space(name, space, length, where)
        if row[at - 1]:
            raise BoardError(f"{name} names space {at} twice: expected once", *where)
        row[at - 1] = 1
    return row


def _read_space(name: str, space: Any, length: int, where: tuple[str | int, ...]) -> int:
    """Return the number of a space; records write the spaces of coins as text."""
    is_digits = isinstance(space, str) and len(space) < 4 and space.isascii() and space.isdigit()
    at = int(space) if is_digits else space
    if not is_int(at) or not 1 <= at <= length:
        raise BoardError(f"{name} names the space {shown(space)}: expected 1 to {length}", *where)
    return int(at)


def _count(value: Any) -> str:
    return str(len(value)) if is_list(value) else shown(value)


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))
