"""The legal actions of a seat as a set of bits: bit a stands for action a (§2.1, §2.2, §3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.rng import below
from olb_env.wobbly_bridge.components import IDEA, NORMALS
from olb_env.wobbly_bridge.notation import ACTIONS
from olb_env.wobbly_bridge.state import REPLACE

ACTION_COUNT = len(ACTIONS)

# The size and the lowest action of every possible set of actions, looked up by the set.
SIZE_OF = np.array([actions.bit_count() for actions in range(1 << ACTION_COUNT)], np.int64)
FIRST_OF = np.array([max((actions & -actions).bit_length() - 1, 0) for actions in range(1 << ACTION_COUNT)], np.int64)


@jitable
def legal_set(game: State, seat: int) -> int:
    """Return the actions that a seat may choose in this phase; an empty set if it has no decision to make."""
    if game.phase == REPLACE and game.played[int(game.match_number) - 1, seat] != IDEA + 1:
        return 0
    player = game.seats[seat]
    actions = 0
    for card in range(NORMALS):
        actions |= int(player.hand[card] > 0) << card
    if player.holds_special:
        actions |= 1 << int(game.special[seat])
    return actions


@jitable
def sample_action(actions: Any, rng_state: int) -> int:
    """Draw an action from a set, all equally likely."""
    for _ in range(below(rng_state, SIZE_OF[actions])):
        actions &= actions - 1
    return int(FIRST_OF[actions])
