"""The command lines of tools such as `tune_planner`: numbers have bounds, and a mistake is reported in one line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

from olb_env.core.checking import shortened, shown

Number = TypeVar("Number", int, float)
MOST_ECHOED = 160  # characters of a message, which repeats what was typed


class ToolParser(argparse.ArgumentParser):
    """A parser that reports mistakes in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message and exit."""
        print(f"{self.prog}: {shortened(message, MOST_ECHOED)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def between(kind: Callable[[str], Number], least: Number, most: Number) -> Callable[[str], Number]:
    """Return a type for argparse: an int or a float within bounds."""

    def read(text: str) -> Number:
        try:
            value = kind(text)
            inside = least <= value <= most  # no nan is
        except ValueError:
            inside = False
        if not inside:
            words = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{shown(text)} given, expected {words} from {least:,} to {most:,}")
        return value

    return read


def new_file(text: str) -> Path:
    """Return the path of a file that can be written; whatever is there stays as it is."""
    path = Path(text)
    try:
        writable = path.parent.is_dir() and not path.is_dir() and os.access(path.parent, os.W_OK)
    except (OSError, ValueError):
        raise argparse.ArgumentTypeError(f"{shown(text)} given, expected the path of a file") from None
    if not writable:
        raise argparse.ArgumentTypeError(f"{shown(text)} given, expected a file in a folder where it can be written")
    return path
