"""Records of The Wobbly Bridge: their keys, and the refusal of records that no game could have left (§6)."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olb_env import RecordError, replay
from olb_env.playing import play_game
from olb_env.wobbly_bridge import GAME
from olb_env.wobbly_bridge.components import EVENTS
from tests.support.bad_records import Corruption, check_refused, every_corruption, swap
from tests.wobbly_bridge.reference import could_be_revealed


@pytest.fixture(scope="module")
def played() -> dict[str, Any]:
    return play_game(GAME, GAME.rules.configure(num_players=4), 12, ["random"] * 4, legal=True)


@pytest.fixture
def record(played: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(played)


def test_a_record_has_the_keys_of_the_format_in_order(record: dict[str, Any]) -> None:
    keys = ["game", "version", "players", "seed", "agents", "setup", "moves", "positions", "rank"]
    assert list(record) == keys
    assert record["game"] == "wobbly_bridge"
    assert list(record["setup"]) == ["specials", "events"]
    assert sorted(record["setup"]["specials"]) == ["heavy", "idea", "idea", "order"]
    assert len(record["setup"]["events"]) == 6
    assert len(record["positions"]) == len(record["rank"]) == 4


def test_seats_differ_in_their_special_cards(record: dict[str, Any]) -> None:
    assert GAME.records.starts(replay(record).final[0]) == record["setup"]["specials"]


def specials(*cards: str) -> Callable[[dict[str, Any]], None]:
    return lambda record: swap(record, "setup", "specials", value=list(cards))


def events(*names: str) -> Callable[[dict[str, Any]], None]:
    return lambda record: swap(record, "setup", "events", value=list(names))


BAD: list[Corruption] = [
    ("no setup", lambda r: r.pop("setup"), "the record has no 'setup'"),
    ("version", lambda r: swap(r, "version", value=1), "version is 1: expected 0"),
    ("players", lambda r: swap(r, "players", value=2), "num_players is 2: expected 3 to 6"),
    ("players many", lambda r: swap(r, "players", value=7), "num_players is 7: expected 3 to 6"),
    ("players text", lambda r: swap(r, "players", value="4"), "num_players is '4'"),
    ("players bool", lambda r: swap(r, "players", value=True), "num_players is True"),
    ("other players", lambda r: swap(r, "players", value=5), "setup has 4 specials: expected 5"),
    ("agents", lambda r: swap(r, "agents", value=["random"]), "agents are ['random']: expected 4 names"),
    ("setup no object", lambda r: swap(r, "setup", value=[]), "setup is []: expected a mapping"),
    ("setup key", lambda r: r["setup"].pop("events"), "setup lacks 'events': expected specials, events"),
    ("setup extra", lambda r: swap(r, "setup", "dice", value=1), "setup has 'dice': expected specials, events"),
    ("no specials", lambda r: swap(r, "setup", "specials", value=None), "setup has None specials: expected 4"),
    ("specials text", lambda r: swap(r, "setup", "specials", value="idea"), "setup has 'idea' specials"),
    ("specials few", specials("idea", "order", "heavy"), "setup has 3 specials: expected 4"),
    ("special name", specials("idea", "order", "heavy", "leap"), "setup has 'leap' among the specials"),
    ("special number", lambda r: swap(r, "setup", "specials", 0, value=5), "setup has 5 among the specials"),
    ("two orders", specials("idea", "order", "heavy", "order"), "setup has order 2 times among the specials"),
    ("no heavy", specials("idea", "order", "idea", "idea"), "setup has heavy 0 times among the specials"),
    ("events few", events("calm", "east"), "setup has 2 events: expected 6"),
    ("events text", lambda r: swap(r, "setup", "events", value="calm"), "setup has 'calm' events: expected 6"),
    ("event name", events("calm", "east", "storm", "calm", "calm", "west"), "setup has 'storm' among the events"),
    ("five calm", events(*["calm"] * 5, "east"), "setup has calm as event 5, but none is left"),
    ("east twice", events("east", "calm", "east", "calm", "calm", "west"), "setup has east as event 3"),
    ("west after", events("east", "west", "west", "west", "calm", "calm"), "setup has west as event 4"),
    ("moves", lambda r: swap(r, "moves", value="play leap"), "moves are 'play leap': expected a list"),
    ("unknown action", lambda r: swap(r, "moves", 4, 1, value="play safe"), "move 5: unknown action 'play safe'"),
    ("wrong seat", lambda r: swap(r, "moves", 1, 0, value=0), "move 2: seat 0 moves, but it is the turn of seat 1"),
    ("legal set", lambda r: r["moves"][3][2].pop(), "move 4: the legal actions are"),
    ("after the end", lambda r: r["moves"].append([0, "play leap"]), "the game was over after"),
    ("positions", lambda r: swap(r, "positions", 0, value=22), "positions is [22,"),
    ("rank", lambda r: swap(r, "rank", value=[1, 1, 1, 1]), "rank is [1, 1, 1, 1]"),
    (
        "rank too early",
        lambda r: swap(r, "moves", value=r["moves"][:9]),
        "positions is given, but the game is not over",
    ),
]


@every_corruption(BAD)
def test_an_impossible_record_is_refused_with_its_reason(
    record: dict[str, Any], corrupt: Callable[[dict[str, Any]], Any], reason: str, tmp_path: Path
) -> None:
    check_refused(record, corrupt, reason, tmp_path)


def test_a_card_cannot_be_played_twice(record: dict[str, Any]) -> None:
    """In the second match seat 0 tries to play its first card again."""
    first = record["moves"][0][1]
    again = next(number for number, move in enumerate(record["moves"][1:], start=1) if move[0] == 0)
    if first == "play idea":
        again += 1
    record["moves"][again] = [0, first]
    with pytest.raises(RecordError, match=f"move {again + 1}: '{first}' is not legal, expected one of"):
        replay(record)


def test_events_are_accepted_exactly_if_some_shuffle_reveals_them() -> None:
    """Compared with the reference for all 729 rows of six events."""
    possible = 0
    for row in itertools.product(EVENTS, repeat=6):
        setup = {"players": 3, "setup": {"specials": ["order", "heavy", "idea"], "events": list(row)}}
        possible += could_be_revealed(row)
        if could_be_revealed(row):
            assert GAME.records.describe_setup(GAME.records.read_setup(setup)[0]) == setup
        else:
            with pytest.raises(ValueError, match="none is left in the deck"):
                GAME.records.read_setup(setup)
    assert 100 < possible < 300
