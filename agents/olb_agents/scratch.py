"""Scratch space: arrays that compiled agents work in, allocated once instead of for every decision.

A function that takes a `Scratch` may overwrite every part of it, unless its docstring names the parts that it
overwrites. Nothing survives in it from one decision to the next. This module knows no game: the heuristics of a game
name the places of `games` that they use.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from olb_env.core.game import Game

Floats = npt.NDArray[np.float64]

# Places of `Scratch.games`: the heuristics of a game use those below SIMULATED as they like.
SIMULATED: Final = 6  # the game that search plays on
NUM_GAMES: Final = SIMULATED + 1
WIDTH: Final = 64  # more than the features, seats, places and paths of any game


class Scratch(NamedTuple):
    """Arrays to work in, for a game with A actions."""

    games: npt.NDArray[Any]  # [NUM_GAMES] positions to try actions in
    mask: npt.NDArray[np.int8]  # [A] legal actions
    scores: Floats  # [A] scores of actions, or logits: what `score_actions` and `policy_logits` return
    estimates: Floats  # [A] scores of actions that are only a step on the way to others
    features: Floats  # [WIDTH] the features of one position for one seat
    values: Floats  # [WIDTH] the value of one position for every seat
    place_values: Floats  # [WIDTH] the value of every place on a map
    path_costs: Floats  # [WIDTH] the cost of every way between such places
    inputs: npt.NDArray[np.float32]  # [W] the inputs of a network
    activations: npt.NDArray[np.float32]  # [2, W] the outputs of its layers, alternately


def new_scratch(game: Game, network_width: int = 0) -> Scratch:
    """Return scratch space for a game, and for a network if the width of its widest part is given."""
    actions = len(game.actions)
    return Scratch(
        games=game.new_states(NUM_GAMES),
        mask=np.zeros(actions, np.int8),
        scores=np.zeros(actions),
        estimates=np.zeros(actions),
        features=np.zeros(WIDTH),
        values=np.zeros(WIDTH),
        place_values=np.zeros(WIDTH),
        path_costs=np.zeros(WIDTH),
        inputs=np.zeros(network_width, np.float32),
        activations=np.zeros((2, network_width), np.float32),
    )
