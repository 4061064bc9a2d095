"""Checks of what a checkpoint holds, before any of it is used.

A digest that is right says nothing about who made it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from olb_env.core.checking import is_int, shortened, shown
from olb_training.ppo.checkpoint import CheckpointError

Arrays = Mapping[str, npt.NDArray[Any]]
Form = tuple[np.dtype[Any], tuple[int, ...]]  # of an array: its dtype and its shape

FLOAT32, FLOAT64, INT64, UINT8 = (np.dtype(name) for name in ("float32", "float64", "int64", "uint8"))
EXACT_STEPS = 2**24  # Adam counts its steps in 32-bit floats: from here on they stay the same
MOST_RNG_BYTES = 1000
PARTS_OF_ADAM = ("step", "exp_avg", "exp_avg_sq")


def forms_of(arrays: Arrays) -> dict[str, Form]:
    """Return the dtype and shape of each of some arrays."""
    return {name: (array.dtype, array.shape) for name, array in arrays.items()}


def check_arrays(arrays: Arrays, expected: Mapping[str, Form]) -> None:
    """Raise CheckpointError unless there are exactly these arrays, and all their numbers are finite."""
    for name in expected:
        if name not in arrays:
            raise CheckpointError(f"{name} is missing")
    for name, array in arrays.items():
        if name not in expected:
            raise CheckpointError(f"{shortened(name)} does not belong to this run")
        dtype, shape = expected[name]
        if array.dtype != dtype or array.shape != shape:
            found = f"{array.dtype} {list(array.shape)}"
            raise CheckpointError(f"{name} is {found}: expected {dtype} {list(shape)}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise CheckpointError(f"{name} has numbers that are not finite")


def with_prefix(prefix: str, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def read_counter(name: str, arrays: Arrays, most: int) -> int:
    """Return a counter, a whole number from 0 to `most`."""
    check_arrays({name: arrays[name]} if name in arrays else {}, {name: (INT64, (1,))})
    value = int(arrays[name][0])
    if not 0 <= value <= most:
        raise CheckpointError(f"{name} is {value}: expected 0 to {most:,}")
    return value


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> dict[str, npt.NDArray[Any]]:
    """Return the state of Adam as arrays, none before its first step."""
    return {
        f"{number}.{name}": np.atleast_1d(part.numpy().copy())
        for number, state in optimizer.state_dict()["state"].items()
        for name, part in state.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays, least: int, most: int) -> None:
    """Restore the state of Adam after some number of steps from `least` to `most`; none are there before the first."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, Tensor]] = {}
    if arrays or least:
        expected: dict[str, Form] = {}
        for number, parameter in enumerate(parameters):
            shape = tuple(parameter.shape)
            expected[f"{number}.step"] = FLOAT32, (1,)
            expected[f"{number}.exp_avg"] = expected[f"{number}.exp_avg_sq"] = FLOAT32, shape
        check_arrays(arrays, expected)
        _check_adam(arrays, len(parameters), max(1, min(least, EXACT_STEPS)), most)
        for number in range(len(parameters)):
            parts = {name: torch.from_numpy(arrays[f"{number}.{name}"].copy()) for name in PARTS_OF_ADAM}
            state[number] = {**parts, "step": parts["step"].reshape(())}
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def _check_adam(arrays: Arrays, count: int, least: int, most: int) -> None:
    steps = {float(arrays[f"{number}.step"][0]) for number in range(count)}
    step = min(steps)
    if len(steps) > 1 or step != int(step) or not least <= step <= most:
        raise CheckpointError(f"the optimizer has taken {step:g} steps: expected {least:,} to {most:,}")
    for number in range(count):
        if (arrays[f"{number}.exp_avg_sq"] < 0).any():
            raise CheckpointError("the optimizer has means of squares that are negative")


def restore_module(module: torch.nn.Module, arrays: Arrays) -> None:
    """Restore the weights of a module."""
    own = {name: weight.numpy() for name, weight in module.state_dict().items()}
    check_arrays(arrays, forms_of(own))
    module.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()})


def rng_array(rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Return the state of a generator of random numbers as an array."""
    return np.frombuffer(json.dumps(rng.bit_generator.state).encode(), np.uint8)


def restore_rng(rng: np.random.Generator, array: npt.NDArray[Any]) -> None:
    """Restore what `rng_array` returned."""
    if array.dtype != UINT8 or array.ndim != 1 or len(array) > MOST_RNG_BYTES:
        raise CheckpointError(f"rng_state is {array.dtype} {list(array.shape)}: expected bytes of JSON")
    try:
        state = json.loads(array.tobytes())
    except (ValueError, RecursionError):
        raise CheckpointError("rng_state is not JSON") from None
    if not _is_rng_state(state, rng.bit_generator.state["bit_generator"]):
        raise CheckpointError(f"rng_state is {shown(state)}: expected the state of a generator")
    rng.bit_generator.state = state


def _is_rng_state(state: Any, kind: str) -> bool:
    keys = {"bit_generator", "state", "has_uint32", "uinteger"}
    if not isinstance(state, dict) or set(state) != keys or state["bit_generator"] != kind:
        return False
    inner = state["state"]
    if not isinstance(inner, dict) or set(inner) != {"state", "inc"}:
        return False
    limits = [(inner["state"], 2**128), (inner["inc"], 2**128), (state["has_uint32"], 2), (state["uinteger"], 2**32)]
    return all(is_int(value) and 0 <= value < limit for value, limit in limits) and inner["inc"] % 2 == 1
