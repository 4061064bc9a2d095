"""An agent that advises: how likely it thinks each choice is, and the value it expects of each.

Every agent that can `evaluate` views can be the adviser. It sees what the seat to act knows and no more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import Game, States
from olb_env.core.rewards import utility_rows
from olb_env.core.secrecy import still_hidden
from olb_env.playing import AgentError, EvaluatingAgent, Evaluation, Views, agent_for

DRAWS = 24  # resampled games that the value of a choice is averaged over
BLUNDER, MISTAKE = 0.2, 0.1  # how much value a choice loses against the best one


@dataclass(frozen=True)
class Opinion:
    """The opinion of an adviser on one decision with C choices."""

    actions: tuple[int, ...]  # [C]: the legal actions
    probabilities: tuple[float, ...]  # [C]: how likely the adviser would choose each
    values: tuple[float, ...]  # [C]: the utility that the seat to act can expect after each
    seat_values: tuple[float, ...]  # [P]: the utility that every seat can expect before the decision

    def loss(self, action: int) -> float:
        """Return how much value a choice loses against the best one."""
        return max(self.values) - self.values[self.actions.index(action)]

    def verdict(self, action: int) -> str:
        """Return "blunder" or "mistake" for a choice that loses much value, else an empty text."""
        loss = self.loss(action)
        return "blunder" if loss >= BLUNDER else "mistake" if loss >= MISTAKE else ""


class Adviser:
    """An agent that gives its opinion."""

    def __init__(self, name: str, game: Game) -> None:
        agent = agent_for(name, game)
        if not isinstance(agent, EvaluatingAgent):
            raise ValueError(f"agent {name!r} cannot evaluate moves: expected one with a network, such as champion")
        self.name, self.game, self._agent = name, game, agent

    def opinion(self, states: States, seed: int) -> Opinion:
        """Return the opinion on the next decision of a game [1]."""
        views = Views(self.game, states, [seed])
        (policy,), (seat_values,) = self._evaluate(views)
        seat, actions = int(views.seats[0]), np.flatnonzero(views.masks[0])
        clones = np.concatenate([views[0].clone(draw) for draw in range(DRAWS)])
        after = np.concatenate([clones] * len(actions))  # [C * DRAWS]
        for row, action in enumerate(np.repeat(actions, DRAWS).tolist()):
            batch.apply_one(after[row : row + 1], action)
        reveal, rng = self.game.rules.secret(states[0]), np.random.default_rng(seed)
        values = self._values(after, seat, reveal, rng).reshape(len(actions), DRAWS).mean(axis=1)
        return Opinion(
            tuple(actions.tolist()),
            tuple(policy[actions].tolist()),
            tuple(values.tolist()),
            tuple(seat_values.tolist()),
        )

    def _values(self, states: States, seat: int, reveal: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Return the value of games [N] for a seat that has just moved.

        If the move waits for a reveal, the other seats play on until then, since its effect cannot be seen before.
        """
        actors = np.empty(len(states), np.int64)
        while True:
            batch.actor_rows(states, actors)
            others = np.flatnonzero((actors >= 0) & (actors != seat))
            waiting = [row for row in others if still_hidden(reveal, states[row])]
            if not waiting:
                break
            views = Views(self.game, states, rng.integers(2**63, size=len(waiting)), np.array(waiting))
            for row, probabilities in zip(waiting, self._evaluate(views).policy, strict=True):
                action = int(rng.choice(len(probabilities), p=probabilities / probabilities.sum()))
                batch.apply_one(states[row : row + 1], action)
        values = np.empty(len(states))
        over, running = np.flatnonzero(actors < 0), np.flatnonzero(actors >= 0)
        if len(over):
            values[over] = final_utilities(self.game, states[over])[:, seat]
        if len(running):
            views = Views(self.game, states, np.arange(len(running)), running)
            values[running] = self._evaluate(views).values[:, seat]
        return values

    def _evaluate(self, views: Views) -> Evaluation:
        """Return the agent's evaluation; an AgentError says that it failed or returned something else."""
        shapes = (len(views), len(self.game.actions)), (len(views), self.game.num_players(views.states[0]))
        try:
            policy, values = (np.asarray(part, np.float64) for part in self._agent.evaluate(views))
            if (policy.shape, values.shape) != shapes:
                raise ValueError(f"evaluate returned shapes {policy.shape} and {values.shape}: expected {shapes}")
        except (Exception, SystemExit) as error:
            raise AgentError(f"agent {self.name!r} failed with {type(error).__name__}: {error}") from error
        return Evaluation(policy, values)


def final_utilities(game: Game, states: States) -> npt.NDArray[np.float64]:
    """Return the utilities of finished games [N, P]."""
    utilities: npt.NDArray[np.float64] = np.zeros((len(states), game.num_players(states[0])))
    utility_rows(states, utilities)
    return utilities
