"""Types of arguments, and the options of a game, for all commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from olb_env.core.checking import shown
from olb_env.core.game import Game
from olb_env.core.rng import SEED_LIMIT
from olb_env.core.typed_options import read_option


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return a type for argparse: a whole number within bounds."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            expected = f"a whole number from {least:,} to {most:,}"
            raise argparse.ArgumentTypeError(f"{shown(text)} given, expected {expected}")
        return value

    return read


def seconds(text: str) -> float:
    """Return a duration in seconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.01 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{shown(text)} given, expected seconds from 0.01 to 3600")
    return value


def seed(text: str) -> int:
    """Return a seed."""
    return whole(0, SEED_LIMIT - 1)(text)


def flag(option: str) -> str:
    """Return an option as the user types it."""
    return f"--{option.replace('_', '-')}"


def add_game_options(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options that a game offers to commands."""
    for option, text in game.commands.help.items():
        parser.add_argument(flag(option), dest=option, help=text)


def game_options(options: argparse.Namespace, game: Game) -> dict[str, Any]:
    """Return the values of the game's options that were given; a ValueError says what is wrong with one."""
    return {option: read_option(game, option, text) for option, text in typed_texts(options, game).items()}


def typed_texts(options: argparse.Namespace, game: Game) -> dict[str, str]:
    """Return the game's options that were given, by option, as the user typed them."""
    texts = {option: getattr(options, option) for option in game.commands.help}
    return {option: text for option, text in texts.items() if text is not None}
