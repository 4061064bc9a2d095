"""The learning curve of a run as a picture: win rates above, entropy and explained variance below."""

from __future__ import annotations

from pathlib import Path

from olb_training.ppo.metrics import read_metrics
from olb_training.ppo.win_rates import evaluation_label

CURVE_FILE = "curve.png"


def draw_curve(folder: Path) -> None:
    """Draw the metrics of a run over its minutes, into `curve.png` in its folder."""
    from matplotlib.figure import Figure

    metrics = read_metrics(folder)
    evaluated = [entry for entry in metrics if "win_rates" in entry]
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for number, name in enumerate(evaluated[-1]["win_rates"] if evaluated else []):
        minutes = [entry["seconds"] / 60 for entry in evaluated]
        rates = [entry["win_rates"][name] for entry in evaluated]
        low, high = ([100 * rate[end] for rate in rates] for end in ("low", "high"))
        above.fill_between(minutes, low, high, alpha=0.2, color=f"C{number}")
        above.plot(minutes, [100 * rate["value"] for rate in rates], color=f"C{number}", label=evaluation_label(name))
    above.set_ylabel("games won, %")
    above.set_ylim(0, 101)
    above.grid(alpha=0.3)
    if evaluated:
        above.legend(frameon=False)
    minutes = [entry["seconds"] / 60 for entry in metrics]
    below.plot(minutes, [entry["entropy"] for entry in metrics], label="entropy")
    below.plot(minutes, [entry["explained_variance"] for entry in metrics], label="explained variance")
    below.set_xlabel("minutes")
    below.grid(alpha=0.3)
    below.legend(frameon=False)
    figure.savefig(folder / CURVE_FILE, dpi=110)
