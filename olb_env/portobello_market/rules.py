"""The course of a game: who is asked what, and what an answer sets in motion (§2 to §4).

A game stands at a question: a phase and an actor. `apply` answers it, then `advance` walks on to the next question
with more than one answer, taking forced answers on the way (§5). All chance was drawn at the deal.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.bits import bit, first_of, size_of
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.rng import below
from olb_env.portobello_market.bobby import bar_all_but_here, move_bobby
from olb_env.portobello_market.components import (
    BAG_SIZE,
    DISTRICT_COUNT,
    LORD,
    MARKING_SLOTS,
    NEUTRAL_TOKENS,
    PLAZA_NAMES,
    SERVANT,
    SLOTS,
)
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
from olb_env.portobello_market.questions import SPLIT, write_answers
from olb_env.portobello_market.scoring import mark_brings, score_at_plaza, score_end, score_if_complete
from olb_env.portobello_market.state import ACT, OVER, PLAZA, SETUP_BOBBY, TURN

ACTION_COUNT = len(ACTIONS)
CHOICE = -1


@rule
def legal(game: State, mask: Any) -> int:
    """The answers to the question that stands, and how many they are."""
    before, after = game.legal[0], game.legal[1]
    for action in range(SPLIT):
        mask[action] = (before >> action) & 1
    for action in range(SPLIT, ACTION_COUNT):
        mask[action] = (after >> (action - SPLIT)) & 1
    return size_of(before) + size_of(after)


@rule
def random_action(game: State, chance: int) -> int:
    """Any answer to the question that stands."""
    before, after = game.legal[0], game.legal[1]
    count = size_of(before)
    skipped = int(below(chance, count + size_of(after)))
    if skipped < count:
        for _ in range(skipped):
            before &= before - 1
        return first_of(before)
    for _ in range(skipped - count):
        after &= after - 1
    return SPLIT + first_of(after)


@rule
def is_legal(game: State, action: int) -> bool:
    """Whether an action answers the question that stands."""
    if action < 0 or action >= ACTION_COUNT:
        return False
    if action < SPLIT:
        return bool(game.legal[0] & bit(action) != 0)
    return bool(game.legal[1] & bit(action - SPLIT) != 0)


@rule
def apply(game: State, action: int) -> bool:
    """Answer the question that stands; a wrong answer changes nothing."""
    if not is_legal(game, action):
        return False
    answer(game, action)
    advance(game)
    return True


@rule
def actor(game: State) -> int:
    """The seat that is asked, -1 when the game is over."""
    return int(game.actor)


@rule
def secret(game: State) -> int:
    """§6: all that players do is done in the open."""
    return 0


@rule
def advance(game: State) -> None:
    """Walk on until a question has more than one answer, or the game is over."""
    while game.phase != OVER:
        write_answers(game)
        forced = only_answer(game)
        if forced == CHOICE:
            return
        answer(game, forced)
    game.legal[0] = 0
    game.legal[1] = 0


@rule
def only_answer(game: State) -> int:
    """The one answer that there is, or CHOICE if there are more."""
    before, after = game.legal[0], game.legal[1]
    if before == 0:
        return CHOICE if after & (after - 1) != 0 else SPLIT + first_of(after)
    return CHOICE if after != 0 or before & (before - 1) != 0 else first_of(before)


@rule
def answer(game: State, action: int) -> None:
    """What an answer does."""
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


@rule
def place_bobby(game: State, district: int) -> None:
    """§2: the seat before the start player has put him somewhere, and the start player begins."""
    game.bobby = district
    begin_round(game)
    begin_turn(game, game.start_player)


@rule
def begin_round(game: State) -> None:
    """A round: every seat has a turn, the start player first."""
    game.round_number += 1
    game.turn = 0
    game.table.quiet = 1


@rule
def begin_turn(game: State, seat: int) -> None:
    """P4 binds a player to where the Bobby stands now, not to where others led him before."""
    game.actor = seat
    game.phase = TURN
    bar_all_but_here(game)


@rule
def end_turn(game: State) -> None:
    """§3: with all three tokens face down they turn up again; then the next seat, or the end of the round."""
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
        if game.table.last_round or game.table.quiet:
            end_game(game)
            return
        begin_round(game)
    following = int(game.actor) + 1
    begin_turn(game, following if following < game.players else 0)


@rule
def end_game(game: State) -> None:
    """§4: the last stall of somebody was placed and the round played out, or nothing happened in a round (P5)."""
    score_end(game)
    game.phase = OVER
    game.actor = -1


@rule
def mark_district(game: State, district: int, slot: int) -> None:
    """§3: points at once; the token stays there and the top neutral one comes in its place, face up (P3)."""
    player = game.seats[game.actor]
    table = game.table
    token = int(player.token_value[slot])
    game.score[game.actor] += mark_brings(game, game.actor, district, token)
    player.mark[district] = token
    table.marked[district] = 1
    taken = len(NEUTRAL_TOKENS) - int(table.neutral_left)
    player.token_value[slot] = NEUTRAL_TOKENS[taken]
    player.token_own[slot] = 0
    table.neutral_left -= 1
    table.neutral_next = NEUTRAL_TOKENS[taken + 1] if table.neutral_left > 0 else 0
    table.quiet = 0
    end_turn(game)


@rule
def use_token(game: State, slot: int) -> None:
    """§3: so many actions as the token says."""
    player = game.seats[game.actor]
    player.token_up[slot] = 0
    game.table.actions_left = player.token_value[slot]
    game.phase = ACT


# Actions


@rule
def finish_action(game: State) -> None:
    """Something was placed: the next action, with the Bobby free to go anywhere again (P4)."""
    game.table.actions_left -= 1
    game.table.quiet = 0
    bar_all_but_here(game)
    game.phase = ACT


@rule
def place_stall(game: State, alley: int, end: int) -> None:
    """§3: on the next free lot from the end that the alley fills from."""
    seat = int(game.actor)
    player = game.seats[seat]
    table = game.table
    filled = int(table.alley_filled[alley])
    last = int(game.length[alley]) - 1
    lot = filled if end == 0 else last - filled
    game.lot[alley, lot] = seat + 1
    player.stalls[alley] += 1
    player.worth[alley] += game.value[alley, lot]
    player.hand -= 1
    if player.hand == 0:
        table.last_round = 1
    table.alley_filled[alley] += 1
    table.alley_free[alley] -= 1
    table.alley_offer[alley, 1 - end] = 0
    table.alley_offer[alley, end] = 0
    if filled < last:
        table.alley_offer[alley, end] = game.value[alley, lot + 1 if end == 0 else lot - 1]
    score_if_complete(game, alley)
    finish_action(game)


@rule
def draw_customer(game: State) -> None:
    """§3: the next from the bag; a plaza for it is asked before anything else."""
    bag = game.table.bag
    game.drawn = game.order[BAG_SIZE - int(bag[0]) - int(bag[1])]
    bag[game.drawn - SERVANT] -= 1
    game.phase = PLAZA


@rule
def place_customer(game: State, plaza: int, who: int) -> None:
    """§3, §4: somebody stands on a plaza, and alleys may be complete by that."""
    game.customer[plaza] = who
    game.drawn = 0
    score_at_plaza(game, plaza)
    finish_action(game)


@rule
def place_lord(game: State) -> None:
    """§3: on the last free plaza."""
    for plaza in range(len(PLAZA_NAMES)):
        if game.customer[plaza] == 0:
            place_customer(game, plaza, LORD)
            return
