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
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    AREAS,
    CARD_VALUES,
    COLOURS,
    KINDS,
    LONGEST_TRACK,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MOST_COINS,
    NO_CREST,
    OPTIONS_PER_AREA,
    PILES,
    PLAYERS,
    SPACES,
    TILES,
)
from olb_env.old_london_bridge.state import BOARD_FIELDS, OVER, PHASES, REPLACE, SEAT_FIELDS, TABLE_FIELDS

K, C, V, T, P, S = len(KINDS), COLOURS, CARD_VALUES, len(TILES), PILES, SPACES
MONEY_UNIT: Final = 50.0
# No board pays more: all coins of both tracks, the chapel's once more, both ends, the rondel, mercers, and the scoring.
MOST_MONEY: Final = 3 * (LONGEST_TRACK + 1) * MOST_COINS + MAX_ROUNDS * (2 * MOST_COINS + 2 * SPACES) + 500
CARDS_UNIT: Final = 8.0
SEATS: Final = ("own", "next1", "next2", "next3")

TABLE_FLAGS: Final = (
    Field("players", (len(PLAYERS),), 1, 1, "number of players: 2, 3 or 4"),
    Field("phase", (len(PHASES),), 1, 1, "phase: " + ", ".join(PHASES) + "; none when the game is over"),
    Field("actor", (MAX_PLAYERS,), 1, 1, "seat to act, counted from the observer"),
    Field("scoring", (len(AREAS), OPTIONS_PER_AREA), 1, 1, "scoring of chapel, gate, inn and bridge"),
    Field("top_crest", (K, C), 1, 1, "crests on top of each stack: blue, orange, grey, green; all four for a guild"),
    Field("pile_top", (P, T), 1, 1, "face-up tile of each bonus pile"),
    Field("lowest_seat", (MAX_PLAYERS,), 1, 1, "builder of the lowest number this round, counted from the observer"),
    Field("tile_kind", (K,), 1, 1, "kind of the building that has to replace another"),
    Field("tile_crest", (C,), 1, 1, "crests of that building"),
)
SEAT_NUMBERS: Final = (
    Field("money", (), MONEY_UNIT, MOST_MONEY, "pounds; 0 for debts at the end"),
    Field("cards", (), CARDS_UNIT, 60, "number of cards in hand"),
)
PLACE_FIELD: Final = Field("place", (K,), K - 1, K - 1, "place of each stack around the rondel, clockwise from the top")
OWN_FLAGS: Final = (
    Field("pick", (V,), 1, 2, "cards picked and not revealed yet, by value"),
    Field("bridge.colour", (S, C), 1, 1, "crests on each space: blue, orange, grey, green; all four for a guild"),
)

OBSERVATION: Final = Layout(
    [
        ("table", TABLE_FIELDS),
        ("table", TABLE_FLAGS),
        *((name, (*SEAT_FIELDS, *SEAT_NUMBERS)) for name in SEATS),
        ("own", OWN_FLAGS),
        ("board", (*BOARD_FIELDS, PLACE_FIELD)),
    ]
)

TABLE_SCALE: Final = scales(TABLE_FIELDS)
SEAT_SCALE: Final = scales(SEAT_FIELDS)
BOARD_SCALE: Final = scales(BOARD_FIELDS)
TABLE_WIDTH: Final = width(TABLE_FIELDS)
BOARD_WIDTH: Final = width(BOARD_FIELDS)
OWN_FLAGS_WIDTH: Final = width(OWN_FLAGS)
FLAGS_WIDTH: Final = width(TABLE_FLAGS)
SEAT_FIELDS_WIDTH: Final = width(SEAT_FIELDS)
SEAT_WIDTH: Final = SEAT_FIELDS_WIDTH + width(SEAT_NUMBERS)
MONEY_SCALE: Final = np.float32(1 / MONEY_UNIT)
CARDS_SCALE: Final = np.float32(1 / CARDS_UNIT)

AT_PLAYERS: Final = OBSERVATION["table.players"].start - PLAYERS[0]
AT_PHASE: Final = OBSERVATION["table.phase"].start
AT_ACTOR: Final = OBSERVATION["table.actor"].start
AT_SCORING: Final = OBSERVATION["table.scoring"].start
AT_TOP_CREST: Final = OBSERVATION["table.top_crest"].start
AT_PILE_TOP: Final = OBSERVATION["table.pile_top"].start
AT_LOWEST_SEAT: Final = OBSERVATION["table.lowest_seat"].start
AT_TILE_KIND: Final = OBSERVATION["table.tile_kind"].start
AT_TILE_CREST: Final = OBSERVATION["table.tile_crest"].start
AT_SEATS: Final = OBSERVATION["own.present"].start
AT_HAND: Final = OBSERVATION["own.hand"].start - AT_SEATS
AT_MONEY: Final = OBSERVATION["own.money"].start - AT_SEATS
AT_CARDS: Final = OBSERVATION["own.cards"].start - AT_SEATS
AT_PICK: Final = OBSERVATION["own.pick"].start
AT_BOARD: Final = OBSERVATION["board.chapel.length"].start
PLACE_SCALE: Final = np.float32(1 / PLACE_FIELD.unit)


@jitable
def observe(game: State, seat: int, out: Any) -> None:
    """Write the observation of one seat over whatever `out` holds."""
    block = bytes_of(game.table, TABLE_WIDTH)
    for i in range(TABLE_WIDTH):
        out[i] = block[i] * TABLE_SCALE[i]
    for i in range(TABLE_WIDTH, TABLE_WIDTH + FLAGS_WIDTH):
        out[i] = 0
    _write_table_flags(game, seat, out)
    other = seat
    for i in range(MAX_PLAYERS):
        start = AT_SEATS + i * SEAT_WIDTH
        if i < game.players:
            _write_seat(game, other, out[start : start + SEAT_WIDTH], i == 0 or game.perfect)
            other = other + 1 if other + 1 < game.players else 0
        else:
            for j in range(start, start + SEAT_WIDTH):
                out[j] = 0
    _write_own_flags(game.seats[seat], out[AT_PICK:])
    _write_board(game, out[AT_BOARD:])


@jitable
def _write_table_flags(game: State, seat: int, out: Any) -> None:
    out[AT_PLAYERS + int(game.players)] = 1
    if game.phase != OVER:
        out[AT_PHASE + int(game.phase)] = 1
        out[AT_ACTOR + _seats_after(game, seat, game.actor)] = 1
    if game.table.lowest > 0:
        out[AT_LOWEST_SEAT + _seats_after(game, seat, game.lowest_seat)] = 1
    for area in range(len(AREAS)):
        out[AT_SCORING + OPTIONS_PER_AREA * area + int(game.scoring[area])] = 1
    for kind in range(K):
        _flag_crest(game.top_crest[kind], out[AT_TOP_CREST + C * kind : AT_TOP_CREST + C * kind + C])
    for pile in range(P):
        left = game.table.pile_left[pile]
        if left > 0:
            out[AT_PILE_TOP + T * pile + int(game.hidden.pile[pile, T - left])] = 1
    if game.phase == REPLACE:
        out[AT_TILE_KIND + int(game.tile_kind)] = 1
        _flag_crest(game.tile_crest, out[AT_TILE_CREST : AT_TILE_CREST + C])


@jitable
def _seats_after(game: State, seat: int, other: int) -> int:
    """Return how many seats after `seat` another seat comes."""
    return int(other) - int(seat) + (int(game.players) if other < seat else 0)


@jitable
def _write_seat(game: State, seat: int, out: Any, shown: bool) -> None:
    """Write the public fields of a seat; its money and its hand only if `shown`."""
    player = game.seats[seat]
    block = bytes_of(player, SEAT_FIELDS_WIDTH)
    for i in range(SEAT_FIELDS_WIDTH):
        out[i] = block[i] * SEAT_SCALE[i]
    cards = 0
    for value in range(V):
        cards += player.hand[value]
    out[AT_CARDS] = cards * CARDS_SCALE
    out[AT_MONEY] = max(game.money[seat], 0) * MONEY_SCALE
    if not shown:
        out[AT_MONEY] = 0
        for value in range(V):
            out[AT_HAND + value] = 0


@jitable
def _write_board(game: State, out: Any) -> None:
    """Write what the board and the rulings say, and the place of each stack."""
    block = bytes_of(game.board, BOARD_WIDTH)
    for i in range(BOARD_WIDTH):
        out[i] = block[i] * BOARD_SCALE[i]
    for place in range(K):
        out[BOARD_WIDTH + int(game.stack_order[place])] = place * PLACE_SCALE


@jitable
def _write_own_flags(player: State, out: Any) -> None:
    for i in range(OWN_FLAGS_WIDTH):
        out[i] = 0
    for i in range(2):
        if player.pick[i] > 0:
            out[int(player.pick[i]) - 1] += 1
    for space in range(player.built):
        _flag_crest(player.bridge_crest[space], out[V + C * space : V + C * space + C])


@jitable
def _flag_crest(crest: int, out: Any) -> None:
    """Set the flags of the colours that a crest counts for: none, one, or all."""
    if crest == ALL_CRESTS:
        for colour in range(C):
            out[colour] = 1
    elif crest != NO_CREST:
        out[int(crest) - 1] = 1
