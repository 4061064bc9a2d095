"""The batch in which every seat learns, and the cutting of its stream into what each seat did and earned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_env import old_london_bridge_v0
from olb_env.core.trajectories import LAST, discounted_returns, link_decisions, trajectories
from olb_env.envs.selfplay import SelfPlay, Step
from tests.conftest import INTERPRETED
from tests.support.playthroughs import choose
from tests.support.toy_game import PEBBLES

STEPS = 40 if INTERPRETED else 400


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_row_is_the_game_that_pettingzoo_plays(players: int) -> None:
    """Same deals, same actions: the same seats are asked, see the same, and earn the same."""
    rows = 3
    batch = SelfPlay(num_envs=rows, num_players=players, reward="money")
    turn = batch.reset(seed=21)
    envs = [old_london_bridge_v0.env(num_players=players, reward="money") for _ in range(rows)]
    for row, env in enumerate(envs):
        env.reset(seed=21 + row)
    chance, ended = np.random.default_rng(0), 0
    for _ in range(STEPS):
        actions = choose(turn.mask, chance)
        for row, env in enumerate(envs):
            seen = env.last()[0]
            assert env.agent_selection == f"player_{turn.seat[row]}"
            assert (seen["observation"] == turn.observation[row]).all()
            assert (seen["action_mask"] == turn.mask[row]).all()
            env.step(int(actions[row]))
        turn = batch.step(actions)
        for row, env in enumerate(envs):
            assert turn.over[row] == all(env.terminations.values())
            if turn.over[row]:
                assert turn.reward[row].tolist() == [env.rewards[agent] for agent in env.possible_agents]
                assert turn.reward[row].any()
                env.reset()
                ended += 1
            else:
                assert not turn.reward[row].any()
    assert ended > 0 or INTERPRETED


def test_every_seat_gets_its_final_reward() -> None:
    batch = SelfPlay("pebbles", 8, num_players=3, coins=7)
    turn = batch.reset(seed=1)
    chance, games = np.random.default_rng(0), 0
    for _ in range(40):
        turn = batch.step(choose(turn.mask, chance))
        for row in np.flatnonzero(turn.over):
            games += 1
            assert turn.reward[row].sum() == pytest.approx(0)
            best = batch.ranks[row] == 1
            assert (batch.scores[row][best] == batch.scores[row].max()).all()
            assert turn.reward[row][best].min() >= turn.reward[row].max()
    assert games > 20


def hand_made() -> tuple[Any, Any, Any]:
    """One row, three seats, one game and the beginning of the next.

    step    0  1  2  3  4 | 5  6
    seat    0  1  0  2  0 | 1  0     the game ends with step 4, on seat 0's decision
    earned  seat 1 gets 2 at step 2, then at the end seat 0 gets 5, seat 1 gets -3, seat 2 gets -2
    """
    seats = np.array([[0], [1], [0], [2], [0], [1], [0]])
    rewards = np.zeros((7, 1, 3))
    rewards[2, 0, 1] = 2
    rewards[4, 0] = [5, -3, -2]
    rewards[5, 0, 0] = 7  # earned in the next game before seat 0 decided there
    over = np.array([[False]] * 4 + [[True]] + [[False]] * 2)
    return seats, rewards, over


def test_rewards_land_on_the_decisions_of_their_own_seat() -> None:
    links = link_decisions(*hand_made())
    assert links.following[:, 0].tolist() == [2, LAST, 4, LAST, LAST, LAST, LAST]
    assert links.rewards[:, 0].tolist() == [0, 2 - 3, 0, -2, 5, 0, 0]
    assert links.ended[:, 0].tolist() == [False, True, False, True, True, False, False]
    assert links.cut[:, 0].tolist() == [False] * 5 + [True, True]


def test_returns_are_those_of_the_own_seat() -> None:
    links = link_decisions(*hand_made())
    assert discounted_returns(links)[:5, 0].tolist() == [5, -1, 5, -2, 5]
    assert discounted_returns(links, 0.5)[:5, 0].tolist() == [1.25, -1, 2.5, -2, 5]
    assert np.isnan(discounted_returns(links)[5:]).all()  # nobody knows yet


def test_the_stream_is_cut_into_one_piece_for_each_seat_and_game() -> None:
    found = [
        (piece.row, piece.seat, piece.steps.tolist(), piece.rewards.tolist(), piece.ended)
        for piece in trajectories(*hand_made())
    ]
    assert found == [
        (0, 0, [0, 2, 4], [0, 0, 5], True),
        (0, 1, [1], [-1], True),
        (0, 2, [3], [-2], True),
        (0, 1, [5], [0], False),
        (0, 0, [6], [0], False),
    ]


def stream(batch: SelfPlay, steps: int) -> tuple[Any, Any, Any]:
    turn: Step = batch.reset(seed=5)
    chance = np.random.default_rng(0)
    seats, rewards, over = [], [], []
    for _ in range(steps):
        seats.append(turn.seat)
        turn = batch.step(choose(turn.mask, chance))
        rewards.append(turn.reward)
        over.append(turn.over)
    return np.array(seats), np.array(rewards), np.array(over)


def test_whole_games_hand_out_all_that_was_earned() -> None:
    """Every finished game is cut into as many pieces as players, whose rewards sum to zero."""
    seats, rewards, over = stream(SelfPlay("pebbles", 4, num_players=3, coins=7, reward="coins"), 60)
    pieces = trajectories(seats, rewards, over)
    assert sum(len(piece.steps) for piece in pieces) == seats.size
    for row in range(4):
        ends = np.flatnonzero(over[:, row])
        begin = 0
        for end in ends:
            game = [piece for piece in pieces if piece.row == row and begin <= piece.steps[0] <= end]
            assert all(piece.ended and piece.steps[-1] <= end for piece in game)
            for piece in game:
                assert piece.rewards.sum() == pytest.approx(rewards[end, row, piece.seat])
                assert (seats[piece.steps, row] == piece.seat).all()
            begin = end + 1
    assert over.sum() > 20


def test_every_piece_is_open_or_ended_with_its_game() -> None:
    seats, rewards, over = stream(SelfPlay(num_envs=3, num_players=4), STEPS)
    links = link_decisions(seats, rewards, over)
    outcome = discounted_returns(links)
    for row in range(3):
        begin = 0
        for end in np.flatnonzero(over[:, row]):
            for step in range(begin, end + 1):
                assert outcome[step, row] == rewards[end, row, seats[step, row]]
            begin = end + 1
        assert np.isnan(outcome[begin:, row]).all()


@pytest.mark.parametrize(
    ("seats", "rewards", "over", "message"),
    [
        (np.zeros(3), np.zeros((3, 2)), np.zeros(3), "do not fit"),
        (np.zeros((3, 1)), np.zeros((2, 1, 2)), np.zeros((3, 1)), "do not fit"),
        (np.full((3, 1), 2), np.zeros((3, 1, 2)), np.zeros((3, 1)), "seats run from 2 to 2: expected 0 to 1"),
        (np.full((3, 1), -1), np.zeros((3, 1, 2)), np.zeros((3, 1)), "seats run from -1"),
    ],
)
def test_streams_that_do_not_fit_are_refused(seats: Any, rewards: Any, over: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        link_decisions(seats, rewards, over)


def test_a_wrong_action_names_its_row_and_harms_no_game() -> None:
    batch = SelfPlay("pebbles", 3)
    with pytest.raises(ValueError, match="no game is on: call reset"):
        batch.step([0, 0, 0])
    batch.reset(seed=1)
    with pytest.raises(ValueError, match="row 1: action is 3: expected a whole number from 0 to 2"):
        batch.step([0, 3, 0])
    assert (batch.step([0, 0, 0]).observation[:, 0] == np.float32(11 / 12)).all()


def test_arrays_are_the_callers_own_unless_told_otherwise() -> None:
    for own in (True, False):
        batch = SelfPlay("pebbles", 3, copy=own)
        first = batch.reset(seed=1)
        second = batch.step([0, 1, 2])
        assert (first.observation is second.observation) is not own
        assert (first.seat is second.seat) is not own


def test_games_are_reset_all_together() -> None:
    with pytest.raises(ValueError, match="reset_mask"):
        SelfPlay("pebbles", 2).reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ValueError, match="unknown option 'opponents' of pebbles: expected some of num_players, coins"):
        SelfPlay("pebbles", 2, opponents="random")


def test_options_may_change_for_one_game() -> None:
    batch = SelfPlay("pebbles", 2, coins=6)
    assert batch.reset(seed=1, options={"coins": 12}).observation[0, 1] == 1.0
    assert batch.reset(seed=1).observation[0, 1] == 0.5
    assert batch.game is PEBBLES
