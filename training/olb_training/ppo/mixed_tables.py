"""Tables of several sizes and options as one batch, for the collector of rollouts.

B tables, P seats of the largest table, D inputs, A actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.inputs import write_extra_inputs
from olb_agents.network import Shape
from olb_env.core.game import find
from olb_env.core.rewards import utility_rows_with_margin
from olb_env.envs.selfplay import SelfPlay, Step
from olb_env.envs.step_kernels import TABLE
from olb_env.playing import Views

SEED_SHIFT = 12  # bits dropped, so that the seeds that follow, one per table, stay in range


@dataclass(frozen=True)
class TableSpec:
    """A group of identical tables: their size, their number and the options of the game."""

    num_players: int
    count: int
    options: Mapping[str, Any]


def first_seed(seed: np.random.SeedSequence) -> int:
    """Return the seed of the first of some tables; the others have the seeds that follow it."""
    return int(seed.generate_state(1, np.uint64)[0] >> SEED_SHIFT)


class MixedTables:
    """All tables of a process. A game that ends is followed by another at the same table.

    Outcomes are utilities from -1 to 1: rank and win in equal parts, and a fraction `margin_coef` of the score margin.
    """

    def __init__(self, shape: Shape, specs: Sequence[TableSpec], margin_coef: float) -> None:
        self.game, self._shape = find(shape.game), shape
        self.batches = [
            SelfPlay(shape.game, spec.count, num_players=spec.num_players, **spec.options) for spec in specs
        ]
        ends = np.cumsum([spec.count for spec in specs])
        self.rows = [slice(int(end - spec.count), int(end)) for end, spec in zip(ends, specs, strict=True)]
        self.size, self.num_seats = int(ends[-1]), max(self.game.players)
        self.num_players = np.repeat([spec.num_players for spec in specs], [spec.count for spec in specs])  # [B]
        self._margin_coef = margin_coef
        self.inputs = np.zeros((self.size, shape.inputs), np.float32)  # [B, D] of the seat to act
        self.masks = np.zeros((self.size, len(self.game.actions)), np.int8)  # [B, A]
        self.seats = np.zeros(self.size, np.int64)  # [B] the seat to act
        self.dones = np.zeros(self.size, np.bool_)  # [B] whether a game ended with the last step
        self.utilities = np.zeros((self.size, self.num_seats), np.float32)  # [B, P] of these games

    def reset(self, seed: np.random.SeedSequence) -> None:
        """Deal new games at all tables."""
        for number, (batch, own) in enumerate(zip(self.batches, seed.spawn(len(self.batches)), strict=True)):
            self._read(number, batch.reset(seed=first_seed(own)))

    def step(self, actions: npt.NDArray[np.int64], skip_features: npt.NDArray[np.bool_] | None = None) -> None:
        """Take one action at every table; inputs beyond the observation are stale for seats [B, P] that skip them."""
        for number, (batch, rows) in enumerate(zip(self.batches, self.rows, strict=True)):
            self._read(number, batch.step(actions[rows]), None if skip_features is None else skip_features[rows])
            ended = np.flatnonzero(self.dones[rows])
            if len(ended):
                utilities = np.zeros((len(ended), batch.ranks.shape[1]))
                utility_rows_with_margin(
                    batch.ranks[ended], batch.scores[ended], self.game.score_unit, self._margin_coef, utilities
                )
                self.utilities[ended + rows.start, : utilities.shape[1]] = utilities

    def _read(self, number: int, step: Step, skip_features: npt.NDArray[np.bool_] | None = None) -> None:
        """Copy the next decisions of a batch."""
        rows = self.rows[number]
        self.inputs[rows, : self._shape.observation_size] = step.observations
        self.masks[rows], self.seats[rows] = step.masks, step.seats
        if self._shape.feature_size:
            inside = np.arange(len(step.seats))
            if skip_features is not None:  # a new game may have other players: its features are always written
                inside = np.flatnonzero(step.terminated | ~skip_features[inside, step.seats])
            views, first = self.batches[number].views(inside, inside.astype(np.uint64)), self._shape.observation_size
            inputs = np.empty((len(inside), self._shape.inputs), np.float32)
            write_extra_inputs(self.game, views.states, views.seats, inputs, first, self._shape.afterstate_size)
            self.inputs[rows.start + inside, first:] = inputs[:, first:]
        self.dones[rows] = step.terminated

    def views(
        self, rows: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]
    ) -> list[tuple[npt.NDArray[np.int64], Views]]:
        """Return the decisions at some tables as agents see them, in parts: which of the rows, and their views."""
        parts = []
        for batch, own in zip(self.batches, self.rows, strict=True):
            inside = np.flatnonzero((rows >= own.start) & (rows < own.stop))
            if len(inside):
                parts.append((inside, batch.views(rows[inside] - own.start, seeds[inside])))
        return parts

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Return all games as arrays."""
        return {
            f"{number}.{name}": array
            for number, batch in enumerate(self.batches)
            for name, array in batch.save().items()
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]], decisions: int) -> None:
        """Restore the games that `save` returned after so many decisions at every table; ValueError if it did not."""
        for number, batch in enumerate(self.batches):
            prefix = f"{number}."
            own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
            tables = np.frombuffer(own["tables"].tobytes(), TABLE)
            if (tables["decisions"] != decisions).any() or (tables["games_dealt"] > decisions + 1).any():
                raise ValueError(f"saved tables have other numbers of decisions or games: expected {decisions:,}")
            self._read(number, batch.restore(own))
