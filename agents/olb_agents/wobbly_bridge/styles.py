"""The styles of The Wobbly Bridge's scripted players: the weights of features, and what they believe of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save

from olb_agents.wobbly_bridge.action_scores import RATIONALITY, STYLE_SIZE
from olb_agents.wobbly_bridge.evaluation import FEATURES, IN_HAND, SPACE
from olb_env.core.files import write_atomically
from olb_env.wobbly_bridge.components import CARDS, MATCHES, PLAYERS

FeatureWeights = npt.NDArray[np.float64]  # of each feature in each match [PLAYER_COUNTS, MATCHES, FEATURES]

LEARNED: Final = Path(__file__).parent / "learned.safetensors"  # what `fit_evaluation` found
TENSOR: Final = "weights"

# The greedy player looks one match ahead, and values each card in hand at a rough number of spaces.
PRICES: Final = {
    "leap": 1, "dash": 2, "panic": -4, "careful": 0, "vertigo": -2, "idea": -1, "order": 2, "heavy": 2,
}  # fmt: skip
SPACE_WEIGHT: Final = 0.1  # small, so that tanh does not saturate: ten spaces ahead still beat nine


def greedy_weights() -> FeatureWeights:
    """Return the weights of the greedy player: the same in every match and at every table, none for winds."""
    weights = np.zeros((len(PLAYERS), MATCHES, len(FEATURES)))
    weights[..., SPACE] = SPACE_WEIGHT
    for card, name in enumerate(CARDS):
        weights[..., IN_HAND + card] = SPACE_WEIGHT * PRICES[name]
    return weights


def load_weights(path: Path = LEARNED) -> FeatureWeights:
    """Return the weights in a file."""
    weights: FeatureWeights = load_file(path)[TENSOR].astype(np.float64)
    return weights


def save_weights(path: Path, weights: FeatureWeights) -> None:
    """Write weights to a file that `load_weights` reads."""
    write_atomically(path, save({TENSOR: weights.astype(np.float32)}))


def style_weights(weights: FeatureWeights, rationality: float) -> npt.NDArray[np.float64]:
    """Return the weights of a style [PLAYER_COUNTS, MATCHES, STYLE_SIZE].

    `rationality` is how likely it believes others to pick what seems best to them.
    """
    of_style = np.zeros((*weights.shape[:2], STYLE_SIZE))
    of_style[..., : len(FEATURES)] = weights
    of_style[..., RATIONALITY] = rationality
    return of_style


STYLES: Final = {
    "planner": style_weights(load_weights(), 0.5),
    "greedy": style_weights(greedy_weights(), 0),
}
