"""The PettingZoo environment: spaces, rewards, infos, options and records."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from olb_env import portobello_market_v0, replay
from olb_env.envs.common import gymnasium_id
from olb_env.portobello_market import ACTIONS, GAME, OBSERVATION
from tests.portobello_market.positions import SHORT_BOARD
from tests.support.playthroughs import play_until_over


def test_spaces_are_the_same_for_every_number_of_players() -> None:
    two, four = portobello_market_v0.env(num_players=2), portobello_market_v0.env(num_players=4)
    assert two.observation_space("player_0") == four.observation_space("player_3")
    assert two.action_space("player_0") == spaces.Discrete(97)
    space = four.observation_space("player_0")
    assert space["observation"].shape == (OBSERVATION.size,)
    assert space["action_mask"] == spaces.Box(0, 1, (97,), np.int8)


def test_actions_have_the_ids_of_the_rules() -> None:
    """§5."""
    known = {0: "token 1", 3: "mark D1 2", 14: "mark D12 2", 15: "mark D1 4", 26: "mark D12 4", 27: "bobby D1"}
    known |= {38: "bobby D12", 39: "stall A1 P1", 40: "stall A1 P2", 41: "stall A2 P2", 82: "stall A22 P11"}
    known |= {83: "draw", 84: "plaza P1", 94: "plaza P11", 95: "lord", 96: "done"}
    assert {action: ACTIONS[action] for action in known} == known
    assert len(set(ACTIONS)) == len(ACTIONS) == 97


def test_observations_are_in_the_space() -> None:
    env = portobello_market_v0.raw_env(num_players=3, customers="open")
    env.reset(seed=5)
    play_until_over(env)
    for agent in env.agents:
        assert env.observation_space(agent).contains(env.observe(agent))


def test_only_the_agent_to_act_has_legal_actions() -> None:
    env = portobello_market_v0.raw_env()
    env.reset(seed=5)
    for agent in env.agents:
        assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)
    assert env.legal_actions() == [f"bobby D{number}" for number in range(1, 13)]


def test_the_observers_seat_comes_first_and_absent_seats_are_zero() -> None:
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


def test_the_reward_points_is_the_margin_over_the_others() -> None:
    env = portobello_market_v0.raw_env(num_players=3, reward="points")
    env.reset(seed=9)
    play_until_over(env)
    scores = env.infos["player_0"]["scores"]
    assert env.rewards["player_0"] == pytest.approx((scores[0] - (scores[1] + scores[2]) / 2) / 10)


def test_the_final_infos_hold_scores_and_ranks() -> None:
    env = portobello_market_v0.raw_env(num_players=4)
    env.reset(seed=3)
    play_until_over(env)
    record = env.record()
    for agent in env.possible_agents:
        assert env.infos[agent] == {"scores": record["scores"], "rank": record["rank"]}


def test_a_seed_determines_the_game_and_the_following_ones() -> None:
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


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("board", [None, SHORT_BOARD], ids=["printed", "short"])
def test_the_record_of_a_played_game_replays(players: int, board: Any) -> None:
    env = portobello_market_v0.raw_env(num_players=players, board=board, start_score=2)
    env.reset(seed=6)
    play_until_over(env)
    record = env.record(legal=True)
    assert record["seed"] == 6
    assert replay(record).over


def test_the_error_of_an_illegal_action_names_it() -> None:
    env = portobello_market_v0.raw_env()
    env.reset(seed=6)
    with pytest.raises(ValueError, match=r"action 96 \('done'\) is not legal"):
        env.step(96)


def test_it_renders_as_text_and_as_a_picture() -> None:
    env = portobello_market_v0.raw_env(render_mode="ansi")
    env.reset(seed=6)
    assert env.render().startswith("Portobello Market: seat ")
    drawn = portobello_market_v0.raw_env(render_mode="svg")
    drawn.reset(seed=6)
    assert drawn.render().startswith("<svg ")


def test_starts_are_the_places_in_the_order_of_turns() -> None:
    env = portobello_market_v0.raw_env(num_players=3)
    env.reset(seed=6)
    first = env.record()["setup"]["start_player"]
    starts = GAME.records.starts(env.unwrapped._states[0])
    assert starts[first:] + starts[:first] == ["first", "second", "third"]


@pytest.mark.parametrize("many", [False, True])
def test_options_of_a_reset_hold_for_one_game_in_gymnasium(*, many: bool) -> None:
    names = ("own.score", "table.open", "table.alley.free")
    arguments = {"num_players": 3, "opponents": "random"}
    make = gymnasium.make_vec if many else gymnasium.make
    env: Any = make(gymnasium_id(GAME), **({"num_envs": 2} if many else {}), **arguments)

    def seen(**options: Any) -> list[float]:
        observation, _ = env.reset(seed=3, options=options)
        return [float(observation[..., OBSERVATION[name]].sum()) for name in names]

    printed, other = seen(), seen(start_score=0, customers="open", board=SHORT_BOARD)
    assert other[0] == 0 < printed[0]
    assert other[1] > 0 == printed[1]
    assert other[2] < printed[2]
    assert seen() == printed
    with pytest.raises(ValueError, match="start_score is -1: expected a whole number from 0 to"):
        seen(start_score=-1)
