"""Any game as a stable-baselines3 `VecEnv` for one seat of each table, over the native batch.

    from sb3_contrib import MaskablePPO
    from olb_env.envs.sb3 import SeatVecEnv

    model = MaskablePPO("MlpPolicy", SeatVecEnv(num_envs=64, num_players=2, opponents="random"))

Only this module needs stable-baselines3.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from olb_env.core.game import DEFAULT_GAME, find
from olb_env.envs.batched import SAME_STEP, BatchedEnv
from olb_env.envs.common import action_space, observation_space
from olb_env.envs.rendering import BATCH_MODES, Renderer, gallery, read_render_mode, render_modes


class SeatVecEnv(VecEnv):  # type: ignore[misc]  # not looked into, since only users of it have it installed
    """Many tables with one learner each; options as in the Gymnasium environment of one game.

    A new game follows at once where one ends. The info of a game that ended has `terminal_observation`, and `episode`
    as `Monitor` writes it.
    """

    def __init__(
        self,
        game: str = DEFAULT_GAME,
        num_envs: int = 64,
        opponents: Any = None,
        seat: int | str = 0,
        reward: str = "rank",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = find(game)
        self.render_mode = read_render_mode(render_mode, BATCH_MODES)
        self._renderer = Renderer(self.render_mode)
        self.metadata = render_modes(BATCH_MODES)
        self._batch = BatchedEnv(
            self.game, num_envs, SAME_STEP, reward=reward, seat=seat, opponents=opponents, options=options
        )
        rows = self._batch.rows
        self._rows = np.arange(rows)
        self._view = self._batch.no_view()
        self._started = False
        self._lengths = np.zeros(rows, np.int64)  # decisions of the learners in their games
        self._actions: Any = None
        self._began = time.monotonic()
        super().__init__(rows, observation_space(self.game), action_space(self.game))

    def reset(self) -> npt.NDArray[np.float32]:
        """Deal new games, from the seeds given to `seed()` if any."""
        if any(options != self._options[0] for options in self._options):
            raise ValueError("set_options gave different options to different games: give the same to all")
        view = self._batch.new_view()
        self._batch.deal(view, list(self._seeds), changes=self._options[0])
        self._view, self._started = view, True
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return view.observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the actions of all tables."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Play them."""
        if not self._started:
            raise ValueError("no game is on: call reset() first")
        learners, view = self._batch.learners, self._batch.new_view()
        ended = self._batch.step(self._actions, view)
        self._view = view
        rewards = self._batch.rewards[self._rows, learners].astype(np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._lengths += 1
        rows = np.flatnonzero(ended)
        if len(rows):
            self._tell(rows, learners, rewards, infos)
        return view.observations, rewards, ended, infos

    def _tell(self, rows: Any, learners: Any, rewards: Any, infos: list[dict[str, Any]]) -> None:
        """Say of the games that ended what SB3 wants to know."""
        seats, elapsed = learners[rows], round(time.monotonic() - self._began, 6)
        told = zip(
            rows.tolist(),
            self._batch.last_observations[rows],
            rewards[rows].tolist(),
            self._lengths[rows].tolist(),
            self._batch.ranks[rows, seats].tolist(),
            self._batch.scores[rows, seats].tolist(),
            strict=True,
        )
        for row, observation, reward, length, rank, score in told:
            infos[row] = {
                "terminal_observation": observation,
                "TimeLimit.truncated": False,
                "episode": {"r": reward, "l": length, "t": elapsed},
                "rank": rank,
                self.game.score: score,
            }
        self._lengths[rows] = 0

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal now, one row for each table."""
        return self._view.masks.astype(np.bool_)

    def close(self) -> None:
        """Nothing is held open."""

    def has_attr(self, attr_name: str) -> bool:
        """Whether the tables have an attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: int | Sequence[int] | None = None) -> list[Any]:
        """An attribute, once for each table asked for."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Sequence[int] | None = None) -> None:
        """Set an attribute, which all tables share."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"attribute {attr_name!r} is shared by all games: set it for all at once")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Sequence[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method for some tables: `action_masks`, `legal_actions` or `render`."""
        rows = list(self._get_indices(indices))
        if method_name == "action_masks":
            return list(self.action_masks()[rows])
        if method_name == "legal_actions":
            return [self._batch.legal_actions(row) for row in rows]
        if method_name == "render":
            return [self._renderer.render(self._batch.position(row)) if self.render_mode else None for row in rows]
        raise AttributeError(f"games have no method {method_name!r}: expected action_masks, legal_actions or render")

    def env_is_wrapped(self, wrapper_class: type, indices: int | Sequence[int] | None = None) -> list[bool]:
        """No table is wrapped, but all report their episodes as `Monitor` does."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[Any] | None]:
        """The position of every table as pixels, for SB3's recorder of videos."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return [self._batch.position(row).pixels() for row in range(self.num_envs)]

    def _repr_html_(self) -> str | None:
        """In a notebook a batch shows some of its games."""
        return gallery(self.num_envs, self._batch.position) if self._started else None
