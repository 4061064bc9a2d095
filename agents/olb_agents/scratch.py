"""Scratch space: arrays that compiled agents work in, allocated once instead of for every decision.

A function that takes a `Scratch` may overwrite every part of it but `games[SIMULATED]`, which belongs to search. If its
docstring says "It overwrites ...", it overwrites nothing but its results and the parts listed there. Nothing survives
in it from one decision to the next. This module is independent of any game: the heuristics of a game name the slots of
`games` that they use.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from olb_env.core.game import Game, zeros_of

# One record of `scratch_dtype`: `scratch.scores` is an array. Compiled functions pass it as a single pointer, where a
# tuple of arrays would cost dozens of arguments in every call.
Scratch = Any

# Slots of `Scratch.games`: the heuristics of a game use those below SIMULATED as they like.
SIMULATED: Final = 6  # the game that search plays on
NUM_GAMES: Final = SIMULATED + 1
WIDTH: Final = 64  # more than the features, seats, places and paths of any game


@lru_cache
def scratch_dtype(state_dtype: np.dtype[Any], actions: int) -> np.dtype[Any]:
    """Return the dtype of scratch space for a game with these states and this number of actions."""
    return np.dtype(
        (
            np.record,
            np.dtype(
                [
                    ("scores", "f8", (actions,)),  # of actions, or logits: the result of `score_actions`
                    ("estimates", "f8", (actions,)),  # scores of actions that are only a step on the way to others
                    ("features", "f8", (WIDTH,)),  # of one position for one seat
                    ("values", "f8", (WIDTH,)),  # of one position for every seat
                    ("place_values", "f8", (WIDTH,)),  # of every place on a map
                    ("path_costs", "f8", (WIDTH,)),  # of every way between such places
                    ("mask", "i1", (actions,)),  # legal actions
                    ("games", state_dtype, (NUM_GAMES,)),  # positions to try actions in
                ]
            ),
        )
    )


def new_scratch(game: Game) -> Scratch:
    """Return scratch space for a game."""
    return zeros_of(1, scratch_dtype(game.rules.dtype, len(game.actions)))[0]
