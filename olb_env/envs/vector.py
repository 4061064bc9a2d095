"""Any game as a Gymnasium vector environment for one seat of each table, in one batch without subprocesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from olb_env.core.game import find
from olb_env.envs.batched import NEVER, NEXT_STEP, SAME_STEP, BatchedEnv
from olb_env.envs.common import action_space, observation_space
from olb_env.envs.rendering import BATCH_MODES, Renderer, gallery, read_render_mode, render_modes

Floats = npt.NDArray[np.float32]
Batch = npt.NDArray[Any]
MODES = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: NEVER,
}


class SeatVectorEnv(VectorEnv[Floats, npt.NDArray[np.int64], Batch]):
    """Many tables with one learner each; opponents, seat, reward and options as in the environment of one game.

    With `copy` False the observations and masks are the environment's own arrays, written anew by each step. An
    action that is not legal raises ValueError, and no game goes on. Where the next action will be ignored because the
    game is over, the mask allows all.
    """

    metadata: dict[str, Any] = render_modes(BATCH_MODES)  # as Gymnasium declares it

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
        self._mode = _read_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self._mode}
        self._batch = BatchedEnv(
            self.game, num_envs, MODES[self._mode], reward=reward, seat=seat, opponents=opponents, options=options
        )
        self.num_envs = self._batch.rows
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = action_space(self.game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._copy = copy
        self._rows = np.arange(self.num_envs)
        self._view = self._batch.no_view()
        self._started = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Deal new games, at all tables or where `options["reset_mask"]` says.

        A seed n gives n to the first table, n + 1 to the second, and so on, whatever their number; a list has one for
        each table, or None to go on with what follows from its last.
        """
        changes = dict(options or {})
        which = self._read_reset_mask(changes.pop("reset_mask", None))
        view = self._batch.new_view() if self._copy else self._view
        self._batch.deal(view, seed, which, changes)
        self._view, self._started = view, True
        return view.observations, self._infos(which)

    def step(self, actions: Any) -> tuple[Floats, Batch, Batch, Batch, dict[str, Any]]:
        """One action for each table."""
        if not self._started or self._mode is AutoresetMode.DISABLED:
            self._want_games_on()
        learners = self._batch.learners
        view = self._batch.new_view() if self._copy else self._view
        ended = self._batch.step(actions, view)
        self._view = view
        told = {}
        if ended.any():
            told = self._results(ended.copy())
            if self._mode is AutoresetMode.SAME_STEP:
                told = self._final(ended.copy(), learners, told)
        rewards = self._batch.rewards[self._rows, learners]
        return view.observations, rewards, ended, np.zeros_like(ended), {**self._infos(np.ones_like(ended)), **told}

    def _want_games_on(self) -> None:
        over = self._batch.over
        if over.any():
            raise ValueError(f"row {int(over.argmax())}: no game is on: call reset() first")

    def _infos(self, which: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """What is always told about the rows of `which`."""
        return {"action_mask": self._view.masks, "_action_mask": which, "seat": self._view.seats, "_seat": which}

    def _results(self, ended: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """How the games that ended came out, for all seats."""
        shown = {"rank": self._batch.ranks, self.game.score: self._batch.scores}
        rows, results = np.flatnonzero(ended), dict[str, Any]()
        for name, values in shown.items():
            results[name] = np.zeros_like(values)
            results[name][rows] = values[rows]
            results[f"_{name}"] = ended
        return results

    def _final(self, ended: Any, learners: Any, results: dict[str, Any]) -> dict[str, Any]:
        """What the learners of finished games see last, as Gymnasium hands it over when the next game is dealt."""
        rows = np.flatnonzero(ended)
        last = np.full(self.num_envs, None, object)
        for row, observation in zip(rows, self._batch.last_observations[rows], strict=True):
            last[row] = observation
        told = {
            "action_mask": np.zeros_like(self._view.masks),
            "_action_mask": ended,
            "seat": np.where(ended, learners, 0),
            "_seat": ended,
            **results,
        }
        return {"final_obs": last, "_final_obs": ended, "final_info": told, "_final_info": ended}

    def _read_reset_mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(f"options['reset_mask'] is {mask!r}: expected an array of {self.num_envs} bools")
        if not self._started and not mask.all():
            raise ValueError("options['reset_mask'] leaves out games that were never dealt: reset all first")
        return mask.copy()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal now, one row for each table."""
        return self._view.masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """The position of every table as text, as SVG or as pixels, as `render_mode` says."""
        if not self._started:
            self._want_games_on()
        shown = tuple(self._renderer.render(self._batch.position(row)) for row in range(self.num_envs))
        return None if self.render_mode is None else shown

    def _repr_html_(self) -> str | None:
        """In a notebook a batch shows some of its games."""
        return gallery(self.num_envs, self._batch.position) if self._started else None


def _read_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(repr(known.value) for known in AutoresetMode)
        raise ValueError(f"autoreset_mode is {mode!r}: expected one of {allowed}") from None
