"""`olb arena`: agents play each other on the same deals in all seats; every result has a confidence interval."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import math
import os
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from olb_env.commands.arguments import add_game_options, flag, game_options, seconds, whole
from olb_env.commands.arguments import seed as seed_argument
from olb_env.commands.olb import INTERRUPTED, UsageError
from olb_env.commands.output import check_writable, path_shown, write_json, write_text
from olb_env.core.checking import MOST_SHOWN, shortened, shown
from olb_env.core.console import plain_console
from olb_env.core.game import DEFAULT_GAME, Game
from olb_env.core.processes import MAX_WORKERS
from olb_env.playing.bot_starter import BotServerError
from olb_env.playing.hosted_bots import LONGEST_DECISION, MEMORY_LIMIT
from olb_training.arena import journal
from olb_training.arena.console_report import print_report
from olb_training.arena.schedule import Plan
from olb_training.arena.statistics import Row
from olb_training.arena.tournament import Tournament
from olb_training.arena.worker import check_agent, end_bots

HELP = "Let agents play each other on the same deals in all seats; report win rates, ratings and scores with intervals."
EXAMPLE = "olb arena --agents planner greedy random mcts:200 --players 4 --deals 250 --seed 1"
DEFAULT_DEALS, MAX_DEALS = 100, 10_000_000
LEAST_MEMORY, MOST_MEMORY = 512, 2**24  # megabytes; numpy and numba alone take some hundred
LONGEST_REASON = 1000  # characters of an error about agents, which may list many names


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options of `olb arena`; those of the plan have no defaults here, since --resume may provide them."""
    parser.add_argument("--agents", nargs="+", help="the players; a name may be repeated")
    parser.add_argument(
        "--players", type=int, choices=game.players, help=f"number of players in a game (default: {game.players[0]})"
    )
    parser.add_argument(
        "--deals",
        type=whole(2, MAX_DEALS),
        help=f"number of deals that every lineup plays in all seats (default: {DEFAULT_DEALS}, or as --until needs)",
    )
    parser.add_argument("--seed", type=seed_argument, help="seed of the deals (default: 0)")
    parser.add_argument(
        "--move-limit",
        type=seconds,
        metavar="SECONDS",
        help="forfeit the game after a slower decision "
        f"(default: no limit, or {LONGEST_DECISION:g} seconds for bots of your own)",
    )
    parser.add_argument(
        "--memory-limit",
        type=whole(LEAST_MEMORY, MOST_MEMORY),
        metavar="MB",
        help="memory that each bot of your own may use, with the processes that it starts; "
        f"it forfeits the game if it needs more (default: {MEMORY_LIMIT}, at least {LEAST_MEMORY})",
    )
    add_game_options(parser, game)
    parser.add_argument(
        "--until",
        type=points,
        metavar="POINTS",
        help="stop when all win rates are known to ± this many percentage points",
    )
    parser.add_argument(
        "--workers",
        type=whole(1, MAX_WORKERS),
        default=os.cpu_count() or 1,
        help="number of processes (default: all cores)",
    )
    parser.add_argument("--resume", metavar="FILE", help="save results here as they come, and continue the run in it")
    parser.add_argument("--records", metavar="FILE", help="write the records of the games here, one per line")
    parser.add_argument("--json", metavar="FILE", help="also write the results as JSON, - for standard output")
    parser.add_argument("--html", metavar="FILE", help="also write the results as a page with plots")


def points(text: str) -> float:
    """Return a number of percentage points."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.1 <= value <= 50:
        raise argparse.ArgumentTypeError(f"{shown(text)} given, expected points from 0.1 to 50")
    return value


def run(options: argparse.Namespace, game: Game) -> int:
    """Play and report; a run that is stopped reports what it has."""
    check_files(options)
    tournament = Tournament(
        plan=read_plan(options, game),
        workers=options.workers,
        journal=options.resume and Path(options.resume),
        records=options.records and Path(options.records),
    )
    try:
        code = _play(tournament)
    finally:
        end_bots()
    if not tournament.units_played:
        return code
    deals = max(1, tournament.complete_deals)
    rows = tournament.tally.rows(deals)
    error = write_files(options, tournament.plan, rows, deals)
    if options.json != "-":
        print_report(tournament.plan, rows, deals)
    if error is not None and not code:
        raise error
    return code


def write_files(options: argparse.Namespace, plan: Plan, rows: list[Row], deals: int) -> UsageError | None:
    """Write the reports that are asked for; return the first error, which leaves the other reports as they are."""
    first: UsageError | None = None
    if options.html:
        from olb_training.arena.html_report import render_report

        try:
            write_text(options.html, render_report(plan, rows, deals), "--html")
        except UsageError as error:
            first = error
    if options.json:
        try:
            write_json(options.json, {"plan": plan.settings(), "deals": deals, "rows": [asdict(row) for row in rows]})
        except UsageError as error:
            first = first or error
    return first


def check_files(options: argparse.Namespace) -> None:
    """Raise UsageError before anything is played if a file cannot be written, or if two options name the same."""
    if options.html and importlib.util.find_spec("matplotlib") is None:
        raise UsageError("--html needs matplotlib: pip install olb-env[train]")
    files: dict[Path, str] = {}
    for option in ("json", "html", "records", "resume"):
        file = getattr(options, option)
        if file is None or (file == "-" and option == "json"):
            continue
        if file == "-":
            raise UsageError(f"--{option} needs a file: only --json can go to standard output")
        check_writable(file, f"--{option}")
        other = files.setdefault(Path(file).resolve(), option)
        if other != option:
            raise UsageError(f"--{other} and --{option} name the same file, {path_shown(file)}: name two files")


def _play(tournament: Tournament) -> int:
    """Play with a progress bar, and return the exit code."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    plan, began = tournament.plan, time.perf_counter()
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=plain_console(stderr=True)) as progress:
        total = None if plan.until else plan.deals * len(plan.lineups()) * plan.players
        bar = progress.add_task("games", total=total)

        def show(games: int, expected: int | None) -> None:
            progress.update(bar, completed=games, total=None if expected is None else max(games, expected))

        tournament.on_progress = show
        try:
            tournament.play()
        except KeyboardInterrupt:
            reason, code = "interrupted", INTERRUPTED
        except BrokenProcessPool:
            reason, code = "worker processes die again and again (try fewer --workers); stopped", 2
        except BotServerError as error:
            reason, code = f"{error}; stopped", 2
        except journal.JournalError as error:
            raise UsageError(str(error)) from None
        except OSError as error:
            file = path_shown(str(error.filename or "the results"))
            reason, code = f"cannot write {file}: {error.strerror or error}; stopped", 2
        else:
            reason, code = "", 0
    if not code:
        seconds_taken = time.perf_counter() - began
        games = tournament.games_this_session
        rate = games / seconds_taken
        shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        print(f"{games:,} games in {seconds_taken:.1f} s, {shown} games/s", file=sys.stderr)
        return code
    game = "" if plan.game == DEFAULT_GAME else f" --game {plan.game}"
    records = f" --records {path_shown(str(tournament.records))}" if tournament.records else ""
    command = f"continue with olb arena{game} --resume {path_shown(str(tournament.journal))}{records}"
    advice = command if tournament.journal else "with --resume FILE a run can be continued"
    print(f"olb arena: {reason} after {tournament.complete_deals} deals; {advice}", file=sys.stderr)
    return code


def read_plan(options: argparse.Namespace, game: Game) -> Plan:
    """Return the plan of the options, or of the run to continue; a UsageError says why it cannot be played."""
    try:
        chosen = game_options(options, game)
        saved = journal.read_plan(Path(options.resume)) if options.resume else None
        plan = _new_plan(options, game, chosen) if saved is None else _saved_plan(options, game, chosen, saved)
        plan.setup()
        with contextlib.redirect_stdout(sys.stderr):
            for name in dict.fromkeys(plan.agents):
                _check_agent(name, plan)
    except (ValueError, BotServerError) as error:
        end_bots()
        raise UsageError(shortened(error, LONGEST_REASON)) from None
    return plan


def _check_agent(name: str, plan: Plan) -> None:
    """Load an agent; a ValueError says why that is not possible, without the middle of a long name."""
    try:
        check_agent(name, plan)
    except ValueError as error:
        text = str(error)
        for typed in (repr(name), name, name.partition(":")[2]):
            if len(typed) > MOST_SHOWN:
                text = text.replace(typed, shortened(typed))
        raise ValueError(text) from None


def _new_plan(options: argparse.Namespace, game: Game, chosen: dict[str, Any]) -> Plan:
    if options.agents is None:
        raise UsageError("no agents given: name them with --agents, as in --agents planner random")
    return Plan(
        game=game.name,
        agents=tuple(options.agents),
        players=options.players or game.players[0],
        deals=options.deals or (DEFAULT_DEALS if options.until is None else MAX_DEALS),
        seed=options.seed or 0,
        options=chosen,
        move_limit=options.move_limit,
        memory_limit=options.memory_limit or MEMORY_LIMIT,
        until=options.until and options.until / 100,
    )


def _saved_plan(options: argparse.Namespace, game: Game, chosen: dict[str, Any], saved: Plan) -> Plan:
    """Return the saved plan, with new --deals or --until if they are given; other options must agree with it."""
    given = {
        "game": game.name,
        "agents": options.agents and tuple(options.agents),
        "players": options.players,
        "seed": options.seed,
        "move_limit": options.move_limit,
        "memory_limit": options.memory_limit,
    }
    for name, value in given.items():
        if value is not None and value != getattr(saved, name):
            raise UsageError(
                f"{path_shown(options.resume)} holds a tournament with another {flag(name)} "
                f"({shown(getattr(saved, name))}, not {shown(value)}): name another --resume file"
            )
    for name, value in chosen.items():
        if saved.options.get(name, game.rules.options[name]) != value:
            raise UsageError(
                f"{path_shown(options.resume)} holds a tournament with another {flag(name)}: name another --resume file"
            )
    until = options.until / 100 if options.until else saved.until
    return replace(saved, deals=options.deals or saved.deals, until=until)
