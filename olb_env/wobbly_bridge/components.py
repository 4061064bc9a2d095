"""The pieces of The Wobbly Bridge and every number printed on them.

All facts about components live here and nowhere else. What the rulebook leaves open is an assumption with a tag: W1
special cards have no numbers, W2 the steps of a player are added up before an end of the bridge stops it, W3 no event
is revealed once somebody stands on an end. The caller can choose another ruling on each of them.

The bridge with the numbers of its spaces; everybody starts in the middle:

    safety |  1   2   3  ...  10  [11]  12  ...  19  20  21  | pursuers
    west  <--  green numbers                 red numbers  -->  east
"""

from __future__ import annotations

from typing import Final

from olb_env.core.rulings import Ruling

PLAYERS: Final = (3, 4, 5, 6)
MAX_PLAYERS: Final = PLAYERS[-1]

# The bridge, §1. Spaces and steps count eastwards.
WEST_END, EAST_END = 1, 21
START: Final = (WEST_END + EAST_END) // 2

# Cards in the order of §3: five normal cards, which every hand holds, then the special cards.
CARDS: Final = ("leap", "dash", "panic", "careful", "vertigo", "idea", "order", "heavy")
LEAP, DASH, PANIC, CAREFUL, VERTIGO, IDEA, ORDER, HEAVY = range(8)
GREENS: Final = (3, 4, 0, 2, 1)
REDS: Final = (1, 0, 4, 2, 3)
NORMALS: Final = len(GREENS)
SPECIALS: Final = len(CARDS) - NORMALS
LONE_SPECIALS: Final = 2  # order and heavy exist once; every other seat gets an idea
MAX_IDEAS: Final = MAX_PLAYERS - LONE_SPECIALS
MAX_OF_A_CARD: Final = 2  # a careful, and a second one gained with an idea
MATCHES: Final = NORMALS + 1  # one for each card of a hand

# Steps of §2.2 and §2.3.
OUT_OF_CARDS: Final = 3
SHARED_GREEN: Final = -1
SHARED_RED: Final = 2  # added to the number on the card
ORDER_OWNER: Final = -2
ORDERED: Final = 3
WEIGHED_DOWN: Final = 3

# Events, §1 and §2.5.
EVENTS: Final = ("calm", "east", "west")
CALM, EAST_WIND, WEST_WIND = range(3)
EVENT_DECK: Final = (4, 1, 1)
WIND: Final = 3

# Rulings: what the rulebook leaves open.
RULINGS: Final = {
    "special_numbers": Ruling("W1", ("none", "zeros"), "which numbers order and heavy have in the comparison"),
    "steps_at_ends": Ruling("W2", ("added", "separate"), "whether an end stops the sum of the steps, or each of them"),
    "event_at_end": Ruling("W3", ("no", "yes"), "whether an event is revealed after an end is reached"),
}
SPECIAL_NUMBERS, STEPS_AT_ENDS, EVENT_AT_END = range(3)
