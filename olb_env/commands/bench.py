"""`olb bench`: decisions per second on one core, measured here and now."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo

from olb_env.commands.arguments import seconds as seconds_argument
from olb_env.commands.arguments import whole
from olb_env.commands.olb import UsageError
from olb_env.core import batch
from olb_env.core.game import Game

HELP = "Measure decisions per second on one core: rules alone, with observations, through PettingZoo."
EXAMPLE = "olb bench --players 4 --seconds 3 --json bench.json"
MANY_GAMES = 100_000
STEPS = 100  # decisions in each game between two looks at the clock


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """The options of `olb bench`."""
    counts = [str(count) for count in game.players]
    parser.add_argument(
        "--players", choices=[*counts, "all"], default="all", help=f"{', '.join(counts)} or all (default: all)"
    )
    parser.add_argument("--batch", type=whole(1, 1_000_000), default=512, help="games at once (default: 512)")
    parser.add_argument("--seconds", type=seconds_argument, default=3.0, help="for each figure (default: 3)")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON too, - for standard output")


def run(options: argparse.Namespace, game: Game) -> int:
    """Measure and tell."""
    players = game.players if options.players == "all" else (int(options.players),)
    with _one_core():
        figures = [measure(game, count, options.batch, options.seconds) for count in players]
        many = measure_many(game)
    result = {
        "game": game.name,
        "machine": {"cores": os.cpu_count(), "processor": _processor(), "python": platform.python_version()},
        "command": f"olb bench --game {game.name} --batch {options.batch} --seconds {options.seconds:g}",
        "bytes_per_game": game.dtype.itemsize,
        "many_games": many,
        "decisions_per_second": figures,
    }
    if options.json != "-":
        _print_table(result)
    if options.json:
        _write_json(options.json, result)
    return 0


def measure(game: Game, players: int, rows: int, seconds: float) -> dict[str, Any]:
    """The three figures for a number of players."""
    nothing = np.zeros((0, game.observation.size), np.float32)
    observations = np.zeros((rows, game.observation.size), np.float32)
    return {
        "players": players,
        "rules": _random_play(game, players, rows, seconds, nothing),
        "with_observation_and_mask": _random_play(game, players, rows, seconds, observations),
        "pettingzoo_env": _environment(game, players, seconds),
    }


def _random_play(game: Game, players: int, rows: int, seconds: float, observations: Any) -> float:
    """(a) and (b): a batch of games at random, new deals included; (b) writes observations and masks as well."""
    setup = game.configure(num_players=players)
    states, seeds, chances = game.new_states(rows), np.arange(rows), np.arange(rows, dtype=np.uint64)
    masks = np.zeros((observations.shape[0], len(game.actions)), np.int8)
    batch.deal_rows(states, setup, seeds)

    def play() -> int:
        decisions, _ = batch.play_random(states, setup, seeds, chances, STEPS, observations, masks)
        return int(decisions)

    for _ in range(3):
        play()  # games come out of step with each other, as they are in use
    return _rate(play, seconds)


def _environment(game: Game, players: int, seconds: float) -> float:
    """(c): a game after the other through the PettingZoo environment, as a user's loop plays it."""
    env = pettingzoo.make("aec", f"olb_env/{game.name}-v{game.version}", num_players=players)
    chance = np.random.default_rng(0)
    count = 0

    def play() -> int:
        nonlocal count
        env.reset(seed=count)
        count += 1
        decisions = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else int(chance.choice(np.flatnonzero(observation["action_mask"]))))
            decisions += not over
        return decisions

    play()
    return _rate(play, seconds)


def _rate(play: Callable[[], int], seconds: float) -> float:
    began = time.perf_counter()
    decisions, elapsed = 0, 0.0
    while elapsed < seconds:
        decisions += play()
        elapsed = time.perf_counter() - began
    return decisions / elapsed


def measure_many(game: Game) -> dict[str, Any]:
    """A hundred thousand games in memory, dealt and played a little."""
    setup = game.configure()
    began = time.perf_counter()
    states, seeds = game.new_states(MANY_GAMES), np.arange(MANY_GAMES)
    actions, legal = np.zeros(MANY_GAMES, np.int64), np.zeros(MANY_GAMES, np.bool_)
    batch.deal_rows(states, setup, seeds)
    batch.apply_rows(states, actions, legal)
    return {"games": MANY_GAMES, "megabytes": states.nbytes / 1e6, "seconds": time.perf_counter() - began}


@contextlib.contextmanager
def _one_core() -> Any:
    """Stay on one core while measuring, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _print_table(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    machine, many = result["machine"], result["many_games"]
    table = Table(title=f"{result['game']}: decisions per second on one of {machine['cores']} cores")
    for name in ("players", "(a) rules", "(b) with observation and mask", "(c) PettingZoo env"):
        table.add_column(name, justify="right")
    for row in result["decisions_per_second"]:
        rates = (row["rules"], row["with_observation_and_mask"], row["pettingzoo_env"])
        table.add_row(str(row["players"]), *(f"{rate:,.0f}" for rate in rates))
    console = Console()
    console.print(table)
    console.print(
        f"A game is {result['bytes_per_game']} bytes. {many['games']:,} games: {many['megabytes']:.0f} MB, "
        f"dealt and stepped in {many['seconds']:.2f} s."
    )
    console.print(f"{machine['processor']}, Python {machine['python']}; {result['command']}", highlight=False)


def _write_json(file: str, result: dict[str, Any]) -> None:
    text = json.dumps(result, indent=2) + "\n"
    if file == "-":
        sys.stdout.write(text)
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}; name another --json") from None
