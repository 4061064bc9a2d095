"""What comes from outside is checked before machine code sees it: rows, seeds, saved games and pickles."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from olb_env import old_london_bridge_v0
from olb_env.core.game import Game, find
from olb_env.envs.common import gymnasium_id
from olb_env.envs.sb3 import SeatVecEnv
from olb_env.envs.selfplay import SelfPlay
from olb_env.envs.single import SeatEnv
from tests.support.options import OPTIONS
from tests.support.spoiling import spoilt

GAMES = [find(name) for name in OPTIONS]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
TABLES = 4


@pytest.fixture
def batch() -> SelfPlay:
    envs = SelfPlay("wobbly_bridge", TABLES)
    envs.reset(seed=3)
    return envs


# Views


@pytest.mark.parametrize(
    ("rows", "seeds", "message"),
    [
        ([4], [1], "rows have 4: expected 0 to 3"),
        ([10**6], [1], "rows have 1000000: expected 0 to 3"),
        ([-1], [1], "rows have -1: expected 0 to 3"),
        ([2**70], [1], "rows have 1180591620717411303424: expected 0 to 3"),
        ([0.0, 1.0], [1, 2], r"rows are \[0.0, 1.0\]: expected a list of whole numbers"),
        ([True], [1], r"rows are \[True\]: expected a list of whole numbers"),
        (["0"], [1], r"rows are \['0'\]: expected a list of whole numbers"),
        (0, [1], "rows are 0: expected a list of whole numbers"),
        ([[0, 1]], [1], r"rows are \[\[0, 1\]\]: expected a list of whole numbers"),
        (None, [1], "rows are None: expected a list of whole numbers"),
        ([0, 1, 2], [1], "the number of seeds is 1: expected 3, one for each row"),
        ([0], [1, 2], "the number of seeds is 2: expected 1, one for each row"),
        ([0], [-5], "seeds have -5: expected 0 to 18446744073709551615"),
        ([0], [0.5], r"seeds are \[0.5\]: expected a list of whole numbers"),
    ],
)
def test_views_of_other_rows_and_seeds_are_refused(batch: SelfPlay, rows: Any, seeds: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        batch.views(rows, seeds)


def test_views_take_any_whole_numbers(batch: SelfPlay) -> None:
    for rows in ([3, 0], np.array([3, 0], np.uint8), np.arange(4)[::-3]):
        views = batch.views(rows, np.array([1, 2], np.uint64))
        assert views.seats.tolist() == [batch.views([row], [1]).seats[0] for row in (3, 0)]
    assert len(batch.views([], [])) == 0


@pytest.mark.parametrize(
    "call",
    [lambda envs: envs.views([0], [1]), lambda envs: envs.save(), lambda envs: envs.step([0] * TABLES)],
    ids=["views", "save", "step"],
)
def test_nothing_is_answered_before_the_first_deal(call: Callable[[SelfPlay], Any]) -> None:
    with pytest.raises(ValueError, match=r"no game is in progress: call reset\(\) first"):
        call(SelfPlay("wobbly_bridge", TABLES))


# Saved games


def assert_refused(envs: SelfPlay, saved: Any, message: str) -> None:
    """Check that saved games are refused, and that the games in progress have not changed."""
    before = envs.save()
    with pytest.raises(ValueError, match=message):
        envs.restore(saved)
    assert all((envs.save()[name] == part).all() for name, part in before.items())


@every_game
def test_saved_games_go_on_as_they_were(game: Game) -> None:
    envs, other = SelfPlay(game.name, TABLES), SelfPlay(game.name, TABLES)
    step = envs.reset(seed=1)
    for _ in range(25):
        step = envs.step(step.masks.argmax(axis=1))
    again = other.restore(envs.save())
    assert (again.observations == step.observations).all()
    assert (other.step(again.masks.argmax(axis=1)).masks == envs.step(step.masks.argmax(axis=1)).masks).all()


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (None, "saved games are None: expected what save"),
        ({}, "saved states are None: expected an array of bytes"),
        ({"states": b"", "tables": b""}, "saved states are b'': expected an array of bytes"),
        ({"states": np.zeros(3, np.uint8)}, "saved states have 3 bytes: expected"),
        ({"states": np.array([None])}, "saved states are .*: expected an array of bytes"),
    ],
)
def test_what_is_no_saved_game_is_refused(batch: SelfPlay, saved: Any, message: str) -> None:
    assert_refused(batch, saved, message)


@every_game
def test_impossible_states_are_refused(game: Game) -> None:
    envs = SelfPlay(game.name, TABLES, num_players=game.players[0])
    envs.reset(seed=1)
    saved = envs.save()
    refused = 0
    for states in spoilt(game, 60, seed=2):
        changed = saved["states"].copy()
        changed[: states.nbytes] = states.view(np.uint8)
        try:
            step = envs.restore({**saved, "states": changed})
        except ValueError:
            refused += 1
        else:
            envs.step(step.masks.argmax(axis=1))
    assert refused > 30
    zeros = np.zeros_like(saved["states"])
    assert_refused(envs, {**saved, "states": zeros}, f"state 0 is impossible: {game.title} never comes to it")


def test_games_for_another_number_of_players_are_refused() -> None:
    three, four = (SelfPlay("wobbly_bridge", TABLES, num_players=players) for players in (3, 4))
    three.reset(seed=1)
    four.reset(seed=1)
    assert_refused(three, four.save(), "table 0 is impossible: no environment like this one comes to it")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_seed", -1),
        ("seed", 2**53),
        ("games_dealt", -1),
        ("decisions", -(2**62)),
        ("decisions", 2**63 - 1),
        ("learner", 0),
        ("learner", 77),
        ("waiting_for", 1),
        ("game_over", 1),
        ("game_over", 2),
        ("seeded", 0),
        ("seeded", 255),
    ],
)
def test_impossible_tables_are_refused(batch: SelfPlay, field: str, value: int) -> None:
    saved = batch.save()
    tables = batch._env._batch.tables.copy()
    column = tables[field] if tables.dtype[field] != np.bool_ else tables[field].view(np.uint8)
    column[1] = value
    changed = np.frombuffer(tables.tobytes(), np.uint8)
    assert_refused(batch, {**saved, "tables": changed}, "impossible|saved before its first game")


# Pickles and copies


def playing(kind: str) -> Any:
    """Return an environment in the middle of a game."""
    if kind == "aec":
        env: Any = old_london_bridge_v0.env(num_players=2)
        env.reset(seed=3)
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        return env
    if kind == "selfplay":
        env = SelfPlay("wobbly_bridge", TABLES)
        env.reset(seed=3)
        return env
    if kind == "seat":
        env = gymnasium.make(gymnasium_id(find("wobbly_bridge")), opponents="random", seat="random").unwrapped
    else:
        env = gymnasium.make_vec(gymnasium_id(find("wobbly_bridge")), num_envs=TABLES, opponents="random")
    env.reset(seed=3)
    return env


def states_of(env: Any) -> Any:
    inner = getattr(env, "env", env)
    return inner._states if hasattr(inner, "_states") else env._env._batch.states


every_kind = pytest.mark.parametrize("kind", ["aec", "selfplay", "seat", "vector"])


@every_kind
def test_environments_are_copied_and_pickled_in_the_middle_of_a_game(kind: str) -> None:
    env = playing(kind)
    for again in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert states_of(again).tobytes() == states_of(env).tobytes()
        assert states_of(again) is not states_of(env)


@every_kind
def test_a_pickle_with_an_impossible_state_is_refused(kind: str) -> None:
    env = playing(kind)
    states_of(env)["actor"][0] = 99
    data = pickle.dumps(env)
    with pytest.raises(ValueError, match="state 0 is impossible"):
        pickle.loads(data)


CHANGED: list[tuple[str, dict[str, Any], str]] = [
    ("aec", {"_states": np.zeros(2, find("old_london_bridge").rules.dtype)}, "there are 2 states of the game"),
    ("aec", {"_actions": [-5] * 5}, "actions have -5: expected 0 to 45"),
    ("aec", {"_actions": None}, "actions are None: expected a list of whole numbers"),
    ("aec", {"_options": {"num_players": 3}}, "the game is not one of 3 players"),
    ("batched", {"num_envs": 10**9}, "num_envs is 1000000000: expected"),
    ("batched", {"num_envs": TABLES - 1}, "saved states are not those of 3 tables"),
    ("batched", {"results": None}, "ended have the shape"),
    ("batched", {"_opponents": []}, "the environment has 0 opponents: expected 3"),
    ("batched", {"_seat": 9}, "seat is 9: expected 0 to 3"),
    ("batched", {"_reward": "gold"}, "gold"),
    ("view", {"observations": np.zeros((1, 1), np.float32)}, r"observations have the shape \(1, 1\): expected"),
    ("view", {"observations": np.zeros((TABLES, 3), np.float64)}, "observations have the shape"),
    ("view", {"seats": np.zeros(TABLES, np.int8)}, "seats have the shape"),
]


@pytest.mark.parametrize(("part", "changes", "message"), CHANGED, ids=lambda part: str(part)[:30])
def test_a_pickle_whose_parts_do_not_fit_is_refused(part: str, changes: dict[str, Any], message: str) -> None:
    """Machine code writes to these parts, or goes by them."""
    env = playing("aec" if part == "aec" else "vector")
    if part == "aec":
        vars(env.unwrapped).update(changes)
    elif part == "batched":
        vars(env.unwrapped._env).update(changes)
    else:
        env.unwrapped._view = env.unwrapped._view._replace(**changes)
    data = pickle.dumps(env)
    with pytest.raises(ValueError, match=message):
        pickle.loads(data)


def test_lengths_and_seats_are_never_taken_from_a_pickle() -> None:
    env: Any = playing("aec").unwrapped
    env._sizes, env._seat_of, env.possible_agents = (0, 48), dict.fromkeys(env.possible_agents, 10**7), ["player_9"]
    again = pickle.loads(pickle.dumps(env))
    assert again.possible_agents == ["player_0", "player_1"]
    assert (again.observe("player_1")["observation"] == playing("aec").observe("player_1")["observation"]).all()


SHOWN_BEFORE_RESET: dict[str, Callable[[], object]] = {
    "seat position": lambda: SeatEnv("wobbly_bridge").position(),
    "seat legal actions": lambda: SeatEnv("wobbly_bridge").legal_actions(),
    "seat picture": lambda: SeatEnv("wobbly_bridge", render_mode="svg").render(),
    "vec env legal actions": lambda: SeatVecEnv("wobbly_bridge", 2).env_method("legal_actions"),
    "vec env pictures": lambda: SeatVecEnv("wobbly_bridge", 2, render_mode="rgb_array").get_images(),
    "aec observation": lambda: old_london_bridge_v0.raw_env().observe("player_0"),
    "aec legal actions": lambda: old_london_bridge_v0.raw_env().legal_actions(),
    "aec position": lambda: old_london_bridge_v0.raw_env().position(),
}


@pytest.mark.parametrize("call", SHOWN_BEFORE_RESET)
def test_nothing_is_shown_before_the_first_deal(call: str) -> None:
    with pytest.raises(ValueError, match=r"call reset\(\) first"):
        SHOWN_BEFORE_RESET[call]()


def test_environments_are_pickled_before_the_first_deal() -> None:
    env: Any = old_london_bridge_v0.raw_env()
    pickle.loads(pickle.dumps(env)).reset(seed=1)
    batch = pickle.loads(pickle.dumps(SelfPlay("wobbly_bridge", 2)))
    with pytest.raises(ValueError, match="call reset"):
        batch.step([0, 0])
    batch.reset(seed=1)
