"""The metrics of a run: one JSON object per iteration, a line each, in `metrics.jsonl` in its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from olb_env.core.files import write_atomically

METRICS_FILE = "metrics.jsonl"


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
    """Return the entries of a run, one per iteration."""
    lines = (folder / METRICS_FILE).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def truncate_metrics(folder: Path, last_iteration: int) -> None:
    """Drop the entries after an iteration, since later iterations are repeated, and everything from a torn line on."""
    file, kept = folder / METRICS_FILE, []
    for line in file.read_bytes().splitlines(keepends=True) if file.exists() else []:
        try:
            iteration = json.loads(line)["iteration"]
        except (ValueError, KeyError, TypeError):
            break
        if iteration > last_iteration or not line.endswith(b"\n"):
            break
        kept.append(line)
    write_atomically(file, b"".join(kept))
