"""Whom the learner plays with besides itself: past selves, the harder the oftener, and agents by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.network import Network, Shape
from olb_training.ppo.model import ActorCritic

MEMORY = 0.995  # how slowly what is known of a member fades, per game
HARDNESS = 2  # how much oftener the harder ones come


class OpponentPool:
    """Members are numbered from 1 on: first the agents by name, then the past selves, the oldest replaced first."""

    def __init__(self, agents: int, past: int, shape: Shape) -> None:
        self._agents = agents  # how many
        self._past: list[ActorCritic | None] = [None] * past
        self._shape = shape
        self.taken = 0  # snapshots so far
        self.results = np.zeros(1 + agents + past)  # of the learner against each: mean utility

    def add(self, network: Network) -> None:
        """The learner as it is now becomes a member."""
        place = self.taken % len(self._past)
        self._past[place] = ActorCritic.of_network(network)
        self.results[1 + self._agents + place] = 0.0
        self.taken += 1

    @property
    def past(self) -> npt.NDArray[np.int64]:
        """The members that are past selves."""
        return 1 + self._agents + np.arange(min(self.taken, len(self._past)))

    def draw(self, members: npt.NDArray[np.int64], chance: np.random.Generator) -> int:
        """One of these members, the harder the oftener."""
        hard = np.maximum((1 - self.results[members]) / 2, 0.05) ** HARDNESS
        return int(chance.choice(members, p=hard / hard.sum()))

    def note(self, counts: npt.NDArray[np.float32], sums: npt.NDArray[np.float32]) -> None:
        """How many games with each member there were (0: with nobody), and what they brought the learner in all."""
        kept = MEMORY ** counts[1:]
        self.results[1:] = kept * self.results[1:] + (1 - kept) * sums[1:] / np.maximum(counts[1:], 1)

    def self_of(self, member: int) -> ActorCritic:
        """The past self that a member is."""
        model = self._past[member - 1 - self._agents]
        assert model is not None  # noqa: S101  # only those there are get a seat
        return model

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """All that is remembered."""
        kept: dict[str, npt.NDArray[Any]] = {"results": self.results.copy(), "taken": np.array([self.taken])}
        for place, model in enumerate(self._past):
            if model is not None:
                kept |= {f"past.{place}.{name}": weight for name, weight in model.to_network().weights.items()}
        return kept

    def restore(self, saved: dict[str, npt.NDArray[Any]]) -> None:
        """Remember it again."""
        self.results[:] = saved["results"]
        self.taken = int(saved["taken"][0])
        for place in range(min(self.taken, len(self._past))):
            weights = {name: saved[f"past.{place}.{name}"] for name in self._shape.tensors()}
            self._past[place] = ActorCritic.of_network(Network(self._shape, weights))


def sample(preferences: Any, masks: Any, chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """One legal action [N] for each row, as likely as it is preferred (the largest after Gumbel noise is)."""
    noise = chance.random(preferences.shape, np.float32)
    np.maximum(noise, 1e-12, out=noise)
    found: npt.NDArray[np.int64] = np.where(masks > 0, preferences - np.log(-np.log(noise)), -np.inf).argmax(axis=1)
    return found
