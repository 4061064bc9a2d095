"""The options of the game in the settings of a run: plain data, whatever they were typed as.

A run may go on in another folder when the file of its board is gone. Its settings therefore hold the board itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from olb_env.core.boards import MOST_BYTES, is_board_file
from olb_env.core.checking import shown
from olb_env.core.game import Game
from olb_env.core.typed_options import known_options, read_option
from olb_env.envs.common import without_files


def option_text(value: Any) -> str:
    """Return the value of an option as text that `read_option` reads."""
    return value if isinstance(value, str) else json.dumps(value)


def plain_options(game: Game, options: Any) -> dict[str, Any]:
    """Return options as JSON has them, with the content of a file in place of its path, without those as by default."""
    if not isinstance(options, Mapping):
        raise ValueError(f"options are {shown(options)}: expected a mapping")
    for name in options:
        if name not in game.commands.help:
            raise ValueError(f"options have {shown(name)}: expected any of {known_options(game)}")
    try:
        text = json.dumps(without_files(options))
        plain: dict[str, Any] = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, ValueError) and is_board_file(options.get("board")):
            raise  # it says what is wrong with the file
        raise ValueError(f"options are {shown(options)}: expected plain data, as in JSON") from None
    if len(text) > MOST_BYTES:
        raise ValueError(f"options have {len(text):,} characters as JSON: expected at most {MOST_BYTES:,}")
    return {name: value for name, value in plain.items() if value != game.rules.options.get(name)}


def plain_pairs(game: Game, pairs: Sequence[str]) -> tuple[str, ...]:
    """Return options typed as NAME=VALUE, with the content of a file as JSON in place of its path."""
    plain = []
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in game.commands.help:
            raise ValueError(
                f"env_kwargs has {shown(pair)}: expected NAME=VALUE, where NAME is one of {known_options(game)}"
            )
        value = read_option(game, name, text)
        plain.append(f"{name}={json.dumps(value)}" if is_board_file(text) else pair)
    return tuple(plain)


def read_pairs(game: Game, pairs: Sequence[str]) -> dict[str, Any]:
    """Return the options that were typed as NAME=VALUE."""
    parts = (pair.partition("=") for pair in pairs)
    return {name: read_option(game, name, text) for name, _, text in parts}


def refuse_files(options: Any, pairs: Any) -> None:
    """Raise ValueError if options that were kept with a run name a file, which may have changed since."""
    boards = [options.get("board")] if isinstance(options, Mapping) else []
    if isinstance(pairs, list | tuple):
        boards += [pair.partition("=")[2] for pair in pairs if isinstance(pair, str)]
    for board in boards:
        if is_board_file(board):
            raise ValueError(f"the run names {shown(board)}: expected the board itself, not a file")


def options_text(options: Mapping[str, Any]) -> str:
    """Return options in a few words, as they follow "all games"."""
    words, board = [], ""
    for name, value in options.items():
        if isinstance(value, Mapping) and name == "board":
            board = "on a board of your own"
        elif isinstance(value, Mapping):
            words.append(f"{name} " + ", ".join(f"{part}={one}" for part, one in value.items()))
        else:
            words.append(f"{name} {value}")
    if not words:
        return board or "with the options of the game as they are by default"
    return f"{board}{', ' if board else ''}with {'; '.join(words)}"
