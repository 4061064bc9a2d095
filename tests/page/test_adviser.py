"""An adviser's opinion of decisions, and recorded games with it over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from olb_env.core.records import replay
from olb_env.core.rewards import utilities_by_rank
from olb_env.page.adviser import BLUNDER, Adviser, Opinion, final_utilities
from olb_env.page.replays import ReplayViewer
from olb_env.playing import Views, play_game
from tests.support.pages import GAME, client, move, one_state, some_records, start
from tests.support.toy_game import PEBBLES


def all_evaluations(page: TestClient, number: int) -> dict[str, list[Any]]:
    """Return the evaluations of a whole game, requested piece by piece as the page does."""
    found: dict[str, list[Any]] = {"values": [], "verdicts": []}
    while True:
        part = page.get(f"/api/replays/{number}/evaluations/{len(found['verdicts'])}").json()
        for name, rows in found.items():
            rows.extend(part[name])
        if part["done"]:
            return found


def test_an_adviser_that_fails_is_named() -> None:
    page = client(adviser="tests.support.some_agents:Confused")
    response = page.get(f"{start(page)}/advice")
    assert response.status_code == 500
    expected = "agent 'tests.support.some_agents:Confused' failed with ValueError: no idea"
    assert response.json()["error"].startswith(expected)


def test_every_agent_that_evaluates_can_give_advice() -> None:
    page = client(adviser="tests.support.some_agents:Thoughtful")
    game = start(page, seat=0)
    snapshot, advice = page.get(game).json(), page.get(f"{game}/advice").json()
    assert advice["adviser"] == page.get("/api/setup").json()["adviser"] == "tests.support.some_agents:Thoughtful"
    assert list(advice["choices"]) == [choice["action"] for choice in snapshot["choices"]]
    assert {opinion["value"] for opinion in advice["choices"].values()} == {-1}


def test_every_agent_that_evaluates_can_judge_recorded_games() -> None:
    records = [play_game(PEBBLES, PEBBLES.rules.configure(), seed, ["random", "random"]) for seed in (1, 2)]
    page = client(game=PEBBLES, adviser="tests.support.some_agents:Thoughtful", viewer=ReplayViewer(records))
    listed = page.get("/api/replays").json()
    assert [game["move_count"] for game in listed["games"]] == [len(record["moves"]) for record in records]
    assert listed["total"] == 2
    game = page.get("/api/replays/1").json()
    assert {made["round"] for made in game["moves"]} == {None}
    evaluations = all_evaluations(page, 1)
    assert evaluations["values"][0] == [-1, 1]
    assert len(evaluations["values"]) == len(game["moves"]) + 1
    first = page.get("/api/replays/1/positions/0").json()
    assert [choice["probability"] for choice in first["choices"]] == [pytest.approx(1 / 3)] * 3
    last = page.get(f"/api/replays/1/positions/{len(game['moves'])}").json()
    assert (last["choices"], last["chosen"]) == ([], None)
    assert json.loads(page.get("/api/replays/2/record").text) == records[1]
    assert page.get("/api/replays/3").status_code == page.get("/api/replays/1/positions/99").status_code == 404


def test_recorded_games_are_shown_without_an_adviser() -> None:
    records = [play_game(PEBBLES, PEBBLES.rules.configure(), 1, ["random", "random"])]
    page = client(game=PEBBLES, viewer=ReplayViewer(records))
    assert page.get("/api/setup").json()["adviser"] is None
    assert page.get("/api/replays/1/evaluations/0").json() == {"error": "there is no adviser for pebbles"}
    assert "value" not in page.get("/api/replays/1/positions/0").json()["choices"][0]


@pytest.mark.compiled
def test_the_champion_advises_on_every_choice() -> None:
    page = client(adviser="champion")
    game = start(page, 3)
    for _ in range(6):
        snapshot, advice = page.get(game).json(), page.get(f"{game}/advice").json()
        assert advice["adviser"] == "champion"
        assert list(advice["choices"]) == [choice["action"] for choice in snapshot["choices"]]
        opinions = list(advice["choices"].values())
        assert sum(opinion["probability"] for opinion in opinions) == pytest.approx(1)
        assert all(-1 <= opinion["value"] <= 1 for opinion in opinions)
        assert page.get(f"{game}/advice").json() == advice
        move(page, game, snapshot)


@pytest.mark.compiled
def test_an_opinion_does_not_depend_on_hidden_information() -> None:
    adviser, (record,) = Adviser("champion", GAME), some_records(1)
    for number, (state, _, _) in enumerate(replay(record)):
        if number % 9 == 0:
            states = one_state(state)
            resampled = Views(GAME, states, [5]).states
            assert adviser.opinion(states, 7).probabilities == adviser.opinion(resampled, 7).probabilities


@pytest.mark.compiled
def test_the_champion_judges_recorded_games() -> None:
    records = some_records()
    page = client(viewer=ReplayViewer(records), adviser="champion")
    assert "olb replay" in page.get("/").text
    assert [game["number"] for game in page.get("/api/replays").json()["games"]] == [1, 2]
    game = page.get("/api/replays/2").json()
    assert game["names"] == ["random", "planner"]
    assert [[made["seat"], made["action"]] for made in game["moves"]] == records[1]["moves"]
    assert sorted({made["round"] for made in game["moves"]}) == [1, 2, 3, 4, 5, 6]
    first = page.get("/api/replays/2/positions/0").json()
    assert first["chosen"] == records[1]["moves"][0][1]
    assert sum(choice["probability"] for choice in first["choices"]) == pytest.approx(1)
    last = page.get(f"/api/replays/2/positions/{len(game['moves'])}").json()
    assert (last["choices"], last["chosen"]) == ([], None)
    evaluations = all_evaluations(page, 2)
    assert len(evaluations["values"]) == len(game["moves"]) + 1
    assert sorted(evaluations["values"][-1]) == [-1, 1]
    losses = {0: 0.0, 1: 0.0}
    for made, verdict in zip(game["moves"], evaluations["verdicts"], strict=True):
        losses[made["seat"]] += verdict["loss"]
        assert (verdict["verdict"] == "blunder") == (verdict["loss"] >= BLUNDER)
    assert losses[0] > losses[1]  # random plays worse than planner
    record = json.dumps(records[1], separators=(",", ":"), ensure_ascii=False)
    assert page.get("/api/replays/2/record").text.strip() == record
    for path in ("/api/replays/3", "/api/replays/0", "/api/replays/1/positions/9999"):
        assert page.get(path).status_code == 404


def test_the_final_utilities_are_those_of_the_ranks() -> None:
    assert utilities_by_rank(2) == [1, -1]
    assert utilities_by_rank(4) == pytest.approx([1, 0, -1 / 3, -2 / 3], abs=1e-6)
    (record,) = some_records(1)
    final = replay(record).final
    assert [final_utilities(GAME, final)[0, seat] for seat in record["ranking"]] == utilities_by_rank(2)


def test_choices_that_lose_much_value_are_mistakes_and_blunders() -> None:
    opinion = Opinion((2, 5, 7), (0.5, 0.3, 0.2), (0.4, 0.29, -0.1), (0.4, -0.4))
    assert [opinion.verdict(action) for action in (2, 5, 7)] == ["", "mistake", "blunder"]


def test_an_agent_without_evaluations_cannot_be_the_adviser() -> None:
    with pytest.raises(ValueError, match="agent 'random' cannot evaluate moves"):
        Adviser("random", GAME)
