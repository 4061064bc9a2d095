"""Where commands put what people and programs read."""

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
    """Write a file that an option named."""
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(file, error, option) from None


def check_writable(file: str | None, option: str) -> None:
    """Say before long work, not after it, that a file cannot be written; nothing changes in it."""
    if file is None or file == "-":
        return
    there = Path(file).exists()
    try:
        with open(file, "ab"):
            pass
        if not there:
            Path(file).unlink()
    except OSError as error:
        raise cannot_write(file, error, option) from None


def cannot_write(file: str, error: OSError, option: str) -> UsageError:
    """What to say then."""
    return UsageError(f"cannot write {file}: {error.strerror}; name another {option}")
