"""The agent `mixed`: a player that draws its card from the mixed strategy that regret matching finds.

`mixed:1000` runs a thousand iterations for every decision. A player that always picks the same card in the same
position can be predicted. `mixed` draws its card, so an opponent that knows its strategy still cannot predict the card.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from olb_agents.heuristics import PLANNER
from olb_agents.sampling import sample_rows
from olb_agents.scratch import Scratch, new_scratch
from olb_agents.wobbly_bridge.regret_matching import new_regrets, run_regret_matching, write_mixed_strategy
from olb_agents.wobbly_bridge.styles import STYLES
from olb_env.core.checking import shown
from olb_env.core.compiling import kernel
from olb_env.core.game import Game, States
from olb_env.playing import Agent, View, Views, register_agent
from olb_env.wobbly_bridge import GAME

NAME: Final = "mixed"
ITERATIONS: Final = 300
MAX_ITERATIONS: Final = 1_000_000


@kernel
def write_strategy_rows(
    states: Any, seats: Any, iterations: int, style_weights: Any, scratch: Scratch, strategies: Any
) -> None:
    """Write the mixed strategy [N, A] of the deciding seat in every game."""
    regrets, strategy_sums = new_regrets()
    for row in range(states.shape[0]):
        run_regret_matching(states[row], iterations, style_weights, scratch, regrets, strategy_sums)
        write_mixed_strategy(states[row], seats[row], strategy_sums, strategies[row])


class MixedAgent:
    """A player that draws its actions from a mixed strategy."""

    def __init__(self, iterations: int = ITERATIONS) -> None:
        self._iterations = iterations

    def check(self, game: Game) -> None:
        """Raise a ValueError for any other game."""
        if game.name != GAME.name:
            raise ValueError(f"agent {NAME!r} plays {GAME.name}, not {game.name}")

    def act(self, view: View) -> int:
        """Return the action for one decision."""
        return int(self._draw(view.game, view.clone(), np.array([view.seat]), np.array([view.seed], np.uint64))[0])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """Return the actions for many decisions at once."""
        return self._draw(views.game, views.states, views.seats, views.seeds)

    def mixed_strategy(self, game: Game, states: States, seats: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the probability of each action [N, A] in some games, for the seat that decides."""
        self.check(game)
        strategies = np.empty((len(states), len(game.actions)))
        write_strategy_rows(states, seats, self._iterations, STYLES[PLANNER], new_scratch(game), strategies)
        return strategies

    def _draw(
        self, game: Game, states: States, seats: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        actions = np.empty(len(states), np.int64)
        sample_rows(self.mixed_strategy(game, states, seats), seeds, actions)
        return actions


def _make(rest: str) -> Agent:
    if not rest:
        return MixedAgent()
    if re.fullmatch("[1-9][0-9]{0,6}", rest) is None or int(rest) > MAX_ITERATIONS:
        given = shown(f"{NAME}:{rest}")
        expected = f"a number of iterations ({NAME}:{ITERATIONS}) from 1 to {MAX_ITERATIONS:,}"
        raise ValueError(f"agent {given}: expected {expected}")
    return MixedAgent(int(rest))


def register_mixed() -> None:
    """Register the agent."""
    register_agent(NAME, _make)
