"""Small runs of training, for tests: pebbles, two sizes of table, a league, checkpoints at odd moments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from olb_training.ppo.settings import Settings
from tests.support.toy_game import PEBBLES

SMALL = Settings(
    game=PEBBLES.name, decisions=3000, hidden=(16, 16), tables=(12, 8), steps=10, minibatch=64, past=3,
    snapshot_every=2, agents=("random", "tests.support.some_agents:First"), workers=1, checkpoint_every=2,
    evaluate_every=6, deals=4,
)  # fmt: skip
TWO = replace(SMALL, workers=2)


def quiet(*_: Any) -> None:
    """Tells nobody."""


def finish(folder: Path) -> bytes:
    return (folder / "network.safetensors").read_bytes()
