"""Real clients: stable-baselines3, and the conversions and wrappers of PettingZoo.

The examples of docs/clients.md test RLlib and TorchRL.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils import conversions, wrappers

from olb_env import old_london_bridge_v0
from olb_env.playing import View
from tests.support.playthroughs import choose
from tests.support.running import INTERPRETED

pytestmark = pytest.mark.compiled

STEPS = 12 if INTERPRETED else 150


# PettingZoo.


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.BaseWrapper,
        wrappers.OrderEnforcingWrapper,
        wrappers.AssertOutOfBoundsWrapper,
        lambda env: wrappers.TerminateIllegalWrapper(env, illegal_reward=-1),
        lambda env: wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env)),
    ],
)
@pytest.mark.parametrize("make", [old_london_bridge_v0.env, old_london_bridge_v0.raw_env])
def test_pettingzoos_wrappers_change_nothing(wrap: Any, make: Any) -> None:
    env, plain = wrap(make(num_players=3)), old_london_bridge_v0.env(num_players=3)
    env.reset(seed=4)
    plain.reset(seed=4)
    rng = np.random.default_rng(0)
    for agent in env.agent_iter():
        assert agent == plain.agent_selection
        (observed, *rest), (plain_observed, *plain_rest) = env.last(), plain.last()
        assert rest == plain_rest
        assert (observed["observation"] == plain_observed["observation"]).all()
        over = rest[1] or rest[2]
        action = None if over else int(rng.choice(np.flatnonzero(observed["action_mask"])))
        env.step(action)
        plain.step(action)
    assert not plain.agents


def test_pettingzoo_converts_the_game_to_a_parallel_environment() -> None:
    env = conversions.turn_based_aec_to_parallel(old_london_bridge_v0.env(num_players=2))
    observations, _ = env.reset(seed=4)
    rng, returns = np.random.default_rng(0), dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        masks = {agent: observed["action_mask"] for agent, observed in observations.items()}
        actions = {
            agent: int(rng.choice(np.flatnonzero(mask))) if mask.any() else None for agent, mask in masks.items()
        }
        observations, rewards, _, _, _ = env.step(actions)
        for agent, reward in rewards.items():
            returns[agent] += reward
    assert sorted(returns.values()) == [-1, 1]


def test_pettingzoos_wrapper_joins_several_games_to_one_episode() -> None:
    env = wrappers.MultiEpisodeEnv(old_london_bridge_v0.env(num_players=2), num_episodes=2)
    env.reset(seed=4)
    rng, decisions = np.random.default_rng(0), 0
    for _ in env.agent_iter():
        observed, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(observed["action_mask"]))))
        decisions += not over
    assert decisions > 80


# stable-baselines3, imported inside the tests, since torch takes seconds to load.

OPTIONS = {"num_players": 3, "seat": "random", "opponents": "random"}


def test_the_vec_env_plays_like_the_vector_env_with_same_step_autoreset() -> None:
    from olb_env.envs.sb3 import SeatVecEnv
    from olb_env.envs.vector import SeatVectorEnv

    env = SeatVecEnv("old_london_bridge", 4, **OPTIONS)
    other = SeatVectorEnv("old_london_bridge", 4, autoreset_mode="SameStep", **OPTIONS)
    env.seed(9)
    observations, (expected, info) = env.reset(), other.reset(seed=9)
    rng, ended, lengths = np.random.default_rng(0), 0, np.zeros(4, int)
    for _ in range(STEPS):
        assert (observations == expected).all()
        masks = np.stack(env.env_method("action_masks"))
        assert (masks == info["action_mask"]).all()
        actions = choose(masks, rng)
        before, kept = observations, observations.copy()
        observations, rewards, dones, infos = env.step(actions)
        assert (before == kept).all()  # SB3 stores it after the step
        expected, other_rewards, terminated, _, info = other.step(actions)
        lengths += 1
        assert (dones == terminated).all()
        assert rewards == pytest.approx(other_rewards)
        for row in np.flatnonzero(terminated):
            ended += 1
            assert (infos[row]["terminal_observation"] == info["final_obs"][row]).all()
            assert infos[row]["episode"]["r"] == pytest.approx(rewards[row])
            assert infos[row]["episode"]["l"] == lengths[row]
            assert infos[row]["TimeLimit.truncated"] is False
            seat = info["final_info"]["seat"][row]
            assert infos[row]["rank"] == info["final_info"]["rank"][row, seat]
            assert infos[row]["money"] == info["final_info"]["money"][row, seat]
            lengths[row] = 0
        for row in np.flatnonzero(~terminated):
            assert infos[row] == {}
    assert ended > 0 or INTERPRETED


def test_the_vec_env_refuses_agents_of_another_game() -> None:
    from olb_env.envs.sb3 import SeatVecEnv

    with pytest.raises(ValueError, match="wobbly_bridge has no style 'guilds'"):
        SeatVecEnv("wobbly_bridge", 2, num_players=3, opponents="guilds")


def test_the_vec_env_has_the_methods_that_sb3_calls() -> None:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvWrapper

    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv("pebbles", 3, num_players=2)
    with pytest.raises(ValueError, match="no game is in progress: call reset"):
        env.step(np.zeros(3, int))
    assert not env.action_masks().any()
    env.reset()
    assert env.has_attr("action_masks")
    assert not env.has_attr("fly")
    assert env.get_attr("num_envs", [0, 2]) == [3, 3]
    assert env.env_method("legal_actions", indices=1) == [["take 1", "take 2", "take 3"]]
    env.set_attr("note", "mine")
    assert env.get_attr("note") == ["mine"] * 3
    with pytest.raises(ValueError, match="shared by all games"):
        env.set_attr("note", "yours", indices=[1])
    with pytest.raises(AttributeError, match="no method 'fly'"):
        env.env_method("fly")
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(VecEnvWrapper) == [False] * 3
    assert list(env.get_images()) == [None] * 3
    with pytest.raises(ValueError, match="row 2: action is 5"):
        env.step(np.array([0, 0, 5]))
    env.step(np.array([0, 0, 0]))
    env.close()
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):  # it writes episode infos itself
        monitored = VecMonitor(SeatVecEnv("pebbles", 3, num_players=2))
    for wrapped in (monitored, VecNormalize(SeatVecEnv("pebbles", 3, num_players=2))):
        wrapped.reset()
        wrapped.step(np.array([0, 1, 2]))
        assert np.stack(wrapped.env_method("action_masks")).shape == (3, 3)
    env.set_options({"coins": 12})
    assert env.reset()[0][1] == 1.0
    assert env.reset()[0][1] == 0.5
    before = env.action_masks()
    env.set_options([{"coins": 12}, {"coins": 3}, {}])
    with pytest.raises(ValueError, match="different options for different games"):
        env.reset()
    assert (env.action_masks() == before).all()


def test_the_observations_of_the_vec_env_are_not_overwritten() -> None:
    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv("pebbles", 1, "tests.support.some_agents:First")
    kept = [env.reset()]
    kept += [env.step(np.zeros(1, int))[0] for _ in range(3)]
    assert [round(float(observations[0][0] * 12)) for observations in kept] == [12, 10, 8, 6]


def test_the_vec_env_renders_text() -> None:
    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv("pebbles", 2, render_mode="ansi")
    env.reset()
    assert env.env_method("render", indices=0)[0].startswith("12 pebbles left")
    env.render()
    assert SeatVecEnv("pebbles", 2).env_method("render") == [None, None]


class Interrupter:
    """An agent during whose turn somebody presses Ctrl-C."""

    def act(self, view: View) -> int:
        raise KeyboardInterrupt


def test_an_interrupt_changes_neither_games_nor_masks() -> None:
    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv("pebbles", 2, Interrupter(), num_players=2)
    env.reset()
    before = env.action_masks()
    with pytest.raises(KeyboardInterrupt):
        env.step(np.array([0, 2]))
    assert (env.action_masks() == before).all()


@pytest.mark.compiled
@pytest.mark.filterwarnings("default")
def test_maskable_ppo_learns_saves_and_loads(tmp_path: Path) -> None:
    """Against a random opponent the win rate rises within seconds from a half to far above."""
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy

    from olb_env.envs.sb3 import SeatVecEnv

    torch.set_num_threads(1)
    games = 600
    options = {"num_players": 2, "seat": "random", "opponents": "random"}
    env, trial = (SeatVecEnv("old_london_bridge", 64, **options) for _ in range(2))
    env.seed(1)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=4, learning_rate=1e-3, gamma=1.0, seed=0
    )

    def win_rate(player: MaskablePPO) -> float:
        trial.seed(5000)
        rewards, lengths = evaluate_policy(player, trial, games, deterministic=False, return_episode_rewards=True)
        assert len(rewards) == len(lengths) >= games
        return float((np.array(rewards) > 0).mean())

    before = win_rate(model)
    model.learn(40_000)
    after = win_rate(model)
    error = np.sqrt(0.25 / games)  # of one rate, at most
    assert abs(before - 0.5) < 5 * error
    assert after - before > 5 * np.sqrt(2) * error
    assert len(model.ep_info_buffer) == 100  # SB3 found the episode statistics
    assert {info["r"] for info in model.ep_info_buffer} <= {-1.0, 1.0}

    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model", env=env)
    trial.seed(6000)
    observations, masks = trial.reset(), trial.action_masks()
    choices = [player.predict(observations, action_masks=masks, deterministic=True)[0] for player in (model, loaded)]
    assert (choices[0] == choices[1]).all()
    assert masks[np.arange(64), choices[0]].all()
    loaded.learn(64 * 64)
