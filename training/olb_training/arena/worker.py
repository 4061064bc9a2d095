"""What a worker process of a tournament does: it plays units of the schedule, many games at once.

An agent that fails, chooses an illegal action or takes too long forfeits its game; random moves finish the game for it.
Registered agents decide in the worker itself, bots of users in processes of their own: see `hosted_bots`.
"""

from __future__ import annotations

import contextlib
import functools
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import find
from olb_env.core.records import to_json_line
from olb_env.playing import (
    Agent,
    AgentError,
    Match,
    RandomAgent,
    Views,
    agent_for,
    decide,
    is_registered,
    make_agent,
    seat_keys,
)
from olb_env.playing.bot_connection import BotTimeoutError
from olb_env.playing.hosted_bots import LONGEST_DECISION, HostedBots
from olb_training.arena.schedule import Plan, Unit, rotations

Integers = npt.NDArray[np.int64]

_hosted: dict[tuple[str, int], HostedBots] = {}  # by game and memory limit


@dataclass
class UnitResult:
    """The results of a unit: a list for its games [P], one per rotation, of lists for their seats [P]."""

    unit: Unit
    ranks: list[list[int]]
    scores: list[list[float]]
    starts: list[list[str]]
    seconds: list[list[float]]  # the time that the decisions of a seat took
    decisions: list[list[int]]
    forfeits: list[tuple[int, int, str]]  # the game, the seat and the reason of each
    records: list[str]  # lines of JSON, if they are kept


@functools.cache
def _agent(name: str, game_name: str) -> Agent:
    """Return a registered agent, one per process; it has made one untimed decision, since it may have to compile."""
    agent, game = make_agent(name), find(game_name)
    states = game.new_states(1)
    batch.deal_rows(states, game.rules.configure(num_players=game.players[0]), np.array([0]))
    with contextlib.suppress(AgentError):
        decide(agent, name, Views(game, states, [0]))
    return agent


def hosted_bots(plan: Plan) -> HostedBots:
    """Return the bots of users in this process: one process for each, kept from one task to the next."""
    key = plan.game, plan.memory_limit
    if key not in _hosted:
        _hosted[key] = HostedBots(plan.find_game(), plan.memory_limit)
    return _hosted[key]


def prepare_bots(plan: Plan) -> None:
    """Make ready what starts the bots of users, if there are any, for this process and all that it forks."""
    if not all(is_registered(name) for name in plan.agents):
        hosted_bots(plan).prepare()


def end_bots() -> None:
    """End the processes of all bots of users that this process has started."""
    for bots in _hosted.values():
        bots.end_bots()


def check_agent(name: str, plan: Plan) -> None:
    """Load an agent; a ValueError says why that is not possible, or why it does not play the game."""
    if is_registered(name):
        agent_for(name, plan.find_game())
    else:
        hosted_bots(plan).check(name)


class _TimeLimitExceeded(BaseException):
    """Not an Exception, so that the agent's own handlers let it pass."""


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Interrupt code that takes longer, where that is possible: in the main thread, between Python instructions."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise _TimeLimitExceeded

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def play_units(plan: Plan, units: list[Unit], *, keep_records: bool = False) -> list[UnitResult]:
    """Play some units; the result of one does not depend on the others."""
    lineups = plan.lineups()
    games = _Games(plan, [(unit, seating) for unit in units for seating in rotations(lineups[unit.lineup])])
    with contextlib.redirect_stdout(sys.stderr):  # standard output is for the report, whatever agents print
        games.play()
    return list(games.results(units, keep_records))


class _Games:
    """The games [B] of some units, played side by side, with the time and the forfeits of every seat."""

    def __init__(self, plan: Plan, seatings: Sequence[tuple[Unit, tuple[int, ...]]]) -> None:
        self._plan = plan
        self._names = list(dict.fromkeys(plan.agents))
        name_of_agent = np.array([self._names.index(name) for name in plan.agents])
        self._seated: Integers = name_of_agent[np.array([seating for _, seating in seatings])]  # [B, P]: the names
        deals = np.array([unit.deal for unit, _ in seatings])
        self._seeds = [plan.deal_seed(int(deal)) for deal in deals]
        # Every seat of a deal has its own random stream, whoever sits there: agents that play alike end alike.
        keys = {seed: seat_keys(seed, plan.players) for seed in self._seeds}
        self._match = Match(plan.find_game(), plan.setup(), self._seeds, np.array([keys[seed] for seed in self._seeds]))
        self._copies = _number_copies(deals)
        shape = self._seated.shape
        self._forfeited = np.zeros(shape, np.bool_)
        self._forfeits: dict[tuple[int, int], str] = {}  # the reason, by game and seat
        self._seconds = np.zeros(shape)
        self._decisions: Integers = np.zeros(shape, np.int64)

    def play(self) -> None:
        """Play all games to their end."""
        self._match.play(self._choose)

    def _choose(self, rows: Integers, seats: Integers) -> Integers:
        """Return the actions in some games, from each agent for all of its games at once if that is fair."""
        actions = np.empty(len(rows), np.int64)
        seated = self._seated[rows, seats]
        for number in np.unique(seated):
            name, own = self._names[number], np.flatnonzero(seated == number)
            for group in self._fair_groups(name, rows, own):
                actions[group] = self._ask(name, rows[group], seats[group])
        return actions

    def _fair_groups(self, name: str, rows: Integers, own: Integers) -> list[Integers]:
        """Divide the games of a user's agent so that it never sees two games of one deal at once.

        It could learn in one of them what is hidden in the other.
        """
        if is_registered(name):
            return [own]
        copies = self._copies[rows[own]]
        return [own[copies == copy] for copy in np.unique(copies)]

    def _ask(self, name: str, rows: Integers, seats: Integers) -> Integers:
        """Return the actions of an agent; where it has forfeited, random ones."""
        forfeited = self._forfeited[rows, seats]
        if not forfeited.any():
            return self._ask_agent(name, rows, seats)
        actions = np.empty(len(rows), np.int64)
        actions[forfeited] = self._random_actions(rows[forfeited], seats[forfeited])
        if not forfeited.all():
            actions[~forfeited] = self._ask_agent(name, rows[~forfeited], seats[~forfeited])
        return actions

    def _random_actions(self, rows: Integers, seats: Integers) -> Integers:
        return decide(RandomAgent(), "random", self._match.views(rows, seats))

    def _ask_agent(self, name: str, rows: Integers, seats: Integers) -> Integers:
        if self._plan.move_limit is None and len(rows) > 1:
            try:
                actions, seconds = self._decide(name, self._match.views(rows, seats))
            except (AgentError, BotTimeoutError):
                pass  # asking game by game shows in which of them
            else:
                self._count(rows, seats, seconds / len(rows))
                return actions
        return np.array([self._ask_alone(name, rows[i : i + 1], seats[i : i + 1]) for i in range(len(rows))])

    def _ask_alone(self, name: str, row: Integers, seat: Integers) -> int:
        """Return the action in one game; an agent that fails or takes too long forfeits it."""
        limit, late = self._plan.move_limit, False
        reason, seconds, action = None, 0.0, -1
        try:
            actions, seconds = self._decide(name, self._match.views(row, seat))
            action = int(actions[0])
        except AgentError as error:
            reason = str(error)
        except (_TimeLimitExceeded, BotTimeoutError):
            late = True
        if reason is None and (late or (limit is not None and seconds > limit)):
            reason = f"agent {name!r} took longer than {limit or LONGEST_DECISION:g} s for a decision"
        if reason is not None:
            self._forfeited[row, seat] = True
            self._forfeits[int(row[0]), int(seat[0])] = reason
            return int(self._random_actions(row, seat)[0])
        self._count(row, seat, seconds)
        return action

    def _decide(self, name: str, views: Views) -> tuple[Integers, float]:
        """Return the actions of an agent, all legal, and the seconds that it took."""
        limit = self._plan.move_limit
        if not is_registered(name):
            return hosted_bots(self._plan).decide(name, views, limit)
        agent, began = _agent(name, self._plan.game), time.perf_counter()
        with _time_limit(limit) if limit is not None else contextlib.nullcontext():
            actions = decide(agent, name, views)
        return actions, time.perf_counter() - began

    def _count(self, rows: Integers, seats: Integers, seconds: float) -> None:
        self._seconds[rows, seats] += seconds
        self._decisions[rows, seats] += 1

    def results(self, units: Sequence[Unit], keep_records: bool) -> Iterator[UnitResult]:
        """Yield the result of each unit; agents that forfeited are last, and the others ranked without them."""
        players, game = self._plan.players, self._match.game
        ranks: Integers = np.zeros(self._seated.shape, np.int64)
        scores = np.zeros(self._seated.shape)
        batch.return_rows(self._match.states, ranks, scores)
        for row in np.flatnonzero(self._forfeited.any(axis=1)):
            ranked = ~self._forfeited[row]
            better = (ranks[row][None, :] < ranks[row][:, None]) & ranked[None, :]
            ranks[row] = np.where(ranked, 1 + better.sum(axis=1), players)
        for number, unit in enumerate(units):
            rows = slice(number * players, (number + 1) * players)
            yield UnitResult(
                unit=unit,
                ranks=ranks[rows].tolist(),
                scores=scores[rows].tolist(),
                starts=[game.records.starts(state) for state in self._match.initial[rows]],
                seconds=self._seconds[rows].tolist(),
                decisions=self._decisions[rows].tolist(),
                forfeits=[(row - rows.start, seat, reason) for (row, seat), reason in self._forfeits_in(rows)],
                records=[self._record(row) for row in range(rows.start, rows.stop)] if keep_records else [],
            )

    def _forfeits_in(self, rows: slice) -> list[tuple[tuple[int, int], str]]:
        return sorted((where, reason) for where, reason in self._forfeits.items() if rows.start <= where[0] < rows.stop)

    def _record(self, row: int) -> str:
        agents = [self._names[number] for number in self._seated[row]]
        return to_json_line(self._match.record(row, seed=self._seeds[row], agents=agents))


def _number_copies(deals: Integers) -> Integers:
    """Return for each game [B] how many games before it have the same deal."""
    order = np.argsort(deals, kind="stable")
    firsts = np.searchsorted(deals[order], deals[order])
    copies: Integers = np.empty(len(deals), np.int64)
    copies[order] = np.arange(len(deals)) - firsts
    return copies
