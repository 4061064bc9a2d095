"""Records hold what was played, and records that no game could have produced are refused."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olb_env import RecordError, load_records, replay
from olb_env.core.records import LONGEST_LINE
from olb_env.old_london_bridge import GAME
from olb_env.playing import play_game
from tests.support.bad_records import Corruption, check_refused, every_corruption, swap


@pytest.fixture(scope="module")
def played() -> dict[str, Any]:
    setup = GAME.rules.configure(num_players=3, scoring="random")
    return play_game(GAME, setup, 12, ["random"] * 3, legal=True)


@pytest.fixture
def record(played: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(played)


def test_a_record_has_the_keys_of_the_format_in_order(record: dict[str, Any]) -> None:
    keys = [
        "game",
        "version",
        "players",
        "seed",
        "agents",
        "scoring",
        "setup",
        "moves",
        "money",
        "ranking",
        "breakdown",
    ]
    assert list(record) == keys
    assert list(record["setup"]) == [
        "stacks", "stack_order", "markers", "bonus", "chapel_start", "rondel", "chapel_track", "gate_track",
    ]  # fmt: skip
    assert record["setup"]["chapel_track"] == {"length": 14, "coins": {"2": 1, "5": 2, "8": 3, "11": 5}}
    assert record["setup"]["gate_track"] == {"length": 15, "bonus": [3, 6, 9, 12]}
    assert len(record["setup"]["stacks"]["guild"]) == 12
    assert record["setup"]["stacks"]["guild"][0][1] == "all"
    assert record["setup"]["stacks"]["park"][0][0] == 0
    assert list(record["breakdown"][0]) == [
        "in_play", "chapel", "gate", "inn", "bridge", "empty_spaces", "bonus_tiles",
    ]  # fmt: skip


def test_blank_lines_are_skipped(record: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("\n" + json.dumps(record) + "\n\n", encoding="utf-8")
    assert len(load_records(path)) == 1


def duplicate_tile(record: dict[str, Any]) -> None:
    record["setup"]["stacks"]["inn"][3] = list(record["setup"]["stacks"]["inn"][4])


def other_seat(record: dict[str, Any]) -> None:
    record["moves"][6][0] = (record["moves"][6][0] + 1) % 3


BAD: list[Corruption] = [
    ("unknown game", lambda r: swap(r, "game", value="chess"), "unknown game 'chess'"),
    ("game not a name", lambda r: swap(r, "game", value=["chess"]), "game is ['chess']: expected a name"),
    ("no game", lambda r: r.pop("game"), "the record has no 'game'"),
    ("no scoring", lambda r: r.pop("scoring"), "the record has no 'scoring'"),
    ("no setup", lambda r: r.pop("setup"), "the record has no 'setup'"),
    ("version", lambda r: swap(r, "version", value=1), "version is 1: expected 0"),
    ("version bool", lambda r: swap(r, "version", value=False), "version is False: expected 0"),
    ("players", lambda r: swap(r, "players", value=5), "num_players is 5: expected 2, 3 or 4"),
    ("players text", lambda r: swap(r, "players", value="3"), "num_players is '3'"),
    ("seed", lambda r: swap(r, "seed", value=-1), "seed is -1: expected a whole number"),
    ("agents", lambda r: swap(r, "agents", value=["random"]), "agents are ['random']: expected 3 names"),
    ("scoring name", lambda r: swap(r, "scoring", "inn", value="beds"), "scoring of inn is 'beds': expected one of"),
    ("scoring area", lambda r: r["scoring"].pop("inn"), "expected a mapping of chapel, gate, inn, bridge to names"),
    ("setup not an object", lambda r: swap(r, "setup", value=[]), "setup is []: expected a mapping"),
    ("setup key", lambda r: r["setup"].pop("markers"), "setup lacks 'markers'"),
    ("setup extra", lambda r: swap(r, "setup", "dice", value=1), "setup has 'dice'"),
    ("tile twice", duplicate_tile, "is there twice"),
    ("tile missing", lambda r: r["setup"]["stacks"]["gate"].pop(), "the gate stack has 11 tiles: expected 12"),
    ("kind missing", lambda r: r["setup"]["stacks"].pop("gate"), "tiles lack the kind gate"),
    ("track without coins", lambda r: r["setup"]["chapel_track"].pop("coins"), "chapel_track has no coins: expected"),
    ("track without bonus", lambda r: r["setup"]["gate_track"].pop("bonus"), "gate_track has no bonus: expected"),
    ("crest", lambda r: swap(r, "setup", "stacks", "gate", 0, 1, value="pink"), "has the crest 'pink'"),
    ("marker missing", lambda r: r["setup"]["markers"].pop(), "setup has 11 markers: expected 12 with 3 players"),
    ("marker value", lambda r: swap(r, "setup", "markers", 0, value=4), "setup has the marker 4: expected 1, 2 or 3"),
    ("markers", lambda r: swap(r, "setup", "markers", value=[1] * 12), "setup has the marker 1 12 times: there are 5"),
    (
        "bonus pile",
        lambda r: swap(r, "setup", "bonus", 1, 0, value="dragon"),
        "bonus pile 2 has 'dragon'",
    ),
    ("bonus piles", lambda r: r["setup"]["bonus"].pop(), "there are 2 bonus piles: expected 3"),
    ("stairs", lambda r: swap(r, "setup", "chapel_start", value=[0, 0, 1]), "chapel_start is [0, 0, 1]"),
    ("stairs text", lambda r: swap(r, "setup", "chapel_start", value="012"), "chapel_start is '012'"),
    ("rondel", lambda r: r["setup"]["rondel"].pop("turn"), "expected a mapping with 'coins' and 'turn'"),
    ("rondel turn", lambda r: swap(r, "setup", "rondel", "turn", value=6), "rondel turn is 6: expected 0 to 5"),
    ("track", lambda r: swap(r, "setup", "gate_track", "length", value=99), "gate_track has the length 99"),
    (
        "name that cannot be encoded",
        lambda r: swap(r, "agents", 0, value="\ud800"),
        "expected 3 names of printable characters",
    ),
    (
        "name with a control character",
        lambda r: swap(r, "agents", 0, value="a\0"),
        "expected 3 names of printable characters",
    ),
    ("moves", lambda r: swap(r, "moves", value="play 3"), "moves are 'play 3': expected a list"),
    ("move", lambda r: swap(r, "moves", 4, value=["play 3"]), "move 5: ['play 3'] is not a move"),
    ("unknown action", lambda r: swap(r, "moves", 4, 1, value="fly 3"), "move 5: unknown action 'fly 3'"),
    ("action not a text", lambda r: swap(r, "moves", 4, 1, value=3), "move 5: unknown action 3"),
    ("seat not a number", lambda r: swap(r, "moves", 4, 0, value="0"), "move 5: the seat is '0'"),
    ("illegal move", lambda r: swap(r, "moves", 0, 1, value="done"), "move 1: 'done' is not legal, expected one of"),
    ("wrong seat", other_seat, "move 7: seat"),
    ("legal set", lambda r: r["moves"][8][2].pop(), "move 9: the legal actions are"),
    ("after the end", lambda r: r["moves"].append([0, "done"]), "the game was over after"),
    ("money", lambda r: swap(r, "money", 0, value=1000), "money is [1000,"),
    ("ranking", lambda r: r["ranking"].reverse(), "ranking is"),
    ("breakdown", lambda r: swap(r, "breakdown", 0, "inn", value=77), "breakdown is"),
    ("money too early", lambda r: swap(r, "moves", value=r["moves"][:9]), "money is given, but the game is not over"),
]


@every_corruption(BAD)
def test_an_impossible_record_is_refused_with_its_reason(
    record: dict[str, Any], corrupt: Callable[[dict[str, Any]], Any], reason: str, tmp_path: Path
) -> None:
    check_refused(record, corrupt, reason, tmp_path)


def test_the_error_names_the_first_bad_move(record: dict[str, Any]) -> None:
    record["moves"][20][1] = "fly away"
    record["moves"][3] = [record["moves"][3][0], "done"]
    with pytest.raises(RecordError, match="move 4: 'done' is not legal"):
        replay(record)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[1, 2]", "expected a JSON object, got [1, 2]"),
        ('{"game": "old_london_bridge"}', "the record has no 'version'"),
        ("[" * 100_000, "not JSON"),
        ("\ud800", "not JSON"),
    ],
)
def test_a_line_that_is_not_a_record_is_refused_with_its_number(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass") + b"\n")
    with pytest.raises(RecordError, match=r"line 1: .*" + re.escape(reason)):
        load_records(path)


def test_a_missing_file_raises_the_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_records(tmp_path / "nothing.jsonl")


def test_a_line_without_an_end_is_refused_before_memory_is_full(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    with file.open("wb") as writing:
        writing.truncate(LONGEST_LINE + 1)  # zeros that take no room on the disk
    with pytest.raises(RecordError, match="line 1 is too long for a record: expected at most 16,777,216 bytes"):
        load_records(file)
