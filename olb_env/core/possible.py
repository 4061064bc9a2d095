"""The check of states that come from outside: machine code trusts the states that it is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.game import Game, States, copy_of


def check_states(game: Game, states: Any) -> None:
    """Raise ValueError unless `states` are an array of states [N] that could have come from the game."""
    if type(states) is not np.ndarray or states.dtype != game.rules.dtype or states.ndim != 1:  # no masked array
        raise ValueError(f"these are no states of {game.title}: expected an array [N] of its dtype")
    states = copy_of(states)
    row = batch.first_impossible(states)
    if row < 0:
        row = _first_with_spare_bytes(states)
    if row >= 0:
        raise ValueError(f"state {row} is impossible: {game.title} never comes to it")


def _first_with_spare_bytes(states: States) -> int:
    """Return the number of the first state with something in the bytes that only fill it up, or -1."""
    if "spare" not in (states.dtype.names or ()):
        return -1
    rows = np.flatnonzero(states["spare"].any(axis=1))
    return int(rows[0]) if len(rows) else -1
