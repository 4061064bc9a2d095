"""The ranks of a game as a plain list, for records and pictures."""

from __future__ import annotations

import numpy as np

from olb_env.core.game import State
from olb_env.core.verbs import returns


def ranks_of(state: State) -> list[int]:
    """Return each seat's rank; 1 is best, and ties share a rank."""
    players = int(state["players"])
    ranks, scores = np.zeros(players, np.int64), np.zeros(players)
    returns(state, ranks, scores)
    by_seat: list[int] = ranks.tolist()
    return by_seat
