"""A network that is told more than it was says the same at first, and learns what to make of it."""

from __future__ import annotations

import numpy as np

from agents.network import Network, Shape


def can_grow(old: Shape, new: Shape) -> bool:
    """Whether a network can become one of another shape: the same, but told as much or more."""
    return (old.game, old.version, old.hidden) == (new.game, new.version, new.hidden) and old.level <= new.level


def grown(network: Network, shape: Shape) -> Network:
    """The same network, told more; what is new does not count yet."""
    old, weights = network.shape, {name: np.zeros(size, np.float32) for name, size in shape.tensors().items()}
    advice = old.actions if old.insight else 0  # stands behind all else that goes through the layers
    kept = old.inputs - advice
    for name, weight in network.weights.items():
        if name == "0.weight":
            weights[name][:kept] = weight[:kept]
            weights[name][shape.inputs - advice :] = weight[kept:]
        else:  # more columns at most
            weights[name][..., : weight.shape[-1]] = weight
    return Network(shape, weights, network.about)
