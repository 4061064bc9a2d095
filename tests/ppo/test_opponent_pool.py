"""The opponent pool prefers hard opponents and forgets the oldest past selves."""

from __future__ import annotations

import numpy as np

from olb_training.ppo.learner import Learner
from olb_training.ppo.opponent_pool import OpponentPool
from tests.support.small_runs import SMALL


def test_harder_opponents_are_drawn_more_often() -> None:
    pool, rng = OpponentPool(2, 2, SMALL.network_shape()), np.random.default_rng(1)
    for _ in range(20):  # the first is easily beaten
        pool.record_games(np.array([7, 100, 100, 0, 0], np.float32), np.array([3, 90, -50, 0, 0], np.float32))
    drawn = np.array([pool.draw(np.array([1, 2]), rng) for _ in range(1000)])
    assert (drawn == 2).mean() > 0.9
    assert (drawn == 1).any()


def test_a_new_past_self_replaces_the_oldest() -> None:
    learner = Learner(SMALL)
    for _ in range(5):
        learner.opponent_pool.add_snapshot(learner.network())
    assert learner.opponent_pool.num_snapshots == 6  # one is there from the start
    assert learner.opponent_pool.past_selves.tolist() == [3, 4, 5]
