"""What follows from a position, for networks: what alleys promise, what each action brings, and where it leads.

The numbers of the first level are seen at once and can be worked out from an observation; they spare a small network
finding them out. The second level, which takes longer, is what a style foresees when everybody plays on. Of the bag
only what it contains is used, never the order, unless that is public.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from agents.portobello_market.deciding import GUESS, SPARE, TRIAL, conceal, play_until, turns_taken
from agents.portobello_market.hunch import NEVER, customer_gains, look_around, stall_gains
from agents.portobello_market.judgement import AHEAD, HAND, MARK_FOUR, MARK_TWO, SCORE, describe, judge
from agents.portobello_market.prospects import STAGES, alley_outlook, expected_factors, stalls_around
from agents.verbs import ADVICE_UNIT, LEAST_ADVICE
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

POINTS_UNIT, STALLS_UNIT = 8.0, 4.0
KINDS: Final = LORD - SERVANT + 1

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
OUTLOOK: Final = (
    Field("outlook", (len(ACTIONS),), 1, 1, "how good each action looks two rounds later, if all played on quickly"),
)
INSIGHT: Final = Layout([*((name, OF_SEAT) for name in SEATS), ("table", OF_TABLE), ("own", OUTLOOK)])
LEVELS: Final = (INSIGHT["own.outlook"].start, INSIGHT.size)  # of insight: without what is foreseen, and with it
SEAT_WIDTH: Final = width(OF_SEAT)
AT_FACTOR: Final = INSIGHT["table.factor"].start
AT_TOLL: Final = INSIGHT["table.toll"].start
AT_STALL: Final = INSIGHT["table.stall"].start
AT_REACH: Final = INSIGHT["table.reach"].start
AT_CUSTOMER: Final = INSIGHT["table.customer"].start
AT_BRINGS: Final = INSIGHT["table.brings"].start
AT_GIVES: Final = INSIGHT["table.gives"].start
AT_OUTLOOK: Final = INSIGHT["own.outlook"].start

# Where an action leads: some numbers of the position after the turns that the style looks ahead, as they differ from
# action to action.
OWN_TRAITS: Final = ("points", "promised", "marks", "hand")
TRAITS: Final = (*OWN_TRAITS, *(f"others' {name}" for name in OWN_TRAITS))
TRAIT_UNITS: Final = np.array([POINTS_UNIT, POINTS_UNIT, POINTS_UNIT, STALLS_UNIT] * 2)


@rule
def write_insight(game: State, seat: int, style: Any, scratch: Any, numbers: Any, out: Any, traits: Any) -> None:
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
    if out.shape[0] == LEVELS[1]:
        write_outlook(scratch[GUESS], seat, own, scratch, numbers, out[AT_OUTLOOK : AT_OUTLOOK + ACTION_COUNT], traits)


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


@rule
def write_outlook(guess: State, seat: int, style: Any, scratch: Any, numbers: Any, out: Any, traits: Any) -> None:
    """How the seat would stand two rounds after each action [A]: 1 the best, others less.

    If there is room for it, `traits` [A, T] describes the position that the action leads to before.
    """
    if guess.actor != seat:
        return
    until, best, legal = turns_taken(guess) + int(style[AHEAD]), -1e300, 0
    for action in range(ACTION_COUNT):
        if is_legal(guess, action):
            scratch[TRIAL] = guess
            trial = scratch[TRIAL]
            apply(trial, action)
            play_until(trial, until, style, scratch[SPARE:], numbers)
            if traits.shape[1] > 0:
                _write_traits(trial, seat, numbers[1], traits[action])
            play_until(trial, turns_taken(guess) + 2 * int(guess.players), style, scratch[SPARE:], numbers)
            numbers[0, action] = judge(trial, seat, style, numbers[1], numbers[2])
            best = max(best, numbers[0, action])
            legal += 1
    for trait in range(traits.shape[1]):
        mean = traits[:, trait].sum() / legal
        for action in range(ACTION_COUNT):
            if is_legal(guess, action):
                traits[action, trait] -= mean
    for action in range(ACTION_COUNT):
        if is_legal(guess, action):
            out[action] = LEAST_ADVICE + (1 - LEAST_ADVICE) * math.exp((numbers[0, action] - best) / ADVICE_UNIT)


@rule
def _write_traits(game: State, seat: int, described: Any, out: Any) -> None:
    """Points, what is promised, what marks would bring and stalls in hand, the own and the mean of the others'."""
    expected = np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    for other in range(game.players):
        describe(game, other, expected, described)
        at, share = (0, 1.0) if other == seat else (len(OWN_TRAITS), 1.0 / (int(game.players) - 1))
        promised = 0.0
        for stage in range(len(STAGES)):
            promised += described[stage]
        out[at] += share * described[SCORE] / TRAIT_UNITS[0]
        out[at + 1] += share * promised / TRAIT_UNITS[1]
        out[at + 2] += share * (described[MARK_FOUR] + described[MARK_TWO]) / TRAIT_UNITS[2]
        out[at + 3] += share * described[HAND] / TRAIT_UNITS[3]
