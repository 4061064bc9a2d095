"""`olb record`: let agents play games and write their records, one per line."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import io
import os
import sys
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from olb_env.commands.arguments import add_game_options, game_options, typed_texts, whole
from olb_env.commands.arguments import seed as seed_argument
from olb_env.commands.olb import INTERRUPTED, UsageError
from olb_env.commands.output import cannot_write, check_not_read
from olb_env.core.checking import shown
from olb_env.core.console import plain_console
from olb_env.core.game import Game, find
from olb_env.core.processes import MAX_WORKERS, map_in_order
from olb_env.core.records import to_json_line
from olb_env.core.rng import following_seed
from olb_env.playing import BatchAgent, agent_for, make_agent, play_games

HELP = "Let agents play games and write their records, one JSON object per line."
EXAMPLE = "olb record --games 1000 --players 4 --agents random --seed 1 --legal --out games.jsonl"
GAMES_PER_TASK, BATCHED_GAMES = 8, 24
MAX_GAMES = 100_000_000  # half a terabyte of records


@dataclass(frozen=True)
class Job:
    """The games to play, described alike for every process."""

    game: str
    options: dict[str, Any]
    players: tuple[int, ...]  # the number of players, for one game after the other in turn
    agents: tuple[str, ...]
    seed: int
    legal: bool

    def setup(self, players: int) -> Any:
        """Return the setup of a game with that many players."""
        return find(self.game).rules.configure(num_players=players, **self.options)

    def lineup(self, players: int) -> tuple[str, ...]:
        """Return the agent of each seat in a game with that many players."""
        return self.agents * players if len(self.agents) == 1 else self.agents

    def play(self, numbers: range) -> list[str]:
        """Play some games side by side and return their lines; a game depends on the job and its number only."""
        lines: dict[int, str] = {}
        for players in sorted(set(self.players)):
            chosen = [number for number in numbers if self.players[number % len(self.players)] == players]
            seeds = [int(following_seed(self.seed, number)) for number in chosen]
            if not chosen:
                continue
            with contextlib.redirect_stdout(sys.stderr):  # what agents print is no record
                records = play_games(
                    find(self.game), self.setup(players), seeds, self.lineup(players), legal=self.legal
                )
            lines |= {number: to_json_line(record) for number, record in zip(chosen, records, strict=True)}
        return [lines[number] for number in numbers]

    def task_size(self, workers: int) -> int:
        """Return how many games to play at once: many if agents gain by it, else few, so that a failure costs few."""
        if all(isinstance(make_agent(name), BatchAgent) for name in self.agents):
            return BATCHED_GAMES
        return GAMES_PER_TASK if workers > 1 else 1


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options of `olb record`."""
    counts = [str(count) for count in game.players]
    parser.add_argument("--games", type=whole(1, MAX_GAMES), default=100, help="number of games (default: 100)")
    parser.add_argument(
        "--players",
        choices=[*counts, "mixed"],
        default=counts[-1],
        help=f"number of players: {', '.join(counts)}, or mixed for each in turn (default: {counts[-1]})",
    )
    parser.add_argument(
        "--agents",
        nargs="+",
        default=["random"],
        metavar="AGENT",
        help="the players: one name for all seats, or one for each seat (default: random)",
    )
    add_game_options(parser, game)
    parser.add_argument("--seed", type=seed_argument, default=0, help="the same seed gives the same games (default: 0)")
    parser.add_argument("--legal", action="store_true", help="also write the legal actions of every move")
    parser.add_argument("--workers", type=whole(1, MAX_WORKERS), default=1, help="number of processes (default: 1)")
    parser.add_argument("--out", required=True, metavar="FILE", help="file to write, or - for standard output")


def read_job(options: argparse.Namespace, game: Game) -> Job:
    """Return the job that the options ask for; agents and setups are tried before anything is written."""
    players = game.players if options.players == "mixed" else (int(options.players),)
    if len(options.agents) > 1 and any(len(options.agents) != count for count in players):
        raise UsageError(f"--agents names {len(options.agents)} agents: expected one, or one for each player")
    try:
        job = Job(game.name, game_options(options, game), players, tuple(options.agents), options.seed, options.legal)
        for count in players:
            job.setup(count)
        with contextlib.redirect_stdout(sys.stderr):
            for name in job.agents:
                agent_for(name, game)
                if not name.isprintable():  # no record with such a name could be read
                    raise ValueError(f"agent {shown(name)}: expected a name of printable characters")
    except ValueError as error:
        raise UsageError(str(error)) from None
    if options.out != "-":
        check_not_read(options.out, "--out", [*typed_texts(options, game).values(), *map(file_of_agent, job.agents)])
    return job


def file_of_agent(name: str) -> str:
    """Return the file in the name of an agent, such as `bot.py:Bot` or `policy:network.safetensors:64`."""
    file, _, last = name.removeprefix("policy:").rpartition(":")
    return file or last


def run(options: argparse.Namespace, game: Game) -> int:
    """Play and write the games; an interrupted run keeps the finished ones."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    job = read_job(options, game)
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = plain_console(stderr=True)
    with (
        _open(options.out) as file,
        Progress(*columns, console=console, disable=not console.is_terminal) as progress,
        contextlib.closing(_lines(job, options.games, options.workers)) as lines,
    ):
        task, written = (
            progress.add_task("games", total=options.games),
            _Lines(file, None if options.out == "-" else options.out),
        )
        try:
            for line in lines:
                written.add(line.encode())
                progress.advance(task)
        except KeyboardInterrupt:
            progress.stop()
            print(f"olb record: interrupted, {written.count} of {options.games} games written", file=sys.stderr)
            return INTERRUPTED
        except ValueError as error:
            raise UsageError(f"{error} ({written.count} games written)") from None
        except BrokenProcessPool:
            raise UsageError(f"a worker process died; try fewer --workers ({written.count} games written)") from None
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"{cannot_write(options.out, error, '--out')} ({written.count} games written)") from None
    return 0


@contextlib.contextmanager
def _open(out: str) -> Iterator[int]:
    """Open the file as an unbuffered descriptor, so that every game is in it once written."""
    if out == "-":
        try:
            yield sys.stdout.fileno()
        except io.UnsupportedOperation:
            raise UsageError("standard output is closed; name a file with --out") from None
        return
    try:
        file = os.open(out, os.O_WRONLY | os.O_CREAT, 0o666)
    except (OSError, ValueError) as error:
        raise cannot_write(out, error, "--out") from None
    try:
        yield file
    finally:
        os.close(file)


class _Lines:
    """Whole lines in a file: a line that a full disk or an interruption cuts short is removed again.

    The first line replaces what the file at `replaced` held. If it cannot be written, the file stays as it was.
    """

    def __init__(self, file: int, replaced: str | None) -> None:
        self._file, self._replaced = file, replaced
        self.count = 0

    def add(self, line: bytes) -> None:
        """Write one more line."""
        start, before, written = self._position(), self._replace(len(line)), 0
        try:
            while written < len(line):
                written += os.write(self._file, line[written:])
        finally:
            if start is not None:  # an interruption may come between a write and its addition
                written = os.lseek(self._file, 0, os.SEEK_CUR) - start
                if written < len(line):
                    self._take_back(start, written, before)
                elif before is not None:
                    os.ftruncate(self._file, written)
            self.count += written == len(line)

    def _replace(self, count: int) -> tuple[bytes, int] | None:
        """Return the bytes that a first line of this length replaces, and the length of the file before."""
        file, self._replaced = self._replaced, None
        size = os.fstat(self._file).st_size
        if file is None or not size:
            return None
        with contextlib.suppress(OSError), open(file, "rb") as old:
            return old.read(count), size
        os.ftruncate(self._file, 0)  # nobody may read it
        return None

    def _take_back(self, start: int, written: int, before: tuple[bytes, int] | None) -> None:
        """Remove the written part of a line, and put back what it replaced."""
        with contextlib.suppress(OSError):
            os.lseek(self._file, start, os.SEEK_SET)
            if before is not None:
                os.pwrite(self._file, before[0][:written], start)
            os.ftruncate(self._file, start if before is None else before[1])

    def _position(self) -> int | None:
        """Return where the next line begins in the file, or None in a pipe."""
        try:
            to_the_end = fcntl.fcntl(self._file, fcntl.F_GETFL) & os.O_APPEND
            return os.lseek(self._file, 0, os.SEEK_END if to_the_end else os.SEEK_CUR)
        except OSError:
            return None


def _lines(job: Job, games: int, workers: int) -> Generator[str, None, None]:
    """Yield the records in order, whichever process plays them."""
    size = job.task_size(workers)
    tasks = (range(first, min(first + size, games)) for first in range(0, games, size))
    with contextlib.closing(map_in_order(job.play, tasks, workers)) as results:
        for lines in results:
            yield from lines
