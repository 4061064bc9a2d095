"""The trajectories of single seats, cut from a rollout in which several seats act in turn.

The reward of the step after a decision seldom belongs to that decision: other seats act between two decisions of a
seat, and the game may end with any of them. These functions find for each decision the next one of the same seat in the
same game. A rollout has T steps of B games with P seats: `seats` [T, B] are the seats that acted, `rewards` [T, B, P]
the rewards of all seats for each step, `terminated` [T, B] whether the game ended in the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core.compiling import kernel

NO_STEP = -1  # instead of a step


@dataclass(frozen=True)
class Links:
    """The reward of every decision [T, B] for its own seat, and the step of that seat's next decision."""

    rewards: npt.NDArray[np.float64]  # of the seat, from this decision until its next one or the end of the game
    next_step: npt.NDArray[np.int64]  # of the seat's next decision in the same game, or NO_STEP
    terminated: npt.NDArray[np.bool_]  # the game ended before the seat acted again

    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """Where the rollout stopped before the seat acted again, so that later rewards are unknown."""
        truncated: npt.NDArray[np.bool_] = (self.next_step == NO_STEP) & ~self.terminated
        return truncated


@dataclass(frozen=True)
class Trajectory:
    """The decisions of one seat in one game."""

    row: int
    seat: int
    steps: npt.NDArray[np.int64]  # of its decisions
    rewards: npt.NDArray[np.float64]  # of each decision until the next
    terminated: bool  # whether the game ended, so that the last reward is the final one


def link_decisions(seats: Any, rewards: Any, terminated: Any) -> Links:
    """Return the reward of each decision of a rollout and the next decision of the same seat."""
    seats, rewards, terminated = np.asarray(seats), np.asarray(rewards), np.asarray(terminated)
    if seats.ndim != 2 or terminated.shape != seats.shape or rewards.shape[:-1] != seats.shape:
        raise ValueError(
            f"seats {seats.shape}, rewards {rewards.shape} and terminated {terminated.shape} do not fit: "
            "expected [steps, games], [steps, games, players] and [steps, games]"
        )
    players = rewards.shape[-1]
    if seats.size and not 0 <= seats.min() <= seats.max() < players:
        raise ValueError(f"seats run from {seats.min()} to {seats.max()}: expected 0 to {players - 1}")
    links = Links(np.zeros(seats.shape), np.zeros(seats.shape, np.int64), np.zeros(seats.shape, np.bool_))
    _link(
        np.ascontiguousarray(seats, np.int64),
        np.ascontiguousarray(rewards, np.float64),
        np.ascontiguousarray(terminated, np.bool_),
        links.rewards,
        links.next_step,
        links.terminated,
    )
    return links


@kernel
def _link(seats: Any, rewards: Any, ended: Any, own_rewards: Any, next_step: Any, terminated: Any) -> None:
    """Write the three arrays of `Links`, going backwards through a rollout; `ended` [T, B] is where games ended."""
    players = rewards.shape[2]
    later_rewards = np.zeros(players)  # of each seat, before its next decision
    later_step = np.zeros(players, np.int64)  # of each seat's next decision
    for row in range(seats.shape[1]):
        later_rewards[:] = 0
        later_step[:] = NO_STEP
        game_ended = False
        for step in range(seats.shape[0] - 1, -1, -1):
            if ended[step, row]:  # later steps belong to the next game
                later_rewards[:] = 0
                later_step[:] = NO_STEP
                game_ended = True
            for seat in range(players):
                later_rewards[seat] += rewards[step, row, seat]
            seat = seats[step, row]
            own_rewards[step, row] = later_rewards[seat]
            next_step[step, row] = later_step[seat]
            terminated[step, row] = game_ended and later_step[seat] == NO_STEP
            later_rewards[seat] = 0
            later_step[seat] = step


def discounted_returns(links: Links, gamma: float = 1.0) -> npt.NDArray[np.float64]:
    """Return the return of each decision [T, B] for its seat, discounted once per decision of that seat.

    It is NaN where the rollout stopped before the game ended.
    """
    found = np.where(links.truncated, np.nan, links.rewards)
    rows = np.arange(found.shape[1])
    for step in range(len(found) - 1, -1, -1):
        next_step = links.next_step[step]
        continues = next_step != NO_STEP
        found[step, continues] += gamma * found[next_step[continues], rows[continues]]
    return found


def trajectories(seats: Any, rewards: Any, terminated: Any) -> list[Trajectory]:
    """Return one trajectory for each seat of each game of a rollout, ordered by their first decisions."""
    links = link_decisions(seats, rewards, terminated)
    seats = np.asarray(seats)
    visited = np.zeros(seats.shape, np.bool_)
    found = []
    for first, row in np.argwhere(np.ones_like(visited)):
        if visited[first, row]:
            continue
        chain, step = [], int(first)
        while step != NO_STEP:
            chain.append(step)
            visited[step, row] = True
            step = int(links.next_step[step, row])
        steps = np.array(chain)
        ended = bool(links.terminated[steps[-1], row])
        found.append(Trajectory(int(row), int(seats[first, row]), steps, links.rewards[steps, row], ended))
    return found
