"""What every action would lead to: the same decision, one step on, for each legal action, as the network sees it then.

The games that are tried are redrawn, so nothing the seat may not know is in them. What the network expects after each
action, for the seat that acts and from where that seat sits, says more of the action than how a single game ended.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from olb_env.core.compiling import kernel
from olb_env.core.verbs import actor, apply, observe, returns
from olb_env.playing import Views
from training.learning.model import Model
from training.learning.tables import Hall, utilities


@kernel
def try_actions(
    states: Any, seats: Any, masks: Any, scratch: Any, seen: Any, over: Any, ranks: Any, scores: Any
) -> None:
    """What seats see after each legal action of their games [N]: [K, D], or how the game is over then [K, P]."""
    at = 0
    state = scratch[0]
    for row in range(states.shape[0]):
        for action in range(masks.shape[1]):
            if masks[row, action]:
                scratch[0] = states[row]
                apply(state, action)
                over[at] = actor(state) < 0
                if over[at]:
                    returns(state, ranks[at], scores[at])
                else:
                    observe(state, seats[row], seen[at])
                at += 1


def look_ahead(
    hall: Hall, rows: npt.NDArray[np.int64], model: Model, chance: np.random.Generator
) -> npt.NDArray[np.float32]:
    """What is to be expected of each action [N, A] at some tables, by whoever acts there; 0 where it is not legal."""
    found = np.zeros((len(rows), len(hall.game.actions)), np.float32)
    tried = [
        _try(hall, rows[inside], inside, views)
        for inside, views in hall.views(rows, chance.integers(2**63, size=len(rows), dtype=np.uint64))
    ]
    with torch.no_grad():
        values = model.values(torch.from_numpy(np.concatenate([seen for _, _, seen, _, _ in tried]))).numpy()
    first = 0
    for at, actions, seen, over, earned in tried:
        found[at, actions] = np.where(over, earned, values[first : first + len(seen), 0])
        first += len(seen)
    return found


def _try(hall: Hall, rows: npt.NDArray[np.int64], inside: npt.NDArray[np.int64], views: Views) -> tuple[Any, ...]:
    """Where each action belongs, which it is, what is seen after it, whether the game is over and what it brings."""
    at, actions = np.nonzero(views.masks)
    players, game = int(hall.players[rows[0]]), hall.game
    seen = np.zeros((len(at), game.observation.size), np.float32)
    over, ranks = np.zeros(len(at), np.bool_), np.ones((len(at), players), np.int64)
    scores = np.zeros((len(at), players))
    try_actions(views.states, views.seats, views.masks, game.new_states(1), seen, over, ranks, scores)
    earned = utilities(ranks, scores / game.score_unit, hall.margin)[np.arange(len(at)), views.seats[at]]
    return inside[at], actions, seen, over, earned
