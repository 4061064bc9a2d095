"""The PettingZoo environment: its own tests, spaces, rewards, infos, copies, records."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.test import api_test, seed_test

from olb_env import portobello_market_v0, replay
from olb_env.portobello_market import GAME, OBSERVATION
from tests.portobello_market.test_properties import short_board


def play_until_over(env: Any, seed: int = 0) -> None:
    """Play at random until the game is over; everybody is still there."""
    chance = np.random.default_rng(seed)
    while not any(env.terminations.values()):
        env.step(int(chance.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("customers", ["hidden", "open"])
def test_pettingzoos_own_tests_pass(players: int, customers: str) -> None:
    with warnings.catch_warnings():  # it prefers bare arrays to observations with a mask, though it documents both
        warnings.simplefilter("ignore", UserWarning)
        api_test(portobello_market_v0.env(num_players=players, customers=customers), num_cycles=300)
        api_test(portobello_market_v0.raw_env(num_players=players, customers=customers), num_cycles=300)
    seed_test(lambda: portobello_market_v0.env(num_players=players, customers=customers), num_cycles=50)


def test_spaces_are_the_same_for_every_number_of_players() -> None:
    two, four = portobello_market_v0.env(num_players=2), portobello_market_v0.env(num_players=4)
    assert two.observation_space("player_0") == four.observation_space("player_3")
    assert two.action_space("player_0") == spaces.Discrete(97)
    space = four.observation_space("player_0")
    assert space["observation"].shape == (OBSERVATION.size,)
    assert space["action_mask"] == spaces.Box(0, 1, (97,), np.int8)


def test_observations_are_in_the_space() -> None:
    env = portobello_market_v0.raw_env(num_players=3, customers="open")
    env.reset(seed=5)
    play_until_over(env)
    for agent in env.agents:
        assert env.observation_space(agent).contains(env.observe(agent))


def test_only_the_agent_asked_has_a_mask() -> None:
    env = portobello_market_v0.raw_env()
    env.reset(seed=5)
    for agent in env.agents:
        assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)
    assert env.legal_actions() == [f"bobby D{number}" for number in range(1, 13)]


def test_own_seat_comes_first_and_absent_seats_are_zero() -> None:
    env = portobello_market_v0.raw_env(num_players=3)
    env.reset(seed=5)
    play_until_over(env)
    scores = env.infos["player_0"]["scores"]
    for seat, agent in enumerate(env.possible_agents):
        observation = env.observe(agent)["observation"]
        seen = [observation[OBSERVATION[f"{name}.score"]][0] * 100 for name in ("own", "next1", "next2")]
        assert np.allclose(seen, scores[seat:] + scores[:seat])
        present = [observation[OBSERVATION[f"{name}.present"]][0] for name in ("own", "next1", "next2", "next3")]
        assert present == [1, 1, 1, 0]
        assert not observation[OBSERVATION["next3.present"].start : OBSERVATION["next3.score"].stop].any()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rewards_follow_the_ranks(players: int) -> None:
    env = portobello_market_v0.raw_env(num_players=players, reward="win")
    env.reset(seed=9)
    play_until_over(env)
    rank = env.infos["player_0"]["rank"]
    assert sum(env.rewards.values()) == pytest.approx(0)
    best = max(env.rewards.values())
    assert [env.rewards[f"player_{seat}"] == best for seat in range(players)] == [place == 1 for place in rank]


def test_points_reward_the_margin() -> None:
    env = portobello_market_v0.raw_env(num_players=3, reward="points")
    env.reset(seed=9)
    play_until_over(env)
    scores = env.infos["player_0"]["scores"]
    assert env.rewards["player_0"] == pytest.approx((scores[0] - (scores[1] + scores[2]) / 2) / 10)


def test_the_last_info_tells_scores_and_ranks() -> None:
    env = portobello_market_v0.raw_env(num_players=4)
    env.reset(seed=3)
    play_until_over(env)
    record = env.record()
    for agent in env.possible_agents:
        assert env.infos[agent] == {"scores": record["scores"], "rank": record["rank"]}


def test_a_seed_gives_the_same_game_and_its_followers() -> None:
    def games() -> list[Any]:
        env = portobello_market_v0.raw_env()
        env.reset(seed=11)
        found = [env.record()["setup"]]
        for _ in range(3):
            env.reset()
            found.append(env.record()["setup"])
        return found

    first = games()
    assert first == games()
    assert len({str(setup) for setup in first}) == 4


def test_reset_takes_options_for_one_game() -> None:
    env = portobello_market_v0.raw_env()
    env.reset(seed=1, options={"start_score": 0, "customers": "open"})
    assert env.record()["setup"]["start_score"] == 0
    assert env.record()["setup"]["open"]
    env.reset(seed=1)
    assert env.record()["setup"]["start_score"] == 10


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_from_where_the_original_stands(copier: Any) -> None:
    env = portobello_market_v0.raw_env()
    env.reset(seed=4)
    for _ in range(25):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    before = env.record()
    copied = copier(env)
    play_until_over(copied, seed=8)
    assert env.record() == before
    play_until_over(env, seed=8)
    assert env.record(legal=True) == copied.record(legal=True)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("board", [None, short_board], ids=["printed", "short"])
def test_the_record_of_a_played_game_replays(players: int, board: Any) -> None:
    env = portobello_market_v0.raw_env(num_players=players, board=board, start_score=2)
    env.reset(seed=6)
    play_until_over(env)
    record = env.record(legal=True)
    assert record["seed"] == 6
    assert replay(record).over


def test_an_illegal_action_is_refused_by_name() -> None:
    env = portobello_market_v0.raw_env()
    env.reset(seed=6)
    with pytest.raises(ValueError, match=r"action 96 \('done'\) is not legal"):
        env.step(96)


def test_it_renders_as_text_and_as_a_drawing() -> None:
    env = portobello_market_v0.raw_env(render_mode="ansi")
    env.reset(seed=6)
    assert env.render().startswith("Portobello Market: seat ")
    drawn = portobello_market_v0.raw_env(render_mode="svg")
    drawn.reset(seed=6)
    assert drawn.render().startswith("<svg ")


def test_starts_tell_when_each_seat_has_its_turn() -> None:
    env = portobello_market_v0.raw_env(num_players=3)
    env.reset(seed=6)
    first = env.record()["setup"]["start_player"]
    starts = GAME.starts(env.unwrapped._states[0])
    assert starts[first:] + starts[:first] == ["first", "second", "third"]
