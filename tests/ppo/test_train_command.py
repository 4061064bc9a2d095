"""`olb train` from its first flag to its last report, on a game that is learned quickly."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from olb_agents.network import load_network
from olb_env.commands.olb import main
from olb_training.commands.train import _warn_of_no_ppo
from olb_training.ppo import progress
from olb_training.ppo.distributed import WorkerError
from olb_training.ppo.learner import Learner
from olb_training.ppo.loss import PPOLoss
from olb_training.ppo.metrics import read_metrics
from olb_training.ppo.presets import DEFAULT_PRESET, preset_of
from olb_training.ppo.win_rates import win_rate
from tests.support.small_runs import SHORT, SMALL_FLAGS, SMALL_PPO_FLAGS
from tests.support.toy_game import PEBBLES


@pytest.fixture(autouse=True)
def every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.0)


def check_folder(folder: Path, win_rates: set[str]) -> None:
    """Check that everything a run leaves is there."""
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    entries = read_metrics(folder)
    assert set(entries[-1]["win_rates"]) == win_rates
    losses = {"policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "explained_variance"}
    assert losses | {"iteration", "timesteps", "learning_rate", "sps", "seconds"} <= set(entries[0])
    assert all(entry["sps"] > 0 and entry["learning_rate"] > 0 for entry in entries)
    assert (folder / "network.safetensors").exists()
    assert list((folder / "tensorboard").rglob("events.*"))


def test_a_run_ends_with_an_arena_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Evaluation opponents that do not play the game are left out."""
    folder = tmp_path / "run"
    assert main(["train", *SMALL_PPO_FLAGS, "--out", str(folder)]) == 0
    said = capsys.readouterr()
    check_folder(folder, {"random_2p", "random_3p"})
    assert "pebbles, 2 players, 3 deals" in said.out
    assert "pebbles, 3 players, 3 deals" in said.out
    assert "planner" not in said.out
    assert re.search(r"elapsed, left \d:\d\d:\d\d, 0:00:00; timesteps 1,000", said.err)
    assert "wins % against random, 2p" in said.err
    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    timesteps = [entry["timesteps"] for entry in read_metrics(folder)]
    for tag in ("losses/policy_loss", "losses/approx_kl", "charts/learning_rate", "charts/SPS"):
        assert [event.step for event in events.Scalars(tag)] == timesteps
    assert [event.step for event in events.Scalars("eval/win_rate_vs_random_2p")] == [800, 1000]
    assert [event.step for event in events.Scalars("charts/utility_vs_random")] == timesteps


@pytest.mark.compiled
def test_a_run_that_is_stopped_can_be_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main(["train", *SMALL_PPO_FLAGS, "--out", str(folder), "--minutes", "0.00001"]) == 0
    assert f"stopped; olb train --resume {folder} continues" in capsys.readouterr().err
    assert len(read_metrics(folder)) == 1
    assert main(["train", "--game", "wobbly_bridge", "--resume", str(folder)]) == 2
    assert "is a run of pebbles: leave out --game" in capsys.readouterr().err
    assert main(["train", "--resume", str(folder)]) == 0
    check_folder(folder, {"random_2p", "random_3p"})
    assert len(read_metrics(folder)) == 5


@pytest.mark.parametrize("tables", ["--num-envs 0 20", "--players 3 --num-envs 20"])
def test_a_best_response_reports_what_it_gains(tables: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main(["train", *SMALL_FLAGS, *tables.split(), "--exploit", "random", "--out", str(folder)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "against random (3 players, 20 deals, all seats): it gains" in said
    assert "points over 33%" in said
    check_folder(folder, {"random_3p"})


def test_flags_leave_the_network_to_start_from_as_it_is(tmp_path: Path) -> None:
    """Its hidden sizes and features need not be given."""
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(["train", *SMALL_PPO_FLAGS, "--minutes", "0.00001", "--out", str(first)]) == 0
    others = [word for word in SMALL_PPO_FLAGS if word not in ("--hidden-sizes", "16")]
    start = ["--init-from", str(first / "network.safetensors")]
    assert main(["train", *others, *start, "--minutes", "0.00001", "--out", str(second)]) == 0
    settings = json.loads((second / "settings.json").read_text(encoding="utf-8"))
    assert (settings["hidden_sizes"], settings["features"]) == ([16], "observation")


@pytest.mark.compiled
def test_stable_baselines3_leaves_the_same_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    words = [*SMALL_FLAGS, "--num-envs", "8", "4", "--opponents", "random", "--algo", "sb3", "--players", "2", "--out"]
    assert main(["train", *words, str(folder)]) == 0
    check_folder(folder, {"random_2p"})
    assert "pebbles, 2 players, 3 deals" in capsys.readouterr().out
    network: Any = json.loads((folder / "network.json").read_text(encoding="utf-8"))
    assert network["about"]["timesteps"] >= 1000
    metrics = (folder / "metrics.jsonl").read_bytes()
    assert main(["train", "--resume", str(folder)]) == 0  # there is nothing left to learn
    assert "pebbles, 2 players, 3 deals" in capsys.readouterr().out
    assert (folder / "metrics.jsonl").read_bytes() == metrics
    assert main(["train", "--resume", str(folder), "--minutes", "1"]) == 2
    assert "has no --minutes" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["losses", "weights"])
def test_a_run_that_diverges_says_so_and_saves_nothing_of_it(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    value_loss, step = PPOLoss._value_loss, Learner._step

    def diverge(learner: Learner, *arguments: Any) -> Any:
        statistics = step(learner, *arguments)
        with torch.no_grad():
            learner.model.head.bias[0] = math.inf
        return statistics

    if what == "losses":
        monkeypatch.setattr(PPOLoss, "_value_loss", lambda *arguments: value_loss(*arguments) * math.nan)
    else:
        monkeypatch.setattr(Learner, "_step", diverge)
    folder = tmp_path / "run"
    assert main(["train", *SMALL_PPO_FLAGS, "--minibatch-size", "1000", "--out", str(folder)]) == 2
    assert f"training diverged in iteration 1: the {what} are no longer finite" in capsys.readouterr().err
    load_network(folder / "network.safetensors")  # refuses weights that are not finite
    assert all(math.isfinite(entry["value_loss"]) for entry in read_metrics(folder))


def test_a_run_that_is_all_imitation_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SMALL_PPO_FLAGS, "--teacher", "random", "--imitation-timesteps", "1000", "--out", str(tmp_path / "run")]
    assert main(["train", *words]) == 0
    why = "--imitation-timesteps 1000 leave no iteration of --total-timesteps 1000"
    assert f"olb train: warning: the run ends before PPO begins: {why}\n" in capsys.readouterr().err


@pytest.mark.parametrize(("imitation", "warmup", "warned"), [(800, 0, False), (801, 0, True), (0, 801, True)])
def test_a_run_is_as_long_as_whole_iterations(
    imitation: int, warmup: int, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five iterations of 200 timesteps are the whole run, and the last of them begins at timestep 800."""
    for total in (801, 1000):
        settings = replace(SHORT, total_timesteps=total, teacher="random", imitation_timesteps=imitation,
                           value_warmup_timesteps=warmup)  # fmt: skip
        _warn_of_no_ppo(settings)
        said = capsys.readouterr().err
        assert said.startswith("olb train: warning: the run ends before PPO begins: ") == warned
        assert bool(said) == warned
        assert ("--value-warmup-timesteps 801 leave no iteration" in said) == (warmup > 0)


def test_help_shows_the_groups_and_the_defaults_of_the_preset(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    quick = preset_of(DEFAULT_PRESET, "old_london_bridge")
    assert (
        f"in decisions of all seats (--algo sb3: of the learner's seat), rounded up to whole iterations "
        f"(default: {quick['total_timesteps']})" in said
    )
    assert "passes over each rollout (default: 1)" in said
    assert "agent to imitate before PPO begins (default: planner)" in said
    groups = ("experiment", "environments", "PPO", "network", "opponents", "imitation and warm-up")
    places = [said.index(f" {group}: --") for group in (*groups, "checkpoints and evaluation")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (WorkerError("a training process was killed"), 2, "a training process was killed"),
        (OSError(28, "No space left on device", "metrics.jsonl"), 2, "cannot write metrics.jsonl: No space left"),
    ],
)
def test_a_run_that_is_broken_off_says_how_to_resume_it(
    error: BaseException, code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def fail(*_: Any) -> bool:
        raise error

    monkeypatch.setattr("olb_training.ppo.run.Run.train", fail)
    assert main(["train", *SMALL_PPO_FLAGS, "--out", str(tmp_path / "run")]) == code
    said = capsys.readouterr().err
    assert message in said
    assert f"; olb train --resume {tmp_path / 'run'} continues from the last checkpoint" in said


def test_win_rates_have_intervals() -> None:
    rate = win_rate(PEBBLES.name, "tests.support.some_agents:First", "random", 2, 6)
    assert rate.low <= rate.value <= rate.high


def test_the_display_on_a_terminal_is_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "plain_console", lambda stderr: Console(force_terminal=True, width=80))
    assert main(["train", *SMALL_PPO_FLAGS, "--minutes", "0.00001", "--out", str(tmp_path / "run")]) == 0
    assert re.search(r"│ timesteps +│ 200, ", capsys.readouterr().out)


def test_training_is_measured_beside_single_environments(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {
        "num_envs": (4, 2, 2, 0), "num_steps": 3, "minibatch_size": 16, "hidden_sizes": (8,), "workers": 1,
        "features": "observation", "opponents": ("random",),
    }  # fmt: skip
    monkeypatch.setattr("olb_training.ppo.benchmark.preset_of", lambda name, game: {**small, "game": game})
    monkeypatch.setattr("olb_training.ppo.benchmark.CHAMPION_BATCH", 4)
    assert main(["bench", "--train", "--game", "wobbly_bridge", "--seconds", "0.01", "--json", "-"]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert len(measured["decisions_per_second"]) == 6
    assert min(measured["decisions_per_second"].values()) > 0
    assert len(measured["speedups"]) == 2
