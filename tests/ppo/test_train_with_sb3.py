"""Training with stable-baselines3: its network becomes one of ours, past selves join, a run goes on."""

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
from olb_training.ppo.progress import read_metrics
from olb_training.ppo.sb3_run import Opponent, Sb3Run
from olb_training.ppo.settings import Settings
from tests.agents.test_networks import Bomb
from tests.support.toy_game import PEBBLES

pytestmark = pytest.mark.compiled

SMALL = Settings(
    game=PEBBLES.name, decisions=1000, hidden=(16, 8), tables=(8, 4), steps=16, minibatch=64, past=2, snapshot_every=2,
    agents=("random", "tests.support.some_agents:First"), workers=1, checkpoint_every=3, evaluate_every=4, deals=3,
)  # fmt: skip


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
    told: list[tuple[int, Any, Any]] = []
    run = Sb3Run.begin(tmp_path / "run", SMALL, 3)
    before = run.network().weights["0.weight"].copy()
    run.train(lambda decisions, rates, learned: told.append((decisions, rates, learned)))
    assert len(run.opponent.past) == 2  # no more than were asked for
    assert told[0][0] == 0
    assert told[-1][2]["entropy"] > 0
    assert run.model.ent_coef < SMALL.entropy[0]  # it falls, and so does the rate
    assert run.model.policy.optimizer.param_groups[0]["lr"] < 0.5 * SMALL.rate
    assert "random 3p" in run.rates
    assert not np.array_equal(before, run.network().weights["0.weight"])
    kept = load_network(tmp_path / "run" / "network.safetensors")
    assert np.array_equal(kept.weights["0.weight"], run.network().weights["0.weight"])
    again = Sb3Run.resume(tmp_path / "run")
    assert again.players == 3
    assert again.model.num_timesteps == run.model.num_timesteps >= 1000
    assert np.array_equal(again.network().weights["0.weight"], run.network().weights["0.weight"])
    for before, after in zip(run.opponent.past, again.opponent.past, strict=True):
        assert all(np.array_equal(after.network.weights[name], part) for name, part in before.network.weights.items())


@pytest.mark.compiled
def test_past_selves_stay_as_they_were_and_play(tmp_path: Path) -> None:
    run = Sb3Run.begin(tmp_path / "run", SMALL, 2)
    opponents, kept = set(), {}

    def watch(*_: Any) -> None:
        opponents.add(run.opponent.name)
        for past in run.opponent.past:
            weights = past.network.weights
            first = kept.setdefault(id(past), (past, {name: part.copy() for name, part in weights.items()}))[1]
            assert all(np.array_equal(weights[name], part) for name, part in first.items())

    run.train(watch)
    assert {"past self 1", "past self 2"} & opponents
    assert {"random", "tests.support.some_agents:First"} & opponents
    told = read_metrics(tmp_path / "run")
    assert [entry["iteration"] for entry in told][-1] == run.rollouts == 8
    assert all(entry["entropy"] > 0 for entry in told)
    assert "rates" in told[-1]


@pytest.mark.compiled
def test_a_run_that_was_killed_goes_on_and_tells_every_rollout_once(tmp_path: Path) -> None:
    class KilledError(Exception):
        pass

    def kill(decisions: int, *_: Any) -> None:
        if decisions >= 5 * 128:  # two rollouts behind the last file
            raise KilledError

    run = Sb3Run.begin(tmp_path / "run", SMALL, 2)
    with pytest.raises(KilledError):
        run.train(kill)
    run._alone.release()
    again = Sb3Run.resume(tmp_path / "run")
    assert again.rollouts == 3
    assert len(again.opponent.past) == 1
    again.train(lambda *_: None)
    told = read_metrics(tmp_path / "run")
    assert [entry["iteration"] for entry in told] == list(range(1, 9))
    assert all(entry["entropy"] > 0 for entry in told)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "does not hold the settings of a run"),
        ("{", "is not JSON"),
        ('{"algo": "sb3"}', "begun with other settings"),
        ("5 players", "tells of tables of 5"),
    ],
)
def test_settings_that_are_none_are_refused(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Sb3Run.begin(tmp_path / "run", SMALL, 2)._alone.release()
    file = tmp_path / "run" / "settings.json"
    if content == "5 players":
        content = json.dumps({**json.loads(file.read_text(encoding="utf-8")), "players": 5})
    file.write_text(content, encoding="utf-8")
    assert main(["train", "--resume", str(tmp_path / "run")]) == 2
    assert message in capsys.readouterr().err


def test_going_on_with_a_hostile_file_runs_no_code(tmp_path: Path) -> None:
    trace, folder = tmp_path / "trace", tmp_path / "run"
    Sb3Run.begin(folder, SMALL, 2)
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
    assert trace.exists()  # it would have gone off


def test_opponents_change() -> None:
    opponent = Opponent(("random", "tests.support.some_agents:First"), seed=1)
    names = set()
    for _ in range(30):
        opponent.change()
        names.add(opponent.name)
    assert names == {"random", "tests.support.some_agents:First"}


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
