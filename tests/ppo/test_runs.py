"""Runs of training: one that is stopped, killed or out of disk space ends like one that never was."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from olb_env.commands.olb import main
from olb_training.ppo.checkpoint import CHECKPOINTS, CheckpointError, list_checkpoints
from olb_training.ppo.metrics import read_metrics
from olb_training.ppo.run import Run
from olb_training.ppo.settings import Settings
from tests.support.small_runs import SHORT, SMALL, SMALL_PPO_FLAGS, TWO_WORKERS, network_bytes, quiet
from tests.support.toy_game import PEBBLES


def finish_in_parts(folder: Path, settings: Settings) -> None:
    """Train one iteration in every session, each resumed from the last."""
    run = Run.begin(folder, settings)
    while not run.train(quiet, limit=0.0):
        run.close()
        run = Run.resume(folder)


@pytest.mark.parametrize(
    "workers", [1, 2, pytest.param(3, marks=pytest.mark.compiled)], ids=lambda workers: f"{workers} workers"
)
def test_a_resumed_run_ends_like_one_that_was_never_stopped(workers: int, tmp_path: Path) -> None:
    settings = replace(SHORT, workers=workers)
    whole = Run.begin(tmp_path / "whole", settings)
    assert whole.train(quiet)
    finish_in_parts(tmp_path / "parts", settings)
    assert network_bytes(tmp_path / "parts") == network_bytes(tmp_path / "whole")
    entries, again = read_metrics(tmp_path / "whole"), read_metrics(tmp_path / "parts")
    for entry in (*entries, *again):
        del entry["seconds"], entry["sps"]
    assert entries == again
    assert [entry["iteration"] for entry in entries] == [1, 2, 3, 4, 5]


@pytest.mark.compiled
def test_a_run_that_uses_everything_resumes_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Afterstate features, imitation at first, past selves, search among the opponents, options of the game."""
    monkeypatch.setattr("olb_training.ppo.win_rates.EVAL_OPPONENTS", ())
    settings = Settings(
        total_timesteps=6 * 8 * 40, hidden_sizes=(16,), features="afterstates", num_envs=(4, 0, 4),
        env_kwargs=("scoring=random",), env_kwargs_fraction=0.5, num_steps=40, minibatch_size=128,
        self_play_fraction=0.3, past_self_fraction=0.3, pool_size=2, snapshot_interval=1,
        opponents=("mcts:3", "greedy"), teacher="planner", imitation_timesteps=2 * 8 * 40, workers=1,
        checkpoint_interval=2, eval_interval=100,
    )  # fmt: skip
    whole = Run.begin(tmp_path / "whole", settings)
    assert whole.train(quiet)
    finish_in_parts(tmp_path / "parts", settings)
    assert network_bytes(tmp_path / "parts") == network_bytes(tmp_path / "whole")


def test_a_folder_that_holds_a_network_is_refused(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", SMALL)
    run.close()
    with pytest.raises(ValueError, match="holds a run already"):
        Run.begin(tmp_path / "run", SMALL)
    shutil.rmtree(tmp_path / "run" / CHECKPOINTS)
    with pytest.raises(ValueError, match="holds the network of a run already"):
        Run.begin(tmp_path / "run", SMALL)


KILLED = """
import sys
from pathlib import Path
import tests.support.toy_game
from olb_training.ppo.checkpoint import list_checkpoints
from olb_training.ppo.run import Run
from tests.support.small_runs import TWO_WORKERS
folder = Path(sys.argv[1])
run = Run.resume(folder) if list_checkpoints(folder / "checkpoints") else Run.begin(folder, TWO_WORKERS)
print("begun", flush=True)
run.train(lambda _: None)
"""


@pytest.mark.compiled
def test_a_run_that_is_killed_at_any_moment_ends_the_same(tmp_path: Path) -> None:
    whole = Run.begin(tmp_path / "whole", TWO_WORKERS)
    assert whole.train(quiet)
    folder, rng, killed = tmp_path / "killed", random.Random(5), 0
    for attempt in range(30):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        if attempt < 3:
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.4))
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=300)
        killed += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, err.decode()
    assert killed >= 2
    assert network_bytes(folder) == network_bytes(tmp_path / "whole")


def test_a_torn_line_of_metrics_is_cut_off(run_copy: Path) -> None:
    file = run_copy / "metrics.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    Run.resume(run_copy)
    assert file.read_bytes() == b"".join(lines[:3])


def test_a_full_disk_leaves_the_last_checkpoint(run_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {file: file.read_bytes() for file in list_checkpoints(run_copy / CHECKPOINTS)}
    run = Run.resume(run_copy)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run.save_checkpoint()
    assert {file: file.read_bytes() for file in list_checkpoints(run_copy / CHECKPOINTS)} == before


FULL = """
import resource, sys
import tests.support.toy_game
import olb_training.ppo.run as module
from olb_env.commands.olb import main
write = module.write_checkpoint
def filling(folder, iteration, *more):
    if iteration:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # as if the disk were full: writes end in the middle
    return write(folder, iteration, *more)
module.write_checkpoint = filling
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.compiled
def test_a_disk_that_becomes_full_ends_in_one_line_and_the_run_can_be_resumed(tmp_path: Path) -> None:
    words = ["train", *SMALL_PPO_FLAGS, "--eval-interval", "100", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", FULL, *words], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert f"olb train --resume {tmp_path / 'run'} continues from the last checkpoint" in done.stderr
    assert not list((tmp_path / "run" / CHECKPOINTS).glob("*.part"))
    assert Run.resume(tmp_path / "run").learner.iteration == 0


def test_a_run_that_was_killed_before_its_network_was_written_writes_it_again(run_copy: Path) -> None:
    file = run_copy / "network.safetensors"
    whole = file.read_bytes()
    file.unlink()
    Run.resume(run_copy)
    assert file.read_bytes() == whole


def test_a_run_that_resumes_from_an_older_checkpoint_drops_the_newer_ones(run_copy: Path) -> None:
    *_, older, newest = list_checkpoints(run_copy / CHECKPOINTS)
    run = Run.resume(older)
    assert run.learner.iteration == int(older.stem)
    assert not newest.exists()
    run.close()
    assert Run.resume(run_copy).learner.iteration == int(older.stem)


def test_a_run_of_a_game_that_has_changed_is_refused(run_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("olb_training.ppo.notes._as_json", lambda shape: {"observation_size": -1})
    with pytest.raises(CheckpointError, match="other inputs or actions than the game has now: start a new run"):
        Run.resume(run_copy)


HOLDING = """
import sys, time
from pathlib import Path
from olb_env.core.files import FolderLock
held = FolderLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


def test_a_folder_is_for_one_process_at_a_time(run_copy: Path, capsys: Any) -> None:
    other = subprocess.Popen([sys.executable, "-c", HOLDING, str(run_copy)], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        before = sorted(path.name for path in run_copy.rglob("*"))
        assert main(["train", "--game", PEBBLES.name, "--resume", str(run_copy)]) == 2
        assert f"another process is using {run_copy}" in capsys.readouterr().err
        assert sorted(path.name for path in run_copy.rglob("*")) == before
    finally:
        other.kill()
        other.communicate()
    assert Run.resume(run_copy).train(quiet)


def test_a_run_starts_from_the_network_it_is_given(run_copy: Path, tmp_path: Path) -> None:
    given = str(run_copy / "network.safetensors")
    run = Run.begin(tmp_path / "second", replace(SHORT, init_from=given))
    pool = run.learner.opponent_pool
    assert len(pool.past_selves) == 1
    expected = Run.resume(run_copy).learner.network().weights
    for network in (run.learner.network(), pool.past_self(int(pool.past_selves[0])).to_network()):
        assert all((network.weights[name] == weight).all() for name, weight in expected.items())
    stages = json.loads((tmp_path / "second" / "network.json").read_text(encoding="utf-8"))["about"]["stages"]
    assert [stage["timesteps"] for stage in stages] == [1000, 0]


def test_a_network_that_cannot_be_widened_to_the_requested_one_is_refused(run_copy: Path, tmp_path: Path) -> None:
    settings = replace(SHORT, init_from=str(run_copy / "network.safetensors"), hidden_sizes=(24, 16))
    with pytest.raises(ValueError, match="cannot be widened to the requested network"):
        Run.begin(tmp_path / "second", settings)
    assert not (tmp_path / "second").exists()
