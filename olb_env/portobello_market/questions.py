"""What may be answered to each question, as two sets of bits (§5).

Actions before SPLIT (tokens, marks, steps of the Bobby) are bits of `legal[0]`, those from SPLIT on (what is placed,
and done) of `legal[1]`: each set fits into 63 bits.
"""

from __future__ import annotations

import numpy as np

from olb_env.core.bits import Bits, bit
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.portobello_market.bobby import may_cross, way_to_a_lot
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
from olb_env.portobello_market.state import ACT, PLAZA, SETUP_BOBBY, TURN

SPLIT = PUT_STALL
ANYWHERE = ((1 << DISTRICT_COUNT) - 1) << BOBBY_TO


@rule
def write_answers(game: State) -> None:
    """Everything that may be answered to the question that stands; never nothing."""
    game.legal[0] = 0
    game.legal[1] = 0
    phase = game.phase
    if phase == ACT:
        write_act(game)
    elif phase == TURN:
        game.legal[0] = turn_answers(game)
    elif phase == PLAZA:
        game.legal[1] = plaza_answers(game)
    elif phase == SETUP_BOBBY:
        game.legal[0] = ANYWHERE


@rule
def turn_answers(game: State) -> Bits:
    """§3: a face-up token, or a district not yet marked with one's own face-up 2 or 4."""
    player = game.seats[game.actor]
    found = np.int64(0)
    for slot in range(SLOTS):
        found |= np.int64(player.token_up[slot]) << np.int64(USE_TOKEN + slot)
    unmarked = np.int64(0)
    for district in range(DISTRICT_COUNT):
        unmarked |= np.int64(game.table.marked[district] == 0) << np.int64(district)
    for i in range(len(MARKING_SLOTS)):
        slot = MARKING_SLOTS[i]
        if player.token_up[slot] and player.token_own[slot]:
            found |= unmarked << np.int64(MARK + DISTRICT_COUNT * i)
    return found


@rule
def write_act(game: State) -> None:
    """§3: an action, or a step of the Bobby; done where nothing is left to be placed, or cannot be."""
    steps = bobby_answers(game)
    game.legal[0] = steps
    if game.table.actions_left > 0:
        placed = placing_answers(game)
        game.legal[1] = placed
        if placed != 0:
            return
        # Actions are forfeited only where no way leads to a free lot; who may forfeit may still walk on before it
        # ends the turn, as after a last action.
        if steps != 0 and game.seats[game.actor].hand > 0 and way_to_a_lot(game):
            return
    game.legal[1] = bit(DONE - SPLIT)


@rule
def bobby_answers(game: State) -> Bits:
    """§3: neighbours that can be paid for and are not barred."""
    here = int(game.bobby)
    purse = int(game.score[game.actor])
    found = np.int64(0)
    for side in range(SIDES):
        if may_cross(game, here, side, purse):
            found |= bit(BOBBY_TO + int(game.beyond[here, side]))
    return found


@rule
def placing_answers(game: State) -> Bits:
    """§3: a stall around the Bobby, a customer while there are any, then the Lord."""
    table = game.table
    found = np.int64(0)
    if game.seats[game.actor].hand > 0:
        for side in range(SIDES):
            alley = int(game.around[game.bobby, side])
            for end in range(2):
                offered = table.alley_offer[alley, end] > 0
                found |= np.int64(offered) << np.int64(PUT_STALL - SPLIT + 2 * alley + end)
    if customers_left(game):
        found |= bit(DRAW - SPLIT)
    elif not lord_is_out(game):
        found |= bit(PUT_LORD - SPLIT)
    return found


@rule
def customers_left(game: State) -> bool:
    """Whether somebody is still in the bag."""
    return bool(game.table.bag[0] > 0 or game.table.bag[1] > 0)


@rule
def lord_is_out(game: State) -> bool:
    """Whether the Lord stands on a plaza."""
    for plaza in range(len(PLAZA_NAMES)):
        if game.customer[plaza] == LORD:
            return True
    return False


@rule
def plaza_answers(game: State) -> Bits:
    """§3: any free plaza."""
    found = np.int64(0)
    for plaza in range(len(PLAZA_NAMES)):
        found |= np.int64(game.customer[plaza] == 0) << np.int64(TO_PLAZA - SPLIT + plaza)
    return found
