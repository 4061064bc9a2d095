"""The server of the page: games over HTTP, what it refuses, and that nothing hidden leaves it."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from olb_env.commands import serving
from olb_env.commands.olb import main
from olb_env.core.game import find
from olb_env.core.records import load_records, replay, save_records
from olb_env.page import server
from olb_env.page.opinions import BLUNDER, Critic, Opinion
from olb_env.page.server import make_app
from olb_env.page.showing import Showing
from olb_env.playing import Views, decide, make_agent, play_game
from tests.toy_game import PEBBLES

GAME = find("old_london_bridge")
HOME = "http://127.0.0.1:8000"


def client(**options: Any) -> TestClient:
    game, critic = options.pop("game", GAME), options.pop("critic", None)
    app = make_app(game, critic=None if critic is None else Critic(critic, game), **options)
    return TestClient(app, base_url=HOME, raise_server_exceptions=False)


def begin(page: TestClient, players: int = 2, **asked: Any) -> str:
    told = {"players": players, "opponents": ["random"] * (players - 1), "options": {}, **asked}
    answer = page.post("/api/games", json=told)
    assert answer.status_code == 200, answer.text
    key: str = answer.json()["key"]
    return f"/api/games/{key}"


def play_to_the_end(page: TestClient, game: str, seed: int = 0) -> Any:
    chance = np.random.default_rng(seed)
    told = page.get(game).json()
    while not told["over"]:
        choice = told["choices"][chance.integers(len(told["choices"]))]
        answer = page.post(f"{game}/move", json={"action": choice["action"], "revision": told["revision"]})
        assert answer.status_code == 200, answer.text
        told = answer.json()
    return told


@pytest.mark.parametrize("players", [2, 4])
def test_a_whole_game_is_played_and_saved(players: int, tmp_path: Path) -> None:
    page = client()
    game = begin(page, players, seat=1, options={"scoring": "random"})
    assert page.get(f"{game}/record").status_code == 409  # it would tell what is hidden
    told = play_to_the_end(page, game)
    assert sorted(told["end"]["ranks"]) == list(range(1, players + 1))
    assert told["end"]["breakdown"][0].keys() >= {"in_play", "chapel"}
    saved = page.get(f"{game}/record")
    assert "attachment" in saved.headers["content-disposition"]
    file = tmp_path / "game.jsonl"
    file.write_bytes(saved.content)
    (record,) = load_records(file)
    assert record["agents"][1] == "human"
    assert record["money"] == [int(score) for score in told["end"]["scores"]]
    refused = page.post(f"{game}/move", json={"action": "done", "revision": told["revision"]})
    assert (refused.status_code, refused.json()) == (409, {"error": "the game is over: begin another"})


def test_only_legal_choices_are_offered_with_words_and_in_the_picture() -> None:
    page = client()
    told = page.get(begin(page)).json()
    assert told["question"].startswith("human ")
    assert all(choice["words"] for choice in told["choices"])
    assert all(f'data-actions="{choice["action"]}"' in told["svg"] for choice in told["choices"])


def test_nothing_hidden_is_sent() -> None:
    """What others picked is not told before the reveal, nor the seed ever; the picture has a test of its own."""
    page = client()
    hidden = 0
    for seed in range(3):
        game = begin(page, 4, seat=3)
        told, chance = page.get(game).json(), np.random.default_rng(seed)
        while not told["over"]:
            assert "seed" not in json.dumps(told)
            for move in told["moves"]:
                hidden += move["action"] is None
                assert move["action"] is not None or move["seat"] != 3
            picking = told["choices"][0]["action"].startswith("play")
            others = [move for move in told["moves"][::-1] if move["seat"] != 3][: 3 if picking else 0]
            last = [move["action"] for move in told["moves"][-len(others) :]] if others else []
            assert all(action is None or not action.startswith("play") for action in last)
            choice = told["choices"][chance.integers(len(told["choices"]))]["action"]
            told = page.post(f"{game}/move", json={"action": choice, "revision": told["revision"]}).json()
        assert all(move["action"] is not None for move in told["moves"])
    assert hidden


def test_undo_goes_back_to_the_last_decision_and_the_game_goes_on_alike() -> None:
    page = client()
    game = begin(page, 3, seat=0)
    told = page.get(game).json()
    assert not told["undo"]
    refused = page.post(f"{game}/undo", json={"revision": told["revision"]})
    assert (refused.status_code, refused.json()) == (409, {"error": "there is nothing to take back"})
    step = {"action": told["choices"][-1]["action"]}
    once = page.post(f"{game}/move", json={**step, "revision": 0}).json()
    again = page.post(f"{game}/undo", json={"revision": once["revision"]}).json()
    assert {**again, "revision": 0} == told
    assert page.post(f"{game}/undo", json={"revision": once["revision"]}).status_code == 409  # said twice, done once
    twice = page.post(f"{game}/move", json={**step, "revision": again["revision"]}).json()
    assert {**twice, "revision": 1} == {**once, "revision": 1}
    end = play_to_the_end(page, game)
    assert not page.post(f"{game}/undo", json={"revision": end["revision"]}).json()["over"]


def test_an_answer_to_what_another_tab_took_back_is_refused() -> None:
    """As many moves were made when it comes, but they were others."""
    page = client()
    game = begin(page, 2, seat=0)
    told = page.get(game).json()
    one, other = (choice["action"] for choice in told["choices"][:2])
    seen = page.post(f"{game}/move", json={"action": one, "revision": 0}).json()
    taken_back = page.post(f"{game}/undo", json={"revision": seen["revision"]}).json()
    now = page.post(f"{game}/move", json={"action": other, "revision": taken_back["revision"]}).json()
    late = page.post(f"{game}/move", json={"action": seen["choices"][0]["action"], "revision": seen["revision"]})
    assert late.status_code == 409
    assert page.get(game).json() == now


def test_bad_requests_get_one_clear_line_and_harm_no_game() -> None:
    page = client()
    game = begin(page)
    before = page.get(game).json()
    move = {"action": before["choices"][0]["action"], "revision": before["revision"]}
    cases: list[tuple[str, Any, int, str]] = [
        (f"{game}/move", {**move, "action": "replace 12"}, 422, "'replace 12' is not legal now: expected one of play"),
        (f"{game}/move", {**move, "action": ["play 1"]}, 422, "is not legal now"),
        (f"{game}/move", {**move, "action": None}, 422, "None is not legal now"),
        (f"{game}/move", {**move, "revision": 99}, 409, "the game has gone on in another tab: revision is 99"),
        (f"{game}/move", {**move, "revision": False}, 409, "the game has gone on"),
        (f"{game}/move", {**move, "revision": "x" * 9000}, 409, "the game has gone on"),
        (f"{game}/undo", {}, 409, "the game has gone on"),
        (f"{game}/move", {}, 409, "the game has gone on"),
        (f"{game}/move", [], 400, "no JSON object"),
        ("/api/games/nobody/move", move, 404, "there is no such game here: begin a new one"),
        ("/api/games", {"players": 9}, 422, "players is 9: expected one of 2, 3, 4"),
        ("/api/games", {"players": 2, "opponents": []}, 422, "opponents is []: expected 1 names of agents"),
        ("/api/games", {"players": 2, "opponents": ["os:system"]}, 422, "unknown opponent 'os:system'"),
        ("/api/games", {"players": 2, "opponents": ["mcts:9999999"]}, 422, "unknown opponent 'mcts:9999999'"),
        ("/api/games", {"players": 2, "opponents": ["policy:/etc/x.safetensors"]}, 422, "unknown opponent"),
        ("/api/games", {"players": 2, "opponents": ["\ud800\n"]}, 422, "unknown opponent"),
        ("/api/games", {"players": 2, "opponents": ["random"], "seat": 2}, 422, "seat is 2: expected 0 to 1"),
        ("/api/games", {"players": 2, "opponents": ["random"], "options": []}, 422, "options is []"),
        ("/api/games", {"players": 2, "opponents": ["random"], "options": {"x": "1"}}, 422, "unknown option 'x'"),
        ("/api/games", {"players": 2, "opponents": ["random"], "options": {"scoring": "?"}}, 422, "scoring"),
    ]
    for path, told, status, words in cases:
        answer = page.post(path, content=json.dumps(told), headers={"content-type": "application/json"})
        assert answer.status_code == status, (told, answer.text)
        assert words in answer.json()["error"]
        assert "\n" not in answer.json()["error"]
        assert len(answer.json()["error"]) <= 600
    for content, kind, status in (
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 413),
        (b'"' + b"x" * 70_000 + b'"', "application/json", 413),
        (b"{}", "text/plain", 415),
    ):
        answer = page.post(f"{game}/move", content=content, headers={"content-type": kind})
        assert (answer.status_code, list(answer.json())) == (status, ["error"])
    for path, status in (
        (f"{game}/positions/999", 404),
        ("/nowhere", 404),
        ("/api/replays", 404),
        (f"{game}/advice", 404),
    ):
        assert (page.get(path).status_code, list(page.get(path).json())) == (status, ["error"])
    assert page.delete(game).status_code == 405
    assert page.get(game).json() == before


def test_no_other_origin_and_no_other_host_is_served() -> None:
    page = client()
    game = begin(page)
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": "evil.example:8000"},
        {"host": "127.0.0.1.evil.example:8000"},
        {"sec-fetch-site": "cross-site"},
    ):
        for answer in (page.get(game, headers=headers), page.post(f"{game}/undo", json={}, headers=headers)):
            assert answer.status_code == 403
            assert "svg" not in answer.text
    assert page.get(game, headers={"host": "127.0.0.1"}).status_code == 200  # how a browser names port 80
    answer = page.get(game, headers={"origin": HOME, "sec-fetch-site": "same-origin"})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_several_games_go_on_side_by_side() -> None:
    page = client()
    games = [begin(page, 2, seat=0) for _ in range(4)]
    results: dict[str, Any] = {}
    threads = [
        threading.Thread(target=lambda game=game: results.update({game: play_to_the_end(page, game)})) for game in games
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[game]["over"] for game in games)
    assert len({results[game]["svg"] for game in games}) == 4


@pytest.mark.compiled
def test_games_against_one_search_do_not_disturb_each_other() -> None:
    """Each has a tree of its own: side by side they go as they would alone."""
    agents = [make_agent("champion:16") for _ in range(2)]
    record = play_game(GAME, GAME.configure(num_players=2), 5, ["random", "random"])
    views = [Views(GAME, _one(state), [number]) for number, (state, _, _) in enumerate(replay(record))]
    alone = [int(decide(agents[0], "champion:16", view)[0]) for view in views]
    found: dict[int, list[int]] = {}

    def decide_all(number: int) -> None:
        found[number] = [int(decide(agents[number], "champion:16", view)[0]) for view in views]

    threads = [threading.Thread(target=decide_all, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: alone, 1: alone}


def _one(state: Any) -> Any:
    states = GAME.new_states(1)
    states[0] = state
    return states


def test_two_answers_at_once_count_for_one_question() -> None:
    page = client()
    game = begin(page)
    told = page.get(game).json()
    step = {"action": told["choices"][0]["action"], "revision": told["revision"]}
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(page.post(f"{game}/move", json=step).status_code))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, 409, 409, 409]


def test_old_games_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_GAMES", 2)
    page = client()
    games = [begin(page) for _ in range(3)]
    assert [page.get(game).status_code for game in games] == [404, 200, 200]


def test_an_opponent_that_fails_is_named_and_the_game_stays() -> None:
    page = client(agents=["tests.some_agents:Tires"])
    game = begin(page, opponents=["tests.some_agents:Tires"], seat=0)
    while True:
        told = page.get(game).json()
        assert told["choices"]
        answer = page.post(f"{game}/move", json={"action": told["choices"][0]["action"], "revision": told["revision"]})
        if answer.status_code != 200:
            break
    assert answer.status_code == 500
    assert "Tires" in answer.json()["error"]
    assert page.get(game).json() == told


def test_any_game_can_be_played_on_the_page() -> None:
    page = client(game=PEBBLES)
    assert page.get("/api/setup").json()["players"] == [2, 3]
    told = play_to_the_end(page, begin(page, 3, options={"coins": "5"}))
    assert told["end"]["counted"] == "coins"
    assert sum(told["end"]["scores"]) == 5


def test_pages_and_their_parts_are_there() -> None:
    page = client()
    for path, words in (("/", "olb play"), ("/game/any", "olb play"), ("/static/page.js", "use strict"),
                        ("/static/play.js", "choose"), ("/static/page.css", "--ink")):  # fmt: skip
        answer = page.get(path)
        assert answer.status_code == 200
        assert words in answer.text
    assert page.get("/font/SourceSansPro-Bold.ttf").headers["content-type"] == "font/ttf"
    assert page.get("/colours.css").text.startswith(":root{--ink:")
    for path in ("/font/%2e%2e%2f%2e%2e%2fsecret", "/static/%2e%2e/server.py", "/static/..%2fserver.py"):
        assert page.get(path).status_code == 404


# Opinions and recorded games.


def recorded(count: int = 2) -> list[Any]:
    setup = GAME.configure(num_players=2)
    return [play_game(GAME, setup, seed, ["random", "planner"]) for seed in range(count)]


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
    page = client(critic="tests.some_agents:Confused")
    game = begin(page)
    answer = page.get(f"{game}/advice")
    assert answer.status_code == 500
    assert answer.json()["error"].startswith("agent 'tests.some_agents:Confused' failed with ValueError: no idea")


def test_any_agent_that_considers_can_be_asked() -> None:
    page = client(critic="tests.some_agents:Thoughtful")
    game = begin(page, seat=0)
    told, advice = page.get(game).json(), page.get(f"{game}/advice").json()
    assert list(advice["choices"]) == [choice["action"] for choice in told["choices"]]
    assert {thought["expected"] for thought in advice["choices"].values()} == {-1}
    records = [play_game(PEBBLES, PEBBLES.configure(), seed, ["random", "random"]) for seed in (1, 2)]
    page = client(game=PEBBLES, critic="tests.some_agents:Thoughtful", showing=Showing(records))
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
    quiet = client(game=PEBBLES, showing=Showing(records))
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
            states = _one(state)
            redrawn = Views(GAME, states, [5]).states
            assert critic.opinion(states, 7).likely == critic.opinion(redrawn, 7).likely


@pytest.mark.compiled
def test_recorded_games_are_shown_with_opinions() -> None:
    records = recorded()
    page = client(showing=Showing(records), critic="champion")
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


def test_opinions_find_blunders() -> None:
    opinion = Opinion((2, 5, 7), (0.5, 0.3, 0.2), (0.4, 0.29, -0.1), (0.4, -0.4))
    assert [opinion.verdict(action) for action in (2, 5, 7)] == ["", "mistake", "blunder"]
    with pytest.raises(ValueError, match="has no opinions"):
        Critic("random", GAME)


# The commands.


def test_commands_say_in_one_line_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, bad, mixed = tmp_path / "empty.jsonl", tmp_path / "bad.jsonl", tmp_path / "mixed.jsonl"
    empty.write_text("")
    bad.write_text('{"game": "chess"}\n')
    setup = PEBBLES.configure(num_players=2)
    save_records(mixed, [*recorded(1), play_game(PEBBLES, setup, 1, ["random", "random"])])
    for words, told in (
        (["replay", str(tmp_path / "none.jsonl")], "cannot read"),
        (["replay", str(empty)], "holds no games"),
        (["replay", str(bad)], "line 1"),
        (["replay", str(mixed)], "mixes records"),
        (["play", "--critic", "random"], "has no opinions"),
        (["play", "--agents", "nobody"], "unknown agent 'nobody'"),
    ):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1


def test_a_port_in_use_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["play", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert "name another --port" in capsys.readouterr().err


def test_without_a_server_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["play"]) == 2
    assert "pip install olb-env[play]" in capsys.readouterr().err


def test_a_champion_that_cannot_be_asked_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nobody(name: str, game: Any) -> Any:
        raise ValueError(f"there is no {name} of {game.name} yet")

    assert serving._critic("champion", GAME, nobody) is None
    assert capsys.readouterr().err == "no opinions: there is no champion of old_london_bridge yet\n"
    with pytest.raises(ValueError, match="there is no other"):
        serving._critic("other", GAME, nobody)
