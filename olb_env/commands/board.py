"""`olb board`: write a board for people to change, and check one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from olb_env.commands.olb import UsageError
from olb_env.commands.output import check_not_read, check_writable, path_shown, write_text
from olb_env.core import batch
from olb_env.core.boards import SUFFIXES, is_board_file, read_board_file, template
from olb_env.core.checking import shown
from olb_env.core.game import BoardFormat, Game, State, find, game_names
from olb_env.core.positions import Position

HELP = "Enter your own board: `new` prints the default board as TOML to change, `check` says what is wrong with one."
EXAMPLE = "olb board new > mine.toml\n  olb board check mine.toml --svg mine.svg\n  olb play --board mine.toml"


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options of `olb board`."""
    parser.add_argument("action", choices=("new", "check"), help="new prints the default board, check reads a file")
    parser.add_argument("file", nargs="?", metavar="FILE", help=f"the board to check: FILE{' or FILE'.join(SUFFIXES)}")
    parser.add_argument(
        "--svg", metavar="FILE", help="with check: also draw a game on this board as it begins, - for standard output"
    )


def run(options: argparse.Namespace, game: Game) -> int:
    """Print the default board, or check a board and draw it."""
    if game.boards is None:
        raise UsageError(f"{game.title} has no board that could be replaced: name another --game")
    if options.action == "new":
        if options.file is not None or options.svg is not None:
            raise UsageError("new takes no file: it prints the board, as in olb board new > mine.toml")
        print(template(game.boards.about, game.boards.printed(), game.boards.comments), end="")
        return 0
    if options.file is None:
        raise UsageError("name the file to check, as in olb board check mine.toml")
    if not is_board_file(options.file):
        raise UsageError(f"{shown(options.file)} is no file of a board: expected FILE{' or FILE'.join(SUFFIXES)}")
    return _check(options.file, options.svg, game, game.boards)


def _check(file: str, svg: str | None, game: Game, boards: BoardFormat) -> int:
    check_writable(svg, "--svg")
    check_not_read(svg, "--svg", [file])
    try:
        state = _dealt(game, file)
    except ValueError as error:
        raise UsageError(f"{error}{_hint(file, game)}") from None
    own, default = boards.describe(state), boards.describe(_dealt(game, None))
    different = [key for key in own if own[key] != default[key]]
    report = f"{path_shown(file)}: a board of {game.title}, {_difference(different)}"
    report += "".join(f"\nIs that meant? {remark}" for remark in boards.remarks(state))
    if svg == "-":
        print(report, file=sys.stderr)
        print(Position(game, state).svg())
        return 0
    if svg is not None:
        write_text(svg, Position(game, state).svg() + "\n", "--svg")
        report += f"\n{path_shown(svg)}: a game on it as it begins"
    print(report)
    return 0


def _hint(file: str, game: Game) -> str:
    """Return which game a file is for, if its keys are those of another game's boards."""
    try:
        keys = set(read_board_file(Path(file)))
    except ValueError:
        return ""
    if game.boards is not None and keys & set(game.boards.printed()):
        return ""
    for name in game_names():
        other = find(name)
        if other is not game and other.boards is not None and keys & set(other.boards.printed()):
            return f" (is it a board of {other.title}? then add --game {name})"
    return ""


def _difference(keys: list[str]) -> str:
    return f"unlike the default board in {', '.join(keys)}" if keys else "the same as the default board"


def _dealt(game: Game, board: Any) -> State:
    """Return a game on a board as it begins, with as many players as can play."""
    states = game.new_states(1)
    batch.deal_rows(states, game.rules.configure(num_players=max(game.players), board=board), np.array([0]))
    return states[0]
