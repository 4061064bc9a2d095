"""Generalised advantage estimation for several seats: every seat has its own decisions and its own outcome."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import kernel


@kernel
def compute_gae(
    seats: Any,
    is_learner: Any,
    dones: Any,
    utilities: Any,
    values: Any,
    last_values: Any,
    num_players: Any,
    gae_lambda: float,
    advantages: Any,
    value_targets: Any,
) -> None:
    """Write advantages [T, B] and value targets [T, B, P]; all reward comes at the end of a game, undiscounted.

    For T steps at B tables of up to P seats: `seats` [T, B] decided, `is_learner` [T, B] says where the learner held
    that seat, `dones` [T, B] where the game ended with the step, and `utilities` [T, B, P] has its utility for every
    seat. `values` [T, B, P] are those of the deciding seat and of the seats after it; `last_values` [B, P], by seat,
    are those after the last step.

    The target of the deciding seat is its value plus its advantage. The target of each other seat is its outcome, or
    its last value if the game goes on after the last step.
    """
    most = last_values.shape[1]
    next_value, advantage, outcome = np.zeros(most), np.zeros(most), np.zeros(most)  # of every seat
    for row in range(seats.shape[1]):
        count = num_players[row]
        for seat in range(count):
            next_value[seat] = last_values[row, seat]
            outcome[seat] = last_values[row, seat]
            advantage[seat] = 0
        for step in range(seats.shape[0] - 1, -1, -1):
            if dones[step, row]:
                for seat in range(count):
                    next_value[seat] = utilities[step, row, seat]
                    outcome[seat] = next_value[seat]
                    advantage[seat] = 0
            if is_learner[step, row]:
                seat = seats[step, row]
                value = values[step, row, 0]
                advantage[seat] = next_value[seat] - value + gae_lambda * advantage[seat]
                next_value[seat] = value
                advantages[step, row] = advantage[seat]
                value_targets[step, row, 0] = value + advantage[seat]
                for offset in range(1, count):
                    value_targets[step, row, offset] = outcome[(seat + offset) % count]
