"""A batch of games in which every seat learns: each step asks for the action of whichever seat is to act at a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from olb_env.core.game import DEFAULT_GAME, find
from olb_env.envs.batched import SAME_STEP, BatchedEnv, KeepsView, LearnerView
from olb_env.envs.common import read_changes
from olb_env.envs.rendering import gallery
from olb_env.playing import Views


class Step(NamedTuple):
    """The next decision at every table, and the rewards of all seats for the step before.

    Observation and mask are those of the seat to act. A seat gets its reward at once, not when it acts again. Where
    `terminated`, a game ended in this step, and the decision is the first of the next game.
    """

    observations: npt.NDArray[np.float32]  # [B, D]
    masks: npt.NDArray[np.int8]  # [B, A]
    seats: npt.NDArray[np.int64]  # [B] the seats to act
    rewards: npt.NDArray[np.float64]  # [B, P]
    terminated: npt.NDArray[np.bool_]  # [B]


class SelfPlay(KeepsView):
    """Many tables at which all seats learn. When a game ends, the next one is dealt in the same step.

    `options` are those of the game. With `copy=False` observations, masks and seats are the batch's own arrays, which
    each step overwrites.
    """

    def __init__(
        self,
        game: str = DEFAULT_GAME,
        num_envs: int = 512,
        *,
        reward: str = "rank",
        copy: bool = True,
        **options: Any,
    ) -> None:
        self.game = find(game)
        self._env = BatchedEnv(
            self.game, num_envs, SAME_STEP, reward=reward, seat=None, opponents=None, options=options
        )
        self.num_envs, self.num_players = self._env.num_envs, self._env.num_players
        self._copy = copy
        self._started = False
        self._view = LearnerView.zeros(self.game, self.num_envs)

    def reset(self, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None) -> Step:
        """Deal new games at all tables, with seeds as in the vector environment.

        `options` changes options of the game for these games only.
        """
        changes = read_changes(options)
        if "reset_mask" in changes:
            raise ValueError("options has 'reset_mask', but this batch deals at all tables at once: leave it out")
        view = self._next_view()
        self._env.deal(view, seed, changes=changes)
        self._started = True
        return self._first_step(view)

    def step(self, actions: Any) -> Step:
        """Take the action of the seat to act at each table; an illegal one raises ValueError, and no game changes."""
        self._check_started()
        view = self._next_view()
        terminated = self._env.step(actions, view)
        return Step(view.observations, view.masks, view.seats, self._env.results.rewards.copy(), terminated)

    def views(self, rows: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]) -> Views:
        """Return the decisions to make at some tables [N], for agents; seeds [N] as in `Views`."""
        self._check_started()
        return self._env.views(rows, seeds)

    def save(self) -> dict[str, npt.NDArray[np.uint8]]:
        """Return all games as plain bytes, to continue them with `restore`."""
        self._check_started()
        return self._env.save()

    def restore(self, saved: Mapping[str, npt.NDArray[np.uint8]]) -> Step:
        """Continue saved games, and return their next decisions without rewards.

        Bytes that `save` could not have returned raise ValueError, and no game changes.
        """
        self._env.restore(saved)
        self._started = True
        view = self._next_view()
        self._env.write_view(view)
        return self._first_step(view)

    def _check_started(self) -> None:
        if not self._started:
            raise ValueError("no game is in progress: call reset() first")

    def _next_view(self) -> LearnerView:
        return self._env.new_view() if self._copy else self._view

    def _first_step(self, view: LearnerView) -> Step:
        rewards, terminated = np.zeros((self.num_envs, self.num_players)), np.zeros(self.num_envs, np.bool_)
        return Step(view.observations, view.masks, view.seats, rewards, terminated)

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """The ranks [B, P] of the last game that ended at each table."""
        return self._env.results.ranks.copy()

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """The scores [B, P] of the last game that ended at each table."""
        return self._env.results.scores.copy()

    def _repr_html_(self) -> str | None:
        """Return pictures of some of the games, which a notebook shows."""
        return gallery(self.num_envs, self._env.position) if self._started else None
