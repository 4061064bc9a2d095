"""Checkpoints: written whole or not at all, and refused if a single bit is wrong. Reading one runs no code."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from olb_env.core.checking import shortened
from olb_env.core.files import write_atomically
from olb_training.ppo.bounds import MOST_SHOWN, machine_memory

Arrays = dict[str, npt.NDArray[Any]]

FORMAT = "olb-train 4"
KEPT = 3  # the newest
NAME = re.compile(r"[0-9]{6,15}\.safetensors")  # the iteration
CHECKPOINTS = "checkpoints"  # their folder, in that of a run


class CheckpointError(ValueError):
    """A checkpoint that no run can be resumed from; the message says what to do."""


def write_checkpoint(folder: Path, iteration: int, arrays: Arrays, about: Mapping[str, Any]) -> Path:
    """Write a checkpoint, and delete all but the newest ones."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(about)
    metadata = {"format": FORMAT, "about": text, "digest": _digest(arrays, text)}
    path = folder / f"{iteration:06d}.safetensors"
    write_atomically(path, save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, metadata))
    for old in list_checkpoints(folder)[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


def list_checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, the newest last."""
    found = [file for file in folder.glob("*.safetensors") if NAME.fullmatch(file.name) and file.is_file()]
    return sorted(found, key=number_of)


def number_of(path: Path) -> int:
    """Return the iteration after which a checkpoint was written, as its name says."""
    return int(path.stem)


def set_aside_newer(path: Path) -> None:
    """Rename the checkpoints that are newer than this one, so that no run resumes from them by mistake."""
    for newer in list_checkpoints(path.parent):
        if number_of(newer) > number_of(path):
            newer.replace(newer.with_suffix(".aside"))


def read_checkpoint(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays of a checkpoint and what was written about them; raise CheckpointError if it is damaged."""
    name = shortened(path, MOST_SHOWN)
    try:
        if path.exists() and not path.is_file():  # reading a pipe would wait for ever
            raise CheckpointError(f"{name} is not a file")
        if path.exists() and path.stat().st_size > machine_memory():
            raise CheckpointError(f"{name} is larger than the memory of this machine")
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            _check_format(path, metadata)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a mapping
    except OSError as error:
        raise CheckpointError(f"cannot read {name}: {error.strerror or shortened(error)}") from None
    except (SafetensorError, TypeError, AttributeError) as error:  # numpy does not know all types of number
        raise CheckpointError(f"{name} is damaged, or not a checkpoint: {shortened(error)}") from None
    text = metadata.get("about", "")
    if metadata.get("digest") != _digest(arrays, text):
        raise CheckpointError(f"{name} is damaged: its digest differs")
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise CheckpointError(f"{name} is not a checkpoint of a run: it does not say what it is about")
    return arrays, about


def _check_format(path: Path, metadata: Mapping[str, str]) -> None:
    if metadata.get("format") != FORMAT:
        found = shortened(metadata.get("format", "unmarked"))
        name = shortened(path, MOST_SHOWN)
        raise CheckpointError(f"{name} is not a checkpoint of this version of olb train ({FORMAT}), but {found}")


def find_checkpoint(path: Path) -> tuple[Path, Arrays, dict[str, Any]]:
    """Return the checkpoint in a file, or the newest of a run's folder.

    If the newest is damaged, the error names the newest older one that is not.
    """
    if path.is_file():
        if path.resolve().parent.name != CHECKPOINTS:
            name = shortened(path, MOST_SHOWN)
            raise CheckpointError(
                f"{name} is not in the folder {CHECKPOINTS} of a run: move it there to resume from it"
            )
        if not NAME.fullmatch(path.name):
            name, expected = shortened(path, MOST_SHOWN), "expected its iteration, as in 000025.safetensors"
            raise CheckpointError(f"{name} does not have the name of a checkpoint: {expected}")
        return path.resolve(), *read_checkpoint(path)
    found = list_checkpoints(path / CHECKPOINTS)
    if not found:
        name = shortened(path, MOST_SHOWN)
        raise CheckpointError(f"{name} holds no checkpoints: name the folder that olb train wrote")
    try:
        return found[-1], *read_checkpoint(found[-1])
    except CheckpointError as error:
        for older in reversed(found[:-1]):
            try:
                read_checkpoint(older)
            except CheckpointError:
                continue
            raise CheckpointError(f"{error}; resume from an older one with --resume {older}") from None
        raise CheckpointError(f"{error}; there is no older good one, so start a new run") from None


def _digest(arrays: Arrays, about: str) -> str:
    digest = hashlib.sha256(about.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
