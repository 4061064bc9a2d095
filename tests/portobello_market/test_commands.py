"""The options of the game in commands: typed with hyphens, and boards read from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from olb_env import load_records
from olb_env.commands.olb import main
from olb_env.portobello_market import GAME
from tests.portobello_market.positions import SHORT_BOARD
from tests.portobello_market.test_boards import alley

COMMANDS = {
    "record": ["--games", "1", "--agents", "random", "--out", "out"],
    "arena": ["--deals", "2", "--agents", "random", "random", "--workers", "1", "--json", "out"],
}


def olb(command: str, *words: str) -> int:
    return main([command, "--game", GAME.name, "--players", "2", *COMMANDS[command], *words])


def save_board(name: str, board: Any) -> str:
    Path(name).write_text(json.dumps(board), encoding="utf-8")
    return name


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_games_on_a_board_from_a_file_are_recorded() -> None:
    assert olb("record", "--board", save_board("own.json", SHORT_BOARD), "--start-score", "3") == 0
    (record,) = load_records("out")
    assert record["setup"]["start_score"] == 3
    assert record["setup"]["alleys"] == list(SHORT_BOARD["alleys"].values())


@pytest.mark.compiled
def test_a_tournament_keeps_its_board(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own, other = save_board("own.json", SHORT_BOARD), save_board("other.json", alley(values=[1, 2]))
    assert olb("arena", "--board", own, "--start-score", "0", "--resume", "run", "--html", "page.html") == 0
    played = json.loads(Path("out").read_text(encoding="utf-8"))
    assert played["plan"]["options"] == {"board": SHORT_BOARD, "start_score": 0}
    assert "portobello_market, start_score 0, custom board, 2 players" in Path("page.html").read_text(encoding="utf-8")
    capsys.readouterr()
    for words in (("--board", other), ("--start-score", "10")):
        assert olb("arena", "--resume", "run", *words) == 2
        assert capsys.readouterr().err == (
            f"olb arena: run holds a tournament with another {words[0]}: name another --resume file\n"
        )
    assert olb("arena", "--resume", "run", "--board", own) == 0
    (folder / own).unlink()  # the journal holds the board
    assert olb("arena", "--resume", "run") == 0
    assert json.loads(Path("out").read_text(encoding="utf-8")) == played


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read own.json: No such file or directory"),
        (b"\xff\xfe{", "cannot read own.json: it is not text in UTF-8"),
        (
            b"alleys\n: none",
            "own.json, line 1: not JSON: Expecting value",
        ),
        (b"null", "own.json holds None: expected a mapping"),
        (b"[" * 100_000, "own.json is not JSON: maximum recursion depth"),
        (b"[1,\n2]", "own.json holds [1, 2]: expected a mapping"),
        (b'{"rivers": []}', "own.json, line 1: board has the key 'rivers': expected any of plazas, alleys, districts"),
        (b'{"plazas":\n{"P1": [1, true]}}', "own.json, line 2: plaza P1 is at [1, True]: expected [x, y]"),
    ],
)
def test_an_unreadable_board_is_refused_with_a_one_line_message(
    command: str, content: bytes | None, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path("own.json").write_bytes(content)
    assert olb(command, "--board", "own.json") == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1
    assert not Path("out").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_options_are_typed_with_hyphens(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--game", GAME.name, "--help"])
    shown = capsys.readouterr().out
    assert "--start-score" in shown
    assert "--start_score" not in shown
    with pytest.raises(SystemExit) as stopped:
        olb(command, "--start_score", "0")
    assert stopped.value.code == 2
    assert "unknown option --start_score, did you mean --start-score?" in capsys.readouterr().err
