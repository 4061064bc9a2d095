"""A quick answer to any question, by what each action changes: for playing on where there is no time to think.

Gains are counted in a style's points. A stall changes what its alley promises everybody, a customer the alleys at its
plaza; the Bobby goes where a stall gains most, less what the way there costs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.alley_values import (
    best_districts,
    expected_factors,
    factor_between,
    left_of,
    likely_customers,
    stage_of,
    stalls_around,
)
from olb_agents.portobello_market.evaluation import (
    ENVY,
    MARK_FOUR,
    MARK_TWO,
    OPENING,
    PACE,
    SPITE,
    TOLLS,
    judge,
    weight,
)
from olb_env.core.bits import bit, first_of
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.portobello_market.bobby import toll
from olb_env.portobello_market.components import (
    BURGHER,
    CUSTOMERS,
    DISTRICT_COUNT,
    LORD,
    MARKING_SLOTS,
    MOST_ACTIONS,
    SERVANT,
    SIDES,
    SLOTS,
)
from olb_env.portobello_market.notation import BOBBY_TO, DONE, DRAW, MARK, PUT_LORD, PUT_STALL, TO_PLAZA, USE_TOKEN
from olb_env.portobello_market.rules import apply, is_legal
from olb_env.portobello_market.state import ACT, OUTSIDE, PLAZA, TURN, A, P

NEVER: Final = -1e6
STEP: Final = 0.01  # of the Bobby costs a little even where it is free
STEPS: Final = 3  # that he is thought to take at most
HOPELESS: Final = 2.0  # marks that bring less than one part in so many of what actions would are not thought about


@rule
def answer_quickly(game: State, style: Any, scratch: Any, numbers: Any) -> int:
    """What looks best at first sight to the seat that is asked; `scratch[0]` and `numbers[2:]` are scratch."""
    if game.phase == PLAZA:
        gains, expected, best = numbers[2], np.zeros(len(CUSTOMERS)), -1
        expected_factors(game, expected)
        customer_gains(game, int(game.actor), style, int(game.drawn), expected, gains)
        for plaza in range(P):
            if game.customer[plaza] == 0 and (best < 0 or gains[plaza] > gains[best]):
                best = plaza
        return TO_PLAZA + best
    if game.phase == ACT:
        return act_quickly(game, style, numbers)
    if game.phase == TURN:
        return turn_quickly(game, style, scratch, numbers)
    return first_of(game.legal[0])


@rule
def lead_in(game: State, seat: int, style: Any, alley: int) -> float:
    """By how much a seat's lots in an alley are worth more to it than the others'."""
    against = (style[ENVY] + style[SPITE]) / (int(game.players) - 1)
    found = float(game.seats[seat].worth[alley])
    for other in range(game.players):
        if other != seat:
            found -= against * game.seats[other].worth[alley]
    return found


@rule
def stall_gains(game: State, seat: int, style: Any, expected: Any, out: Any) -> None:
    """What the next stall of each alley gains from either end [A, 2]; NEVER where there is no lot."""
    left = left_of(game)
    opening = style[OPENING] if game.table.actions_left > 1 else -style[OPENING]
    for alley in range(A):
        out[alley, 0] = out[alley, 1] = NEVER
        free = int(game.table.alley_free[alley])
        if free == 0:
            continue
        first, last = int(game.customer[game.end[alley, 0]]), int(game.customer[game.end[alley, 1]])
        factor = factor_between(expected, first, last)
        now = factor * weight(style, stage_of(first, last, free), left)
        then = factor * weight(style, stage_of(first, last, free - 1), left)
        lead = lead_in(game, seat, style, alley)
        for end in range(2):
            value = int(game.table.alley_offer[alley, end])
            if value > 0:
                out[alley, end] = then * (lead + value) - now * lead
                if free > 1:
                    lot = int(game.table.alley_filled[alley]) + 1
                    following = game.value[alley, lot if end == 0 else game.length[alley] - 1 - lot]
                    out[alley, end] += opening * then * following
    add_marks(game, seat, style, left, out)


@rule
def add_marks(game: State, seat: int, style: Any, left: float, out: Any) -> None:
    """To the gains of stalls [A, 2], what they add to the districts where the seat could best mark."""
    player = game.seats[seat]
    two, four = MARKING_SLOTS
    by_four = weight(style, MARK_FOUR, left) * int(player.token_own[four]) * int(player.token_value[four])
    by_two = weight(style, MARK_TWO, left) * int(player.token_own[two]) * int(player.token_value[two])
    _, most, second = best_districts(game, seat)
    for district in range(DISTRICT_COUNT):
        if game.table.marked[district] == 0:
            stalls = stalls_around(game, seat, district) + 1
            more = by_four * max(0, stalls - most) + by_two * max(0, min(stalls, most) - second)
            if more > 0:
                for side in range(SIDES):
                    alley = int(game.around[district, side])
                    for end in range(2):
                        out[alley, end] += more


@rule
def customer_gains(game: State, seat: int, style: Any, who: int, expected: Any, out: Any) -> None:
    """What a customer gains on each plaza [P]."""
    left = left_of(game)
    for plaza in range(P):
        out[plaza] = 0
    for alley in range(A):
        if game.table.alley_scored[alley] == 0 and game.table.alley_filled[alley] > 0:
            lead = lead_in(game, seat, style, alley)
            free = int(game.table.alley_free[alley])
            first, last = int(game.customer[game.end[alley, 0]]), int(game.customer[game.end[alley, 1]])
            now = factor_between(expected, first, last) * weight(style, stage_of(first, last, free), left)
            for end in range(2):
                plaza = int(game.end[alley, end])
                if game.customer[plaza] == 0:
                    other = last if end == 0 else first
                    chance = weight(style, stage_of(who, other, free), left)
                    out[plaza] += lead * (factor_between(expected, who, other) * chance - now)


@rule
def draw_gain(game: State, seat: int, style: Any, expected: Any, gains: Any) -> float:
    """What drawing a customer gains, whoever it is; `gains` [P] is scratch."""
    likely = np.zeros(len(CUSTOMERS))
    likely_customers(game, likely)
    found = 0.0
    for who in range(SERVANT, LORD):
        if likely[who] > 0:
            customer_gains(game, seat, style, who, expected, gains)
            best = NEVER
            for plaza in range(P):
                if game.customer[plaza] == 0:
                    best = max(best, gains[plaza])
            found += best * likely[who] / (likely[SERVANT] + likely[BURGHER])
    return found


@rule
def act_quickly(game: State, style: Any, numbers: Any) -> int:
    """The action, or the first step of the Bobby towards it, that gains most; done as soon as one may be."""
    if is_legal(game, DONE):
        return DONE
    seat, expected = int(game.actor), np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    best, most = -1, NEVER
    if is_legal(game, DRAW):
        best, most = DRAW, draw_gain(game, seat, style, expected, numbers[2])
    elif is_legal(game, PUT_LORD):
        customer_gains(game, seat, style, LORD, expected, numbers[2])
        best = PUT_LORD
        for plaza in range(P):
            if game.customer[plaza] == 0:
                most = numbers[2, plaza]
    if game.seats[seat].hand == 0:
        return best if best >= 0 else first_of(game.legal[0])
    gains, reach, costs = numbers[2, : 2 * A].reshape(A, 2), numbers[3], numbers[3, DISTRICT_COUNT:]
    stall_gains(game, seat, style, expected, gains)
    for side in range(SIDES):
        alley = int(game.around[game.bobby, side])
        for end in range(2):
            if game.table.alley_offer[alley, end] > 0 and gains[alley, end] > most:
                best, most = PUT_STALL + 2 * alley + end, gains[alley, end]
    look_around(game, seat, style, gains, costs, reach)
    here = int(game.bobby)
    for side in range(SIDES):
        there = int(game.beyond[here, side])
        if there != OUTSIDE and is_legal(game, BOBBY_TO + there):
            gain = reach[there] - costs[game.around[here, side]]
            if best < 0 or gain > most:
                best, most = BOBBY_TO + there, gain
    return best


@rule
def look_around(game: State, seat: int, style: Any, gains: Any, costs: Any, reach: Any) -> None:
    """What a stall gains from each district [D] on, less tolls on the way there; `costs` [A] are those of crossings."""
    for alley in range(A):
        costs[alley] = style[TOLLS] * toll(game, seat, alley) + STEP
    for district in range(DISTRICT_COUNT):
        reach[district] = NEVER
        for side in range(SIDES):
            alley = int(game.around[district, side])
            reach[district] = max(reach[district], gains[alley, 0], gains[alley, 1])
    for _ in range(STEPS - 1):
        for district in range(DISTRICT_COUNT):
            for side in range(SIDES):
                there = int(game.beyond[district, side])
                if there != OUTSIDE and game.table.barred[there] == 0:
                    reach[district] = max(reach[district], reach[there] - costs[game.around[district, side]])


@rule
def turn_quickly(game: State, style: Any, scratch: Any, numbers: Any) -> int:
    """The face-up token with most actions, unless marking a district looks better."""
    seat = int(game.actor)
    player = game.seats[seat]
    token, best = 0, -1
    for slot in range(SLOTS):
        if player.token_up[slot] and player.token_value[slot] > token:
            token, best = int(player.token_value[slot]), USE_TOKEN + slot
    if game.legal[0] < bit(MARK):
        return best
    expected, gains = np.zeros(len(CUSTOMERS)), numbers[2, : 2 * A].reshape(A, 2)
    expected_factors(game, expected)
    stall_gains(game, seat, style, expected, gains)
    look_around(game, seat, style, gains, numbers[3, DISTRICT_COUNT:], numbers[3])
    acting = style[PACE] * token * numbers[3, game.bobby]
    district, stalls, _ = best_districts(game, seat)
    if HOPELESS * stalls * MOST_ACTIONS < acting:
        return best
    most = acting + judge(game, seat, style, numbers[2], numbers[3])
    for i in range(len(MARKING_SLOTS)):
        action = MARK + i * DISTRICT_COUNT + district
        if is_legal(game, action):
            scratch[0] = game
            apply(scratch[0], action)
            value = judge(scratch[0], seat, style, numbers[2], numbers[3])
            if value > most:
                best, most = action, value
    return best
