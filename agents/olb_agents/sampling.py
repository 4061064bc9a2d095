"""Sampling actions in compiled code, and finding the decisions that are made in secret.

This module is independent of any game.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_env.core.compiling import jitable, kernel
from olb_env.core.rng import mix
from olb_env.core.verbs import secret

UNIT: Final = 2.0**-53  # of 53 random bits


@jitable
def uniform(rng_state: int) -> float:
    """Return a random number in [0, 1) from the state of a random stream."""
    return float(np.int64(mix(rng_state) >> 11) * UNIT)


@jitable
def sample(probabilities: Any, rng_state: int) -> int:
    """Return an index of `probabilities` [A], drawn from a state of a random stream."""
    left = uniform(rng_state)
    last = -1
    for action in range(probabilities.shape[0]):
        if probabilities[action] > 0:
            last = action
            left -= probabilities[action]
            if left < 0:
                break
    return last


@kernel
def sample_rows(probabilities: Any, seeds: Any, actions: Any) -> None:
    """Draw an action for every row of `probabilities` [N, A] from the seed of that row."""
    for row in range(probabilities.shape[0]):
        actions[row] = sample(probabilities[row], seeds[row])


@kernel
def find_secret_rows(states: Any, is_secret: Any) -> None:
    """Write whether the action to be chosen in each game [N] stays hidden until a reveal."""
    for row in range(states.shape[0]):
        is_secret[row] = secret(states[row]) > 0
