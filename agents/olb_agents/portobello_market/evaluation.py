"""The value of a position for a seat: points, what its stalls promise, what it could mark, and what it has left."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.alley_values import (
    STAGES,
    best_districts,
    expected_factors,
    share_left,
    stage_and_factor,
)
from olb_agents.scratch import Scratch
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.portobello_market.bobby import most_of_others
from olb_env.portobello_market.components import CUSTOMERS, MARKING_SLOTS, SLOTS
from olb_env.portobello_market.state import OVER, A

FEATURES: Final = (
    *STAGES,  # lot values in alleys at each stage, times the expected factor
    "score",
    "four",  # still the seat's own
    "two",
    "mark four",  # what it would bring where the seat has most stalls
    "mark two",
    "hand",
    "tokens",  # their values
    "face up",  # of these
    "majorities",  # alleys where the seat alone has the most stalls: it crosses for nothing, and others pay it
    "actions",  # still to be taken in this turn
)
(
    SCORE, FOUR, TWO, MARK_FOUR, MARK_TWO, HAND, TOKENS, FACE_UP, MAJORITIES, ACTIONS_LEFT,
) = range(len(STAGES), len(FEATURES))  # fmt: skip
NUM_WEIGHTS: Final = 2 * len(FEATURES)  # each feature has one weight, and another times what is left of the game
# After the feature weights of a style: how much the best of the others (LEADER_WEIGHT) and their mean (OTHERS_WEIGHT)
# count against a seat. For the quick policy: the mean gain of a token's actions relative to the best one
# (ACTION_SHARE), the cost of a point of toll (TOLL_WEIGHT), and how much the lot opened next in an alley counts: for
# the seat if it has another action, else against it (NEXT_LOT_WEIGHT). Last, how many turns to play before evaluating
# (TURNS_AHEAD).
(
    LEADER_WEIGHT, OTHERS_WEIGHT, ACTION_SHARE, TOLL_WEIGHT, NEXT_LOT_WEIGHT, TURNS_AHEAD,
) = range(NUM_WEIGHTS, NUM_WEIGHTS + 6)  # fmt: skip
STYLE_SIZE: Final = NUM_WEIGHTS + 6
WIN_BONUS: Final = 5.0  # points added for a win, and subtracted for a loss


@jitable
def weight_now(weights: Any, feature: int, left: float) -> float:
    """Return what a feature counts when this share of the game is left."""
    return float(weights[feature] + left * weights[len(FEATURES) + feature])


@jitable
def describe(game: State, seat: int, expected: Any, out: Any) -> None:
    """Write the features of a position for a seat; `expected` has the expected factors of alleys [4]."""
    player = game.seats[seat]
    for feature in range(len(FEATURES)):
        out[feature] = 0
    for alley in range(A):
        stalls = int(player.stalls[alley])
        if stalls > 0:
            if game.table.alley_scored[alley] == 0:
                stage, factor = stage_and_factor(game, alley, expected)
                out[stage] += factor * player.worth[alley]
            out[MAJORITIES] += stalls > most_of_others(game, seat, alley)
    out[SCORE] = game.score[seat]
    _, most, second = best_districts(game, seat)
    two, four = MARKING_SLOTS
    out[FOUR], out[TWO] = player.token_own[four], player.token_own[two]
    out[MARK_FOUR] = out[FOUR] * player.token_value[four] * most
    out[MARK_TWO] = out[TWO] * player.token_value[two] * (second if out[FOUR] > 0 else most)
    out[HAND] = player.hand
    for slot in range(SLOTS):
        out[TOKENS] += player.token_value[slot]
        out[FACE_UP] += int(player.token_value[slot]) * int(player.token_up[slot])
    if game.actor == seat:
        out[ACTIONS_LEFT] = game.table.actions_left


@jitable
def evaluate_seats(game: State, weights: Any, scratch: Scratch) -> None:
    """Write the points that each seat should end with by a style [STYLE_SIZE] to `scratch.values`.

    It overwrites `scratch.features` as well.
    """
    features, values = scratch.features, scratch.values
    expected = np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    left = share_left(game)
    for seat in range(game.players):
        values[seat] = game.score[seat]
        if game.phase != OVER:
            describe(game, seat, expected, features)
            values[seat] = 0
            for feature in range(len(FEATURES)):
                values[seat] += features[feature] * weight_now(weights, feature, left)


@jitable
def lead(values: Any, players: int, seat: int, weights: Any) -> float:
    """Return a seat's value less the weighted best and mean of the others, from the values of all seats."""
    best, total = -1e9, 0.0
    for other in range(players):
        if other != seat:
            best = max(best, values[other])
            total += values[other]
    return float(values[seat] - weights[LEADER_WEIGHT] * best - weights[OTHERS_WEIGHT] * total / (players - 1))


@jitable
def evaluate_position(game: State, seat: int, weights: Any, scratch: Scratch) -> float:
    """Return the value of a position for a seat by a style [STYLE_SIZE].

    It overwrites `scratch.features` and `scratch.values`.
    """
    evaluate_seats(game, weights, scratch)
    value = lead(scratch.values, int(game.players), seat, weights)
    if game.phase == OVER:
        value += WIN_BONUS * win_score(game, seat)
    return value


@jitable
def win_score(game: State, seat: int) -> float:
    """Return 1 for the most points, 0 for a shared first place, and -1 if another seat has more."""
    found = 1.0
    for other in range(game.players):
        if other != seat and game.score[other] > game.score[seat]:
            return -1.0
        if other != seat and game.score[other] == game.score[seat]:
            found = 0.0
    return found
