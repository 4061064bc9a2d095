"""A tournament from its first deal to its last: played on several cores, and saved as it goes."""

from __future__ import annotations

import contextlib
import itertools
import json
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from olb_env.core.checking import shortened
from olb_env.core.processes import map_in_order
from olb_training.arena.journal import GrowingFile, Journal, JournalError, read_results
from olb_training.arena.schedule import Plan, Unit, rotations, units
from olb_training.arena.statistics import Tally
from olb_training.arena.worker import UnitResult, end_bots, play_units, prepare_bots

TASK_SECONDS = 1.0  # of work for a process at once: short, so that progress shows and a stop costs little
MAX_GAMES_PER_TASK = 512
WORKER_ATTEMPTS = 4  # how often a worker may die before a run is given up, counted from the last result
FIRST_CHECK, CHECK_GROWTH = 20, 1.25  # of `until`, in deals; fixed, so that all runs stop at the same deal


@dataclass
class Tournament:
    """A tournament, with what has been played of it."""

    plan: Plan
    workers: int = 1
    journal: Path | None = None  # a file to continue from and to save to
    records: Path | None = None
    on_progress: Callable[[int, int | None], None] = lambda games, expected: None  # called with numbers of games
    tally: Tally = field(init=False)
    units_played: int = field(init=False, default=0)
    games_this_session: int = field(init=False, default=0)  # without those read from the journal
    _unit_seconds: float = field(init=False, default=TASK_SECONDS)  # so that the first task is one unit

    def __post_init__(self) -> None:
        self.tally = Tally(self.plan)
        self._lineups = len(self.plan.lineups())

    @property
    def complete_deals(self) -> int:
        """The number of deals that all lineups have played."""
        return self.units_played // self._lineups

    def play(self) -> None:
        """Play the rest of the tournament."""
        try:
            prepare_bots(self.plan)
            if self.workers > 1:
                end_bots()  # workers start their own
            self._play()
        finally:
            end_bots()

    def _play(self) -> None:
        before: list[UnitResult] = []
        new = self.journal is None or not self.journal.exists() or self.journal.stat().st_size == 0
        if self.journal is not None and not new:
            before = read_results(self.journal, self.plan)
            self._count(before)
            if self.units_played > self.plan.deals * self._lineups:
                raise JournalError(
                    f"{shortened(self.journal)} already holds {self.complete_deals} deals: "
                    "ask for at least as many --deals"
                )
        if self._precise_enough():
            return
        with contextlib.ExitStack() as closing:
            journal = Journal(self.journal, self.plan, new=new) if self.journal is not None else None
            if journal is not None:
                closing.callback(journal.close)
            records = closing.enter_context(self._open_records(before))
            remaining = closing.enter_context(contextlib.closing(self._play_rest()))
            for results in remaining:
                if records is not None:
                    records.append(line.encode() for result in results for line in result.records)
                if journal is not None:
                    journal.add(results)
                self._count(results)
                self.games_this_session += len(results) * self.plan.players
                if self._precise_enough():
                    return

    def _play_rest(self) -> Generator[list[UnitResult], None, None]:
        """Yield the results of the remaining units in order, in pieces that end where `until` is checked."""
        ends = {deals * self._lineups for deals in _checks(self.plan.deals)} if self.plan.until is not None else set()
        played = self.units_played
        remaining = itertools.islice(units(self.plan), played, None)
        with contextlib.closing(self._results(self._tasks(remaining))) as finished:
            for seconds, results in finished:
                self._unit_seconds = seconds / len(results)
                piece: list[UnitResult] = []
                for result in results:
                    piece.append(result)
                    played += 1
                    if played in ends:
                        yield piece
                        piece = []
                if piece:
                    yield piece

    def _results(self, tasks: Iterator[Task]) -> Generator[tuple[float, list[UnitResult]], None, None]:
        """Yield what `_work` returns for each task; units that were lost with a process are played again."""
        return map_in_order(self._work, tasks, self.workers, attempts=WORKER_ATTEMPTS)

    def _tasks(self, remaining: Iterator[Unit]) -> Iterator[Task]:
        most = max(1, MAX_GAMES_PER_TASK // self.plan.players)
        while True:
            size = min(most, max(1, round(TASK_SECONDS / self._unit_seconds)))
            chosen = list(itertools.islice(remaining, size))
            if not chosen:
                return
            yield Task(self.plan, chosen, self.records is not None)

    @staticmethod
    def _work(task: Task) -> tuple[float, list[UnitResult]]:
        began = time.perf_counter()
        results = play_units(task.plan, task.units, keep_records=task.keep_records)
        return time.perf_counter() - began, results

    def _count(self, results: list[UnitResult]) -> None:
        self.tally.add(results)
        self.units_played += len(results)
        self.on_progress(self.units_played * self.plan.players, None)

    def _precise_enough(self) -> bool:
        deals, rest = divmod(self.units_played, self._lineups)
        if self.plan.until is None or rest or deals not in _checks(deals):
            return False
        half_width = self.tally.max_half_width()
        needed = deals * (half_width / self.plan.until) ** 2  # intervals shrink with the square root of the deals
        self.on_progress(
            self.units_played * self.plan.players,
            int(min(needed, self.plan.deals)) * self._lineups * self.plan.players,
        )
        return half_width <= self.plan.until

    @contextlib.contextmanager
    def _open_records(self, before: list[UnitResult]) -> Iterator[GrowingFile | None]:
        """Open the file of records for appending; raise JournalError if it lacks games that were played before.

        Records after those are dropped.
        """
        if self.records is None:
            yield None
            return
        if before:
            self._drop_records_after(before, self.records)
        with contextlib.closing(GrowingFile(self.records, new=not before)) as file:
            yield file

    def _drop_records_after(self, before: list[UnitResult], file_name: Path) -> None:
        games = len(before) * self.plan.players
        with file_name.open("r+b") as file:
            held, last = 0, b""
            while held < games and (line := file.readline()).endswith(b"\n"):
                held, last = held + 1, line
            if held < games or not self._is_record(last, before[-1].unit):
                raise JournalError(
                    f"{shortened(file_name)} does not hold the {games} games that were played before: "
                    "name the file that holds them, or leave --records out"
                )
            file.truncate(file.tell())

    def _is_record(self, line: bytes, unit: Unit) -> bool:
        """Return whether a line is the record of a unit's last game."""
        seating = rotations(self.plan.lineups()[unit.lineup])[-1]
        expected = self.plan.deal_seed(unit.deal), [self.plan.agents[agent] for agent in seating]
        try:
            record = json.loads(line)
            return bool((record["seed"], record["agents"]) == expected)
        except (ValueError, KeyError, TypeError, RecursionError):
            return False


@dataclass(frozen=True)
class Task:
    """Units for a process to play."""

    plan: Plan
    units: list[Unit]
    keep_records: bool


def _checks(most: int) -> list[int]:
    """Return the numbers of deals up to `most` after which `until` is checked."""
    checks, deals = [], FIRST_CHECK
    while deals <= most:
        checks.append(deals)
        deals = int(deals * CHECK_GROWTH) + 1
    return checks
