"""A network that is told more, or has wider layers, says the same at first, and learns what to make of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from olb_agents.inputs import FEATURES
from olb_agents.network import Network, Shape

Floats = npt.NDArray[np.float32]


def can_widen(old: Shape, new: Shape) -> bool:
    """Whether a network can become one of another shape: told as much or more, its layers some times as wide."""
    alike = (old.game, old.version, len(old.hidden_sizes)) == (new.game, new.version, len(new.hidden_sizes))
    return (
        alike
        and FEATURES.index(old.features) <= FEATURES.index(new.features)
        and not any(map(int.__mod__, new.hidden_sizes, old.hidden_sizes))
    )


def widen(network: Network, shape: Shape) -> Network:
    """The same network, told more; what is new does not count yet."""
    old, weights = network.shape, {name: np.zeros(size, np.float32) for name, size in shape.tensors().items()}
    advice = old.num_actions if old.feature_size else 0  # stands behind all else that goes through the layers
    kept = old.trunk_inputs - advice
    for name, weight in _widen_layers(network, shape.hidden_sizes).items():
        if name == "0.weight":
            weights[name][:kept] = weight[:kept]
            weights[name][shape.trunk_inputs - advice :] = weight[kept:]
        else:  # more columns at most
            weights[name][..., : weight.shape[-1]] = weight
    return Network(shape, weights, network.about)


def _widen_layers(network: Network, hidden: tuple[int, ...]) -> dict[str, Floats]:
    """Every unit stands there several times: what it says is shared out unevenly, so that the copies part ways."""
    weights, chance = dict(network.weights), np.random.default_rng(0)
    after = [*(f"{number}.weight" for number in range(1, len(hidden))), "head.weight"]
    for number, (was, width) in enumerate(zip(network.shape.hidden_sizes, hidden, strict=True)):
        times = width // was
        if times == 1:
            continue
        for part in ("weight", "bias", "scale", "shift"):
            weights[f"{number}.{part}"] = np.concatenate([weights[f"{number}.{part}"]] * times, axis=-1)
        shares = chance.uniform(0.5, 1.5, (times, was, 1)).astype(np.float32)
        shares /= shares.sum(axis=0)
        weights[after[number]] = np.concatenate(list(shares * weights[after[number]]))
    return weights
