"""Tables of all sizes side by side, as one batch: who sits where, and what came of every seat's game.

B tables, P seats of the largest of them, D numbers that a network is told, A actions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.inputs import append_features
from olb_agents.network import Shape
from olb_env.core.compiling import kernel
from olb_env.core.game import find
from olb_env.core.rewards import RANK, SCORE, WIN, write_rewards
from olb_env.envs.selfplay import SelfPlay, Step
from olb_env.playing import Views

LEARNER = 0  # in a seating; others are members of the league
SEED_SHIFT = 12  # of 64 bits, so that a seed for each table fits behind the first


@dataclass(frozen=True)
class TableSpec:
    """Some tables that are alike."""

    players: int
    count: int
    options: Mapping[str, Any]


def first_seed(seed: np.random.SeedSequence) -> int:
    """Of some tables, those of which follow it one by one."""
    return int(seed.generate_state(1, np.uint64)[0] >> SEED_SHIFT)


class MixedTables:
    """All tables. Results are utilities from -1 to 1: rank and winning in equal parts, and a little of the margin."""

    def __init__(self, shape: Shape, kinds: Sequence[TableSpec], margin: float) -> None:
        self.game, self._shape = find(shape.game), shape
        self.batches = [SelfPlay(shape.game, kind.count, num_players=kind.players, **kind.options) for kind in kinds]
        ends = np.cumsum([kind.count for kind in kinds])
        self.rows = [slice(int(end - kind.count), int(end)) for end, kind in zip(ends, kinds, strict=True)]
        self.size, self.seats = int(ends[-1]), max(self.game.players)
        self.players = np.repeat([kind.players for kind in kinds], [kind.count for kind in kinds])
        self._margin = margin
        self.observation = np.zeros((self.size, shape.inputs), np.float32)
        self.mask = np.zeros((self.size, len(self.game.actions)), np.int8)
        self.seat = np.zeros(self.size, np.int64)
        self.over = np.zeros(self.size, np.bool_)
        self.utility = np.zeros((self.size, self.seats), np.float32)  # of the games that ended in the last step

    def reset(self, seed: np.random.SeedSequence) -> None:
        """Deal at all tables, other games for every seed."""
        for number, (batch, own) in enumerate(zip(self.batches, seed.spawn(len(self.batches)), strict=True)):
            self._take(number, batch.reset(seed=first_seed(own)))

    def step(self, actions: npt.NDArray[np.int64], deaf: npt.NDArray[np.bool_] | None = None) -> None:
        """One decision at every table; seats [B, P] that are deaf need not be told what follows from observations."""
        for number, (batch, rows) in enumerate(zip(self.batches, self.rows, strict=True)):
            self._take(number, batch.step(actions[rows]), None if deaf is None else deaf[rows])
            ended = np.flatnonzero(self.over[rows])
            if len(ended):
                found = np.zeros((len(ended), batch.ranks.shape[1]))
                write_utilities(batch.ranks[ended], batch.scores[ended], self.game.score_unit, self._margin, found)
                self.utility[ended + rows.start, : found.shape[1]] = found

    def _take(self, number: int, turn: Step, deaf: npt.NDArray[np.bool_] | None = None) -> None:
        rows = self.rows[number]
        self.observation[rows, : self._shape.observation_size] = turn.observations
        self.mask[rows], self.seat[rows] = turn.masks, turn.seats
        if self._shape.feature_size:
            every = np.arange(len(turn.seats))
            told = every if deaf is None else np.flatnonzero(turn.terminated | ~deaf[every, turn.seats])  # new ones
            views, first = self.batches[number].views(told, told.astype(np.uint64)), self._shape.observation_size
            some = np.empty((len(told), self._shape.inputs), np.float32)
            append_features(self.game, views.states, views.seats, some, first, self._shape.afterstate_size)
            self.observation[rows.start + told, first:] = some[:, first:]
        self.over[rows] = turn.terminated

    def views(self, rows: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]) -> list[tuple[Any, Views]]:
        """What stands at some tables, for agents: by kind of table, which of the rows, and their views."""
        found = []
        for batch, own in zip(self.batches, self.rows, strict=True):
            inside = np.flatnonzero((rows >= own.start) & (rows < own.stop))
            if len(inside):
                found.append((inside, batch.views(rows[inside] - own.start, seeds[inside])))
        return found

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """All games as they stand."""
        return {
            f"{number}.{name}": part for number, batch in enumerate(self.batches) for name, part in batch.save().items()
        }

    def restore(self, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on with them."""
        for number, batch in enumerate(self.batches):
            parts = {name: saved[f"{number}.{name}"] for name in ("states", "tables")}
            self._take(number, batch.restore(parts))


@kernel
def write_utilities(ranks: Any, scores: Any, unit: float, margin: float, out: Any) -> None:
    """How well games [N] ended for their seats [P], from -1 to 1: rank and winning, and so much of the margin."""
    by_rank, by_win, ahead = np.zeros((3, ranks.shape[1]))
    for row in range(ranks.shape[0]):
        write_rewards(RANK, unit, ranks[row], scores[row], by_rank)
        write_rewards(WIN, unit, ranks[row], scores[row], by_win)
        write_rewards(SCORE, unit, ranks[row], scores[row], ahead)
        for seat in range(ranks.shape[1]):
            out[row, seat] = (1 - margin) * (by_rank[seat] + by_win[seat]) / 2 + margin * math.tanh(ahead[seat] / 2)
