"""Inputs for networks of Portobello Market: what alleys promise, what each action brings, and where it leads.

All of it is computed from what the seat knows, which spares a small network working it out. Afterstates are what a
style finds when it scores the actions. Of the bag only the contents are used, never the order, unless that is public.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.action_scores import CONCEALED, TRIAL, conceal_bag, score_and_describe_actions
from olb_agents.portobello_market.afterstates import subtract_means
from olb_agents.portobello_market.alley_values import expected_factors, stage_and_factor, stalls_around
from olb_agents.portobello_market.quick_policy import IMPOSSIBLE, customer_gains, stall_gains, write_reach
from olb_agents.scratch import Scratch
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.layout import Field, Layout, width
from olb_env.portobello_market.bobby import toll
from olb_env.portobello_market.components import (
    CUSTOMERS,
    HIGHEST_FACTOR,
    HIGHEST_VALUE,
    LONGEST_ALLEY,
    LORD,
    MAX_PLAYERS,
    PLAYERS,
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
          "expected points of alleys not scored yet, if they are"),
    Field("around", (D,), STALLS_UNIT, SIDES * LONGEST_ALLEY, "stalls around each district that nobody has marked"),
)  # fmt: skip
OF_TABLE: Final = (
    Field("factor", (A,), HIGHEST_FACTOR, HIGHEST_FACTOR, "the expected factor of alleys not scored yet"),
    Field("toll", (A,), MAX_PLAYERS, MAX_PLAYERS, "what the seat pays for crossing each alley"),
    Field("stall", (A, 2), POINTS_UNIT, HIGHEST_SCORE, "what the seat gains by the next stall of each alley, by end"),
    Field(
        "reach",
        (D,),
        POINTS_UNIT,
        HIGHEST_SCORE,
        "best gain by a stall from each district on, less tolls",
    ),
    Field("customer", (KINDS, P), POINTS_UNIT, HIGHEST_SCORE, "what each customer on each free plaza gains the seat"),
    Field("brings", (len(ACTIONS),), POINTS_UNIT, HIGHEST_SCORE, "points that each action brings the seat at once"),
    Field("gives", (len(ACTIONS),), POINTS_UNIT, HIGHEST_SCORE, "points that it brings all other seats together"),
)
FEATURE_LAYOUT: Final = Layout([*((name, OF_SEAT) for name in SEATS), ("table", OF_TABLE)])
SEAT_WIDTH: Final = width(OF_SEAT)
AT_FACTOR: Final = FEATURE_LAYOUT["table.factor"].start
AT_TOLL: Final = FEATURE_LAYOUT["table.toll"].start
AT_STALL: Final = FEATURE_LAYOUT["table.stall"].start
AT_REACH: Final = FEATURE_LAYOUT["table.reach"].start
AT_CUSTOMER: Final = FEATURE_LAYOUT["table.customer"].start
AT_BRINGS: Final = FEATURE_LAYOUT["table.brings"].start
AT_GIVES: Final = FEATURE_LAYOUT["table.gives"].start


@jitable
def write_features(game: State, seat: int, style_weights: Any, scratch: Scratch, out: Any, afterstates: Any) -> None:
    """Write the features of every seat, beginning with the given one, then those of the table; absent seats are zero.

    The score of every action goes to `scratch.scores`.
    """
    out[:] = 0
    afterstates[:] = 0
    if game.phase == OVER:
        return
    weights = style_weights[int(game.players) - PLAYERS[0]]
    scratch.games[CONCEALED] = game
    conceal_bag(scratch.games[CONCEALED])
    expected = np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    for i in range(game.players):
        _write_seat(game, (seat + i) % int(game.players), expected, out[i * SEAT_WIDTH : (i + 1) * SEAT_WIDTH])
    _write_alleys(game, seat, expected, out)
    _write_gains(game, seat, weights, expected, scratch, out)
    _write_points(scratch.games[CONCEALED], seat, scratch, out)
    score_and_describe_actions(game, seat, style_weights, scratch, afterstates)
    subtract_means(game, afterstates)


@jitable
def _write_seat(game: State, seat: int, expected: Any, out: Any) -> None:
    """Write what alleys promise a seat, and where it could mark."""
    for alley in range(A):
        if game.table.alley_scored[alley] == 0:
            _, factor = stage_and_factor(game, alley, expected)
            out[alley] = factor * int(game.seats[seat].worth[alley]) / POINTS_UNIT
    for district in range(D):
        if game.table.marked[district] == 0:
            out[A + district] = stalls_around(game, seat, district) / STALLS_UNIT


@jitable
def _write_alleys(game: State, seat: int, expected: Any, out: Any) -> None:
    """Write the factors of alleys, and what they cost to cross."""
    for alley in range(A):
        if game.table.alley_scored[alley] == 0:
            _, factor = stage_and_factor(game, alley, expected)
            out[AT_FACTOR + alley] = factor / HIGHEST_FACTOR
        out[AT_TOLL + alley] = toll(game, seat, alley) / MAX_PLAYERS


@jitable
def _write_gains(game: State, seat: int, weights: Any, expected: Any, scratch: Scratch, out: Any) -> None:
    """Write what stalls and customers gain at first sight, wherever they may be placed.

    It overwrites estimates, place_values and path_costs.
    """
    gains, reach = scratch.estimates[: 2 * A].reshape(A, 2), scratch.place_values
    stall_gains(game, seat, weights, expected, gains)
    write_reach(game, seat, weights, gains, scratch.path_costs, reach)
    for alley in range(A):
        for end in range(2):
            if game.table.alley_offer[alley, end] > 0:
                out[AT_STALL + 2 * alley + end] = gains[alley, end] / POINTS_UNIT
    for district in range(D):
        if reach[district] > IMPOSSIBLE / 2:
            out[AT_REACH + district] = reach[district] / POINTS_UNIT
    plaza_gains = scratch.estimates
    for who in range(SERVANT, LORD + 1):
        customer_gains(game, seat, weights, who, expected, plaza_gains)
        for plaza in range(P):
            if game.customer[plaza] == 0:
                out[AT_CUSTOMER + (who - SERVANT) * P + plaza] = plaza_gains[plaza] / POINTS_UNIT


@jitable
def _write_points(guess: State, seat: int, scratch: Scratch, out: Any) -> None:
    """Write what each action brings the seat and the others at once; it overwrites the game TRIAL."""
    if guess.actor != seat:
        return
    for action in range(ACTION_COUNT):
        if is_legal(guess, action):
            scratch.games[TRIAL] = guess
            trial = scratch.games[TRIAL]
            apply(trial, action)
            for other in range(guess.players):
                brings = (int(trial.score[other]) - int(guess.score[other])) / POINTS_UNIT
                out[(AT_BRINGS if other == seat else AT_GIVES) + action] += brings
