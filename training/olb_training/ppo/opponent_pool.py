"""The opponents of the learner besides itself: named agents, and snapshots of its past selves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.network import Network, Shape
from olb_training.ppo.checkpoint import CheckpointError
from olb_training.ppo.model import ActorCritic
from olb_training.ppo.restoring import FLOAT32, FLOAT64, INT64, Form, check_arrays

UTILITY_DECAY = 0.995  # decay of the running mean for each further game
HARDNESS_EXPONENT = 2  # of prioritized fictitious self-play (PFSP): how much more often harder opponents are drawn
MIN_HARDNESS = 0.05  # so that even the easiest are drawn now and then
MAX_UTILITY = 1.001  # of a game: 1, and a little for rounding


class OpponentPool:
    """Opponents, numbered from 1: first the named agents, then the past selves."""

    def __init__(self, num_agents: int, pool_size: int, shape: Shape) -> None:
        self._num_agents = num_agents
        self._past_selves: list[ActorCritic | None] = [None] * pool_size
        self._shape = shape
        self.num_snapshots = 0  # ever taken
        self.utilities = np.zeros(1 + num_agents + pool_size)  # running mean of the learner's utility against each

    def add_snapshot(self, network: Network) -> None:
        """Add the learner as it is now; the oldest past self leaves if the pool is full."""
        slot = self.num_snapshots % len(self._past_selves)
        self._past_selves[slot] = ActorCritic.of_network(network)
        self.utilities[1 + self._num_agents + slot] = 0.0
        self.num_snapshots += 1

    def restart(self, network: Network) -> None:
        """Forget all past selves but one, the network that training starts from."""
        self.num_snapshots = 0
        self.add_snapshot(network)

    @property
    def past_selves(self) -> npt.NDArray[np.int64]:
        """The numbers of the past selves."""
        return 1 + self._num_agents + np.arange(min(self.num_snapshots, len(self._past_selves)))

    def draw(self, opponents: npt.NDArray[np.int64], rng: np.random.Generator) -> int:
        """Draw one of some opponents, more often one that the learner does worse against."""
        hardness = np.maximum((1 - self.utilities[opponents]) / 2, MIN_HARDNESS) ** HARDNESS_EXPONENT
        return int(rng.choice(opponents, p=hardness / hardness.sum()))

    def record_games(self, counts: npt.NDArray[np.float32], utility_sums: npt.NDArray[np.float32]) -> None:
        """Record the numbers of games with each opponent (index 0: without one) and the learner's summed utilities."""
        kept = UTILITY_DECAY ** counts[1:]
        self.utilities[1:] = kept * self.utilities[1:] + (1 - kept) * utility_sums[1:] / np.maximum(counts[1:], 1)

    def past_self(self, opponent: int) -> ActorCritic:
        """Return the past self with that number."""
        model = self._past_selves[opponent - 1 - self._num_agents]
        assert model is not None  # noqa: S101  # only past selves that exist are drawn
        return model

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything that changes, as arrays."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "utilities": self.utilities.copy(),
            "num_snapshots": np.array([self.num_snapshots]),
        }
        for slot, model in enumerate(self._past_selves):
            if model is not None:
                weights = model.to_network().weights
                arrays |= {f"past_selves.{slot}.{name}": weight for name, weight in weights.items()}
        return arrays

    def restore(self, arrays: dict[str, npt.NDArray[Any]], num_snapshots: int) -> None:
        """Restore what `save` returned after so many snapshots; a CheckpointError says why it cannot be that."""
        slots = range(min(num_snapshots, len(self._past_selves)))
        weights = {f"past_selves.{slot}.{name}": size for slot in slots for name, size in self._shape.tensors().items()}
        expected: dict[str, Form] = {name: (FLOAT32, size) for name, size in weights.items()}
        expected |= {"utilities": (FLOAT64, self.utilities.shape), "num_snapshots": (INT64, (1,))}
        check_arrays(arrays, expected)
        if arrays["num_snapshots"][0] != num_snapshots:
            raise CheckpointError(f"num_snapshots is {arrays['num_snapshots'][0]}: expected {num_snapshots}")
        if (np.abs(arrays["utilities"]) > MAX_UTILITY).any():
            raise CheckpointError("utilities are beyond those of any game")
        self.utilities[:] = arrays["utilities"]
        self.num_snapshots = num_snapshots
        for slot in slots:
            own = {name: arrays[f"past_selves.{slot}.{name}"] for name in self._shape.tensors()}
            self._past_selves[slot] = ActorCritic.of_network(Network(self._shape, own))
