"""How a game stands, as a list to read."""

from __future__ import annotations

import numpy as np

from olb_env.core.game import State
from olb_env.core.verbs import returns


def ranks_of(state: State) -> list[int]:
    """Each seat's rank, 1 is best; seats that are level share it."""
    players = int(state["players"])
    ranks, scores = np.zeros(players, np.int64), np.zeros(players)
    returns(state, ranks, scores)
    found: list[int] = ranks.tolist()
    return found
