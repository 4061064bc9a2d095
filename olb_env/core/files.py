"""Files that are written whole or not at all, and folders that only one process uses at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file in one step: after a kill, a power cut or on a full disk the old content is still there."""
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
    """A lock on a folder for this process, held until it is released or the process ends.

    A ValueError says that another process holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._file = -1
        self._file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # forked processes do not inherit it
        except OSError:
            raise ValueError(f"another process is using {folder}: wait until it ends, or stop it") from None

    def release(self) -> None:
        """Let other processes use the folder."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    __del__ = release
