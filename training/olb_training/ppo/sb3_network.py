"""Our networks in stable-baselines3: a features extractor with our layers, and conversion to a `Network`."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from olb_agents.network import EPSILON, Network, Shape
from olb_env.core.game import find


class Trunk(BaseFeaturesExtractor):  # type: ignore[misc]  # its types are partial
    """The hidden layers of our networks; SB3 adds an action head and a value head."""

    def __init__(self, space: gymnasium.spaces.Box, hidden_sizes: tuple[int, ...]) -> None:
        super().__init__(space, hidden_sizes[-1])
        sizes = [int(np.prod(space.shape)), *hidden_sizes]
        layers: list[nn.Module] = []
        for size, following in itertools.pairwise(sizes):
            layers += [nn.Linear(size, following), nn.LayerNorm(following, eps=EPSILON), nn.ReLU()]
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the inputs of both heads."""
        hidden: Tensor = self.layers(observations)
        return hidden


def to_network(model: MaskablePPO, game: str, hidden_sizes: tuple[int, ...]) -> Network:
    """Return a policy trained by SB3 as a `Network`, whose values are 0 for all seats but the deciding one.

    The value of the deciding seat is the tanh of SB3's value: `Network` applies tanh, and SB3 does not.
    """
    shape = Shape.of_game(find(game), hidden_sizes, "observation")
    policy: Any = model.policy
    weights: dict[str, Tensor] = {}
    layers = list(policy.features_extractor.layers)
    for number in range(len(hidden_sizes)):
        linear, norm = layers[3 * number], layers[3 * number + 1]
        weights |= {
            f"{number}.weight": linear.weight.T, f"{number}.bias": linear.bias,
            f"{number}.scale": norm.weight, f"{number}.shift": norm.bias,
        }  # fmt: skip
    others = shape.num_seats - 1
    action, value = policy.action_net, policy.value_net
    weights["head.weight"] = torch.cat([action.weight, value.weight, torch.zeros(others, hidden_sizes[-1])]).T
    weights["head.bias"] = torch.cat([action.bias, value.bias, torch.zeros(others)])
    return Network(shape, {name: weight.detach().numpy() for name, weight in weights.items()})
