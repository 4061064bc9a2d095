"""A trained network in numpy alone: loading it runs no code from the file, and computing it needs no torch.

A file of weights (safetensors) goes with a JSON file of the same name that describes them. The network is a stack of
linear layers, each followed by layer normalization and a ReLU. Its head has a logit for every action, and a value for
every seat in the order of play, the deciding seat first. A network with afterstate features as inputs has one more
output for each of them: its weight in this position. The weighted features of an action are added to its logit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from olb_agents.inputs import FEATURE_SETS, afterstate_size, feature_size, write_extra_inputs
from olb_env.core.checking import shortened, shown
from olb_env.core.files import write_atomically
from olb_env.core.game import Game, States, find

Floats = npt.NDArray[np.float32]

FORMAT = 2
EPSILON = 1e-5  # of the normalisation
MAX_WIDTH, MAX_LAYERS = 8192, 16


class NetworkError(ValueError):
    """A file that is not a network, or one that does not fit this version of a game."""


@dataclass(frozen=True)
class Shape:
    """The game that a network is for, and the sizes of its parts."""

    game: str
    version: int  # of the game
    observation_size: int
    feature_size: int  # features and action scores in addition to the observation; 0 if none
    num_actions: int
    num_seats: int  # of the largest table
    hidden_sizes: tuple[int, ...]
    afterstate_size: int = 0  # features that describe where each action leads

    @classmethod
    def of_game(cls, game: Game, hidden_sizes: tuple[int, ...], features: str = FEATURE_SETS[-1]) -> Shape:
        """Return the shape of a network for a game, with one of the `FEATURE_SETS` as inputs."""
        return cls(
            game.name,
            game.version,
            game.observation.size,
            feature_size(game.name, features),
            len(game.actions),
            max(game.players),
            hidden_sizes,
            afterstate_size(game.name, features),
        )

    @property
    def features(self) -> str:
        """The smallest of the `FEATURE_SETS` that has these inputs."""
        own = (self.feature_size, self.afterstate_size)
        return next(
            name for name in FEATURE_SETS if (feature_size(self.game, name), afterstate_size(self.game, name)) == own
        )

    @property
    def trunk_inputs(self) -> int:
        """The number of inputs that go through the hidden layers."""
        return self.observation_size + self.feature_size

    @property
    def inputs(self) -> int:
        """The number of all inputs: those of the trunk, then the afterstate features of every action."""
        return self.trunk_inputs + self.num_actions * self.afterstate_size

    @property
    def outputs(self) -> int:
        """The number of outputs of the head: logits, values, and weights of afterstate features."""
        return self.num_actions + self.num_seats + self.afterstate_size

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Return the names and shapes of all weights."""
        found: dict[str, tuple[int, ...]] = {}
        width = self.trunk_inputs
        for number, size in enumerate(self.hidden_sizes):
            found[f"{number}.weight"] = (width, size)
            for part in ("bias", "scale", "shift"):
                found[f"{number}.{part}"] = (size,)
            width = size
        return {**found, "head.weight": (width, self.outputs), "head.bias": (self.outputs,)}


class Network:
    """The weights of a network, and how to compute it for many decisions at once."""

    def __init__(
        self, shape: Shape, weights: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any] | None = None
    ) -> None:
        self.shape = shape
        self.about = dict(about or {})  # notes that are kept beside the weights, such as how it was trained
        self.weights = {name: np.array(weights[name], np.float32, order="C") for name in shape.tensors()}  # copies

    def __call__(self, inputs: Floats) -> tuple[Floats, Floats]:
        """Return logits [N, A] and values [N, P] for inputs [N, `shape.inputs`]."""
        shape = self.shape
        x = inputs[:, : shape.trunk_inputs]
        for number in range(len(self.shape.hidden_sizes)):
            x = x @ self.weights[f"{number}.weight"]
            x += self.weights[f"{number}.bias"]
            x -= x.mean(axis=1, keepdims=True)
            x /= np.sqrt((x * x).mean(axis=1, keepdims=True) + np.float32(EPSILON))
            x *= self.weights[f"{number}.scale"]
            x += self.weights[f"{number}.shift"]
            np.maximum(x, 0, out=x)
        x = x @ self.weights["head.weight"] + self.weights["head.bias"]
        logits, values, weights = np.split(x, [shape.num_actions, shape.num_actions + shape.num_seats], axis=1)
        if shape.afterstate_size:
            afterstates = inputs[:, shape.trunk_inputs :].reshape(-1, shape.num_actions, shape.afterstate_size)
            logits = logits + (afterstates @ weights[:, :, None])[:, :, 0]
        return logits, np.tanh(values)

    def save(self, path: Path, about: Mapping[str, Any] | None = None) -> None:
        """Write the weights, and beside them their shape and notes about them."""
        config = {"format": FORMAT, **asdict(self.shape), "about": self.about | dict(about or {})}
        write_atomically(path, save(self.weights))
        write_atomically(path.with_suffix(".json"), (json.dumps(config, indent=2) + "\n").encode())


def encode_inputs(shape: Shape, observations: Floats, states: States, seats: npt.NDArray[np.int64]) -> Floats:
    """Return the inputs [N, `shape.inputs`] of a network of this shape for some decisions."""
    if not shape.feature_size:
        return observations
    inputs = np.empty((len(states), shape.inputs), np.float32)
    inputs[:, : shape.observation_size] = observations
    write_extra_inputs(find(shape.game), states, seats, inputs, shape.observation_size, shape.afterstate_size)
    return inputs


def load_network(path: Path) -> Network:
    """Return the network in a file; a NetworkError says what is wrong with its files."""
    file = shortened(path)
    if path.suffix != ".safetensors":
        raise NetworkError(f"{file} is not a network: expected a .safetensors file with a .json file beside it")
    config_file = path.with_suffix(".json")
    try:
        for needed in (path, config_file):
            needed.stat()
            if not needed.is_file():  # a pipe may be read for ever
                raise NetworkError(f"{shortened(needed)} is not a file")
        config = json.loads(config_file.read_text(encoding="utf-8"))
        weights = load_file(path)
    except OSError as error:
        raise NetworkError(f"cannot read {shortened(error.filename or path)}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise NetworkError(f"{shortened(config_file)} is not JSON: {shortened(error)}") from None
    except (SafetensorError, TypeError, AttributeError) as error:  # a dtype that numpy lacks
        raise NetworkError(
            f"{file} is damaged, or not a safetensors file that numpy can read: {shortened(error)}"
        ) from None
    shape = _read_shape(config, config_file)
    expected = shape.tensors()
    found = {name: tuple(weight.shape) for name, weight in weights.items()}
    if found != expected:
        wrong = min(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        raise NetworkError(
            f"{file}: {shortened(wrong)} is {found.get(wrong, 'missing')}, expected {expected.get(wrong, 'none')}"
        )
    for name, weight in weights.items():
        if weight.dtype != np.float32 or not np.isfinite(weight).all():
            raise NetworkError(f"{file}: {name} is not made of finite 32-bit numbers")
    about = config.get("about", {})
    return Network(shape, weights, about if isinstance(about, dict) else {})


def _read_shape(config: Any, file: Path) -> Shape:
    try:
        if config["format"] != FORMAT:
            raise ValueError(f"format {shown(config['format'])}, expected {FORMAT}")
        hidden_sizes = tuple(config["hidden_sizes"])
        if not 1 <= len(hidden_sizes) <= MAX_LAYERS or not all(
            type(size) is int and 1 <= size <= MAX_WIDTH for size in hidden_sizes
        ):
            expected = f"1 to {MAX_LAYERS} sizes of 1 to {MAX_WIDTH}"
            raise ValueError(f"hidden_sizes is {shown(config['hidden_sizes'])}, expected {expected}")
        shapes = [Shape.of_game(find(config["game"]), hidden_sizes, features) for features in FEATURE_SETS]
        sizes = config["feature_size"], config["afterstate_size"]
        shape = next((shape for shape in shapes if (shape.feature_size, shape.afterstate_size) == sizes), shapes[-1])
        for name, value in asdict(shape).items():
            if name != "hidden_sizes" and config[name] != value:
                raise ValueError(f"made for {name} {shown(config[name])}, this is {value!r}")
    except (ValueError, KeyError, TypeError) as error:
        raise NetworkError(
            f"{shortened(file)} does not describe a network that can be used here: {shortened(error)}"
        ) from None
    return shape
