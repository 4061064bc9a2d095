"""`olb arena`: agents play each other on the same deals in all seats, and the table says how sure its numbers are."""

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

from olb_env.commands.arguments import add_game_options, game_options, seconds, typed, whole
from olb_env.commands.olb import INTERRUPTED, UsageError
from olb_env.commands.output import cannot_write, check_writable, write_json, write_text
from olb_env.core.console import plain_console
from olb_env.core.game import DEFAULT_GAME, Game
from olb_env.core.processes import MOST_WORKERS
from olb_env.playing import agent_for
from olb_training.arena import journal
from olb_training.arena.console_report import print_tables
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament

HELP = "Let agents play each other on the same deals in all seats; win rates, ratings, scores, and how sure they are."
EXAMPLE = "olb arena --agents planner greedy random mcts:200 --players 4 --deals 250 --seed 1"
DEFAULT_DEALS, ANY_NUMBER_OF_DEALS = 100, 10_000_000


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """The options of `olb arena`. What a plan is made of has no default here: a file to go on with may have it."""
    parser.add_argument("--agents", nargs="+", help="who plays; a name may be repeated")
    parser.add_argument("--players", type=int, choices=game.players, help=f"at a table (default: {game.players[0]})")
    parser.add_argument(
        "--deals",
        type=whole(2, ANY_NUMBER_OF_DEALS),
        help=f"each played by every lineup in all seats (default: {DEFAULT_DEALS}, or what --until needs)",
    )
    parser.add_argument("--seed", type=whole(0, 2**53 - 1), help="of the deals (default: 0)")
    parser.add_argument("--move-limit", type=seconds, metavar="SECONDS", help="a slower decision forfeits the game")
    add_game_options(parser, game)
    parser.add_argument(
        "--until", type=points, metavar="POINTS", help="stop when all win rates are sure to so many points of 100"
    )
    parser.add_argument(
        "--workers", type=whole(1, MOST_WORKERS), default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument("--resume", metavar="FILE", help="keep what is played here, and go on with what is there")
    parser.add_argument("--records", metavar="FILE", help="write the games here, one record a line")
    parser.add_argument("--json", metavar="FILE", help="write the tables as JSON too, - for standard output")
    parser.add_argument("--html", metavar="FILE", help="write a page with the tables and plots of them")


def points(text: str) -> float:
    """Of a hundred."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.1 <= value <= 50:
        raise argparse.ArgumentTypeError(f"{text!r} given, expected points from 0.1 to 50")
    return value


def run(options: argparse.Namespace, game: Game) -> int:
    """Play and tell; a run that is stopped tells what there is."""
    if importlib.util.find_spec("choix") is None:
        raise UsageError("ratings need choix: pip install olb-env[train]")
    check_files(options)
    tournament = Tournament(
        plan=read_plan(options, game),
        workers=options.workers,
        journal=options.resume and Path(options.resume),
        records=options.records and Path(options.records),
    )
    code = _play(tournament)
    if not tournament.units_played:
        return code
    deals = max(1, tournament.whole_deals)
    rows = tournament.tally.rows(deals)
    if options.html:
        from olb_training.arena.html_report import page

        write_text(options.html, page(tournament.plan, rows, deals), "--html")
    if options.json:
        result = {"plan": tournament.plan.settings(), "deals": deals, "rows": [asdict(row) for row in rows]}
        write_json(options.json, result)
    if options.json != "-":
        print_tables(tournament.plan, rows, deals)
    return code


def check_files(options: argparse.Namespace) -> None:
    """Say before anything is played that a file cannot be written, or that two are the same."""
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
            raise UsageError(f"--{other} and --{option} name the same file, {file}: name two")


def _play(tournament: Tournament) -> int:
    """Play with a bar that shows how far it is; answers the exit code."""
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
        tournament.heard = lambda games, expected: progress.update(
            bar, completed=games, **({} if expected is None else {"total": max(games, expected)})
        )
        try:
            tournament.play()
        except KeyboardInterrupt:
            why, code = "interrupted", INTERRUPTED
        except BrokenProcessPool:
            why, code = "a worker process died (try fewer --workers); stopped", 2
        except journal.JournalError as error:
            raise UsageError(str(error)) from None
        except OSError as error:
            why, code = f"{cannot_write(str(error.filename or 'what was played'), error, 'file')}; stopped", 2
        else:
            why, code = "", 0
    if not code:
        seconds_taken = time.perf_counter() - began
        games = tournament.games_now
        print(f"{games:,} games in {seconds_taken:.1f} s, {games / seconds_taken:,.0f} games/s", file=sys.stderr)
        return code
    file = tournament.journal
    game = "" if plan.game == DEFAULT_GAME else f" --game {plan.game}"
    records = f" --records {tournament.records}" if tournament.records else ""
    again = f"olb arena{game} --resume {file}{records} goes on"
    how = again if file else "a run with --resume FILE can be gone on with"
    print(f"olb arena: {why} after {tournament.whole_deals} deals; {how}", file=sys.stderr)
    return code


def read_plan(options: argparse.Namespace, game: Game) -> Plan:
    """What the options ask for, or the file that is gone on with, if it can be done."""
    try:
        chosen = game_options(options, game)
        begun = journal.read_plan(Path(options.resume)) if options.resume else None
        plan = _new_plan(options, game, chosen) if begun is None else _same_plan(options, game, chosen, begun)
        plan.setup()
        with contextlib.redirect_stdout(sys.stderr):
            for name in dict.fromkeys(plan.agents):
                agent_for(name, game)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return plan


def _new_plan(options: argparse.Namespace, game: Game, chosen: dict[str, Any]) -> Plan:
    if options.agents is None:
        raise UsageError("who plays? Name them with --agents, as in --agents planner random")
    return Plan(
        game=game.name,
        agents=tuple(options.agents),
        players=options.players or game.players[0],
        deals=options.deals or (DEFAULT_DEALS if options.until is None else ANY_NUMBER_OF_DEALS),
        seed=options.seed or 0,
        options=chosen,
        move_limit=options.move_limit,
        until=options.until and options.until / 100,
    )


def _same_plan(options: argparse.Namespace, game: Game, chosen: dict[str, Any], begun: Plan) -> Plan:
    """The plan of the file; what is said anew must be the same, but for how long it goes on."""
    given = {
        "game": game.name,
        "agents": options.agents and tuple(options.agents),
        "players": options.players,
        "seed": options.seed,
        "move_limit": options.move_limit,
    }
    for name, value in given.items():
        if value is not None and value != getattr(begun, name):
            raise UsageError(
                f"{options.resume} holds a tournament with another {typed(name)} "
                f"({getattr(begun, name)}, not {value}): name another --resume file"
            )
    for name, value in chosen.items():
        if begun.options.get(name, game.rules.options[name]) != value:
            raise UsageError(
                f"{options.resume} holds a tournament with another {typed(name)}: name another --resume file"
            )
    until = options.until / 100 if options.until else begun.until
    return replace(begun, deals=options.deals or begun.deals, until=until)
