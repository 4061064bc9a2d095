"""Files of boards that mean harm: every command refuses them in one line, soon, and with little memory."""

from __future__ import annotations

import json
import os
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olb_env import load_records, replay
from olb_env.commands import bench
from olb_env.core.boards import template
from olb_env.core.game import Game, find
from olb_training.analysis.__main__ import main as analyse
from tests.commands.wrong_lines import check_one_line, run
from tests.support.running import INTERPRETED

GAMES = ("old_london_bridge", "portobello_market")
COMMANDS = {
    "board": ["board", "check"],
    "record": ["record", "--games", "1", "--out", "new.jsonl", "--board"],
    "bench": ["bench", "--seconds", "0.01", "--board"],
    "train": ["bench", "--train", "--seconds", "0.01", "--board"],
}

# Content that no board has, by the name of its file.
FILES: dict[str, bytes] = {
    "dots.toml": b"a" + b".a" * 400_000 + b" = 1",
    "dotted_table.toml": b"[a" + b".a" * 400_000 + b"]",
    "twins.json": b"{" + b"".join(b'"k%d": 1, ' % number for number in range(60_000)) + b'"k59999": 2}',
    "long.toml": b"#" * 10_000_000,
    "long.json": b'{"coins": [' + b"1, " * 300_000 + b"1]}",
    "umlauts.toml": "#ä".encode() * 4_000_000,
    "lists.toml": b"coins = " + b"[" * 100_000 + b"]" * 100_000,
    "lists.json": b"[" * 500_000,
    "tables.toml": b"a = " + b"{ a = " * 50_000,
    "many_tables.toml": b"".join(b"[t%d]\n" % number for number in range(20_000)),
    "objects.json": b'{"coins": ' * 50_000 + b"1" + b"}" * 50_000,
    "digits.toml": b"coins = " + b"9" * 50_000,
    "digits.json": b'{"coins": [' + b"9" * 50_000 + b"]}",
    "hexadecimal.toml": b"gate_track = { length = 0x" + b"f" * 900_000 + b" }",
    "nan.toml": b"[gate_track]\nlength = nan\nbonus = [inf]\nend = -inf\n",
    "nan.json": b'{"gate_track": {"length": NaN, "bonus": [Infinity], "end": -Infinity}}',
    "latin.toml": b'coins = "\xe9"',
    "utf16.toml": "coins = 1".encode("utf-16"),
    "zeros.toml": b"\0" * 1000,
    "twice.toml": b"coins = 1\ncoins = 2\n",
    "twice.json": b'{"coins": 1, "coins": 2}',
    "key.toml": b'"' + b"x" * 900_000 + b'" = 1',
    "control.toml": b'"\\u001b[31m\\n" = 1',
    "text.toml": b'coins = ["' + b"x" * 900_000 + b'"]',
    "surrogate.json": b'{"\\ud800": ["\\udfff"]}',
    "date.toml": b"coins = 1979-05-27T07:32:00Z\n",
    "nothing.json": b"",
    "null.json": b"null",
}
LINKS = {"loop.toml": "loop.toml", "zero.toml": "/dev/zero", "random.json": "/dev/urandom"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("boards")
    for name, content in FILES.items():
        (found / name).write_bytes(content)
    for name, target in LINKS.items():
        (found / name).symlink_to(target)
    (found / "folder.toml").mkdir()
    os.mkfifo(found / "pipe.toml")  # into which nobody ever writes
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_no_boards_are_refused(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    for number, name in enumerate((*FILES, *LINKS, "folder.toml", "pipe.toml", "none.toml", "x" * 300 + ".json")):
        words = [*COMMANDS[command], name, "--game", GAMES[number % len(GAMES)]]
        done = run(words)
        assert done.code == 2, name
        check_one_line(words, done.err)
        assert name[:40] in done.err
        assert not done.out
    assert sorted(folder.iterdir()) == before


def spoil(text: str, rng: random.Random) -> str:
    """Return the text of a board with some changes that a person or a program might make."""
    for _ in range(rng.randint(1, 3)):
        kind, at = rng.randrange(5), rng.randrange(len(text) + 1)
        lines = text.splitlines(keepends=True)
        if kind == 0:
            text = text[:at] + rng.choice('[]{}",=.#\n-0 9X"\'\\') + text[at + rng.randrange(3) :]
        elif kind == 1 and lines:
            del lines[rng.randrange(len(lines))]
            text = "".join(lines)
        elif kind == 2 and lines:
            text = "".join([*lines, rng.choice(lines)])
        else:
            numbers = [place for place, sign in enumerate(text) if sign.isdigit()]
            if numbers:
                at = rng.choice(numbers)
                value = rng.choice(
                    ("-1", "0", "1", "7", "1e9", "true", "nan", "[]", '"x"', "99999999999999999999", "{}")
                )
                text = text[:at] + value + text[at + 1 :]
    return text


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("ending", ["toml", "json"])
def test_a_spoiled_board_is_a_board_or_refused(
    name: str, ending: str, tmp_path: Path, trials: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    game, rng, refused = find(name), random.Random(3), 0
    whole, file = board_text(game, ending), Path(f"spoiled.{ending}")
    count = trials(10 if INTERPRETED else 60, 600)
    for _ in range(count):
        file.write_text(spoil(whole, rng), encoding="utf-8")
        words = ["board", "check", str(file), "--game", name]
        done = run(words)
        assert done.code in (0, 2)
        if done.code:
            check_one_line(words, done.err)
            assert str(file) in done.err
        else:
            assert done.out.startswith(f"{file}: a board of {game.title}, ")
        refused += done.code == 2
    assert refused > 0.3 * count


def board_text(game: Game, ending: str) -> str:
    """Return the default board as text for people to change."""
    assert game.boards is not None
    board = game.boards.printed()
    if ending == "json":
        return json.dumps(board, indent=1)
    return template(game.boards.about, board, game.boards.comments)


# For each game a change to the default board as TOML, where a record's setup has it, and what is there then.
CHANGES: dict[str, tuple[str, str, Callable[[Any], Any], Any]] = {
    "old_london_bridge": (
        'coins = ["X", 1, 2, 3, 2, 1]',
        'coins = ["X", 9, 8, 7, 6, 5]',
        lambda setup: setup["rondel"]["coins"],
        ["X", 9, 8, 7, 6, 5],
    ),
    "portobello_market": (
        "values = [3, 2, 1, 2, 3]",
        "values = [1, 1, 3, 1, 1]",
        lambda setup: setup["alleys"][3]["values"],
        [1, 1, 3, 1, 1],
    ),
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("ending", ["toml", "json"])
def test_an_own_board_goes_from_the_template_into_records_and_their_analysis(
    name: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench, "MANY_GAMES", 20)
    old, new, place, values = CHANGES[name]
    whole = run(["board", "new", "--game", name]).out
    assert old in whole
    own = Path(f"own.{ending}")
    own.write_text(whole.replace(old, new, 1))
    if ending == "json":
        own.write_text(json.dumps(tomllib.loads(own.read_text())))
    checked = run(["board", "check", str(own), "--game", name, "--svg", "own.svg"])
    assert checked.code == 0, checked.err
    assert "unlike the default board in" in checked.out
    chosen = ["--game", name, "--board", str(own)]
    words = ["record", "--games", "3", "--players", "2", "--out", "games.jsonl", *chosen]
    assert run(words).code == 0
    measured = run(["bench", "--players", "2", "--seconds", "0.01", "--batch", "4", "--json", "-", *chosen])
    assert json.loads(measured.out)["command"].endswith(f"--board {own}")
    own.unlink()  # the records have all of it
    records = load_records("games.jsonl")
    assert [place(record["setup"]) for record in records] == [values] * 3
    assert all(replay(record).over for record in records)
    report = run(["games.jsonl"], analyse)
    assert report.code == 0, report.err
    assert report.out.startswith("3 games, ")


def test_training_is_not_measured_on_an_own_board(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('coins = ["X", 9, 8, 7, 6, 5]')
    words = ["bench", "--train", "--board", str(tmp_path / "own.toml")]
    done = run(words)
    assert (done.code, done.out) == (2, "")
    assert "--train measures training as a whole: leave out all but --game, --seconds and --json" in done.err
