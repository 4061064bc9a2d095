"""The extra inputs of networks, beside the observation: features of a game's heuristics, action scores and afterstates.

A network has one of the `FEATURE_SETS` as inputs. They come in this order: the observation, the features of the game's
heuristics, the score of every action by the default style, and the afterstate features of every action. This module is
independent of any game or network.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from olb_agents.heuristics import default_style_weights, heuristics_of, write_features
from olb_agents.scratch import Scratch, new_scratch
from olb_env.core.compiling import jitable, kernel
from olb_env.core.game import Game, State, States, find
from olb_env.core.verbs import legal

FEATURE_SETS: Final = ("observation", "derived", "lookahead", "afterstates")  # each set has all of those before it
MIN_SCORE_INPUT, SCORE_UNIT = 0.2, 3.0  # the input of a hopeless legal action, and how fast worse scores approach it


@jitable
def score_input(score: float, best: float) -> float:
    """Return the input for the score of a legal action: 1 for the best one, less for others."""
    return MIN_SCORE_INPUT + (1 - MIN_SCORE_INPUT) * math.exp((score - best) / SCORE_UNIT)


@jitable
def write_score_inputs(state: State, scratch: Scratch, out: Any) -> None:
    """Write the inputs [A] for the scores in `scratch.scores`: 0 for actions that are not legal.

    It overwrites `scratch.mask`.
    """
    mask, scores = scratch.mask, scratch.scores
    legal(state, mask)
    best = -1e300
    for action in range(out.shape[0]):
        if mask[action]:
            best = max(best, scores[action])
    for action in range(out.shape[0]):
        out[action] = 0
        if mask[action]:
            out[action] = score_input(scores[action], best)


@jitable
def write_inputs(
    state: State, seat: int, num_actions: int, afterstate_size: int, style_weights: Any, scratch: Scratch, out: Any
) -> None:
    """Write all inputs of a network besides the observation."""
    num_features = out.shape[0] - num_actions - num_actions * afterstate_size
    afterstates = out[num_features + num_actions :].reshape(num_actions, afterstate_size)
    write_features(state, seat, style_weights, scratch, out[:num_features], afterstates)
    write_score_inputs(state, scratch, out[num_features : num_features + num_actions])


@kernel
def write_input_rows(
    states: Any,
    seats: Any,
    num_actions: int,
    afterstate_size: int,
    style_weights: Any,
    scratch: Scratch,
    out: Any,
    first_column: int,
) -> None:
    """Write the inputs of many decisions [N] to the columns of `out` [N, ...] from `first_column` on."""
    for row in range(states.shape[0]):
        own = out[row, first_column:]
        write_inputs(states[row], seats[row], num_actions, afterstate_size, style_weights, scratch, own)


def write_extra_inputs(
    game: Game, states: States, seats: Any, out: npt.NDArray[np.float32], first_column: int, afterstate_size: int
) -> None:
    """Write the inputs of some decisions besides the observation to the columns of `out` from `first_column` on."""
    weights, scratch = default_style_weights(game.name), new_scratch(game)
    write_input_rows(states, seats, len(game.actions), afterstate_size, weights, scratch, out, first_column)


def feature_size(game: str, features: str) -> int:
    """Return how many inputs one of the `FEATURE_SETS` adds to the observation, not counting afterstates."""
    heuristics, level = heuristics_of(game), FEATURE_SETS.index(features)
    if heuristics is None or level == 0:
        return 0
    return heuristics.feature_sizes[min(level, len(heuristics.feature_sizes)) - 1] + len(find(game).actions)


def afterstate_size(game: str, features: str) -> int:
    """Return the number of features that describe where each action leads."""
    heuristics = heuristics_of(game)
    return 0 if heuristics is None or features != FEATURE_SETS[-1] else heuristics.afterstate_size


def initial_afterstate_weights(game: str, afterstate_size: int) -> tuple[float, ...]:
    """Return how much each afterstate feature adds to the logits of an untrained network."""
    heuristics = heuristics_of(game)
    known = heuristics.initial_afterstate_weights if heuristics is not None else ()
    return (*known, *[0.0] * (afterstate_size - len(known))) if afterstate_size else ()
