"""Where commands put what programs read."""

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
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}; name another --json") from None
