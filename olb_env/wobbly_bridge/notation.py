"""Actions: their numbers, which are those of the cards, and the words players say for them (§3)."""

from __future__ import annotations

from typing import Final

from olb_env.wobbly_bridge.components import CARDS, GREENS, HEAVY, IDEA, NORMALS, ORDER, REDS

ACTIONS: Final[tuple[str, ...]] = tuple(f"play {card}" for card in CARDS)
SPECIAL_ACTIONS: Final = ACTIONS[NORMALS:]

# What each card does, for the documentation: the first of some actions, how many, and what they mean.
MEANINGS: Final = (
    *((card, 1, f"green {GREENS[card]}, red {REDS[card]}") for card in range(NORMALS)),
    (IDEA, 1, "another card instead of this one, then a careful for later matches"),
    (ORDER, 1, "without heavy: 2 west, and every highest red 3 east"),
    (HEAVY, 1, "without order: every highest green and every highest red 3 east"),
)
