"""`olb bench`: measure decisions per second on one core of this machine."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import platform
import shlex
import time
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from olb_env.benchmarks import MEASUREMENTS, PGX_BATCH, connect_four, one_core, pgx_connect_four
from olb_env.commands.arguments import add_game_options, flag, game_options, typed_texts, whole
from olb_env.commands.arguments import seconds as seconds_argument
from olb_env.commands.olb import UsageError
from olb_env.commands.output import check_not_read, check_writable, write_json
from olb_env.core import batch
from olb_env.core.console import plain_console
from olb_env.core.game import Game

HELP = "Measure decisions per second on one core: rules alone, with observations, and through every interface."
EXAMPLE = "olb bench --players 4 --seconds 3 --peer --json bench.json"
MANY_GAMES = 100_000
BATCH, MAX_BATCH = 512, 100_000  # at most, games and observations take a few gigabytes


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options of `olb bench`."""
    counts = [str(count) for count in game.players]
    parser.add_argument(
        "--players", choices=[*counts, "all"], default="all", help=f"{', '.join(counts)} or all (default: all)"
    )
    parser.add_argument(
        "--batch", type=whole(1, MAX_BATCH), default=BATCH, help=f"number of games in a batch (default: {BATCH})"
    )
    parser.add_argument("--seconds", type=seconds_argument, default=3.0, help="time for each figure (default: 3)")
    add_game_options(parser, game)
    parser.add_argument(
        "--peer",
        action="store_true",
        help="for comparison, also measure connect_four of PettingZoo (needs pygame) and of Pgx (if installed)",
    )
    parser.add_argument(
        "--train",
        action="store_true",
        help="measure training instead, by the default settings (needs torch)",
    )
    parser.add_argument("--json", metavar="FILE", help="also write the figures as JSON, - for standard output")


def run(options: argparse.Namespace, game: Game) -> int:
    """Measure, print the figures, and write them as JSON if asked to."""
    try:
        chosen = game_options(options, game)
        game.rules.configure(**chosen)
    except ValueError as error:
        raise UsageError(str(error)) from None
    check_writable(options.json, "--json")
    check_not_read(options.json, "--json", typed_texts(options, game).values())
    if options.train:
        if options.players != "all" or options.batch != BATCH or options.peer or chosen:
            raise UsageError("--train measures training as a whole: leave out all but --game, --seconds and --json")
        return _measure_training(options, game)
    players = game.players if options.players == "all" else (int(options.players),)
    if options.peer and importlib.util.find_spec("pygame") is None:
        raise UsageError("--peer needs pygame, which connect_four_v3 imports: pip install pygame")
    with one_core():
        figures = [measure(game, count, options.batch, options.seconds, chosen) for count in players]
        peer = connect_four(options.seconds) if options.peer else None
        compiled_peer = pgx_connect_four(options.seconds) if options.peer else None
        many = measure_many(game, chosen)
    result = {
        "game": game.name,
        "machine": {"cores": os.cpu_count(), "processor": _processor(), "python": platform.python_version()},
        "command": f"olb bench --game {game.name} --players {options.players} --batch {options.batch} "
        f"--seconds {options.seconds:g}{' --peer' if options.peer else ''}{_typed_options(options, game)}",
        "bytes_per_game": game.rules.dtype.itemsize,
        "many_games": many,
        "decisions_per_second": figures,
        "connect_four_v3": peer,
        "pgx_connect_four": compiled_peer,
    }
    if options.json != "-":
        _print_report(result)
    if options.json is not None:
        write_json(options.json, result)
    return 0


def _typed_options(options: argparse.Namespace, game: Game) -> str:
    """Return the options of the game as the user typed them."""
    return "".join(f" {flag(option)} {shlex.quote(text)}" for option, text in typed_texts(options, game).items())


def _measure_training(options: argparse.Namespace, game: Game) -> int:
    """Measure training with the function that the training package registers as an entry point."""
    (entry_point,) = metadata.entry_points(group="olb_env.benches", name="train")
    try:
        measured = entry_point.load()(game, options.seconds)
    except ImportError as error:
        raise UsageError(f"--train needs the packages for training ({error}): pip install olb-env[train]") from None
    if options.json != "-":
        for name, rate in measured["decisions_per_second"].items():
            print(f"{name}: {rate:,.0f} decisions/s")
        for name, ratio in measured["speedups"].items():
            print(f"{name}: {ratio:.1f} times as fast")
    if options.json is not None:
        write_json(options.json, {"game": game.name, **measured})
    return 0


def measure(game: Game, players: int, rows: int, seconds: float, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all figures for a number of players.

    Where opponents play inside an interface, a second key has the decisions of all players.
    """
    figures: dict[str, Any] = {"players": players}
    for figure in MEASUREMENTS:
        rate = figure.measure(game, players, rows, seconds, options)
        if rate is None:
            figures[figure.key] = None
            continue
        figures[figure.key] = rate.own
        if rate.all != rate.own:
            figures[f"{figure.key}_all_players"] = rate.all
    return figures


def measure_many(game: Game, options: Mapping[str, Any]) -> dict[str, Any]:
    """Measure how long it takes to deal many games and make one random move in each, and how much memory they use."""
    setup = game.rules.configure(**options)
    unseen = np.zeros((0, game.observation.size), np.float32), np.zeros((0, len(game.actions)), np.int8)
    began = time.perf_counter()
    states, seeds = game.new_states(MANY_GAMES), np.arange(MANY_GAMES)
    batch.deal_rows(states, setup, seeds)
    batch.play_random(states, setup, seeds, seeds.astype(np.uint64), 1, *unseen)
    return {"games": MANY_GAMES, "megabytes": states.nbytes / 1e6, "seconds": time.perf_counter() - began}


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _print_report(result: dict[str, Any]) -> None:
    from rich.table import Table

    machine, many, columns = result["machine"], result["many_games"], result["decisions_per_second"]
    table = Table(title=f"{result['game']}: decisions per second on one of {machine['cores']} cores")
    table.add_column("")
    for column in columns:
        table.add_column(f"{column['players']} players", justify="right")
    for figure in MEASUREMENTS:
        table.add_row(figure.label, *(_cell(column[figure.key]) for column in columns))
        if any(f"{figure.key}_all_players" in column for column in columns):
            cells = (_cell(column.get(f"{figure.key}_all_players")) for column in columns)
            table.add_row("    opponents' decisions included", *cells)
    console = plain_console()
    console.print(table)
    if result["connect_four_v3"] is not None:
        console.print(f"PettingZoo's connect_four_v3 in the same loop as (c): {result['connect_four_v3']:,.0f}")
        rate = _cell(result["pgx_connect_four"])
        console.print(f"Pgx's connect_four, batch of {PGX_BATCH}, with observation and mask: {rate}")
    console.print(
        f"A game is {result['bytes_per_game']} bytes. {many['games']:,} games: {many['megabytes']:.0f} MB, "
        f"dealt and stepped in {many['seconds']:.2f} s."
    )
    console.print(f"{machine['processor']}, Python {machine['python']}; {result['command']}")


def _cell(rate: float | None) -> str:
    return "not installed" if rate is None else f"{rate:,.0f}"
