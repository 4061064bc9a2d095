"""The styles of Portobello Market's scripted players: the weights that each gives to the features of a position.

A feature has two weights: what it counts at the end, and how much more with the whole game still to come. Those of the
planner were fitted to the results of games between earlier planners, then smoothed by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from olb_agents.portobello_market.action_scores import PLAYER_COUNTS
from olb_agents.portobello_market.alley_values import MANY
from olb_agents.portobello_market.evaluation import (
    ACTION_SHARE,
    FEATURES,
    LEADER_WEIGHT,
    NEXT_LOT_WEIGHT,
    OTHERS_WEIGHT,
    STYLE_SIZE,
    TOLL_WEIGHT,
    TURNS_AHEAD,
)
from olb_env.portobello_market.components import PLAYERS

Weights = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class StyleSpec:
    """The weights of a style for one number of players, by the names of features; for the rest see `evaluation`."""

    weights: Weights
    leader_weight: float = 0.0
    others_weight: float = 0.0
    action_share: float = 0.0
    toll_weight: float = 1.0
    next_lot_weight: float = 0.0
    turns_ahead: int = 0


# Counts points that are still to come, by how far along each alley is.
PLANNER_WEIGHTS: Final[Weights] = {
    "0 to come, 0 free": (1.0, 0.0),
    "0 to come, 1 free": (0.55, 0.5),
    "0 to come, 2 free": (0.35, 0.7),
    "0 to come, 3 free": (0.0, 0.9),
    "1 to come, 0 free": (0.9, 0.1),
    "1 to come, 1 free": (0.7, 0.2),
    "1 to come, 2 free": (0.45, 0.5),
    "1 to come, 3 free": (0.3, 0.3),
    "2 to come, 0 free": (0.9, -0.1),
    "2 to come, 1 free": (0.3, 0.6),
    "2 to come, 2 free": (0.4, 0.3),
    "2 to come, 3 free": (-0.3, 1.1),
    "score": (1.0, 0.0),
    "four": (0.0, 12.0),
    "two": (0.0, 6.0),
    "mark four": (0.4, 0.0),
    "mark two": (0.3, 0.1),
    "tokens": (-1.0, 6.0),
    "face up": (0.5, -0.3),
    "majorities": (0.4, 0.3),
}

# Counts points, and the lots it has taken nearly as if their alleys were scored. It ignores what the others have.
GREEDY: Final[Weights] = {
    "score": (1.0, 0.0),
    "actions": (2.0, 0.0),
    **{
        f"{missing} to come, {free} free": (1 - 0.2 * missing - 0.05 * free, 0.0)
        for missing in range(3)
        for free in range(MANY + 1)
    },
}


def style_weights(*specs: StyleSpec) -> npt.NDArray[np.float64]:
    """Return the weights of a style [PLAYER_COUNTS, STYLE_SIZE], from its specs for two, three and four players."""
    weights = np.zeros((PLAYER_COUNTS, STYLE_SIZE))
    for row, spec in zip(weights, specs, strict=True):
        for name, (at_the_end, more_before) in spec.weights.items():
            feature = FEATURES.index(name)
            row[feature] = at_the_end
            row[len(FEATURES) + feature] = more_before
        row[LEADER_WEIGHT], row[OTHERS_WEIGHT], row[TURNS_AHEAD] = (
            spec.leader_weight, spec.others_weight, spec.turns_ahead,
        )  # fmt: skip
        row[ACTION_SHARE], row[TOLL_WEIGHT], row[NEXT_LOT_WEIGHT] = (
            spec.action_share, spec.toll_weight, spec.next_lot_weight,
        )  # fmt: skip
    return weights


PLANNER_SPEC: Final = StyleSpec(
    PLANNER_WEIGHTS, leader_weight=0.5, others_weight=0.5, action_share=0.8, toll_weight=1.2, next_lot_weight=0.1
)

STYLES: Final = {
    "planner": style_weights(*(replace(PLANNER_SPEC, turns_ahead=players) for players in PLAYERS)),  # for a round
    "scout": style_weights(*(replace(PLANNER_SPEC, turns_ahead=2) for _ in PLAYERS)),  # itself, and whoever comes next
    "greedy": style_weights(*(StyleSpec(GREEDY) for _ in PLAYERS)),
}
