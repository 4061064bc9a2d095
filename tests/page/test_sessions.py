"""The server of the page: games over HTTP, what it refuses, and that nothing hidden leaves it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.core.game import find
from olb_env.core.records import load_records, replay
from olb_env.page import server
from olb_env.playing import Views, decide, make_agent, play_game
from tests.support.pages import GAME, HOME, begin, client, one_state, play_to_the_end
from tests.support.toy_game import PEBBLES


@pytest.mark.parametrize("players", [2, 4])
def test_a_whole_game_is_played_and_saved(players: int, tmp_path: Path) -> None:
    page = client()
    game = begin(page, players, seat=1, options={"scoring": "random"})
    assert page.get(f"{game}/record").status_code == 409  # it would tell what is hidden
    told = play_to_the_end(page, game)
    assert sorted(told["end"]["ranks"]) == list(range(1, players + 1))
    assert told["end"]["account"][0].keys() >= {"in play", "chapel", "bonus tiles"}
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


TABLES = [("old_london_bridge", 2), ("old_london_bridge", 4), ("portobello_market", 3), ("wobbly_bridge", 5)]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_nothing_hidden_is_sent(name: str, players: int) -> None:
    """All that is told would be the same if everything that the seat cannot know were drawn anew; no seed is told."""
    rules, page, seat = find(name), client(game=find(name)), players - 1
    game, chance, seen = begin(page, players, seat=seat), np.random.default_rng(1), []
    told = page.get(game).json()
    while not told["over"]:
        assert "seed" not in json.dumps(told)
        done = page.get(f"{game}/positions/{len(told['moves'])}").json()["done"]
        seen.append((told, done))
        choice = told["choices"][chance.integers(len(told["choices"]))]["action"]
        told = page.post(f"{game}/move", json={"action": choice, "revision": told["revision"]}).json()
    record = page.get(f"{game}/record").json()
    states = [one_state(state, rules) for state, _, _ in replay(record)]
    until = [rules.secret(state[0]) for state in states]
    hidden = 0
    for told, done in seen:
        now = len(told["moves"])
        before = record["moves"][:now]
        kept = [mover != seat and until[move] == until[now] > 0 for move, (mover, _) in enumerate(before)]
        hidden += sum(kept)
        actions = [None if secret else action for secret, (_, action) in zip(kept, before, strict=True)]
        assert [move["action"] for move in told["moves"]] == actions
        assert done.endswith(" has decided") or kept[-1:] != [True]
        redrawn = states[now].copy()
        batch.resample_rows(redrawn, np.array([seat]), np.array([now], np.uint64))
        assert rules.display.svg is not None
        assert told["svg"] == rules.display.svg(redrawn[0], told["names"], done)
        assert told["text"] == rules.display.text(redrawn[0])
        assert told["question"] == rules.display.situation(redrawn[0], told["names"])
        assert told["private"] == rules.display.private(redrawn[0], seat)
        assert told["choices"] == [
            {"action": action, "words": rules.display.explain(redrawn[0], rules.ids(redrawn[0])[action])}
            for action in rules.legal_actions(redrawn[0])
        ]
    assert bool(hidden) == (name != "portobello_market")


def test_a_person_is_told_what_only_it_knows() -> None:
    """Of The Wobbly Bridge the own special card, until it is played."""
    for seed in range(3):
        page = client(game=find("wobbly_bridge"), seed=seed)
        game = begin(page, 5, seat=1)
        told, chance = page.get(game).json(), np.random.default_rng(seed)
        assert told["private"].startswith("Only you know that you hold ")
        while not told["over"]:
            special = next((card for card in ("idea", "order", "heavy") if card in told["private"]), None)
            offered = {choice["action"] for choice in told["choices"]} & {"play idea", "play order", "play heavy"}
            assert offered <= {f"play {special}"}
            choice = told["choices"][chance.integers(len(told["choices"]))]["action"]
            told = page.post(f"{game}/move", json={"action": choice, "revision": told["revision"]}).json()
            if choice == f"play {special}":
                assert told["over"] or told["private"] == ""


def test_the_first_of_two_cards_is_told_to_its_player_alone() -> None:
    page = client()
    game = begin(page, 2, seat=0)
    told = page.get(game).json()
    assert (told["private"], told["choices"][0]) == ("", {"action": "play 0", "words": "2 in hand"})
    assert told["question"] == "human picks two cards face down, one after the other"
    told = page.post(f"{game}/move", json={"action": "play 0", "revision": told["revision"]}).json()
    assert told["private"] == "Only you know that you have picked 0."
    assert told["choices"][0] == {"action": "play 0", "words": "the only one in hand"}
    assert told["question"] == "human picks its second card face down"


def test_equal_opponents_are_told_apart() -> None:
    page = client(game=find("wobbly_bridge"))
    assert page.get("/api/setup").json()["title"] == "The Wobbly Bridge"
    told = play_to_the_end(page, begin(page, 3, seat=1))
    assert told["names"] == ["random 0", "human", "random 2"]
    assert "random 0" in told["svg"]
    assert told["end"]["counted"] == "spaces from the east"


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
        (f"{game}/positions/{'9' * 5000}", 404),
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


def test_with_a_seed_every_game_is_dealt_alike_and_without_each_anew() -> None:
    def whole_game(seed: int | None, seat: int | str = "random") -> Any:
        page = client(game=PEBBLES, seed=seed)
        game = begin(page, 3, seat=seat)
        play_to_the_end(page, game)
        return page.get(f"{game}/record").json()

    once, again, other = (whole_game(seed) for seed in (7, 7, 8))
    assert once == again
    assert once == whole_game(7, once["agents"].index("human"))  # drawn or asked for, a seat meets the same agents
    assert (once["seed"], other["seed"]) == (7, 8)
    assert once["moves"] != other["moves"]
    assert len({whole_game(None)["seed"] for _ in range(3)}) == 3


@pytest.mark.compiled
def test_several_games_go_on_side_by_side() -> None:
    page = client(seed=None)
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
    record = play_game(GAME, GAME.rules.configure(num_players=2), 5, ["random", "random"])
    views = [Views(GAME, one_state(state), [number]) for number, (state, _, _) in enumerate(replay(record))]
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
    page = client(agents=["tests.support.some_agents:Tires"])
    game = begin(page, opponents=["tests.support.some_agents:Tires"], seat=0)
    while True:
        told = page.get(game).json()
        assert told["choices"]
        answer = page.post(f"{game}/move", json={"action": told["choices"][0]["action"], "revision": told["revision"]})
        if answer.status_code != 200:
            break
    assert answer.status_code == 500
    assert "Tires" in answer.json()["error"]
    assert page.get(game).json() == told


@pytest.mark.parametrize("agent", ["Cheat", "Babbles"])
def test_what_an_opponent_does_wrong_tells_nothing_of_its_cards(agent: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"tests.support.some_agents:{agent}"
    page = client(game=find("wobbly_bridge"), agents=[name])
    asked = {"players": 3, "opponents": [name, name], "options": {}}
    game = begin(page, 3, opponents=[name, name], seat=0)
    step = {"action": page.get(game).json()["choices"][0]["action"], "revision": 0}
    for path, told in ((f"{game}/move", step), ("/api/games", {**asked, "seat": 2})):
        answer = page.post(path, json=told)
        assert answer.status_code == 500
        assert name in answer.json()["error"]
        assert answer.json()["error"].endswith((" answered what is not legal", " failed with RuntimeError"))
        assert "play " in capsys.readouterr().err  # whoever started the server sees all


def test_any_game_can_be_played_on_the_page() -> None:
    page = client(game=PEBBLES)
    assert page.get("/api/setup").json()["players"] == [2, 3]
    told = play_to_the_end(page, begin(page, 3, options={"coins": "5"}))
    assert told["end"]["counted"] == "coins"
    assert sum(told["end"]["scores"]) == 5


def test_a_board_comes_as_text_and_no_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    board = json.dumps({"alleys": {"A1": {"ends": ["P1", "P2"], "values": [9, 8]}}})
    (tmp_path / "own.json").write_text(board)
    page = client(game=find("portobello_market"))
    assert page.get(begin(page, options={"board": board})).status_code == 200
    refused = page.post("/api/games", json={"players": 2, "opponents": ["random"], "options": {"board": "own.json"}})
    assert refused.status_code == 422
    assert "board is not JSON" in refused.json()["error"]


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
