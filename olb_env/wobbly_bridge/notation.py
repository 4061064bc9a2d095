"""Actions: their numbers, which are those of the cards, and the words players say for them (§3)."""

from __future__ import annotations

from typing import Final

from olb_env.wobbly_bridge.components import CARDS, GREENS, NORMALS, REDS

ACTIONS: Final[tuple[str, ...]] = tuple(f"play {card}" for card in CARDS)
SPECIAL_ACTIONS: Final = ACTIONS[NORMALS:]

# What each card does, for the documentation.
MEANINGS: Final = (
    *(f"green {GREENS[card]}, red {REDS[card]}" for card in range(NORMALS)),
    "another card instead of this one, then a careful for later matches",
    "without heavy: 2 west, and every highest red 3 east",
    "without order: every highest green and every highest red 3 east",
)


def action_table() -> str:
    """The actions as a Markdown table."""
    rows = ["| id | action | what the card does |", "|---|---|---|"]
    rows += [f"| {action} | `{name}` | {MEANINGS[action]} |" for action, name in enumerate(ACTIONS)]
    return "\n".join(rows)
