"""`olb`: finds the subcommands that are installed and runs the one asked for.

A subcommand is a module, named by an entry point in the group `olb_env.commands`, with `HELP` (one line),
`EXAMPLE`, `add_arguments(parser, game)` and `run(options, game)`; `options.game` is None if nobody named one. What
a user can get wrong ends in one line on stderr and exit code 2.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module, metadata
from typing import Any, NoReturn

from olb_env import __version__
from olb_env.core import game as registry

INTERRUPTED = 130


class UsageError(Exception):
    """Something a user can put right; the message says how."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def commands() -> dict[str, Any]:
    """The modules of the subcommands, by name."""
    found = sorted(metadata.entry_points(group="olb_env.commands"), key=lambda point: point.name)
    return {point.name: import_module(point.value) for point in found}


def make_parser(game: registry.Game) -> argparse.ArgumentParser:
    """Every subcommand with its options, as they are for a game."""
    parser = _Parser(prog="olb", description="Board games: record them, let agents play, train, measure speed.")
    parser.add_argument("--version", action="version", version=f"olb {__version__}")
    chosen = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in commands().items():
        command = chosen.add_parser(
            name,
            help=module.HELP,
            description=module.HELP,
            epilog=f"example:\n  {module.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_argument(
            "--game",
            choices=registry.games(),
            metavar="GAME",
            help=f"one of {', '.join(registry.games())} (default: {registry.DEFAULT_GAME})",
        )
        module.add_arguments(command, game)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; answers its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if "" not in sys.path:
        sys.path.insert(0, "")  # an agent in the current folder is found, as with python -m
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # rather a question mark than no table
    chosen = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    chosen.add_argument("--game", nargs="?")
    name = chosen.parse_known_args(words)[0].game
    game = registry.find(name if name in registry.games() else registry.DEFAULT_GAME)
    options = make_parser(game).parse_args(words)
    try:
        result: int = commands()[options.command].run(options, game)
    except UsageError as error:
        print(f"olb {options.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads on: nothing more is written, or said
        return 1
    except KeyboardInterrupt:
        print(f"olb {options.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    return result


if __name__ == "__main__":
    raise SystemExit(main())
