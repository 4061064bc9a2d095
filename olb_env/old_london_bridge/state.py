"""The state of a game as one record, in three parts: what lies on the table, what each seat has, what is hidden.

The split is the rule of who knows what (§9): `table` and each seat's face are public, a seat's `pick` is its own
until the reveal, `hidden` is nobody's. Fields of the public parts say how they appear in an observation, so the
state, the observation and its documentation come from one list.

Letters for shapes: K 6 kinds, C 4 colours, V 5 card values, T 8 bonus tiles, P 3 piles, S 12 spaces.
"""

from __future__ import annotations

from typing import Final

from olb_env.core.dtypes import record_of
from olb_env.core.layout import Field
from olb_env.old_london_bridge.components import (
    AREAS,
    CARD_VALUES,
    COLOURS,
    HIGHEST_NUMBER,
    KINDS,
    LEDGER,
    LONGEST_TRACK,
    MOST_PLAYERS,
    MOST_ROUNDS,
    MOST_TURNS,
    PILES,
    SPACES,
    STACK_SIZE,
    TILES,
)

# What is being asked. The order is that of a round; AFTER is the end of a turn.
PHASES: Final = ("lady", "play", "boost", "place", "replace", "hire", "bonus", "after")
LADY_PHASE, PLAY, BOOST_PHASE, PLACE, REPLACE, HIRE, BONUS, AFTER = range(8)
OVER: Final = len(PHASES)

K, C, V, T, P, S = len(KINDS), COLOURS, CARD_VALUES, len(TILES), PILES, SPACES

TABLE_FACE: Final = (
    Field("number_left", (HIGHEST_NUMBER,), 1, 1, "house numbers 1–60: still in a stack, its top included"),
    Field("parks_left", (C,), 3, 12, "parks still in the stack, by crest"),
    Field("markers_left", (3,), 5, 5, "round markers 1, 2, 3 not revealed yet, the unused ones included"),
    Field("pile_holds", (P, T), 1, 1, "bonus piles: tiles still in each, the top one included"),
    Field("pile_left", (P,), 8, 8, "tiles left in each bonus pile"),
    Field("supply", (V,), 10, 15, "cards in the supply, by value (no zeros)"),
    Field("stack_left", (K,), 12, 12, "buildings left in each stack"),
    Field("top_number", (K,), 60, 60, "number on top of each stack"),
    Field("coin", (K,), 3, 9, "coins on the outer space beside each stack"),
    Field("crossed", (K,), 1, 1, "the outer space beside this stack is the X"),
    Field("pawns", (K + 1,), 1, 4, "pawns on each outer space and on the centre"),
    Field("rounds_left", (), 12, 12, "rounds still to come after this one"),
    Field("lowest", (), 60, 60, "lowest house number built this round, 0 for none"),
    Field("used", (3,), 1, 1, "share, free, cross used in this turn and not yet placed by"),
    Field("recalled", (), 1, 1, "recall used in this turn"),
    Field("hire_power", (), 12, 12, "card values the inn may still bring"),
    Field("hire_highest", (), 4, 4, "highest card the inn may still bring"),
    Field("bonus_due", (), 4, 30, "bonus tiles still to be chosen"),
    Field("tile_number", (), 60, 60, "number of the building that asks for a replacement"),
)

SEAT_FACE: Final = (
    Field("present", (), 1, 1, "somebody plays at this seat"),
    Field("bridge.number", (S,), 60, 60, "house number on each space, 0 for a park or nothing"),
    Field("bridge.kind", (S,), 6, 6, "kind on each space, from 1 chapel to 6 park; 0 for nothing"),
    Field("bridge.crest", (S,), 5, 5, "crest on each space: blue, orange, grey, green, all; 0 for nothing"),
    Field("built", (), 12, 12, "spaces built on"),
    Field("power", (C,), 6, 12, "crests of each colour on the bridge, guilds included"),
    Field("kinds", (K,), 4, 12, "buildings of each kind on the bridge"),
    Field("tiles", (T,), 2, 3, "bonus tiles held, of each kind"),
    Field("fresh", (T,), 2, 3, "of these, tiles gained this round and not usable yet"),
    Field("chapel", (), 14, LONGEST_TRACK, "space on the chapel track"),
    Field("gate", (), 15, LONGEST_TRACK, "space on the gate track"),
    Field("standing", (), 3, 3, "place in chapel order, 0 is best"),
    Field("card", (2,), 5, 5, "cards revealed this round, the higher first: value + 1, 0 for none"),
    Field("boost", (2,), 2, 3, "boosts on these cards"),
    Field("queue", (2,), 4, 4, "when these cards have their turn: 1 is first, 0 is done or not known"),
    Field("pawn", (K + 1,), 1, 1, "where the pawn stands: an outer space or the centre"),
    Field("hand", (V,), 4, 15, "cards in hand, by value; a card picked leaves it when it is revealed"),
)

TABLE: Final = record_of([field.column for field in TABLE_FACE])

SEAT: Final = record_of([*(field.column for field in SEAT_FACE), ("pick", "i1", (2,))])  # pick: value + 1, 0 for none

HIDDEN: Final = record_of(
    [
        ("stack", "i2", (K, STACK_SIZE)),  # top first: number * 8 + crest, see `tile_code`
        ("marker", "i1", (MOST_ROUNDS,)),  # in the order they are revealed
        ("pile", "i1", (P, T)),  # top first
    ]
)

STATE: Final = record_of(
    [
        ("legal", "i8"),  # bit a is set: action a may be chosen
        ("money", "i2", (MOST_PLAYERS,)),
        ("ledger", "i2", (MOST_PLAYERS, len(LEDGER))),  # §7, filled when the game ends
        ("hidden", HIDDEN),
        ("seats", SEAT, (MOST_PLAYERS,)),
        ("table", TABLE),
        ("players", "i1"),
        ("perfect", "i1"),  # 1: observations show all public knowledge; 0: only what lies on the table
        ("scoring", "i1", (len(AREAS),)),
        ("phase", "i1"),
        ("actor", "i1"),
        ("round_number", "i1"),  # 1 is the first
        ("turn", "i1"),  # whose question in chapel order, or whose turn in the order of the round
        ("order", "i1", (MOST_PLAYERS,)),  # seats in chapel order, best first
        ("stairs", "i1", (MOST_PLAYERS,)),  # seats as they began: A, B, C, D
        ("turn_seat", "i1", (MOST_TURNS,)),  # the order of this round: seats
        ("turn_card", "i1", (MOST_TURNS,)),  # and which of their cards
        ("top_crest", "i1", (K,)),  # on each stack, 0 when it is empty
        ("resume", "i1"),  # the phase to go back to after BONUS
        ("tile_kind", "i1"),  # the building that asks for a replacement
        ("tile_crest", "i1"),
        ("lowest_seat", "i1"),  # who built the lowest number of this round
        ("rotation", "i1"),  # of the rondel
        ("rondel", "i1", (K,)),  # coins clockwise, A3
        ("stack_order", "i1", (K,)),  # kinds clockwise, A4
        ("chapel_length", "i1"),  # A5
        ("chapel_coin", "i1", (LONGEST_TRACK + 1,)),  # on each space
        ("gate_length", "i1"),  # A6
        ("gate_bonus", "i1", (LONGEST_TRACK + 1,)),  # 1 on a bonus space
    ]
)

# What the caller chooses before the deal. The shared columns are copied into the state as they are.
BOARD_COLUMNS: Final = ("rondel", "stack_order", "chapel_length", "chapel_coin", "gate_length", "gate_bonus")
SETUP: Final = record_of(
    [
        ("tile", "i2", (K, STACK_SIZE)),  # tile codes, in no order
        ("players", "i1"),
        ("perfect", "i1"),
        ("scoring", "i1", (len(AREAS),)),  # RANDOM_SIDE draws a tile side
        *((name, STATE[name].base, STATE[name].shape) for name in BOARD_COLUMNS),
    ]
)

CODE_BASE: Final = 8


def tile_code(number: int, crest: int) -> int:
    """A building as one number."""
    return number * CODE_BASE + crest
