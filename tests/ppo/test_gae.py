"""Advantages follow the decisions of each seat, and every seat learns from its own outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_training.ppo.gae import compute_gae


def slow_gae(
    seats: Any, is_learner: Any, dones: Any, utilities: Any, values: Any, last_values: Any, gae_lambda: float
) -> Any:
    """The same for one table, decision by decision, forwards."""
    steps, players = len(seats), last_values.shape[0]
    advantages, targets = np.zeros(steps), np.zeros((steps, players))
    for step in np.flatnonzero(is_learner):
        seat, factor, total, now = seats[step], 1.0, 0.0, step
        while True:  # along the decisions of this seat
            following = next(
                (t for t in range(now, steps) if dones[t] or (t > now and seats[t] == seat and is_learner[t])), None
            )
            if following is None:
                total += factor * (last_values[seat] - values[now, 0])
                break
            if following == now or seats[following] != seat or not is_learner[following]:  # the game ended first
                total += factor * (utilities[following, seat] - values[now, 0])
                break
            total += factor * (values[following, 0] - values[now, 0])
            factor *= gae_lambda
            now = following
        advantages[step] = total
        targets[step, 0] = values[step, 0] + total
        outcome = next((utilities[t] for t in range(step, steps) if dones[t]), last_values)
        for offset in range(1, players):
            targets[step, offset] = outcome[(seat + offset) % players]
    return advantages, targets


@pytest.mark.parametrize("players", [2, 3])
def test_advantages_follow_the_decisions_of_each_seat(players: int) -> None:
    rng, steps, tables = np.random.default_rng(4), 40, 6
    seats = rng.integers(players, size=(steps, tables))
    is_learner, dones = rng.random((steps, tables)) < 0.7, rng.random((steps, tables)) < 0.1
    utilities, values = rng.normal(size=(2, steps, tables, players)).astype(np.float32)
    last_values = rng.normal(size=(tables, players)).astype(np.float32)
    advantages, targets = np.zeros((steps, tables), np.float32), np.zeros((steps, tables, players), np.float32)
    num_players = np.full(tables, players)
    compute_gae(
        seats, is_learner, dones, utilities, values, last_values, num_players, 0.9, advantages, targets
    )  # fmt: skip
    for row in range(tables):
        expected = slow_gae(
            seats[:, row], is_learner[:, row], dones[:, row], utilities[:, row], values[:, row], last_values[row], 0.9
        )
        np.testing.assert_allclose(advantages[:, row], expected[0], atol=1e-5)
        np.testing.assert_allclose(targets[:, row], expected[1], atol=1e-5)


def test_the_last_decision_of_a_game_is_compared_with_its_outcome() -> None:
    """Two seats decide in turn; the game ends with the second decision, which wins it."""
    seats, every, dones = np.array([[0], [1]]), np.ones((2, 1), np.bool_), np.array([[False], [True]])
    utilities = np.zeros((2, 1, 2), np.float32)
    utilities[1, 0] = [-1, 1]
    values = np.full((2, 1, 2), 0.25, np.float32)
    advantages, targets = np.zeros((2, 1), np.float32), np.zeros((2, 1, 2), np.float32)
    compute_gae(
        seats, every, dones, utilities, values, np.zeros((1, 2), np.float32), np.array([2]), 0.9, advantages, targets
    )
    assert advantages[:, 0].tolist() == [-1.25, 0.75]
    assert targets[0, 0].tolist() == [-1, 1]  # the deciding seat first
    assert targets[1, 0].tolist() == [1, -1]
