"""Afterstate features for networks of Portobello Market: a projection of the position some turns after each action.

The quick policy plays those turns. A network outputs a weight for each feature in this position, so it can judge a
projected position differently from the style that reached it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.alley_values import MANY, STAGES, expected_factors
from olb_agents.portobello_market.evaluation import (
    FACE_UP,
    FOUR,
    HAND,
    MAJORITIES,
    MARK_FOUR,
    MARK_TWO,
    SCORE,
    TOKENS,
    TWO,
    describe,
)
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.portobello_market.components import CUSTOMERS
from olb_env.portobello_market.rules import ACTION_COUNT, is_legal

POINT, STALL, TOKEN = 1.5, 0.75, 0.75  # units; small ones are meant to let networks learn sooner what a feature counts

OF_ANY: Final = ("points", "marks", "hand", "tokens", "face up", "majorities")  # marks: what they would bring
BY_MISSING: Final = ("promised, nobody to come", "promised, one to come", "promised, both to come")
OWN: Final = (*OF_ANY, "four", "two", *(f"promised, {stage}" for stage in STAGES))
OTHERS: Final = tuple(f"others' {name}" for name in (*OF_ANY, *BY_MISSING))  # their mean
VALUE_AFTER_TURN: Final = "value after the turn"  # of the position, by the style
VALUE: Final = "value"  # after the turns of others that the style looks ahead, like all other features
AFTERSTATES: Final = (*OWN, *OTHERS, VALUE_AFTER_TURN, VALUE)
AT_POINTS, AT_MARKS, AT_HAND, AT_TOKENS, AT_FACE_UP, AT_MAJORITIES = range(len(OF_ANY))
OWN_FOUR, OWN_TWO, OWN_PROMISED = (OWN.index(name) for name in ("four", "two", f"promised, {STAGES[0]}"))
OTHERS_PROMISED: Final = len(OF_ANY)
AT_OTHERS: Final = len(OWN)
AT_VALUE_AFTER_TURN, AT_VALUE = (AFTERSTATES.index(name) for name in (VALUE_AFTER_TURN, VALUE))


@jitable
def add_afterstate(
    game: State, seat: int, value_after_turn: float, value: float, probability: float, features: Any, out: Any
) -> None:
    """Add the afterstate features [F] of a position that is reached with a probability; `features` is overwritten."""
    expected = np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    for other in range(game.players):
        describe(game, other, expected, features)
        at, share = (0, probability) if other == seat else (AT_OTHERS, probability / (int(game.players) - 1))
        out[at + AT_POINTS] += share * features[SCORE] / POINT
        out[at + AT_MARKS] += share * (features[MARK_FOUR] + features[MARK_TWO]) / POINT
        out[at + AT_HAND] += share * features[HAND] / STALL
        out[at + AT_TOKENS] += share * features[TOKENS] / TOKEN
        out[at + AT_FACE_UP] += share * features[FACE_UP] / TOKEN
        out[at + AT_MAJORITIES] += share * features[MAJORITIES] / STALL
        for stage in range(len(STAGES)):
            promised = OWN_PROMISED + stage if other == seat else AT_OTHERS + OTHERS_PROMISED + stage // (MANY + 1)
            out[promised] += share * features[stage] / POINT
        if other == seat:
            out[OWN_FOUR] += share * features[FOUR]
            out[OWN_TWO] += share * features[TWO]
    out[AT_VALUE_AFTER_TURN] += probability * value_after_turn / POINT
    out[AT_VALUE] += probability * value / POINT


@jitable
def subtract_means(game: State, afterstates: Any) -> None:
    """Subtract from each feature of `afterstates` [A, F] its mean over all legal actions."""
    legal = 0
    for action in range(ACTION_COUNT):
        legal += is_legal(game, action)
    for feature in range(afterstates.shape[1]):
        mean = afterstates[:, feature].sum() / max(1, legal)
        for action in range(ACTION_COUNT):
            if is_legal(game, action):
                afterstates[action, feature] -= mean
