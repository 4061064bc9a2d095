"""Records of Portobello Market: their keys, and the refusal of records that no game could have left (§8)."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olb_env import replay
from olb_env.playing import play_game
from olb_env.portobello_market import GAME
from tests.support.bad_records import Corruption, check_refused, every_corruption, swap


@pytest.fixture(scope="module")
def played() -> dict[str, Any]:
    return play_game(GAME, GAME.rules.configure(num_players=3, customers="open"), 12, ["random"] * 3, legal=True)


@pytest.fixture
def record(played: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(played)


def test_a_record_has_the_keys_of_the_format_in_order(record: dict[str, Any]) -> None:
    assert list(record) == ["game", "version", "players", "seed", "agents", "setup", "moves", "scores", "rank"]
    assert record["game"] == "portobello_market"
    setup = record["setup"]
    assert list(setup) == ["start_score", "start_player", "open", "customers", "alleys", "districts"]
    assert (setup["start_score"], setup["open"]) == (10, True)
    assert setup["start_player"] in range(3)
    assert sorted(setup["customers"]) == ["burgher"] * 5 + ["servant"] * 5
    assert setup["alleys"][0] == {"ends": ["P1", "P2"], "values": [3, 1, 3]}
    assert setup["alleys"][7] == {"ends": ["P1", "P8"], "values": [3, 2, 1, 1, 2, 3]}
    assert len(setup["alleys"]) == 22
    assert setup["districts"][0] == ["A1", "A9", "A10"]
    assert len(setup["districts"]) == 12
    assert min(record["rank"]) == 1
    assert json.loads(json.dumps(record)) == record


@pytest.mark.parametrize("players", [2, 3, 4])
def test_another_board_and_start_score_are_in_the_record(players: int) -> None:
    board = {
        "alleys": {"A5": {"ends": ["P11", "P10"], "values": [9, 1, 2]}},
        "districts": {"D1": ["A10", "A1", "A9"]},
    }
    setup = GAME.rules.configure(num_players=players, start_score=3, board=board)
    record = play_game(GAME, setup, 5, ["random"] * players)
    assert record["setup"]["start_score"] == 3
    assert record["setup"]["alleys"][4] == {"ends": ["P11", "P10"], "values": [9, 1, 2]}
    assert record["setup"]["districts"][0] == ["A10", "A1", "A9"]
    assert replay(json.loads(json.dumps(record))).over


def set_up(*keys: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda record: swap(record, "setup", *keys, value=value)


BAD: list[Corruption] = [
    ("unknown game", lambda r: swap(r, "game", value="chess"), "unknown game 'chess'"),
    ("version", lambda r: swap(r, "version", value=1), "version is 1: expected 0"),
    ("players", lambda r: swap(r, "players", value=5), "num_players is 5: expected 2, 3 or 4"),
    ("players text", lambda r: swap(r, "players", value="3"), "num_players is '3'"),
    ("no setup", lambda r: r.pop("setup"), "the record has no 'setup'"),
    ("setup no object", lambda r: swap(r, "setup", value=[]), "setup is []: expected a mapping"),
    ("setup lacks", lambda r: r["setup"].pop("customers"), "setup lacks 'customers'"),
    ("setup extra", set_up("dice", value=1), "setup has 'dice'"),
    ("start score", set_up("start_score", value=-1), "start_score is -1"),
    ("start player", set_up("start_player", value=3), "start_player is 3: expected a seat from 0 to 2"),
    ("start player bool", set_up("start_player", value=True), "start_player is True"),
    ("start player text", set_up("start_player", value="0"), "start_player is '0'"),
    ("open", set_up("open", value=1), "open is 1: expected true or false"),
    ("customer missing", lambda r: r["setup"]["customers"].pop(), "setup has 9 customers: expected 10"),
    ("customers no list", set_up("customers", value="servant"), "setup has 'servant' customers: expected 10"),
    ("customer", set_up("customers", 0, value="lord"), "setup has the customer 'lord': expected servant or burgher"),
    ("customer none", set_up("customers", 0, value=""), "setup has the customer ''"),
    ("too many", set_up("customers", value=["servant"] * 10), "setup has the customer 'servant' 10 times: expected 5"),
    ("alleys", set_up("alleys", value={}), "alleys are {}: expected a list of all"),
    ("alley missing", lambda r: r["setup"]["alleys"].pop(), "board alleys are 21: expected a list of 22"),
    ("plaza", set_up("alleys", 0, "ends", 1, value="P12"), "alley A1 has the end 'P12'"),
    ("ends", set_up("alleys", 0, "ends", 1, value="P3"), "district D1 is A1, A9, A10: expected three"),
    ("lots", set_up("alleys", 3, "values", value=[1]), "alley A4 has the lots [1]: expected 2 to 6 values"),
    ("lot", set_up("alleys", 3, "values", 0, value="3"), "alley A4 has a lot of value '3'"),
    ("districts", set_up("districts", value=None), "districts are None: expected a list of all"),
    ("plazas", set_up("plazas", value={"P1": [1, 1]}), "plazas are {'P1': [1, 1]}: expected a list of all"),
    ("plaza missing", set_up("plazas", value=[[1, 1]]), "board plazas are 1: expected a list of 11"),
    ("plaza place", set_up("plazas", value=[[1, 1]] * 10 + [[1]]), "plaza P11 is at [1]: expected [x, y]"),
    ("district missing", lambda r: r["setup"]["districts"].pop(), "board districts are 11"),
    ("district alleys", lambda r: r["setup"]["districts"][2].pop(), "district D3 is ['A2', 'A11']: expected three"),
    ("district alley", set_up("districts", 2, 0, value="A99"), "district D3 has the alley 'A99'"),
    ("moves", lambda r: swap(r, "moves", value="draw"), "moves are 'draw': expected a list"),
    ("unknown action", lambda r: swap(r, "moves", 4, 1, value="fly D3"), "move 5: unknown action 'fly D3'"),
    ("illegal move", lambda r: swap(r, "moves", 0, 1, value="done"), "move 1: 'done' is not legal, expected one of"),
    ("wrong seat", lambda r: swap(r, "moves", 6, 0, value=(r["moves"][6][0] + 1) % 3), "move 7: seat"),
    ("legal set", lambda r: r["moves"][8][2].pop(), "move 9: the legal actions are"),
    ("after the end", lambda r: r["moves"].append([0, "done"]), "the game was over after"),
    ("scores", lambda r: swap(r, "scores", 0, value=1000), "scores is [1000,"),
    ("rank", lambda r: swap(r, "rank", value=[4, 4, 4]), "rank is [4, 4, 4]"),
    ("too early", lambda r: swap(r, "moves", value=r["moves"][:9]), "scores is given, but the game is not over"),
]


@every_corruption(BAD)
def test_an_impossible_record_is_refused_with_its_reason(
    record: dict[str, Any], corrupt: Callable[[dict[str, Any]], Any], reason: str, tmp_path: Path
) -> None:
    check_refused(record, corrupt, reason, tmp_path)
