"""`olb board`, and boards from files in the other commands."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from olb_env import load_records, old_london_bridge_v0, portobello_market_v0, replay
from olb_env.commands.olb import main
from olb_env.old_london_bridge.board import printed_board
from olb_env.portobello_market import board as market

OWN = """\
coins = ["X", 9, 9, 9, 9, 9]
[gate_track]
length = 4
bonus = [1, 4]
end = 3
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "own.toml"
    file.write_text(OWN)
    return file


def test_new_prints_the_default_board_which_check_accepts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["board", "new"]) == 0
    file = tmp_path / "new.toml"
    file.write_text(capsys.readouterr().out)
    assert tomllib.loads(file.read_text()) == printed_board()
    assert main(["board", "check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: a board of Old London Bridge, the same as the default board\n"


def test_check_says_what_differs_and_draws_the_board(
    own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    picture = tmp_path / "own.svg"
    assert main(["board", "check", str(own), "--svg", str(picture)]) == 0
    printed = capsys.readouterr().out
    assert f"{own}: a board of Old London Bridge, unlike the default board in coins, gate_track" in printed
    assert picture.read_text().count(">£9<") == 5
    assert "£3+tile" in picture.read_text()


def test_check_asks_about_what_looks_like_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alleys = market.printed_board()["alleys"]
    moved = {"A8": ["P1", "P2"], "A17": ["P2", "P5"], "A7": ["P2", "P9"]}  # all that led to P8
    alleys = {name: {**alleys[name], "ends": ends} for name, ends in moved.items()}
    file = tmp_path / "market.json"
    file.write_text(json.dumps({"alleys": alleys, "plazas": {"P3": [39, 10]}}))
    assert main(["board", "check", str(file), "--game", "portobello_market"]) == 0
    asked = capsys.readouterr().out.splitlines()[1:]
    assert asked == [
        "Is that meant? No alley leads to P8.",
        "Is that meant? P2 and P3 are drawn at the same place.",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check"], "name the file to check, as in olb board check mine.toml"),
        (["check", "board.txt"], "'board.txt' is no file of a board: expected FILE.toml or FILE.json"),
        (["check", "none.toml"], "cannot read none.toml: No such file or directory"),
        (["new", "mine.toml"], "new takes no file: it prints the board"),
        (["new", "--svg", "mine.svg"], "new takes no file: it prints the board"),
        (["draw"], "invalid choice: 'draw'"),
        (["new", "--game", "wobbly_bridge"], "The Wobbly Bridge has no board that could be replaced"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        raise SystemExit(main(["board", *words]))
    assert stopped.value.code == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1
    assert not printed.out


@pytest.mark.parametrize("command", ["board check", "record", "bench", "arena"])
def test_every_command_names_the_line_of_a_mistake(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(OWN.replace("length = 4", "length = 3"))
    options = {
        "board check": [str(file)],
        "record": ["--out", str(tmp_path / "x"), "--board", str(file)],
        "bench": ["--seconds", "0.01", "--board", str(file)],
        "arena": ["--agents", "random", "greedy", "--board", str(file)],
    }[command]
    with pytest.raises(SystemExit) as stopped:
        raise SystemExit(main([*command.split(), *options]))
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert f"{file}, line 4: gate_track names the space 4: expected 1 to 3" in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_games_on_a_board_from_a_file_are_recorded_and_replayed(ending: str, own: Path, tmp_path: Path) -> None:
    board, out = own.with_suffix(ending), tmp_path / "games.jsonl"
    if ending == ".json":
        board.write_text(json.dumps(tomllib.loads(OWN)))
    words = ["record", "--games", "2", "--players", "2", "--rulings", "debts=owed", "--out", str(out)]
    assert main([*words, "--board", str(board)]) == 0
    board.unlink()  # the record has all of it
    for record in load_records(out):
        assert record["setup"]["rondel"]["coins"] == ["X", 9, 9, 9, 9, 9]
        assert record["setup"]["gate_track"] == {"length": 4, "bonus": [1, 4], "end": 3}
        assert record["rulings"] == {"debts": "owed"}
        assert replay(record).over


def test_an_environment_takes_the_file_too(own: Path) -> None:
    for board in (own, str(own)):
        env = old_london_bridge_v0.raw_env(board=board)
        env.reset(seed=1)
        assert env.record()["setup"]["rondel"]["coins"] == ["X", 9, 9, 9, 9, 9]
        env.reset(seed=1, options={"board": None})
        assert env.record()["setup"]["rondel"]["coins"] == ["X", 1, 2, 3, 2, 1]


@pytest.mark.compiled
def test_bench_measures_on_another_board(own: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    words = ["bench", "--players", "2", "--batch", "8", "--seconds", "0.01", "--json", str(out)]
    assert main([*words, "--board", str(own), "--scoring", "gate=steps"]) == 0
    command = json.loads(out.read_text())["command"]
    assert command.endswith(f"--scoring gate=steps --board {own}")


CHAPELS = [[1, "green"], *printed_board()["tiles"]["chapel"][1:]]  # number 1 is that of a gate
SMALL_MISTAKES = {
    "a shorter track": (
        "old_london_bridge",
        "[chapel_track]\nlength = 10\n",
        "go up to space 11: expected coins too",
    ),
    "a number that another stack has": (
        "old_london_bridge",
        f"[tiles]\nchapel = {json.dumps(CHAPELS)}\n",
        "line 2: the number 1 is there twice, in the gate and the chapel stack",
    ),
    "a kind that is misspelt": (
        "old_london_bridge",
        "[tiles]\nmercers = []\n",
        "line 2: tiles have the kind 'mercers': expected chapel, gate, inn, mercer, guild, park",
    ),
    "a key that is misspelt": (
        "old_london_bridge",
        "[gate_track]\nlenght = 9\n",
        "line 2: gate_track has the key 'lenght': expected any of length, coins, bonus, end",
    ),
    "a board of another game": (
        "old_london_bridge",
        "[alleys]\nA1 = { values = [3, 2, 3] }\n",
        "(is it a board of Portobello Market? then add --game portobello_market)",
    ),
    "a district that another one is": (
        "portobello_market",
        '[districts]\nD1 = ["A2", "A11", "A12"]\n',
        "line 2: district D3 is A2, A11, A12, as D1 is: expected different ones",
    ),
    "a board of no game": ("portobello_market", "[seats]\n", "board has the key 'seats': expected any of"),
}


@pytest.mark.parametrize("name", SMALL_MISTAKES)
def test_mistakes_are_named_where_the_owner_made_them(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game, text, message = SMALL_MISTAKES[name]
    file = tmp_path / "own.toml"
    file.write_text(text)
    assert main(["board", "check", str(file), "--game", game]) == 2
    error = capsys.readouterr().err
    assert error.endswith(f"{message}\n") or f"{message} " in error
    assert error.count("\n") == 1


def test_an_alley_may_leave_out_what_is_as_by_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[alleys]\nA1 = { values = [3, 2, 3] }\n")
    assert main(["board", "check", str(file), "--game", "portobello_market"]) == 0
    assert capsys.readouterr().out.endswith("unlike the default board in alleys\n")


def test_check_asks_about_a_rondel_of_crosses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.toml"
    file.write_text('coins = ["X", "X", "X", "X", "X", "X"]\n')
    assert main(["board", "check", str(file)]) == 0
    assert "Is that meant? Every outer space of the rondel is an X" in capsys.readouterr().out


def test_every_command_takes_a_board_as_json(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    words = ["record", "--games", "1", "--players", "2", "--agents", "random", "--out", str(out), "--board"]
    assert main([*words, json.dumps(tomllib.loads(OWN))]) == 0
    (from_json,) = load_records(out)
    assert main([*words, str(own)]) == 0
    assert load_records(out) == [from_json]
    assert main([*words, '{"coins": [']) == 2
    assert "board is '{\"coins\": [': not JSON: " in capsys.readouterr().err


def test_a_replay_draws_plazas_where_the_owner_has_them(tmp_path: Path) -> None:
    file, out = tmp_path / "own.toml", tmp_path / "games.jsonl"
    file.write_text("[plazas]\nP1 = [100, 110]\n")
    words = ["--game", "portobello_market", "--games", "1", "--players", "2", "--agents", "random"]
    assert main(["record", *words, "--board", str(file), "--out", str(out)]) == 0
    (record,) = load_records(out)
    assert record["setup"]["plazas"][0] == [100, 110]
    env = portobello_market_v0.raw_env(num_players=2, board=str(file))
    env.reset(seed=1)
    where = re.compile(r"<text [^>]*>P1</text>")
    assert where.findall(replay(record).position(0).svg()) == where.findall(env.position().svg())
