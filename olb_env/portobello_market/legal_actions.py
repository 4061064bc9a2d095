"""The legal actions of every kind of decision, as two sets of bits (§5).

Actions before SPLIT (tokens, marks, steps of the Bobby) are bits of `legal[0]`, those from SPLIT on (placements and
done) bits of `legal[1]`, so that each set fits into 63 bits.
"""

from __future__ import annotations

import numpy as np

from olb_env.core.bits import Bits, bit
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.portobello_market.bobby import leads_to_free_lot, toll
from olb_env.portobello_market.components import (
    DISTRICT_COUNT,
    LORD,
    MARKING_SLOTS,
    PLAZA_NAMES,
    SIDES,
    SLOTS,
)
from olb_env.portobello_market.notation import (
    BOBBY_TO,
    DONE,
    DRAW,
    MARK,
    PUT_LORD,
    PUT_STALL,
    TO_PLAZA,
    USE_TOKEN,
)
from olb_env.portobello_market.state import ACT, OUTSIDE, PLAZA, SETUP_BOBBY, TURN

SPLIT = PUT_STALL
ANYWHERE = ((1 << DISTRICT_COUNT) - 1) << BOBBY_TO
NEWCOMERS = (1 << (DRAW - SPLIT)) | (1 << (PUT_LORD - SPLIT))  # a customer or the Lord


@jitable
def write_legal_set(game: State) -> None:
    """Write the legal actions of the current decision into the state; never none while the game is on."""
    game.legal[0] = 0
    game.legal[1] = 0
    phase = game.phase
    if phase == ACT:
        write_act_actions(game)
    elif phase == TURN:
        game.legal[0] = turn_actions(game)
    elif phase == PLAZA:
        game.legal[1] = plaza_actions(game)
    elif phase == SETUP_BOBBY:
        game.legal[0] = ANYWHERE


@jitable
def turn_actions(game: State) -> Bits:
    """Return every face-up token, and a mark on every unmarked district with the player's own face-up 2 or 4 (§3)."""
    player = game.seats[game.actor]
    actions = np.int64(0)
    for slot in range(SLOTS):
        actions |= np.int64(player.token_up[slot]) << np.int64(USE_TOKEN + slot)
    unmarked = np.int64(0)
    for district in range(DISTRICT_COUNT):
        unmarked |= np.int64(game.table.marked[district] == 0) << np.int64(district)
    for i in range(len(MARKING_SLOTS)):
        slot = MARKING_SLOTS[i]
        if player.token_up[slot] and player.token_own[slot]:
            actions |= unmarked << np.int64(MARK + DISTRICT_COUNT * i)
    return actions


@jitable
def write_act_actions(game: State) -> None:
    """Write placements and steps of the Bobby, and done after the last action or if no lot can be reached (§3.2)."""
    placing = np.int64(0)
    if game.table.actions_left > 0:
        placing = placing_actions(game)
        # A customer or the Lord can be placed wherever the Bobby is. Without them the actions left need a free lot.
        if placing & NEWCOMERS == 0 and game.seats[game.actor].hand > 0:
            steps = bobby_actions(game, True)
            if placing | steps != 0:
                game.legal[0] = steps
                game.legal[1] = placing
                return
    game.legal[0] = bobby_actions(game, False)
    game.legal[1] = placing if placing != 0 else bit(DONE - SPLIT)


@jitable
def bobby_actions(game: State, needs_lot: bool) -> Bits:
    """Return the neighbouring districts that are not barred and whose toll the player can pay [P6] (§3.2).

    With `needs_lot`, only those that have a free lot, or from where the Bobby can still be led to one.
    """
    here = int(game.bobby)
    purse = int(game.score[game.actor])
    actions = np.int64(0)
    for side in range(SIDES):
        there = int(game.beyond[here, side])
        if there == OUTSIDE or game.table.barred[there]:
            continue
        alley = int(game.board.around[here, side])
        left = purse - toll(game, game.actor, alley)
        # The alley that he crosses is one of those around the next district.
        if left >= 0 and (not needs_lot or game.table.alley_free[alley] > 0 or leads_to_free_lot(game, there, left)):
            actions |= bit(BOBBY_TO + there)
    return actions


@jitable
def placing_actions(game: State) -> Bits:
    """Return stalls around the Bobby, a customer while the bag holds any, then the Lord (§3.2)."""
    table = game.table
    actions = np.int64(0)
    if game.seats[game.actor].hand > 0:
        for side in range(SIDES):
            alley = int(game.board.around[game.bobby, side])
            for end in range(2):
                offered = table.alley_offer[alley, end] > 0
                actions |= np.int64(offered) << np.int64(PUT_STALL - SPLIT + 2 * alley + end)
    if customers_left(game):
        actions |= bit(DRAW - SPLIT)
    elif not lord_is_out(game):
        actions |= bit(PUT_LORD - SPLIT)
    return actions


@jitable
def customers_left(game: State) -> bool:
    """Return whether any customer is still in the bag."""
    return bool(game.table.bag[0] > 0 or game.table.bag[1] > 0)


@jitable
def lord_is_out(game: State) -> bool:
    """Return whether the Lord stands on a plaza."""
    for plaza in range(len(PLAZA_NAMES)):
        if game.customer[plaza] == LORD:
            return True
    return False


@jitable
def plaza_actions(game: State) -> Bits:
    """Return every free plaza (§3.2)."""
    actions = np.int64(0)
    for plaza in range(len(PLAZA_NAMES)):
        actions |= np.int64(game.customer[plaza] == 0) << np.int64(TO_PLAZA - SPLIT + plaza)
    return actions
