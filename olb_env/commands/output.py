"""Files that commands write for people and programs."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from olb_env.commands.olb import UsageError
from olb_env.core.checking import shortened, shown

LONGEST_PATH = 200  # characters of a path that a message shows


def write_json(file: str, result: dict[str, Any]) -> None:
    """Write a result as JSON to a file, or to standard output for -."""
    text = json.dumps(result, indent=2) + "\n"
    if file == "-":
        sys.stdout.write(text)
    else:
        write_text(file, text, "--json")


def write_text(file: str, text: str, option: str) -> None:
    """Write the file that an option named: the whole text, or else the file stays as it was."""
    try:
        _replace(file, text.encode(errors="replace"))  # a name may hold half a character
    except (OSError, ValueError) as error:
        raise cannot_write(file, error, option) from None


def check_writable(file: str | None, option: str) -> None:
    """Raise UsageError before long work if a file cannot be written afterwards; the file itself does not change."""
    if file is None or file == "-":
        return
    try:
        mode = _mode(file)
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            if not os.access(file, os.W_OK):  # opening a pipe would wait for its reader
                raise PermissionError(0, "Permission denied")
            return
        with open(file, "ab"):
            pass
        if mode is None:
            Path(os.path.realpath(file)).unlink()  # a link to a file that does not exist yet stays
    except (OSError, ValueError) as error:
        raise cannot_write(file, error, option) from None


def check_not_read(file: str | None, option: str, inputs: Iterable[str]) -> None:
    """Raise UsageError if a file to write is one of the files that the same command reads."""
    for other in inputs:
        with contextlib.suppress(OSError, ValueError):
            if file is not None and Path(file).samefile(other):
                raise UsageError(f"{option} would overwrite {path_shown(other)}, which is read: name another {option}")


def cannot_write(file: str, error: OSError | ValueError, option: str) -> UsageError:
    """Return the error for a file that cannot be written."""
    reason = error.strerror or error if isinstance(error, OSError) else "this is no possible name of a file"
    return UsageError(f"cannot write {path_shown(file)}: {reason}; name another {option}")


def path_shown(file: str) -> str:
    """Return a path as messages show it."""
    return shortened(file, LONGEST_PATH) if file.strip() else shown(file)


def _replace(file: str, content: bytes) -> None:
    """Replace the content of a file in one step, or write to a pipe or device."""
    mode = _mode(file)
    target = Path(os.path.realpath(file))  # a link stays a link
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(content)
        return
    try:
        number, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    except PermissionError:  # in a folder where only this file can be written
        target.write_bytes(content)
        return
    part = Path(name)
    try:
        with os.fdopen(number, "wb") as new:
            new.write(content)
            new.flush()
            os.fsync(number)
        part.chmod(_usual_mode() if mode is None else stat.S_IMODE(mode))
        part.replace(target)
    except BaseException:
        part.unlink()
        raise


def _mode(file: str) -> int | None:
    """Return what kind of file this is and who may use it, or None if there is none."""
    try:
        return Path(file).stat().st_mode
    except FileNotFoundError:
        return None


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
