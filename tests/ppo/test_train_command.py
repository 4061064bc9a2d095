"""`olb train` from its first word to its last table, on a game that is quickly learned."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from olb_agents.network import load_network
from olb_env.commands.olb import main
from olb_training.ppo import progress
from olb_training.ppo.presets import DEFAULT_PRESET, preset_of
from tests.support.toy_game import PEBBLES

pytestmark = pytest.mark.compiled

WORDS = (
    "--game", PEBBLES.name, "--decisions", "2000", "--hidden", "16", "--steps", "10", "--minibatch", "64",
    "--workers", "1", "--checkpoint-every", "2", "--evaluate-every", "4", "--deals", "2",
)  # fmt: skip
PPO = (*WORDS, "--tables", "12", "8", "--agents", "random", "--options", "--teacher", "", "--taught", "0")


@pytest.fixture(autouse=True)
def every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)


def check_folder(folder: Path, judges: set[str]) -> None:
    """Everything that a run is to leave is there."""
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    told = progress.read_metrics(folder)
    assert set(told[-1]["rates"]) == judges
    assert {"policy_loss", "value_loss", "entropy", "explained", "decisions", "seconds"} <= set(told[0])
    assert (folder / "network.safetensors").exists()
    assert list((folder / "tensorboard").rglob("events.*"))


@pytest.mark.compiled
def test_a_run_ends_with_an_arena(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Judges that do not play the game are left out."""
    folder = tmp_path / "run"
    assert main(["train", *PPO, "--out", str(folder)]) == 0
    said = capsys.readouterr()
    check_folder(folder, {"random 2p", "random 3p"})
    assert "pebbles, 2 players, 3 deals" in said.out
    assert "pebbles, 3 players, 3 deals" in said.out
    assert "planner" not in said.out
    assert re.search(r"elapsed, left \d:\d\d:\d\d, 0:00:00; decisions 2,000", said.err)
    assert "wins % against random 2p" in said.err
    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    steps = [event.step for event in events.Scalars("learning/entropy")]
    assert steps == [entry["iteration"] for entry in progress.read_metrics(folder)]


@pytest.mark.compiled
def test_a_run_that_is_stopped_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main(["train", *PPO, "--out", str(folder), "--minutes", "0.00001"]) == 0
    assert f"stopped; olb train --resume {folder} goes on" in capsys.readouterr().err
    assert len(progress.read_metrics(folder)) == 1
    assert main(["train", "--resume", str(folder)]) == 0
    check_folder(folder, {"random 2p", "random 3p"})
    assert len(progress.read_metrics(folder)) == 10


@pytest.mark.compiled
def test_an_exploiter_says_what_it_gains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    words = [*WORDS, "--tables", "0", "20", "--exploit", "random", "--out", str(folder)]
    assert main(["train", *words]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "against random (3 players, 20 deals, all seats): it gains" in said
    assert "points over 33%" in said
    check_folder(folder, {"random 3p"})


@pytest.mark.compiled
def test_stable_baselines3_leaves_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    words = [*WORDS, "--tables", "8", "4", "--agents", "random", "--algo", "sb3", "--players", "2", "--out"]
    assert main(["train", *words, str(folder)]) == 0
    check_folder(folder, {"random 2p"})
    assert "pebbles, 2 players, 3 deals" in capsys.readouterr().out
    told: Any = json.loads((folder / "network.json").read_text(encoding="utf-8"))
    assert told["about"]["decisions"] >= 2000
    metrics = (folder / "metrics.jsonl").read_bytes()
    assert main(["train", "--resume", str(folder)]) == 0  # there is nothing left to learn
    assert "pebbles, 2 players, 3 deals" in capsys.readouterr().out
    assert (folder / "metrics.jsonl").read_bytes() == metrics
    assert main(["train", "--resume", str(folder), "--minutes", "1"]) == 2
    assert "has no --minutes" in capsys.readouterr().err


@pytest.mark.compiled
def test_learning_that_comes_apart_is_said_and_nothing_of_it_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert main(["train", *PPO, "--rate", "1e30", "--out", str(folder)]) == 2
    assert "learning has come apart in iteration" in capsys.readouterr().err
    load_network(folder / "network.safetensors")  # which refuses what is no number
    assert all(math.isfinite(entry["value_loss"]) for entry in progress.read_metrics(folder))


def test_help_tells_what_holds_if_nothing_is_typed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    quick = preset_of(DEFAULT_PRESET, "old_london_bridge")
    assert f"in decisions of all seats (default: {quick['decisions']})" in said
    assert "passes over what was collected (default: 1)" in said
    assert "by doing as it does (default: planner)" in said


def test_an_interrupt_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("olb_training.ppo.run.Run.train", interrupted)
    assert main(["train", *PPO, "--out", str(tmp_path / "run")]) == 130
    assert f"interrupted; olb train --resume {tmp_path / 'run'} goes on" in capsys.readouterr().err
