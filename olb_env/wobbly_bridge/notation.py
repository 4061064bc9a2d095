"""The actions by id and by name (§3); the id of an action is that of its card."""

from __future__ import annotations

from typing import Final

from olb_env.wobbly_bridge.components import CARDS, GREENS, HEAVY, IDEA, NORMALS, ORDER, REDS

ACTIONS: Final[tuple[str, ...]] = tuple(f"play {card}" for card in CARDS)
SPECIAL_ACTIONS: Final = ACTIONS[NORMALS:]

# For the documentation: the first id of a group of actions, the size of the group, and what its actions do.
MEANINGS: Final = (
    *((card, 1, f"green {GREENS[card]}, red {REDS[card]}") for card in range(NORMALS)),
    (IDEA, 1, "replace this card by another one, and gain a careful for later matches"),
    (ORDER, 1, "unless heavy is played: move 2 west, and everybody with the highest red moves 3 east"),
    (HEAVY, 1, "unless order is played: everybody with the highest green or the highest red moves 3 east"),
)
