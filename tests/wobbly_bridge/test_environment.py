"""The PettingZoo environment: spaces, rewards, infos and records."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

import olb_env
from olb_env import wobbly_bridge_v0
from olb_env.wobbly_bridge import ACTIONS, GAME, OBSERVATION
from tests.support.playthroughs import play_until_over

SEATS = ("own", "next1", "next2", "next3", "next4", "next5")


def finished(seed: int, **options: Any) -> Any:
    env = wobbly_bridge_v0.raw_env(**options)
    env.reset(seed=seed)
    play_until_over(env, seed)
    return env


def test_spaces_are_the_same_for_every_number_of_players() -> None:
    three, six = wobbly_bridge_v0.env(num_players=3), wobbly_bridge_v0.env(num_players=6)
    assert three.observation_space("player_0") == six.observation_space("player_5")
    assert three.action_space("player_0") == spaces.Discrete(8)
    assert six.observation_space("player_0")["observation"].shape == (OBSERVATION.size,)
    assert OBSERVATION.size <= 200
    assert str(six) == "wobbly_bridge_v0"


def test_actions_have_the_ids_of_the_rules() -> None:
    cards = ("leap", "dash", "panic", "careful", "vertigo", "idea", "order", "heavy")
    assert tuple(f"play {card}" for card in cards) == ACTIONS


@pytest.mark.parametrize("players", [2, 7, 3.0, "4", True, None])
def test_other_numbers_of_players_are_refused(players: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"num_players is {players!r}: expected 3 to 6")):
        wobbly_bridge_v0.env(num_players=players)


def test_commands_have_one_option_of_the_game() -> None:
    assert list(GAME.commands.help) == ["rulings"]


def test_only_the_agent_to_act_has_legal_actions() -> None:
    env = wobbly_bridge_v0.raw_env()
    env.reset(seed=5)
    for agent in env.agents:
        assert env.observe(agent)["action_mask"].any() == (agent == "player_0")
    assert len(env.legal_actions()) == 6


@pytest.mark.parametrize("players", [3, 5, 6])
def test_the_observers_seat_comes_first_and_absent_seats_are_zero(players: int) -> None:
    env = finished(7, num_players=players)
    positions = env.infos["player_0"]["positions"]
    for seat, agent in enumerate(env.possible_agents):
        seen = env.observe(agent)["observation"]
        assert env.observation_space(agent)["observation"].contains(seen)
        found = [seen[OBSERVATION[f"{name}.space"]][0] * 21 for name in SEATS]
        assert np.allclose(found, positions[seat:] + positions[:seat] + [0] * (6 - players))
        assert [seen[OBSERVATION[f"{name}.present"]][0] for name in SEATS] == [1] * players + [0] * (6 - players)
        if players < 6:
            start = OBSERVATION[f"next{players}.present"].start
            assert not seen[start : OBSERVATION["next5.chosen"].stop].any()


def test_an_illegal_action_is_named_and_changes_nothing() -> None:
    env = wobbly_bridge_v0.raw_env()
    env.reset(seed=5)
    others = [action for action, name in enumerate(ACTIONS) if name not in env.legal_actions()]
    with pytest.raises(
        ValueError, match=f"action {others[0]} .* is not legal for player_0: expected one of 0 'play leap'"
    ):
        env.step(others[0])
    assert env.record()["moves"] == []


@pytest.mark.compiled
@pytest.mark.parametrize("reward", ["rank", "win", "spaces"])
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_rewards_sum_to_zero_and_shared_ranks_share_them(players: int, reward: str) -> None:
    shared = 0
    for seed in range(24):
        env = finished(seed, num_players=players, reward=reward)
        rewards, rank = list(env.rewards.values()), env.infos["player_0"]["rank"]
        assert sum(rewards) == pytest.approx(0)
        for one in range(players):
            for other in range(players):
                if rank[one] == rank[other]:
                    assert rewards[one] == pytest.approx(rewards[other])
                    shared += one != other
                elif rank[one] < rank[other] and reward != "win":
                    assert rewards[one] > rewards[other]
    assert shared > 0


def test_players_who_share_a_rank_receive_the_mean_of_their_places() -> None:
    for seed in range(200):
        env = finished(seed, num_players=4)
        rank = env.infos["player_0"]["rank"]
        if sorted(rank) == [1, 1, 3, 4]:
            assert sorted(env.rewards.values()) == pytest.approx([-1, -1 / 3, 2 / 3, 2 / 3])
            return
    pytest.fail("no such game")


def test_the_reward_spaces_is_the_lead_over_the_others() -> None:
    env = finished(3, num_players=3, reward="spaces")
    positions = env.infos["player_1"]["positions"]
    others = (positions[1] + positions[2]) / 2
    assert env.rewards["player_0"] == pytest.approx((others - positions[0]) / 10)


def test_the_final_infos_hold_positions_and_ranks() -> None:
    env = finished(3, num_players=5)
    record = env.record()
    for agent in env.possible_agents:
        assert env.infos[agent] == {"positions": record["positions"], "rank": record["rank"]}


def test_the_record_of_a_played_game_replays() -> None:
    for players in (3, 4, 5, 6):
        record = finished(6, num_players=players).record(legal=True)
        assert record["seed"] == 6
        assert olb_env.replay(record).over


def test_it_renders_as_text_and_as_a_picture() -> None:
    env = wobbly_bridge_v0.raw_env(render_mode="ansi")
    env.reset(seed=6)
    assert "The Wobbly Bridge, match 1 of 6: seat 0 picks a card face down" in env.render()
    env = wobbly_bridge_v0.raw_env(render_mode="svg")
    env.reset(seed=6)
    assert env.render().startswith("<svg")


def test_a_state_is_small() -> None:
    assert GAME.rules.dtype.itemsize <= 160
