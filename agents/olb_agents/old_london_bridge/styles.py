"""The styles of Old London Bridge's scripted players: the weights that each gives to the features of a position.

A feature has two weights: what it counts at the end, and how much more with the whole game still to come. Those of the
planner were found by self-play (`tune_planner`). For four players, cards were then given more weight by hand, which did
better against a mix of styles. All other styles but `greedy` add weight to what they specialize in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from olb_agents.old_london_bridge.action_scores import PLAYER_COUNTS, RIVALRY, STYLE_SIZE, THRIFT
from olb_agents.old_london_bridge.evaluation import FEATURES

Weights = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class StyleSpec:
    """The weights of a style for one number of players, by the names of features."""

    weights: Weights
    rivalry: float  # see `action_scores`
    thrift: float


PLANNER_2P: Final = StyleSpec(
    {
        "money": (1.00, -0.93),
        "best of others": (-0.05, -0.07),
        "mean of others": (0.41, 0.23),
        "cost of empty spaces": (-2.14, -0.20),
        "built": (0.27, 0.19),
        "capacity": (0.50, -0.12),
        "parks": (0.41, -0.20),
        "guilds": (-0.04, 0.53),
        "mercers": (-0.40, -0.28),
        "power": (0.56, 1.02),
        "best power": (-0.01, -0.43),
        "hand value": (0.37, -0.08),
        "high cards": (-0.51, -0.18),
        "cards": (0.36, -0.30),
        "tiles": (0.16, -0.15),
        "chapel": (0.56, 0.45),
        "standing": (0.59, 0.00),
        "gate": (0.35, -0.08),
        "cash": (-0.24, 0.19),
    },
    rivalry=0.02,
    thrift=1.16,
)
PLANNER_3P: Final = StyleSpec(
    {
        "money": (1.00, -0.92),
        "best of others": (-0.03, 0.11),
        "mean of others": (0.71, 0.30),
        "cost of empty spaces": (-1.52, -0.41),
        "built": (0.22, 0.24),
        "capacity": (0.62, -0.35),
        "parks": (0.47, -0.07),
        "guilds": (0.04, 0.59),
        "mercers": (-0.16, -0.42),
        "power": (0.46, 1.23),
        "best power": (-0.19, -0.35),
        "hand value": (0.12, 0.64),
        "high cards": (0.26, 0.12),
        "cards": (0.09, -0.55),
        "tiles": (0.40, -0.02),
        "chapel": (0.91, 0.71),
        "standing": (0.94, -0.17),
        "gate": (0.23, -0.15),
        "cash": (-0.24, 0.32),
    },
    rivalry=0.93,
    thrift=1.18,
)
PLANNER_4P: Final = StyleSpec(
    {
        "money": (1.00, -0.90),
        "best of others": (0.07, 0.37),
        "mean of others": (0.72, 0.12),
        "cost of empty spaces": (-1.80, -0.40),
        "built": (0.27, 0.38),
        "capacity": (0.66, -0.27),
        "parks": (0.42, -0.33),
        "guilds": (-0.25, 0.52),
        "mercers": (-0.28, -0.30),
        "power": (0.30, 1.52),
        "best power": (-0.09, -0.26),
        "hand value": (0.00, 0.59),
        "high cards": (0.64, 0.85),
        "cards": (0.26, -0.18),
        "tiles": (0.32, -0.15),
        "chapel": (0.99, 0.87),
        "standing": (0.71, -0.05),
        "gate": (0.22, -0.10),
        "cash": (-0.25, 0.36),
    },
    rivalry=0.54,
    thrift=1.03,
)

# Sees the money it would have now and little of what a position may become.
GREEDY: Final[Weights] = {
    "money": (1.0, 0.0),
    "cost of empty spaces": (-1.0, 0.0),
    "power": (0.3, 0.0),
    "hand value": (0.3, 0.0),
    "tiles": (0.5, 0.0),
}

# What each style adds to the planner's weights.
SPECIALTIES: Final[dict[str, Weights]] = {
    "guilds": {"guilds": (0.0, 4.0)},  # an engine of all crests first
    "merchant": {"best power": (0.5, 2.0), "mercers": (2.5, 1.0)},  # one crest, and mercers to sell it
    "chapel": {"chapel": (0.6, 0.6), "standing": (2.0, 1.0)},  # ahead on the chapel track, and so in every tie
    "gate": {"gate": (1.0, 0.5), "tiles": (1.5, 0.5)},  # bonus tiles, kept and used
    "gardener": {"capacity": (0.5, 0.6), "parks": (1.0, 0.8)},  # high numbers first and patient parks
    "hoarder": {"hand value": (0.4, 0.4), "high cards": (0.6, 0.6), "cards": (0.3, 0.3)},  # for the last bids
}


def style_weights(*specs: StyleSpec) -> npt.NDArray[np.float64]:
    """Return the weights of a style [PLAYER_COUNTS, STYLE_SIZE], from its specs for two, three and four players."""
    weights = np.zeros((PLAYER_COUNTS, STYLE_SIZE))
    for row, spec in zip(weights, specs, strict=True):
        for name, (at_the_end, more_before) in spec.weights.items():
            feature = FEATURES.index(name)
            row[feature] = at_the_end
            row[len(FEATURES) + feature] = more_before
        row[RIVALRY], row[THRIFT] = spec.rivalry, spec.thrift
    return weights


PLANNER: Final = style_weights(PLANNER_2P, PLANNER_3P, PLANNER_4P)
STYLES: Final = {
    "planner": PLANNER,
    "greedy": style_weights(*[StyleSpec(GREEDY, 0.4, 1)] * PLAYER_COUNTS),
    **{name: PLANNER + style_weights(*[StyleSpec(added, 0, 0)] * PLAYER_COUNTS) for name, added in SPECIALTIES.items()},
}
