"""Rewards at the end of a game: they sum to zero, whoever shares a rank shares them, and cheating never pays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from olb_env.core.game import Game, find
from olb_env.core.rewards import RANK, SCORE, WIN, reward_for_cheating, reward_kind, reward_rows, write_rewards
from olb_env.envs.single import SeatEnv
from tests.support.options import OPTIONS
from tests.support.playthroughs import deal_one, finish

every_game = pytest.mark.parametrize("game", [find(name) for name in OPTIONS], ids=OPTIONS)


@pytest.mark.parametrize("kind", [RANK, WIN, SCORE])
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_they_sum_to_zero_and_equal_scores_earn_the_same(seats: int, kind: int) -> None:
    """With every way to tie that there is."""
    ranks, out = np.zeros(seats, np.int64), np.zeros(seats)
    for scores in itertools.combinations_with_replacement(range(seats), seats):
        found = np.array(scores, np.float64)
        ranks[:] = [1 + (found > own).sum() for own in found]
        write_rewards(kind, 10.0, ranks, found, out)
        assert out.sum() == pytest.approx(0)
        for one, other in itertools.combinations(range(seats), 2):
            assert (scores[one] == scores[other]) <= (out[one] == out[other])
            assert (scores[one] < scores[other]) <= (out[one] <= out[other])


def test_shared_places_bring_their_mean() -> None:
    """Of four, the first two are level: 1 and 1/3 by rank; the win is halved, less what who does not win pays."""
    out, ranks, scores = np.zeros(4), np.array([1, 1, 3, 4]), np.array([9.0, 9.0, 5.0, 1.0])
    write_rewards(RANK, 10.0, ranks, scores, out)
    assert out.tolist() == pytest.approx([2 / 3, 2 / 3, -1 / 3, -1])
    write_rewards(WIN, 10.0, ranks, scores, out)
    assert out.tolist() == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])


@every_game
def test_rewards_of_whole_games_sum_to_zero(game: Game) -> None:
    for players in game.players:
        for seed in range(5):
            states = deal_one(seed, game, num_players=players)
            finish(states, game)
            for kind in (RANK, WIN, SCORE):
                rewards = np.zeros((1, players))
                reward_rows(states, kind, game.score_unit, rewards)
                assert rewards.sum() == pytest.approx(0)
                assert rewards.min() > reward_for_cheating(game, kind) - 1e-9


@every_game
def test_cheating_never_pays(game: Game) -> None:
    for reward in game.rewards:
        env = SeatEnv(game.name, num_players=game.players[0], reward=reward)
        _, info = env.reset(seed=1)
        _, earned, over, _, _ = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
        assert over
        assert earned == reward_for_cheating(game, reward_kind(game, reward)) <= -1
