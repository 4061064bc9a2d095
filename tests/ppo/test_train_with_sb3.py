"""Training with stable-baselines3: its network becomes one of ours, past selves join, runs are resumed."""

from __future__ import annotations

import base64
import contextlib
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from olb_agents.network import load_network
from olb_env.commands.olb import main
from olb_training.ppo.metrics import read_metrics
from olb_training.ppo.sb3_run import RolloutOpponent, Sb3Run
from olb_training.ppo.settings import Settings
from tests.agents.test_networks import Bomb
from tests.support.toy_game import PEBBLES

SMALL = Settings(
    game=PEBBLES.name, total_timesteps=1000, hidden_sizes=(16, 8), num_envs=(8, 4), num_steps=16, minibatch_size=64,
    pool_size=2, snapshot_interval=2, opponents=("random", "tests.support.some_agents:First"), workers=1,
    checkpoint_interval=3, eval_interval=4, eval_deals=3,
)  # fmt: skip


def test_a_network_trained_by_sb3_has_its_logits(tmp_path: Path) -> None:
    run = Sb3Run.begin(tmp_path / "run", SMALL, 2)
    seen = np.random.default_rng(1).random((30, PEBBLES.observation.size), np.float32)
    logits, _ = run.network()(seen)
    with torch.no_grad():
        expected = run.model.policy.get_distribution(torch.from_numpy(seen)).distribution.logits.numpy()
    shifted = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(shifted, expected, atol=1e-4)


def test_a_run_learns_with_past_selves_and_is_resumed(tmp_path: Path) -> None:
    shown: list[Any] = []
    run = Sb3Run.begin(tmp_path / "run", SMALL, 3)
    before = run.network().weights["0.weight"].copy()
    run.train(shown.append)
    assert len(run.opponent.past_selves) == SMALL.pool_size
    assert shown[0]["timesteps"] == 0
    assert shown[-1]["entropy"] > 0
    assert run.model.ent_coef < SMALL.ent_coef[0]  # it falls, and so does the learning rate
    assert run.model.policy.optimizer.param_groups[0]["lr"] < 0.5 * SMALL.learning_rate
    assert "random_3p" in run.win_rates
    assert not np.array_equal(before, run.network().weights["0.weight"])
    kept = load_network(tmp_path / "run" / "network.safetensors")
    assert np.array_equal(kept.weights["0.weight"], run.network().weights["0.weight"])
    run.close()
    again = Sb3Run.resume(tmp_path / "run")
    assert again.players == 3
    assert again.timesteps == run.timesteps >= 1000
    assert np.array_equal(again.network().weights["0.weight"], run.network().weights["0.weight"])
    for before, after in zip(run.opponent.past_selves, again.opponent.past_selves, strict=True):
        assert all(np.array_equal(after.network.weights[name], part) for name, part in before.network.weights.items())


@pytest.mark.compiled
def test_past_selves_stay_as_they_were_and_play(tmp_path: Path) -> None:
    run = Sb3Run.begin(tmp_path / "run", SMALL, 2)
    opponents, kept = set(), {}

    def watch(*_: Any) -> None:
        opponents.add(run.opponent.name)
        for past_self in run.opponent.past_selves:
            weights = past_self.network.weights
            first = kept.setdefault(id(past_self), (past_self, {name: part.copy() for name, part in weights.items()}))[
                1
            ]
            assert all(np.array_equal(weights[name], part) for name, part in first.items())

    run.train(watch)
    assert {"past self 1", "past self 2"} & opponents
    assert {"random", "tests.support.some_agents:First"} & opponents
    entries = read_metrics(tmp_path / "run")
    assert entries[-1]["iteration"] == run.rollouts == 8
    assert all(entry["entropy"] > 0 for entry in entries)
    assert "win_rates" in entries[-1]


@pytest.mark.compiled
def test_a_run_that_was_killed_is_resumed_with_every_rollout_once_in_its_metrics(tmp_path: Path) -> None:
    class KilledError(Exception):
        pass

    def kill(metrics: Any) -> None:
        if metrics["timesteps"] >= 5 * 128:  # two rollouts after the last checkpoint
            raise KilledError

    run = Sb3Run.begin(tmp_path / "run", SMALL, 2)
    with pytest.raises(KilledError):
        run.train(kill)
    run.close()
    again = Sb3Run.resume(tmp_path / "run")
    assert again.rollouts == 3
    assert len(again.opponent.past_selves) == 1
    again.train(lambda *_: None)
    entries = read_metrics(tmp_path / "run")
    assert [entry["iteration"] for entry in entries] == list(range(1, 9))
    assert all(entry["entropy"] > 0 for entry in entries)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "does not hold the settings of a run"),
        ("{", "is not JSON"),
        ('{"algo": "sb3"}', "the run and this version have different settings"),
        ("5 players", "names tables of 5 players: expected one of 2, 3"),
    ],
)
def test_a_file_that_does_not_hold_settings_is_refused(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Sb3Run.begin(tmp_path / "run", SMALL, 2).close()
    file = tmp_path / "run" / "settings.json"
    if content == "5 players":
        content = json.dumps({**json.loads(file.read_text(encoding="utf-8")), "players": 5})
    file.write_text(content, encoding="utf-8")
    assert main(["train", "--resume", str(tmp_path / "run")]) == 2
    assert message in capsys.readouterr().err


def test_resuming_from_a_hostile_file_runs_no_code(tmp_path: Path) -> None:
    trace, folder = tmp_path / "trace", tmp_path / "run"
    Sb3Run.begin(folder, SMALL, 2).close()
    with zipfile.ZipFile(folder / "sb3.zip") as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    about = json.loads(parts["data"])
    bomb = base64.b64encode(pickle.dumps(Bomb(trace))).decode()
    about["policy_class"] = {":type:": "<class 'object'>", ":serialized:": bomb}
    parts["data"] = json.dumps(about).encode()
    with zipfile.ZipFile(folder / "sb3.zip", "w") as hostile:
        for name, content in parts.items():
            hostile.writestr(name, content)
    Sb3Run.resume(folder)
    assert not trace.exists()
    with contextlib.suppress(Exception):
        MaskablePPO.load(folder / "sb3.zip")
    assert trace.exists()  # SB3's own loader runs it


def test_opponents_change_between_rollouts() -> None:
    opponent = RolloutOpponent(("random", "tests.support.some_agents:First"), seed=1)
    names = set()
    for _ in range(30):
        opponent.change()
        names.add(opponent.name)
    assert names == {"random", "tests.support.some_agents:First"}


def test_a_damaged_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Sb3Run.begin(tmp_path / "run", SMALL, 2).close()
    assert json.loads((tmp_path / "run" / "settings.json").read_text(encoding="utf-8"))["algo"] == "sb3"
    (tmp_path / "run" / "sb3.zip").write_bytes(b"not a zip")
    assert main(["train", "--resume", str(tmp_path / "run")]) == 2
    assert "is damaged, or not a file that olb train wrote: File is not a zip file" in capsys.readouterr().err


def test_a_folder_that_holds_a_run_is_refused(tmp_path: Path) -> None:
    Sb3Run.begin(tmp_path / "run", SMALL, 2).close()
    with pytest.raises(ValueError, match="holds a run already"):
        Sb3Run.begin(tmp_path / "run", SMALL, 2)
