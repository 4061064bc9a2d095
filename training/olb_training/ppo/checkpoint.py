"""Checkpoints: written whole or not at all, and refused if a single bit is wrong. Reading one runs no code."""

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

FORMAT = "olb-train 4"
KEPT = 3  # the newest
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
        old.unlink()
    return path


def list_checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, the newest last."""
    return sorted(folder.glob("[0-9]*.safetensors"))


def set_aside_newer(path: Path) -> None:
    """Rename the checkpoints that are newer than this one, so that no run resumes from them by mistake."""
    for newer in list_checkpoints(path.parent):
        if newer.name > path.name:
            newer.replace(newer.with_suffix(".aside"))


def read_checkpoint(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays of a checkpoint and what was written about them; raise CheckpointError if it is damaged."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            _check_format(path, metadata)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a mapping
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror or error}") from None
    except (SafetensorError, TypeError, AttributeError) as error:  # numpy does not know all types of number
        raise CheckpointError(f"{path} is damaged, or not a checkpoint: {error}") from None
    if metadata.get("digest") != _digest(arrays, metadata.get("about", "")):
        raise CheckpointError(f"{path} is damaged: its digest differs")
    return arrays, json.loads(metadata["about"])


def _check_format(path: Path, metadata: Mapping[str, str]) -> None:
    if metadata.get("format") != FORMAT:
        found = metadata.get("format", "unmarked")
        raise CheckpointError(f"{path} is not a checkpoint of this version of olb train ({FORMAT}), but {found}")


def find_checkpoint(path: Path) -> tuple[Path, Arrays, dict[str, Any]]:
    """Return the checkpoint in a file, or the newest of a run's folder.

    If the newest is damaged, the error names the newest older one that is not.
    """
    if path.is_file():
        if path.resolve().parent.name != CHECKPOINTS:
            raise CheckpointError(
                f"{path} is not in the folder {CHECKPOINTS} of a run: move it there to resume from it"
            )
        return path.resolve(), *read_checkpoint(path)
    found = list_checkpoints(path / CHECKPOINTS)
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
            raise CheckpointError(f"{error}; resume from an older one with --resume {older}") from None
        raise CheckpointError(f"{error}; there is no older good one, so start a new run") from None


def _digest(arrays: Arrays, about: str) -> str:
    digest = hashlib.sha256(about.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
