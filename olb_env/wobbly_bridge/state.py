"""The state of a game as one record.

Columns decide who knows what (§4). A `special` card is known to its owner until it is played, a `pick` to its owner
until all have chosen, and nobody knows the entries of `event` that have not been revealed. Everything else is public.
`SEAT_FIELDS`, the public columns of a seat, also describe how they appear in an observation.

Letters for shapes: P 6 seats, N 5 normal cards, M 6 matches, E 3 kinds of event, R 3 rulings.
"""

from __future__ import annotations

from typing import Final

from olb_env.core.dtypes import record_of
from olb_env.core.layout import Field
from olb_env.wobbly_bridge.components import (
    EAST_END,
    EVENTS,
    MATCHES,
    MAX_OF_A_CARD,
    MAX_PLAYERS,
    NORMALS,
    RULINGS,
)

# The kinds of decision: pick a card for the match, then replace an idea by another card (§2.1, §2.2).
PHASES: Final = ("pick", "replace")
PICK, REPLACE = range(2)
OVER: Final = len(PHASES)

P, N, M, E, R = MAX_PLAYERS, NORMALS, MATCHES, len(EVENTS), len(RULINGS)

SEAT_FIELDS: Final = (
    Field("present", (), 1, 1, "somebody plays at this seat"),
    Field("space", (), EAST_END, EAST_END, "space of the explorer, from 1 in the west to 21 in the east"),
    Field("hand", (N,), 1, MAX_OF_A_CARD, "normal cards in hand; a picked card stays here until it is revealed"),
    Field("holds_special", (), 1, 1, "the special card has not been played yet"),
)

RULING_FIELD: Final = Field("rulings", (R,), 1, 1, "the second reading applies: " + ", ".join(RULINGS))

SEAT: Final = record_of([field.column for field in SEAT_FIELDS])
STATE: Final = record_of(
    [
        ("event", "i1", (M,)),  # in the order of revealing, with all reshuffles applied
        ("special", "i1", (P,)),  # the special card dealt to each seat
        ("pick", "i1", (P,)),  # card + 1, 0 for none
        ("seats", SEAT, (P,)),
        ("played", "i1", (M, P)),  # in each match: card + 1, 0 for none
        ("instead", "i1", (M, P)),  # the card that replaced an idea: card + 1, 0 for none
        ("deck", "i1", (E,)),  # events of each kind still in the deck
        RULING_FIELD.column,  # the number of the chosen value of each
        ("players", "i1"),
        ("phase", "i1"),
        ("actor", "i1"),  # the seat to act, -1 when the game is over
        ("match_number", "i1"),  # the first match is 1
        ("ideas", "i1"),  # ideas played in this match
        ("revealed", "i1"),  # number of events revealed
        ("legal", "u1"),  # bit a is set if action a is legal
    ]
)
SETUP: Final = record_of([("players", "i1"), RULING_FIELD.column])
