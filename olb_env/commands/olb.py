"""The command `olb`, which finds the installed subcommands and runs the one that the user names.

A subcommand is a module that an entry point of the group `olb_env.commands` names. It has `HELP` (one line),
`EXAMPLE`, `add_arguments(parser, game)` and `run(options, game)`; `options.game` is None if the user named no game.
Every mistake that a user can make ends in one line on stderr and exit code 2.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import io
import itertools
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, NoReturn

from olb_env import __version__
from olb_env.core import game as registry
from olb_env.core.checking import shortened, shown

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

INTERRUPTED = 130
NEAR = 0.75  # how similar a known option must be to be suggested, from 0 to 1
LONGEST_USAGE_ERROR, LONGEST_ERROR = 400, 1500  # characters of a message; both are longer than what it should need


class UsageError(Exception):
    """A mistake that the user can correct; the message says how."""


class _Parser(argparse.ArgumentParser):
    """A parser that reports mistakes in one line, however long the words were."""

    help_words = "--help"  # what shows the options that there are

    def error(self, message: str) -> NoReturn:
        _say(f"{self.prog}: {shortened(message, LONGEST_USAGE_ERROR)} (see {self.prog} {self.help_words})")
        raise SystemExit(2)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print the help or the version; argparse itself would hide that this failed."""
        (file or sys.stderr).write(message)

    def check_options(self, words: Iterable[str]) -> None:
        """Report the first option that is unknown, that could be several, or that has a value but takes none."""
        known = {option: action for action in self._actions for option in action.option_strings}
        for word in words:
            option, sign, _ = word.partition("=")
            if not (option.startswith("--") or option[:2] in known):
                continue
            meant = [option] if option in known else [name for name in known if name.startswith(option)]
            if not meant:
                nearest = difflib.get_close_matches(option[:LONGEST_USAGE_ERROR], known, n=1, cutoff=NEAR)
                question = f", did you mean {nearest[0]}?" if nearest else ""
                self.error(f"unknown option {shortened(option)}{question}")
            if len(meant) > 1:
                self.error(f"{shortened(option)} could be any of {', '.join(meant)}")
            if sign and known[meant[0]].nargs == 0:
                self.error(f"{meant[0]} takes no value")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        values = super()._get_values(action, arg_strings)
        if action.nargs is None and values == []:  # argparse drops the value of --option=--
            raise argparse.ArgumentError(action, "expected one argument")
        return values

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError as error:
            error.message = error.message.replace(repr(arg_string), shown(arg_string))
            raise

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = ", ".join(map(repr, action.choices))
            raise argparse.ArgumentError(action, f"invalid choice: {shown(value)} (choose from {choices})")


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
            self.error(f"unexpected argument {shown(extra[0])}")
        return found, extra


class _ClosedOutput(io.TextIOBase):
    """Stands for a standard output that was closed before the command began."""

    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, "it is closed")


def commands(name: str | None = None) -> dict[str, Any]:
    """Return the modules of the subcommands by name, or only that of one, so that no other can slow it down."""
    found = sorted(metadata.entry_points(group="olb_env.commands"), key=lambda point: point.name)
    chosen = [point for point in found if point.name == name] or found
    return {point.name: import_module(point.value) for point in chosen}


def make_parser(game: registry.Game, name: str | None = None) -> _Parser:
    """Return the parser of all subcommands, or only of one, with the options that they have for a game."""
    parser = _Parser(prog="olb", description="Board games: play them, record them, train agents, compare them.")
    parser.add_argument("--version", action="version", version=f"olb {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_CommandParser)
    for known, module in commands(name).items():
        command = subparsers.add_parser(
            known,
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
        if game.name != registry.DEFAULT_GAME:
            command.help_words = f"--game {game.name} --help"
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _mend_streams()
    name = "olb"
    try:
        try:
            options, game = _parse(words)
            name = f"olb {options.command}"
            code: int = commands(options.command)[options.command].run(options, game)
        finally:
            sys.stdout.flush()  # here a full disk can be reported; Python would do the same at exit
    except UsageError as error:
        _say(f"{name}: {shortened(error, LONGEST_ERROR)}")
    except BrokenPipeError:
        _drop_output()
        return 1
    except OSError as error:
        _drop_output()
        what = "standard output" if error.filename is None else shortened(error.filename)
        _say(f"{name}: cannot use {what}: {error.strerror or shortened(error)}")
    except KeyboardInterrupt:
        _say(f"{name}: interrupted")
        return INTERRUPTED
    else:
        return code
    return 2


def _parse(words: Sequence[str]) -> tuple[argparse.Namespace, registry.Game]:
    """Return the options that were typed, and the game."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)  # the game decides which options there are
    early.add_argument("--game", "--gam", "--ga", "--g", nargs="?")  # where these could mean another, it is an error
    name = early.parse_known_args(words)[0].game
    game = registry.find(name if name in registry.game_names() else registry.DEFAULT_GAME)
    parser = make_parser(game, words[0] if words else None)
    parser.check_options(itertools.takewhile(lambda word: word.startswith("--"), words))
    return parser.parse_args(words), game


def _mend_streams() -> None:
    """Let standard output and errors be there, and take any text."""
    sys.stdout = sys.stdout or _ClosedOutput()
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # until the process ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a question mark


def _say(text: str) -> None:
    """Print a line on standard error; if nobody can read it, the exit code has to do."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _drop_output() -> None:
    """Keep Python from flushing standard output, which cannot be written, when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
