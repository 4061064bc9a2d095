"""Disks that are full: what was there stays whole, one line says so, and once there is room the command works."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from olb_env import load_records
from olb_env.commands import bench, record
from olb_env.commands.olb import UsageError
from olb_env.commands.output import check_writable, write_text
from tests.commands.wrong_lines import check_one_line, contents, run

RECORD = ["record", "--games", "4", "--players", "2", "--seed", "1", "--out"]
SVG = ["board", "check", "board.toml", "--svg", "board.svg"]


@contextlib.contextmanager
def room_for(count: int) -> Iterator[None]:
    """Let no file grow beyond a number of bytes; writing more fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of a run that had room; afterwards all machine code is loaded."""
    file = tmp_path_factory.mktemp("whole") / "games.jsonl"
    assert run([*RECORD, str(file)]).code == 0
    return file.read_bytes().splitlines(keepends=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.toml").write_text('coins = ["X", 9, 9, 9, 9, 9]\n')
    return tmp_path


@pytest.mark.compiled
@pytest.mark.parametrize("before", [None, b"", b"precious\n" * 3000])
def test_a_recording_keeps_its_finished_lines_or_what_was_there(
    before: bytes | None, whole: list[bytes], folder: Path, trials: Callable[[int, int], int]
) -> None:
    out, everything = folder / "games.jsonl", b"".join(whole)
    rng = random.Random(1)
    for limit in [0, 1, len(whole[0]), *(rng.randrange(len(everything)) for _ in range(trials(3, 200)))]:
        out.unlink(missing_ok=True)
        if before is not None:
            out.write_bytes(before)
        with room_for(limit):
            done = run([*RECORD, "games.jsonl"])
        fitting = [line for number, line in enumerate(whole) if sum(map(len, whole[: number + 1])) <= limit]
        assert done.code == 2
        check_one_line(RECORD, done.err)
        assert "cannot write games.jsonl: File too large; name another --out" in done.err
        assert f"({len(fitting)} games written)" in done.err
        assert out.read_bytes() == (b"".join(fitting) or before or b"")
    assert run([*RECORD, "games.jsonl"]).code == 0
    assert out.read_bytes() == everything


@pytest.mark.compiled
@pytest.mark.parametrize("earlier", [b"", b"earlier\n" * 10])
def test_a_recording_to_standard_output_keeps_whole_lines(earlier: bytes, whole: list[bytes], folder: Path) -> None:
    """A shell opens the file, to write it anew or to append to it."""
    out, mode = folder / "games.jsonl", "a" if earlier else "w"
    for count in (0, 2):
        out.write_bytes(earlier)
        with out.open(mode) as file, room_for(len(earlier) + sum(map(len, whole[:count])) + 7):
            done = run([*RECORD, "-"], stdout=file)
        assert done.code == 2
        assert f"cannot write -: File too large; name another --out ({count} games written)" in done.err
        assert out.read_bytes() == earlier + b"".join(whole[:count])
    with out.open(mode) as file:
        assert run([*RECORD, "-"], stdout=file).code == 0
    assert out.read_bytes().endswith(b"".join(whole))


class Disk:
    """Writes into real files, a few bytes at a time, until it is full or the user interrupts."""

    def __init__(self, seed: int, room: int, failure: BaseException) -> None:
        self._random, self._room, self._failure, self._write = random.Random(seed), room, failure, os.write

    def write(self, file: int, data: bytes) -> int:
        if self._room <= 0:
            raise self._failure
        count = self._write(file, data[: min(self._room, self._random.randint(1, 9))])
        self._room -= count
        if self._room <= 0 and self._random.random() < 0.5:
            raise self._failure  # after the bytes were written, as an interruption may come
        return count


def test_a_line_is_written_whole_or_not_at_all(
    tmp_path: Path, trials: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, rng = tmp_path / "lines", random.Random(2)
    for trial in range(trials(300, 20_000)):
        lines = [rng.randbytes(rng.randint(1, 30)) + b"\n" for _ in range(4)]
        before, room = rng.randbytes(rng.choice((0, 3, 200))), rng.randint(0, 150)
        failure: BaseException = rng.choice((OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()))
        file.write_bytes(before)
        opened = os.open(file, os.O_WRONLY)
        writer = record._Lines(opened, str(file))
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", Disk(trial, room, failure).write)
            with contextlib.suppress(OSError, KeyboardInterrupt):
                for line in lines:
                    writer.add(line)
        os.close(opened)
        fitting = [line for number, line in enumerate(lines) if sum(map(len, lines[: number + 1])) <= room]
        assert writer.count == len(fitting)
        assert file.read_bytes() == (b"".join(fitting) or before)


def test_a_file_that_only_others_may_read_is_recorded_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"earlier and longer than the line\n")
    opened = os.open(file, os.O_WRONLY)
    monkeypatch.setattr(record, "open", refuse, raising=False)
    record._Lines(opened, str(file)).add(b"line\n")
    os.close(opened)
    assert file.read_bytes() == b"line\n"


def refuse(*_: Any, **__: Any) -> Any:
    raise PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("earlier", [None, "precious\n" * 500])
@pytest.mark.parametrize(
    ("words", "file"), [(["bench", "--seconds", "0.01", "--json", "bench.json"], "bench.json"), (SVG, "board.svg")]
)
def test_a_report_replaces_the_earlier_one_or_leaves_it_alone(
    words: list[str], file: str, earlier: str | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [figure.key for figure in bench.MEASUREMENTS]
    monkeypatch.setattr(bench, "measure", lambda _game, players, *_: {"players": players, **dict.fromkeys(keys, 1.0)})
    monkeypatch.setattr(bench, "measure_many", lambda *_: {"games": 1, "megabytes": 1.0, "seconds": 1.0})
    assert run(words).code == 0  # so that machine code is there
    (folder / file).unlink()
    if earlier is not None:
        (folder / file).write_text(earlier)
        (folder / file).chmod(0o640)
    before = contents(folder)
    with room_for(100):
        done = run(words)
    assert done.code == 2
    assert f"cannot write {file}: File too large; name another --" in done.err
    check_one_line(words, done.err)
    assert contents(folder) == before
    assert run(words).code == 0
    assert (folder / file).read_text() not in ("", earlier)
    assert set(contents(folder)) == {*before, file}
    assert (folder / file).stat().st_mode & 0o777 == (0o644 & ~umask() if earlier is None else 0o640)


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_report_goes_through_links_into_devices_and_into_closed_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to("file")
    check_writable(str(link), "--json")
    assert not file.exists()
    write_text(str(link), "one", "--json")
    assert link.is_symlink()
    assert file.read_text() == "one"
    write_text("/dev/null", "two", "--json")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(UsageError, match="cannot write /dev/full: No space left on device; name another --json"):
        write_text("/dev/full", "two", "--json")
    monkeypatch.setattr("olb_env.commands.output.tempfile.mkstemp", refuse)
    write_text(str(file), "three", "--json")
    assert file.read_text() == "three"


def test_a_pipe_without_a_reader_is_not_waited_for_before_the_work(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(str(pipe), "--json")
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["record", "--out", "board.toml", "--board", "board.toml"], "--out would overwrite board.toml, which is read"),
        (["record", "--out", "link", "--board", "board.toml"], "--out would overwrite board.toml, which is read"),
        (["record", "--out", "bot.py", "--agents", "./bot.py:Bot"], "--out would overwrite ./bot.py, which is read"),
        (["bench", "--json", "board.toml", "--board", "board.toml"], "--json would overwrite board.toml"),
        (["board", "check", "board.toml", "--svg", "./board.toml"], "--svg would overwrite board.toml"),
    ],
)
def test_a_file_that_is_read_is_not_written(words: list[str], message: str, folder: Path) -> None:
    (folder / "bot.py").write_text("class Bot:\n    def act(self, view):\n        return view.legal[0]\n")
    (folder / "link").symlink_to("board.toml")
    before = contents(folder)
    done = run(words)
    assert done.code == 2
    assert message in done.err
    check_one_line(words, done.err)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["board", "new"], "olb board: cannot use standard output: No space left on device"),
        (["--help"], "olb: cannot use standard output: No space left on device"),
        ([*RECORD, "-"], "olb record: cannot write -: No space left on device; name another --out (0 games written)"),
        ([*RECORD, "/dev/full"], "olb record: cannot write /dev/full: No space left on device; name another --out"),
        ([*SVG[:-1], "-"], "olb board: cannot use standard output: No space left on device"),
    ],
)
def test_a_full_standard_output_is_reported(words: list[str], message: str, folder: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = run(words, stdout=full)
        assert done.code == 2
        *report, error = done.err.splitlines()
        assert message in error
        assert bool(report) == ("-" in words and "board" in words)  # the picture goes to standard output


@pytest.mark.compiled
def test_python_does_not_try_again_when_it_ends(folder: Path) -> None:
    """Buffered or not."""
    for options in ([], ["-u"]):
        words = [sys.executable, *options, "-m", "olb_env", "board", "new"]
        surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=folder, env=surroundings
            )
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.compiled
def test_a_closed_standard_output_or_error_is_no_disaster(folder: Path) -> None:
    """The shell closes them; what needs neither works all the same."""

    def shell(words: str) -> subprocess.CompletedProcess[str]:
        line = f'"{sys.executable}" -m olb_env {words}'
        return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, cwd=folder)

    games = "record --games 1 --players 2 --out"
    assert shell(f"{games} games.jsonl >&- 2>&-").returncode == 0
    assert len(load_records(folder / "games.jsonl")) == 1
    done = shell(f"{games} - >&-")
    assert (done.returncode, done.stderr) == (2, "olb record: standard output is closed; name a file with --out\n")
    done = shell("board new >&-")
    assert (done.returncode, done.stderr) == (2, "olb board: cannot use standard output: it is closed\n")
    done = shell("dance 2>&-")
    assert (done.returncode, done.stdout) == (2, "")
    assert shell("board check none.toml 2>/dev/full").returncode == 2
