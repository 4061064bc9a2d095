"""Games of a person against agents over HTTP: what is shown, what is hidden, moves, undo, advice, several at once."""

from __future__ import annotations

import json
import threading
import weakref
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.core.game import find
from olb_env.core.records import load_records, replay
from olb_env.page import agent_pool, server
from olb_env.page.agent_pool import AgentPool
from olb_env.page.sessions import Given
from olb_env.playing import Views, decide, make_agent, play_game
from tests.support.pages import GAME, client, move, one_state, play_to_the_end, start
from tests.support.some_agents import AlsoRandom
from tests.support.toy_game import PEBBLES


@pytest.mark.parametrize("players", [2, pytest.param(4, marks=pytest.mark.compiled)])
def test_a_whole_game_is_played_and_saved(players: int, tmp_path: Path) -> None:
    page = client()
    game = start(page, players, seat=1, options={"scoring": "random"})
    assert page.get(f"{game}/record").status_code == 409  # it would reveal what is hidden
    last = play_to_the_end(page, game)
    assert sorted(last["end"]["ranks"]) == list(range(1, players + 1))
    assert last["end"]["breakdown"][0].keys() >= {"in play", "chapel", "bonus tiles"}
    saved = page.get(f"{game}/record")
    assert "attachment" in saved.headers["content-disposition"]
    file = tmp_path / "game.jsonl"
    file.write_bytes(saved.content)
    (record,) = load_records(file)
    assert record["agents"][1] == "human"
    assert record["money"] == [int(score) for score in last["end"]["scores"]]
    refused = page.post(f"{game}/move", json={"action": "done", "revision": last["revision"]})
    assert (refused.status_code, refused.json()) == (409, {"error": "the game is over: start another"})


def test_choices_are_explained_and_can_be_clicked_in_the_picture() -> None:
    page = client()
    snapshot = page.get(start(page)).json()
    assert snapshot["situation"].startswith("human ")
    assert all(choice["explanation"] for choice in snapshot["choices"])
    assert all(f'data-actions="{choice["action"]}"' in snapshot["svg"] for choice in snapshot["choices"])


TABLES = [("old_london_bridge", 2), ("old_london_bridge", 4), ("portobello_market", 3), ("wobbly_bridge", 5)]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_page_reveals_nothing_hidden(name: str, players: int) -> None:
    """Everything on the page stays the same if all that the seat cannot know is resampled; no seed is sent."""
    rules, page, seat = find(name), client(game=find(name)), players - 1
    game, rng, seen = start(page, players, seat=seat), np.random.default_rng(1), []
    snapshot = page.get(game).json()
    while not snapshot["over"]:
        assert "seed" not in json.dumps(snapshot)
        last_move = page.get(f"{game}/positions/{len(snapshot['moves'])}").json()["last_move"]
        seen.append((snapshot, last_move))
        snapshot = move(page, game, snapshot, rng.integers(len(snapshot["choices"]))).json()
    record = page.get(f"{game}/record").json()
    states = [one_state(state, rules) for state, _, _ in replay(record)]
    reveals = [rules.rules.secret(state[0]) for state in states]
    hidden_moves = 0
    for snapshot, last_move in seen:
        now = len(snapshot["moves"])
        before = record["moves"][:now]
        hidden = [mover != seat and reveals[number] == reveals[now] > 0 for number, (mover, _) in enumerate(before)]
        hidden_moves += sum(hidden)
        actions = [None if secret else action for secret, (_, action) in zip(hidden, before, strict=True)]
        assert [made["action"] for made in snapshot["moves"]] == actions
        assert last_move.endswith(" has decided") or hidden[-1:] != [True]
        resampled = states[now].copy()
        batch.resample_rows(resampled, np.array([seat]), np.array([now], np.uint64))
        state, display = resampled[0], rules.display
        assert display.svg is not None
        assert snapshot["svg"] == display.svg(state, snapshot["names"], last_move)
        assert snapshot["text"] == display.text(state)
        assert snapshot["situation"] == display.situation(state, snapshot["names"])
        assert snapshot["private"] == display.private(state, seat)
        assert snapshot["choices"] == [
            {"action": action, "explanation": display.explain(state, rules.ids(state)[action])}
            for action in rules.legal_actions(state)
        ]
    assert bool(hidden_moves) == (name != "portobello_market")


def test_a_person_sees_its_own_special_card_until_it_is_played() -> None:
    for seed in range(3):
        page = client(game=find("wobbly_bridge"), seed=seed)
        game = start(page, 5, seat=1)
        snapshot, rng = page.get(game).json(), np.random.default_rng(seed)
        assert snapshot["private"].startswith("Only you know that you hold ")
        while not snapshot["over"]:
            special = next((card for card in ("idea", "order", "heavy") if card in snapshot["private"]), None)
            offered = {choice["action"] for choice in snapshot["choices"]} & {"play idea", "play order", "play heavy"}
            assert offered <= {f"play {special}"}
            choice = int(rng.integers(len(snapshot["choices"])))
            action = snapshot["choices"][choice]["action"]
            snapshot = move(page, game, snapshot, choice).json()
            if action == f"play {special}":
                assert snapshot["over"] or snapshot["private"] == ""


def test_a_person_sees_the_first_of_its_two_cards() -> None:
    page = client()
    game = start(page, 2, seat=0)
    snapshot = page.get(game).json()
    assert (snapshot["private"], snapshot["choices"][0]) == ("", {"action": "play 0", "explanation": "2 in hand"})
    assert snapshot["situation"] == "human picks two cards face down, one after the other"
    snapshot = move(page, game, snapshot).json()
    assert snapshot["private"] == "Only you know that you have picked 0."
    assert snapshot["choices"][0] == {"action": "play 0", "explanation": "the only one in hand"}
    assert snapshot["situation"] == "human picks its second card face down"


def test_equal_opponents_have_distinct_names() -> None:
    page = client(game=find("wobbly_bridge"))
    assert page.get("/api/setup").json()["title"] == "The Wobbly Bridge"
    last = play_to_the_end(page, start(page, 3, seat=1))
    assert last["names"] == ["random 0", "human", "random 2"]
    assert "random 0" in last["svg"]
    assert last["end"]["score_title"] == "spaces from the east"


@pytest.mark.compiled
def test_undo_returns_to_the_last_decision_and_the_game_goes_on_alike() -> None:
    page = client()
    game = start(page, 3, seat=0)
    first = page.get(game).json()
    assert not first["can_undo"]
    refused = page.post(f"{game}/undo", json={"revision": first["revision"]})
    assert (refused.status_code, refused.json()) == (409, {"error": "there is no move to undo"})
    once = move(page, game, first, -1).json()
    back = page.post(f"{game}/undo", json={"revision": once["revision"]}).json()
    assert {**back, "revision": 0} == first
    assert page.post(f"{game}/undo", json={"revision": once["revision"]}).status_code == 409  # a repeated request
    twice = move(page, game, back, -1).json()
    assert {**twice, "revision": 1} == {**once, "revision": 1}
    end = play_to_the_end(page, game)
    assert not page.post(f"{game}/undo", json={"revision": end["revision"]}).json()["over"]


def test_a_move_in_a_position_that_another_tab_has_undone_is_refused() -> None:
    """The game has as many moves as before when the request arrives, but other ones."""
    page = client()
    game = start(page, 2, seat=0)
    first = page.get(game).json()
    seen = move(page, game, first, 0).json()
    back = page.post(f"{game}/undo", json={"revision": seen["revision"]}).json()
    now = move(page, game, back, 1).json()
    assert move(page, game, seen).status_code == 409
    assert page.get(game).json() == now


def test_with_a_seed_every_game_is_the_same_and_without_one_they_differ() -> None:
    def whole_game(seed: int | None, seat: int | str = "random") -> Any:
        page = client(game=PEBBLES, seed=seed)
        game = start(page, 3, seat=seat)
        play_to_the_end(page, game)
        return page.get(f"{game}/record").json()

    once, again, other = (whole_game(seed) for seed in (7, 7, 8))
    assert once == again
    assert once == whole_game(7, once["agents"].index("human"))  # a random seat gives the same game as that seat chosen
    assert (once["seed"], other["seed"]) == (7, 8)
    assert once["moves"] != other["moves"]
    assert len({whole_game(None)["seed"] for _ in range(3)}) == 3


def run_together(*targets: Any) -> None:
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.compiled
def test_several_games_are_played_at_the_same_time() -> None:
    page = client(seed=None)
    games = [start(page, 2, seat=0) for _ in range(4)]
    ends: dict[str, Any] = {}
    run_together(*(lambda game=game: ends.update({game: play_to_the_end(page, game)}) for game in games))
    assert all(ends[game]["over"] for game in games)
    assert len({ends[game]["svg"] for game in games}) == 4


@pytest.mark.compiled
def test_two_searches_at_the_same_time_do_not_disturb_each_other() -> None:
    """Each has its own tree, so it decides as if it were alone."""
    agents = [make_agent("champion:16") for _ in range(2)]
    record = play_game(GAME, GAME.rules.configure(num_players=2), 5, ["random", "random"])
    views = [Views(GAME, one_state(state), [number]) for number, (state, _, _) in enumerate(replay(record))]
    alone = [int(decide(agents[0], "champion:16", view)[0]) for view in views]
    found: dict[int, list[int]] = {}

    def decide_all(number: int) -> None:
        found[number] = [int(decide(agents[number], "champion:16", view)[0]) for view in views]

    run_together(lambda: decide_all(0), lambda: decide_all(1))
    assert found == {0: alone, 1: alone}


def test_of_several_moves_at_the_same_time_only_one_counts() -> None:
    page = client()
    game = start(page)
    snapshot, statuses = page.get(game).json(), []
    run_together(*[lambda: statuses.append(move(page, game, snapshot).status_code)] * 4)
    assert sorted(statuses) == [200, 409, 409, 409]


def test_the_game_unused_for_longest_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_GAMES", 2)
    page = client()
    games = [start(page) for _ in range(3)]
    assert [page.get(game).status_code for game in games] == [404, 200, 200]


def test_a_game_stays_as_it_was_when_an_opponent_fails() -> None:
    page = client(agents=["tests.support.some_agents:Tires"])
    game = start(page, opponents=["tests.support.some_agents:Tires"], seat=0)
    while True:
        snapshot = page.get(game).json()
        assert snapshot["choices"]
        response = move(page, game, snapshot)
        if response.status_code != 200:
            break
    assert response.status_code == 500
    assert "Tires" in response.json()["error"]
    assert page.get(game).json() == snapshot


@pytest.mark.parametrize("agent", ["Cheat", "Babbles"])
def test_errors_of_opponents_do_not_reveal_their_cards(agent: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"tests.support.some_agents:{agent}"
    page = client(game=find("wobbly_bridge"), agents=[name])
    game = start(page, 3, opponents=[name, name], seat=0)
    responses = (
        lambda: move(page, game, page.get(game).json()),
        lambda: page.post("/api/games", json={"players": 3, "opponents": [name, name], "options": {}, "seat": 2}),
    )
    for respond in responses:
        response = respond()
        assert response.status_code == 500
        assert name in response.json()["error"]
        assert response.json()["error"].endswith((" chose an illegal action", " failed with RuntimeError"))
        assert "play " in capsys.readouterr().err  # the terminal shows everything


def test_any_game_can_be_played_on_the_page() -> None:
    page = client(game=PEBBLES)
    assert page.get("/api/setup").json()["players"] == [2, 3]
    last = play_to_the_end(page, start(page, 3, options={"coins": "5"}))
    assert last["end"]["score_title"] == "coins"
    assert sum(last["end"]["scores"]) == 5


def test_earlier_positions_are_shown() -> None:
    page = client()
    game = start(page)
    assert page.get(f"{game}/positions/0").json()["last_move"] == ""


@pytest.mark.compiled
def test_the_page_reads_no_file_but_the_board_of_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.json").write_text("{}")
    board = {"alleys": {"A1": {"ends": ["P1", "P2"], "values": [9, 8]}}}
    market = find("portobello_market")
    page = client(game=market, given={"board": Given("own.json", board)})
    for file in ("other.json", str(tmp_path / "other.json"), "OTHER.JSON", "../own.json", "/dev/null.toml"):
        body = {"players": 2, "opponents": ["random"], "options": {"board": file}}
        refused = page.post("/api/games", json=body)
        assert (refused.status_code, "the page reads no files" in refused.json()["error"]) == (422, True)
    played = {}
    for name, options in (("chosen", {"board": "own.json"}), ("default", {}), ("printed", {"board": "as printed"})):
        game = start(page, options=options)
        play_to_the_end(page, game)
        record = page.get(f"{game}/record").json()
        assert market.boards is not None
        played[name] = market.boards.describe(market.records.read_setup(record)[0])
    assert played["chosen"] == played["default"]
    assert played["chosen"]["alleys"]["A1"]["values"] == [9, 8]
    assert played["printed"] == market.boards.printed()


def test_the_form_offers_what_the_terminal_gave() -> None:
    given = {
        "board": Given("mine.toml", {}),
        "scoring": Given("gate=steps", {"gate": "steps"}),
        "memory": Given("perfect", "perfect"),
    }
    options = client(given=given).get("/api/setup").json()["options"]
    assert options["board"]["words"] == ["first", "second", "mine.toml"]
    assert options["scoring"]["words"] == ["board", "random", "gate=steps"]
    assert options["memory"]["words"].count("perfect") == 1
    assert {name: option["default"] for name, option in options.items()} == {
        "board": "mine.toml", "scoring": "gate=steps", "memory": "perfect", "rulings": None,
    }  # fmt: skip
    market = client(game=find("portobello_market")).get("/api/setup").json()["options"]
    assert "board" not in market  # there is nothing to choose from
    market = client(game=find("portobello_market"), given={"board": given["board"]}).get("/api/setup").json()["options"]
    assert market["board"]["words"] == ["as printed", "mine.toml"]


def test_long_texts_of_options_are_refused() -> None:
    page = client(game=find("portobello_market"))
    body = {"players": 2, "opponents": ["random"], "options": {"start_score": "9" * 5000}}
    refused = page.post("/api/games", json=body)
    assert refused.status_code == 422
    assert refused.json()["error"].endswith(": expected at most 1000 characters")


class Counted(AlsoRandom):
    """Plays at random, and counts how many of it there are."""

    alive: ClassVar[weakref.WeakSet[Any]] = weakref.WeakSet()

    def __init__(self) -> None:
        self.alive.add(self)


def test_games_that_were_left_hold_no_agents() -> None:
    """500 games are begun; the server keeps the last of them, and one agent for all."""
    name = f"{__name__}:Counted"
    page = client(game=PEBBLES, agents=[name], seed=None)
    Counted.alive.clear()
    games = [start(page, opponents=[name], seat=1) for _ in range(500)]
    assert len(Counted.alive) == 1
    kept = server.MAX_GAMES
    for game in (games[0], games[-kept - 1]):
        assert page.get(game).status_code == 404
    for game in (games[-kept], games[-1]):
        assert page.get(game).status_code == 200


def test_agents_that_were_not_used_for_longest_are_dropped() -> None:
    pool = AgentPool()
    names = [f"mcts:{number}" for number in range(1, 12)]
    with pool.borrowed("mcts:1") as first, pool.borrowed("mcts:1") as second:
        assert first is not second
    for name in names:
        with pool.borrowed(name):
            pass
    assert len(pool) == agent_pool.MAX_IDLE
    with pool.borrowed(names[-1]) as kept:
        assert kept is not first
    with pool.borrowed(names[-1]) as again:
        assert again is kept
    with pytest.raises(RuntimeError), pool.borrowed(names[-1]):
        raise RuntimeError
    with pool.borrowed(names[-1]) as another:
        assert another is not kept


def test_an_agent_that_cannot_be_made_any_more_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    page = client(agents=["tests.support.some_agents:First"])

    def gone(name: str) -> Any:
        raise ValueError("its file is gone")

    monkeypatch.setattr(agent_pool, "make_agent", gone)
    body = {"players": 2, "opponents": ["tests.support.some_agents:First"], "seat": 1}
    response = page.post("/api/games", json=body)
    assert response.status_code == 500
    assert response.json()["error"] == "agent 'tests.support.some_agents:First' cannot be loaded"
