"""Any game as a batch in which every seat learns: each step asks whoever is to decide at each table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from olb_env.core.game import DEFAULT_GAME, find
from olb_env.envs.batched import SAME_STEP, BatchedEnv
from olb_env.envs.rendering import gallery
from olb_env.playing import Views


class Step(NamedTuple):
    """What a step hands over: the next decision of every table, and what the step brought to every seat.

    Observation and mask belong to `seat`; the reward of a seat does not wait until that seat is asked again. Where
    `over`, the game ended in this step, and the decision is the first of the next game.
    """

    observation: npt.NDArray[np.float32]  # [B, D]
    mask: npt.NDArray[np.int8]  # [B, A]
    seat: npt.NDArray[np.int64]  # [B]
    reward: npt.NDArray[np.float64]  # [B, P]
    over: npt.NDArray[np.bool_]  # [B]


class SelfPlay:
    """Many tables where all seats learn. Options are those of the game; a new game follows at once where one ends.

    With `copy` False observations, masks and seats are the batch's own arrays, written anew by each step.
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
        self._batch = BatchedEnv(
            self.game, num_envs, SAME_STEP, reward=reward, seat=None, opponents=None, options=options
        )
        self.num_envs, self.num_players = self._batch.rows, self._batch.players
        self._copy = copy
        self._started = False
        self._view = self._batch.no_view()

    def reset(self, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None) -> Step:
        """Deal new games at all tables; seeds as in the vector environment, options of the game for these games."""
        if options and "reset_mask" in options:
            raise ValueError("options has 'reset_mask', but games are dealt at all tables at once")
        view = self._batch.new_view() if self._copy else self._view
        self._batch.deal(view, seed, changes=options)
        self._started = True
        nothing = np.zeros((self.num_envs, self.num_players))
        return Step(view.observations, view.masks, view.seats, nothing, np.zeros(self.num_envs, np.bool_))

    def step(self, actions: Any) -> Step:
        """One action for each table, by the seat that was asked; with an illegal one no game goes on."""
        if not self._started:
            raise ValueError("no game is on: call reset() first")
        view = self._batch.new_view() if self._copy else self._view
        ended = self._batch.step(actions, view)
        return Step(view.observations, view.masks, view.seats, self._batch.rewards.copy(), ended)

    def views(self, rows: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]) -> Views:
        """The decisions that stand at some tables, for agents that play there; seeds as in `Views`."""
        return self._batch.views(rows, seeds)

    def save(self) -> dict[str, npt.NDArray[np.uint8]]:
        """All games as they stand, as plain bytes."""
        return self._batch.save()

    def restore(self, saved: Mapping[str, npt.NDArray[np.uint8]]) -> Step:
        """Go on with games as they stood; what is handed over is what stood there before the next step."""
        self._batch.restore(saved)
        self._started = True
        view = self._batch.new_view() if self._copy else self._view
        self._batch.view(view)
        nothing = np.zeros((self.num_envs, self.num_players))
        return Step(view.observations, view.masks, view.seats, nothing, np.zeros(self.num_envs, np.bool_))

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """Ranks [B, P] of the last game that ended at each table."""
        return self._batch.ranks.copy()

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """Scores [B, P] of the last game that ended at each table."""
        return self._batch.scores.copy()

    def _repr_html_(self) -> str | None:
        """In a notebook a batch shows some of its games."""
        return gallery(self.num_envs, self._batch.position) if self._started else None
