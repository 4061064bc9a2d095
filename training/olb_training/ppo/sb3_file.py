"""The file that a run of stable-baselines3 is resumed from: SB3's own, with our parts beside SB3's.

SB3's parts are pickles, for whoever loads the file with SB3. Ours are JSON and safetensors, and only they are read
here: each at most as long as it must be, and checked before it is used.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load, save
from sb3_contrib import MaskablePPO

from olb_agents.network import Network, Shape
from olb_env.core.checking import is_int, shortened, shown
from olb_training.ppo.bounds import MOST_SHOWN, read_number
from olb_training.ppo.notes import MOST_SECONDS
from olb_training.ppo.restoring import FLOAT32, check_arrays, optimizer_arrays, restore_module, restore_optimizer
from olb_training.ppo.settings import MAX_TIMESTEPS

COUNTERS, PAST_SELVES = "olb/counters.json", "olb/past_selves/"
POLICY, OPTIMIZER = "olb/policy", "olb/optimizer"
MOST_BESIDES = 20_000_000  # bytes of the file besides tensors, and of the description of the tensors in a part
MOST_STEPS = 2**24  # that Adam counts


@dataclass(frozen=True)
class Saved:
    """What a file holds besides the weights of the model."""

    timesteps: int
    seconds: float
    past_selves: list[Network]


def sb3_file(model: MaskablePPO, timesteps: int, seconds: float, past_selves: Sequence[Network]) -> bytes:
    """Return the content of a file to resume from."""
    content = io.BytesIO()
    model.save(content)
    policy = {name: weight.numpy().copy() for name, weight in model.policy.state_dict().items()}
    parts = {
        COUNTERS: json.dumps([timesteps, seconds]).encode(),
        POLICY: save(policy),
        OPTIMIZER: save(optimizer_arrays(model.policy.optimizer)),
        **{f"{PAST_SELVES}{number:03d}": save(network.weights) for number, network in enumerate(past_selves)},
    }
    with zipfile.ZipFile(content, "a") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


def read_sb3_file(file: Path, model: MaskablePPO, shape: Shape, pool_size: int) -> Saved:
    """Restore a model from a file, and return the rest; a ValueError says why it cannot be resumed from."""
    name = shortened(file, MOST_SHOWN)
    try:
        return _read(file, model, shape, pool_size)
    except OSError as error:
        raise ValueError(f"cannot read {name}: {error.strerror or shortened(error)}") from None
    except Exception as error:  # noqa: BLE001  # whatever a damaged file leads to
        reason = shortened(error) or type(error).__name__
        raise ValueError(f"{name} is damaged, or not a file that olb train wrote: {reason}") from None


def _read(file: Path, model: MaskablePPO, shape: Shape, pool_size: int) -> Saved:
    policy = {name: weight.numpy() for name, weight in model.policy.state_dict().items()}
    tensors = sum(weight.nbytes for weight in policy.values())
    if file.exists() and not file.is_file():
        raise ValueError("it is not a file")
    if file.stat().st_size > (2 * pool_size + 20) * tensors + MOST_BESIDES:
        raise ValueError("it is too large")
    with zipfile.ZipFile(file) as archive:
        counters = json.loads(_part(archive, COUNTERS, 1000))
        weights = load(_part(archive, POLICY, tensors + MOST_BESIDES))
        means = load(_part(archive, OPTIMIZER, 2 * tensors + MOST_BESIDES))
        names = sorted(name for name in set(archive.namelist()) if name.startswith(PAST_SELVES))
        expected = [f"{PAST_SELVES}{number:03d}" for number in range(len(names))]
        if len(names) > pool_size or names != expected:
            raise ValueError(f"it has {len(names)} past selves, of odd names or more than {pool_size}")
        past_selves = [_past_self(load(_part(archive, name, 2 * tensors + MOST_BESIDES)), shape) for name in names]
    if not isinstance(counters, list) or len(counters) != 2 or not is_int(counters[0]):
        raise ValueError(f"its counters are {shown(counters)}: expected timesteps and seconds")
    timesteps = int(read_number("timesteps", counters[0], 2.0 * MAX_TIMESTEPS))
    seconds = read_number("seconds", counters[1], MOST_SECONDS)
    restore_module(model.policy, weights)
    restore_optimizer(model.policy.optimizer, means, 0, MOST_STEPS if timesteps else 0)
    return Saved(timesteps, seconds, past_selves)


def _part(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a part of the file, which may be packed: no more of it is unpacked than it may have."""
    if name not in archive.namelist():
        raise ValueError(f"{name} is missing")
    with archive.open(name) as part:
        content = part.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{name} is too long")
    return content


def _past_self(weights: dict[str, npt.NDArray[Any]], shape: Shape) -> Network:
    check_arrays(weights, {name: (np.dtype(FLOAT32), size) for name, size in shape.tensors().items()})
    return Network(shape, weights)
