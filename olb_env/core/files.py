"""Files that are whole or not there at all, whatever happens while they are written; folders for one at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Put a file in its place at once: after a kill, a power cut or on a full disk the old one is still there."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        part.unlink(missing_ok=True)
        raise
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class FolderLock:
    """A folder that is this process's alone (ValueError: it is another's), until it is left or the process ends."""

    def __init__(self, folder: Path) -> None:
        self._file = -1
        self._file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # processes that are forked do not have it
        except OSError:
            raise ValueError(f"another process is at work in {folder}: let it end, or stop it") from None

    def leave(self) -> None:
        """Others may have the folder."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    __del__ = leave
