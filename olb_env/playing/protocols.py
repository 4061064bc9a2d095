"""What an agent is: one method that every agent has, and four more that an agent may have.

Each protocol below adds one method to `Agent`. `isinstance` tells whether an agent has it; a method that is None
counts as absent. An agent may have any of them together.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from olb_env.core.game import Game
from olb_env.playing.views import View, Views


@runtime_checkable
class Agent(Protocol):
    """Anything that chooses actions.

    One object plays in many games and seats at once, so it must not carry anything from one decision to the next: what
    is public at one table may be hidden at another. All its random numbers come from the view.
    """

    def act(self, view: View) -> int | str:
        """Return a legal action of `view`: its id, or its name."""
        ...


@runtime_checkable
class BatchAgent(Agent, Protocol):
    """An agent that is faster when it decides for many games at once."""

    def act_many(self, views: Views) -> Any:
        """Return a legal action for each view [N], best as an array of ids.

        The action must be the one that `act` would choose for that view alone.
        """
        ...


@runtime_checkable
class GameCheckingAgent(Agent, Protocol):
    """An agent that does not play every game."""

    def check(self, game: Game) -> None:
        """Raise ValueError, with the reason, if the agent does not play `game`."""
        ...


class Evaluation(NamedTuple):
    """The opinion of an agent on some decisions of games with A actions and P seats."""

    policy: npt.NDArray[Any]  # [N, A]: the probability of every action, 0 where it is illegal
    values: npt.NDArray[Any]  # [N, P]: the utility that every seat can expect, see `olb_env.core.rewards`


@runtime_checkable
class EvaluatingAgent(Agent, Protocol):
    """An agent that can say what it thinks of a decision; advisers and tests ask it."""

    def evaluate(self, views: Views) -> Evaluation:
        """Return how likely each action is and what each seat can expect, for all views [N]."""
        ...


@runtime_checkable
class SoftTeacher(Agent, Protocol):
    """An agent that training can imitate by a whole distribution, such as the visit counts of its search.

    That teaches more than the chosen action alone.
    """

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """Return a probability for every action [A]; they sum to 1, and illegal actions have 0."""
        ...
