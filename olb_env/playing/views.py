"""What an agent sees of a decision: the view of one seat, and the views of many games at once.

A view holds what its seat may know and nothing else. The game behind it is resampled, so that not even an agent that
looks inside finds a hidden card. The random numbers of an agent come from the view too. So one agent can play at any
number of tables, and every game can be repeated from its seed. This module does not know what agents are.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.checking import is_int, shown
from olb_env.core.game import Game, States
from olb_env.core.rng import DRAWS, hashed_seed, mix, stream

MAX_DRAWS = 2**62


def seat_keys(seed: int | str, players: int) -> npt.NDArray[np.uint64]:
    """Return a key for the random stream of each seat [P]; a key reveals neither the seed nor the other keys."""
    return np.array([hashed_seed(f"{seed} {seat}") for seat in range(players)], np.uint64)


class Views:
    """Decisions in some games [N], each as the seat to act sees it.

    `states` are resampled copies of the games: everything that the seats may not know is drawn anew from `seeds`. All
    randomness of an agent comes from the same seeds, so they must reveal neither the deal nor the draws of other
    seats: see `seat_keys`. Observations do not remember everything that was once public, but the states do.
    """

    def __init__(self, game: Game, states: States, seeds: Iterable[int], rows: Any = None) -> None:
        rows = np.arange(len(states)) if rows is None else rows
        count = len(rows)
        self.game = game
        self.seeds = np.ascontiguousarray(seeds, np.uint64)  # [N]
        self.seats: npt.NDArray[np.int64] = np.empty(count, np.int64)  # [N]
        self.masks: npt.NDArray[np.int8] = np.empty((count, len(game.actions)), np.int8)  # [N, A]
        self.states = game.new_states(count)  # [N]
        batch.copy_rows(states, rows, self.states)
        batch.actor_rows(self.states, self.seats)
        batch.write_masks(self.states, self.masks)
        batch.resample_rows(self.states, self.seats, self.seeds)
        self._own_seats = self.seats.copy()  # [N], for machine code: agents may overwrite `seats`

    @cached_property
    def observations(self) -> npt.NDArray[np.float32]:
        """The observations of the seats to act [N, D]; resampling does not change them."""
        observations = np.empty((len(self), self.game.observation.size), np.float32)
        batch.observe_rows(self.states, self._own_seats, observations)
        return observations

    def __len__(self) -> int:
        return len(self.seats)

    def __getitem__(self, index: int) -> View:
        if not 0 <= index < len(self):
            raise IndexError(f"index is {index}: expected 0 to {len(self) - 1}")
        return View(self, index)


class View:
    """One decision, as the seat to act sees it."""

    def __init__(self, views: Views, index: int) -> None:
        self.game = views.game
        self.seat = int(views.seats[index])
        self.seed = int(views.seeds[index])
        self.mask = views.masks[index]  # [A]
        self._views, self._index = views, index

    @property
    def observation(self) -> npt.NDArray[np.float32]:
        """The observation of the seat [D]."""
        observation: npt.NDArray[np.float32] = self._views.observations[self._index]
        return observation

    @cached_property
    def legal(self) -> list[str]:
        """The names of the legal actions."""
        names = self.game.names(self._views.states[self._index])
        return [names[action] for action in np.flatnonzero(self.mask)]

    @cached_property
    def rng(self) -> np.random.Generator:
        """A random generator for this decision; it is the same whenever the same game is played again."""
        return np.random.default_rng(mix(self.seed))

    def clone(self, draw: int = 0) -> States:
        """Return a game [1] that could be the one played; every `draw`, from 0 on, resamples it differently."""
        if not is_int(draw) or not 0 <= draw < MAX_DRAWS:
            raise ValueError(f"draw is {shown(draw)}: expected a whole number from 0 to {MAX_DRAWS - 1}")
        own = slice(self._index, self._index + 1)
        state = self._views.states[own].copy()
        seeds = np.array([stream(self.seed, DRAWS + int(draw))], np.uint64)
        batch.resample_rows(state, self._views._own_seats[own], seeds)
        return state
