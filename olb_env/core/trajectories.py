"""Cutting a stream of decisions into what each seat did and earned.

Where several seats decide in turn, the reward that follows a decision at once is seldom its own: between two decisions
of a seat others decide, and the game may end in any of them. These functions look ahead from each decision to the next
of the same seat in the same game. T steps of B games with P seats: `seats` [T, B] is who decided, `rewards` [T, B, P]
what every seat earned by that step, `over` [T, B] whether the game ended in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core.compiling import kernel

LAST = -1


@dataclass(frozen=True)
class Links:
    """For every decision [T, B]: what it earned its seat until that seat's next one, and which step that is."""

    rewards: npt.NDArray[np.float64]  # from this decision until the next of the seat, or the end
    following: npt.NDArray[np.int64]  # the step of the seat's next decision in the same game, or LAST
    ended: npt.NDArray[np.bool_]  # the game ended before the seat decided again

    @property
    def cut(self) -> npt.NDArray[np.bool_]:
        """The stream stopped before the seat decided again: what more it earned is not known."""
        cut: npt.NDArray[np.bool_] = (self.following == LAST) & ~self.ended
        return cut


@dataclass(frozen=True)
class Trajectory:
    """The decisions of one seat in one game."""

    row: int
    seat: int
    steps: npt.NDArray[np.int64]  # when it decided
    rewards: npt.NDArray[np.float64]  # what each decision earned until the next
    ended: bool  # whether the game ended, and so the last reward is the final one


def link_decisions(seats: Any, rewards: Any, over: Any) -> Links:
    """Find for every decision its own reward and its successor."""
    seats, rewards, over = np.asarray(seats), np.asarray(rewards), np.asarray(over)
    if seats.ndim != 2 or over.shape != seats.shape or rewards.shape[:-1] != seats.shape:
        raise ValueError(
            f"seats {seats.shape}, rewards {rewards.shape} and over {over.shape} do not fit: "
            "expected [steps, games], [steps, games, players] and [steps, games]"
        )
    players = rewards.shape[-1]
    if seats.size and not 0 <= seats.min() <= seats.max() < players:
        raise ValueError(f"seats run from {seats.min()} to {seats.max()}: expected 0 to {players - 1}")
    earned, following, ended = np.zeros(seats.shape), np.zeros(seats.shape, np.int64), np.zeros(seats.shape, np.bool_)
    _link(
        np.ascontiguousarray(seats, np.int64),
        np.ascontiguousarray(rewards, np.float64),
        np.ascontiguousarray(over, np.bool_),
        earned,
        following,
        ended,
    )
    return Links(earned, following, ended)


@kernel
def _link(seats: Any, rewards: Any, over: Any, earned: Any, following: Any, ended: Any) -> None:
    players = rewards.shape[2]
    since = np.zeros(players)  # earned by each seat since the steps already passed, going backwards
    later = np.zeros(players, np.int64)  # each seat's next decision
    for row in range(seats.shape[1]):
        since[:] = 0
        later[:] = LAST
        at_end = False
        for step in range(seats.shape[0] - 1, -1, -1):
            if over[step, row]:  # what was passed belongs to the next game
                since[:] = 0
                later[:] = LAST
                at_end = True
            for seat in range(players):
                since[seat] += rewards[step, row, seat]
            seat = seats[step, row]
            earned[step, row] = since[seat]
            following[step, row] = later[seat]
            ended[step, row] = at_end and later[seat] == LAST
            since[seat] = 0
            later[seat] = step


def discounted_returns(links: Links, discount: float = 1.0) -> npt.NDArray[np.float64]:
    """What each decision [T, B] led to for its seat, discounted once per decision of that seat; NaN if unknown."""
    found = np.where(links.cut, np.nan, links.rewards)
    rows = np.arange(found.shape[1])
    for step in range(len(found) - 1, -1, -1):
        following = links.following[step]
        goes_on = following != LAST
        found[step, goes_on] += discount * found[following[goes_on], rows[goes_on]]
    return found


def trajectories(seats: Any, rewards: Any, over: Any) -> list[Trajectory]:
    """The stream cut into one piece for each seat and game, in the order in which they begin."""
    links = link_decisions(seats, rewards, over)
    seats = np.asarray(seats)
    seen = np.zeros(seats.shape, np.bool_)
    found = []
    for first, row in np.argwhere(np.ones_like(seen)):
        if seen[first, row]:
            continue
        steps, step = [], int(first)
        while step != LAST:
            steps.append(step)
            seen[step, row] = True
            step = int(links.following[step, row])
        taken = np.array(steps)
        found.append(
            Trajectory(
                int(row), int(seats[first, row]), taken, links.rewards[taken, row], bool(links.ended[taken[-1], row])
            )
        )
    return found
