"""The state of a game as one record: what each seat shows, what lies on the table, what is hidden.

Who knows what is a matter of columns (§4): `special` is its owner's until it is played, `pick` its owner's until all
have chosen, and nobody knows `event` beyond those revealed; everything else is public. The fields of a seat's face say
how they appear in an observation.

Letters for shapes: P 6 seats, N 5 normal cards, M 6 matches, E 3 kinds of event.
"""

from __future__ import annotations

from typing import Final

from olb_env.core.dtypes import record_of
from olb_env.core.layout import Field
from olb_env.wobbly_bridge.components import (
    EAST_END,
    EVENTS,
    MATCHES,
    MOST_OF_A_CARD,
    MOST_PLAYERS,
    NORMALS,
)

# What is being asked: a card for the match, then another one instead of an idea (§2.1, §2.2).
PHASES: Final = ("pick", "replace")
PICK, REPLACE = range(2)
OVER: Final = len(PHASES)

P, N, M, E = MOST_PLAYERS, NORMALS, MATCHES, len(EVENTS)

SEAT_FACE: Final = (
    Field("present", (), 1, 1, "somebody plays at this seat"),
    Field("space", (), EAST_END, EAST_END, "where its explorer stands, 1 west to 21 east"),
    Field("hand", (N,), 1, MOST_OF_A_CARD, "normal cards in hand; a card picked leaves it when it is revealed"),
    Field("holds_special", (), 1, 1, "its special card has not been played"),
)

SEAT: Final = record_of([field.column for field in SEAT_FACE])
STATE: Final = record_of(
    [
        ("event", "i1", (M,)),  # in the order they are revealed, reshuffles applied
        ("special", "i1", (P,)),  # the card each seat was dealt
        ("pick", "i1", (P,)),  # card + 1, 0 for none
        ("seats", SEAT, (P,)),
        ("played", "i1", (M, P)),  # in each match: card + 1, 0 for none
        ("instead", "i1", (M, P)),  # what an idea was replaced by: card + 1, 0 for none
        ("deck", "i1", (E,)),  # events of each kind not revealed since the last shuffle
        ("players", "i1"),
        ("phase", "i1"),
        ("actor", "i1"),  # the seat that is asked, -1 when the game is over
        ("match_number", "i1"),  # 1 is the first
        ("ideas", "i1"),  # played in this match
        ("revealed", "i1"),  # events
        ("legal", "u1"),  # bit a is set: action a may be chosen
    ]
)
SETUP: Final = record_of([("players", "i1")])
