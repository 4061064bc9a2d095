"""What all environments share: spaces, and how seeds, actions and options are read from a caller."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from olb_env.core.game import Game
from olb_env.core.rng import SEED_LIMIT


def pettingzoo_id(game: Game) -> str:
    """The name under which PettingZoo knows a game."""
    return f"olb_env/{game.name}-v{game.version}"


def gymnasium_id(game: Game) -> str:
    """The name under which Gymnasium knows a game."""
    return f"olb_env/{game.name.title().replace('_', '')}-v{game.version}"


def read_seed(seed: Any) -> int:
    """A seed as a caller may give it."""
    try:
        value = operator.index(seed)
    except TypeError:
        value = -1
    if isinstance(seed, bool) or not 0 <= value < SEED_LIMIT:
        raise ValueError(f"seed is {seed!r}: expected a whole number from 0 to 2**53 - 1")
    return value


def fresh_seed() -> int:
    """A seed that nobody gave."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) % SEED_LIMIT


def read_action(action: Any, game: Game) -> int:
    """The id of an action, if it is one at all."""
    if type(action) is int and 0 <= action < len(game.actions):
        return action
    try:
        value = -1 if isinstance(action, bool | np.bool_) else operator.index(action)
    except TypeError:
        value = -1
    if not 0 <= value < len(game.actions):
        raise ValueError(f"action is {action!r}: expected a whole number from 0 to {len(game.actions) - 1}")
    return value


def setup_for(game: Game, options: Mapping[str, Any]) -> Any:
    """The setup for options of a game as a caller may name them."""
    for name in options:
        if name not in game.rules.options:
            raise ValueError(
                f"unknown option {name!r} of {game.name}: expected some of {', '.join(game.rules.options)}"
            )
    return game.rules.configure(**options)


def setup_with(game: Game, options: Mapping[str, Any], changes: Mapping[str, Any]) -> Any:
    """The setup for an environment's options with those that `reset` was given; other keys are left to wrappers."""
    if "num_players" in changes:
        raise ValueError("reset cannot change num_players: make another environment")
    return game.rules.configure(
        **{**options, **{name: changes[name] for name in game.rules.options if name in changes}}
    )


def observation_space(game: Game) -> spaces.Box:
    """The observation of one seat."""
    return spaces.Box(np.float32(0), game.observation.highest(), dtype=np.float32)


def action_space(game: Game) -> spaces.Discrete[np.int64]:
    """All actions of the game."""
    return spaces.Discrete(len(game.actions))
