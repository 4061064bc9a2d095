"""The self-play batch, and the trajectories of single seats cut from its rollouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_env import old_london_bridge_v0
from olb_env.core.trajectories import NO_STEP, discounted_returns, link_decisions, trajectories
from olb_env.envs.selfplay import SelfPlay, Step
from tests.support.playthroughs import choose
from tests.support.running import INTERPRETED
from tests.support.toy_game import PEBBLES

STEPS = 40 if INTERPRETED else 400


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_row_is_the_game_that_pettingzoo_plays(players: int) -> None:
    """From the same deals the same actions give the same seats to act, observations, masks and rewards."""
    rows = 3
    batch = SelfPlay(num_envs=rows, num_players=players, reward="money")
    step = batch.reset(seed=21)
    envs = [old_london_bridge_v0.env(num_players=players, reward="money") for _ in range(rows)]
    for row, env in enumerate(envs):
        env.reset(seed=21 + row)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(STEPS):
        actions = choose(step.masks, rng)
        for row, env in enumerate(envs):
            observed = env.last()[0]
            assert env.agent_selection == f"player_{step.seats[row]}"
            assert (observed["observation"] == step.observations[row]).all()
            assert (observed["action_mask"] == step.masks[row]).all()
            env.step(int(actions[row]))
        step = batch.step(actions)
        for row, env in enumerate(envs):
            assert step.terminated[row] == all(env.terminations.values())
            if step.terminated[row]:
                assert step.rewards[row].tolist() == [env.rewards[agent] for agent in env.possible_agents]
                assert step.rewards[row].any()
                env.reset()
                ended += 1
            else:
                assert not step.rewards[row].any()
    assert ended > 0 or INTERPRETED


def test_every_seat_gets_its_final_reward() -> None:
    batch = SelfPlay("pebbles", 8, num_players=3, coins=7)
    step = batch.reset(seed=1)
    rng, games = np.random.default_rng(0), 0
    for _ in range(40):
        step = batch.step(choose(step.masks, rng))
        for row in np.flatnonzero(step.terminated):
            games += 1
            assert step.rewards[row].sum() == pytest.approx(0)
            winners = batch.ranks[row] == 1
            assert (batch.scores[row][winners] == batch.scores[row].max()).all()
            assert step.rewards[row][winners].min() >= step.rewards[row].max()
    assert games > 20


def small_rollout() -> tuple[Any, Any, Any]:
    """Return a rollout of one game with three seats, and the beginning of the next game.

    step     0  1  2  3  4 | 5  6
    seat     0  1  0  2  0 | 1  0     the game ends with step 4, in which seat 0 acts
    rewards  seat 1 gets 2 at step 2; at the end seat 0 gets 5, seat 1 gets -3, and seat 2 gets -2
    """
    seats = np.array([[0], [1], [0], [2], [0], [1], [0]])
    rewards = np.zeros((7, 1, 3))
    rewards[2, 0, 1] = 2
    rewards[4, 0] = [5, -3, -2]
    rewards[5, 0, 0] = 7  # in the next game, before seat 0 acts there
    terminated = np.array([[False]] * 4 + [[True]] + [[False]] * 2)
    return seats, rewards, terminated


def test_a_decision_gets_the_rewards_of_its_own_seat() -> None:
    links = link_decisions(*small_rollout())
    assert links.next_step[:, 0].tolist() == [2, NO_STEP, 4, NO_STEP, NO_STEP, NO_STEP, NO_STEP]
    assert links.rewards[:, 0].tolist() == [0, 2 - 3, 0, -2, 5, 0, 0]
    assert links.terminated[:, 0].tolist() == [False, True, False, True, True, False, False]
    assert links.truncated[:, 0].tolist() == [False] * 5 + [True, True]


def test_a_return_adds_up_the_rewards_of_one_seat() -> None:
    links = link_decisions(*small_rollout())
    assert discounted_returns(links)[:5, 0].tolist() == [5, -1, 5, -2, 5]
    assert discounted_returns(links, 0.5)[:5, 0].tolist() == [1.25, -1, 2.5, -2, 5]
    assert np.isnan(discounted_returns(links)[5:]).all()  # the game has not ended yet


def test_a_rollout_is_cut_into_one_trajectory_for_each_seat_of_each_game() -> None:
    found = [
        (one.row, one.seat, one.steps.tolist(), one.rewards.tolist(), one.terminated)
        for one in trajectories(*small_rollout())
    ]
    assert found == [
        (0, 0, [0, 2, 4], [0, 0, 5], True),
        (0, 1, [1], [-1], True),
        (0, 2, [3], [-2], True),
        (0, 1, [5], [0], False),
        (0, 0, [6], [0], False),
    ]


def rollout(batch: SelfPlay, steps: int) -> tuple[Any, Any, Any]:
    """Return seats, rewards and terminations of random play."""
    step: Step = batch.reset(seed=5)
    rng = np.random.default_rng(0)
    seats, rewards, terminated = [], [], []
    for _ in range(steps):
        seats.append(step.seats)
        step = batch.step(choose(step.masks, rng))
        rewards.append(step.rewards)
        terminated.append(step.terminated)
    return np.array(seats), np.array(rewards), np.array(terminated)


def test_the_trajectories_of_finished_games_have_all_their_rewards() -> None:
    """Each trajectory of a finished game adds up to the final reward of its seat, and no decision is left out."""
    seats, rewards, terminated = rollout(SelfPlay("pebbles", 4, num_players=3, coins=7, reward="coins"), 60)
    found = trajectories(seats, rewards, terminated)
    assert sum(len(one.steps) for one in found) == seats.size
    for row in range(4):
        begin = 0
        for end in np.flatnonzero(terminated[:, row]):
            game = [one for one in found if one.row == row and begin <= one.steps[0] <= end]
            assert all(one.terminated and one.steps[-1] <= end for one in game)
            for one in game:
                assert one.rewards.sum() == pytest.approx(rewards[end, row, one.seat])
                assert (seats[one.steps, row] == one.seat).all()
            begin = end + 1
    assert terminated.sum() > 20


def test_returns_are_known_exactly_for_finished_games() -> None:
    seats, rewards, terminated = rollout(SelfPlay(num_envs=3, num_players=4), STEPS)
    found = discounted_returns(link_decisions(seats, rewards, terminated))
    for row in range(3):
        begin = 0
        for end in np.flatnonzero(terminated[:, row]):
            for step in range(begin, end + 1):
                assert found[step, row] == rewards[end, row, seats[step, row]]
            begin = end + 1
        assert np.isnan(found[begin:, row]).all()


@pytest.mark.parametrize(
    ("seats", "rewards", "terminated", "message"),
    [
        (np.zeros(3), np.zeros((3, 2)), np.zeros(3), "do not fit"),
        (np.zeros((3, 1)), np.zeros((2, 1, 2)), np.zeros((3, 1)), "do not fit"),
        (np.full((3, 1), 2), np.zeros((3, 1, 2)), np.zeros((3, 1)), "seats run from 2 to 2: expected 0 to 1"),
        (np.full((3, 1), -1), np.zeros((3, 1, 2)), np.zeros((3, 1)), "seats run from -1"),
    ],
)
def test_arrays_of_different_shapes_are_refused(seats: Any, rewards: Any, terminated: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        link_decisions(seats, rewards, terminated)


def test_the_error_of_a_wrong_action_names_its_row_and_no_game_changes() -> None:
    batch = SelfPlay("pebbles", 3)
    with pytest.raises(ValueError, match="no game is in progress: call reset"):
        batch.step([0, 0, 0])
    batch.reset(seed=1)
    with pytest.raises(ValueError, match="row 1: action is 3: expected a whole number from 0 to 2"):
        batch.step([0, 3, 0])
    assert (batch.step([0, 0, 0]).observations[:, 0] == np.float32(11 / 12)).all()


def test_arrays_are_copies_unless_the_caller_wants_none() -> None:
    for copied in (True, False):
        batch = SelfPlay("pebbles", 3, copy=copied)
        first = batch.reset(seed=1)
        second = batch.step([0, 1, 2])
        assert (first.observations is second.observations) is not copied
        assert (first.seats is second.seats) is not copied


def test_saved_games_continue_where_they_were() -> None:
    batch, other = (SelfPlay("pebbles", 3, num_players=3) for _ in range(2))
    batch.reset(seed=1)
    step = batch.step([0, 1, 2])
    restored = other.restore(batch.save())
    assert (restored.observations == step.observations).all()
    assert (restored.masks == step.masks).all()
    assert (restored.seats == step.seats).all()
    assert not restored.rewards.any()
    assert not restored.terminated.any()
    for mine, theirs in zip(batch.step([1, 1, 1]), other.step([1, 1, 1]), strict=True):
        assert (mine == theirs).all()
    with pytest.raises(ValueError, match=r"saved states have \d+ bytes: expected \d+ for 2 tables"):
        SelfPlay("pebbles", 2, num_players=3).restore(batch.save())


def test_all_games_are_reset_together() -> None:
    with pytest.raises(ValueError, match="reset_mask"):
        SelfPlay("pebbles", 2).reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ValueError, match="unknown option 'opponents' of pebbles: expected some of num_players, coins"):
        SelfPlay("pebbles", 2, opponents="random")


def test_reset_changes_options_for_one_game() -> None:
    batch = SelfPlay("pebbles", 2, coins=6)
    assert batch.reset(seed=1, options={"coins": 12}).observations[0, 1] == 1.0
    assert batch.reset(seed=1).observations[0, 1] == 0.5
    assert batch.game is PEBBLES
