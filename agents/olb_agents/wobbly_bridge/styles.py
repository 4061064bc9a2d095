"""The scripted players of The Wobbly Bridge: what each one looks at, and what it believes of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save

from olb_agents.wobbly_bridge.action_scores import STYLE_SIZE, SURENESS
from olb_agents.wobbly_bridge.evaluation import FEATURES, IN_HAND, SPACE
from olb_env.core.files import write_atomically
from olb_env.wobbly_bridge.components import CARDS, MATCHES, PLAYERS

Counts = npt.NDArray[np.float64]  # what each feature counts in each match [TABLES, M, F]

LEARNED: Final = Path(__file__).parent / "learned.safetensors"  # what `learning.py` found
COUNTS: Final = "counts"

# The greedy player sees its next step and what its cards are good for by and large, in spaces.
PRICES: Final = {
    "leap": 1, "dash": 2, "panic": -4, "careful": 0, "vertigo": -2, "idea": -1, "order": 2, "heavy": 2,
}  # fmt: skip
SPACE_COUNTS: Final = 0.1  # so little that ten spaces ahead are still better than nine


def greedy_counts() -> Counts:
    """The same in every match and at every table; winds are not thought of."""
    found = np.zeros((len(PLAYERS), MATCHES, len(FEATURES)))
    found[..., SPACE] = SPACE_COUNTS
    for card, name in enumerate(CARDS):
        found[..., IN_HAND + card] = SPACE_COUNTS * PRICES[name]
    return found


def learned_counts(path: Path = LEARNED) -> Counts:
    """As a file has them."""
    found: Counts = load_file(path)[COUNTS].astype(np.float64)
    return found


def save_counts(path: Path, counts: Counts) -> None:
    """For `learned_counts`."""
    write_atomically(path, save({COUNTS: counts.astype(np.float32)}))


def style(counts: Counts, sureness: float) -> npt.NDArray[np.float64]:
    """A style as numbers [TABLES, M, STYLE_SIZE]: how it judges, and how many of the others it believes to think."""
    found = np.zeros((*counts.shape[:2], STYLE_SIZE))
    found[..., : len(FEATURES)] = counts
    found[..., SURENESS] = sureness
    return found


STYLES: Final = {
    "planner": style(learned_counts(), 0.5),
    "greedy": style(greedy_counts(), 0),
}
