"""`olb arena`: agents play each other on the same deals in all seats, and the table says how sure its numbers are."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Generator
from dataclasses import asdict

from olb_env.commands.arguments import seconds, whole
from olb_env.commands.olb import INTERRUPTED, UsageError
from olb_env.commands.output import write_json
from olb_env.commands.workers import MOST_WORKERS, in_order
from olb_env.core.game import Game
from olb_env.playing import make_agent
from training.arena.playing import Played, play_units
from training.arena.schedule import Plan, units
from training.arena.statistics import Estimate, Row, summarise

HELP = "Let agents play each other on the same deals in all seats; win rates, money and ranks, and how sure they are."
EXAMPLE = "olb arena --agents planner greedy random mcts:200 --players 4 --deals 250 --seed 1"
GAMES_A_TASK = 64


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """The options of `olb arena`."""
    parser.add_argument("--agents", nargs="+", required=True, help="who plays; a name may be repeated")
    parser.add_argument("--players", type=int, choices=game.players, default=game.players[0], help="at a table")
    parser.add_argument(
        "--deals", type=whole(2, 10_000_000), default=100, help="each played by every lineup in all seats"
    )
    parser.add_argument("--seed", type=whole(0, 2**53 - 1), default=0, help="of the deals (default: 0)")
    parser.add_argument(
        "--workers", type=whole(1, MOST_WORKERS), default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument("--move-limit", type=seconds, metavar="SECONDS", help="a slower decision forfeits the game")
    for name, text in game.command_options.items():
        parser.add_argument(f"--{name}", help=text)
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too, - for standard output")


def run(options: argparse.Namespace, game: Game) -> int:
    """Play and tell; an interrupted run tells what there is."""
    plan = read_plan(options, game)
    played: list[Played] = []
    code = 0
    try:
        with contextlib.closing(_play(plan, options.workers)) as results:
            for some in results:
                played += some
    except KeyboardInterrupt:
        code = INTERRUPTED
        whole_deals = len(played) // len(plan.lineups())
        print(f"olb arena: interrupted after {whole_deals} of {plan.deals} deals", file=sys.stderr)
        played = played[: whole_deals * len(plan.lineups())]
        if whole_deals < 2:
            return code
    rows = summarise(plan, played)
    if options.json != "-":
        print_table(plan, rows)
    if options.json:
        write_json(options.json, {"plan": plan.settings(), "rows": [asdict(row) for row in rows]})
    return code


def read_plan(options: argparse.Namespace, game: Game) -> Plan:
    """What the options ask for, if it can be done."""
    given = {name: getattr(options, name) for name in game.command_options}
    try:
        chosen = {name: game.parse_option(name, text) for name, text in given.items() if text is not None}
        plan = Plan(
            game.name, tuple(options.agents), options.players, options.deals, options.seed, chosen, options.move_limit
        )
        plan.setup()
        for name in plan.agents:
            make_agent(name)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return plan


def _play(plan: Plan, workers: int) -> Generator[list[Played], None, None]:
    """All units in their order, a task's worth at a time, whoever plays them."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    todo = units(plan)
    size = max(1, GAMES_A_TASK // plan.players)
    tasks = [todo[first : first + size] for first in range(0, len(todo), size)]
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with (
        contextlib.closing(in_order(functools.partial(play_units, plan), tasks, workers)) as results,
        Progress(*columns, console=Console(stderr=True)) as progress,
    ):
        bar = progress.add_task("games", total=len(todo) * plan.players)
        for some in results:
            progress.advance(bar, len(some) * plan.players)
            yield some


def print_table(plan: Plan, rows: list[Row]) -> None:
    """For people."""
    from rich.console import Console
    from rich.table import Table

    score = plan.rules().score
    table = Table(
        title=f"{plan.game}, {plan.players} players, {plan.deals} deals, all seats; par is {100 / plan.players:.0f}%"
    )
    table.add_column("agent")
    for name in ("games", "wins %", score, "rank", "ms/decision", "forfeits"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row.agent,
            f"{row.games:,}",
            _cell(row.win_rate, 100),
            _cell(row.score, 1),
            _cell(row.rank, 1, 2),
            f"{row.milliseconds:.3g}",
            str(row.faults),
        )
    console = Console()
    console.print(table)
    console.print("± is the wider side of the 95% interval, bootstrapped over deals.")
    for row in rows:
        if row.first_fault is not None:
            console.print(f"{row.agent} forfeited {row.faults} games: {row.first_fault}", highlight=False)


def _cell(estimate: Estimate, unit: float, digits: int = 1) -> str:
    return f"{unit * estimate.value:.{digits}f} ± {unit * estimate.half_width:.{digits}f}"
