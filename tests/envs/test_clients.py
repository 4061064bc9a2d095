"""Real clients: stable-baselines3 on its own environment, PettingZoo's conversions and wrappers on ours.

RLlib and TorchRL run with the page on clients.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils import conversions, wrappers

from olb_env import old_london_bridge_v0
from olb_env.playing import View
from tests.conftest import INTERPRETED
from tests.support.playthroughs import choose

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
    chance = np.random.default_rng(0)
    for agent in env.agent_iter():
        assert agent == plain.agent_selection
        (seen, *rest), (plain_seen, *plain_rest) = env.last(), plain.last()
        assert rest == plain_rest
        assert (seen["observation"] == plain_seen["observation"]).all()
        over = rest[1] or rest[2]
        action = None if over else int(chance.choice(np.flatnonzero(seen["action_mask"])))
        env.step(action)
        plain.step(action)
    assert not plain.agents


def test_the_conversion_of_turn_based_games_to_parallel_ones_works() -> None:
    env = conversions.turn_based_aec_to_parallel(old_london_bridge_v0.env(num_players=2))
    observations, _ = env.reset(seed=4)
    chance, earned = np.random.default_rng(0), dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        actions = {
            agent: int(chance.choice(np.flatnonzero(seen["action_mask"]))) if seen["action_mask"].any() else None
            for agent, seen in observations.items()
        }
        observations, rewards, _, _, _ = env.step(actions)
        for agent, reward in rewards.items():
            earned[agent] += reward
    assert sorted(earned.values()) == [-1, 1]


def test_several_games_in_a_row_are_one_episode_in_pettingzoos_wrapper() -> None:
    env = wrappers.MultiEpisodeEnv(old_london_bridge_v0.env(num_players=2), num_episodes=2)
    env.reset(seed=4)
    chance, decisions = np.random.default_rng(0), 0
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(chance.choice(np.flatnonzero(seen["action_mask"]))))
        decisions += not over
    assert decisions > 80


# stable-baselines3. Its parts are imported where they are used: torch takes seconds to load.

OPTIONS = {"num_players": 3, "seat": "random", "opponents": "random"}


def test_the_vec_env_is_the_batch_that_deals_at_once() -> None:
    from olb_env.envs.sb3 import SeatVecEnv
    from olb_env.envs.vector import SeatVectorEnv

    mine = SeatVecEnv("old_london_bridge", 4, **OPTIONS)
    other = SeatVectorEnv("old_london_bridge", 4, autoreset_mode="SameStep", **OPTIONS)
    mine.seed(9)
    seen, (expected, info) = mine.reset(), other.reset(seed=9)
    chance, ended, lengths = np.random.default_rng(0), 0, np.zeros(4, int)
    for _ in range(STEPS):
        assert (seen == expected).all()
        masks = np.stack(mine.env_method("action_masks"))
        assert (masks == info["action_mask"]).all()
        actions = choose(masks, chance)
        before, kept = seen, seen.copy()
        seen, rewards, dones, infos = mine.step(actions)
        assert (before == kept).all()  # SB3 stores it after the step
        expected, other_rewards, over, _, info = other.step(actions)
        lengths += 1
        assert (dones == over).all()
        assert rewards == pytest.approx(other_rewards)
        for row in np.flatnonzero(over):
            ended += 1
            assert (infos[row]["terminal_observation"] == info["final_obs"][row]).all()
            assert infos[row]["episode"]["r"] == pytest.approx(rewards[row])
            assert infos[row]["episode"]["l"] == lengths[row]
            assert infos[row]["TimeLimit.truncated"] is False
            seat = info["final_info"]["seat"][row]
            assert infos[row]["rank"] == info["final_info"]["rank"][row, seat]
            assert infos[row]["money"] == info["final_info"]["money"][row, seat]
            lengths[row] = 0
        for row in np.flatnonzero(~over):
            assert infos[row] == {}
    assert ended > 0 or INTERPRETED


def test_the_vec_env_refuses_opponents_of_another_game() -> None:
    from olb_env.envs.sb3 import SeatVecEnv

    with pytest.raises(ValueError, match="wobbly_bridge has no style 'guilds'"):
        SeatVecEnv("wobbly_bridge", 2, num_players=3, opponents="guilds")


def test_the_vec_env_answers_what_sb3_asks() -> None:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvWrapper

    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv("pebbles", 3, num_players=2)
    with pytest.raises(ValueError, match="no game is on: call reset"):
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
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):  # it reports episodes by itself
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
    with pytest.raises(ValueError, match="different options to different games"):
        env.reset()
    assert (env.action_masks() == before).all()


def test_the_vec_env_hands_out_observations_to_keep() -> None:
    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv("pebbles", 1, "tests.support.some_agents:First")
    kept = [env.reset()]
    kept += [env.step(np.zeros(1, int))[0] for _ in range(3)]
    assert [round(float(seen[0][0] * 12)) for seen in kept] == [12, 10, 8, 6]


def test_the_vec_env_renders_text() -> None:
    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv("pebbles", 2, render_mode="ansi")
    env.reset()
    assert env.env_method("render", indices=0)[0].startswith("12 pebbles left")
    env.render()
    assert SeatVecEnv("pebbles", 2).env_method("render") == [None, None]


class Interrupter:
    """Somebody presses Ctrl-C while it thinks."""

    def act(self, view: View) -> int:
        raise KeyboardInterrupt


def test_an_interrupt_leaves_games_and_masks_as_they_were() -> None:
    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv("pebbles", 2, Interrupter(), num_players=2)
    env.reset()
    before = env.action_masks()
    with pytest.raises(KeyboardInterrupt):
        env.step(np.array([0, 2]))
    assert (env.action_masks() == before).all()


@pytest.mark.compiled
@pytest.mark.filterwarnings("default")
def test_maskable_ppo_learns_evaluates_saves_and_loads(tmp_path: Path) -> None:
    """Against a random opponent the win rate rises from about a half to far above, within seconds."""
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
    seen, masks = trial.reset(), trial.action_masks()
    choices = [player.predict(seen, action_masks=masks, deterministic=True)[0] for player in (model, loaded)]
    assert (choices[0] == choices[1]).all()
    assert masks[np.arange(64), choices[0]].all()
    loaded.learn(64 * 64)
