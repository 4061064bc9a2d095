"""`olb play`: a page in the browser to play against agents."""

from __future__ import annotations

import argparse

from olb_env.commands.arguments import add_game_options, game_options
from olb_env.commands.arguments import seed as seed_argument
from olb_env.commands.olb import UsageError
from olb_env.commands.serving import add_server_arguments, check_packages, serve
from olb_env.core.game import Game

HELP = "Play against agents in the browser; the page is served on this machine only."
EXAMPLE = "olb play --port 8000\n  olb play --board mine.toml --agents path/to/bot.py:Bot"


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options of `olb play`."""
    add_server_arguments(parser)
    parser.add_argument(
        "--agents",
        nargs="*",
        default=[],
        metavar="AGENT",
        help="more opponents to choose from, such as your own path/to/file.py:Class",
    )
    parser.add_argument("--seed", type=seed_argument, help="deal every game from this seed (default: a new seed each)")
    add_game_options(parser, game)  # of new games: the page offers what is given here as the first choice


def run(options: argparse.Namespace, game: Game) -> int:
    """Serve the page until interrupted."""
    check_packages()
    try:
        values = game_options(options, game)
        for players in game.players:
            game.rules.configure(num_players=players, **values)
    except ValueError as error:
        raise UsageError(str(error)) from None
    given = {name: (getattr(options, name), value) for name, value in values.items()}
    return serve(options, game, agents=options.agents, seed=options.seed, given=given)
