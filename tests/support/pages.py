"""The server of the page as tests ask it: a client, a game begun or played to its end, some records."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.testclient import TestClient

from olb_env.core.game import Game, find
from olb_env.page.critic import Critic
from olb_env.page.server import make_app
from olb_env.playing import play_game

GAME = find("old_london_bridge")
HOME = "http://127.0.0.1:8000"


def client(**options: Any) -> TestClient:
    """Its games are dealt alike each time, unless `seed` is None."""
    game, critic, seed = options.pop("game", GAME), options.pop("critic", None), options.pop("seed", 1)
    app = make_app(game, critic=None if critic is None else Critic(critic, game), seed=seed, **options)
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


def recorded(count: int = 2) -> list[Any]:
    setup = GAME.rules.configure(num_players=2)
    return [play_game(GAME, setup, seed, ["random", "planner"]) for seed in range(count)]


def one_state(state: Any, game: Game = GAME) -> Any:
    """A state as an array of one."""
    states = game.new_states(1)
    states[0] = state
    return states
