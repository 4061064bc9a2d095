"""Checkpoints: whole or not there at all, and refused if a single bit of them is wrong. Reading one runs no code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from olb_env.core.files import write_atomically

Arrays = dict[str, npt.NDArray[Any]]

FORMAT = "olb-train 3"
KEPT = 3
CHECKPOINTS = "checkpoints"  # the folder of them, in that of a run


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on from; the message says what can be done."""


def write_checkpoint(folder: Path, iteration: int, arrays: Arrays, about: Mapping[str, Any]) -> Path:
    """Keep everything; the oldest checkpoints make room."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(about)
    told = {"format": FORMAT, "about": text, "digest": _digest(arrays, text)}
    path = folder / f"{iteration:06d}.safetensors"
    write_atomically(path, save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, told))
    for old in checkpoints(folder)[:-KEPT]:
        old.unlink()
    return path


def checkpoints(folder: Path) -> list[Path]:
    """Those there are, the newest last."""
    return sorted(folder.glob("[0-9]*.safetensors"))


def set_aside_newer(path: Path) -> None:
    """Who goes on from an older checkpoint does not come back to newer ones by chance; they are put aside."""
    for newer in checkpoints(path.parent):
        if newer.name > path.name:
            newer.replace(newer.with_suffix(".aside"))


def read_checkpoint(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """All of a checkpoint; a CheckpointError if it is damaged or something else."""
    try:
        with safe_open(path, framework="numpy") as file:
            told = file.metadata() or {}
            _check_format(path, told)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a mapping
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror or error}") from None
    except (SafetensorError, TypeError, AttributeError) as error:  # numpy does not know all types of number
        raise CheckpointError(f"{path} is damaged, or no checkpoint: {error}") from None
    if told.get("digest") != _digest(arrays, told.get("about", "")):
        raise CheckpointError(f"{path} is damaged: its digest differs")
    return arrays, json.loads(told["about"])


def _check_format(path: Path, told: Mapping[str, str]) -> None:
    if told.get("format") != FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of olb train ({FORMAT}), but {told.get('format', 'unmarked')}")


def newest_good(path: Path) -> tuple[Path, Arrays, dict[str, Any]]:
    """The checkpoint in a file, or the newest of a folder; if that is bad, the error names an older good one."""
    if path.is_file():
        if path.resolve().parent.name != CHECKPOINTS:
            raise CheckpointError(f"{path} does not lie in the {CHECKPOINTS} of a run: put it there to go on from it")
        return path.resolve(), *read_checkpoint(path)
    found = checkpoints(path / CHECKPOINTS)
    if not found:
        raise CheckpointError(f"{path} holds no checkpoints: name the folder that olb train wrote")
    try:
        return found[-1], *read_checkpoint(found[-1])
    except CheckpointError as error:
        for older in reversed(found[:-1]):
            try:
                read_checkpoint(older)
            except CheckpointError:
                continue
            raise CheckpointError(f"{error}; go on from an older one with --resume {older}") from None
        raise CheckpointError(f"{error}; there is no older good one, so begin anew") from None


def _digest(arrays: Arrays, about: str) -> str:
    found = hashlib.sha256(about.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()
