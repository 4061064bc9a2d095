"""Disks that are full: a run ends in one line, nothing that was played is lost, and the same command goes on later."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olb_env.commands.olb import main
from olb_training.arena import journal
from tests.support.toy_game import PEBBLES


class Disk:
    """A disk with some bytes of room for journals and records; what does not fit is written up to the last byte."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.room = room
        disk, original = self, journal.GrowingFile

        class File(original):  # type: ignore[misc, valid-type]
            def __init__(self, path: Path, *, new: bool) -> None:
                super().__init__(path, new=new)
                self._file = Writer(self._file, disk)

        monkeypatch.setattr(journal, "GrowingFile", File)
        monkeypatch.setattr("olb_training.arena.tournament.GrowingFile", File)


class Writer:
    """A file on such a disk."""

    def __init__(self, file: Any, disk: Disk) -> None:
        self._file, self._disk = file, disk

    def write(self, content: Any) -> int:
        fitting = bytes(content[: max(0, self._disk.room)])
        if not fitting:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._disk.room -= len(fitting)
        return int(self._file.write(fitting))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def words(folder: Path) -> list[str]:
    agents = ("random", "tests.support.some_agents:First")
    files = ("--resume", str(folder / "run"), "--records", str(folder / "games"), "--json", str(folder / "report"))
    return ["arena", "--game", PEBBLES.name, "--agents", *agents, "--deals", "12", "--workers", "1", *files]


def results(folder: Path) -> tuple[dict[str, Any], bytes]:
    """Return the report without times, and the records."""
    report = json.loads((folder / "report").read_text(encoding="utf-8"))
    for row in report["rows"]:
        del row["milliseconds"]
    return report, (folder / "games").read_bytes()


def test_a_run_on_a_full_disk_can_be_continued_and_ends_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], trials: Callable[[int, int], int]
) -> None:
    unbroken = tmp_path / "unbroken"
    unbroken.mkdir()
    assert main(words(unbroken)) == 0
    size = sum((unbroken / name).stat().st_size for name in ("run", "games"))
    count = trials(6, 60)
    for trial in range(count):
        folder = tmp_path / str(trial)
        folder.mkdir()
        with pytest.MonkeyPatch.context() as monkeypatch:
            Disk(monkeypatch, trial * size * 9 // 10 // (count - 1))  # the size varies a little with the times
            capsys.readouterr()
            assert main(words(folder)) == 2
        lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("olb arena")]
        assert len(lines) == 1
        assert "No space left on device; stopped after" in lines[0]
        assert f"--resume {folder}/run --records {folder}/games" in lines[0]
        before = (folder / "run").read_bytes()
        assert main(words(folder)) == 0
        assert (folder / "run").read_bytes().startswith(before)  # nothing was played twice
        assert results(folder) == results(unbroken)


@pytest.mark.parametrize("file", ["run", "games"])
def test_a_line_that_was_cut_anywhere_is_played_again(
    file: str, tmp_path: Path, trials: Callable[[int, int], int]
) -> None:
    """As after a power cut: the journal lacks what the records have, or both end in the middle of a line."""
    assert main(words(tmp_path)) == 0
    expected = results(tmp_path)
    whole = {name: (tmp_path / name).read_bytes() for name in ("run", "games")}
    head = whole["run"].index(b"\n") + 1
    for trial in range(count := trials(5, 60)):
        kept = head + trial * (len(whole["run"]) - head) // count
        (tmp_path / "run").write_bytes(whole["run"][:kept])
        games = 2 * whole["run"][:kept].count(b"\n") - 2
        ends = [0, *(at + 1 for at, sign in enumerate(whole["games"]) if sign == 10)]
        more = 17 * trial if file == "games" else 0
        (tmp_path / "games").write_bytes(whole["games"][: ends[games] + more])
        assert main(words(tmp_path)) == 0
        assert results(tmp_path) == expected


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_report_that_does_not_fit_leaves_the_other_results(
    option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "report"
    file.write_text("the last one", encoding="utf-8")

    def fsync(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("olb_env.commands.output.os.fsync", fsync)
    start = ["arena", "--game", PEBBLES.name, "--agents", "random", "random", "--deals", "4", "--workers", "1"]
    assert main([*start, option, str(file)]) == 2
    shown = capsys.readouterr()
    assert f"cannot write {file}: No space left on device" in shown.err
    assert "head to head" in shown.out or "wins %" in shown.out
    assert file.read_text(encoding="utf-8") == "the last one"


def test_devices_that_are_full_end_a_run_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    start = ["arena", "--game", PEBBLES.name, "--agents", "random", "random", "--deals", "4", "--workers", "1"]
    for option in ("--records", "--resume"):
        assert main([*start, option, "/dev/full"]) == 2
        assert "cannot write /dev/full: No space left on device; stopped after 0 deals" in capsys.readouterr().err
