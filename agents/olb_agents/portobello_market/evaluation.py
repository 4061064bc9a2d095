"""How good a position is for a seat: points, what its stalls promise, what it could mark, and what it has left."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.alley_values import (
    STAGES,
    alley_outlook,
    best_districts,
    expected_factors,
    left_of,
)
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.portobello_market.bobby import most_of_others
from olb_env.portobello_market.components import CUSTOMERS, MARKING_SLOTS, SLOTS
from olb_env.portobello_market.state import OVER, A

FEATURES: Final = (
    *STAGES,  # lot values in alleys at each stage, times the factor to expect
    "score",
    "four",  # still one's own
    "two",
    "mark four",  # what it would bring where one has most stalls
    "mark two",
    "hand",
    "tokens",  # their values
    "face up",  # of these
    "majorities",  # alleys where others pay, or where one crosses for nothing
    "actions",  # still to be taken in this turn
)
(
    SCORE, FOUR, TWO, MARK_FOUR, MARK_TWO, HAND, TOKENS, FACE_UP, MAJORITIES, ACTIONS_LEFT,
) = range(len(STAGES), len(FEATURES))  # fmt: skip
WEIGHTS: Final = 2 * len(FEATURES)  # each counts for itself, and once more times what is left of the game
# Behind the weights of a style: how much the best of the others counts against a seat, and their mean; for quick
# answers, what share of a good action all those of a token bring, what a point of toll counts, and how much of the next
# lot of an alley goes to who comes next; and how many turns it plays to their ends before it judges.
ENVY, SPITE, PACE, TOLLS, OPENING, AHEAD = range(WEIGHTS, WEIGHTS + 6)
STYLE_SIZE: Final = WEIGHTS + 6
WON: Final = 5.0  # points that winning is worth beside them


@rule
def weight(style: Any, feature: int, left: float) -> float:
    """What a feature counts now."""
    return float(style[feature] + left * style[len(FEATURES) + feature])


@rule
def describe(game: State, seat: int, expected: Any, out: Any) -> None:
    """The numbers of a position for a seat [FEATURES]."""
    player = game.seats[seat]
    for feature in range(len(FEATURES)):
        out[feature] = 0
    for alley in range(A):
        stalls = int(player.stalls[alley])
        if stalls > 0:
            if game.table.alley_scored[alley] == 0:
                stage, factor = alley_outlook(game, alley, expected)
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


@rule
def worth_of_seats(game: State, style: Any, described: Any, out: Any) -> None:
    """The points that each seat [P] should come to, as a style sees it; `described` is scratch."""
    expected = np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    left = left_of(game)
    for seat in range(game.players):
        out[seat] = game.score[seat]
        if game.phase != OVER:
            describe(game, seat, expected, described)
            out[seat] = 0
            for feature in range(len(FEATURES)):
                out[seat] += described[feature] * weight(style, feature, left)


@rule
def compare(worth: Any, players: int, seat: int, style: Any) -> float:
    """What one seat has over the others."""
    best, total = -1e9, 0.0
    for other in range(players):
        if other != seat:
            best = max(best, worth[other])
            total += worth[other]
    return float(worth[seat] - style[ENVY] * best - style[SPITE] * total / (players - 1))


@rule
def judge(game: State, seat: int, style: Any, described: Any, worth: Any) -> float:
    """How a style values a position; `described` and `worth` are scratch."""
    worth_of_seats(game, style, described, worth)
    value = compare(worth, int(game.players), seat, style)
    if game.phase == OVER:
        value += WON * winning(game, seat)
    return value


@rule
def winning(game: State, seat: int) -> float:
    """1 for who has most points, -1 if another has more; a shared first place is in between."""
    found = 1.0
    for other in range(game.players):
        if other != seat and game.score[other] > game.score[seat]:
            return -1.0
        if other != seat and game.score[other] == game.score[seat]:
            found = 0.0
    return found
