"""How much better each decision turned out than expected, every seat by its own decisions and its own end."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import kernel


@kernel
def compute_gae(
    seats: Any,
    learns: Any,
    over: Any,
    utilities: Any,
    values: Any,
    after: Any,
    players: Any,
    trust: float,
    advantages: Any,
    targets: Any,
) -> None:
    """Generalised advantages [T, B], with all reward at the end of a game and no discount.

    Of T steps at B tables with up to P seats: who decided, whether a learner, whether the game ended with it and how
    [T, B, P]; `values` [T, B, P] is what the decider expected for itself and the seats after it, `after` [B, P] what is
    expected by seat when the steps are over. `targets` [T, B, P] is what it should have expected: for itself what it
    expected later, mixed with the end by `trust` (lambda); for the others the end itself.
    """
    most = after.shape[1]
    later, surprise, end = np.zeros(most), np.zeros(most), np.zeros(most)
    for row in range(seats.shape[1]):
        count = players[row]
        for seat in range(count):
            later[seat] = after[row, seat]
            end[seat] = after[row, seat]
            surprise[seat] = 0
        for step in range(seats.shape[0] - 1, -1, -1):
            if over[step, row]:
                for seat in range(count):
                    later[seat] = utilities[step, row, seat]
                    end[seat] = later[seat]
                    surprise[seat] = 0
            if learns[step, row]:
                seat = seats[step, row]
                expected = values[step, row, 0]
                surprise[seat] = later[seat] - expected + trust * surprise[seat]
                later[seat] = expected
                advantages[step, row] = surprise[seat]
                targets[step, row, 0] = expected + surprise[seat]
                for on in range(1, count):
                    targets[step, row, on] = end[(seat + on) % count]
