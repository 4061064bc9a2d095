"""Options of a game as a user types them in a command: in the game's own short form, or as JSON."""

from __future__ import annotations

import json
from typing import Any

from olb_env.core.checking import shortened, shown
from olb_env.core.game import Game


def read_option(game: Game, name: str, text: str) -> Any:
    """Return the value of an option that was typed; a mapping may also be typed as JSON."""
    if name not in game.commands.help:
        raise ValueError(f"unknown option {shown(name)} of {game.name}: expected {known_options(game)}")
    try:
        return json.loads(text) if text.lstrip().startswith("{") else game.commands.parse(name, text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} is {shown(text)}: not JSON: {shortened(error)}") from None
    except RecursionError:
        raise ValueError(f"{name} is {shown(text)}: nested too deeply") from None
    except ValueError as error:
        if len(text) > len(shortened(text)):  # the error may repeat all of it
            raise ValueError(f"{name} is {shown(text)}: {shortened(error)}") from None
        raise


def known_options(game: Game) -> str:
    """Return the names of a game's options, for errors."""
    return ", ".join(game.commands.help) or "none: this game has no options"
