"""`olb replay`: a page in the browser to step through recorded games."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from olb_env.commands.olb import UsageError
from olb_env.commands.output import path_shown
from olb_env.commands.serving import add_server_arguments, check_packages, serve
from olb_env.core import batch
from olb_env.core.game import Game, State, find
from olb_env.core.records import Record, RecordError, load_records
from olb_env.core.typed_options import read_option

HELP = "Step through recorded games in the browser, with the champion's evaluation of every move."
EXAMPLE = "olb replay games.jsonl\n  olb replay games.jsonl --board mine.toml"


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options of `olb replay`."""
    parser.add_argument("file", metavar="FILE", help="records, one per line, as olb record writes them")
    parser.add_argument(
        "--board",
        help="show only the games that were played on this board, as olb record takes it (default: all games; "
        "each is shown on its own board, which its record holds)",
    )
    add_server_arguments(parser)


def run(options: argparse.Namespace, game: Game) -> int:
    """Serve the page until interrupted."""
    check_packages()
    file = path_shown(options.file)
    try:
        records = load_records(options.file)
    except RecordError as error:
        raise UsageError(str(error)) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    games = {record["game"] for record in records}
    if not records:
        raise UsageError(f"{file} holds no games: record some with olb record")
    if len(games) > 1:
        raise UsageError(f"{file} mixes records of {' and '.join(sorted(games))}: put them into one file per game")
    (name,) = games
    if options.game not in (None, name):
        raise UsageError(f"{file} holds records of {name}, not of {options.game}: leave --game out")
    if options.board is not None:
        shown_records = on_board(records, find(name), options.board)
        if not shown_records:
            board, all_games = path_shown(options.board), f"{len(records)} game{'s' * (len(records) > 1)}"
            raise UsageError(f"{file} holds {all_games}, none on the board {board}: leave --board out to see all")
        print(f"{len(shown_records)} of {len(records)} games were played on this board", file=sys.stderr)
        records = shown_records
    return serve(options, find(name), records=records)


def on_board(records: list[Record], game: Game, text: str) -> list[Record]:
    """Return the records of games on one board, given as the user typed it."""
    boards = game.boards
    if boards is None:
        raise UsageError(f"{game.title} has no board that could differ: leave --board out")
    try:
        start = game.records.describe_setup(_dealt(game, read_option(game, "board", text)))
        wanted = boards.describe(game.records.read_setup(start)[0])  # a record holds what matters for the game
    except ValueError as error:
        raise UsageError(str(error)) from None
    return [record for record in records if boards.describe(game.records.read_setup(record)[0]) == wanted]


def _dealt(game: Game, board: Any) -> State:
    """Return a game on a board as it begins."""
    states = game.new_states(1)
    batch.deal_rows(states, game.rules.configure(board=board), np.array([0]))
    return states[0]
