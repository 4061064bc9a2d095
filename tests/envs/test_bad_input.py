"""Every wrong argument raises one clear error, and the game does not change."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from olb_env import old_london_bridge_v0
from olb_env.envs.selfplay import SelfPlay
from olb_env.envs.single import SeatEnv
from olb_env.envs.vector import SeatVectorEnv
from olb_env.old_london_bridge.components import KINDS, printed_tiles

TILES = {
    kind: [[number, "all" if kind == "guild" else "blue"] for number, _ in printed_tiles()[at]]
    for at, kind in enumerate(KINDS)
}


def with_tile(kind: str, at: int, tile: Any) -> dict[str, Any]:
    """Return a board on which one tile is another."""
    changed = {name: [list(entry) for entry in stack] for name, stack in TILES.items()}
    changed[kind][at] = tile
    return {"tiles": changed}


BAD_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"num_players": 1}, "num_players is 1: expected 2, 3 or 4"),
    ({"num_players": 5}, "num_players is 5: expected 2, 3 or 4"),
    ({"num_players": "4"}, "num_players is '4': expected 2, 3 or 4"),
    ({"num_players": 4.0}, "num_players is 4.0: expected 2, 3 or 4"),
    ({"num_players": True}, "num_players is True: expected 2, 3 or 4"),
    ({"scoring": "bored"}, "scoring is 'bored': expected 'board', 'random' or a mapping"),
    ({"scoring": 3}, "scoring is 3: expected"),
    ({"scoring": {"gate": "most inns"}}, "scoring of gate is 'most inns': expected one of board, most gates"),
    ({"scoring": {"tower": "board"}}, "scoring names the area 'tower': expected any of chapel, gate, inn, bridge"),
    ({"reward": "fame"}, "reward is 'fame': expected one of rank, win, money"),
    ({"memory": "none"}, "memory is 'none': expected one of perfect, table"),
    ({"render_mode": "loud"}, "render_mode is 'loud': expected None or one of 'ansi', 'svg', 'rgb_array', 'human'"),
    ({"board": 3}, "board is 3: expected first, second, FILE.toml or FILE.json, or a mapping"),
    ({"board": {"dice": 1}}, "board has the key 'dice': expected any of coins, stack_order"),
    (
        {"board": {"coins": [1, 2, 3]}},
        "rondel coins are [1, 2, 3]: expected six, each 'X' or whole pounds",
    ),
    (
        {"board": {"coins": ["x", 2, 3, 1, 2, 3]}},
        "rondel coins have 'x': expected six, each 'X' or whole pounds",
    ),
    (
        {"board": {"coins": [100, "X", 3, 1, 2, 3]}},
        "rondel coins have 100: expected six, each 'X' or whole pounds",
    ),
    ({"board": {"coins": ["X", -1, 3, 1, 2, 3]}}, "rondel coins have -1"),
    ({"board": {"coins": ["X", 1.5, 3, 1, 2, 3]}}, "rondel coins have 1.5"),
    ({"board": {"stack_order": ["chapel"] * 6}}, "expected each of chapel, gate, inn, mercer, guild, park once"),
    (
        {"board": {"chapel_track": {"length": 0, "coins": {}}}},
        "chapel_track has the length 0: expected a whole number",
    ),
    (
        {"board": {"chapel_track": {"length": 31, "coins": {}}}},
        "chapel_track has the length 31: expected a whole number",
    ),
    ({"board": {"chapel_track": {"length": 9}}}, "chapel_track has the length 9, but no coins of its own"),
    ({"board": {"chapel_track": [9]}}, "chapel_track is [9]: expected a mapping with any of length"),
    (
        {"board": {"gate_track": {"length": 9, "bonus": [], "ends": 9}}},
        "gate_track has the key 'ends'",
    ),
    (
        {"board": {"gate_track": {"length": 9, "bonus": [], "end": 100}}},
        "gate_track has 100 at its end",
    ),
    ({"board": {"chapel_track": {"length": 9, "coins": [1]}}}, "expected a mapping of space to coins"),
    ({"board": {"chapel_track": {"length": 9, "coins": {10: 1}}}}, "names the space 10: expected 1 to 9"),
    ({"board": {"chapel_track": {"length": 9, "coins": {"2": 1, 2: 1}}}}, "names space 2 twice"),
    (
        {"board": {"chapel_track": {"length": 9, "coins": {3: 0}}}},
        "has 0 coins on space 3: expected whole pounds",
    ),
    ({"board": {"gate_track": {"length": 9, "bonus": [0]}}}, "names the space 0: expected 1 to 9"),
    ({"board": {"gate_track": {"length": 9, "bonus": [3, 3]}}}, "names space 3 twice"),
    ({"board": {"gate_track": {"length": 9, "bonus": 3}}}, "gate_track bonus is 3: expected a list of spaces"),
    ({"board": {"tiles": {"chapel": []}}}, "the chapel stack has 0 tiles: expected 12"),
    (
        {"board": {"tiles": {"shop": []}}},
        "tiles have the kind 'shop': expected chapel, gate, inn",
    ),
    ({"board": {"tiles": {**TILES, "inn": []}}}, "the inn stack has 0 tiles: expected 12"),
    ({"board": with_tile("inn", 0, [61, "blue"])}, "has the number 61: expected 1 to 60"),
    ({"board": with_tile("inn", 0, [43, "blue"])}, "the number 43 is there twice"),
    ({"board": with_tile("inn", 0, [5, "red"])}, "has the crest 'red': expected blue, orange, grey, green"),
    ({"board": with_tile("inn", 0, [5, "all"])}, "has the crest 'all': expected blue"),
    ({"board": with_tile("guild", 0, [4, "blue"])}, "has the crest 'blue': expected all"),
    ({"board": with_tile("park", 0, [7, "blue"])}, "has the number 7: expected 0, parks have none"),
    ({"board": with_tile("inn", 0, "5")}, "expected [number, crest]"),
    ({"board": with_tile("inn", 0, [5, "none"])}, "has the crest 'none': expected blue"),
    ({"board": with_tile("park", 0, [0, "all"])}, "has the crest 'all': expected"),
    ({"board": {"bonus_piles": [["lady"] * 8] * 3}}, "the bonus piles have lady 24 times: expected 3"),
    ({"board": {"bonus_piles": [["lady"] * 8, ["boost"] * 7]}}, "there are 2 bonus piles: expected 3"),
    ({"board": {"bonus_piles": [["lady"] * 8, ["boost"] * 7, []]}}, "bonus pile 2 has 7 tiles: expected 8"),
    ({"board": {"bonus_piles": [["lady"] * 8, ["dragon"] * 8, []]}}, "bonus pile 2 has 'dragon': expected lady, boost"),
    ({"board": "third"}, "board is 'third': expected first, second, FILE.toml or FILE.json, or a mapping"),
    ({"board": "nowhere.toml"}, "cannot read nowhere.toml: No such file or directory"),
    ({"rulings": "strict"}, "rulings are 'strict': expected a mapping with any of tile_side_minimum, coins_again_end"),
    ({"rulings": {"mercy": "none"}}, "rulings have 'mercy': expected any of tile_side_minimum, coins_again_end, debts"),
    ({"rulings": {"debts": True}}, "the ruling on debts is True: expected forgiven or owed"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS, ids=[message for _, message in BAD_ARGUMENTS])
@pytest.mark.parametrize("make", [old_london_bridge_v0.env, old_london_bridge_v0.raw_env])
def test_the_error_names_a_bad_argument(make: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make(**arguments)


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        old_london_bridge_v0.env(colour="red")


@pytest.mark.parametrize("seed", [-1, 2**53, 1.5, "7", True])
def test_the_error_names_a_bad_seed_and_the_game_does_not_change(seed: Any) -> None:
    env = old_london_bridge_v0.raw_env()
    env.reset(seed=1)
    env.step(3)
    before = env.record()
    with pytest.raises(ValueError, match=re.escape(f"seed is {seed!r}: expected a whole number from 0 to 2**53 - 1")):
        env.reset(seed=seed)
    assert env.record() == before


@pytest.mark.parametrize("options", [{"scoring": "bored"}, {"board": {"coins": []}}])
def test_bad_options_of_reset_do_not_change_the_game(options: dict[str, Any]) -> None:
    env = old_london_bridge_v0.raw_env()
    env.reset(seed=1)
    env.step(3)
    before = env.record()
    with pytest.raises(ValueError, match="expected"):
        env.reset(seed=2, options=options)
    assert env.record() == before


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (5, "action 5 ('rondel chapel') is not legal for player_"),
        (45, "action 45 ('done') is not legal for player_"),
        (46, "action is 46: expected a whole number from 0 to 45"),
        (-1, "action is -1: expected a whole number from 0 to 45"),
        (2**80, f"action is {2**80}: expected a whole number"),
        (1.0, "action is 1.0: expected a whole number"),
        ("play 1", "action is 'play 1': expected a whole number"),
        (True, "action is True: expected a whole number"),
        (None, "action is None: expected a whole number"),
        (np.array([1, 2]), "expected a whole number"),
    ],
)
def test_the_error_names_a_bad_action_and_the_game_does_not_change(action: Any, message: str) -> None:
    env = old_london_bridge_v0.raw_env()
    env.reset(seed=1)
    before, agent = env.record(), env.agent_selection
    with pytest.raises(ValueError, match=re.escape(message)):
        env.step(action)
    assert env.record() == before
    assert env.agent_selection == agent
    env.step(np.int64(2))
    assert env.record()["moves"][0][1] == "play 2"


def test_the_error_of_an_illegal_action_lists_the_legal_ones() -> None:
    env = old_london_bridge_v0.raw_env()
    env.reset(seed=1)
    expected = "expected one of 0 'play 0', 1 'play 1', 2 'play 2', 3 'play 3', 4 'play 4'"
    with pytest.raises(ValueError, match=expected):
        env.step(30)


def test_reset_cannot_change_the_number_of_players() -> None:
    env = old_london_bridge_v0.raw_env()
    with pytest.raises(ValueError, match="reset cannot change num_players"):
        env.reset(seed=1, options={"num_players": 2})


@pytest.mark.parametrize("options", [5, [1], "scoring=random"])
@pytest.mark.parametrize("kind", ["aec", "seat", "vector", "selfplay"])
def test_options_of_reset_are_a_mapping(kind: str, options: Any) -> None:
    game = "old_london_bridge"
    env: Any = {
        "aec": old_london_bridge_v0.raw_env,
        "seat": lambda: SeatEnv(game),
        "vector": lambda: SeatVectorEnv(game, 2),
        "selfplay": lambda: SelfPlay(game, 2),
    }[kind]()
    with pytest.raises(ValueError, match=re.escape(f"options are {options!r}: expected a mapping")):
        env.reset(seed=1, options=options)


@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize("action", [46, -1, 1.5, "play 1", None])
def test_the_wrapped_environment_refuses_anything_that_is_not_an_action(action: Any, observed: bool) -> None:
    env = old_london_bridge_v0.env()
    env.reset(seed=1)
    if observed:
        env.last()
    before = env.unwrapped.record()
    with pytest.raises(ValueError, match=re.escape(f"action is {action!r}: expected a whole number from 0 to 45")):
        env.step(action)
    assert env.unwrapped.record() == before


def test_an_illegal_action_loses_in_the_wrapped_environment(caplog: pytest.LogCaptureFixture) -> None:
    env = old_london_bridge_v0.env()
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(45)
    assert "Illegal move made" in caplog.text
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert {agent: reward for agent, reward in env.rewards.items() if reward} == {loser: -1}


def test_steps_after_the_end_are_refused() -> None:
    env = old_london_bridge_v0.raw_env(num_players=2)
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    before = env.record()
    with pytest.raises(ValueError, match="action is 3, but the game is over: expected None for player_0"):
        env.step(3)
    assert env.record() == before
    env.step(None)
    env.step(None)
    with pytest.raises(ValueError, match=re.escape("no game is in progress: call reset() first")):
        env.step(3)


def test_step_record_and_agents_need_a_reset_first() -> None:
    raw = old_london_bridge_v0.raw_env()
    with pytest.raises(ValueError, match=re.escape("call reset() first")):
        raw.step(0)
    with pytest.raises(ValueError, match=re.escape("call reset() first")):
        raw.record()
    env = old_london_bridge_v0.env()
    with pytest.raises(AttributeError, match="rewards cannot be accessed before reset"):
        _ = env.rewards
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        _ = env.agents
