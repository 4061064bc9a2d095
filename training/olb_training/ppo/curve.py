"""The learning curve of a run as a picture: win rates above, entropy and explained variance below."""

from __future__ import annotations

import io
from pathlib import Path

from olb_env.core.files import write_atomically
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
        shown = [entry for entry in evaluated if name in entry["win_rates"]]
        minutes = [entry["seconds"] / 60 for entry in shown]
        rates = [entry["win_rates"][name] for entry in shown]
        label = evaluation_label(name).replace("$", r"\$")  # which would begin a formula
        low, high = ([100 * rate[end] for rate in rates] for end in ("low", "high"))
        above.fill_between(minutes, low, high, alpha=0.2, color=f"C{number}")
        above.plot(minutes, [100 * rate["value"] for rate in rates], color=f"C{number}", label=label)
    above.set_ylabel("games won, %")
    above.set_ylim(0, 101)
    above.grid(alpha=0.3)
    if above.get_legend_handles_labels()[0]:
        above.legend(frameon=False)
    minutes = [entry["seconds"] / 60 for entry in metrics]
    below.plot(minutes, [entry["entropy"] for entry in metrics], label="entropy")
    below.plot(minutes, [entry["explained_variance"] for entry in metrics], label="explained variance")
    below.set_xlabel("minutes")
    below.grid(alpha=0.3)
    below.legend(frameon=False)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=110, format="png")
    write_atomically(folder / CURVE_FILE, picture.getvalue())
