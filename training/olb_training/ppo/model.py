"""The network of `olb_agents.network` as a torch module, to train it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from olb_agents.inputs import initial_afterstate_weights
from olb_agents.network import EPSILON, Network, Shape

ILLEGAL_LOGIT = -1e9


class ActorCritic(nn.Module):
    """A trunk of hidden layers with one head: logits, values, and weights of afterstate features."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        sizes = [shape.trunk_inputs, *shape.hidden_sizes]
        layers = [nn.Linear(size, following) for size, following in itertools.pairwise(sizes)]
        self.linear = nn.ModuleList(layers)
        self.norm = nn.ModuleList(nn.LayerNorm(size, eps=EPSILON) for size in shape.hidden_sizes)
        self.head = nn.Linear(sizes[-1], shape.outputs)
        for layer in layers:
            nn.init.orthogonal_(layer.weight, 2**0.5)
            nn.init.zeros_(layer.bias)
        nn.init.orthogonal_(self.head.weight, 0.01)
        nn.init.zeros_(self.head.bias)
        with torch.no_grad():
            self.head.bias[shape.outputs - shape.afterstate_size :] = torch.tensor(
                initial_afterstate_weights(shape.game, shape.afterstate_size)
            )

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits [N, A] and values [N, P], those of the deciding seat first, for inputs [N, D]."""
        shape = self.shape
        x = inputs[:, : shape.trunk_inputs]
        for linear, norm in zip(self.linear, self.norm, strict=True):
            x = torch.relu(norm(linear(x)))
        logits, values, weights = self.head(x).split([shape.num_actions, shape.num_seats, shape.afterstate_size], dim=1)
        if shape.afterstate_size:
            afterstates = torch.unflatten(
                inputs[:, shape.trunk_inputs :], 1, (shape.num_actions, shape.afterstate_size)
            )
            logits = logits + torch.bmm(afterstates, weights[:, :, None])[:, :, 0]
        return logits, torch.tanh(values)

    def to_network(self) -> Network:
        """Return a copy that needs no torch."""
        weights: dict[str, Any] = {"head.weight": self.head.weight.T, "head.bias": self.head.bias}
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
        """Return a model with the weights of a network."""
        model = cls(network.shape)
        model.copy_weights(network)
        return model

    def copy_weights(self, network: Network) -> None:
        """Replace all weights by those of a network of the same shape."""
        with torch.no_grad():
            for name, weight in network.weights.items():
                layer, kind = name.split(".")
                parameter = self._parameter(layer, kind)
                parameter.copy_(torch.from_numpy(np.ascontiguousarray(weight.T if kind == "weight" else weight)))

    def _parameter(self, layer: str, kind: str) -> Any:
        if layer == "head":
            return getattr(self.head, kind)
        if kind in ("weight", "bias"):
            return getattr(self.linear[int(layer)], kind)
        return getattr(self.norm[int(layer)], {"scale": "weight", "shift": "bias"}[kind])


def mask_logits(logits: Tensor, masks: Tensor) -> Tensor:
    """Return logits [N, A] that leave illegal actions no probability."""
    return logits.masked_fill(masks == 0, ILLEGAL_LOGIT)


def sample_actions(logits: Any, masks: Any, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Sample a legal action [N] from the softmax of every row of logits [N, A] (the Gumbel-max trick)."""
    noise = rng.random(logits.shape, np.float32)
    np.maximum(noise, 1e-12, out=noise)
    actions: npt.NDArray[np.int64] = np.where(masks > 0, logits - np.log(-np.log(noise)), -np.inf).argmax(axis=1)
    return actions
