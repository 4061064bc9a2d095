"""A player that cannot be seen through: `mixed` draws its card with the chances that `mixing.py` finds.

`mixed:1000` imagines every match a thousand times. Whatever plays the same in the same position can be answered by who
knows it; who knows the chances of `mixed` still does not know its card.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from olb_agents.heuristics import DEFAULT_STYLE, room
from olb_agents.sampling import draw_rows
from olb_agents.wobbly_bridge.regret_matching import chances_of, mix_table, room_to_mix
from olb_agents.wobbly_bridge.styles import STYLES
from olb_env.core.compiling import kernel
from olb_env.core.game import Game
from olb_env.playing import View, Views, register_agent
from olb_env.wobbly_bridge import GAME

NAME: Final = "mixed"
ROUNDS: Final = 300
MOST_ROUNDS: Final = 1_000_000


@kernel
def mix_rows(states: Any, seats: Any, rounds: int, style: Any, scratch: Any, numbers: Any, chances: Any) -> None:
    """With what chances [N, A] the seat that is asked draws each answer."""
    regrets, drawn = room_to_mix()
    for row in range(states.shape[0]):
        mix_table(states[row], rounds, style, scratch, numbers, regrets, drawn)
        chances_of(states[row], seats[row], drawn, chances[row])


class MixedAgent:
    """Draws its answers."""

    def __init__(self, rounds: int = ROUNDS) -> None:
        self._rounds = rounds

    def check(self, game: Game) -> None:
        """A ValueError says that it does not play this game."""
        if game.name != GAME.name:
            raise ValueError(f"agent {NAME!r} plays {GAME.name}, not {game.name}")

    def act(self, view: View) -> int:
        """For one game."""
        return int(self._draw(view.game, view.clone(), np.array([view.seat]), np.array([view.seed], np.uint64))[0])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """For many games at once."""
        return self._draw(views.game, views.states, views.seats, views.seeds)

    def chances(self, game: Game, states: Any, seats: Any) -> npt.NDArray[np.float64]:
        """With what chances it draws each answer [N, A]."""
        self.check(game)
        scratch, numbers, _ = room(game)
        found = np.empty((len(states), len(game.actions)))
        mix_rows(states, seats, self._rounds, STYLES[DEFAULT_STYLE], scratch, numbers, found)
        return found

    def _draw(self, game: Game, states: Any, seats: Any, seeds: Any) -> npt.NDArray[np.int64]:
        actions = np.empty(len(states), np.int64)
        draw_rows(self.chances(game, states, seats), seeds, actions)
        return actions


def _make(rest: str) -> MixedAgent:
    if not rest:
        return MixedAgent()
    if not rest.isascii() or not rest.isdigit() or not 1 <= int(rest) <= MOST_ROUNDS:
        raise ValueError(f"agent '{NAME}:{rest}': expected how often to imagine a match ({NAME}:{ROUNDS})")
    return MixedAgent(int(rest))


def register_mixed() -> None:
    """Name it."""
    register_agent(NAME, _make)
