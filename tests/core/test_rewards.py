"""Rewards and utilities at the end of a game: they sum to zero, ties share them, and illegal actions never pay."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from olb_env.core.game import Game, find
from olb_env.core.rewards import (
    RANK,
    SCORE,
    WIN,
    illegal_reward,
    rank_rewards,
    reward_kind,
    reward_rows,
    utilities_by_rank,
    utility_rows,
    utility_rows_with_margin,
    write_rewards,
    write_utilities,
)
from olb_env.envs.single import SeatEnv
from tests.support.options import OPTIONS
from tests.support.playthroughs import deal_one, finish
from tests.support.running import INTERPRETED

every_game = pytest.mark.parametrize("game", [find(name) for name in OPTIONS], ids=OPTIONS)


def ranks_from(scores: Sequence[float]) -> npt.NDArray[np.int64]:
    """Return the ranks of seats with these scores."""
    return np.array([1 + sum(other > score for other in scores) for score in scores])


@pytest.mark.parametrize("kind", [RANK, WIN, SCORE])
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_rewards_sum_to_zero_and_are_equal_for_equal_scores(seats: int, kind: int) -> None:
    """Every possible tie is tried."""
    out = np.zeros(seats)
    for scores in itertools.combinations_with_replacement(range(seats), seats):
        write_rewards(kind, 10.0, ranks_from(scores), np.array(scores, np.float64), out)
        assert out.sum() == pytest.approx(0)
        for one, other in itertools.combinations(range(seats), 2):
            assert (scores[one] == scores[other]) <= (out[one] == out[other])
            assert (scores[one] < scores[other]) <= (out[one] <= out[other])


def test_ties_share_the_rewards_of_their_places() -> None:
    """The first two of four seats tie: they share 1 and 1/3 by `rank`, and 1 and -1/3 by `win`."""
    out, ranks, scores = np.zeros(4), np.array([1, 1, 3, 4]), np.array([9.0, 9.0, 5.0, 1.0])
    write_rewards(RANK, 10.0, ranks, scores, out)
    assert out.tolist() == pytest.approx([2 / 3, 2 / 3, -1 / 3, -1])
    write_rewards(WIN, 10.0, ranks, scores, out)
    assert out.tolist() == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])


@every_game
def test_rewards_and_utilities_of_whole_games_sum_to_zero(game: Game) -> None:
    for players in game.players:
        for seed in range(1 if INTERPRETED else 5):
            states = deal_one(seed, game, num_players=players)
            finish(states, game)
            for kind in (RANK, WIN, SCORE):
                rewards = np.zeros((1, players))
                reward_rows(states, kind, game.score_unit, rewards)
                assert rewards.sum() == pytest.approx(0)
                assert rewards.min() > illegal_reward(game, kind) - 1e-9
            utilities, by_rank, by_win = (np.zeros((1, players)) for _ in range(3))
            utility_rows(states, utilities)
            reward_rows(states, RANK, 1.0, by_rank)
            reward_rows(states, WIN, 1.0, by_win)
            assert utilities.sum() == pytest.approx(0)
            assert utilities == pytest.approx((by_rank + by_win) / 2)


@every_game
def test_an_illegal_action_never_pays(game: Game) -> None:
    for reward in game.rewards:
        env = SeatEnv(game.name, num_players=game.players[0], reward=reward)
        _, info = env.reset(seed=1)
        _, final, terminated, _, _ = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
        assert terminated
        assert final == illegal_reward(game, reward_kind(game, reward)) <= -1


def test_utilities_are_half_rank_and_half_win() -> None:
    """The first two of four seats tie, as above: (2/3 + 1/3) / 2, and then (-1/3 - 1/3) / 2 and (-1 - 1/3) / 2."""
    out = np.zeros(4)
    write_utilities(np.array([1, 1, 3, 4]), np.array([9.0, 9.0, 5.0, 1.0]), out)
    assert out.tolist() == pytest.approx([1 / 2, 1 / 2, -1 / 3, -2 / 3])


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_utilities_sum_to_zero_and_stay_between_minus_one_and_one(seats: int) -> None:
    out = np.zeros(seats)
    for scores in itertools.combinations_with_replacement(range(seats), seats):
        write_utilities(ranks_from(scores), np.array(scores, np.float64), out)
        assert out.sum() == pytest.approx(0)
        assert np.abs(out).max() <= 1


def test_utilities_by_rank_are_those_of_a_game_without_ties() -> None:
    assert utilities_by_rank(2) == [1.0, -1.0]
    assert utilities_by_rank(3) == [1.0, -0.25, -0.75]
    assert utilities_by_rank(4) == [1.0, 0.0, -0.333333, -0.666667]


def test_rank_rewards_follow_the_ranks_and_ties_share_them() -> None:
    assert rank_rewards([2, 1, 3]) == [0.0, 1.0, -1.0]
    assert rank_rewards([1, 1]) == [0.0, 0.0]
    assert rank_rewards([1, 2, 2]) == [1.0, -0.5, -0.5]


@pytest.mark.parametrize("margin", [0.0, 0.25, 1.0])
def test_a_margin_mixes_the_lead_into_the_utilities(margin: float) -> None:
    """In units of 10 the first of two seats leads by 2 in one game, and none leads in the other."""
    ranks, scores = np.array([[1, 2], [1, 1]]), np.array([[30.0, 10.0], [5.0, 5.0]])
    out = np.zeros((2, 2))
    utility_rows_with_margin(ranks, scores, 10.0, margin, out)
    expected = (1 - margin) * 1.0 + margin * math.tanh(2 / 2)
    assert out[0].tolist() == pytest.approx([expected, -expected])
    assert out[1].tolist() == [0.0, 0.0]
