"""Actions: their numbers, and the words players say for them (§5).

The words for stalls name the plazas at the ends of their alley, so on another plan of the market they are others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from olb_env.core.game import State
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    DISTRICT_NAMES,
    ENDS,
    MARKING_SLOTS,
    OWN_TOKENS,
    PLAZA_NAMES,
    SLOTS,
)

USE_TOKEN: Final = 0  # + slot 0..2
MARK: Final = USE_TOKEN + SLOTS  # + district, and + 12 for the 4
BOBBY_TO: Final = MARK + len(MARKING_SLOTS) * len(DISTRICT_NAMES)  # + district
PUT_STALL: Final = BOBBY_TO + len(DISTRICT_NAMES)  # + 2 * alley + end
DRAW: Final = PUT_STALL + 2 * len(ALLEY_NAMES)
TO_PLAZA: Final = DRAW + 1  # + plaza
PUT_LORD: Final = TO_PLAZA + len(PLAZA_NAMES)
DONE: Final = PUT_LORD + 1


def _named(ends: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """The words for all actions where alleys have these ends."""
    stalls = (
        f"stall {alley} {PLAZA_NAMES[plaza]}" for alley, two in zip(ALLEY_NAMES, ends, strict=True) for plaza in two
    )
    return (
        *(f"token {slot}" for slot in range(1, SLOTS + 1)),
        *(f"mark {district} {OWN_TOKENS[slot]}" for slot in MARKING_SLOTS for district in DISTRICT_NAMES),
        *(f"bobby {district}" for district in DISTRICT_NAMES),
        *stalls,
        "draw",
        *(f"plaza {plaza}" for plaza in PLAZA_NAMES),
        "lord",
        "done",
    )


@lru_cache(256)
def _named_by(ends: bytes) -> tuple[str, ...]:
    return _named([ends[at : at + 2] for at in range(0, len(ends), 2)])


def action_names(game: State) -> tuple[str, ...]:
    """The words for all actions on the board of a game."""
    return _named_by(game.end.tobytes())


ACTIONS: Final = _named(ENDS)

# When each group of actions is offered, for the documentation: its first, how many, and what they mean.
MEANINGS: Final = (
    (USE_TOKEN, SLOTS, "use the token that is, or replaced, one's own 2, 3 or 4: so many actions"),
    (MARK, 12, "mark that district with one's own 2 instead of taking actions"),
    (MARK + 12, 12, "mark it with one's own 4"),
    (BOBBY_TO, 12, "move the Bobby there; before the first turn: put him there"),
    (PUT_STALL, 44, "put a stall into that alley, which fills from that end"),
    (DRAW, 1, "draw a customer"),
    (TO_PLAZA, 11, "put the customer drawn on that plaza"),
    (PUT_LORD, 1, "put the Lord on the last free plaza"),
    (DONE, 1, "end the turn: no action is left, or none can be taken"),
)
