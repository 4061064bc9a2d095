"""The course of a game: who decides what, and what follows from each action (§2 to §4).

A game waits at a decision, given by its phase and its actor. `apply` carries out an action, then `advance` plays on to
the next decision with more than one legal action, making forced choices on the way (§5). Nothing here is random:
`deal` has drawn everything.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.bits import bit, first_of, size_of
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.rng import below
from olb_env.portobello_market.bobby import move_bobby, reset_barred
from olb_env.portobello_market.components import (
    BAG_SIZE,
    DISTRICT_COUNT,
    IDLE_LIMITS,
    IDLE_ROUNDS,
    LORD,
    MARKING_SLOTS,
    NEUTRAL_SIDE,
    NEUTRAL_TOKENS,
    PLAZA_NAMES,
    SERVANT,
    SLOTS,
)
from olb_env.portobello_market.legal_actions import SPLIT, write_legal_set
from olb_env.portobello_market.notation import (
    ACTIONS,
    BOBBY_TO,
    DONE,
    DRAW,
    MARK,
    PUT_LORD,
    PUT_STALL,
    TO_PLAZA,
    USE_TOKEN,
)
from olb_env.portobello_market.scoring import mark_points, score_at_plaza, score_end, score_if_complete
from olb_env.portobello_market.state import ACT, OVER, PLAZA, SETUP_BOBBY, TURN

ACTION_COUNT = len(ACTIONS)
CHOICE = -1  # in place of a forced action: the actor has a choice


@jitable
def legal(game: State, mask: Any) -> int:
    """Write the mask of legal actions and return how many there are."""
    before, after = game.legal[0], game.legal[1]
    for action in range(SPLIT):
        mask[action] = (before >> action) & 1
    for action in range(SPLIT, ACTION_COUNT):
        mask[action] = (after >> (action - SPLIT)) & 1
    return size_of(before) + size_of(after)


@jitable
def random_action(game: State, rng_state: int) -> int:
    """Draw a legal action, all equally likely."""
    before, after = game.legal[0], game.legal[1]
    count = size_of(before)
    skipped = int(below(rng_state, count + size_of(after)))
    if skipped < count:
        for _ in range(skipped):
            before &= before - 1
        return first_of(before)
    for _ in range(skipped - count):
        after &= after - 1
    return SPLIT + first_of(after)


@jitable
def is_legal(game: State, action: int) -> bool:
    """Return whether an action is legal now."""
    if action < 0 or action >= ACTION_COUNT:
        return False
    if action < SPLIT:
        return bool(game.legal[0] & bit(action) != 0)
    return bool(game.legal[1] & bit(action - SPLIT) != 0)


@jitable
def apply(game: State, action: int) -> bool:
    """Carry out an action and advance to the next decision; return False and change nothing if it is illegal."""
    if not is_legal(game, action):
        return False
    perform(game, action)
    advance(game)
    return True


@jitable
def actor(game: State) -> int:
    """Return the seat to act, or -1 when the game is over."""
    return int(game.actor)


@jitable
def secret(game: State) -> int:
    """Return 0: every action of this game is public (§6)."""
    return 0


@jitable
def advance(game: State) -> None:
    """Play on until a decision has more than one legal action, or the game is over."""
    while game.phase != OVER:
        write_legal_set(game)
        forced = forced_action(game)
        if forced == CHOICE:
            return
        perform(game, forced)
    game.legal[0] = 0
    game.legal[1] = 0


@jitable
def forced_action(game: State) -> int:
    """Return the only legal action, or CHOICE if there are several."""
    before, after = game.legal[0], game.legal[1]
    if before == 0:
        return CHOICE if after & (after - 1) != 0 else SPLIT + first_of(after)
    return CHOICE if after != 0 or before & (before - 1) != 0 else first_of(before)


@jitable
def perform(game: State, action: int) -> None:
    """Carry out a legal action, without advancing."""
    if action < MARK:
        use_token(game, action - USE_TOKEN)
    elif action < BOBBY_TO:
        mark_district(game, (action - MARK) % DISTRICT_COUNT, MARKING_SLOTS[(action - MARK) // DISTRICT_COUNT])
    elif action < PUT_STALL:
        if game.phase == SETUP_BOBBY:
            place_bobby(game, action - BOBBY_TO)
        else:
            move_bobby(game, action - BOBBY_TO)
    elif action < DRAW:
        place_stall(game, (action - PUT_STALL) // 2, (action - PUT_STALL) % 2)
    elif action == DRAW:
        draw_customer(game)
    elif action < PUT_LORD:
        place_customer(game, action - TO_PLAZA, game.drawn)
    elif action == PUT_LORD:
        place_lord(game)
    elif action == DONE:
        end_turn(game)


# Turns and rounds


@jitable
def place_bobby(game: State, district: int) -> None:
    """Place the Bobby in a district before the first turn; then the start player begins (§2)."""
    game.bobby = district
    begin_round(game)
    begin_turn(game, game.start_player)


@jitable
def begin_round(game: State) -> None:
    """Begin a round, in which every seat has a turn, the start player first."""
    game.round_number += 1
    game.turn = 0
    game.table.quiet = 1


@jitable
def begin_turn(game: State, seat: int) -> None:
    """Begin the turn of a seat, which opens the districts again [P4]."""
    game.actor = seat
    game.phase = TURN
    reset_barred(game)


@jitable
def end_turn(game: State) -> None:
    """End a turn: turn the tokens up if all three lie face down, then go on to the next seat or round (§3)."""
    player = game.seats[game.actor]
    game.table.actions_left = 0
    up = 0
    for slot in range(SLOTS):
        up += int(player.token_up[slot])
    if up == 0:
        for slot in range(SLOTS):
            player.token_up[slot] = 1
    game.turn += 1
    if game.turn == game.players:
        idle = idle_rounds(game)
        if game.table.last_round or idle == IDLE_LIMITS[game.board.rulings[IDLE_ROUNDS]]:
            end_game(game)
            return
        game.table.idle = idle
        begin_round(game)
    following = int(game.actor) + 1
    begin_turn(game, following if following < game.players else 0)


@jitable
def idle_rounds(game: State) -> int:
    """Return in how many rounds in a row, the one that ends now included, nobody marked or placed anything [P5]."""
    return int(game.table.idle) + 1 if game.table.quiet else 0


@jitable
def end_game(game: State) -> None:
    """End the game, after the round in which somebody placed its last stall or after idle rounds [P5] (§4)."""
    score_end(game)
    game.phase = OVER
    game.actor = -1


@jitable
def mark_district(game: State, district: int, slot: int) -> None:
    """Mark a district: score it at once, and replace the token by the top neutral one [P3] (§3.1)."""
    player = game.seats[game.actor]
    table = game.table
    token = int(player.token_value[slot])
    game.score[game.actor] += mark_points(game, game.actor, district, token)
    player.mark[district] = token
    table.marked[district] = 1
    taken = len(NEUTRAL_TOKENS) - int(table.neutral_left)
    player.token_value[slot] = NEUTRAL_TOKENS[taken]
    player.token_own[slot] = 0
    player.token_up[slot] = game.board.rulings[NEUTRAL_SIDE] == 0
    table.neutral_left -= 1
    table.neutral_next = NEUTRAL_TOKENS[taken + 1] if table.neutral_left > 0 else 0
    table.quiet = 0
    end_turn(game)


@jitable
def use_token(game: State, slot: int) -> None:
    """Turn a token face down and begin its actions (§3.2)."""
    player = game.seats[game.actor]
    player.token_up[slot] = 0
    game.table.actions_left = player.token_value[slot]
    game.phase = ACT


# Actions


@jitable
def finish_action(game: State) -> None:
    """Count an action as taken; the districts are open again [P4]."""
    game.table.actions_left -= 1
    game.table.quiet = 0
    reset_barred(game)
    game.phase = ACT


@jitable
def place_stall(game: State, alley: int, end: int) -> None:
    """Place a stall on the next free lot from the end that the alley fills from (§3.2)."""
    seat = int(game.actor)
    player = game.seats[seat]
    table = game.table
    filled = int(table.alley_filled[alley])
    last = int(game.length[alley]) - 1
    lot = filled if end == 0 else last - filled
    game.lot[alley, lot] = seat + 1
    player.stalls[alley] += 1
    player.worth[alley] += game.board.values[alley, lot]
    player.hand -= 1
    if player.hand == 0:
        table.last_round = 1
    table.alley_filled[alley] += 1
    table.alley_free[alley] -= 1
    table.alley_offer[alley, 1 - end] = 0
    table.alley_offer[alley, end] = 0
    if filled < last:
        table.alley_offer[alley, end] = game.board.values[alley, lot + 1 if end == 0 else lot - 1]
    score_if_complete(game, alley)
    finish_action(game)


@jitable
def draw_customer(game: State) -> None:
    """Draw the next customer from the bag; its plaza is chosen before anything else (§3.2)."""
    bag = game.table.bag
    game.drawn = game.order[BAG_SIZE - int(bag[0]) - int(bag[1])]
    bag[game.drawn - SERVANT] -= 1
    game.phase = PLAZA


@jitable
def place_customer(game: State, plaza: int, who: int) -> None:
    """Place a customer on a plaza and score the alleys that this completes (§3.2, §4)."""
    game.customer[plaza] = who
    game.drawn = 0
    score_at_plaza(game, plaza)
    finish_action(game)


@jitable
def place_lord(game: State) -> None:
    """Place the Lord on the last free plaza (§3.2)."""
    for plaza in range(len(PLAZA_NAMES)):
        if game.customer[plaza] == 0:
            place_customer(game, plaza, LORD)
            return
