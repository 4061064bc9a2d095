"""What a training run shows while it learns, and what it leaves behind at its end."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from training.arena.schedule import Plan
from training.arena.statistics import Estimate
from training.arena.table import cell, print_tables
from training.arena.tournament import Tournament
from training.learning.learner import Report
from training.learning.run import Run

LINE_EVERY = 20.0  # seconds between lines where there is no terminal
FINAL_DEALS = 150


def show(training: Run, limit: float | None = None) -> bool:
    """Train with a live display; at the end draw the curve and play an arena. Answers whether the end was reached."""
    console = Console(stderr=True)
    began, at_first = time.monotonic(), training.learner.decisions
    said = 0.0
    with Live(console=console, refresh_per_second=4, transient=True) as live:

        def tell(report: Report, seconds: float, rates: dict[str, Estimate]) -> None:
            nonlocal said
            speed = (report.decisions - at_first) / (time.monotonic() - began)
            left = (training.learner.settings.decisions - report.decisions) / speed
            if console.is_terminal:
                live.update(_display(report, seconds, left, speed, rates))
            elif time.monotonic() - said >= LINE_EVERY:
                said = time.monotonic()
                wins = ", ".join(f"{name} {cell(rate, 100)}" for name, rate in rates.items())
                console.print(
                    f"{_clock(seconds)} of {_clock(seconds + left)}, {report.decisions:,} decisions, {speed:,.0f}/s, "
                    f"entropy {report.entropy:.2f}, value loss {report.value_loss:.3f}; wins %: {wins or 'not yet'}",
                    highlight=False,
                    soft_wrap=True,
                )

        finished = training.train(tell, limit)
    draw_curve(training.folder)
    if finished:
        final_arena(training)
    return finished


def _display(report: Report, seconds: float, left: float, speed: float, rates: dict[str, Estimate]) -> Table:
    table = Table(title=f"iteration {report.iteration:,}", title_justify="left", show_header=False)
    rows = [
        ("elapsed, left", f"{_clock(seconds)}, {_clock(left)}"),
        ("decisions", f"{report.decisions:,}, {speed:,.0f}/s"),
        ("policy loss, value loss", f"{report.policy_loss:.4f}, {report.value_loss:.3f}"),
        ("entropy, divergence", f"{report.entropy:.3f}, {report.divergence:.4f}"),
        ("explained", f"{report.explained:.2f}"),
        *((f"wins % against {name}", cell(rate, 100)) for name, rate in rates.items()),
    ]
    for row in rows:
        table.add_row(*row)
    return table


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """What the run wrote down, an entry for each iteration."""
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def draw_curve(folder: Path) -> None:
    """A picture of how it learned: win rates, entropy and what was explained."""
    from matplotlib.figure import Figure

    metrics = read_metrics(folder)
    measured = [entry for entry in metrics if "rates" in entry]
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for number, name in enumerate(measured[-1]["rates"] if measured else []):
        minutes = [entry["seconds"] / 60 for entry in measured]
        rates = [entry["rates"][name] for entry in measured]
        colour = f"C{number}"
        above.fill_between(
            minutes,
            [100 * rate["low"] for rate in rates],
            [100 * rate["high"] for rate in rates],
            alpha=0.2,
            color=colour,
        )
        above.plot(minutes, [100 * rate["value"] for rate in rates], color=colour, label=f"against {name}")
    above.set_ylabel("games won, %")
    above.set_ylim(0, 101)
    above.grid(alpha=0.3)
    if measured:
        above.legend(frameon=False)
    minutes = [entry["seconds"] / 60 for entry in metrics]
    below.plot(minutes, [entry["entropy"] for entry in metrics], label="entropy")
    below.plot(minutes, [entry["explained"] for entry in metrics], label="explained variance")
    below.set_xlabel("minutes")
    below.grid(alpha=0.3)
    below.legend(frameon=False)
    figure.savefig(folder / "curve.png", dpi=110)


def final_arena(training: Run) -> None:
    """The newborn against the scripted players, at the smallest table and at the largest."""
    game, agent = training.learner.hall.game, f"policy:{training.folder / 'network.safetensors'}"
    for players in (game.players[0], game.players[-1]):
        plan = Plan(game.name, (agent, "planner", "greedy", "random"), players, FINAL_DEALS, 1)
        tournament = Tournament(plan, workers=training.learner.settings.threads)
        tournament.play()
        print_tables(plan, tournament.tally.rows(FINAL_DEALS), FINAL_DEALS)
