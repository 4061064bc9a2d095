"""The analysis of files that are no records: one line says why, and nothing waits or grows without end."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from olb_env.core.game import find
from olb_env.core.records import to_json_line
from olb_env.playing import play_game
from olb_training.analysis import __main__ as command
from tests.commands.wrong_lines import check_one_line, run
from tests.support.running import INTERPRETED


@pytest.fixture(scope="module")
def records() -> bytes:
    game = find("wobbly_bridge")
    played = [play_game(game, game.rules.configure(num_players=3), seed, ["random"] * 3) for seed in range(3)]
    return "".join(map(to_json_line, played)).encode()


def spoil(content: bytes, rng: random.Random) -> bytes:
    """Return the content of a file of records with one change."""
    at, kind = rng.randrange(len(content)), rng.randrange(6)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + rng.randbytes(rng.randint(1, 3)) + content[at + rng.randint(0, 3) :]
    if kind == 2:
        return (
            content[:at] + rng.choice((b'"', b"[" * 50_000, b"9" * 5000, b"\n", b"{}", b"null,", b"\0")) + content[at:]
        )
    record = json.loads(content.splitlines()[0])
    if kind == 3:
        del record[rng.choice(list(record))]
    elif kind == 4:
        odd = (None, -1, 10**30, float("nan"), "x" * 10_000, "\ud800\x1b", [[]] * 1000, {"a": {}}, True)
        record[rng.choice(list(record))] = rng.choice(odd)
    else:
        moves = record["moves"]
        moves[rng.randrange(len(moves))] = rng.choice(
            (None, [], [0], [0, "fly"], ["0", "play leap"], [0, "x" * 10_000])
        )
    return content + json.dumps(record).encode()


def test_spoiled_records_are_analysed_or_refused_in_one_line(
    records: bytes, tmp_path: Path, trials: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng, refused, file = random.Random(4), 0, Path("games.jsonl")
    count = trials(10 if INTERPRETED else 100, 2000)
    for _ in range(count):
        file.write_bytes(spoil(records, rng))
        done = run([str(file)], command.main)
        assert done.code in (0, 2)
        if done.code:
            check_one_line([str(file)], done.err)
            assert done.err.startswith("python -m olb_training.analysis: games.jsonl cannot be analysed: ")
            assert done.err.count("games.jsonl") == 1
        else:
            assert " games, " in done.out
        refused += done.code == 2
    assert refused > 0.5 * count


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pipe", "pipe cannot be analysed: it is not a file"),
        ("folder", "folder cannot be analysed: it is a folder"),
        ("/dev/zero", "/dev/zero cannot be analysed: it is not a file"),
        ("loop", "loop cannot be analysed: Too many levels of symbolic links"),
        ("empty", "empty cannot be analysed: there are no games to read"),
        ("none", "none cannot be analysed: No such file or directory"),
        ("two\nlines", "two lines cannot be analysed: No such file or directory"),
        ("x" * 10_000, "cannot be analysed: File name too long"),
        ("--fast", "unrecognized arguments: --fast (see python -m olb_training.analysis --help)"),
        ("--" + "x" * 10_000, "(see python -m olb_training.analysis --help)"),
    ],
)
def test_what_is_no_file_of_records_is_refused(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    Path("empty").touch()
    done = run(["empty", name] if name.startswith("-") else [name], command.main)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    check_one_line([name], done.err)


def test_a_full_disk_or_a_reader_that_left_ends_the_report(records: bytes, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(records)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = run([str(file)], command.main, stdout=full)
    assert done.code == 2
    assert done.err == "python -m olb_training.analysis: cannot write the report: No space left on device\n"
    read, written = os.pipe()
    os.close(read)
    with open(written, "w", encoding="utf-8") as pipe:
        done = run([str(file)], command.main, stdout=pipe)
    assert (done.code, done.err) == (1, "")


@pytest.mark.compiled
def test_without_pandas_one_line_says_what_to_install(tmp_path: Path) -> None:
    """Whether the file exists or not: that is found out later."""
    program = (
        "import runpy, sys\n"
        "from importlib.machinery import PathFinder\n"
        "found = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *rest: None if name.split('.')[0] == 'pandas' else found(name, *rest)\n"
        "sys.argv = ['analysis', 'games.jsonl']\n"
        "runpy.run_module('olb_training.analysis', run_name='__main__', alter_sys=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    why = "games.jsonl cannot be analysed: pandas is not installed (pip install pandas)"
    assert done.stderr == f"python -m olb_training.analysis: {why}\n"
