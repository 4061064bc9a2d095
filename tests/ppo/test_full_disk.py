"""Disks that become full: wherever that happens, it is one line, nothing earlier is lost, and the run can go on."""

from __future__ import annotations

import errno
import io
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from olb_agents.network import load_network
from olb_env.commands.olb import main
from olb_training.ppo.checkpoint import CHECKPOINTS, list_checkpoints, read_checkpoint
from olb_training.ppo.metrics import read_metrics
from olb_training.ppo.sb3_run import Sb3Run
from tests.support.small_runs import SMALL_FLAGS, SMALL_PPO_FLAGS, network_bytes

WORDS = (*SMALL_PPO_FLAGS, "--eval-interval", "2")
SB3_WORDS = (*SMALL_FLAGS, "--num-envs", "8", "4", "--opponents", "random", "--algo", "sb3")


class FullDisk:
    """A disk on which files whose names contain some text can no longer be written, from the n-th time on.

    What was begun stays as far as it came, as on a real disk: half of what is written arrives.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.text, self.left, self.hits = "\0", 0, 0
        opener = io.open

        def limited(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
            opened = opener(file, mode, *arguments, **named)
            if not isinstance(file, int) and self.text in str(file) and any(sign in mode for sign in "wax+"):
                self._limit(opened)
            return opened

        monkeypatch.setattr(io, "open", limited)
        monkeypatch.setattr("builtins.open", limited)

    def fill(self, text: str, after: int = 0) -> None:
        """Let all writing fail to files with this in their names, after so many files of that kind."""
        self.text, self.left, self.hits = text, after, 0

    def _limit(self, opened: Any) -> None:
        if self.left > 0:
            self.left -= 1
            return
        write = opened.write

        def fail(content: Any) -> Any:
            self.hits += 1
            write(content[: len(content) // 2])
            opened.flush()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        opened.write = fail


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> FullDisk:
    return FullDisk(monkeypatch)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the same run with room for everything."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert main(["train", *WORDS, "--out", str(folder)]) == 0
    return folder


def check_one_line(error: str) -> None:
    """Check that an error says what could not be written, after lines about progress."""
    assert "Traceback" not in error
    assert error.count("olb train: ") == 1
    assert "No space left on device" in error.splitlines()[-1]
    assert error.splitlines()[-1].startswith("olb train: cannot ")


def kept_by(folder: Path) -> dict[str, bytes]:
    """Return what must not be lost: checkpoints that can be read, and whole lines of metrics."""
    kept = {file.name: file.read_bytes() for file in list_checkpoints(folder / CHECKPOINTS)}
    for file in list_checkpoints(folder / CHECKPOINTS):
        read_checkpoint(file)
    return kept


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("settings.json", 0), ("checkpoints/000000", 0), ("checkpoints/000002", 0), ("checkpoints/000005", 0),
        ("network.safetensors.part", 0), ("network.safetensors.part", 1), ("network.safetensors.part", 3),
        ("network.json.part", 0), ("network.json.part", 2), ("metrics.jsonl", 1), ("metrics.jsonl", 4),
        ("evaluated-", 0), ("evaluated-", 1), ("evaluated-", 2), ("tfevents", 0), ("curve.png", 0),
    ],
)  # fmt: skip
def test_a_run_goes_on_once_there_is_room_and_ends_the_same(
    text: str, after: int, whole: Path, tmp_path: Path, disk: FullDisk, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    disk.fill(text, after)
    assert main(["train", *WORDS, "--out", str(folder)]) == 2
    assert disk.hits > 0
    check_one_line(capsys.readouterr().err)
    assert not list(folder.rglob("*.part"))
    assert not list(folder.glob("evaluated-*"))
    kept = kept_by(folder)
    disk.fill("\0")
    words = ["--resume", str(folder)] if kept else [*WORDS, "--out", str(folder)]
    assert main(["train", *words]) == 0
    assert network_bytes(folder) == network_bytes(whole)
    load_network(folder / "network.safetensors")
    assert [entry["iteration"] for entry in read_metrics(folder)] == [1, 2, 3, 4, 5]
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("text", ["metrics.jsonl.part", "network.safetensors.part", "tfevents", "curve.png"])
def test_a_full_disk_while_resuming_loses_nothing(
    text: str, whole: Path, tmp_path: Path, disk: FullDisk, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    middle = list_checkpoints(folder / CHECKPOINTS)[-2]
    curve, kept = (folder / "curve.png").read_bytes(), kept_by(folder)
    disk.fill(text)
    assert main(["train", "--resume", str(middle)]) == 2
    check_one_line(capsys.readouterr().err)
    assert (folder / "curve.png").read_bytes() == curve
    assert kept[middle.name] == middle.read_bytes()
    load_network(folder / "network.safetensors")
    disk.fill("\0")
    assert main(["train", "--resume", str(folder)]) == 0
    assert network_bytes(folder) == network_bytes(whole)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "after"),
    [("settings.json", 0), ("sb3.zip", 0), ("sb3.zip", 1), ("network.safetensors.part", 1), ("metrics.jsonl", 2),
     ("evaluated-", 0), ("tfevents", 0), ("curve.png", 0)],
)  # fmt: skip
def test_a_run_of_sb3_goes_on_too(
    text: str, after: int, tmp_path: Path, disk: FullDisk, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    disk.fill(text, after)
    assert main(["train", *SB3_WORDS, "--out", str(folder)]) == 2
    assert disk.hits > 0
    check_one_line(capsys.readouterr().err)
    assert not list(folder.rglob("*.part"))
    disk.fill("\0")
    begun = (folder / "sb3.zip").exists()
    if begun:
        Sb3Run.resume(folder).close()
    assert main(["train", *(["--resume", str(folder)] if begun else [*SB3_WORDS, "--out", str(folder)])]) == 0
    load_network(folder / "network.safetensors")
    entries = read_metrics(folder)
    assert entries[-1]["timesteps"] >= 1000
    assert "win_rates" in entries[-1]


@pytest.mark.parametrize("folder", ["/dev/full", "/dev/null/run", "/proc/run"])
def test_folders_that_cannot_be_are_refused_in_one_line(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *WORDS, "--out", folder]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert folder.rpartition("/")[0] in error
