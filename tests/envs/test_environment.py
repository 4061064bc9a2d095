"""The PettingZoo environment: spaces, observations, rewards, infos, seeds, copies and records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

import olb_env
from olb_env import old_london_bridge_v0
from olb_env.old_london_bridge import ACTIONS, GAME, OBSERVATION
from tests.support.playthroughs import play_until_over


def finish(env: Any, seed: int = 0) -> None:
    """Play at random until all agents have left."""
    rng = np.random.default_rng(seed)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))


def test_it_is_registered_with_pettingzoo() -> None:
    env = pettingzoo.make("aec", "olb_env/old_london_bridge-v0", num_players=3, scoring="random")
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert str(env) == "old_london_bridge_v0"


def test_spaces_are_the_same_for_every_number_of_players() -> None:
    two, four = old_london_bridge_v0.env(num_players=2), old_london_bridge_v0.env(num_players=4)
    assert two.observation_space("player_0") == four.observation_space("player_3")
    assert two.action_space("player_0") == spaces.Discrete(46)
    space = four.observation_space("player_0")
    assert space["observation"].shape == (OBSERVATION.size,)
    assert space["observation"].dtype == np.float32
    assert space["action_mask"] == spaces.Box(0, 1, (46,), np.int8)


def test_observations_are_in_their_space_and_are_not_overwritten() -> None:
    env = old_london_bridge_v0.env()
    env.reset(seed=5)
    first = env.observe("player_0")
    kept = first["observation"].copy()
    assert env.observation_space("player_0").contains(first)
    finish(env)
    assert (first["observation"] == kept).all()


def test_only_the_agent_to_act_has_a_mask() -> None:
    env = old_london_bridge_v0.raw_env()
    env.reset(seed=5)
    for agent in env.agents:
        assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)
    assert env.legal_actions() == ["play 0", "play 1", "play 2", "play 3", "play 4"]


def test_an_observation_has_its_own_seat_first_and_zeros_for_absent_seats() -> None:
    env = old_london_bridge_v0.raw_env(num_players=3)
    env.reset(seed=5)
    play_until_over(env)
    money = env.infos["player_0"]["money"]
    for seat, agent in enumerate(env.possible_agents):
        observation = env.observe(agent)["observation"]
        observed = [observation[OBSERVATION[f"{name}.money"]][0] * 50 for name in ("own", "next1", "next2")]
        assert np.allclose(observed, money[seat:] + money[:seat])
        present = [observation[OBSERVATION[f"{name}.present"]][0] for name in ("own", "next1", "next2", "next3")]
        assert present == [1, 1, 1, 0]
        start = OBSERVATION["next3.present"].start
        assert not observation[start : OBSERVATION["next3.cards"].stop].any()


def test_table_memory_hides_the_money_and_cards_of_others_but_not_how_many_cards() -> None:
    perfect, table = old_london_bridge_v0.raw_env(memory="perfect"), old_london_bridge_v0.raw_env(memory="table")
    for env in (perfect, table):
        env.reset(seed=5)
        for _ in range(30):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    everything, less = perfect.observe("player_1")["observation"], table.observe("player_1")["observation"]
    differing = {name for name, where in OBSERVATION.items() if (everything[where] != less[where]).any()}
    assert differing == {f"next{i}.{what}" for i in (1, 2, 3) for what in ("money", "hand")}
    for i in (1, 2, 3):
        assert not less[OBSERVATION[f"next{i}.money"]].any()
        assert not less[OBSERVATION[f"next{i}.hand"]].any()
        cards = everything[OBSERVATION[f"next{i}.hand"]].sum() * 4
        assert np.isclose(less[OBSERVATION[f"next{i}.cards"]][0] * 8, cards)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rank_rewards_fall_from_one_to_minus_one(players: int) -> None:
    env = old_london_bridge_v0.raw_env(num_players=players, reward="rank")
    env.reset(seed=9)
    play_until_over(env)
    ranking = env.infos["player_0"]["ranking"]
    steps = [1 - 2 * place / (players - 1) for place in range(players)]
    assert [env.rewards[f"player_{seat}"] for seat in ranking] == pytest.approx(steps)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_win_rewards_are_positive_only_for_the_winner(players: int) -> None:
    env = old_london_bridge_v0.raw_env(num_players=players, reward="win")
    env.reset(seed=9)
    play_until_over(env)
    winner = env.infos["player_0"]["ranking"][0]
    for seat in range(players):
        assert env.rewards[f"player_{seat}"] == pytest.approx(1 if seat == winner else -1 / (players - 1))


def test_money_rewards_are_the_margin_over_the_others() -> None:
    env = old_london_bridge_v0.raw_env(num_players=3, reward="money")
    env.reset(seed=9)
    play_until_over(env)
    money = env.infos["player_0"]["money"]
    others = (money[1] + money[2]) / 2
    assert env.rewards["player_0"] == pytest.approx((money[0] - others) / 10)
    assert sum(env.rewards.values()) == pytest.approx(0)


def test_every_agent_gets_a_reward_at_the_end_and_none_before() -> None:
    env = old_london_bridge_v0.env()
    env.reset(seed=2)
    rng, final = np.random.default_rng(1), {}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            final[agent] = reward
            assert info["breakdown"]["in_play"] >= 0
        else:
            assert reward == 0
            assert info == {}
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    assert sorted(final.values()) == pytest.approx([-1, -1 / 3, 1 / 3, 1])


def test_the_last_info_has_money_ranking_and_breakdown_as_the_record() -> None:
    env = old_london_bridge_v0.raw_env(num_players=4, scoring="random")
    env.reset(seed=3)
    play_until_over(env)
    record = env.record()
    for seat, agent in enumerate(env.possible_agents):
        info = env.infos[agent]
        assert info["money"] == record["money"]
        assert info["ranking"] == record["ranking"]
        assert info["breakdown"] == record["breakdown"][seat]
        assert sum(info["breakdown"].values()) == record["money"][seat]


def test_a_seed_gives_the_same_game_and_the_same_games_after_it() -> None:
    def setups(env: Any) -> list[Any]:
        env.reset(seed=11)
        found = [env.unwrapped.record()["setup"]]
        for _ in range(3):
            env.reset()
            found.append(env.unwrapped.record()["setup"])
        return found

    first, second = setups(old_london_bridge_v0.env()), setups(old_london_bridge_v0.env())
    assert first == second
    assert all(first[i] != first[j] for i in range(4) for j in range(i))


def test_a_later_game_can_be_dealt_from_the_seed_in_its_record() -> None:
    env = old_london_bridge_v0.raw_env()
    env.reset(seed=11)
    env.reset()
    second = env.record()
    env.reset(seed=second["seed"])
    assert env.record()["setup"] == second["setup"]


def test_without_a_seed_games_differ() -> None:
    one, other = old_london_bridge_v0.raw_env(), old_london_bridge_v0.raw_env()
    one.reset()
    other.reset()
    assert one.record()["setup"] != other.record()["setup"]


def test_reset_changes_options_for_one_game() -> None:
    env = old_london_bridge_v0.raw_env()
    env.reset(seed=1, options={"scoring": {"gate": "steps"}})
    assert env.record()["scoring"]["gate"] == "steps"
    env.reset(seed=1)
    assert env.record()["scoring"]["gate"] == "board"


def test_a_clone_is_independent_of_the_environment() -> None:
    env = old_london_bridge_v0.env()
    env.reset(seed=4)
    clone = env.unwrapped.clone()
    clone.step(0)
    assert len(env.unwrapped.record()["moves"]) == 0
    assert len(clone.record()["moves"]) == 1


def test_the_record_of_a_played_game_replays() -> None:
    env = old_london_bridge_v0.env(num_players=2, scoring="random")
    env.reset(seed=6)
    finish(env)
    record = env.unwrapped.record(legal=True)
    assert record["seed"] == 6
    assert olb_env.replay(record).over


def test_ansi_rendering_is_text_and_needs_a_render_mode() -> None:
    env = old_london_bridge_v0.raw_env(render_mode="ansi")
    env.reset(seed=6)
    assert "Old London Bridge, round 1 of 12" in env.render()
    silent = old_london_bridge_v0.raw_env()
    silent.reset(seed=6)
    with pytest.warns(UserWarning, match="made with a render_mode"):
        assert silent.render() is None


def test_a_board_given_by_the_user_is_played() -> None:
    env = old_london_bridge_v0.raw_env(board={"coins": [3, "X", 3, 3, 3, 3], "gate_track": {"length": 4, "bonus": [1]}})
    env.reset(seed=6)
    assert env.record()["setup"]["rondel"]["coins"] == [3, "X", 3, 3, 3, 3]
    assert env.record()["setup"]["gate_track"] == {"length": 4, "bonus": [1]}
    play_until_over(env)
    assert olb_env.replay(env.record()).over


def test_actions_have_the_documented_ids() -> None:
    assert len(ACTIONS) == 46
    known = {0: "play 0", 5: "rondel chapel", 16: "centre park", 17: "replace 1", 28: "replace 12", 29: "hire 1"}
    known |= {33: "bonus 1", 36: "use lady", 43: "use gate", 44: "boost low", 45: "done"}
    assert {action: ACTIONS[action] for action in known} == known


def test_a_hundred_thousand_games_fit_in_a_hundred_megabytes() -> None:
    assert GAME.rules.dtype.itemsize <= 1024
    assert GAME.new_states(100_000).nbytes < 105_000_000
