"""Whatever is typed, a command works or says in one line why not, and loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olb_env import benchmarks
from olb_env.commands import bench, record
from olb_env.commands.olb import main
from tests.commands.wrong_lines import Begun, Lines, check, contents, fill_precious_folder, run
from tests.support.running import INTERPRETED

COMMANDS = ("arena", "bench", "board", "play", "record", "replay", "train")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("games") / "games.jsonl"
    assert main(["record", "--games", "1", "--players", "2", "--out", str(file)]) == 0
    return file


@pytest.fixture
def precious(tmp_path: Path, games: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with files that matter; nothing that takes long begins."""
    fill_precious_folder(tmp_path, games)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(record, "_lines", lambda *_: (f"{{}}{number}\n" for number in range(2)))
    keys = [figure.key for figure in benchmarks.MEASUREMENTS]
    monkeypatch.setattr(bench, "measure", lambda _game, players, *_: {"players": players, **dict.fromkeys(keys, 1.0)})
    monkeypatch.setattr(bench, "connect_four", lambda _seconds: 1.0)
    monkeypatch.setattr(bench, "pgx_connect_four", lambda _seconds: 1.0)
    monkeypatch.setattr(bench, "measure_many", lambda *_: {"games": 1, "megabytes": 1.0, "seconds": 1.0})
    monkeypatch.setattr(bench, "_measure_training", begin)
    if "arena" in COMMANDS:
        monkeypatch.setattr("olb_training.arena.tournament.Tournament.play", begin)
    if "play" in COMMANDS or "replay" in COMMANDS:
        monkeypatch.setattr("olb_env.page.server.make_app", begin)
    if "train" in COMMANDS:
        for run_class in ("run.Run", "sb3_run.Sb3Run"):
            monkeypatch.setattr(f"olb_training.ppo.{run_class}.begin", begin)
            monkeypatch.setattr(f"olb_training.ppo.{run_class}.resume", begin)
    return tmp_path


def begin(*_: Any, **__: Any) -> Any:
    raise Begun


def test_odd_command_lines_work_or_are_refused_in_one_line(
    precious: Path, games: Path, trials: Callable[[int, int], int]
) -> None:
    lines, refused = Lines(1, COMMANDS), 0
    count = trials(40 if INTERPRETED else 300, 8_000)
    for _ in range(count):
        words, before = lines.one(), contents(precious)
        outcome = run(words)
        after = contents(precious)
        try:
            check(words, outcome, before, after)
        except AssertionError as error:
            raise AssertionError(f"{[word[:60] for word in words]}: {outcome}") from error
        refused += outcome.code == 2
        if after != before:
            fill_precious_folder(precious, games)
    assert 0.5 * count < refused < 0.99 * count
