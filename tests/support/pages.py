"""The server of the page for tests: a client, games started or played to their end, some records."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.testclient import TestClient

from olb_env.core.game import Game, find
from olb_env.page.adviser import Adviser
from olb_env.page.server import make_app
from olb_env.playing import play_game

GAME = find("old_london_bridge")
HOME = "http://127.0.0.1:8000"


def client(**options: Any) -> TestClient:
    """Return a client of a new server; unless `seed` is None, every server deals the same games."""
    game, adviser, seed = options.pop("game", GAME), options.pop("adviser", None), options.pop("seed", 1)
    app = make_app(game, adviser=None if adviser is None else Adviser(adviser, game), seed=seed, **options)
    return TestClient(app, base_url=HOME, raise_server_exceptions=False)


def start(page: TestClient, players: int = 2, **changes: Any) -> str:
    """Start a game against random agents and return its address."""
    body = {"players": players, "opponents": ["random"] * (players - 1), "options": {}, **changes}
    response = page.post("/api/games", json=body)
    assert response.status_code == 200, response.text
    key: str = response.json()["key"]
    return f"/api/games/{key}"


def move(page: TestClient, address: str, snapshot: Any, choice: int = 0) -> Any:
    """Make one of the moves that a snapshot offers, and return the response."""
    body = {"action": snapshot["choices"][choice]["action"], "revision": snapshot["revision"]}
    return page.post(f"{address}/move", json=body)


def play_to_the_end(page: TestClient, address: str, seed: int = 0) -> Any:
    """Make random moves until the game is over, and return the last snapshot."""
    rng = np.random.default_rng(seed)
    snapshot = page.get(address).json()
    while not snapshot["over"]:
        response = move(page, address, snapshot, rng.integers(len(snapshot["choices"])))
        assert response.status_code == 200, response.text
        snapshot = response.json()
    return snapshot


def some_records(count: int = 2) -> list[Any]:
    """Return records of games of `random` against `planner`."""
    setup = GAME.rules.configure(num_players=2)
    return [play_game(GAME, setup, seed, ["random", "planner"]) for seed in range(count)]


def one_state(state: Any, game: Game = GAME) -> Any:
    """Return a state as an array of one."""
    states = game.new_states(1)
    states[0] = state
    return states
