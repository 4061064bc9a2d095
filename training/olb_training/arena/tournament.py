"""A tournament from its first deal to its last, or to where it stops: played on several cores, kept as it goes."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from olb_env.core.processes import in_order
from olb_training.arena.journal import Journal, JournalError, read_played
from olb_training.arena.schedule import Plan, Unit, rotations, units
from olb_training.arena.statistics import Tally
from olb_training.arena.unit_play import Played, play_units

TASK_SECONDS = 1.0  # of work handed to a process at once, so that progress is seen and a stop costs little
MOST_GAMES_A_TASK = 512
FIRST_CHECK, CHECK_GROWTH = 20, 1.25  # deals after which `until` is looked at; fixed, so that all runs stop alike


@dataclass
class Tournament:
    """What is to be played, and how."""

    plan: Plan
    workers: int = 1
    journal: Path | None = None  # goes on with what is in it
    records: Path | None = None
    heard: Callable[[int, int | None], None] = lambda games, expected: None  # told of progress, in games
    tally: Tally = field(init=False)
    units_played: int = field(init=False, default=0)
    games_now: int = field(init=False, default=0)  # without those that the journal had
    _pace: float = field(init=False, default=TASK_SECONDS)  # seconds for a unit; the first task is one

    def __post_init__(self) -> None:
        self.tally = Tally(self.plan)
        self._lineups = len(self.plan.lineups())

    @property
    def whole_deals(self) -> int:
        """How many deals all lineups have played."""
        return self.units_played // self._lineups

    def play(self) -> None:
        """Play on to the end."""
        before: list[Played] = []
        new = self.journal is None or not self.journal.exists() or self.journal.stat().st_size == 0
        if self.journal is not None and not new:
            before = read_played(self.journal, self.plan)
            self._count(before)
            if self.units_played > self.plan.deals * self._lineups:
                raise JournalError(f"{self.journal} holds {self.whole_deals} deals already: ask for as many --deals")
        if self._enough():
            return
        with contextlib.ExitStack() as closing:
            journal = Journal(self.journal, self.plan, new=new) if self.journal is not None else None
            if journal is not None:
                closing.callback(journal.close)
            records = closing.enter_context(self._open_records(before))
            played = closing.enter_context(contextlib.closing(self._play_rest()))
            for some in played:
                if records is not None:
                    records.writelines(line.encode() for unit in some for line in unit.records)
                    records.flush()
                if journal is not None:
                    journal.add(some)
                self._count(some)
                self.games_now += len(some) * self.plan.players
                if self._enough():
                    return

    def _play_rest(self) -> Generator[list[Played], None, None]:
        """What is not played yet in its order, in pieces that end where `until` is looked at."""
        ends = {deals * self._lineups for deals in _checks(self.plan.deals)} if self.plan.until is not None else set()
        place = self.units_played
        todo = itertools.islice(units(self.plan), place, None)
        with contextlib.closing(in_order(self._work, self._tasks(todo), self.workers)) as results:
            for seconds, some in results:
                self._pace = seconds / len(some)
                piece: list[Played] = []
                for unit in some:
                    piece.append(unit)
                    place += 1
                    if place in ends:
                        yield piece
                        piece = []
                if piece:
                    yield piece

    def _tasks(self, todo: Iterator[Unit]) -> Iterator[Task]:
        most = max(1, MOST_GAMES_A_TASK // self.plan.players)
        while True:
            size = min(most, max(1, round(TASK_SECONDS / self._pace)))
            some = list(itertools.islice(todo, size))
            if not some:
                return
            yield Task(self.plan, some, self.records is not None)

    @staticmethod
    def _work(task: Task) -> tuple[float, list[Played]]:
        began = time.perf_counter()
        played = play_units(task.plan, task.units, keep_records=task.keep_records)
        return time.perf_counter() - began, played

    def _count(self, some: list[Played]) -> None:
        self.tally.add(some)
        self.units_played += len(some)
        self.heard(self.units_played * self.plan.players, None)

    def _enough(self) -> bool:
        deals, rest = divmod(self.units_played, self._lineups)
        if self.plan.until is None or rest or deals not in _checks(deals):
            return False
        widest = self.tally.widest()
        needed = deals * (widest / self.plan.until) ** 2  # intervals shrink with the root of what is played
        self.heard(
            self.units_played * self.plan.players,
            int(min(needed, self.plan.deals)) * self._lineups * self.plan.players,
        )
        return widest <= self.plan.until

    @contextlib.contextmanager
    def _open_records(self, before: list[Played]) -> Iterator[IO[bytes] | None]:
        """The file of records, with those of the games played before and no more."""
        if self.records is None:
            yield None
            return
        if not before:
            with self.records.open("wb") as file:
                yield file
            return
        games = len(before) * self.plan.players
        with self.records.open("r+b") as file:
            held, last = 0, b""
            while held < games and (line := file.readline()).endswith(b"\n"):
                held, last = held + 1, line
            if held < games or not self._is_record(last, before[-1].unit):
                raise JournalError(
                    f"{self.records} does not hold the {games} games that were played before: "
                    "name the file that has them, or leave --records out"
                )
            file.truncate(file.tell())
            file.seek(0, os.SEEK_END)
            yield file

    def _is_record(self, line: bytes, unit: Unit) -> bool:
        """Whether a line is the record of a unit's last game."""
        seats = rotations(self.plan.lineups()[unit.lineup])[-1]
        expected = self.plan.deal_seed(unit.deal), [self.plan.agents[place] for place in seats]
        try:
            told = json.loads(line)
            return (told["seed"], told["agents"]) == expected
        except (ValueError, KeyError, TypeError, RecursionError):
            return False


@dataclass(frozen=True)
class Task:
    """Units for a process to play."""

    plan: Plan
    units: list[Unit]
    keep_records: bool


def _checks(most: int) -> list[int]:
    """The numbers of deals up to `most` after which `until` is looked at."""
    found, deals = [], FIRST_CHECK
    while deals <= most:
        found.append(deals)
        deals = int(deals * CHECK_GROWTH) + 1
    return found
