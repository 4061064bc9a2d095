"""What follows from a position, for networks: what alleys promise, what each action brings, and where it leads.

All of it can be worked out from an observation; it spares a small network finding it out. Where actions lead is what a
style foresees when it weighs them. Of the bag only what it contains is used, never the order, unless that is public.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.action_scores import GUESS, TRIAL, conceal, weigh_and_describe
from olb_agents.portobello_market.afterstates import centre
from olb_agents.portobello_market.alley_values import alley_outlook, expected_factors, stalls_around
from olb_agents.portobello_market.quick_policy import NEVER, customer_gains, look_around, stall_gains
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.layout import Field, Layout, width
from olb_env.portobello_market.bobby import toll
from olb_env.portobello_market.components import (
    CUSTOMERS,
    HIGHEST_FACTOR,
    HIGHEST_VALUE,
    LONGEST_ALLEY,
    LORD,
    MOST_PLAYERS,
    SERVANT,
    SIDES,
)
from olb_env.portobello_market.encode import HIGHEST_SCORE, SEATS
from olb_env.portobello_market.notation import ACTIONS
from olb_env.portobello_market.rules import ACTION_COUNT, apply, is_legal
from olb_env.portobello_market.state import OVER, A, D, P

KINDS: Final = LORD - SERVANT + 1
POINTS_UNIT, STALLS_UNIT = 8.0, 4.0

OF_SEAT: Final = (
    Field("promise", (A,), POINTS_UNIT, LONGEST_ALLEY * HIGHEST_VALUE * HIGHEST_FACTOR,
          "points to expect of alleys not scored yet, if they are"),
    Field("around", (D,), STALLS_UNIT, SIDES * LONGEST_ALLEY, "stalls around each district that nobody has marked"),
)  # fmt: skip
OF_TABLE: Final = (
    Field("factor", (A,), HIGHEST_FACTOR, HIGHEST_FACTOR, "what alleys not scored yet may expect to be multiplied by"),
    Field("toll", (A,), MOST_PLAYERS, MOST_PLAYERS, "what the own seat pays for crossing each alley"),
    Field("stall", (A, 2), POINTS_UNIT, HIGHEST_SCORE, "what the next stall of each alley gains it from either end"),
    Field("reach", (D,), POINTS_UNIT, HIGHEST_SCORE, "what a stall gains it from each district on, less tolls"),
    Field("customer", (KINDS, P), POINTS_UNIT, HIGHEST_SCORE, "what each customer would gain it on each free plaza"),
    Field("brings", (len(ACTIONS),), POINTS_UNIT, HIGHEST_SCORE, "points that each action brings it at once"),
    Field("gives", (len(ACTIONS),), POINTS_UNIT, HIGHEST_SCORE, "points that it brings all the others together"),
)
INSIGHT: Final = Layout([*((name, OF_SEAT) for name in SEATS), ("table", OF_TABLE)])
SEAT_WIDTH: Final = width(OF_SEAT)
AT_FACTOR: Final = INSIGHT["table.factor"].start
AT_TOLL: Final = INSIGHT["table.toll"].start
AT_STALL: Final = INSIGHT["table.stall"].start
AT_REACH: Final = INSIGHT["table.reach"].start
AT_CUSTOMER: Final = INSIGHT["table.customer"].start
AT_BRINGS: Final = INSIGHT["table.brings"].start
AT_GIVES: Final = INSIGHT["table.gives"].start


@rule
def write_features(game: State, seat: int, style: Any, scratch: Any, numbers: Any, out: Any, traits: Any) -> None:
    """For every seat, the own first, then of the table; absent seats are zero."""
    out[:] = 0
    traits[:] = 0
    if game.phase == OVER:
        return
    own = style[int(game.players) - 2]
    scratch[GUESS] = game
    conceal(scratch[GUESS])
    expected = np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    for i in range(game.players):
        _write_seat(game, (seat + i) % int(game.players), expected, out[i * SEAT_WIDTH : (i + 1) * SEAT_WIDTH])
    _write_alleys(game, seat, expected, out)
    _write_gains(game, seat, own, expected, numbers, out)
    _write_points(scratch[GUESS], seat, scratch, out)
    weigh_and_describe(game, seat, style, scratch, numbers, traits)
    centre(game, traits)


@rule
def _write_seat(game: State, seat: int, expected: Any, out: Any) -> None:
    """What alleys promise a seat, and where it could mark."""
    for alley in range(A):
        if game.table.alley_scored[alley] == 0:
            _, factor = alley_outlook(game, alley, expected)
            out[alley] = factor * int(game.seats[seat].worth[alley]) / POINTS_UNIT
    for district in range(D):
        if game.table.marked[district] == 0:
            out[A + district] = stalls_around(game, seat, district) / STALLS_UNIT


@rule
def _write_alleys(game: State, seat: int, expected: Any, out: Any) -> None:
    """What alleys are multiplied by, and cost to cross."""
    for alley in range(A):
        if game.table.alley_scored[alley] == 0:
            _, factor = alley_outlook(game, alley, expected)
            out[AT_FACTOR + alley] = factor / HIGHEST_FACTOR
        out[AT_TOLL + alley] = toll(game, seat, alley) / MOST_PLAYERS


@rule
def _write_gains(game: State, seat: int, style: Any, expected: Any, numbers: Any, out: Any) -> None:
    """What stalls and customers gain at first sight, wherever they may be placed."""
    gains, reach = numbers[2, : 2 * A].reshape(A, 2), numbers[3]
    stall_gains(game, seat, style, expected, gains)
    look_around(game, seat, style, gains, numbers[3, D:], reach)
    for alley in range(A):
        for end in range(2):
            if game.table.alley_offer[alley, end] > 0:
                out[AT_STALL + 2 * alley + end] = gains[alley, end] / POINTS_UNIT
    for district in range(D):
        if reach[district] > NEVER / 2:
            out[AT_REACH + district] = reach[district] / POINTS_UNIT
    for who in range(SERVANT, LORD + 1):
        customer_gains(game, seat, style, who, expected, numbers[2])
        for plaza in range(P):
            if game.customer[plaza] == 0:
                out[AT_CUSTOMER + (who - SERVANT) * P + plaza] = numbers[2, plaza] / POINTS_UNIT


@rule
def _write_points(guess: State, seat: int, scratch: Any, out: Any) -> None:
    """What each action brings the seat and the others at once."""
    if guess.actor != seat:
        return
    for action in range(ACTION_COUNT):
        if is_legal(guess, action):
            scratch[TRIAL] = guess
            trial = scratch[TRIAL]
            apply(trial, action)
            for other in range(guess.players):
                brings = (int(trial.score[other]) - int(guess.score[other])) / POINTS_UNIT
                out[(AT_BRINGS if other == seat else AT_GIVES) + action] += brings
