"""Networks with random weights, and states to evaluate with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_agents.network import Network, Shape
from olb_env.core.game import Game
from olb_env.old_london_bridge import GAME
from tests.support.playthroughs import walk

HIDDEN_SIZES = (12, 8)


def some_network(
    hidden_sizes: tuple[int, ...] = HIDDEN_SIZES, seed: int = 3, features: str = "derived", game: Game = GAME
) -> Network:
    rng = np.random.default_rng(seed)
    shape = Shape.of_game(game, hidden_sizes, features)
    return Network(shape, {name: rng.normal(0, 0.4, size) for name, size in shape.tensors().items()})


def some_states(players: int = 3, every: int = 25) -> Any:
    return np.concatenate([states.copy() for states in walk(5, num_players=players)][:-1:every])
