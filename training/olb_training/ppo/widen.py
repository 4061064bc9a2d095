"""Function-preserving growth of a network, as in Net2Net: more inputs or wider layers, the same outputs at first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from olb_agents.inputs import FEATURE_SETS
from olb_agents.network import Network, Shape

Floats = npt.NDArray[np.float32]


def can_widen(old: Shape, new: Shape) -> bool:
    """Return whether a network can take a shape: the same features or more, every layer a multiple as wide."""
    alike = (old.game, old.version, len(old.hidden_sizes)) == (new.game, new.version, len(new.hidden_sizes))
    return (
        alike
        and FEATURE_SETS.index(old.features) <= FEATURE_SETS.index(new.features)
        and not any(map(int.__mod__, new.hidden_sizes, old.hidden_sizes))
    )


def widen(network: Network, shape: Shape) -> Network:
    """Return a network of another shape with the same outputs; the weights of new inputs are zero."""
    old, weights = network.shape, {name: np.zeros(size, np.float32) for name, size in shape.tensors().items()}
    scores = old.num_actions if old.feature_size else 0  # the scores of actions come last in the inputs of the trunk
    kept = old.trunk_inputs - scores
    for name, weight in _widen_layers(network, shape.hidden_sizes).items():
        if name == "0.weight":
            weights[name][:kept] = weight[:kept]
            weights[name][shape.trunk_inputs - scores :] = weight[kept:]
        else:  # more columns at most
            weights[name][..., : weight.shape[-1]] = weight
    return Network(shape, weights, network.about)


def _widen_layers(network: Network, hidden_sizes: tuple[int, ...]) -> dict[str, Floats]:
    """Copy every unit of a layer several times, and split its outgoing weights unevenly: the copies can then differ."""
    weights, rng = dict(network.weights), np.random.default_rng(0)
    outgoing = [*(f"{number}.weight" for number in range(1, len(hidden_sizes))), "head.weight"]
    for number, (old, new) in enumerate(zip(network.shape.hidden_sizes, hidden_sizes, strict=True)):
        times = new // old
        if times == 1:
            continue
        for part in ("weight", "bias", "scale", "shift"):
            weights[f"{number}.{part}"] = np.concatenate([weights[f"{number}.{part}"]] * times, axis=-1)
        shares = rng.uniform(0.5, 1.5, (times, old, 1)).astype(np.float32)
        shares /= shares.sum(axis=0)
        weights[outgoing[number]] = np.concatenate(list(shares * weights[outgoing[number]]))
    return weights
