"""Small training runs for tests: pebbles at two table sizes, opponents of both kinds, checkpoints at odd moments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from olb_training.ppo.settings import Settings
from tests.support.toy_game import PEBBLES

SMALL = Settings(
    game=PEBBLES.name, total_timesteps=3000, hidden_sizes=(16, 16), num_envs=(12, 8), num_steps=10, minibatch_size=64,
    pool_size=3, snapshot_interval=2, opponents=("random", "tests.support.some_agents:First"), workers=1,
    checkpoint_interval=2, eval_interval=6, eval_deals=4,
)  # fmt: skip
SHORT = replace(SMALL, total_timesteps=1000)  # five iterations
TWO_WORKERS = replace(SMALL, workers=2)
# The same as flags of `olb train`, for runs that end after a few iterations.
SMALL_FLAGS = (
    "--game", PEBBLES.name, "--total-timesteps", "1000", "--hidden-sizes", "16", "--num-steps", "10",
    "--minibatch-size", "64", "--workers", "1", "--checkpoint-interval", "2", "--eval-interval", "4",
    "--eval-deals", "2",
)  # fmt: skip
SMALL_PPO_FLAGS = (*SMALL_FLAGS, "--num-envs", "12", "8", "--opponents", "random", "--env-kwargs", "--teacher", "",
                   "--imitation-timesteps", "0")  # fmt: skip


def quiet(*_: Any) -> None:
    """Show nothing."""


def network_bytes(folder: Path) -> bytes:
    """Return the network of a run as its file holds it."""
    return (folder / "network.safetensors").read_bytes()
