"""Recorded games to step through: positions, what else could have been done, and a critic's opinion of it all."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.game import copy_of
from olb_env.core.positions import distinct_names
from olb_env.core.records import Record, Replay, replay
from olb_env.page.critic import Critic, Opinion, results, utility
from olb_env.page.sessions import PageError

MOST_SHOWN = 2000  # games in the list of a file
JUDGED_AT_ONCE = 8  # moves


class ReplayViewer:
    """Some records, each replayed when it is looked at."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        self._replay = functools.lru_cache(maxsize=32)(self._replay_anew)
        self._opinion = functools.lru_cache(maxsize=20_000)(self._opinion_anew)

    def _find(self, number: int) -> Record:
        if not 1 <= number <= len(self._records):
            raise PageError(404, f"there is no game {number}: expected 1 to {len(self._records)}")
        return self._records[number - 1]

    def _replay_anew(self, number: int) -> Replay:
        return replay(self._find(number))

    def _opinion_anew(self, number: int, moves: int, critic: Critic) -> Opinion:
        """The seed is the number of the move: everybody who looks sees the same."""
        return critic.opinion(self._before(number, moves), moves)

    def _before(self, number: int, moves: int) -> Any:
        found = self._replay(number)
        states = copy_of(found.initial)
        for action in found.actions[:moves].tolist():
            batch.apply_one(states, action)
        return states

    def record(self, number: int) -> Record:
        """The record itself."""
        return self._find(number)

    def games(self) -> dict[str, Any]:
        """How many there are, and what the list says of the first of them."""
        listed = [
            {
                "number": number,
                "players": record["players"],
                "agents": record.get("agents"),
                "moves": len(record["moves"]),
            }
            for number, record in enumerate(self._records[:MOST_SHOWN], start=1)
        ]
        return {"games": listed, "of": len(self._records)}

    def told(self, number: int) -> dict[str, Any]:
        """A game: who played, and all moves with the round they were in, as far as the game counts rounds."""
        found = self._replay(number)
        round_of = found.game.display.round_of
        moves = [
            {"seat": seat, "action": action, "round": None if round_of is None else round_of(state)}
            for state, seat, action in found
        ]
        players = found.game.seats(found.initial[0])
        names = distinct_names(found.names) or [f"seat {seat}" for seat in range(players)]
        return {"number": number, "players": players, "names": names, "moves": moves, "over": found.over}

    def position(self, number: int, moves: int, critic: Critic | None) -> dict[str, Any]:
        """After some moves: the picture, and what may be done there; with opinions if anybody has them."""
        found = self._replay(number)
        if not 0 <= moves <= len(found):
            raise PageError(404, f"there is no move {moves} in game {number}: expected 0 to {len(found)}")
        position = found.position(moves)
        told: dict[str, Any] = {
            "moves": moves,
            "svg": position.svg(),
            "done": position.done,
            "choices": [],
            "chosen": None,
        }
        if moves == len(found):
            return told
        game, states = found.game, self._before(number, moves)
        told["chosen"] = found.words[moves]
        told["choices"] = [
            {"action": name, "words": game.display.explain(states[0], int(action))}
            for action, name in zip(np.flatnonzero(found.masks[moves]), found.legal(moves), strict=True)
        ]
        if critic is not None:
            opinion = self._opinion(number, moves, critic)
            told["verdict"] = opinion.verdict(int(found.actions[moves]))
            for choice, likely, expected in zip(told["choices"], opinion.likely, opinion.expected, strict=True):
                choice |= {"likely": likely, "expected": expected}
        return told

    def judged(self, number: int, first: int, critic: Critic) -> dict[str, Any]:
        """For some decisions, from one on, what was expected for each seat and how bad the choice was.

        A page asks for a few at a time, and for no more when it shows something else. Behind the last decision stands
        how the game ended.
        """
        found, rows, verdicts = self._replay(number), [], []
        last = min(first + JUDGED_AT_ONCE, len(found))
        for moves in range(first, last):
            action, opinion = int(found.actions[moves]), self._opinion(number, moves, critic)
            rows.append(list(opinion.seats))
            verdicts.append({"loss": opinion.loss(action), "verdict": opinion.verdict(action)})
        if last == len(found) and found.over:
            rows.append(utility(found.game, found.final)[0].tolist())
        players = found.game.seats(found.initial[0])
        told = {"by": critic.name, "results": results(players), "done": last >= len(found)}
        return {**told, "expected": rows, "verdicts": verdicts}
