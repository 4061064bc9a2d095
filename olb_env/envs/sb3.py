"""Any game as a stable-baselines3 `VecEnv`: one learner at each table, all tables in one process.

    from sb3_contrib import MaskablePPO
    from olb_env.envs.sb3 import SeatVecEnv

    model = MaskablePPO("MlpPolicy", SeatVecEnv(num_envs=64, num_players=2, opponents="random"))

No other module of the package imports stable-baselines3.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from olb_env.core.checking import shown
from olb_env.core.game import DEFAULT_GAME, find
from olb_env.envs.batched import SAME_STEP, BatchedEnv, KeepsView, LearnerView
from olb_env.envs.common import action_space, observation_space
from olb_env.envs.rendering import BATCH_MODES, Renderer, gallery, read_render_mode, render_modes


class SeatVecEnv(KeepsView, VecEnv):  # type: ignore[misc]  # mypy does not read SB3, which is not always installed
    """Many tables with one learner each; opponents, seat, reward and options as in `SeatEnv`.

    When a game ends, the next one is dealt in the same step. The info of the game that ended has
    `terminal_observation`, and `episode` as `Monitor` writes it.
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
        self._env = BatchedEnv(
            self.game, num_envs, SAME_STEP, reward=reward, seat=seat, opponents=opponents, options=options
        )
        self._rows = np.arange(self._env.num_envs)
        self._view = LearnerView.zeros(self.game, self._env.num_envs)
        self._started = False
        self._lengths = np.zeros(self._env.num_envs, np.int64)  # decisions of the learner in each game
        self._actions: Any = None
        self._start_time = time.monotonic()
        super().__init__(self._env.num_envs, observation_space(self.game), action_space(self.game))

    def reset(self) -> npt.NDArray[np.float32]:
        """Deal new games at all tables, from the seeds given to `seed()` if any."""
        if any(options != self._options[0] for options in self._options):
            raise ValueError("set_options has different options for different games: expected the same for all")
        view = self._env.new_view()
        self._env.deal(view, list(self._seeds), changes=self._options[0])
        self._view, self._started = view, True
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return view.observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Remember the actions [B] for `step_wait`."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Take the actions, and let the opponents play until the learner is to act again."""
        if not self._started:
            raise ValueError("no game is in progress: call reset() first")
        learners, view = self._env.learners, self._env.new_view()
        ended = self._env.step(self._actions, view)
        self._view = view
        rewards = self._env.results.rewards[self._rows, learners].astype(np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._lengths += 1
        rows = np.flatnonzero(ended)
        if len(rows):
            self._write_final_infos(rows, learners, rewards, infos)
        return view.observations, rewards, ended, infos

    def _write_final_infos(self, rows: Any, learners: Any, rewards: Any, infos: list[dict[str, Any]]) -> None:
        """Write the infos that SB3 expects of the games that ended in `rows` [N]."""
        results, seats = self._env.results, learners[rows]
        elapsed = round(time.monotonic() - self._start_time, 6)
        games = zip(
            rows.tolist(),
            results.last_observations[rows],
            rewards[rows].tolist(),
            self._lengths[rows].tolist(),
            results.ranks[rows, seats].tolist(),
            results.scores[rows, seats].tolist(),
            strict=True,
        )
        for row, observation, reward, length, rank, score in games:
            infos[row] = {
                "terminal_observation": observation,
                "TimeLimit.truncated": False,
                "episode": {"r": reward, "l": length, "t": elapsed},
                "rank": rank,
                self.game.score: score,
            }
        self._lengths[rows] = 0

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal now [B, A]."""
        return self._view.masks.astype(np.bool_)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the tables have an attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: int | Sequence[int] | None = None) -> list[Any]:
        """Return an attribute, once for each table in `indices`."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Sequence[int] | None = None) -> None:
        """Set an attribute of all tables, which share it."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"attribute {shown(attr_name)} is shared by all games: set it for all at once")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Sequence[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call `action_masks`, `legal_actions` or `render` for some tables."""
        rows = list(self._get_indices(indices))
        if method_name == "action_masks":
            return list(self.action_masks()[rows])
        if method_name == "legal_actions":
            return [self._env.legal_actions(row) for row in rows]
        if method_name == "render":
            return [self._renderer.render(self._env.position(row)) if self.render_mode else None for row in rows]
        raise AttributeError(
            f"games have no method {shown(method_name)}: expected action_masks, legal_actions or render"
        )

    def env_is_wrapped(self, wrapper_class: type, indices: int | Sequence[int] | None = None) -> list[bool]:
        """Return True for `Monitor`, whose episode infos all tables write, and False for any other wrapper."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[Any] | None]:
        """Return the position at every table as pixels, for SB3's video recorder."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return [self._env.position(row).pixels() for row in range(self.num_envs)]

    def _repr_html_(self) -> str | None:
        """Return pictures of some of the games, which a notebook shows."""
        return gallery(self.num_envs, self._env.position) if self._started else None
