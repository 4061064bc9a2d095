"""The scripted players of Portobello Market: what each one cares about.

A style gives every feature of a position two weights: what it counts at the end, and how much more with the whole game
still to come. The planner's were fitted to how games between earlier planners ended, then smoothed by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from olb_agents.portobello_market.action_scores import TABLES
from olb_agents.portobello_market.alley_values import MANY
from olb_agents.portobello_market.evaluation import AHEAD, ENVY, FEATURES, OPENING, PACE, SPITE, STYLE_SIZE, TOLLS
from olb_env.portobello_market.components import PLAYERS

Weights = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Taste:
    """What a player cares about at a table of some size; behind the weights how it sees others and looks on."""

    weights: Weights
    envy: float = 0.0
    spite: float = 0.0
    pace: float = 0.0
    tolls: float = 1.0
    opening: float = 0.0
    ahead: int = 0


# Points that are still to come, where it counts how far each alley is.
PLANS: Final[Weights] = {
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

# Sees points, and the lots it has taken as if its alleys were scored, and nothing of what others do.
GREEDY: Final[Weights] = {
    "score": (1.0, 0.0),
    "actions": (2.0, 0.0),
    **{
        f"{missing} to come, {free} free": (1 - 0.2 * missing - 0.05 * free, 0.0)
        for missing in range(3)
        for free in range(MANY + 1)
    },
}


def style(*tastes: Taste) -> npt.NDArray[np.float64]:
    """A style as numbers [TABLES, STYLE_SIZE], from its tastes at tables of two, three and four."""
    numbers = np.zeros((TABLES, STYLE_SIZE))
    for row, taste in zip(numbers, tastes, strict=True):
        for name, (at_the_end, before) in taste.weights.items():
            feature = FEATURES.index(name)
            row[feature] = at_the_end
            row[len(FEATURES) + feature] = before
        row[ENVY], row[SPITE], row[PACE] = taste.envy, taste.spite, taste.pace
        row[TOLLS], row[OPENING], row[AHEAD] = taste.tolls, taste.opening, taste.ahead
    return numbers


PLANNING: Final = Taste(PLANS, envy=0.5, spite=0.5, pace=0.8, tolls=1.2, opening=0.1)

STYLES: Final = {
    "planner": style(*(replace(PLANNING, ahead=players) for players in PLAYERS)),  # for a round
    "scout": style(*(replace(PLANNING, ahead=2) for _ in PLAYERS)),  # itself, and whoever comes next
    "greedy": style(*(Taste(GREEDY) for _ in PLAYERS)),
}
