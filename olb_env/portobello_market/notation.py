"""The actions by id and by name (§5).

Actions that place stalls name the plazas of their alley, so their names depend on the board.
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
    """Return the names of all actions on a board whose alleys have these ends."""
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
    """Return the names of all actions on the board of a game."""
    return _named_by(game.board.ends.tobytes())


ACTIONS: Final = _named(ENDS)

# For the documentation: the first id of a group of actions, the size of the group, and what its actions do.
MEANINGS: Final = (
    (USE_TOKEN, SLOTS, "use the token in the slot of the 2, the 3 or the 4: its value is the number of actions"),
    (MARK, 12, "mark that district with the player's own 2 instead of taking actions"),
    (MARK + 12, 12, "mark that district with the player's own 4"),
    (BOBBY_TO, 12, "lead the Bobby to that district; before the first turn, place him there"),
    (PUT_STALL, 44, "place a stall in that alley, which fills from that end"),
    (DRAW, 1, "draw a customer"),
    (TO_PLAZA, 11, "place the customer drawn on that plaza"),
    (PUT_LORD, 1, "place the Lord on the last free plaza"),
    (DONE, 1, "end the turn, after the last action or if none can be taken"),
)
