"""The metrics of a run: one JSON object per iteration, a line each, in `metrics.jsonl` in its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from olb_env.core.checking import is_int
from olb_env.core.files import write_atomically

METRICS_FILE = "metrics.jsonl"
READ = ("iteration", "timesteps", "seconds", "entropy", "explained_variance")  # what a curve is drawn from
ENDS = ("value", "low", "high")  # of a win rate
MOST_BYTES = 4_000_000  # of a line
MOST_NUMBER = 10**15


@dataclass(frozen=True)
class IterationMetrics:
    """What the learner measures in an iteration; losses are means over all minibatches."""

    iteration: int
    timesteps: int  # decisions of all seats since training began
    games: int  # that ended in this iteration
    policy_loss: float  # the clipped surrogate, without the entropy bonus; of imitation, the cross-entropy
    value_loss: float
    entropy: float
    approx_kl: float
    clip_fraction: float
    explained_variance: float
    learning_rate: float
    opponent_utilities: dict[str, float]  # running mean of the learner's utility against each of `opponents`


def append_metrics(folder: Path, entry: Mapping[str, Any]) -> None:
    """Add a line, on disk when this returns: no checkpoint is newer than the metrics."""
    with (folder / METRICS_FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """Return the entries of a run, one per iteration; lines that are damaged are left out."""
    return [entry for _, entry in _entries(folder / METRICS_FILE)]


def truncate_metrics(folder: Path, last_iteration: int) -> None:
    """Drop the entries after an iteration, since later iterations are repeated, and lines that are damaged."""
    file = folder / METRICS_FILE
    found = _entries(file) if file.exists() else ()
    write_atomically(file, b"".join(line for line, entry in found if entry["iteration"] <= last_iteration))


def _entries(file: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield every line that is whole, with its entry; iterations count upwards."""
    last = 0
    with file.open("rb") as lines:
        while line := lines.readline(MOST_BYTES):
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if line.endswith(b"\n") and _is_entry(entry) and entry["iteration"] > last:
                last = entry["iteration"]
                yield line, entry


def _is_entry(entry: Any) -> bool:
    """Return whether something has what the readers of metrics need."""
    if not isinstance(entry, dict) or not all(_is_number(entry.get(name)) for name in READ):
        return False
    rates = entry.get("win_rates", {})
    return (
        isinstance(rates, dict)
        and is_int(entry["iteration"])
        and all(isinstance(rate, dict) and all(_is_number(rate.get(end)) for end in ENDS) for rate in rates.values())
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (is_int(value) and abs(value) < MOST_NUMBER)
