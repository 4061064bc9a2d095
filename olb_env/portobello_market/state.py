"""The state of a game as one record: the table, the seats, the bag and the board.

Everything but the order of the bag is public (§6). The fields of `table` and of each seat also describe how they appear
in an observation, so that the state, the observation and its documentation come from one list.

Letters for shapes: A 22 alleys, D 12 districts, P 11 plazas, T 3 slots for tokens, L 6 lots of the longest alley,
R 3 rulings.
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
    IDLE_LIMITS,
    LONGEST_ALLEY,
    MAX_ACTIONS,
    MAX_PLAYERS,
    NEUTRAL_TOKENS,
    OF_EACH,
    PLAZA_NAMES,
    RETURNS,
    RULINGS,
    SIDES,
    SLOTS,
    STALLS,
)

# The kinds of decision: "act" for every action and every step of the Bobby, "plaza" for a customer just drawn.
PHASES: Final = ("setup", "turn", "act", "plaza")
SETUP_BOBBY, TURN, ACT, PLAZA = range(4)
OVER: Final = len(PHASES)

A, D, P, T, L, R = len(ALLEY_NAMES), DISTRICT_COUNT, len(PLAZA_NAMES), SLOTS, LONGEST_ALLEY, len(RULINGS)

TABLE_FIELDS: Final = (
    Field("alley.filled", (A,), L, L, "number of stalls in each alley"),
    Field("alley.free", (A,), L, L, "number of free lots in each alley"),
    Field("alley.offer", (A, 2), 3, HIGHEST_VALUE, "value of the next lot from either end of each alley, 0 for none"),
    Field("alley.scored", (A,), 1, 1, "the alley is complete and has been scored"),
    Field("marked", (D,), 1, 1, "districts that somebody has marked"),
    Field("been", (D,), 1, 1 + max(RETURNS), "how often the Bobby has been there since the last action or turn"),
    Field("barred", (D,), 1, 1, "districts that the Bobby may not enter until the next action or turn"),
    Field("bag", (2,), OF_EACH, OF_EACH, "servants and burghers still in the bag"),
    Field("actions_left", (), MAX_ACTIONS, MAX_ACTIONS, "actions left in this turn"),
    Field("neutral_left", (), len(NEUTRAL_TOKENS), len(NEUTRAL_TOKENS), "number of neutral tokens left"),
    Field("neutral_next", (), 3, max(NEUTRAL_TOKENS), "value of the top neutral token, 0 for none"),
    Field("quiet", (), 1, 1, "nobody has marked a district or placed anything in this round yet"),
    Field("idle", (), 1, max(IDLE_LIMITS) - 1, "rounds in a row before this one in which nobody did"),
    Field("last_round", (), 1, 1, "somebody has placed its last stall, so the game ends with this round"),
)

SEAT_FIELDS: Final = (
    Field("present", (), 1, 1, "somebody plays at this seat"),
    Field("hand", (), 20, max(STALLS), "number of stalls in hand"),
    Field("stalls", (A,), 3, L, "number of this player's stalls in each alley"),
    Field("worth", (A,), 6, L * HIGHEST_VALUE, "total value of their lots"),
    Field("mark", (D,), MAX_ACTIONS, MAX_ACTIONS, "token that marks each district, 2 or 4; 0 for none"),
    Field("token.value", (T,), MAX_ACTIONS, MAX_ACTIONS, "value of the token in the slot of the 2, the 3 and the 4"),
    Field("token.up", (T,), 1, 1, "these tokens are face up"),
    Field("token.own", (T,), 1, 1, "these tokens are the player's own, not neutral"),
)

# The board (P1) and the rulings as the caller chose them. Plazas and alleys are numbered from 0.
BOARD_FIELDS: Final = (
    Field("values", (A, L), 3, HIGHEST_VALUE, "value of each lot of each alley, 0 after the last lot"),
    Field("ends", (A, 2), P, P - 1, "the plaza at either end of each alley: 0 for P1 to 10 for P11"),
    Field("around", (D, SIDES), A, A - 1, "the alleys around each district: 0 for A1 to 21 for A22"),
    Field("rulings", (R,), 1, 1, "the second reading applies: " + ", ".join(RULINGS)),
)

TABLE: Final = record_of([field.column for field in TABLE_FIELDS])
SEAT: Final = record_of([field.column for field in SEAT_FIELDS])
BOARD: Final = record_of([field.column for field in BOARD_FIELDS])

_BOARD: Final[list[Any]] = [
    ("board", BOARD),
    ("length", "i1", (A,)),  # of each alley
    ("beyond", "i1", (D, SIDES)),  # the district on the other side of each alley around a district, or OUTSIDE
    ("place", "i1", (P, 2)),  # where each plaza is drawn, [x, y]
]
BOARD_COLUMNS: Final = tuple(column[0] for column in _BOARD)
OUTSIDE: Final = -1

STATE: Final = record_of(
    [
        ("legal", "i8", (2,)),  # the legal actions as two sets of bits, see `legal_actions.py`
        ("score", "i2", (MAX_PLAYERS,)),
        ("start_score", "i2"),
        ("round_number", "i2"),  # the first round is 1; 0 before the Bobby is placed
        ("seats", SEAT, (MAX_PLAYERS,)),
        ("table", TABLE),
        ("order", "i1", (BAG_SIZE,)),  # of the bag, SERVANT or BURGHER, first drawn first; hidden unless `open`
        ("open", "i1"),
        ("players", "i1"),
        ("phase", "i1"),
        ("actor", "i1"),
        ("start_player", "i1"),
        ("turn", "i1"),  # number of turns taken in this round
        ("bobby", "i1"),  # the district he is in, or OUTSIDE before he is placed
        ("drawn", "i1"),  # the customer drawn and not placed yet, 0 for none
        ("customer", "i1", (P,)),  # on each plaza, 0 for none
        ("lot", "i1", (A, L)),  # the owner of the stall on each lot: seat + 1, 0 for none
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
