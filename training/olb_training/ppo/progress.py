"""The progress of a run while it trains: a live table in a terminal, otherwise a log line from time to time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.live import Live
from rich.table import Table

from olb_env.core.console import plain_console
from olb_training.arena.console_report import format_share
from olb_training.ppo.run import Run
from olb_training.ppo.win_rates import evaluation_label

if TYPE_CHECKING:  # stable-baselines3 is imported only where it trains
    from olb_training.ppo.sb3_run import Sb3Run

LINE_INTERVAL = 20.0  # seconds between two lines where there is no terminal


class ProgressDisplay:
    """The display of one session of a run."""

    def __init__(self, run: Run | Sb3Run) -> None:
        self._run = run
        self._console = plain_console(stderr=True)
        self._live = Live(console=self._console, refresh_per_second=4, transient=True)
        self._began, self._first_timestep = time.monotonic(), run.timesteps
        self._last_line = -LINE_INTERVAL

    def train(self, limit: float | None = None) -> bool:
        """Train with the display shown; return whether the end was reached."""
        with self._live:
            return self._run.train(self.update, limit)

    def update(self, metrics: Mapping[str, Any]) -> None:
        """Show the metrics of an iteration."""
        rows = self._rows(metrics)
        if self._console.is_terminal:
            table = Table(show_header=False)
            for row in rows.items():
                table.add_row(*row)
            self._live.update(table)
        elif time.monotonic() - self._last_line >= LINE_INTERVAL:
            self._last_line = time.monotonic()
            self._console.print("; ".join(f"{name} {value}" for name, value in rows.items()), soft_wrap=True)

    def _rows(self, metrics: Mapping[str, Any]) -> dict[str, str]:
        run, timesteps = self._run, metrics["timesteps"]
        sps = max(1.0, (timesteps - self._first_timestep) / (time.monotonic() - self._began))
        left = max(0, run.settings.total_timesteps - timesteps) / sps  # the last iteration may go beyond
        opponent = {"opponent": metrics["opponent"]} if "opponent" in metrics else {}
        return {
            "elapsed, left": f"{_clock(run.seconds)}, {_clock(left)}",
            "timesteps": f"{timesteps:,}, {sps:,.0f}/s",
            **opponent,
            "policy loss, value loss": f"{metrics['policy_loss']:.4f}, {metrics['value_loss']:.3f}",
            "entropy, approx. KL": f"{metrics['entropy']:.3f}, {metrics['approx_kl']:.4f}",
            "explained variance": f"{metrics['explained_variance']:.2f}",
            **{f"wins % {evaluation_label(name)}": format_share(rate) for name, rate in run.win_rates.items()},
        }


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
