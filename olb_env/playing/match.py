"""The loop in which agents play games to their end: that of `olb record`, the arena and the page.

`olb record` plays whole games with it, the arena adds forfeits and time limits, and the page pauses at the seat of a
person. Environments step through games differently: they hand every decision to their caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import Game, copy_of
from olb_env.core.records import Record, make_record
from olb_env.playing.decisions import decide
from olb_env.playing.registry import make_agent
from olb_env.playing.views import Views, seat_keys

Integers = npt.NDArray[np.int64]
Choose = Callable[[Integers, Integers], Any]  # (rows [N], seats to act [N]) -> the id of a legal action of each [N]


class Match:
    """Games [B] of one setup side by side, each played as if it were alone.

    `keys` [B, P] hold the key of the random stream of each seat. The seed of a decision comes from the key of its seat
    and the number of moves before it, so it does not depend on the other games.
    """

    def __init__(self, game: Game, setup: Any, seeds: Sequence[int] | Integers, keys: npt.NDArray[np.uint64]) -> None:
        self.game = game
        self.initial = game.new_states(len(seeds))  # [B]
        batch.deal_rows(self.initial, setup, np.array(seeds))
        self.states = copy_of(self.initial)  # [B]
        self._keys = keys
        self._steps: list[Integers] = []  # each [B]: the move of every game, -1 where a game waited or was over
        self._move_counts: Integers = np.zeros(len(seeds), np.int64)  # [B]

    def actors(self) -> Integers:
        """Return the seat to act in every game [B], -1 where the game is over."""
        seats = np.empty(len(self.states), np.int64)
        batch.actor_rows(self.states, seats)
        return seats

    def play(self, choose: Choose, pause_at: int = -1) -> None:
        """Play on until every game is over or waits for the seat `pause_at`.

        Each step asks `choose` once for all games that go on.
        """
        while True:
            actors = self.actors()
            rows = np.flatnonzero((actors >= 0) & (actors != pause_at))
            if not len(rows):
                return
            actions = np.full(len(actors), -1, np.int64)
            actions[rows] = choose(rows, actors[rows])
            self.step(actions)

    def step(self, actions: Integers) -> None:
        """Apply a legal action in every game [B]; games with -1 stay as they are."""
        applied = np.empty(len(actions), np.bool_)
        batch.apply_rows(self.states, actions, applied)
        self._steps.append(actions)
        self._move_counts += actions >= 0

    def rewind(self, steps: int) -> None:
        """Return to the position after the first `steps` steps."""
        kept, self._steps = self._steps[:steps], []
        self.states = copy_of(self.initial)
        self._move_counts[:] = 0
        for actions in kept:
            self.step(actions)

    def seeds(self, rows: Integers, seats: Integers) -> npt.NDArray[np.uint64]:
        """Return the seed of the next decision in some games [N], for the seats given [N]."""
        seeds = np.empty(len(rows), np.uint64)
        batch.draw_seeds(self._keys[rows, seats], self._move_counts[rows], seeds)
        return seeds

    def views(self, rows: Integers, seats: Integers) -> Views:
        """Return the views of the seats to act [N] in some games [N]."""
        return Views(self.game, self.states, self.seeds(rows, seats), rows)

    def actions(self, row: int = 0) -> list[int]:
        """Return the moves of one game so far."""
        return [int(step[row]) for step in self._steps if step[row] >= 0]

    def record(self, row: int = 0, **details: Any) -> Record:
        """Return the record of one game; `details` are keyword arguments of `make_record`."""
        return make_record(self.game, self.initial[row : row + 1], self.actions(row), **details)


def play_games(
    game: Game, setup: Any, seeds: Sequence[int], agents: Sequence[str], *, legal: bool = False
) -> list[Record]:
    """Let agents, one name for each seat, play the games dealt from some seeds, and return the records.

    Agents decide for all games that wait for them at once. `legal` adds the legal actions of every move to the records.
    """
    match = Match(game, setup, seeds, np.array([seat_keys(seed, len(agents)) for seed in seeds]))
    players = [make_agent(name) for name in agents]

    def choose(rows: Integers, seats: Integers) -> Integers:
        actions = np.empty(len(rows), np.int64)
        for seat in np.unique(seats):
            own = seats == seat
            actions[own] = decide(players[seat], agents[seat], match.views(rows[own], seats[own]))
        return actions

    match.play(choose)
    return [match.record(row, seed=seed, agents=agents, legal=legal) for row, seed in enumerate(seeds)]


def play_game(game: Game, setup: Any, seed: int, agents: Sequence[str], *, legal: bool = False) -> Record:
    """Let agents, one name for each seat, play the game dealt from a seed, and return the record."""
    (record,) = play_games(game, setup, [seed], agents, legal=legal)
    return record
