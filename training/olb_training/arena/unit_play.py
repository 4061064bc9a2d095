"""Playing units of a tournament, many games at once; an agent that fails forfeits its game, and the rest goes on."""

from __future__ import annotations

import contextlib
import functools
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import find
from olb_env.core.records import make_record, to_line
from olb_env.playing import Agent, AgentError, RandomAgent, Views, chances_of, decide, is_named, make_agent
from olb_training.arena.schedule import Plan, Unit, rotations


@dataclass
class Played:
    """What came of a unit: of its games [P], one for each rotation, by seat [P]."""

    unit: Unit
    ranks: list[list[int]]
    scores: list[list[float]]
    starts: list[list[str]]
    seconds: list[list[float]]  # that decisions took
    decisions: list[list[int]]
    faults: list[tuple[int, int, str]]  # game, seat and why it forfeited
    records: list[str]  # lines, if asked for


@functools.cache
def _agent(name: str, game: str) -> Agent:
    """The agent, once in a process; if it is one of ours, after a first decision that nobody counts: it may compile."""
    made, rules = make_agent(name), find(game)
    if not is_named(name):
        return made
    state = rules.new_states(1)
    batch.deal_rows(state, rules.rules.configure(num_players=rules.players[0]), np.array([0]))
    with contextlib.suppress(AgentError):
        decide(made, name, Views(rules, state, [0]))
    return made


class _TooSlow(BaseException):
    """Not an Exception, so that an agent's own handlers let it pass."""


@contextlib.contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, where that is possible: in the main thread, and not inside foreign machine code."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def play_units(plan: Plan, todo: list[Unit], *, keep_records: bool = False) -> list[Played]:
    """Play some units; what comes of one does not depend on which others are played with it."""
    lineups = plan.lineups()
    tables = _Tables(plan, [(unit, seats) for unit in todo for seats in rotations(lineups[unit.lineup])])
    with contextlib.redirect_stdout(sys.stderr):  # what agents print is not part of any table
        tables.play()
    return list(tables.results(todo, keep_records))


class _Tables:
    """Games [B] side by side until all are over."""

    def __init__(self, plan: Plan, seating: list[tuple[Unit, tuple[int, ...]]]) -> None:
        self._plan = plan
        self._game = plan.rules()
        self._names = list(dict.fromkeys(plan.agents))
        seated = np.array([self._names.index(name) for name in plan.agents])
        self._seated = seated[np.array([seats for _, seats in seating])]  # which of the names, by game and seat
        deals = np.array([unit.deal for unit, _ in seating])
        self._seeds = np.array([plan.deal_seed(int(deal)) for deal in deals])
        self._dealt = self._game.new_states(len(seating))
        batch.deal_rows(self._dealt, plan.setup(), self._seeds)
        self._states = self._dealt.copy()
        # Every seat of a deal has its own chance, whoever sits there: who plays like another ends like another.
        keys = {int(seed): chances_of(int(seed), plan.players) for seed in self._seeds}
        self._keys = np.array([keys[int(seed)] for seed in self._seeds])
        # Which of its deal's games a game is: an agent that sees two of them at once could learn from one of the other.
        order = np.argsort(deals, kind="stable")
        firsts = np.searchsorted(deals[order], deals[order])
        self._copy = np.empty(len(deals), np.int64)
        self._copy[order] = np.arange(len(deals)) - firsts
        self._forfeited = np.zeros(self._seated.shape, np.bool_)
        self._faults: dict[tuple[int, int], str] = {}
        self._seconds = np.zeros(self._seated.shape)
        self._decisions = np.zeros(self._seated.shape, np.int64)
        self._moves: list[npt.NDArray[np.int64]] = []  # by step, of all games; -1 where one is over

    def play(self) -> None:
        count = len(self._states)
        actors, done = np.empty(count, np.int64), np.empty(count, np.bool_)
        while True:
            batch.actor_rows(self._states, actors)
            on = np.flatnonzero(actors >= 0)
            if not len(on):
                return
            actions = np.full(count, -1)
            asked = self._seated[on, actors[on]]
            for name in np.unique(asked):
                for rows in self._together(self._names[name], on[asked == name]):
                    actions[rows] = self._ask(self._names[name], rows, actors[rows])
            batch.apply_rows(self._states, actions, done)
            self._moves.append(actions)

    def _together(self, name: str, rows: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
        """The games that an agent may be asked about at once: of a user's, no two with the same deal."""
        if is_named(name):
            return [rows]
        return [rows[self._copy[rows] == copy] for copy in np.unique(self._copy[rows])]

    def _ask(self, name: str, rows: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What an agent does in some games; where it forfeited, chance plays on in its place."""
        faulty = self._forfeited[rows, seats]
        if not faulty.any():
            return self._ask_sound(name, rows, seats)
        found = np.empty(len(rows), np.int64)
        found[faulty] = self._at_random(rows[faulty], seats[faulty])
        if not faulty.all():
            found[~faulty] = self._ask_sound(name, rows[~faulty], seats[~faulty])
        return found

    def _at_random(self, rows: Any, seats: Any) -> npt.NDArray[np.int64]:
        return decide(RandomAgent(), "random", self._views(rows, seats))

    def _ask_sound(self, name: str, rows: Any, seats: Any) -> Any:
        if self._plan.move_limit is None:
            views = self._views(rows, seats)
            agent, began = _agent(name, self._plan.game), time.perf_counter()
            try:
                found = decide(agent, name, views)
            except AgentError:
                pass  # in which game is found out one by one
            else:
                self._count(rows, seats, (time.perf_counter() - began) / len(rows))
                return found
        return np.array([self._ask_one(name, rows[i : i + 1], seats[i : i + 1]) for i in range(len(rows))])

    def _ask_one(self, name: str, row: Any, seat: Any) -> int:
        limit, views = self._plan.move_limit, self._views(row, seat)
        agent, began = _agent(name, self._plan.game), time.perf_counter()
        fault, action = None, -1
        try:
            with _no_longer_than(limit) if limit is not None else contextlib.nullcontext():
                action = int(decide(agent, name, views)[0])
        except AgentError as error:
            fault = str(error)
        except _TooSlow:
            action = -1
        taken = time.perf_counter() - began
        if fault is None and (action < 0 or (limit is not None and taken > limit)):
            fault = f"agent {name!r} took longer than {limit:g} s for a decision"
        if fault is not None:
            self._forfeited[row, seat] = True
            self._faults[int(row[0]), int(seat[0])] = fault
            return int(self._at_random(row, seat)[0])
        self._count(row, seat, taken)
        return action

    def _count(self, rows: Any, seats: Any, seconds: float) -> None:
        self._seconds[rows, seats] += seconds
        self._decisions[rows, seats] += 1

    def _views(self, rows: Any, seats: Any) -> Views:
        seeds = np.empty(len(rows), np.uint64)
        batch.draw_seeds(self._keys[rows, seats], np.full(len(rows), len(self._moves)), seeds)
        return Views(self._game, self._states, seeds, rows)

    def results(self, todo: list[Unit], keep_records: bool) -> Iterator[Played]:
        """What came of each unit; whoever forfeited comes last, and the others as if those had not been there."""
        players = self._plan.players
        ranks, scores = np.zeros(self._seated.shape, np.int64), np.zeros(self._seated.shape)
        batch.return_rows(self._states, ranks, scores)
        for row in np.flatnonzero(self._forfeited.any(axis=1)):
            sound = ~self._forfeited[row]
            better = (ranks[row][None, :] < ranks[row][:, None]) & sound[None, :]
            ranks[row] = np.where(sound, 1 + better.sum(axis=1), players)
        for number, unit in enumerate(todo):
            rows = slice(number * players, (number + 1) * players)
            yield Played(
                unit=unit,
                ranks=ranks[rows].tolist(),
                scores=scores[rows].tolist(),
                starts=[self._game.records.starts(state) for state in self._dealt[rows]],
                seconds=self._seconds[rows].tolist(),
                decisions=self._decisions[rows].tolist(),
                faults=[(row - rows.start, seat, why) for (row, seat), why in self._faults_in(rows)],
                records=[self._record(row) for row in range(rows.start, rows.stop)] if keep_records else [],
            )

    def _faults_in(self, rows: slice) -> list[tuple[tuple[int, int], str]]:
        return sorted((at, why) for at, why in self._faults.items() if rows.start <= at[0] < rows.stop)

    def _record(self, row: int) -> str:
        moves = [int(actions[row]) for actions in self._moves if actions[row] >= 0]
        agents = [self._names[name] for name in self._seated[row]]
        dealt = self._dealt[row : row + 1]
        return to_line(make_record(self._game, dealt, moves, seed=int(self._seeds[row]), agents=agents))
