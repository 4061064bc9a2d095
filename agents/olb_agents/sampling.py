"""Drawing answers by their chances, where one that could be foreseen would be answered."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_env.core.compiling import kernel, rule
from olb_env.core.rng import mix
from olb_env.core.verbs import secret

FRACTION: Final = 2.0**-53  # of 53 bits


@rule
def fraction(chance: int) -> float:
    """A number from 0 to 1."""
    return float(np.int64(mix(chance) >> 11) * FRACTION)


@rule
def draw(chances: Any, chance: int) -> int:
    """An answer by its chance."""
    left = fraction(chance)
    last = -1
    for answer in range(chances.shape[0]):
        if chances[answer] > 0:
            last = answer
            left -= chances[answer]
            if left < 0:
                break
    return last


@kernel
def draw_rows(chances: Any, seeds: Any, actions: Any) -> None:
    """An answer [N] for the seed of each decision."""
    for row in range(chances.shape[0]):
        actions[row] = draw(chances[row], seeds[row])


@kernel
def secret_rows(states: Any, hidden: Any) -> None:
    """Whether the answer to each question [N] stays hidden until others have answered too."""
    for row in range(states.shape[0]):
        hidden[row] = secret(states[row]) > 0
