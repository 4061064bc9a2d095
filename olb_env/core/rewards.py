"""Rewards and utilities of a finished game, from its ranks and scores; the same for every game.

Environments give rewards. `rank` falls linearly from +1 for the first to -1 for the last. `win` is +1 for the winner
and -1 / (P - 1) for the others. The third reward has the name of what the game counts, such as `money`: a seat's score
minus the mean score of the others. Each sums to zero. Seats that share a rank share the rewards of their places.

Search, networks and advisers predict utilities: the mean of the rewards `rank` and `win`, from -1 to 1. Training may
mix in the margin by which a seat won.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core.checking import shown
from olb_env.core.compiling import jitable, kernel
from olb_env.core.game import Game, States
from olb_env.core.verbs import returns

RANK, WIN, SCORE = range(3)


def reward_kind(game: Game, name: str) -> int:
    """Return RANK, WIN or SCORE for the name of a reward."""
    if name not in game.rewards:
        raise ValueError(f"reward is {shown(name)}: expected one of {', '.join(game.rewards)}")
    return game.rewards.index(name)


def illegal_reward(game: Game, kind: int) -> float:
    """Return the reward of a seat whose illegal action ends the game: no better than the worst loss."""
    return -game.largest_deficit / game.score_unit if kind == SCORE else -1.0


@jitable
def write_rewards(kind: int, unit: float, ranks: Any, scores: Any, out: Any) -> None:
    """Write the rewards of all seats [P] of a game with these ranks and scores [P]."""
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
            sharing = 0
            for other in range(seats):
                sharing += ranks[other] == ranks[seat]
            place = ranks[seat] - 1 + (sharing - 1) / 2
            out[seat] = 1 - 2 * place / (seats - 1)


@kernel
def reward_rows(states: States, kind: int, unit: float, rewards: Any) -> None:
    """Write the rewards [B, P] of finished games."""
    ranks = np.zeros(rewards.shape[1], np.int64)
    scores = np.zeros(rewards.shape[1], np.float64)
    for row in range(states.shape[0]):
        returns(states[row], ranks, scores)
        write_rewards(kind, unit, ranks, scores, rewards[row])


@jitable
def write_utilities(ranks: Any, scores: Any, out: Any) -> None:
    """Write the utilities of all seats [P] of a game with these ranks and scores [P]."""
    by_win = np.zeros(ranks.shape[0])
    write_rewards(RANK, 1.0, ranks, scores, out)
    write_rewards(WIN, 1.0, ranks, scores, by_win)
    for seat in range(ranks.shape[0]):
        out[seat] = (out[seat] + by_win[seat]) / 2


@kernel
def utility_rows(states: States, utilities: Any) -> None:
    """Write the utilities [B, P] of finished games."""
    ranks = np.zeros(utilities.shape[1], np.int64)
    scores = np.zeros(utilities.shape[1], np.float64)
    for row in range(states.shape[0]):
        returns(states[row], ranks, scores)
        write_utilities(ranks, scores, utilities[row])


@kernel
def utility_rows_with_margin(ranks: Any, scores: Any, unit: float, margin: float, out: Any) -> None:
    """Write the utilities [N, P] of games with these ranks and scores [N, P], mixed with the margins of victory.

    The weight of a margin is `margin`, that of the utility `1 - margin`.
    """
    utilities, ahead = np.zeros((2, ranks.shape[1]))
    for row in range(ranks.shape[0]):
        write_utilities(ranks[row], scores[row], utilities)
        write_rewards(SCORE, unit, ranks[row], scores[row], ahead)
        for seat in range(ranks.shape[1]):
            out[row, seat] = (1 - margin) * utilities[seat] + margin * math.tanh(ahead[seat] / 2)


def utilities_by_rank(players: int) -> list[float]:
    """Return the utility of each rank in a game without ties, the first rank first."""
    ranks: npt.NDArray[np.int64] = np.arange(1, players + 1)
    utilities = np.zeros(players)
    write_utilities(ranks, ranks, utilities)
    by_rank: list[float] = utilities.round(6).tolist()
    return by_rank


def rank_rewards(ranks: Sequence[int]) -> list[float]:
    """Return the reward `rank` of every seat of a game with these ranks."""
    rewards = np.zeros(len(ranks))
    write_rewards(RANK, 1.0, np.array(ranks), np.zeros(len(ranks)), rewards)
    by_seat: list[float] = rewards.tolist()
    return by_seat
