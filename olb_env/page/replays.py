"""Recorded games to step through: positions, the choices there were, and an adviser's opinion of them.

Everything here is public: the games are over, or were recorded by somebody who saw all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.game import States, copy_of
from olb_env.core.positions import distinct_names
from olb_env.core.records import Record, Replay, replay
from olb_env.core.rewards import utilities_by_rank
from olb_env.page.adviser import Adviser, Opinion, final_utilities
from olb_env.page.errors import PageError

MAX_LISTED = 2000  # games in the list
MOVES_PER_REQUEST = 8  # that are evaluated


class ReplayViewer:
    """Some records, each replayed when somebody looks at it; games are numbered from 1."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        self._replay = functools.lru_cache(maxsize=32)(self._compute_replay)
        self._opinion = functools.lru_cache(maxsize=4_000)(self._compute_opinion)

    def record(self, number: int) -> Record:
        """Return the record of a game."""
        if not 1 <= number <= len(self._records):
            raise PageError(404, f"there is no game {number}: expected 1 to {len(self._records)}")
        return self._records[number - 1]

    def _compute_replay(self, number: int) -> Replay:
        return replay(self.record(number))

    def _compute_opinion(self, number: int, moves: int, adviser: Adviser) -> Opinion:
        """Return the opinion on the decision after some moves; their number is the seed, so it is always the same."""
        return adviser.opinion(self._states(number, moves), moves)

    def _states(self, number: int, moves: int) -> States:
        """Return a game [1] after some moves."""
        replayed = self._replay(number)
        states = copy_of(replayed.initial)
        for action in replayed.actions[:moves].tolist():
            batch.apply_one(states, action)
        return states

    def games(self) -> dict[str, Any]:
        """Return the number of games, and the first of them for a list."""
        listed = [
            {
                "number": number,
                "players": record["players"],
                "agents": record.get("agents"),
                "move_count": len(record["moves"]),
            }
            for number, record in enumerate(self._records[:MAX_LISTED], start=1)
        ]
        return {"games": listed, "total": len(self._records)}

    def game(self, number: int) -> dict[str, Any]:
        """Return the players and moves of a game, with the round of each move if the game has rounds."""
        replayed = self._replay(number)
        round_of = replayed.game.display.round_of
        moves = [
            {"seat": seat, "action": action, "round": None if round_of is None else round_of(state)}
            for state, seat, action in replayed
        ]
        players = replayed.game.num_players(replayed.initial[0])
        names = distinct_names(replayed.names) or [f"seat {seat}" for seat in range(players)]
        return {"number": number, "players": players, "names": names, "moves": moves, "over": replayed.over}

    def position(self, number: int, moves: int, adviser: Adviser | None) -> dict[str, Any]:
        """Return the position after some moves: the picture, the choices and, with an adviser, their evaluation."""
        replayed = self._replay(number)
        if not 0 <= moves <= len(replayed):
            raise PageError(404, f"there is no move {moves} in game {number}: expected 0 to {len(replayed)}")
        position = replayed.position(moves)
        answer: dict[str, Any] = {
            "moves": moves,
            "svg": position.svg(),
            "last_move": position.last_move,
            "choices": [],
            "chosen": None,
        }
        if moves == len(replayed):
            return answer
        game, states = replayed.game, self._states(number, moves)
        answer["chosen"] = replayed.action_names[moves]
        answer["choices"] = [
            {"action": name, "explanation": game.display.explain(states[0], int(action))}
            for action, name in zip(np.flatnonzero(replayed.masks[moves]), replayed.legal(moves), strict=True)
        ]
        if adviser is not None:
            opinion = self._opinion(number, moves, adviser)
            answer["verdict"] = opinion.verdict(int(replayed.actions[moves]))
            for choice, probability, value in zip(
                answer["choices"], opinion.probabilities, opinion.values, strict=True
            ):
                choice |= {"probability": probability, "value": value}
        return answer

    def evaluations(self, number: int, first: int, adviser: Adviser) -> dict[str, Any]:
        """Return the value of some decisions for every seat, and how bad the chosen moves were.

        The page asks for a few moves at a time, from `first` on, and stops when it shows another game. The utilities of
        the final position follow the last decision.
        """
        replayed, values, verdicts = self._replay(number), [], []
        end = min(first + MOVES_PER_REQUEST, len(replayed))
        for moves in range(first, end):
            action, opinion = int(replayed.actions[moves]), self._opinion(number, moves, adviser)
            values.append(list(opinion.seat_values))
            verdicts.append({"loss": opinion.loss(action), "verdict": opinion.verdict(action)})
        if end == len(replayed) and replayed.over:
            values.append(final_utilities(replayed.game, replayed.final)[0].tolist())
        return {
            "adviser": adviser.name,
            "utilities_by_rank": utilities_by_rank(replayed.game.num_players(replayed.initial[0])),
            "done": end >= len(replayed),
            "values": values,
            "verdicts": verdicts,
        }
