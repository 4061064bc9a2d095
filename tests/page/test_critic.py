"""Opinions of a critic, and recorded games on the page: what is shown of them, over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from olb_env.core.records import replay
from olb_env.page.critic import BLUNDER, Critic, Opinion, results, utility
from olb_env.page.replays import ReplayViewer
from olb_env.playing import Views, play_game
from tests.support.pages import GAME, begin, client, one_state, recorded
from tests.support.toy_game import PEBBLES


def judge(page: TestClient, number: int) -> dict[str, list[Any]]:
    """All that is thought of a game, asked for piece by piece as the page does."""
    found: dict[str, list[Any]] = {"expected": [], "verdicts": []}
    while True:
        part = page.get(f"/api/replays/{number}/judged/{len(found['verdicts'])}").json()
        for name, rows in found.items():
            rows.extend(part[name])
        if part["done"]:
            return found


def test_a_critic_that_fails_is_named() -> None:
    page = client(critic="tests.support.some_agents:Confused")
    game = begin(page)
    answer = page.get(f"{game}/advice")
    assert answer.status_code == 500
    assert answer.json()["error"].startswith(
        "agent 'tests.support.some_agents:Confused' failed with ValueError: no idea"
    )


def test_any_agent_that_considers_can_be_asked() -> None:
    page = client(critic="tests.support.some_agents:Thoughtful")
    game = begin(page, seat=0)
    told, advice = page.get(game).json(), page.get(f"{game}/advice").json()
    assert list(advice["choices"]) == [choice["action"] for choice in told["choices"]]
    assert {thought["expected"] for thought in advice["choices"].values()} == {-1}
    records = [play_game(PEBBLES, PEBBLES.rules.configure(), seed, ["random", "random"]) for seed in (1, 2)]
    page = client(game=PEBBLES, critic="tests.support.some_agents:Thoughtful", showing=ReplayViewer(records))
    listed = page.get("/api/replays").json()
    assert [game["moves"] for game in listed["games"]] == [len(record["moves"]) for record in records]
    assert listed["of"] == 2
    told = page.get("/api/replays/1").json()
    assert {move["round"] for move in told["moves"]} == {None}
    judged = judge(page, 1)
    assert judged["expected"][0] == [-1, 1]
    assert len(judged["expected"]) == len(told["moves"]) + 1
    first = page.get("/api/replays/1/positions/0").json()
    assert [choice["likely"] for choice in first["choices"]] == [pytest.approx(1 / 3)] * 3
    last = page.get(f"/api/replays/1/positions/{len(told['moves'])}").json()
    assert (last["choices"], last["chosen"]) == ([], None)
    assert json.loads(page.get("/api/replays/2/record").text) == records[1]
    assert page.get("/api/replays/3").status_code == page.get("/api/replays/1/positions/99").status_code == 404
    quiet = client(game=PEBBLES, showing=ReplayViewer(records))
    assert quiet.get("/api/replays/1/judged/0").json() == {"error": "nobody has opinions on pebbles"}
    assert "likely" not in quiet.get("/api/replays/1/positions/0").json()["choices"][0]


def test_positions_on_the_way_are_shown() -> None:
    page = client()
    game = begin(page)
    assert page.get(f"{game}/positions/0").json()["done"] == ""


@pytest.mark.compiled
def test_advice_weighs_every_choice() -> None:
    page = client(critic="champion")
    assert page.get("/api/setup").json()["advice"]
    game = begin(page, 3)
    for _ in range(6):
        told, advice = page.get(game).json(), page.get(f"{game}/advice").json()
        assert advice["by"] == "champion"
        assert list(advice["choices"]) == [choice["action"] for choice in told["choices"]]
        thoughts = list(advice["choices"].values())
        assert sum(thought["likely"] for thought in thoughts) == pytest.approx(1)
        assert all(-1 <= thought["expected"] <= 1 for thought in thoughts)
        assert page.get(f"{game}/advice").json() == advice
        page.post(f"{game}/move", json={"action": told["choices"][0]["action"], "revision": told["revision"]})


@pytest.mark.compiled
def test_an_opinion_is_the_same_of_a_game_redrawn() -> None:
    critic, (record,) = Critic("champion", GAME), recorded(1)
    for number, (state, _, _) in enumerate(replay(record)):
        if number % 9 == 0:
            states = one_state(state)
            redrawn = Views(GAME, states, [5]).states
            assert critic.opinion(states, 7).likely == critic.opinion(redrawn, 7).likely


@pytest.mark.compiled
def test_recorded_games_are_shown_with_opinions() -> None:
    records = recorded()
    page = client(showing=ReplayViewer(records), critic="champion")
    assert "olb replay" in page.get("/").text
    assert [game["number"] for game in page.get("/api/replays").json()["games"]] == [1, 2]
    told = page.get("/api/replays/2").json()
    assert told["names"] == ["random", "planner"]
    assert [[move["seat"], move["action"]] for move in told["moves"]] == records[1]["moves"]
    assert sorted({move["round"] for move in told["moves"]}) == [1, 2, 3, 4, 5, 6]
    first = page.get("/api/replays/2/positions/0").json()
    assert first["chosen"] == records[1]["moves"][0][1]
    assert sum(choice["likely"] for choice in first["choices"]) == pytest.approx(1)
    last = page.get(f"/api/replays/2/positions/{len(told['moves'])}").json()
    assert (last["choices"], last["chosen"]) == ([], None)
    judged = judge(page, 2)
    assert len(judged["expected"]) == len(told["moves"]) + 1
    assert sorted(judged["expected"][-1]) == [-1, 1]
    losses = {0: 0.0, 1: 0.0}
    for move, verdict in zip(told["moves"], judged["verdicts"], strict=True):
        losses[move["seat"]] += verdict["loss"]
        assert (verdict["verdict"] == "blunder") == (verdict["loss"] >= BLUNDER)
    assert losses[0] > losses[1]  # random does worse than planner
    assert page.get("/api/replays/2/record").text.strip() == json.dumps(
        records[1], separators=(",", ":"), ensure_ascii=False
    )
    for path in ("/api/replays/3", "/api/replays/0", "/api/replays/1/positions/9999"):
        assert page.get(path).status_code == 404


def test_results_are_told_for_every_rank() -> None:
    assert results(2) == [1, -1]
    assert results(4) == pytest.approx([1, 0, -1 / 3, -2 / 3], abs=1e-6)
    (record,) = recorded(1)
    ended = replay(record).final
    assert [utility(GAME, ended)[0, seat] for seat in record["ranking"]] == results(2)


def test_opinions_find_blunders() -> None:
    opinion = Opinion((2, 5, 7), (0.5, 0.3, 0.2), (0.4, 0.29, -0.1), (0.4, -0.4))
    assert [opinion.verdict(action) for action in (2, 5, 7)] == ["", "mistake", "blunder"]
    with pytest.raises(ValueError, match="has no opinions"):
        Critic("random", GAME)
