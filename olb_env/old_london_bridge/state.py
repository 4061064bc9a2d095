"""The state of a game as one record with four main parts: the table, the board, the seats, and what is hidden.

The parts decide who knows what (§9): `table`, `board` and the fields of each seat are public, a `pick` is known to its
owner until the reveal, and nobody knows `hidden`. The fields of the public parts also describe how they appear in an
observation, so that the state, the observation and its documentation come from one list.

Letters for shapes: K 6 kinds, C 4 colours, V 5 card values, T 8 bonus tiles, P 3 piles, S 12 spaces, L 30 spaces of a
track.
"""

from __future__ import annotations

from typing import Final

from olb_env.core.dtypes import record_of
from olb_env.core.layout import Field
from olb_env.old_london_bridge.components import (
    AREAS,
    CARD_VALUES,
    COLOURS,
    END_OF_TRACK,
    HIGHEST_NUMBER,
    KINDS,
    LEDGER,
    LONGEST_TRACK,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_TURNS,
    MOST_COINS,
    PILES,
    RULINGS,
    SPACES,
    STACK_SIZE,
    TILES,
    TILES_OF_A_KIND,
)

# The kinds of decision, in the order of a round; "after" is the use of tiles after building.
PHASES: Final = ("lady", "play", "boost", "place", "replace", "hire", "bonus", "after")
LADY_PHASE, PLAY, BOOST_PHASE, PLACE, REPLACE, HIRE, BONUS, AFTER = range(8)
OVER: Final = len(PHASES)

K, C, V, T, P, S, L = len(KINDS), COLOURS, CARD_VALUES, len(TILES), PILES, SPACES, LONGEST_TRACK

TABLE_FIELDS: Final = (
    Field("number_left", (HIGHEST_NUMBER,), 1, 1, "house numbers 1–60 still in a stack, including its top"),
    Field("parks_left", (C,), 3, 12, "parks still in the stack, by crest; those without one are not counted"),
    Field("markers_left", (3,), 5, 5, "round markers 1, 2, 3 not revealed yet, including those left in the box"),
    Field("pile_holds", (P, T), 1, TILES_OF_A_KIND, "tiles still in each bonus pile, including its top"),
    Field("pile_left", (P,), 8, 8, "number of tiles left in each bonus pile"),
    Field("supply", (V,), 10, 15, "cards in the supply, by value (never a zero)"),
    Field("stack_left", (K,), 12, 12, "number of buildings left in each stack"),
    Field("top_number", (K,), 60, 60, "house number on top of each stack"),
    Field("coin", (K,), 3, MOST_COINS, "coins on the outer space beside each stack"),
    Field("crossed", (K,), 1, 1, "the outer space beside this stack is an X"),
    Field("pawns", (K + 1,), 1, 4, "number of pawns on each outer space and on the centre"),
    Field("rounds_left", (), 12, 12, "rounds still to come after this one"),
    Field("lowest", (), 60, 60, "lowest house number built in this round, 0 for none"),
    Field("used", (3,), 1, 1, "share, free, cross used in this turn for a placement still to come"),
    Field("recalled", (), 1, 1, "recall has been used in this turn"),
    Field("hire_power", (), 12, 12, "total value of the cards that may still be hired at the inn"),
    Field("hire_highest", (), 4, 4, "highest card that may still be hired at the inn"),
    Field("bonus_due", (), 4, L, "number of bonus tiles still to be chosen"),
    Field("tile_number", (), 60, 60, "house number of the building that has to replace another"),
)

SEAT_FIELDS: Final = (
    Field("present", (), 1, 1, "somebody plays at this seat"),
    Field("bridge.number", (S,), 60, 60, "house number on each space, 0 for a park or an empty space"),
    Field("bridge.kind", (S,), 6, 6, "kind on each space, from 1 chapel to 6 park; 0 for an empty space"),
    Field("bridge.crest", (S,), 5, 5, "crest on each space, from 1 blue, orange, grey, green to 5 all; 0 for none"),
    Field("built", (), 12, 12, "number of spaces built on"),
    Field("power", (C,), 6, 12, "crests of each colour on the bridge, guilds included"),
    Field("kinds", (K,), 4, 12, "number of buildings of each kind on the bridge"),
    Field("tiles", (T,), 2, 3, "bonus tiles held, by kind"),
    Field("fresh", (T,), 2, 3, "those of them gained in this round and not usable yet"),
    Field("chapel", (), 14, LONGEST_TRACK, "space on the chapel track"),
    Field("gate", (), 15, LONGEST_TRACK, "space on the gate track"),
    Field("standing", (), 3, 3, "place in chapel order, 0 for the best"),
    Field("card", (2,), 5, 5, "cards revealed in this round, the higher first: value + 1, 0 for none"),
    Field("boost", (2,), 2, 3, "boosts on these cards"),
    Field("queue", (2,), 4, 4, "place of these cards in the order of turns, from 1; 0 if done or not known yet"),
    Field("pawn", (K + 1,), 1, 1, "space of the pawn: an outer space or the centre"),
    Field("hand", (V,), 4, 15, "cards in hand, by value; a picked card stays here until it is revealed"),
)

# What is printed on each space of a track, from the first on. Spaces after its end are empty.
TRACK_FIELDS: Final = (
    Field("length", (), 15, L, "number of spaces on the {} track"),
    Field("end", (), END_OF_TRACK, MOST_COINS, "pounds at the end of the {} track"),
    Field("coins", (L,), 5, MOST_COINS, "pounds printed on each space of the {} track"),
    Field("bonus", (L,), 1, 1, "bonus spaces of the {} track"),
)
TRACKS: Final = ("chapel", "gate")
RULING_FIELD: Final = Field("rulings", (len(RULINGS),), 1, 1, "the second reading applies: " + ", ".join(RULINGS))
BOARD_FIELDS: Final = (
    *(
        Field(f"{track}.{field.name}", field.shape, field.unit, field.most, field.meaning.format(track))
        for track in TRACKS
        for field in TRACK_FIELDS
    ),
    RULING_FIELD,
)

TABLE: Final = record_of([field.column for field in TABLE_FIELDS])
TRACK: Final = record_of([field.column for field in TRACK_FIELDS])
BOARD: Final = record_of([*((track, TRACK) for track in TRACKS), RULING_FIELD.column])

SEAT: Final = record_of([*(field.column for field in SEAT_FIELDS), ("pick", "i1", (2,))])  # pick: value + 1, 0 for none

HIDDEN: Final = record_of(
    [
        ("stack", "i2", (K, STACK_SIZE)),  # `tile_code`s, top first; the stacks lie face up, so the top is known (A12)
        ("marker", "i1", (MAX_ROUNDS,)),  # in the order of revealing
        ("pile", "i1", (P, T)),  # top first
    ]
)

STATE: Final = record_of(
    [
        ("legal", "i8"),  # bit a is set if action a is legal
        ("money", "i2", (MAX_PLAYERS,)),
        ("ledger", "i2", (MAX_PLAYERS, len(LEDGER))),  # §7, filled when the game ends
        ("hidden", HIDDEN),
        ("seats", SEAT, (MAX_PLAYERS,)),
        ("table", TABLE),
        ("board", BOARD),  # A5, A6 and the rulings
        ("players", "i1"),
        ("perfect", "i1"),  # 1: observations hold all public knowledge; 0: without the others' money and hands
        ("scoring", "i1", (len(AREAS),)),
        ("phase", "i1"),
        ("actor", "i1"),
        ("round_number", "i1"),  # the first round is 1
        ("turn", "i1"),  # place of the actor in chapel order, or later in the order of turns
        ("order", "i1", (MAX_PLAYERS,)),  # seats in chapel order, best first
        ("stairs", "i1", (MAX_PLAYERS,)),  # seats on the stairs A, B, C, D at the start
        ("turn_seat", "i1", (MAX_TURNS,)),  # seats in the order of turns
        ("turn_card", "i1", (MAX_TURNS,)),  # which of its two cards each of these turns belongs to
        ("top_crest", "i1", (K,)),  # on each stack, 0 when it is empty
        ("resume", "i1"),  # the phase to go back to after BONUS
        ("tile_kind", "i1"),  # the building that has been taken and not built yet
        ("tile_crest", "i1"),
        ("lowest_seat", "i1"),  # who built the lowest number of this round
        ("rotation", "i1"),  # how far the rondel is turned clockwise
        ("rondel", "i1", (K,)),  # coins clockwise, A3
        ("stack_order", "i1", (K,)),  # kinds clockwise, A4
    ]
)

# The choices of the caller before the deal. These columns are copied into the state as they are.
BOARD_COLUMNS: Final = ("board", "rondel", "stack_order")
SETUP: Final = record_of(
    [
        ("tile", "i2", (K, STACK_SIZE)),  # tile codes in any order
        ("pile", "i1", (P, T)),  # bonus tiles in any order
        ("players", "i1"),
        ("perfect", "i1"),
        ("scoring", "i1", (len(AREAS),)),  # RANDOM_SIDE: `deal` draws a tile side
        *((name, STATE[name].base, STATE[name].shape) for name in BOARD_COLUMNS),
    ]
)

CODE_BASE: Final = 8


def tile_code(number: int, crest: int) -> int:
    """Return a building as one number."""
    return number * CODE_BASE + crest
