"""Reinforcement-learning environments for Old London Bridge, Portobello Market and The Wobbly Bridge."""

from __future__ import annotations

import gymnasium
import pettingzoo

from olb_env import old_london_bridge, portobello_market, wobbly_bridge  # noqa: F401  # each registers itself
from olb_env.core.game import Game, find, game_names
from olb_env.core.positions import Position
from olb_env.core.records import RecordError, load_records, replay, save_records
from olb_env.envs.common import gymnasium_id, pettingzoo_id

__all__ = [
    "Position",
    "RecordError",
    "__version__",
    "load_records",
    "replay",
    "save_records",
]
__version__ = "0.1.0"


def _register(game: Game) -> None:
    """Register the environments of a game with PettingZoo and Gymnasium."""
    if pettingzoo_id(game) not in pettingzoo.aec_registry:
        pettingzoo.register("aec", pettingzoo_id(game), f"olb_env.{game.name}_v{game.version}:env")
    if gymnasium_id(game) not in gymnasium.registry:
        gymnasium.register(
            gymnasium_id(game),
            entry_point="olb_env.envs.single:SeatEnv",
            vector_entry_point="olb_env.envs.vector:SeatVectorEnv",
            kwargs={"game": game.name},
        )


for _name in game_names():
    _register(find(_name))
