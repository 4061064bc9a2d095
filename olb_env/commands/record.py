"""`olb record`: let agents play games and write their records, one a line."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from olb_env.commands.arguments import add_game_options, game_options, whole
from olb_env.commands.arguments import seed as seed_argument
from olb_env.commands.olb import INTERRUPTED, UsageError
from olb_env.core.console import plain_console
from olb_env.core.game import Game, find
from olb_env.core.processes import MOST_WORKERS, in_order
from olb_env.core.records import to_line
from olb_env.core.rng import following_seed
from olb_env.playing import agent_for, make_agent, play_games

HELP = "Let agents play games and write their records, one JSON object a line."
EXAMPLE = "olb record --games 1000 --players 4 --agents random --seed 1 --legal --out games.jsonl"
GAMES_A_TASK, GAMES_AT_ONCE = 8, 24


@dataclass(frozen=True)
class Job:
    """What to play, the same in every process."""

    game: str
    options: dict[str, Any]
    players: tuple[int, ...]  # tables in turn
    agents: tuple[str, ...]
    seed: int
    legal: bool

    def setup(self, players: int) -> Any:
        """The setup of a table of so many."""
        return find(self.game).rules.configure(num_players=players, **self.options)

    def lineup(self, players: int) -> tuple[str, ...]:
        """The agents at a table of so many, by seat."""
        return self.agents * players if len(self.agents) == 1 else self.agents

    def play_some(self, numbers: range) -> list[str]:
        """The lines of some games, played side by side; each depends on nothing but the job and its number."""
        lines: dict[int, str] = {}
        for players in sorted(set(self.players)):
            own = [number for number in numbers if self.players[number % len(self.players)] == players]
            seeds = [int(following_seed(self.seed, number)) for number in own]
            if own:
                records = play_games(
                    find(self.game), self.setup(players), seeds, self.lineup(players), legal=self.legal
                )
                lines |= {number: to_line(record) for number, record in zip(own, records, strict=True)}
        return [lines[number] for number in numbers]

    def size(self, workers: int) -> int:
        """How many games to play at once: more where agents gain by it, else as few as there can be lost."""
        if all(hasattr(make_agent(name), "act_many") for name in self.agents):
            return GAMES_AT_ONCE
        return GAMES_A_TASK if workers > 1 else 1


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """The options of `olb record`."""
    counts = [str(count) for count in game.players]
    parser.add_argument("--games", type=whole(1), default=100, help="how many games (default: 100)")
    parser.add_argument(
        "--players",
        choices=[*counts, "mixed"],
        default=counts[-1],
        help=f"players at the table: {', '.join(counts)}, or mixed for each in turn (default: {counts[-1]})",
    )
    parser.add_argument(
        "--agents",
        nargs="+",
        default=["random"],
        metavar="AGENT",
        help="who plays: one name for all seats, or one for each (default: random)",
    )
    add_game_options(parser, game)
    parser.add_argument("--seed", type=seed_argument, default=0, help="same seed, same games (default: 0)")
    parser.add_argument("--legal", action="store_true", help="write the legal actions of every decision too")
    parser.add_argument("--workers", type=whole(1, MOST_WORKERS), default=1, help="processes to play in (default: 1)")
    parser.add_argument("--out", required=True, metavar="FILE", help="the file to write, - for standard output")


def read_job(options: argparse.Namespace, game: Game) -> Job:
    """The job that the options ask for, tried out before anything is written."""
    players = game.players if options.players == "mixed" else (int(options.players),)
    if len(options.agents) > 1 and any(len(options.agents) != count for count in players):
        raise UsageError(f"--agents names {len(options.agents)} agents: expected one, or one for each player")
    try:
        job = Job(game.name, game_options(options, game), players, tuple(options.agents), options.seed, options.legal)
        for count in players:
            job.setup(count)
        for name in job.agents:
            agent_for(name, game)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return job


def run(options: argparse.Namespace, game: Game) -> int:
    """Play and write; an interrupted run keeps the games it finished."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    job = read_job(options, game)
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        _open(options.out) as file,
        Progress(*columns, console=plain_console(stderr=True)) as progress,
        contextlib.closing(_lines(job, options.games, options.workers)) as lines,
    ):
        task, written = progress.add_task("games", total=options.games), _Lines(file)
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
            raise UsageError(f"cannot write {options.out}: {error.strerror} ({written.count} games written)") from None
    return 0


@contextlib.contextmanager
def _open(out: str) -> Iterator[int]:
    """The file as a descriptor without a buffer, so that what is written is there."""
    if out == "-":
        if sys.stdout is None:
            raise UsageError("standard output is closed; name a file with --out")
        yield sys.stdout.fileno()
        return
    try:
        file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}; name another --out") from None
    try:
        yield file
    finally:
        os.close(file)


class _Lines:
    """Whole lines in a file: what a full disk or an interruption leaves of a line is cut off again."""

    def __init__(self, file: int) -> None:
        self._file = file
        self.count = 0

    def add(self, line: bytes) -> None:
        """One more."""
        first, done = self._position(), 0
        try:
            while done < len(line):
                done += os.write(self._file, line[done:])
        finally:
            if first is not None:
                done = os.lseek(self._file, 0, os.SEEK_CUR) - first  # who interrupts may come before it is added up
            self.count += done == len(line)
            if first is not None and 0 < done < len(line):
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, os.lseek(self._file, first, os.SEEK_SET))

    def _position(self) -> int | None:
        """Where it stands, if it is a file and no pipe."""
        try:
            return os.lseek(self._file, 0, os.SEEK_CUR)
        except OSError:
            return None


def _lines(job: Job, games: int, workers: int) -> Generator[str, None, None]:
    """The records in order, whoever plays them."""
    size = job.size(workers)
    tasks = (range(first, min(first + size, games)) for first in range(0, games, size))
    with contextlib.closing(in_order(job.play_some, tasks, workers)) as results:
        for lines in results:
            yield from lines
