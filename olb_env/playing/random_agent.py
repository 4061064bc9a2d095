"""The agent that plays at random."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.rng import below
from olb_env.playing.views import View, Views


class RandomAgent:
    """An agent to which all legal actions are equally likely."""

    def act(self, view: View) -> int:
        """Return a random legal action."""
        actions = np.flatnonzero(view.mask)
        return int(actions[below(view.seed, len(actions))])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """Return a random legal action for each view [N]."""
        actions = np.empty(len(views), np.int64)
        batch.choose_at_random(views.masks, views.seeds, actions)
        return actions
