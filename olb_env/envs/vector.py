"""Any game as a Gymnasium vector environment: one learner at each table, all tables in one process."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from olb_env.core.checking import shown
from olb_env.core.game import find
from olb_env.envs.batched import DISABLED, NEXT_STEP, SAME_STEP, BatchedEnv, KeepsView, LearnerView
from olb_env.envs.common import action_space, observation_space, read_changes
from olb_env.envs.rendering import BATCH_MODES, Renderer, gallery, read_render_mode, render_modes

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
AUTORESETS = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: DISABLED,
}


class SeatVectorEnv(KeepsView, VectorEnv[Floats, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many tables with one learner each; opponents, seat, reward and options as in `SeatEnv`.

    An illegal action raises ValueError, and no game changes. Where a game is over and the next action will be ignored,
    the mask allows all actions. With `copy=False` observations and masks are the environment's own arrays, which each
    step overwrites.
    """

    metadata: dict[str, Any] = render_modes(BATCH_MODES)

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponents: Any = None,
        seat: int | str = 0,
        reward: str = "rank",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = find(game)
        self.render_mode = read_render_mode(render_mode, BATCH_MODES)
        self._renderer = Renderer(self.render_mode)
        self._autoreset_mode = _read_autoreset_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self._autoreset_mode}
        autoreset = AUTORESETS[self._autoreset_mode]
        self._env = BatchedEnv(
            self.game, num_envs, autoreset, reward=reward, seat=seat, opponents=opponents, options=options
        )
        self.num_envs = self._env.num_envs
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = action_space(self.game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._copy = copy
        self._rows = np.arange(self.num_envs)
        self._view = LearnerView.zeros(self.game, self.num_envs)
        self._started = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Deal new games at all tables, or at those selected by `options["reset_mask"]`.

        A seed n is n for the first table, n + 1 for the second, and so on; a list has a seed or None for each table. At
        a table without a seed the next game follows from its last one. Other options are those of the game, changed
        for these games only.
        """
        changes = read_changes(options)
        which = self._read_reset_mask(changes.pop("reset_mask", None))
        view = self._env.new_view() if self._copy else self._view
        self._env.deal(view, seed, which, changes)
        self._view, self._started = view, True
        return view.observations, self._infos(which)

    def step(self, actions: Any) -> tuple[Floats, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Take one action at each table, and let the opponents play until the learner is to act again."""
        if not self._started or self._autoreset_mode is AutoresetMode.DISABLED:
            self._require_games()
        learners = self._env.learners  # before the step, which may deal new games
        view = self._env.new_view() if self._copy else self._view
        ended = self._env.step(actions, view)
        self._view = view
        infos = self._infos(np.ones_like(ended))
        if ended.any():
            results = self._result_infos(ended.copy())
            if self._autoreset_mode is AutoresetMode.SAME_STEP:
                results = self._final_infos(ended.copy(), learners, results)
            infos.update(results)
        rewards = self._env.results.rewards[self._rows, learners]
        return view.observations, rewards, ended, np.zeros_like(ended), infos

    def _require_games(self) -> None:
        over = self._env.game_over
        if over.any():
            raise ValueError(f"row {int(over.argmax())}: no game is in progress: call reset() first")

    def _infos(self, which: Flags) -> dict[str, Any]:
        """Return the infos of every step; `which` [B] selects the rows they hold for."""
        return {"action_mask": self._view.masks, "_action_mask": which, "seat": self._view.seats, "_seat": which}

    def _result_infos(self, ended: Flags) -> dict[str, Any]:
        """Return the ranks and scores of all seats in the games that ended."""
        infos: dict[str, Any] = {}
        for name, values in (("rank", self._env.results.ranks), (self.game.score, self._env.results.scores)):
            infos[name] = np.zeros_like(values)
            infos[name][ended] = values[ended]
            infos[f"_{name}"] = ended
        return infos

    def _final_infos(self, ended: Flags, learners: npt.NDArray[np.int64], results: dict[str, Any]) -> dict[str, Any]:
        """Return the last observations and infos of games that ended, in the form Gymnasium has for SAME_STEP."""
        rows = np.flatnonzero(ended)
        last_observations = np.full(self.num_envs, None, object)
        for row, observation in zip(rows, self._env.results.last_observations[rows], strict=True):
            last_observations[row] = observation
        final_info = {
            "action_mask": np.zeros_like(self._view.masks),
            "_action_mask": ended,
            "seat": np.where(ended, learners, 0),
            "_seat": ended,
            **results,
        }
        return {
            "final_obs": last_observations,
            "_final_obs": ended,
            "final_info": final_info,
            "_final_info": ended,
        }

    def _read_reset_mask(self, mask: Any) -> Flags:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(f"options['reset_mask'] is {shown(mask)}: expected an array of {self.num_envs} bools")
        if not self._started and not mask.all():
            raise ValueError("options['reset_mask'] leaves out tables that were never dealt a game: reset all first")
        return mask.copy()

    def action_masks(self) -> Flags:
        """Return which actions are legal now [B, A]."""
        return self._view.masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Return the position at every table as text, SVG or pixels, depending on `render_mode`."""
        if not self._started:
            self._require_games()
        shown = tuple(self._renderer.render(self._env.position(row)) for row in range(self.num_envs))
        return None if self.render_mode is None else shown

    def _repr_html_(self) -> str | None:
        """Return pictures of some of the games, which a notebook shows."""
        return gallery(self.num_envs, self._env.position) if self._started else None


def _read_autoreset_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(repr(known.value) for known in AutoresetMode)
        raise ValueError(f"autoreset_mode is {shown(mode)}: expected one of {allowed}") from None
