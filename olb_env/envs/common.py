"""Parts that all environments share: ids, spaces, and the reading of seeds, actions and options from a caller."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from olb_env.core.boards import is_board_file, read_board_file
from olb_env.core.checking import shown
from olb_env.core.game import Game
from olb_env.core.rng import SEED_LIMIT


def pettingzoo_id(game: Game) -> str:
    """Return the id of a game in PettingZoo's registry."""
    return f"olb_env/{game.name}-v{game.version}"


def gymnasium_id(game: Game) -> str:
    """Return the id of a game in Gymnasium's registry."""
    return f"olb_env/{game.name.title().replace('_', '')}-v{game.version}"


def read_seed(seed: Any) -> int:
    """Return a caller's seed as an int; raise ValueError if it is not one."""
    try:
        value = operator.index(seed)
    except TypeError:
        value = -1
    if isinstance(seed, bool) or not 0 <= value < SEED_LIMIT:
        raise ValueError(f"seed is {shown(seed)}: expected a whole number from 0 to 2**53 - 1")
    return value


def fresh_seed() -> int:
    """Return a new random seed."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) % SEED_LIMIT


def read_action(action: Any, game: Game) -> int:
    """Return a caller's action as an int; raise ValueError if there is no such action, legal or not."""
    if type(action) is int and 0 <= action < len(game.actions):
        return action
    try:
        value = -1 if isinstance(action, bool | np.bool_) else operator.index(action)
    except TypeError:
        value = -1
    if not 0 <= value < len(game.actions):
        raise ValueError(f"action is {shown(action)}: expected a whole number from 0 to {len(game.actions) - 1}")
    return value


def setup_for(game: Game, options: Mapping[str, Any]) -> Any:
    """Return the setup for a caller's options of a game; raise ValueError if one is unknown or wrong."""
    for name in options:
        if name not in game.rules.options:
            raise ValueError(
                f"unknown option {shown(name)} of {game.name}: expected some of {', '.join(game.rules.options)}"
            )
    return game.rules.configure(**options)


def without_files(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a caller's options with the content of a file in place of its path, so that the file is read once."""
    board: Any = options.get("board")
    return {**options, "board": read_board_file(Path(board))} if is_board_file(board) else dict(options)


def read_changes(options: Any) -> dict[str, Any]:
    """Return the options that a caller gave to `reset`; ValueError if they are no mapping."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options are {shown(options)}: expected a mapping")
    return dict(options)


def setup_with(game: Game, options: Mapping[str, Any], changes: Mapping[str, Any]) -> Any:
    """Return the setup for an environment's options, changed by those given to `reset`.

    Keys that are not options of the game are ignored: they may be meant for wrappers.
    """
    if "num_players" in changes:
        raise ValueError("reset cannot change num_players: make a new environment")
    return game.rules.configure(
        **{**options, **{name: changes[name] for name in game.rules.options if name in changes}}
    )


def observation_space(game: Game) -> spaces.Box:
    """Return the space of one seat's observations."""
    return spaces.Box(np.float32(0), game.observation.highest(), dtype=np.float32)


def action_space(game: Game) -> spaces.Discrete[np.int64]:
    """Return the space of all actions of the game."""
    return spaces.Discrete(len(game.actions))
