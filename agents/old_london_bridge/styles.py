"""The scripted players of Old London Bridge: what each one cares about.

A style gives every feature of a position two weights: what it counts at the end, and how much more with the whole game
still to come. The planner's were found by self-play; the others take over its judgement and add what they are fond of.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from agents.old_london_bridge.deciding import RIVALRY, STYLE_SIZE, THRIFT
from agents.old_london_bridge.judgement import FEATURES

Weights = dict[str, tuple[float, float]]

PLANNER: Final[Weights] = {
    "money": (1.00, -0.86),
    "best other": (-0.02, 0.04),
    "mean other": (0.41, 0.31),
    "cost of empty spaces": (-1.92, -0.10),
    "built": (0.18, 0.20),
    "room": (0.50, -0.14),
    "parks": (0.21, -0.24),
    "guilds": (-0.04, 0.48),
    "mercers": (-0.39, -0.25),
    "power": (0.39, 1.20),
    "best power": (-0.11, -0.28),
    "hand value": (0.30, 0.12),
    "high cards": (-0.28, 0.09),
    "cards": (0.32, -0.16),
    "tiles": (0.18, -0.18),
    "chapel": (0.73, 0.63),
    "standing": (0.53, 0.06),
    "gate": (0.20, -0.22),
    "change": (-0.16, 0.11),
}

# Sees money on the table and what lies around it, and nothing of what it may become.
GREEDY: Final[Weights] = {
    "money": (1.0, 0.0),
    "cost of empty spaces": (-1.0, 0.0),
    "power": (0.3, 0.0),
    "hand value": (0.3, 0.0),
    "tiles": (0.5, 0.0),
}

# What a style is fond of, on top of the planner's judgement.
FONDNESS: Final[dict[str, Weights]] = {
    "guilds": {"guilds": (0.0, 4.0)},  # an engine of all crests first
    "merchant": {"best power": (0.5, 2.0), "mercers": (2.5, 1.0)},  # one crest, and mercers to sell it
    "chapel": {"chapel": (0.6, 0.6), "standing": (2.0, 1.0)},  # ahead on the chapel track, and so in every tie
    "gate": {"gate": (1.0, 0.5), "tiles": (1.5, 0.5)},  # bonus tiles, kept and used
    "gardener": {"room": (0.5, 0.6), "parks": (1.0, 0.8)},  # high numbers first and patient parks
    "hoarder": {"hand value": (0.4, 0.4), "high cards": (0.6, 0.6), "cards": (0.3, 0.3)},  # for the last bids
}


def style(weights: Weights, rivalry: float = 0.37, thrift: float = 0.99) -> npt.NDArray[np.float64]:
    """A style as numbers [STYLE_SIZE]."""
    numbers = np.zeros(STYLE_SIZE)
    for name, (at_the_end, before) in weights.items():
        feature = FEATURES.index(name)
        numbers[feature] += at_the_end
        numbers[len(FEATURES) + feature] += before
    numbers[RIVALRY], numbers[THRIFT] = rivalry, thrift
    return numbers


STYLES: Final = {
    "planner": style(PLANNER),
    "greedy": style(GREEDY),
    **{name: style(PLANNER) + style(fondness, 0, 0) for name, fondness in FONDNESS.items()},
}
