"""The commands `olb play` and `olb replay`: what they refuse, and what they serve."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from olb_env.commands import serving
from olb_env.commands.olb import main
from olb_env.core.boards import template
from olb_env.core.game import find
from olb_env.core.records import save_records
from olb_env.playing import play_game
from olb_env.portobello_market.board import PRINTED
from tests.support.pages import GAME, some_records
from tests.support.toy_game import PEBBLES


@pytest.mark.compiled
def test_mistakes_are_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, bad, mixed = tmp_path / "empty.jsonl", tmp_path / "bad.jsonl", tmp_path / "mixed.jsonl"
    empty.write_text("")
    bad.write_text('{"game": "chess"}\n')
    setup = PEBBLES.rules.configure(num_players=2)
    save_records(mixed, [*some_records(1), play_game(PEBBLES, setup, 1, ["random", "random"])])
    own = tmp_path / "own.jsonl"
    save_records(own, some_records(1))
    for words, message in (
        (["replay", str(tmp_path / "none.jsonl")], "cannot read"),
        (["replay", str(empty)], "holds no games"),
        (["replay", str(bad)], "line 1"),
        (["replay", str(mixed)], "mixes records"),
        (["replay", "--game", PEBBLES.name, str(own)], "holds records of old_london_bridge, not of pebbles"),
        (["play", "--adviser", "random"], "cannot evaluate moves"),
        (["play", "--agents", "nobody"], "unknown agent 'nobody'"),
    ):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1


@pytest.mark.parametrize("named", [[], ["--game", PEBBLES.name]])
def test_records_are_shown_for_the_game_they_are_of(
    named: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, served = tmp_path / "games.jsonl", []
    save_records(file, [play_game(PEBBLES, PEBBLES.rules.configure(num_players=2), 1, ["random", "random"])])
    monkeypatch.setattr("olb_env.commands.replay.serve", lambda _options, game, records: served.append(game.name) or 0)
    assert main(["replay", *named, str(file)]) == 0
    assert served == [PEBBLES.name]


def test_a_port_in_use_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["play", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert "name another --port" in capsys.readouterr().err


@pytest.mark.parametrize("package", ["uvicorn", "h11", "starlette", "markdown_it"])
def test_a_missing_package_is_reported_before_anything_else(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_early(*_: Any, **__: Any) -> Any:
        raise AssertionError("this takes time, and is of no use without the package")

    monkeypatch.setitem(sys.modules, package, None)
    for slow in ("serving.agent_for", "serving._make_adviser", "replay.load_records", "play.game_options"):
        monkeypatch.setattr(f"olb_env.commands.{slow}", too_early)
    for words in (["play"], ["replay", str(tmp_path / "none.jsonl")]):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert package in error
        assert error.endswith("pip install olb-env[play]\n")
        assert error.count("\n") == 1


class Served(NamedTuple):
    """What would have been served."""

    game: str
    records: list[Any]
    given: dict[str, tuple[str, Any]]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Served]:
    """The servers that commands start, which serve nothing here."""
    found: list[Served] = []

    def serve(_options: Any, game: Any, records: Any = (), given: Any = None, **_: Any) -> int:
        found.append(Served(game.name, list(records), given or {}))
        return 0

    for command in ("play", "replay"):
        monkeypatch.setattr(f"olb_env.commands.{command}.serve", serve)
    return found


def own_board(folder: Path, name: str, **changes: Any) -> str:
    """Write a board of a game with changes, and return its file."""
    boards = find(name).boards
    assert boards is not None
    file = folder / f"{name}.toml"
    file.write_text(template(boards.about, {**boards.printed(), **changes}, boards.comments), "utf-8")
    return str(file)


def test_options_of_a_game_are_defaults_of_the_page(
    tmp_path: Path, served: list[Served], capsys: pytest.CaptureFixture[str]
) -> None:
    board = own_board(tmp_path, "old_london_bridge", coins=[9, 8, 7, 6, 5, 4])
    words = ["--board", board, "--scoring", "gate=steps", "--memory", "table", "--rulings", "debts=owed"]
    assert main(["play", *words]) == 0
    assert served[0].given["scoring"] == ("gate=steps", {"gate": "steps"})
    assert served[0].given["memory"] == ("table", "table")
    assert served[0].given["board"][0] == board
    assert served[0].given["board"][1]["coins"] == [9, 8, 7, 6, 5, 4]
    Path(board).write_text("coins = 5\n")
    for wrong, message in (
        (["--board", board], "line 1: "),
        (["--board", str(tmp_path / "none.toml")], "cannot read"),
        (["--board", "third"], "board is 'third': expected first, second"),
        (["--scoring", "gate=x"], "scoring of gate is 'x'"),
        (["--rulings", "debts=x"], "the ruling on debts is 'x'"),
        (["--game", "portobello_market", "--start-score", "-5"], "start_score is '-5'"),
    ):
        assert main(["play", *wrong]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    assert len(served) == 1


def test_a_file_of_a_board_is_called_by_its_name_on_the_page() -> None:
    assert serving._label("/home/me/games/mine.toml") == "mine.toml"
    assert serving._label("gate=steps") == "gate=steps"
    assert serving._label("half\udcff.json") == "half\\udcff.json"


MOVED_PLAZAS = {f"P{number}": [10 * number, 9 * number] for number in range(1, 12)}
LONGER_ALLEYS = {**PRINTED["alleys"], "A1": {"ends": ["P1", "P2"], "values": [9, 9, 9, 9]}}


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("old_london_bridge", {"coins": [9, 8, 7, 6, 5, 4]}),
        ("portobello_market", {"plazas": MOVED_PLAZAS, "alleys": LONGER_ALLEYS}),
    ],
)
def test_only_games_on_one_board_are_shown(
    name: str, changes: dict[str, Any], tmp_path: Path, served: list[Served], capsys: pytest.CaptureFixture[str]
) -> None:
    game, file, board = find(name), tmp_path / "games.jsonl", own_board(tmp_path, name, **changes)

    def played(seed: int, **options: Any) -> Any:
        setup = game.rules.configure(**options)
        return play_game(game, setup, seed, ["random"] * game.num_players(setup[0]))

    rulings = {next(iter(game.rulings)): next(iter(game.rulings.values())).values[-1]}
    default = [played(1), played(2, num_players=2), played(3, rulings=rulings)]
    own = [played(4, board=board), played(5, board=board, num_players=3, rulings=rulings)]
    save_records(file, [default[0], own[0], default[1], own[1], default[2]])
    printed = own_board(tmp_path, name) if Path(board).rename(tmp_path / "own.toml") else ""
    assert main(["replay", str(file), "--board", str(tmp_path / "own.toml")]) == 0
    assert served[-1] == (name, own, {})
    assert capsys.readouterr().err == "2 of 5 games were played on this board\n"
    assert main(["replay", str(file), "--board", printed]) == 0
    assert served[-1] == (name, default, {})
    save_records(file, default[:1])
    assert main(["replay", str(file), "--board", str(tmp_path / "own.toml")]) == 2
    error = capsys.readouterr().err
    assert "holds 1 game, none on the board" in error
    assert error.endswith(": leave --board out to see all\n")


def test_boards_that_no_record_can_have_are_refused(
    tmp_path: Path, served: list[Served], capsys: pytest.CaptureFixture[str]
) -> None:
    own, bridge = tmp_path / "own.jsonl", tmp_path / "bridge.jsonl"
    save_records(own, some_records(1))
    game = find("wobbly_bridge")
    save_records(bridge, [play_game(game, game.rules.configure(num_players=3), 1, ["random"] * 3)])
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("colour = 5\n")
    for file, board, message in (
        (own, str(tmp_path / "none.toml"), "cannot read"),
        (own, str(wrong), "line 1: board has the key 'colour'"),
        (own, "x" * 5000, "board is 'xxx"),
        (bridge, "second", "The Wobbly Bridge has no board that could differ: leave --board out"),
    ):
        assert main(["replay", str(file), "--board", board]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
        assert len(error) < 600
    assert not served


def test_names_that_no_record_could_hold_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a\nb.py"
    file.write_text("class First:\n    def act(self, view):\n        return view.legal[0]\n")
    assert main(["play", "--agents", f"{file}:First"]) == 2
    error = capsys.readouterr().err
    assert "expected a name of printable characters" in error
    assert error.count("\n") == 1


def test_a_game_without_a_champion_is_served_without_an_adviser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nobody(name: str, game: Any) -> Any:
        raise ValueError(f"there is no {name} of {game.name} yet")

    assert serving._make_adviser("champion", GAME, nobody) is None
    assert capsys.readouterr().err == "moves are not evaluated: there is no champion of old_london_bridge yet\n"
    with pytest.raises(ValueError, match="there is no other"):
        serving._make_adviser("other", GAME, nobody)
