"""The value of a position: the strength of every seat, and so the probability of finishing ahead of each of the others.

The strength of a seat is a weighted sum of a few features: the space it is on, the cards it keeps, the winds that may
still catch it. The weights for each match were found by playing (`fit_evaluation`). Nothing is concealed here: callers
redraw what a seat may not know before they evaluate.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from olb_agents.scratch import Scratch
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.wobbly_bridge.components import CARDS, EAST_WIND, EVENTS, NORMALS, START, WEST_WIND
from olb_env.wobbly_bridge.state import OVER

FEATURES: Final = (
    "spaces west of the middle",
    *CARDS,  # in hand
    "furthest west",  # times how likely the next event is a west wind
    "furthest east",  # times how likely the next event is an east wind
)
SPACE: Final = 0
IN_HAND: Final = 1
WEST_MOST: Final = FEATURES.index("furthest west")
EAST_MOST: Final = FEATURES.index("furthest east")


@jitable
def describe(game: State, seat: int, out: Any) -> None:
    """Write the features of a seat."""
    player = game.seats[seat]
    space = int(player.space)
    out[SPACE] = START - space
    for card in range(len(CARDS)):
        out[IN_HAND + card] = player.hand[card] if card < NORMALS else 0
    if player.holds_special:
        out[IN_HAND + int(game.special[seat])] = 1
    west_most = east_most = True
    for other in range(game.players):
        west_most &= space <= game.seats[other].space
        east_most &= space >= game.seats[other].space
    deck = 0
    for event in range(len(EVENTS)):
        deck += int(game.deck[event])
    out[WEST_MOST] = game.deck[WEST_WIND] / deck if west_most else 0.0
    out[EAST_MOST] = game.deck[EAST_WIND] / deck if east_most else 0.0


@jitable
def write_strengths(game: State, weights: Any, scratch: Scratch) -> None:
    """Write the strength of every seat by a style [MATCHES, STYLE_SIZE] to `scratch.values`; after the game, its space.

    It overwrites `scratch.features` as well.
    """
    features = scratch.features
    of_match = weights[int(game.match_number) - 1]
    for seat in range(game.players):
        describe(game, seat, features)
        strength = 0.0
        for feature in range(len(FEATURES)):
            strength += of_match[feature] * features[feature]
        scratch.values[seat] = features[SPACE] if game.phase == OVER else strength


@jitable
def evaluate_position(game: State, seat: int, weights: Any, scratch: Scratch) -> float:
    """Return the value of a position for a seat, from 1 for the first rank to -1 for the last.

    It overwrites `scratch.features` and `scratch.values`.
    """
    write_strengths(game, weights, scratch)
    total = 0.0
    for other in range(game.players):
        lead = scratch.values[seat] - scratch.values[other]
        total += np.sign(lead) if game.phase == OVER else math.tanh(lead / 2)
    return total / (int(game.players) - 1)
