"""Scripted agents: the styles of a game's mind, each a player of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.heuristics import all_heuristics, best_action, heuristics_of, room
from olb_env.core.compiling import kernel
from olb_env.core.game import Game
from olb_env.playing import View, Views, register_agent


@kernel
def decide_rows(states: Any, seats: Any, style: Any, scratch: Any, numbers: Any, mask: Any, actions: Any) -> None:
    """What a style does in every game [N]."""
    for row in range(states.shape[0]):
        actions[row] = best_action(states[row], seats[row], style, scratch, numbers, mask)


class ScriptedAgent:
    """Does what its style likes best, one decision ahead."""

    def __init__(self, style: str) -> None:
        self._style = style

    def check(self, game: Game) -> None:
        """A ValueError says that the style does not play this game."""
        mind = heuristics_of(game.name)
        if mind is None or self._style not in mind.styles:
            known = ", ".join(mind.styles) if mind else "none"
            raise ValueError(f"{game.name} has no style {self._style!r}: its styles are {known}")

    def act(self, view: View) -> int:
        """For one game."""
        return int(self._decide(view.game, view.clone(), np.array([view.seat]))[0])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """For many games at once."""
        return self._decide(views.game, views.states, views.seats)

    def _decide(self, game: Any, states: Any, seats: Any) -> npt.NDArray[np.int64]:
        self.check(game)
        mind = heuristics_of(game.name)
        assert mind is not None  # noqa: S101  # as was checked
        actions = np.empty(len(states), np.int64)
        decide_rows(states, seats, mind.styles[self._style], *room(game), actions)
        return actions


def register_scripted() -> None:
    """Name every style of every game."""
    for name in sorted({style for mind in all_heuristics() for style in mind.styles}):
        register_agent(name, _factory(name))


def _factory(name: str) -> Any:
    def make(rest: str) -> ScriptedAgent:
        if rest:
            raise ValueError(f"agent {name!r} takes nothing after a colon, but was given {rest!r}")
        return ScriptedAgent(name)

    return make
