"""The state of a game as one record: what lies on the table, what each seat has, the bag, and the board.

Everything but the order of the bag is public (§6). Fields of the public parts say how they appear in an observation,
so the state, the observation and its documentation come from one list.

Letters for shapes: A 22 alleys, D 12 districts, P 11 plazas, T 3 slots for tokens, L 6 lots of the longest alley.
"""

from __future__ import annotations

from typing import Any, Final

from olb_env.core.dtypes import record_of
from olb_env.core.layout import Field
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    BAG_SIZE,
    DISTRICT_COUNT,
    HIGHEST_VALUE,
    LONGEST_ALLEY,
    MOST_ACTIONS,
    MOST_PLAYERS,
    NEUTRAL_TOKENS,
    OF_EACH,
    PLAZA_NAMES,
    SIDES,
    SLOTS,
    STALLS,
)

# What is being asked. ACT is asked for every action and every step of the Bobby, PLAZA for a customer just drawn.
PHASES: Final = ("setup", "turn", "act", "plaza")
SETUP_BOBBY, TURN, ACT, PLAZA = range(4)
OVER: Final = len(PHASES)

A, D, P, T, L = len(ALLEY_NAMES), DISTRICT_COUNT, len(PLAZA_NAMES), SLOTS, LONGEST_ALLEY

TABLE_FACE: Final = (
    Field("alley.filled", (A,), L, L, "stalls in each alley"),
    Field("alley.free", (A,), L, L, "free lots in it"),
    Field(
        "alley.offer", (A, 2), 3, HIGHEST_VALUE, "value of the lot that the next stall from either end takes, 0: none"
    ),
    Field("alley.scored", (A,), 1, 1, "the alley is full between two customers and has been scored"),
    Field("marked", (D,), 1, 1, "districts somebody has marked"),
    Field("barred", (D,), 1, 1, "districts the Bobby has been in since the last action: he does not go back there"),
    Field("bag", (2,), OF_EACH, OF_EACH, "servants and burghers still in the bag"),
    Field("actions_left", (), MOST_ACTIONS, MOST_ACTIONS, "actions still to be taken in this turn"),
    Field("neutral_left", (), len(NEUTRAL_TOKENS), len(NEUTRAL_TOKENS), "neutral tokens not taken yet"),
    Field("neutral_next", (), 3, max(NEUTRAL_TOKENS), "value of the top one, 0 for none"),
    Field("quiet", (), 1, 1, "nobody has marked or placed anything in this round yet"),
    Field("last_round", (), 1, 1, "somebody has placed its last stall: the game ends with this round"),
)

SEAT_FACE: Final = (
    Field("present", (), 1, 1, "somebody plays at this seat"),
    Field("hand", (), 20, max(STALLS), "stalls not placed yet"),
    Field("stalls", (A,), 3, L, "stalls in each alley"),
    Field("worth", (A,), 6, L * HIGHEST_VALUE, "sum of the values of their lots"),
    Field("mark", (D,), MOST_ACTIONS, MOST_ACTIONS, "districts marked: the 2 or the 4 that lies there"),
    Field("token.value", (T,), MOST_ACTIONS, MOST_ACTIONS, "tokens in the slots of the 2, the 3 and the 4"),
    Field("token.up", (T,), 1, 1, "these are face up"),
    Field("token.own", (T,), 1, 1, "these are the player's own, not neutral"),
)

TABLE: Final = record_of([field.column for field in TABLE_FACE])
SEAT: Final = record_of([field.column for field in SEAT_FACE])

# What the caller chooses of the board (P1), with what follows from it.
_BOARD: Final[list[Any]] = [
    ("end", "i1", (A, 2)),  # the plazas of each alley
    ("value", "i1", (A, L)),  # of each lot, from the first end to the second
    ("length", "i1", (A,)),
    ("around", "i1", (D, SIDES)),  # the alleys around each district
    ("beyond", "i1", (D, SIDES)),  # the district on the other side of each of these, or OUTSIDE
    ("place", "i1", (P, 2)),  # where plazas are drawn
]
BOARD_COLUMNS: Final = tuple(column[0] for column in _BOARD)
OUTSIDE: Final = -1

STATE: Final = record_of(
    [
        ("legal", "i8", (2,)),  # two sets of bits, see `questions.py`: actions that may be chosen
        ("score", "i2", (MOST_PLAYERS,)),
        ("start_score", "i2"),
        ("seats", SEAT, (MOST_PLAYERS,)),
        ("table", TABLE),
        ("order", "i1", (BAG_SIZE,)),  # of the bag, first drawn first: SERVANT or BURGHER; hidden unless `open`
        ("open", "i1"),
        ("players", "i1"),
        ("phase", "i1"),
        ("actor", "i1"),
        ("start_player", "i1"),
        ("round_number", "i1"),  # 1 is the first
        ("turn", "i1"),  # turns that were taken in this round
        ("bobby", "i1"),  # the district he stands in, or OUTSIDE before he is placed
        ("drawn", "i1"),  # the customer that waits for a plaza, 0 for none
        ("customer", "i1", (P,)),  # on each plaza, 0 for none
        ("lot", "i1", (A, L)),  # whose stall stands on it: seat + 1, 0 for none
        *_BOARD,
    ]
)

SETUP: Final = record_of(
    [
        ("start_score", "i2"),
        ("players", "i1"),
        ("open", "i1"),
        *_BOARD,
    ]
)
