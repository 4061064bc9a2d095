"""The command `olb`, which finds the installed subcommands and runs the one that the user names.

A subcommand is a module that an entry point of the group `olb_env.commands` names. It has `HELP` (one line),
`EXAMPLE`, `add_arguments(parser, game)` and `run(options, game)`; `options.game` is None if the user named no game.
Every mistake that a user can make ends in one line on stderr and exit code 2.
"""

from __future__ import annotations

import argparse
import difflib
import io
import itertools
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module, metadata
from typing import Any, NoReturn

from olb_env import __version__
from olb_env.core import game as registry

INTERRUPTED = 130
NEAR = 0.75  # how similar a known option must be to be suggested, from 0 to 1


class UsageError(Exception):
    """A mistake that the user can correct; the message says how."""


class _Parser(argparse.ArgumentParser):
    """A parser that reports mistakes in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)

    def check_options(self, words: Iterable[str]) -> None:
        """Report the first option that is unknown, with the nearest one."""
        known = [option for action in self._actions for option in action.option_strings]
        for word in words:
            option = word.partition("=")[0]
            if option.startswith("--") and not any(name.startswith(option) for name in known):
                nearest = difflib.get_close_matches(option, known, n=1, cutoff=NEAR)
                self.error(f"unknown option {option}" + "".join(f", did you mean {name}?" for name in nearest))


class _CommandParser(_Parser):
    """The parser of a subcommand; it reports unknown options itself, before those that are missing.

    Options may come between the arguments that are not options.
    """

    _parts_are_parsed = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        if self._parts_are_parsed:
            return super().parse_known_args(args, namespace)
        self.check_options(itertools.takewhile(lambda word: word != "--", args or ()))
        self._parts_are_parsed = True  # argparse calls this method for options and for the rest in turn
        try:
            found, extra = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._parts_are_parsed = False
        if extra:
            self.error(f"unexpected argument {extra[0]!r}")
        return found, extra


def commands() -> dict[str, Any]:
    """Return the modules of the subcommands, by name."""
    found = sorted(metadata.entry_points(group="olb_env.commands"), key=lambda point: point.name)
    return {point.name: import_module(point.value) for point in found}


def make_parser(game: registry.Game) -> _Parser:
    """Return the parser of all subcommands, with the options that they have for a game."""
    parser = _Parser(prog="olb", description="Board games: play them, record them, train agents, compare them.")
    parser.add_argument("--version", action="version", version=f"olb {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_CommandParser)
    for name, module in commands().items():
        command = subparsers.add_parser(
            name,
            help=module.HELP,
            description=module.HELP,
            epilog=f"example:\n  {module.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_argument(
            "--game",
            choices=registry.game_names(),
            metavar="GAME",
            help=f"one of {', '.join(registry.game_names())} (default: {registry.DEFAULT_GAME})",
        )
        module.add_arguments(command, game)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a question mark
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)  # the game decides which options there are
    early.add_argument("--game", nargs="?")
    name = early.parse_known_args(words)[0].game
    game = registry.find(name if name in registry.game_names() else registry.DEFAULT_GAME)
    parser = make_parser(game)
    parser.check_options(itertools.takewhile(lambda word: word.startswith("--"), words))
    options = parser.parse_args(words)
    try:
        code: int = commands()[options.command].run(options, game)
    except UsageError as error:
        print(f"olb {options.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader has left: Python must not flush into the pipe
        return 1
    except KeyboardInterrupt:
        print(f"olb {options.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code
