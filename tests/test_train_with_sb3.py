"""Training with stable-baselines3: its network becomes one of ours, past selves join, a run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.network import load_network
from olb_env.commands.olb import main
from tests.toy_game import PEBBLES
from training.learning.settings import Settings
from training.learning.with_sb3 import Opponent, Sb3Run

SMALL = Settings(
    game=PEBBLES.name, decisions=1000, hidden=(16, 8), tables=(8, 4), steps=16, minibatch=64, past=2, snapshot_every=2,
    agents=("random", "tests.some_agents:First"), workers=1, checkpoint_every=3, evaluate_every=4,
)  # fmt: skip


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pebbles has no planner; evaluations and the arena at the end are short."""
    monkeypatch.setattr("training.learning.with_sb3.JUDGES", ("random",))
    monkeypatch.setattr("training.learning.with_sb3.EVALUATION_DEALS", 3)


def test_what_sb3_trained_is_a_network_of_ours(tmp_path: Path) -> None:
    run = Sb3Run.begin(tmp_path / "run", SMALL, 2)
    seen = np.random.default_rng(1).random((30, PEBBLES.observation.size), np.float32)
    preferences, _ = run.network()(seen)
    with torch.no_grad():
        expected = run.model.policy.get_distribution(torch.from_numpy(seen)).distribution.logits.numpy()
    shifted = preferences - np.log(np.exp(preferences).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(shifted, expected, atol=1e-4)


@pytest.mark.compiled
def test_a_run_learns_with_past_selves_and_goes_on(tmp_path: Path) -> None:
    told: list[tuple[int, Any]] = []
    run = Sb3Run.begin(tmp_path / "run", SMALL, 3)
    before = run.network().weights["0.weight"].copy()
    run.train(lambda decisions, rates: told.append((decisions, rates)))
    assert len(run.opponent.past) == 2  # no more than were asked for
    assert told[0][0] == 0
    assert "random 3p" in run.rates
    assert not np.array_equal(before, run.network().weights["0.weight"])
    kept = load_network(tmp_path / "run" / "network.safetensors")
    assert np.array_equal(kept.weights["0.weight"], run.network().weights["0.weight"])
    again = Sb3Run.resume(tmp_path / "run")
    assert again.players == 3
    assert again.model.num_timesteps == run.model.num_timesteps >= 1000
    assert np.array_equal(again.network().weights["0.weight"], run.network().weights["0.weight"])


def test_opponents_change() -> None:
    opponent = Opponent(("random", "tests.some_agents:First"), seed=1)
    names = set()
    for _ in range(30):
        opponent.change()
        names.add(opponent.name)
    assert names == {"random", "tests.some_agents:First"}


def test_a_damaged_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Sb3Run.begin(tmp_path / "run", SMALL, 2)
    assert json.loads((tmp_path / "run" / "settings.json").read_text(encoding="utf-8"))["algo"] == "sb3"
    (tmp_path / "run" / "sb3.zip").write_bytes(b"not a zip")
    assert main(["train", "--resume", str(tmp_path / "run")]) == 2
    assert "is damaged, or no file of stable-baselines3" in capsys.readouterr().err


def test_a_run_is_not_begun_twice(tmp_path: Path) -> None:
    Sb3Run.begin(tmp_path / "run", SMALL, 2)
    with pytest.raises(ValueError, match="holds a run already"):
        Sb3Run.begin(tmp_path / "run", SMALL, 2)
