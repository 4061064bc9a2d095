"""What an agent thinks of the choices at a decision: how likely it would make each, and what it expects of it.

Any agent that can `evaluate` a decision can be asked. It is told what the deciding seat knows and no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import Game, States
from olb_env.core.rewards import RANK, WIN, reward_rows, write_rewards
from olb_env.playing import AgentError, Views, agent_for

DRAWS = 24  # games that could be the one played, for each choice
BLUNDER, MISTAKE = 0.2, 0.1  # how much less than the best choice promises


@dataclass(frozen=True)
class Opinion:
    """Of one decision: for each choice how likely it is [C], and how the game should end for the seat [C]."""

    actions: tuple[int, ...]
    likely: tuple[float, ...]
    expected: tuple[float, ...]
    seats: tuple[float, ...]  # what is expected for every seat before the decision

    def loss(self, action: int) -> float:
        """How much less a choice promises than the best one."""
        return max(self.expected) - self.expected[self.actions.index(action)]

    def verdict(self, action: int) -> str:
        """A word for a choice that promises much less, or none."""
        loss = self.loss(action)
        return "blunder" if loss >= BLUNDER else "mistake" if loss >= MISTAKE else ""


class Critic:
    """An agent that is asked for its opinion."""

    def __init__(self, name: str, game: Game) -> None:
        agent: Any = agent_for(name, game)
        if not hasattr(agent, "evaluate"):
            raise ValueError(f"agent {name!r} has no opinions: expected one with a network, such as champion")
        self.name, self.game, self._agent = name, game, agent

    def opinion(self, state: States, seed: int) -> Opinion:
        """Of the decision that stands in a game [1]."""
        view = Views(self.game, state, [seed])
        (likely,), (seats,) = self._consider(view)
        seat, actions = int(view.seats[0]), np.flatnonzero(view.masks[0])
        clones = np.concatenate([view[0].clone(draw) for draw in range(DRAWS)])
        after = np.concatenate([clones] * len(actions))
        for row, action in enumerate(np.repeat(actions, DRAWS).tolist()):
            batch.apply_one(after[row : row + 1], action)
        chance = np.random.default_rng(seed)
        expected = self._expect(after, seat, self.game.rules.secret(state[0]), chance)
        results = expected.reshape(len(actions), DRAWS).mean(axis=1)
        return Opinion(
            tuple(actions.tolist()), tuple(likely[actions].tolist()), tuple(results.tolist()), tuple(seats.tolist())
        )

    def _expect(self, states: States, seat: int, until: int, chance: np.random.Generator) -> npt.NDArray[np.float64]:
        """How games [N] should end for a seat that has answered in secret until some reveal, or openly."""
        asked = np.empty(len(states), np.int64)
        while True:  # others answer too before anything is seen of what was chosen
            batch.actor_rows(states, asked)
            others = np.flatnonzero((asked >= 0) & (asked != seat))
            waiting = [row for row in others if self.game.rules.secret(states[row]) == until > 0]
            if not waiting:
                break
            views = Views(self.game, states, chance.integers(2**63, size=len(waiting)), np.array(waiting))
            likely, _ = self._consider(views)
            for row, chances in zip(waiting, likely, strict=True):
                action = int(chance.choice(len(chances), p=chances / chances.sum()))
                batch.apply_one(states[row : row + 1], action)
        found = np.empty(len(states))
        over, on = np.flatnonzero(asked < 0), np.flatnonzero(asked >= 0)
        if len(over):
            found[over] = utility(self.game, states[over])[:, seat]
        if len(on):
            found[on] = self._consider(Views(self.game, states, np.arange(len(on)), on))[1][:, seat]
        return found

    def _consider(self, views: Views) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """What the agent thinks; AgentError if it fails or says something else."""
        shapes = (len(views), len(self.game.actions)), (len(views), self.game.seats(views.states[0]))
        try:
            likely, expected = (np.asarray(part, np.float64) for part in self._agent.evaluate(views))
            if (likely.shape, expected.shape) != shapes:
                raise ValueError(f"opinions of shapes {likely.shape} and {expected.shape}: expected {shapes}")
        except (Exception, SystemExit) as error:
            raise AgentError(f"agent {self.name!r} failed with {type(error).__name__}: {error}") from error
        return likely, expected


def utility(game: Game, states: States) -> npt.NDArray[np.float64]:
    """How finished games ended for their seats [N, P]: half for the rank, half for winning; `results` says by rank."""
    rewards: npt.NDArray[np.float64] = np.zeros((2, len(states), game.seats(states[0])))
    reward_rows(states, RANK, game.score_unit, rewards[0])
    reward_rows(states, WIN, game.score_unit, rewards[1])
    both: npt.NDArray[np.float64] = rewards.mean(axis=0)
    return both


def results(players: int) -> list[float]:
    """How a game ends for each rank that nobody shares, the first one first."""
    ranks, rewards = np.arange(1, players + 1), np.zeros((2, players))
    for kind, out in zip((RANK, WIN), rewards, strict=True):
        write_rewards(kind, 1.0, ranks, ranks, out)
    found: list[float] = rewards.mean(axis=0).round(6).tolist()
    return found
