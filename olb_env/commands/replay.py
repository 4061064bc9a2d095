"""`olb replay`: a page in the browser to step through recorded games."""

from __future__ import annotations

import argparse

from olb_env.commands.olb import UsageError
from olb_env.commands.serving import add_server_arguments, serve
from olb_env.core.game import Game, find
from olb_env.core.records import RecordError, load_records

HELP = "Step through recorded games in the browser, with the champion's evaluation of every move."
EXAMPLE = "olb replay games.jsonl"


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options of `olb replay`."""
    parser.add_argument("file", metavar="FILE", help="records, one per line, as olb record writes them")
    add_server_arguments(parser)


def run(options: argparse.Namespace, game: Game) -> int:
    """Serve the page until interrupted."""
    try:
        records = load_records(options.file)
    except RecordError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"cannot read {options.file}: {error.strerror}") from None
    games = {record["game"] for record in records}
    if not records:
        raise UsageError(f"{options.file} holds no games: record some with olb record")
    if len(games) > 1:
        raise UsageError(
            f"{options.file} mixes records of {' and '.join(sorted(games))}: put them into one file per game"
        )
    (name,) = games
    if options.game not in (None, name):
        raise UsageError(f"{options.file} holds records of {name}, not of {options.game}: leave --game out")
    return serve(options, find(name), records=records)
