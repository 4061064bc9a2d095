"""Rewards at the end of a game, from ranks and scores; the same for every game.

`rank` runs linearly from +1 for the first to -1 for the last, `win` gives the winner +1 and the others
-1 / (n - 1), and the third, named after what a game counts, is the own score minus the mean of the others'.
All sum to zero. Seats that share a rank share what their places would bring.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import kernel, rule
from olb_env.core.game import Game, States
from olb_env.core.verbs import returns

RANK, WIN, SCORE = range(3)


def reward_kind(game: Game, name: str) -> int:
    """The reward of that name."""
    if name not in game.rewards:
        raise ValueError(f"reward is {name!r}: expected one of {', '.join(game.rewards)}")
    return game.rewards.index(name)


def reward_for_cheating(game: Game, kind: int) -> float:
    """What an illegal action earns where it ends the game: never more than the worst loss."""
    return -game.largest_deficit / game.score_unit if kind == SCORE else -1.0


@rule
def write_rewards(kind: int, unit: float, ranks: Any, scores: Any, out: Any) -> None:
    """Rewards of all seats; all arrays have one entry for each seat that plays."""
    seats = ranks.shape[0]
    total = 0.0
    winners = 0
    for seat in range(seats):
        total += scores[seat]
        winners += ranks[seat] == 1
    for seat in range(seats):
        if kind == SCORE:
            others = (total - scores[seat]) / (seats - 1)
            out[seat] = (scores[seat] - others) / unit
        elif kind == WIN:
            if ranks[seat] == 1:
                out[seat] = (1 - (winners - 1) / (seats - 1)) / winners
            else:
                out[seat] = -1 / (seats - 1)
        else:
            level = 0
            for other in range(seats):
                level += ranks[other] == ranks[seat]
            place = ranks[seat] - 1 + (level - 1) / 2
            out[seat] = 1 - 2 * place / (seats - 1)


@kernel
def reward_rows(states: States, kind: int, unit: float, rewards: Any) -> None:
    """Rewards [B, seats] of finished games."""
    ranks = np.zeros(rewards.shape[1], np.int64)
    scores = np.zeros(rewards.shape[1], np.float64)
    for row in range(states.shape[0]):
        returns(states[row], ranks, scores)
        write_rewards(kind, unit, ranks, scores, rewards[row])
