"""The network of `olb_agents.network` in torch, where it can learn."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from olb_agents.inputs import initial_afterstate_weights
from olb_agents.network import EPSILON, Network, Shape


class ActorCritic(nn.Module):
    """Preferences for actions, and how well the game should end for each seat, the one that asks first."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        sizes = [shape.trunk_inputs, *shape.hidden_sizes]
        self.linear = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.norm = nn.ModuleList(nn.LayerNorm(size, eps=EPSILON) for size in shape.hidden_sizes)
        self.head = nn.Linear(sizes[-1], shape.outputs)
        for layer in self.linear:
            nn.init.orthogonal_(layer.weight, 2**0.5)
            nn.init.zeros_(layer.bias)
        nn.init.orthogonal_(self.head.weight, 0.01)
        nn.init.zeros_(self.head.bias)
        with torch.no_grad():
            self.head.bias[shape.outputs - shape.afterstate_size :] = torch.tensor(
                initial_afterstate_weights(shape.game, shape.afterstate_size)
            )

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Preferences [N, A] and expected results [N, P] for what it is told [N, D]."""
        shape = self.shape
        x = observations[:, : shape.trunk_inputs]
        for linear, norm in zip(self.linear, self.norm, strict=True):
            x = torch.relu(norm(linear(x)))
        preferences, values, counts = self.head(x).split(
            [shape.num_actions, shape.num_seats, shape.afterstate_size], dim=1
        )
        if shape.afterstate_size:
            leads_to = observations[:, shape.trunk_inputs :].unflatten(1, (shape.num_actions, shape.afterstate_size))
            preferences = preferences + torch.bmm(leads_to, counts[:, :, None])[:, :, 0]
        return preferences, torch.tanh(values)

    def to_network(self) -> Network:
        """A copy of it that needs no torch."""
        weights = {"head.weight": self.head.weight.T, "head.bias": self.head.bias}
        for number, (linear, norm) in enumerate(zip(self.linear, self.norm, strict=True)):
            weights |= {
                f"{number}.weight": linear.weight.T,
                f"{number}.bias": linear.bias,
                f"{number}.scale": norm.weight,
                f"{number}.shift": norm.bias,
            }
        return Network(self.shape, {name: weight.detach().numpy().copy() for name, weight in weights.items()})

    @classmethod
    def of_network(cls, network: Network) -> ActorCritic:
        """The same as a network."""
        model = cls(network.shape)
        model.take(network)
        return model

    def take(self, network: Network) -> None:
        """Become what a network is."""
        with torch.no_grad():
            for name, weight in network.weights.items():
                part, kind = name.split(".")
                there = self._part(part, kind)
                there.copy_(torch.from_numpy(np.ascontiguousarray(weight.T if kind == "weight" else weight)))

    def _part(self, part: str, kind: str) -> Any:
        if part == "head":
            return getattr(self.head, kind)
        if kind in ("weight", "bias"):
            return getattr(self.linear[int(part)], kind)
        return getattr(self.norm[int(part)], {"scale": "weight", "shift": "bias"}[kind])


def masked(preferences: Tensor, masks: Tensor) -> Tensor:
    """Preferences with none left for what is not legal."""
    return preferences.masked_fill(masks == 0, -1e9)
