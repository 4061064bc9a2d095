"""Runs of training: they go on as if never stopped, from checkpoints that are whole, whatever happened."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from olb_env.commands.olb import main
from olb_training.ppo.checkpoint import (
    CHECKPOINTS,
    CheckpointError,
    checkpoints,
    newest_good,
    read_checkpoint,
    write_checkpoint,
)
from olb_training.ppo.collector import Collector
from olb_training.ppo.crew import CrewError
from olb_training.ppo.run import Run
from olb_training.ppo.settings import Settings
from tests.support.small_runs import SMALL, TWO, finish, quiet
from tests.support.toy_game import PEBBLES

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_run_goes_on_exactly_as_if_never_stopped(workers: int, tmp_path: Path) -> None:
    settings = replace(SMALL, workers=workers)
    whole = Run.begin(tmp_path / "whole", settings)
    assert whole.train(quiet)
    parts = Run.begin(tmp_path / "parts", settings)
    for _ in range(100):
        if parts.train(quiet, limit=0.0):  # one iteration each time, kept
            break
        parts = Run.resume(tmp_path / "parts")
    assert finish(tmp_path / "parts") == finish(tmp_path / "whole")
    told = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()]
    again = [json.loads(line) for line in (tmp_path / "parts" / "metrics.jsonl").read_text().splitlines()]
    for entry in (*told, *again):
        del entry["seconds"]
    assert told == again
    assert [entry["iteration"] for entry in told] == list(range(1, 16))


@pytest.mark.compiled
def test_everything_that_a_run_may_use_goes_on_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Insight, a teacher who is heeded at first, past selves, search among the opponents, options of the game."""
    monkeypatch.setattr("olb_training.ppo.run.JUDGES", ())
    settings = Settings(
        decisions=6 * 8 * 40, hidden=(16,), features="afterstates", tables=(4, 0, 4), options=("scoring=random",),
        options_share=0.5, steps=40, minibatch=128, self_share=0.3, past_share=0.3, past=2,
        snapshot_every=1, agents=("mcts:3", "greedy"),
        teacher="planner", taught=2 * 8 * 40, workers=1, checkpoint_every=2, evaluate_every=100,
    )  # fmt: skip
    whole = Run.begin(tmp_path / "whole", settings)
    assert whole.train(quiet)
    parts = Run.begin(tmp_path / "parts", settings)
    while not parts.train(quiet, limit=0.0):
        parts = Run.resume(tmp_path / "parts")
    assert finish(tmp_path / "parts") == finish(tmp_path / "whole")


def test_a_folder_with_a_network_is_not_begun_in(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", SMALL)
    run.close()
    shutil.rmtree(tmp_path / "run" / CHECKPOINTS)
    with pytest.raises(ValueError, match="holds the network of a run already"):
        Run.begin(tmp_path / "run", SMALL)


@pytest.mark.parametrize("about", [[], {}, {"settings": []}, {"settings": {"game": 3}}])
def test_a_checkpoint_that_tells_nothing_is_refused(about: Any, kept: Path) -> None:
    write_checkpoint(kept / CHECKPOINTS, 99, {}, about)
    with pytest.raises(ValueError, match=r"no checkpoint of a run|other settings"):
        Run.resume(kept)


@pytest.mark.compiled
def test_a_process_that_dies_is_missed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(multiprocessing.active_children())
    run = Run.begin(tmp_path / "run", TWO)
    (other,) = set(multiprocessing.active_children()) - before
    collect = Collector.collect

    def killing(*arguments: Any, **named: Any) -> Any:
        time.sleep(0.5)  # the other one waits for what this one brings
        other.kill()
        return collect(*arguments, **named)

    monkeypatch.setattr(Collector, "collect", killing)
    with pytest.raises(CrewError, match="one of the processes that learn was killed"):
        run.train(quiet)
    assert read_checkpoint(checkpoints(tmp_path / "run" / "checkpoints")[-1])


KILLED = """
import sys
from pathlib import Path
import tests.support.toy_game
import olb_training.ppo.run as module
from tests.support.small_runs import TWO
folder = Path(sys.argv[1])
from olb_training.ppo.checkpoint import checkpoints
run = module.Run.resume(folder) if checkpoints(folder / "checkpoints") else module.Run.begin(folder, TWO)
print("begun", flush=True)
run.train(lambda *_: None)
"""


@pytest.mark.compiled
def test_a_run_that_is_killed_at_any_moment_ends_the_same(tmp_path: Path) -> None:
    whole = Run.begin(tmp_path / "whole", TWO)
    assert whole.train(quiet)
    folder, chance, killed = tmp_path / "killed", random.Random(5), 0
    for attempt in range(30):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        if attempt < 4:
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.4))
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=300)
        killed += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, err.decode()
    assert killed >= 2
    assert finish(folder) == finish(tmp_path / "whole")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    run = Run.begin(tmp_path / "run", SMALL)
    run.train(quiet)
    return tmp_path / "run"


def test_a_damaged_checkpoint_is_refused_and_an_older_one_offered(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, older, newest = checkpoints(kept / "checkpoints")
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1  # a single bit
    newest.write_bytes(content)
    assert main(["train", "--resume", str(kept)]) == 2
    said = capsys.readouterr().err
    assert "is damaged" in said
    assert f"go on from an older one with --resume {older}" in said
    assert newest_good(older)[0] == older


def test_a_wrong_digit_in_the_settings_is_damage(kept: Path) -> None:
    file = checkpoints(kept / "checkpoints")[-1]
    content = file.read_bytes()
    changed = content.replace(b'\\"seed\\": 1,', b'\\"seed\\": 2,')
    assert changed != content
    file.write_bytes(changed)
    with pytest.raises(CheckpointError, match="its digest differs"):
        read_checkpoint(file)


def test_settings_that_are_not_known_any_more_are_refused() -> None:
    told = json.loads(json.dumps(asdict(SMALL)))
    assert Settings.read(told) == SMALL
    with pytest.raises(ValueError, match=r"other settings than there are now \(old, rate\): begin anew"):
        Settings.read({**{name: value for name, value in told.items() if name != "rate"}, "old": 3})


def test_a_line_of_metrics_that_was_torn_is_cut_off(kept: Path) -> None:
    file = kept / "metrics.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:9]) + lines[9][:20])
    Run.resume(kept)
    assert file.read_bytes() == b"".join(lines[:9])


@pytest.mark.parametrize("content", [b"", b"roses are red", b"\x80\x04N."])
def test_what_is_no_checkpoint_is_refused(content: bytes, kept: Path) -> None:
    file = checkpoints(kept / "checkpoints")[-1]
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged, or no checkpoint"):
        read_checkpoint(file)


def test_a_network_is_no_checkpoint(kept: Path) -> None:
    with pytest.raises(CheckpointError, match="is no checkpoint of olb train"):
        read_checkpoint(kept / "network.safetensors")


def test_a_full_disk_leaves_the_last_checkpoint(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {file: file.read_bytes() for file in checkpoints(kept / "checkpoints")}
    run = Run.resume(kept)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run.keep()
    assert {file: file.read_bytes() for file in checkpoints(kept / "checkpoints")} == before


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
def test_a_disk_that_becomes_full_is_said_in_a_line_and_the_run_goes_on_later(tmp_path: Path) -> None:
    words = ["train", "--game", "pebbles", "--out", str(tmp_path / "run"), "--decisions", "3000", "--tables", "12", "8",
             "--hidden", "16", "--steps", "10", "--workers", "1", "--agents", "random", "--options", "--teacher", "",
             "--taught", "0", "--checkpoint-every", "2"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", FULL, *words], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert f"olb train --resume {tmp_path / 'run'} goes on from the last checkpoint" in done.stderr
    assert not list((tmp_path / "run" / "checkpoints").glob("*.part"))
    assert Run.resume(tmp_path / "run").learner.iteration == 0


def test_the_network_of_a_run_that_ended_is_there_whenever_it_was_killed(kept: Path) -> None:
    file = kept / "network.safetensors"
    whole = file.read_bytes()
    file.unlink()
    Run.resume(kept)
    assert file.read_bytes() == whole


def test_who_goes_on_from_an_older_checkpoint_does_not_come_back_to_newer_ones(kept: Path) -> None:
    *_, older, newest = checkpoints(kept / "checkpoints")
    assert Run.resume(older).learner.iteration == int(older.stem)
    assert not newest.exists()
    assert Run.resume(kept).learner.iteration == int(older.stem)
    moved = kept / older.name
    older.replace(moved)
    with pytest.raises(CheckpointError, match="does not lie in the checkpoints of a run"):
        Run.resume(moved)


def test_a_network_of_other_inputs_cannot_be_gone_on_with(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("olb_training.ppo.run._told", lambda shape: {"observation": -1})
    with pytest.raises(CheckpointError, match="has changed since: begin anew"):
        Run.resume(kept)


HOLDING = """
import sys, time
from pathlib import Path
from olb_env.core.files import FolderLock
held = FolderLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


def test_a_folder_is_for_one_run_at_a_time(kept: Path, capsys: Any) -> None:
    other = subprocess.Popen([sys.executable, "-c", HOLDING, str(kept)], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        before = sorted(path.name for path in kept.rglob("*"))
        assert main(["train", "--game", PEBBLES.name, "--resume", str(kept)]) == 2
        assert f"another process is using {kept}" in capsys.readouterr().err
        assert sorted(path.name for path in kept.rglob("*")) == before
    finally:
        other.kill()
        other.communicate()
    assert Run.resume(kept).train(quiet)
