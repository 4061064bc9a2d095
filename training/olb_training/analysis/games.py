"""Recorded games as arrays. Axes: G games, all of the same board game, and M moves in total."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
import pandas as pd

from olb_env.core import batch
from olb_env.core.game import Game, States
from olb_env.core.records import Record, RecordError, Replay, iterate_replays


@dataclass(frozen=True)
class Games:
    """Finished games: how each began and ended, who sat where, and all their moves in one array."""

    game: Game
    agents: list[tuple[str, ...]]  # [G]
    initial: States  # [G]
    final: States  # [G]
    first: npt.NDArray[np.int64]  # [G + 1] the index of each game's first move
    actions: npt.NDArray[np.int16]  # [M]

    def __len__(self) -> int:
        return len(self.initial)

    def with_players(self, players: int) -> Games:
        """Return the games with this many players."""
        return self.select(np.array([len(names) == players for names in self.agents], np.bool_))

    def select(self, mask: npt.NDArray[np.bool_]) -> Games:
        """Return the games [G] where the mask is True."""
        rows = np.flatnonzero(mask)
        lengths = np.diff(self.first)[rows]
        parts = [self.actions[self.first[row] : self.first[row + 1]] for row in rows]
        return Games(
            self.game,
            [self.agents[row] for row in rows],
            self.initial[rows],
            self.final[rows],
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate(parts) if parts else self.actions[:0],
        )

    def seats(self) -> pd.DataFrame:
        """Return a row for each seat of each game: its agent, its start, its result; a shared win counts in parts."""
        players = np.array([len(names) for names in self.agents])
        most = max(self.game.players)
        ranks, scores = np.zeros((len(self), most), np.int64), np.zeros((len(self), most))
        batch.return_rows(self.final, ranks, scores)
        taken = np.arange(most) < players[:, None]
        game, seat = np.nonzero(taken)
        starts = [start for state in self.initial for start in self.game.records.starts(state)]
        agents = [name for names in self.agents for name in names]
        level = (ranks[:, :, None] == ranks[:, None, :]) & taken[:, None, :]
        won = np.where(ranks == 1, 1 / np.maximum(level.sum(axis=2), 1), 0.0)
        return pd.DataFrame(
            {
                "game": game,
                "seat": seat,
                "players": players[game],
                "agent": pd.Categorical(agents),
                "start": pd.Categorical(starts),
                "rank": ranks[taken],
                self.game.score: scores[taken],
                "won": won[taken],
            }
        )


def read_games(source: str | os.PathLike[str] | Iterable[Record], most: int | None = None) -> Games:
    """Return the finished games in a file of records, or in records; at most `most` of them."""
    (games,) = read_parts(islice(iterate_replays(source), most), sys.maxsize)
    return games


def read_parts(replays: Iterator[Replay], size: int) -> Iterator[Games]:
    """Yield the games of some replays in parts of this size, so that long files need no more memory than short ones."""
    game: Game | None = None
    numbered = enumerate(replays, start=1)
    while True:
        agents: list[tuple[str, ...]] = []
        initial, final, actions = [], [], []  # the rest of a replay is large, and dropped
        for number, found in islice(numbered, size):
            game = found.game if game is None else game
            if found.game is not game:
                raise RecordError(f"record {number} is of {found.game.name}, those before of {game.name}")
            if not found.over:
                raise RecordError(f"record {number} stops before the end of its game")
            agents.append(found.names or tuple("?" for _ in range(game.num_players(found.initial[0]))))
            initial.append(found.initial)
            final.append(found.final)
            actions.append(found.actions.astype(np.int16))
        if game is None:
            raise RecordError("there are no games to read")
        if not actions:
            return
        first = np.concatenate([[0], np.cumsum([len(moves) for moves in actions])])
        yield Games(game, agents, _joined(game, initial), _joined(game, final), first, np.concatenate(actions))


def _joined(game: Game, states: list[States]) -> States:
    """Return many games [1] as one array; `np.concatenate` would go through every field of each of them."""
    return np.frombuffer(bytearray().join(state.tobytes() for state in states), game.rules.dtype)
