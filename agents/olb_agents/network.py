"""A trained network, with numpy alone: reading it from a file runs no code, and asking it needs no torch.

A file of weights (safetensors) goes with a JSON file of the same name that says what the weights are for. The network
is a stack of layers, each linear, normalised and cut off below zero; its head gives a preference for every action, and
for every seat, the one that asks first, how well the game should end for it. A network that is told where each action
leads says besides how much each trait of that counts here: so much is added to the preferences.
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

from olb_agents.heuristics import FEATURES, afterstate_size, append_features, feature_size
from olb_env.core.files import write_atomically
from olb_env.core.game import Game, States, find

Floats = npt.NDArray[np.float32]

FORMAT = 2
EPSILON = 1e-5  # of the normalisation
MOST_WIDTH, MOST_LAYERS = 8192, 16


class NetworkError(ValueError):
    """A file that holds no network, or one for something else."""


@dataclass(frozen=True)
class Shape:
    """What a network is for, and the sizes of its parts."""

    game: str
    version: int  # of the game
    observation_size: int
    feature_size: int  # inputs of the game's heuristics beside the observation; 0 if none
    num_actions: int
    num_seats: int  # of the largest table
    hidden_sizes: tuple[int, ...]
    afterstate_size: int = 0  # features that describe where each action leads

    @classmethod
    def of_game(cls, game: Game, hidden_sizes: tuple[int, ...], features: str = FEATURES[-1]) -> Shape:
        """Return the shape of a network for a game, with one of the sets of `FEATURES` as inputs."""
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
        """The smallest set of `FEATURES` that gives these inputs."""
        own = (self.feature_size, self.afterstate_size)
        return next(
            name for name in FEATURES if (feature_size(self.game, name), afterstate_size(self.game, name)) == own
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
        """The names and shapes of all weights."""
        found: dict[str, tuple[int, ...]] = {}
        width = self.trunk_inputs
        for number, size in enumerate(self.hidden_sizes):
            found[f"{number}.weight"] = (width, size)
            for part in ("bias", "scale", "shift"):
                found[f"{number}.{part}"] = (size,)
            width = size
        return {**found, "head.weight": (width, self.outputs), "head.bias": (self.outputs,)}


class Network:
    """Weights, and what they say to an observation."""

    def __init__(
        self, shape: Shape, weights: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any] | None = None
    ) -> None:
        self.shape = shape
        self.about = dict(about or {})  # what else is worth knowing about it
        self.weights = {name: np.array(weights[name], np.float32, order="C") for name in shape.tensors()}  # its own

    def __call__(self, observations: Floats) -> tuple[Floats, Floats]:
        """Preferences [N, A] and expected results [N, P] for what it is told [N, D + I + A * T]."""
        shape = self.shape
        x = observations[:, : shape.trunk_inputs]
        for number in range(len(self.shape.hidden_sizes)):
            x = x @ self.weights[f"{number}.weight"]
            x += self.weights[f"{number}.bias"]
            x -= x.mean(axis=1, keepdims=True)
            x /= np.sqrt((x * x).mean(axis=1, keepdims=True) + np.float32(EPSILON))
            x *= self.weights[f"{number}.scale"]
            x += self.weights[f"{number}.shift"]
            np.maximum(x, 0, out=x)
        x = x @ self.weights["head.weight"] + self.weights["head.bias"]
        preferences, values, counts = np.split(x, [shape.num_actions, shape.num_actions + shape.num_seats], axis=1)
        if shape.afterstate_size:
            leads_to = observations[:, shape.trunk_inputs :].reshape(-1, shape.num_actions, shape.afterstate_size)
            preferences = preferences + (leads_to @ counts[:, :, None])[:, :, 0]
        return preferences, np.tanh(values)

    def save(self, path: Path, about: Mapping[str, Any] | None = None) -> None:
        """Write the weights, and beside them what they are for and what else is worth knowing about them."""
        told = {"format": FORMAT, **asdict(self.shape), "about": self.about | dict(about or {})}
        write_atomically(path, save(self.weights))
        write_atomically(path.with_suffix(".json"), (json.dumps(told, indent=2) + "\n").encode())


def told(shape: Shape, observations: Floats, states: States, seats: npt.NDArray[np.int64]) -> Floats:
    """What a network of this shape is told of some decisions [N, D + I + A * T]."""
    if not shape.feature_size:
        return observations
    whole = np.empty((len(states), shape.inputs), np.float32)
    whole[:, : shape.observation_size] = observations
    append_features(find(shape.game), states, seats, whole, shape.observation_size, shape.afterstate_size)
    return whole


def load_network(path: Path) -> Network:
    """Read a network; a NetworkError says what is wrong with its files."""
    if path.suffix != ".safetensors":
        raise NetworkError(f"{path} is no network: expected a .safetensors file with a .json file beside it")
    beside = path.with_suffix(".json")
    try:
        told = json.loads(beside.read_text(encoding="utf-8"))
        weights = load_file(path)
    except OSError as error:
        raise NetworkError(f"cannot read {error.filename or path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise NetworkError(f"{beside} is not JSON: {error}") from None
    except (SafetensorError, TypeError, AttributeError) as error:  # numpy does not know all types of number
        raise NetworkError(f"{path} is damaged, or no safetensors file that numpy can read: {error}") from None
    shape = _read_shape(told, beside)
    expected = shape.tensors()
    found = {name: tuple(weight.shape) for name, weight in weights.items()}
    if found != expected:
        wrong = min(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        raise NetworkError(f"{path}: {wrong} is {found.get(wrong, 'missing')}, expected {expected.get(wrong, 'none')}")
    for name, weight in weights.items():
        if weight.dtype != np.float32 or not np.isfinite(weight).all():
            raise NetworkError(f"{path}: {name} is not made of finite 32-bit numbers")
    about = told.get("about", {})
    return Network(shape, weights, about if isinstance(about, dict) else {})


def _read_shape(config: Any, file: Path) -> Shape:
    try:
        if config["format"] != FORMAT:
            raise ValueError(f"format {config['format']!r}, expected {FORMAT}")
        hidden_sizes = tuple(config["hidden_sizes"])
        if not 1 <= len(hidden_sizes) <= MOST_LAYERS or not all(
            type(size) is int and 1 <= size <= MOST_WIDTH for size in hidden_sizes
        ):
            raise ValueError(f"hidden_sizes {config['hidden_sizes']!r}")
        shapes = [Shape.of_game(find(config["game"]), hidden_sizes, features) for features in FEATURES]
        sizes = config["feature_size"], config["afterstate_size"]
        shape = next((shape for shape in shapes if (shape.feature_size, shape.afterstate_size) == sizes), shapes[-1])
        for name, value in asdict(shape).items():
            if name != "hidden_sizes" and config[name] != value:
                raise ValueError(f"made for {name} {config[name]!r}, this is {value!r}")
    except (ValueError, KeyError, TypeError) as error:
        raise NetworkError(f"{file} does not describe a network that can be used here: {error}") from None
    return shape
