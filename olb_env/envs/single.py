"""Any game as a Gymnasium environment for one seat: opponents play the other seats inside `step`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from olb_env.core.checking import shown
from olb_env.core.game import find
from olb_env.core.positions import Position
from olb_env.envs.batched import DISABLED, NO_ROW, BatchedEnv, KeepsView, LearnerView
from olb_env.envs.common import action_space, observation_space, read_action, read_changes
from olb_env.envs.rendering import Renderer, read_render_mode, render_modes

ILLEGAL = ("lose", "raise")


class SeatEnv(KeepsView, gymnasium.Env[npt.NDArray[np.float32], np.int64]):
    """One learner at a table. It gets its reward in the step in which the game ends, whoever ends it.

    `opponents` are names of agents or objects with `act(view)`: one for all other seats, or a list whose first entry
    sits after the learner. `seat` is the learner's seat, or "random" to draw it for each game. An illegal action ends
    the game with a reward no better than the worst loss, or raises ValueError with `illegal="raise"`; anything that is
    not an action always raises.
    """

    metadata: dict[str, Any] = render_modes()

    def __init__(
        self,
        game: str,
        opponents: Any = None,
        seat: int | str = 0,
        reward: str = "rank",
        illegal: str = "lose",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if illegal not in ILLEGAL:
            raise ValueError(f"illegal is {shown(illegal)}: expected one of {', '.join(ILLEGAL)}")
        self.game = find(game)
        self.render_mode = read_render_mode(render_mode)
        self._renderer = Renderer(self.render_mode)
        self.observation_space = observation_space(self.game)
        self.action_space = action_space(self.game)
        self._raises = illegal == "raise"
        self._env = BatchedEnv(self.game, 1, DISABLED, reward=reward, seat=seat, opponents=opponents, options=options)
        self._view = LearnerView.zeros(self.game, 1)
        self._game_over = True  # also where an illegal action ended the game, or none was dealt yet

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Deal a new game and let the opponents play until the learner is to act.

        The same seed deals the same game. Without a seed the game follows from the last one. `options` changes options
        of the game for this game only.
        """
        view = self._env.new_view()
        self._env.deal(view, None if seed is None else [seed], changes=read_changes(options))
        super().reset(seed=None if seed is None else int(seed))
        self._view, self._game_over = view, False
        self._follow()
        return view.observations[0], self._info()

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take the learner's action, and let the opponents play until it is to act again or the game is over."""
        chosen = read_action(action, self.game)
        if self._game_over:
            raise ValueError(f"action is {shown(action)}, but no game is in progress: call reset() first")
        view = self._env.new_view()
        if self._env.try_step(np.array([chosen], np.int64), view) != NO_ROW:
            return self._handle_illegal(chosen)
        self._view = view
        self._follow()
        info = self._info()
        if not self._env.results.ended[0]:
            return view.observations[0], 0.0, False, False, info
        self._game_over = True
        info.update(self.game.records.final_infos(self._env.state(0))[info["seat"]])
        return view.observations[0], float(self._env.results.rewards[0, info["seat"]]), True, False, info

    def _handle_illegal(self, action: int) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        if self._raises:
            raise ValueError(self._env.explain_illegal(0, action).removeprefix("row 0: "))
        self._env.abandon(0)
        self._game_over = True
        self._view = self._env.new_view()
        self._env.write_view(self._view)
        info = {**self._info(), "illegal_action": self.game.names(self._env.state(0))[action]}
        return self._view.observations[0], self._env.illegal_reward, True, False, info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._view.masks[0], "seat": int(self._view.seats[0])}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal now [A]; sb3-contrib calls a method of this name."""
        mask: npt.NDArray[np.bool_] = self._view.masks[0].astype(np.bool_)
        return mask

    def legal_actions(self) -> list[str]:
        """Return the names of the legal actions."""
        return self._env.legal_actions(0)

    def position(self) -> Position:
        """Return the current position."""
        return self._env.position(0)

    def _follow(self) -> None:
        if self.render_mode == "human":
            self._renderer.follow(self.position())

    def render(self) -> str | npt.NDArray[np.uint8] | None:  # type: ignore[override]
        """Return the position as text, SVG or pixels, or show it in a window, depending on `render_mode`."""
        return self._renderer.render(self.position())

    def _repr_svg_(self) -> str | None:
        return None if self._game_over and not self._env.results.ended[0] else self.position().svg()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
