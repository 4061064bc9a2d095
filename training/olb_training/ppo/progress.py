"""What a training run shows while it learns, and what it leaves behind at its end."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.live import Live
from rich.table import Table

from olb_env.core.console import plain_console
from olb_env.core.game import find
from olb_training.arena.console_report import format_estimate, print_report
from olb_training.arena.schedule import Plan
from olb_training.arena.statistics import Estimate
from olb_training.arena.tournament import Tournament
from olb_training.ppo.learner import Report
from olb_training.ppo.run import Run, plays, win_rate
from olb_training.ppo.settings import Settings

LINE_EVERY = 20.0  # seconds between lines where there is no terminal
FINAL_TIMES, EXPLOIT_TIMES = 1.5, 10  # the deals of an evaluation
FINAL_FIELD = ("planner", "greedy", "random")


class Display:
    """A table that changes where there is a terminal, else a line now and then."""

    def __init__(self, decisions: int, at_first: int) -> None:
        self._console = plain_console(stderr=True)
        self._live = Live(console=self._console, refresh_per_second=4, transient=True)
        self._began, self._said = time.monotonic(), 0.0
        self._goal, self._at_first = decisions, at_first

    @contextlib.contextmanager
    def shown(self) -> Iterator[Display]:
        """While it is there."""
        with self._live:
            yield self

    def tell(self, decisions: int, seconds: float, rates: dict[str, Estimate], more: dict[str, str]) -> None:
        """How far it is."""
        speed = max(1.0, (decisions - self._at_first) / (time.monotonic() - self._began))
        left = max(0, self._goal - decisions) / speed  # the last iteration may go beyond
        rows = {
            "elapsed, left": f"{_clock(seconds)}, {_clock(left)}",
            "decisions": f"{decisions:,}, {speed:,.0f}/s",
            **more,
            **{f"wins % against {name}": format_estimate(rate, 100) for name, rate in rates.items()},
        }
        if self._console.is_terminal:
            table = Table(show_header=False)
            for row in rows.items():
                table.add_row(*row)
            self._live.update(table)
        elif time.monotonic() - self._said >= LINE_EVERY:
            self._said = time.monotonic()
            self._console.print("; ".join(f"{name} {value}" for name, value in rows.items()), soft_wrap=True)


def show(training: Any, limit: float | None = None) -> bool:
    """Train with a live display; at the end draw the curve and play an arena. Answers whether the end was reached."""
    if not isinstance(training, Run):
        return _show_sb3(training)
    learner = training.learner
    with Display(learner.settings.decisions, learner.decisions).shown() as display:

        def tell(report: Report, seconds: float, rates: dict[str, Estimate]) -> None:
            display.tell(report.decisions, seconds, rates, _learning(asdict(report)))

        finished = training.train(tell, limit)
    training.close()
    draw_curve(training.folder)
    if learner.settings.exploit:
        tell_gain(training)
    elif finished:
        sizes = learner.settings.sizes()
        final_arena(training.folder, learner.settings, sorted({sizes[0], sizes[-1]}))
    return finished


def _show_sb3(training: Any) -> bool:
    with Display(training.settings.decisions, training.model.num_timesteps).shown() as display:

        def tell(decisions: int, rates: dict[str, Estimate], learned: dict[str, float]) -> None:
            more = {"opponent": training.opponent.name, **_learning(learned)}
            display.tell(decisions, training.seconds, rates, more)

        training.train(tell)
    draw_curve(training.folder)
    final_arena(training.folder, training.settings, [training.players])
    return True


def _learning(told: Mapping[str, Any]) -> dict[str, str]:
    """How it learns, for people."""
    return {
        "policy loss, value loss": f"{told['policy_loss']:.4f}, {told['value_loss']:.3f}",
        "entropy, divergence": f"{told['entropy']:.3f}, {told['divergence']:.4f}",
        "explained": f"{told['explained']:.2f}",
    }


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
        low, high = ([100 * rate[end] for rate in rates] for end in ("low", "high"))
        above.fill_between(minutes, low, high, alpha=0.2, color=f"C{number}")
        above.plot(minutes, [100 * rate["value"] for rate in rates], color=f"C{number}", label=f"against {name}")
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


def final_arena(folder: Path, settings: Settings, sizes: list[int]) -> None:
    """The newborn against the scripted players."""
    game, deals = find(settings.game), round(FINAL_TIMES * settings.deals)
    agent = f"policy:{folder / 'network.safetensors'}"
    others = [name for name in FINAL_FIELD if plays(name, game)]
    for players in sizes:
        field = (agent, *others, *[others[0]] * (players - 1 - len(others)))
        plan = Plan(game.name, field, players, deals, 1)
        tournament = Tournament(plan, workers=settings.workers)
        tournament.play()
        print_report(plan, tournament.tally.rows(deals), deals)


def tell_gain(training: Run) -> None:
    """How much more than its share an exploiter wins."""
    settings, game = training.learner.settings, training.learner.game
    players, deals = settings.sizes()[0], EXPLOIT_TIMES * settings.deals
    agent = f"policy:{training.folder / 'network.safetensors'}"
    rate = win_rate(game.name, agent, settings.exploit, players, deals, settings.workers)
    par = 100 / players
    plain_console().print(
        f"after {training.seconds / 60:.0f} minutes the best response wins {format_estimate(rate, 100)}% against "
        f"{settings.exploit} ({players} players, {deals:,} deals, all seats): "
        f"it gains {100 * rate.value - par:+.1f} points over {par:.0f}%",
    )
