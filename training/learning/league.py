"""Whom the learner plays with besides itself: past selves, the harder the oftener, and agents by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.network import Network, Shape
from olb_env.playing import Agent, decide, make_agent
from training.learning.tables import LEARNER, Hall

MEMORY = 0.995  # how slowly what is known of a member fades, per game
HARDNESS = 2  # how much oftener the harder ones come


class League:
    """Members are numbered from 1 on: first the agents by name, then the past selves, the oldest replaced first."""

    def __init__(self, agents: list[str], past: int, shape: Shape, chance: np.random.Generator) -> None:
        self.names = agents
        self._agents: list[Agent] = [make_agent(name) for name in agents]
        self._past: list[Network | None] = [None] * past
        self._shape = shape
        self._chance = chance
        self.taken = 0  # snapshots so far
        self.results = np.zeros(1 + len(agents) + past)  # of the learner against each: mean utility

    def add(self, network: Network) -> None:
        """The learner as it is now becomes a member."""
        place = self.taken % len(self._past)
        self._past[place] = network
        self.results[1 + len(self.names) + place] = 0.0
        self.taken += 1

    @property
    def past(self) -> npt.NDArray[np.int64]:
        """The members that are past selves."""
        return 1 + len(self.names) + np.arange(min(self.taken, len(self._past)))

    def draw(self, members: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        """Some of these members, the harder the oftener."""
        hard = np.maximum((1 - self.results[members]) / 2, 0.05) ** HARDNESS
        return self._chance.choice(members, count, p=hard / hard.sum())

    def note(self, member: int, utility: float) -> None:
        """What a game against a member brought the learner."""
        self.results[member] = MEMORY * self.results[member] + (1 - MEMORY) * utility

    def answer(self, member: int, hall: Hall, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What a member does at some tables."""
        if member == LEARNER:
            raise ValueError("the learner answers for itself")
        if member <= len(self.names):
            name, agent = self.names[member - 1], self._agents[member - 1]
            seeds = self._chance.integers(2**63, size=len(rows), dtype=np.uint64)
            actions = np.empty(len(rows), np.int64)
            for inside, views in hall.views(rows, seeds):
                actions[inside] = decide(agent, name, views)
            return actions
        network = self._past[member - 1 - len(self.names)]
        assert network is not None  # noqa: S101  # only those there are get a seat
        return sample(network(hall.observation[rows])[0], hall.mask[rows], self._chance)

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """All that is remembered."""
        kept: dict[str, npt.NDArray[Any]] = {"results": self.results, "taken": np.array([self.taken])}
        for place, network in enumerate(self._past):
            if network is not None:
                kept |= {f"past.{place}.{name}": weight for name, weight in network.weights.items()}
        return kept

    def restore(self, saved: dict[str, npt.NDArray[Any]]) -> None:
        """Remember it again."""
        self.results[:] = saved["results"]
        self.taken = int(saved["taken"][0])
        for place in range(min(self.taken, len(self._past))):
            weights = {name: saved[f"past.{place}.{name}"] for name in self._shape.tensors()}
            self._past[place] = Network(self._shape, weights)


def sample(preferences: Any, masks: Any, chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """One legal action [N] for each row, as likely as it is preferred (the largest after Gumbel noise is)."""
    noise = chance.random(preferences.shape, np.float32)
    np.maximum(noise, 1e-12, out=noise)
    found: npt.NDArray[np.int64] = np.where(masks > 0, preferences - np.log(-np.log(noise)), -np.inf).argmax(axis=1)
    return found
