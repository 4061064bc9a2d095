"""Sampling actions from probabilities in compiled code.

This module is independent of any game.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_env.core.compiling import jitable, kernel
from olb_env.core.rng import mix

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
