"""Tables of several sizes as one batch: their outcomes, their seeds, and the inputs that nobody needs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from olb_env.core.rewards import utility_rows_with_margin
from olb_training.ppo.collector import RolloutCollector
from olb_training.ppo.learner import Learner
from olb_training.ppo.mixed_tables import MixedTables
from olb_training.ppo.settings import Settings
from tests.support.small_runs import SMALL


def utilities(ranks: Any, scores: Any, margin_coef: float) -> Any:
    found = np.zeros(ranks.shape)
    utility_rows_with_margin(ranks, scores, 1.0, margin_coef, found)
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_utilities_sum_to_zero_and_follow_the_ranks(players: int) -> None:
    orders = np.array(list(itertools.permutations(range(1, players + 1))))
    found = utilities(orders, -3.0 * orders, margin_coef=0.2)
    assert np.abs(found.sum(axis=1)).max() < 0.2  # the margin is squashed, the rest sums to zero
    for row, order in zip(found, orders, strict=True):
        assert (np.diff(row[order.argsort()]) < 0).all()
    np.testing.assert_allclose(utilities(orders, -3.0 * orders, margin_coef=0).sum(axis=1), 0, atol=1e-12)
    level = utilities(np.ones((1, players), np.int64), np.ones((1, players)), margin_coef=0.3)
    np.testing.assert_allclose(level, 0, atol=1e-12)


def test_every_seed_deals_other_games() -> None:
    """The greatest seed too, and no table of one seed is another table of the next."""
    all_tables = [Learner(replace(SMALL, seed=seed))._collector.tables for seed in (1, 2, 2**53 - 1)]
    dealt = [state.tobytes() for tables in all_tables for state in tables.batches[0]._env._batch.states]
    assert len(set(dealt)) > 0.8 * len(dealt)


def test_features_are_left_out_where_nobody_needs_them() -> None:
    settings = Settings(num_envs=(2, 0, 0), env_kwargs=(), features="derived", workers=1)
    tables = MixedTables(settings.network_shape(), settings.table_specs(), settings.margin_coef)
    tables.reset(np.random.SeedSequence(1))
    first, before = tables.game.observation.size, tables.inputs.copy()
    assert before[:, first:].any()
    skip = np.zeros((2, tables.num_seats), np.bool_)
    skip[0] = True  # whoever is to act at the first table
    tables.step(tables.masks.argmax(axis=1), skip)
    assert (tables.inputs[0, first:] == before[0, first:]).all()
    assert (tables.inputs[0, :first] != before[0, :first]).any()
    assert (tables.inputs[1, first:] != before[1, first:]).any()


@pytest.mark.compiled
def test_features_that_named_agents_do_not_need_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such agents compute their own: leaving the features out only saves time."""
    settings = Settings(
        hidden_sizes=(16,), features="derived", num_envs=(6, 0, 6), num_steps=30, minibatch_size=128,
        self_play_fraction=0.2, past_self_fraction=0.2, pool_size=2, opponents=("greedy",), workers=1,
    )  # fmt: skip
    learners = []
    for skipping in (RolloutCollector._seats_of_agents, lambda rollouts: np.zeros_like(rollouts._seating, np.bool_)):
        monkeypatch.setattr(RolloutCollector, "_seats_of_agents", skipping)
        learners.append(Learner(settings))
        for _ in range(4):
            learners[-1].iterate()
    one, other = (learner.network().weights for learner in learners)
    assert all((one[name] == other[name]).all() for name in one)
    assert (learners[0]._collector._seating == 1).any()
