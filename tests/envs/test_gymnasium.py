"""The Gymnasium environment for one seat of one game."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from olb_env.core.rng import below
from olb_env.envs.single import SeatEnv
from olb_env.envs.vector import SeatVectorEnv
from olb_env.old_london_bridge import GAME
from olb_env.playing import View, make_agent
from tests.support.running import INTERPRETED
from tests.support.some_agents import Last, Mute, Watcher

ID = "olb_env/OldLondonBridge-v0"


def play(env: gymnasium.Env[Any, Any], seed: int | None) -> tuple[float, dict[str, Any]]:
    """Play a game at random; return the final reward and the final info."""
    _, info = env.reset(seed=seed)
    rng, terminated, reward = np.random.default_rng(0), False, 0.0
    while not terminated:
        assert reward == 0
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, reward, terminated, truncated, info = env.step(action)  # type: ignore[assignment]
        assert not truncated
    return reward, info


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_the_environment_passes_gymnasiums_check(players: int, seat: int | str) -> None:
    env = gymnasium.make(ID, num_players=players, opponents=["random"] * (players - 1), seat=seat)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not having an `spec`.*")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", GAME.rewards)
def test_the_learner_gets_the_reward_of_its_seat(players: int, reward: str) -> None:
    for seat in range(players):
        env = gymnasium.make(ID, num_players=players, seat=seat, reward=reward)
        final, info = play(env, seed=seat)
        place, money = info["ranking"].index(seat), info["money"]
        others = [money[other] for other in range(players) if other != seat]
        expected = {
            "rank": 1 - 2 * place / (players - 1),
            "win": 1.0 if place == 0 else -1 / (players - 1),
            "money": (money[seat] - sum(others) / len(others)) / 10,
        }
        assert final == pytest.approx(expected[reward])
        assert info["seat"] == seat
        assert sum(info["breakdown"].values()) == money[seat]


def test_the_learner_gets_its_reward_when_an_opponent_ends_the_game() -> None:
    env = SeatEnv("pebbles", opponents=Last(), coins=12, reward="coins")
    env.reset(seed=1)
    rewards = []
    for _ in range(3):  # in each step the learner takes 1 of the 12 pebbles, and the opponent 3
        _, reward, terminated, _, info = env.step(0)
        rewards.append(reward)
    assert terminated
    assert rewards == [0, 0, 3 - 9]
    assert info["coins"] == 3


def test_opponents_sit_in_order_after_the_learner() -> None:
    opponents = [Watcher() for _ in range(3)]
    env = gymnasium.make(ID, num_players=4, seat=2, opponents=opponents)
    play(env, seed=3)
    assert [set(opponent.seats) for opponent in opponents] == [{3}, {0}, {1}]


def test_a_random_seat_is_drawn_for_each_game_from_the_seed() -> None:
    env = SeatEnv("pebbles", num_players=3, seat="random")
    seats = [env.reset(seed=0 if game == 0 else None)[1]["seat"] for game in range(30)]
    assert set(seats) == {0, 1, 2}
    again = [env.reset(seed=0 if game == 0 else None)[1]["seat"] for game in range(30)]
    assert again == seats


def test_masks_are_in_the_info_and_in_the_method_that_sb3_calls() -> None:
    env = gymnasium.make(ID, num_players=2)
    _, info = env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert (masks == info["action_mask"]).all()
    names = env.get_wrapper_attr("legal_actions")()
    assert names == [GAME.actions[action] for action in np.flatnonzero(masks)]


def test_a_seed_gives_the_same_game_and_the_same_games_after_it() -> None:
    env = gymnasium.make(ID, num_players=3, seat="random")
    first = [play(env, seed=5 if game == 0 else None) for game in range(3)]
    second = [play(env, seed=5 if game == 0 else None) for game in range(3)]
    assert [info["money"] for _, info in first] == [info["money"] for _, info in second]
    assert first[0][1]["money"] != first[1][1]["money"]


def test_a_seed_repeats_the_random_choices_of_opponents() -> None:
    """All games of Pebbles look the same at first, so any difference is a choice of the opponent."""
    env = SeatEnv("pebbles", opponents=Watcher(), coins=12)

    def pebbles_left(seed: int) -> float:
        env.reset(seed=seed)
        return float(env.step(0)[0][0])

    first = [pebbles_left(seed) for seed in range(40)]
    assert len(set(first)) == 3
    assert first == [pebbles_left(seed) for seed in range(40)]


class Spy:
    """An agent that tries to compute, from its own seed, the card that a random player has just picked face down."""

    def __init__(self) -> None:
        self.env: SeatEnv | None = None
        self.hits: list[bool] = []

    def act(self, view: View) -> int:
        assert self.env is not None
        other = self.env._env.state(0).seats[1]
        if view.legal[0].startswith("play") and other.pick[0] > 0:
            rng_state = (view.seed - 0x9E3779B97F4A7C15) % 2**64  # the state before it, if both used one stream
            hand = np.flatnonzero(other.hand)
            self.hits.append(int(hand[below(rng_state, len(hand))]) == other.pick[0] - 1)
        return int(view.mask.argmax())


def test_the_seed_of_an_agent_does_not_reveal_the_choices_of_others() -> None:
    spy = Spy()
    env = spy.env = SeatEnv("old_london_bridge", num_players=3, opponents=["random", spy])
    for game in range(4 if INTERPRETED else 40):
        env.reset(seed=game)
        while not env._game_over:
            env.step(int(env.action_masks().argmax()))
    assert len(spy.hits) > (5 if INTERPRETED else 100)
    assert np.mean(spy.hits) < 0.6  # with a shared stream it would be 1


def test_reset_changes_options_for_one_game() -> None:
    env = SeatEnv("pebbles", coins=6)
    assert env.reset(seed=1, options={"coins": 12})[0][1] == 1.0
    assert env.reset(seed=1)[0][1] == 0.5
    with pytest.raises(ValueError, match="num_players"):
        env.reset(options={"num_players": 3})


def test_an_illegal_action_loses_the_game() -> None:
    env = gymnasium.make(ID, num_players=2)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(40)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] == GAME.actions[40]
    with pytest.raises(ValueError, match="no game is in progress"):
        env.step(0)
    env.reset()
    env.step(0)


def test_an_illegal_action_raises_and_changes_nothing_with_illegal_raise() -> None:
    env = SeatEnv("old_london_bridge", num_players=2, illegal="raise")
    _, info = env.reset(seed=1)
    with pytest.raises(ValueError, match=r"^action 40 \('.*'\) is not legal: expected one of 0 'play 0', 1"):
        env.step(40)
    assert (env.action_masks() == info["action_mask"]).all()
    assert env.step(0)[2] is False


@pytest.mark.parametrize("action", [-1, 46, 1.5, "play 0", None, True, [0]])
def test_anything_that_is_not_an_action_raises(action: Any) -> None:
    env = SeatEnv("old_london_bridge", num_players=2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"action is .*expected a whole number from 0 to 45"):
        env.step(action)


def test_a_step_before_the_first_reset_raises() -> None:
    with pytest.raises(ValueError, match="no game is in progress: call reset"):
        SeatEnv("old_london_bridge", num_players=2).step(0)


BAD_ARGUMENTS = [
    ({"opponents": ["random"]}, "opponents has 1 agents: expected 3"),
    ({"opponents": ["random"] * 4}, "opponents has 4 agents: expected 3"),
    ({"opponents": "clever"}, "unknown agent 'clever'"),
    ({"opponents": ["random", "random", "clever"]}, "unknown agent 'clever'"),
    ({"opponents": [Mute(), "random", "random"]}, "is not an agent"),
    ({"opponents": "mixed"}, "agent 'mixed' plays wobbly_bridge, not old_london_bridge"),
    ({"opponents": ["random", "random", make_agent("mixed")], "seat": 0}, "agent 'mixed' plays wobbly_bridge"),
    ({"opponents": 7}, "opponents is 7: expected an agent or a list of 3"),
    ({"seat": 4}, "seat is 4: expected 0 to 3, or 'random'"),
    ({"seat": "first"}, "seat is 'first'"),
    ({"seat": True}, "seat is True"),
    ({"reward": "fame"}, "reward is 'fame'"),
    ({"num_players": 5}, "num_players is 5"),
    ({"scoring": "none"}, "scoring is 'none'"),
    ({"render_mode": "loud"}, "render_mode is 'loud'"),
    ({"players": 3}, "unknown option 'players' of old_london_bridge: expected some of num_players, scoring"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
def test_the_error_names_a_wrong_argument(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeatEnv("old_london_bridge", **arguments)
    with pytest.raises(ValueError, match=message):
        SeatVectorEnv("old_london_bridge", num_envs=2, **arguments)


def test_errors_name_wrong_arguments_of_one_class_only() -> None:
    with pytest.raises(ValueError, match="illegal is 'ignore'"):
        SeatEnv("old_london_bridge", illegal="ignore")
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        SeatEnv("chess")
    with pytest.raises(ValueError, match="num_envs is 0"):
        SeatVectorEnv("old_london_bridge", num_envs=0)
    with pytest.raises(ValueError, match=r"autoreset_mode is 'Never'.*'NextStep', 'SameStep', 'Disabled'"):
        SeatVectorEnv("old_london_bridge", num_envs=2, autoreset_mode="Never")


def test_copies_of_an_environment_continue_in_the_same_way() -> None:
    env = SeatEnv("old_london_bridge", num_players=2, opponents="random")
    env.reset(seed=1)
    env.step(2)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert (other.action_masks() == env.action_masks()).all()
        legal = int(env.action_masks().argmax())
        assert (other.step(legal)[0] == copy.deepcopy(env).step(legal)[0]).all()


def test_ansi_rendering_is_text_and_needs_a_render_mode() -> None:
    env = gymnasium.make(ID, num_players=2, render_mode="ansi")
    env.reset(seed=1)
    assert "Round 1" in str(env.render()) or "round 1" in str(env.render())
    plain = SeatEnv("old_london_bridge", num_players=2)
    plain.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert plain.render() is None


def test_a_game_outside_the_package_is_played_too() -> None:
    env = SeatEnv("pebbles", num_players=3, opponents=["random", "tests.support.some_agents:First"], seat="random")
    for game in range(5):
        reward, info = play(env, seed=game)
        assert -1 <= reward <= 1
        assert "coins" in info
