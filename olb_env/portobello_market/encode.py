"""The observation of a seat: a vector of fixed length, the same for two, three and four players.

The public parts of the state are copied, each byte divided by its unit. The fields below add one-hot flags where a
learner reads flags better than numbers. The observer's own seat comes first, the others follow in seat order, and
absent seats are zero.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.layout import Field, Layout, scales, width
from olb_env.core.rawbytes import bytes_of
from olb_env.portobello_market.components import (
    BAG_SIZE,
    CUSTOMERS,
    DISTRICT_COUNT,
    HIGHEST_FACTOR,
    HIGHEST_START,
    HIGHEST_VALUE,
    LONGEST_ALLEY,
    MARKS,
    MAX_ACTIONS,
    MAX_PLAYERS,
    PLAYERS,
    SERVANT,
    SIDES,
)
from olb_env.portobello_market.state import BOARD_FIELDS, OVER, PHASES, PLAZA, SEAT_FIELDS, TABLE_FIELDS, A, P

SCORE_UNIT: Final = 100.0
KINDS: Final = len(CUSTOMERS) - 1
SEATS: Final = ("own", "next1", "next2", "next3")
# An upper bound on any board: one player owns every alley between the best customers, has every mark among its stalls,
# and collects all points of the others as tolls.
HIGHEST_SCORE: Final = (
    MAX_PLAYERS * HIGHEST_START
    + A * LONGEST_ALLEY * HIGHEST_VALUE * HIGHEST_FACTOR
    + MARKS * SIDES * LONGEST_ALLEY * MAX_ACTIONS
)

TABLE_FLAGS: Final = (
    Field("players", (len(PLAYERS),), 1, 1, "number of players: 2, 3 or 4"),
    Field("phase", (len(PHASES),), 1, 1, "phase: " + ", ".join(PHASES) + "; none when the game is over"),
    Field("actor", (MAX_PLAYERS,), 1, 1, "seat to act, counted from the observer"),
    Field("start_player", (MAX_PLAYERS,), 1, 1, "start player of each round, counted from the observer"),
    Field("bobby", (DISTRICT_COUNT,), 1, 1, "district of the Bobby; none before he is placed"),
    Field("plaza", (P, KINDS), 1, 1, "customer on each plaza: servant, burgher, Lord"),
    Field("drawn", (2,), 1, 1, "customer drawn and not placed yet: servant, burgher"),
    Field("open", (), 1, 1, "the order of the bag is public"),
    Field("coming", (BAG_SIZE, 2), 1, 1, "if so, the next customers in order: servant, burgher; none after the last"),
)
SEAT_NUMBERS: Final = (Field("score", (), SCORE_UNIT, HIGHEST_SCORE, "points"),)

OBSERVATION: Final = Layout(
    [
        ("table", TABLE_FIELDS),
        ("table", TABLE_FLAGS),
        *((name, (*SEAT_FIELDS, *SEAT_NUMBERS)) for name in SEATS),
        ("board", BOARD_FIELDS),
    ]
)

TABLE_SCALE: Final = scales(TABLE_FIELDS)
SEAT_SCALE: Final = scales(SEAT_FIELDS)
TABLE_WIDTH: Final = width(TABLE_FIELDS)
FLAGS_WIDTH: Final = width(TABLE_FLAGS)
SEAT_FIELDS_WIDTH: Final = width(SEAT_FIELDS)
SEAT_WIDTH: Final = SEAT_FIELDS_WIDTH + width(SEAT_NUMBERS)
SCORE_SCALE: Final = np.float32(1 / SCORE_UNIT)
BOARD_SCALE: Final = scales(BOARD_FIELDS)
BOARD_WIDTH: Final = width(BOARD_FIELDS)

AT_PLAYERS: Final = OBSERVATION["table.players"].start - PLAYERS[0]
AT_PHASE: Final = OBSERVATION["table.phase"].start
AT_ACTOR: Final = OBSERVATION["table.actor"].start
AT_START_PLAYER: Final = OBSERVATION["table.start_player"].start
AT_BOBBY: Final = OBSERVATION["table.bobby"].start
AT_PLAZA: Final = OBSERVATION["table.plaza"].start
AT_DRAWN: Final = OBSERVATION["table.drawn"].start
AT_OPEN: Final = OBSERVATION["table.open"].start
AT_COMING: Final = OBSERVATION["table.coming"].start
AT_SEATS: Final = OBSERVATION["own.present"].start
AT_BOARD: Final = OBSERVATION["board.values"].start


@jitable
def observe(game: State, seat: int, out: Any) -> None:
    """Write the observation of one seat over whatever `out` holds."""
    block = bytes_of(game.table, TABLE_WIDTH)
    for i in range(TABLE_WIDTH):
        out[i] = block[i] * TABLE_SCALE[i]
    for i in range(TABLE_WIDTH, TABLE_WIDTH + FLAGS_WIDTH):
        out[i] = 0
    _write_flags(game, seat, out)
    other = seat
    for i in range(MAX_PLAYERS):
        start = AT_SEATS + i * SEAT_WIDTH
        if i < game.players:
            face = bytes_of(game.seats[other], SEAT_FIELDS_WIDTH)
            for j in range(SEAT_FIELDS_WIDTH):
                out[start + j] = face[j] * SEAT_SCALE[j]
            out[start + SEAT_FIELDS_WIDTH] = game.score[other] * SCORE_SCALE
            other = other + 1 if other + 1 < game.players else 0
        else:
            for j in range(start, start + SEAT_WIDTH):
                out[j] = 0
    board = bytes_of(game.board, BOARD_WIDTH)
    for i in range(BOARD_WIDTH):
        out[AT_BOARD + i] = board[i] * BOARD_SCALE[i]


@jitable
def _write_flags(game: State, seat: int, out: Any) -> None:
    out[AT_PLAYERS + int(game.players)] = 1
    if game.phase != OVER:
        out[AT_PHASE + int(game.phase)] = 1
        out[AT_ACTOR + _seats_after(game, seat, game.actor)] = 1
    out[AT_START_PLAYER + _seats_after(game, seat, game.start_player)] = 1
    if game.bobby >= 0:
        out[AT_BOBBY + int(game.bobby)] = 1
    for plaza in range(P):
        if game.customer[plaza] > 0:
            out[AT_PLAZA + KINDS * plaza + int(game.customer[plaza]) - SERVANT] = 1
    if game.phase == PLAZA:
        out[AT_DRAWN + int(game.drawn) - SERVANT] = 1
    if game.open:
        out[AT_OPEN] = 1
        left = int(game.table.bag[0]) + int(game.table.bag[1])
        for i in range(left):
            out[AT_COMING + 2 * i + int(game.order[BAG_SIZE - left + i]) - SERVANT] = 1


@jitable
def _seats_after(game: State, seat: int, other: int) -> int:
    """Return how many seats after `seat` another seat comes."""
    return int(other) - int(seat) + (int(game.players) if other < seat else 0)
