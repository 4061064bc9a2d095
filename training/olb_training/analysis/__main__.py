"""Summarize recorded games: `python -m olb_training.analysis FILE.jsonl`.

The file holds finished games, all of the same board game, which are replayed on one core. The report gives the time
this took, and win rates and scores by agent and by start. For board games with a module of their name beside this one,
it also shows where the score came from. ± is the wider side of a 95% interval; too few games have none.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from olb_env.core.checking import shortened

PROGRAM = "python -m olb_training.analysis"
LONGEST_ERROR, LONGEST_PATH = 1000, 200  # characters
INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """A parser that reports mistakes in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {shortened(message)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report of a file; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a question mark
    parser = _Parser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="records, one JSON object per line")
    file: Path = parser.parse_args(arguments).file
    try:
        problem = _problem(file)
        if problem:
            return _refuse(file, problem)
        text = _analyse(file)
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or shortened(error, LONGEST_ERROR)
        return _refuse(file, why.removeprefix(f"{shortened(file)}, "))  # the error of a line begins with the file
    return _print(text)


def _refuse(file: Path, why: str) -> int:
    """Print why a file cannot be analysed; return the exit code."""
    print(f"{PROGRAM}: {shortened(file, LONGEST_PATH)} cannot be analysed: {why}", file=sys.stderr)
    return 2


def _problem(file: Path) -> str:
    """Return why a file cannot be analysed, before anything slow is imported; nothing if it may be possible."""
    if find_spec("pandas") is None:
        return "pandas is not installed (pip install pandas)"
    if file.exists() and not file.is_file():
        return "it is not a file" if not file.is_dir() else "it is a folder"
    return ""


def _analyse(file: Path) -> str:
    """Return the report of a file, and how long replaying it took."""
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from olb_env.core.console import plain_console
    from olb_training.analysis.games import read_games
    from olb_training.analysis.summary import analyse, report, seats_of

    columns, console = (TextColumn("games"), MofNCompleteColumn(), TimeElapsedColumn()), plain_console(stderr=True)
    seats_of(read_games(file, most=1))  # compile before the clock starts
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("games", total=None)
        began = time.monotonic()
        found, seats, decisions = analyse(file, lambda count: progress.advance(task, count))
        seconds = time.monotonic() - began
    count = seats["game"].nunique()
    return f"{count:,} games, {decisions:,} decisions in {seconds:.1f} s\n\n{report(found, seats)}"


def _print(text: str) -> int:
    """Print the report; return the exit code."""
    try:
        print(text, flush=True)
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):  # Python must not try again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 1
        print(f"{PROGRAM}: cannot write the report: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
