"""Scripted agents: every style of a game's heuristics is a player of that name.

This module is independent of any game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.heuristics import all_heuristics, best_action, heuristics_of
from olb_agents.scratch import Scratch, new_scratch
from olb_env.core.checking import shown
from olb_env.core.compiling import kernel
from olb_env.core.game import Game, States
from olb_env.playing import Agent, View, Views, register_agent


@kernel
def decide_rows(states: Any, seats: Any, style_weights: Any, scratch: Scratch, actions: Any) -> None:
    """Write the action that a style chooses in every game [N]."""
    for row in range(states.shape[0]):
        actions[row] = best_action(states[row], seats[row], style_weights, scratch)


class ScriptedAgent:
    """A player that takes the action with the highest score by its style."""

    def __init__(self, style: str) -> None:
        self._style = style

    def check(self, game: Game) -> None:
        """Raise a ValueError if the game has no such style."""
        self._style_weights(game)

    def act(self, view: View) -> int:
        """Return the action for one decision."""
        return int(self._decide(view.game, view.clone(), np.array([view.seat]))[0])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """Return the actions for many decisions at once."""
        return self._decide(views.game, views.states, views.seats)

    def _decide(self, game: Game, states: States, seats: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        actions = np.empty(len(states), np.int64)
        decide_rows(states, seats, self._style_weights(game), new_scratch(game), actions)
        return actions

    def _style_weights(self, game: Game) -> npt.NDArray[np.float64]:
        heuristics = heuristics_of(game.name)
        styles = heuristics.styles if heuristics is not None else {}
        if self._style not in styles:
            known = ", ".join(styles) or "none"
            raise ValueError(f"{game.name} has no style {shown(self._style)}: its styles are {known}")
        return styles[self._style]


def register_scripted() -> None:
    """Register every style of every game as an agent."""
    for style in sorted({style for heuristics in all_heuristics() for style in heuristics.styles}):
        register_agent(style, _factory(style))


def _factory(style: str) -> Any:
    def make(rest: str) -> Agent:
        if rest:
            raise ValueError(f"agent {shown(style)} takes nothing after a colon, but was given {shown(rest)}")
        return ScriptedAgent(style)

    return make
