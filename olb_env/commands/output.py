"""Files that commands write for people and programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from olb_env.commands.olb import UsageError


def write_json(file: str, result: dict[str, Any]) -> None:
    """Write a result as JSON to a file, or to standard output for -."""
    text = json.dumps(result, indent=2) + "\n"
    if file == "-":
        sys.stdout.write(text)
    else:
        write_text(file, text, "--json")


def write_text(file: str, text: str, option: str) -> None:
    """Write the file that an option named."""
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(file, error, option) from None


def check_writable(file: str | None, option: str) -> None:
    """Raise UsageError before long work if a file cannot be written afterwards; the file itself does not change."""
    if file is None or file == "-":
        return
    existed = Path(file).exists()
    try:
        with open(file, "ab"):
            pass
        if not existed:
            Path(file).unlink()
    except OSError as error:
        raise cannot_write(file, error, option) from None


def cannot_write(file: str, error: OSError, option: str) -> UsageError:
    """Return the error for a file that cannot be written."""
    return UsageError(f"cannot write {file}: {error.strerror}; name another {option}")
