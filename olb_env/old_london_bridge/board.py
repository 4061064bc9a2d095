"""The options of a deal, checked: players, scoring, memory, and a board of the caller's own.

A board is a mapping with any of these keys, written as in game records: `tiles` (kind -> twelve [number, crest]),
`coins` (six, one of them "X"), `stack_order` (six kinds), `chapel_track` ({"length", "coins"}) and `gate_track`
({"length", "bonus"}). A failed check raises a ValueError that says what was given and what is expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from olb_env.core.checking import is_int, is_list
from olb_env.core.game import Choices, zeros_of
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    AREAS,
    BLUE,
    BOARD,
    CHAPEL_COINS,
    CHAPEL_LENGTH,
    CRESTS,
    CROSSED_OUT,
    GATE_BONUS,
    GATE_LENGTH,
    GREEN,
    GUILD,
    HIGHEST_NUMBER,
    KINDS,
    LONGEST_TRACK,
    PARK,
    PLAYERS,
    RANDOM_SIDE,
    RONDEL_COINS,
    SCORINGS,
    SECOND_BOARD,
    STACK_ORDER,
    STACK_SIZE,
    printed_tiles,
)
from olb_env.old_london_bridge.state import SETUP, tile_code

MEMORIES = ("perfect", "table")
BOARD_KEYS = ("tiles", "coins", "stack_order", "chapel_track", "gate_track")
MAX_COINS = 9  # on a space of the rondel or the chapel track
BOARDS: Mapping[str, Mapping[str, Any]] = {"first": {}, "second": SECOND_BOARD}
OPTIONS: Mapping[str, Any] = {"num_players": 4, "scoring": "board", "memory": "perfect", "board": None}
COMMAND_OPTIONS: Mapping[str, str] = {
    "scoring": "board, random, or area=name for some areas, e.g. 'gate=steps,inn=card sets' (default: board)",
    "board": "first, or second: chapel coins on 3, 6, 9, 12 of 15, rondel 1, 1, 2, 2, 3, X (default: first)",
}
OPTION_VALUES: Mapping[str, Choices] = {
    "scoring": Choices(("board", "random"), {area: SCORINGS[area] for area in AREAS}),
    "board": Choices(tuple(BOARDS)),
}
CODES = [
    {
        (number, CRESTS[crest]): tile_code(number, crest)
        for number in ([0] if kind == PARK else range(1, HIGHEST_NUMBER + 1))
        for crest in ([ALL_CRESTS] if kind == GUILD else range(BLUE, GREEN + 1))
    }
    for kind in range(len(KINDS))
]


def configure(
    num_players: int = 4,
    scoring: str | Mapping[str, str] = "board",
    memory: str = "perfect",
    board: str | Mapping[str, Any] | None = None,
) -> Any:
    """Return a setup of one row for `deal`; `board` is a name in `BOARDS` or a board of the caller's own."""
    if not is_int(num_players) or num_players not in PLAYERS:
        raise ValueError(f"num_players is {num_players!r}: expected 2, 3 or 4")
    if memory not in MEMORIES:
        raise ValueError(f"memory is {memory!r}: expected one of {_listed(MEMORIES)}")
    if isinstance(board, str) and board in BOARDS:
        board = BOARDS[board]
    if board is not None and not isinstance(board, Mapping):
        raise ValueError(
            f"board is {board!r}: expected {_listed(BOARDS)} or a mapping with any of {_listed(BOARD_KEYS)}"
        )
    given = dict(board or {})
    unknown = [key for key in given if key not in BOARD_KEYS]
    if unknown:
        raise ValueError(f"board has the key {unknown[0]!r}: expected any of {_listed(BOARD_KEYS)}")
    setups = zeros_of(1, SETUP)
    setups["players"] = num_players
    setups["perfect"] = memory == "perfect"
    setups["scoring"] = read_scoring(scoring)
    setups["tile"] = read_tiles(given["tiles"]) if "tiles" in given else _printed_codes()
    setups["rondel"] = read_coins(given["coins"]) if "coins" in given else RONDEL_COINS
    setups["stack_order"] = read_stack_order(given["stack_order"]) if "stack_order" in given else STACK_ORDER
    chapel = given.get("chapel_track", {"length": CHAPEL_LENGTH, "coins": CHAPEL_COINS})
    setups["chapel_length"], setups["chapel_coin"] = read_chapel_track(chapel)
    gate = given.get("gate_track", {"length": GATE_LENGTH, "bonus": GATE_BONUS})
    setups["gate_length"], setups["gate_bonus"] = read_gate_track(gate)
    return setups


def parse_option(option: str, text: str) -> Any:
    """Return the value of an option typed in a command: `board`, `random`, or `gate=steps,inn=card sets`."""
    if option == "scoring" and "=" in text:
        parts = [part.partition("=") for part in text.split(",")]
        return {area.strip(): name.strip() for area, _, name in parts}
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
        raise ValueError(f"scoring is {scoring!r}: expected 'board', 'random' or a mapping of area to name")
    unknown = [area for area in scoring if area not in AREAS]
    if unknown:
        raise ValueError(f"scoring names the area {unknown[0]!r}: expected any of {_listed(AREAS)}")
    chosen = []
    for area in AREAS:
        name = scoring.get(area, "board")
        if name not in SCORINGS[area]:
            raise ValueError(f"scoring of {area} is {name!r}: expected one of {_listed(SCORINGS[area])}")
        chosen.append(SCORINGS[area].index(name))
    return chosen


def read_tiles(tiles: Any) -> list[list[int]]:
    """Return the tile codes of every kind, in the order given (A1)."""
    if not isinstance(tiles, Mapping) or set(tiles) != set(KINDS):
        raise ValueError(f"tiles have the kinds {_listed(tiles)}: expected {_listed(KINDS)}")
    codes = _read_good_tiles([tiles[name] for name in KINDS])
    if codes is not None:
        return codes
    codes = []  # something is wrong: check tile by tile to say what
    seen: dict[int, str] = {}
    for kind, name in enumerate(KINDS):
        stack = tiles[name]
        if not is_list(stack) or len(stack) != STACK_SIZE:
            raise ValueError(f"the {name} stack has {_count(stack)} tiles: expected {STACK_SIZE}")
        codes.append([_read_tile(tile, kind, seen) for tile in stack])
    return codes


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


def _read_tile(tile: Any, kind: int, seen: dict[int, str]) -> int:
    name = KINDS[kind]
    if not is_list(tile) or len(tile) != 2:
        raise ValueError(f"the {name} stack has the tile {tile!r}: expected [number, crest]")
    number, crest = tile
    allowed = CRESTS[ALL_CRESTS:] if kind == GUILD else CRESTS[BLUE : GREEN + 1]
    if crest not in allowed:
        raise ValueError(f"the {name} tile {tile!r} has the crest {crest!r}: expected {_listed(allowed)}")
    if kind == PARK:
        if not is_int(number) or number != 0:
            raise ValueError(f"the park tile {tile!r} has the number {number!r}: expected 0, parks have none")
    elif not is_int(number) or not 1 <= number <= HIGHEST_NUMBER:
        raise ValueError(f"the {name} tile {tile!r} has the number {number!r}: expected 1 to {HIGHEST_NUMBER}")
    elif number in seen:
        raise ValueError(f"the number {number} is there twice, in the {seen[number]} and the {name} stack")
    else:
        seen[number] = name
    return tile_code(number, CRESTS.index(crest))


def read_coins(coins: Any) -> list[int]:
    """Return the coins of the six outer spaces clockwise, one of them the X (A3)."""
    expected = f"six, exactly one 'X', the others 0 to {MAX_COINS}"
    if not is_list(coins) or len(coins) != len(KINDS):
        raise ValueError(f"rondel coins are {coins!r}: expected {expected}")
    for coin in coins:
        if coin != "X" and not (is_int(coin) and 0 <= coin <= MAX_COINS):
            raise ValueError(f"rondel coins have {coin!r}: expected {expected}")
    if list(coins).count("X") != 1:
        raise ValueError(f"rondel coins are {list(coins)!r}: expected {expected}")
    return [CROSSED_OUT if coin == "X" else int(coin) for coin in coins]


def read_stack_order(order: Any) -> list[int]:
    """Return the six kinds clockwise (A4)."""
    if not is_list(order) or sorted(map(str, order)) != sorted(KINDS):
        raise ValueError(f"stack_order is {order!r}: expected each of {_listed(KINDS)} once")
    return [KINDS.index(kind) for kind in order]


def read_chapel_track(track: Any) -> tuple[int, list[int]]:
    """Return the length of the chapel track and the coins on every space (A5)."""
    length = _read_length("chapel_track", track, "coins")
    coins = track["coins"]
    if not isinstance(coins, Mapping):
        raise ValueError(f"chapel_track coins are {coins!r}: expected a mapping of space to coins")
    row = [0] * (LONGEST_TRACK + 1)
    for space, coin in coins.items():
        at = _read_space("chapel_track", space, length)
        if not is_int(coin) or not 1 <= coin <= MAX_COINS:
            raise ValueError(f"chapel_track has {coin!r} coins on space {space}: expected 1 to {MAX_COINS}")
        if row[at]:
            raise ValueError(f"chapel_track names space {at} twice: expected once")
        row[at] = int(coin)
    return length, row


def read_gate_track(track: Any) -> tuple[int, list[int]]:
    """Return the length of the gate track and a flag for every bonus space (A6)."""
    length = _read_length("gate_track", track, "bonus")
    if not isinstance(track["bonus"], Iterable) or isinstance(track["bonus"], str | Mapping):
        raise ValueError(f"gate_track bonus is {track['bonus']!r}: expected a list of spaces")
    row = [0] * (LONGEST_TRACK + 1)
    for space in track["bonus"]:
        at = _read_space("gate_track", space, length)
        if row[at]:
            raise ValueError(f"gate_track names space {at} twice: expected once")
        row[at] = 1
    return length, row


def _read_length(name: str, track: Any, second: str) -> int:
    if not isinstance(track, Mapping) or set(track) != {"length", second}:
        raise ValueError(f"{name} is {track!r}: expected a mapping with 'length' and '{second}'")
    length = track["length"]
    if not is_int(length) or not 1 <= length <= LONGEST_TRACK:
        raise ValueError(f"{name} has the length {length!r}: expected 1 to {LONGEST_TRACK}")
    return int(length)


def _read_space(name: str, space: Any, length: int) -> int:
    """Return the number of a space before the end; records write the spaces of coins as text."""
    at = int(space) if isinstance(space, str) and space.isascii() and space.isdigit() else space
    if not is_int(at) or not 1 <= at < length:
        raise ValueError(f"{name} names the space {space!r}: expected 1 to {length - 1}, before its end")
    return int(at)


def _printed_codes() -> list[list[int]]:
    tiles = printed_tiles()
    return [[tile_code(*tile) for tile in tiles[kind]] for kind in range(len(KINDS))]


def _count(value: Any) -> str:
    return str(len(value)) if is_list(value) else repr(value)


def _listed(names: Any) -> str:
    return ", ".join(map(str, names)) if isinstance(names, Iterable) else repr(names)
