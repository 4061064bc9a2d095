"""Any game as a Gymnasium environment for one seat: the others are played by opponents inside `step`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from olb_env.core.game import find
from olb_env.core.positions import Position
from olb_env.envs.batched import NEVER, NOBODY, BatchedEnv
from olb_env.envs.common import action_space, observation_space, read_action
from olb_env.envs.rendering import Renderer, read_render_mode, render_modes

ILLEGAL = ("lose", "raise")


class SeatEnv(gymnasium.Env[npt.NDArray[np.float32], np.int64]):
    """One learner at a table. Its reward comes with the step in which the game ends, whoever ends it.

    Opponents are names of agents or objects with `act(view)`, one for all seats or a list; the first of a list sits
    after the learner. `seat` is where the learner sits, drawn anew for each game if "random". An illegal action ends
    the game with a reward of -1 (-10 where the reward is a score), or raises ValueError with `illegal="raise"`; what is
    no action at all always raises.
    """

    metadata: dict[str, Any] = render_modes()  # as Gymnasium declares it

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
            raise ValueError(f"illegal is {illegal!r}: expected one of {', '.join(ILLEGAL)}")
        self.game = find(game)
        self.render_mode = read_render_mode(render_mode)
        self._renderer = Renderer(self.render_mode)
        self.observation_space = observation_space(self.game)
        self.action_space = action_space(self.game)
        self._raises = illegal == "raise"
        self._batch = BatchedEnv(self.game, 1, NEVER, reward=reward, seat=seat, opponents=opponents, options=options)
        self._view = self._batch.no_view()
        self._action, self._ended = np.zeros(1, np.int64), np.zeros(1, np.bool_)
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Deal a new game and let it run until the learner is asked.

        The same seed deals the same game, without one games follow from the last seed; `options` may give options of
        the game anew, for this game only.
        """
        view = self._batch.new_view()
        self._batch.deal(view, None if seed is None else [seed], changes=options)
        super().reset(seed=None if seed is None else int(seed))
        self._view, self._over = view, False
        self._follow()
        return view.observations[0], self._info()

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """The learner answers, and the others play until it is asked again or the game is over."""
        chosen = read_action(action, self.game)
        if self._over:
            raise ValueError(f"action is {action!r}, but no game is on: call reset() first")
        self._action[0] = chosen
        view = self._batch.new_view()
        if self._batch.answer(self._action, self._ended, view) != NOBODY:
            return self._refuse(chosen)
        self._view = view
        self._follow()
        info = self._info()
        if not self._ended[0]:
            return view.observations[0], 0.0, False, False, info
        self._over = True
        info.update(self.game.records.final_infos(self._batch.state(0))[info["seat"]])
        return view.observations[0], float(self._batch.rewards[0, info["seat"]]), True, False, info

    def _refuse(self, action: int) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        if self._raises:
            raise ValueError(self._batch.refusal(0, action).removeprefix("row 0: "))
        self._batch.abandon(0)
        self._over = True
        self._view = self._batch.new_view()
        self._batch.view(self._view)
        info = {**self._info(), "illegal_action": self.game.names(self._batch.state(0))[action]}
        return self._view.observations[0], self._batch.cheating, True, False, info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._view.masks[0], "seat": int(self._view.seats[0])}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal now, under the name that sb3-contrib looks for."""
        mask: npt.NDArray[np.bool_] = self._view.masks[0].astype(np.bool_)
        return mask

    def legal_actions(self) -> list[str]:
        """The names of those actions."""
        return self._batch.legal_actions(0)

    def position(self) -> Position:
        """The game as it stands."""
        return self._batch.position(0)

    def _follow(self) -> None:
        if self.render_mode == "human":
            self._renderer.follow(self.position())

    def render(self) -> str | npt.NDArray[np.uint8] | None:  # type: ignore[override]
        """The position as text, as SVG, as pixels, or in a window, as `render_mode` says."""
        return self._renderer.render(self.position())

    def _repr_svg_(self) -> str | None:
        return None if self._over and not self._ended[0] else self.position().svg()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
