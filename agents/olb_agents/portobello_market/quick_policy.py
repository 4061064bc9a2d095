"""A quick policy for Portobello Market: the action with the best immediate gain, without trying out every action.

Gains are counted in the points of a style. A stall changes what its alley promises everybody, and a customer the alleys
at its plaza. The Bobby goes where a stall gains most, less what the way there costs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.alley_values import (
    best_districts,
    customer_probabilities,
    expected_factors,
    factor_between,
    share_left,
    stage_of,
    stalls_around,
)
from olb_agents.portobello_market.evaluation import (
    ACTION_SHARE,
    LEADER_WEIGHT,
    MARK_FOUR,
    MARK_TWO,
    NEXT_LOT_WEIGHT,
    OTHERS_WEIGHT,
    TOLL_WEIGHT,
    evaluate_position,
    weight_now,
)
from olb_agents.scratch import Scratch
from olb_env.core.bits import bit, first_of
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.portobello_market.bobby import toll
from olb_env.portobello_market.components import (
    BURGHER,
    CUSTOMERS,
    DISTRICT_COUNT,
    LORD,
    MARKING_SLOTS,
    MAX_ACTIONS,
    SERVANT,
    SIDES,
    SLOTS,
)
from olb_env.portobello_market.notation import BOBBY_TO, DONE, DRAW, MARK, PUT_LORD, PUT_STALL, TO_PLAZA, USE_TOKEN
from olb_env.portobello_market.rules import apply, is_legal
from olb_env.portobello_market.state import ACT, OUTSIDE, PLAZA, TURN, A, P

QUICK_TRIAL: Final = 2  # the slot of `Scratch.games` for the position after a mark
IMPOSSIBLE: Final = -1e6  # the gain of what cannot be done
STEP_COST: Final = 0.01  # of the Bobby, even where crossing is free
STEPS: Final = 3  # how many steps of the Bobby are planned ahead
MARK_CUTOFF: Final = 2.0  # a mark is tried only if it could bring at least 1 / this of what actions would


@jitable
def quick_action(game: State, weights: Any, scratch: Scratch) -> int:
    """Return the action that seems best at first sight to the acting seat, by a style [STYLE_SIZE].

    It overwrites all of scratch but scores, mask and the games other than QUICK_TRIAL.
    """
    if game.phase == PLAZA:
        gains, expected, best = scratch.estimates, np.zeros(len(CUSTOMERS)), -1
        expected_factors(game, expected)
        customer_gains(game, int(game.actor), weights, int(game.drawn), expected, gains)
        for plaza in range(P):
            if game.customer[plaza] == 0 and (best < 0 or gains[plaza] > gains[best]):
                best = plaza
        return TO_PLAZA + best
    if game.phase == ACT:
        return _choose_placement(game, weights, scratch)
    if game.phase == TURN:
        return _choose_token_or_mark(game, weights, scratch)
    return first_of(game.legal[0])


@jitable
def alley_lead(game: State, seat: int, weights: Any, alley: int) -> float:
    """Return the lot values of a seat in an alley, less those of the others as far as they count against it."""
    against = (weights[LEADER_WEIGHT] + weights[OTHERS_WEIGHT]) / (int(game.players) - 1)
    lead = float(game.seats[seat].worth[alley])
    for other in range(game.players):
        if other != seat:
            lead -= against * game.seats[other].worth[alley]
    return lead


@jitable
def stall_gains(game: State, seat: int, weights: Any, expected: Any, out: Any) -> None:
    """Write what the next stall of each alley gains from either end [A, 2]; IMPOSSIBLE where there is no lot."""
    left = share_left(game)
    next_lot = weights[NEXT_LOT_WEIGHT] if game.table.actions_left > 1 else -weights[NEXT_LOT_WEIGHT]
    for alley in range(A):
        out[alley, 0] = out[alley, 1] = IMPOSSIBLE
        free = int(game.table.alley_free[alley])
        if free == 0:
            continue
        first, last = int(game.customer[game.board.ends[alley, 0]]), int(game.customer[game.board.ends[alley, 1]])
        factor = factor_between(expected, first, last)
        now = factor * weight_now(weights, stage_of(first, last, free), left)
        then = factor * weight_now(weights, stage_of(first, last, free - 1), left)
        lead = alley_lead(game, seat, weights, alley)
        for end in range(2):
            value = int(game.table.alley_offer[alley, end])
            if value > 0:
                out[alley, end] = then * (lead + value) - now * lead
                if free > 1:
                    lot = int(game.table.alley_filled[alley]) + 1
                    following = game.board.values[alley, lot if end == 0 else game.length[alley] - 1 - lot]
                    out[alley, end] += next_lot * then * following
    add_marks(game, seat, weights, left, out)


@jitable
def add_marks(game: State, seat: int, weights: Any, left: float, out: Any) -> None:
    """Add to the gains of stalls [A, 2] what they bring in the districts that the seat could best mark."""
    player = game.seats[seat]
    two, four = MARKING_SLOTS
    by_four = weight_now(weights, MARK_FOUR, left) * int(player.token_own[four]) * int(player.token_value[four])
    by_two = weight_now(weights, MARK_TWO, left) * int(player.token_own[two]) * int(player.token_value[two])
    _, most, second = best_districts(game, seat)
    for district in range(DISTRICT_COUNT):
        if game.table.marked[district] == 0:
            stalls = stalls_around(game, seat, district) + 1
            more = by_four * max(0, stalls - most) + by_two * max(0, min(stalls, most) - second)
            if more > 0:
                for side in range(SIDES):
                    alley = int(game.board.around[district, side])
                    for end in range(2):
                        out[alley, end] += more


@jitable
def customer_gains(game: State, seat: int, weights: Any, who: int, expected: Any, out: Any) -> None:
    """Write what a customer gains on each plaza [P]."""
    left = share_left(game)
    for plaza in range(P):
        out[plaza] = 0
    for alley in range(A):
        if game.table.alley_scored[alley] == 0 and game.table.alley_filled[alley] > 0:
            lead = alley_lead(game, seat, weights, alley)
            free = int(game.table.alley_free[alley])
            first, last = int(game.customer[game.board.ends[alley, 0]]), int(game.customer[game.board.ends[alley, 1]])
            now = factor_between(expected, first, last) * weight_now(weights, stage_of(first, last, free), left)
            for end in range(2):
                plaza = int(game.board.ends[alley, end])
                if game.customer[plaza] == 0:
                    other = last if end == 0 else first
                    then = factor_between(expected, who, other) * weight_now(weights, stage_of(who, other, free), left)
                    out[plaza] += lead * (then - now)


@jitable
def draw_gain(game: State, seat: int, weights: Any, expected: Any, gains: Any) -> float:
    """Return what drawing a customer gains on average; `gains` [P] is overwritten."""
    probabilities = np.zeros(len(CUSTOMERS))
    customer_probabilities(game, probabilities)
    total = 0.0
    for who in range(SERVANT, LORD):
        if probabilities[who] > 0:
            customer_gains(game, seat, weights, who, expected, gains)
            best = IMPOSSIBLE
            for plaza in range(P):
                if game.customer[plaza] == 0:
                    best = max(best, gains[plaza])
            total += best * probabilities[who] / (probabilities[SERVANT] + probabilities[BURGHER])
    return total


@jitable
def _choose_placement(game: State, weights: Any, scratch: Scratch) -> int:
    """Return the action, or the first step of the Bobby towards it, that gains most; DONE as soon as that is legal.

    It overwrites estimates, place_values and path_costs.
    """
    if is_legal(game, DONE):
        return DONE
    seat, expected = int(game.actor), np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    best, highest = -1, IMPOSSIBLE
    plaza_gains = scratch.estimates
    if is_legal(game, DRAW):
        best, highest = DRAW, draw_gain(game, seat, weights, expected, plaza_gains)
    elif is_legal(game, PUT_LORD):
        customer_gains(game, seat, weights, LORD, expected, plaza_gains)
        best = PUT_LORD
        for plaza in range(P):
            if game.customer[plaza] == 0:
                highest = plaza_gains[plaza]
    if game.seats[seat].hand == 0:
        return best if best >= 0 else first_of(game.legal[0])
    gains, reach, costs = scratch.estimates[: 2 * A].reshape(A, 2), scratch.place_values, scratch.path_costs
    stall_gains(game, seat, weights, expected, gains)
    for side in range(SIDES):
        alley = int(game.board.around[game.bobby, side])
        for end in range(2):
            if game.table.alley_offer[alley, end] > 0 and gains[alley, end] > highest:
                best, highest = PUT_STALL + 2 * alley + end, gains[alley, end]
    write_reach(game, seat, weights, gains, costs, reach)
    here = int(game.bobby)
    for side in range(SIDES):
        there = int(game.beyond[here, side])
        if there != OUTSIDE and is_legal(game, BOBBY_TO + there):
            gain = reach[there] - costs[game.board.around[here, side]]
            if best < 0 or gain > highest:
                best, highest = BOBBY_TO + there, gain
    return best


@jitable
def write_reach(game: State, seat: int, weights: Any, gains: Any, costs: Any, reach: Any) -> None:
    """Write what a stall gains if the Bobby stands in each district [D], less the costs of his way to it.

    `costs` [A] gets the cost of crossing each alley.
    """
    for alley in range(A):
        costs[alley] = weights[TOLL_WEIGHT] * toll(game, seat, alley) + STEP_COST
    for district in range(DISTRICT_COUNT):
        reach[district] = IMPOSSIBLE
        for side in range(SIDES):
            alley = int(game.board.around[district, side])
            reach[district] = max(reach[district], gains[alley, 0], gains[alley, 1])
    for _ in range(STEPS - 1):
        for district in range(DISTRICT_COUNT):
            for side in range(SIDES):
                there = int(game.beyond[district, side])
                if there != OUTSIDE and game.table.barred[there] == 0:
                    reach[district] = max(reach[district], reach[there] - costs[game.board.around[district, side]])


@jitable
def _choose_token_or_mark(game: State, weights: Any, scratch: Scratch) -> int:
    """Return the face-up token with most actions, unless marking a district seems better."""
    seat = int(game.actor)
    player = game.seats[seat]
    token, best = 0, -1
    for slot in range(SLOTS):
        if player.token_up[slot] and player.token_value[slot] > token:
            token, best = int(player.token_value[slot]), USE_TOKEN + slot
    if game.legal[0] < bit(MARK):
        return best
    expected, gains = np.zeros(len(CUSTOMERS)), scratch.estimates[: 2 * A].reshape(A, 2)
    expected_factors(game, expected)
    stall_gains(game, seat, weights, expected, gains)
    write_reach(game, seat, weights, gains, scratch.path_costs, scratch.place_values)
    by_actions = weights[ACTION_SHARE] * token * scratch.place_values[game.bobby]
    district, stalls, _ = best_districts(game, seat)
    if MARK_CUTOFF * stalls * MAX_ACTIONS < by_actions:
        return best
    highest = by_actions + evaluate_position(game, seat, weights, scratch)
    for i in range(len(MARKING_SLOTS)):
        action = MARK + i * DISTRICT_COUNT + district
        if is_legal(game, action):
            scratch.games[QUICK_TRIAL] = game
            apply(scratch.games[QUICK_TRIAL], action)
            value = evaluate_position(scratch.games[QUICK_TRIAL], seat, weights, scratch)
            if value > highest:
                best, highest = action, value
    return best
