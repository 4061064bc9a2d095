"""The learner: it learns to play, imitates teachers, warms up its values, and seats opponents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from olb_env.core import batch
from olb_env.core.rewards import utility_rows
from olb_env.old_london_bridge import GAME as OLD_LONDON_BRIDGE
from olb_env.playing import Views, make_agent
from olb_training.ppo.collector import LEARNER, make_teacher
from olb_training.ppo.learner import Learner
from olb_training.ppo.model import sample_actions
from tests.support.playthroughs import deal_one
from tests.support.small_runs import SMALL
from tests.support.toy_game import PEBBLES


@pytest.mark.compiled
def test_it_learns() -> None:
    """Pebbles with a coin under each: whoever takes more wins. A little practice is better than chance."""
    learner = Learner(replace(SMALL, total_timesteps=40_000, learning_rate=3e-3, opponents=()))
    before = mean_utility(learner)
    while learner.progress < 1:
        learner.iterate()
    assert mean_utility(learner) > before + 0.1


def mean_utility(learner: Learner) -> float:
    """Return the mean utility of the learner against chance."""
    rng, network, count = np.random.default_rng(8), learner.network(), 200
    states = PEBBLES.new_states(count)
    batch.deal_rows(states, PEBBLES.rules.configure(num_players=2, coins=12), np.arange(count))
    own, actors, done = np.arange(count) % 2, np.zeros(count, np.int64), np.zeros(count, np.bool_)
    for step in range(12):
        batch.actor_rows(states, actors)
        actions = np.zeros(count, np.int64)
        for by_network in (False, True):
            rows = np.flatnonzero((actors >= 0) & ((actors == own) == by_network))
            if len(rows):
                views = Views(PEBBLES, states, rows * 100 + step, rows)
                actions[rows] = sample_actions(network(views.observations)[0] * by_network, views.masks, rng)
        batch.apply_rows(states, actions, done)
    utilities = np.zeros((count, 2))
    utility_rows(states, utilities)
    return float(utilities[np.arange(count), own].mean())


def logits_of(learner: Learner) -> Any:
    """Return the logits of the learner at the first decisions of fifty games."""
    states = PEBBLES.new_states(50)
    batch.deal_rows(states, PEBBLES.rules.configure(num_players=3), np.arange(50))
    return learner.network()(Views(PEBBLES, states, range(50)).observations)[0]


def imitating(teacher: str) -> Learner:
    timesteps = 100_000
    return Learner(
        replace(SMALL, teacher=teacher, imitation_timesteps=timesteps, total_timesteps=timesteps, learning_rate=3e-3)
    )


@pytest.mark.compiled
def test_it_imitates_the_action_of_its_teacher() -> None:
    learner = imitating("tests.support.some_agents:First")
    for _ in range(8):
        learner.iterate()
    assert (logits_of(learner).argmax(axis=1) == 0).all()


@pytest.mark.compiled
def test_it_imitates_the_visit_shares_of_a_searching_teacher() -> None:
    learner = imitating("tests.support.some_agents:Undecided")
    for _ in range(25):
        learner.iterate()
    probs = np.exp(logits_of(learner))
    probs /= probs.sum(axis=1, keepdims=True)
    assert np.abs(probs.mean(axis=0) - [0.75, 0, 0.25]).max() < 0.1


@pytest.mark.parametrize(
    ("teacher", "expected"),
    [("tests.support.some_agents:First", [1, 0, 0]), ("tests.support.some_agents:Undecided", [0.75, 0, 0.25])],
)
def test_the_policy_of_the_teacher_is_the_target_of_imitation(teacher: str, expected: list[float]) -> None:
    learner = imitating(teacher)
    metrics = learner.iterate()
    buffer = learner._buffer
    all_legal = buffer.is_learner & (buffer.masks.sum(dim=2) == 3)
    assert (buffer.teacher_probs[all_legal] == torch.tensor(expected)).all()
    assert metrics.policy_loss == pytest.approx(np.log(3), abs=0.3)  # the cross-entropy of a policy that knows nothing
    assert (metrics.approx_kl, metrics.clip_fraction) == (0, 0)


@pytest.mark.compiled
def test_search_divides_its_simulations_among_actions() -> None:
    """By its tree if there is one; without a tree all actions are tried alike, and the best gets everything."""
    views = Views(PEBBLES, deal_one(0, PEBBLES), [0])
    deep, flat = make_agent("mcts:12"), make_agent("flat:12")
    assert deep.action_probabilities(views[0]).sum() == pytest.approx(1)
    assert deep.action_probabilities(views[0]).argmax() == deep.act(views[0])
    assert flat.action_probabilities(views[0]).tolist() == np.eye(len(PEBBLES.actions))[flat.act(views[0])].tolist()


def test_the_champion_teaches_with_search_if_it_searches() -> None:
    assert hasattr(make_teacher("champion:16", OLD_LONDON_BRIDGE), "action_probabilities")
    assert not hasattr(make_teacher("champion", OLD_LONDON_BRIDGE), "action_probabilities")


def test_an_agent_to_be_exploited_holds_all_seats_but_one() -> None:
    learner = Learner(
        replace(
            SMALL,
            num_envs=(0, 40),
            best_response_to="random",
            opponents=("random",),
            self_play_fraction=0.0,
            past_self_fraction=0.0,
        )
    )
    learner._collect()
    seating = learner._collector._seating[:, :3]
    assert ((seating == LEARNER).sum(axis=1) == 1).all()


def test_a_warm_up_of_values_leaves_the_policy_head_as_it_is() -> None:
    learner = Learner(replace(SMALL, value_warmup_timesteps=2 * SMALL.timesteps_per_iteration()))
    actions, changed = learner.shape.num_actions, []
    for _ in range(3):
        before = learner.model.head.weight.detach().clone()
        learner.iterate()
        differs = (learner.model.head.weight != before).any(dim=1)
        changed.append((bool(differs[:actions].any()), bool(differs[actions:].all())))
    assert changed == [(False, True), (False, True), (True, True)]


def test_metrics_have_the_values_of_the_iteration() -> None:
    learner = Learner(SMALL)
    metrics = [learner.iterate() for _ in range(3)]
    assert [entry.timesteps for entry in metrics] == [200, 400, 600]
    assert [entry.learning_rate for entry in metrics] == [
        SMALL.learning_rate_at(remaining) for remaining in (1.0, 1 - 200 / 3000, 1 - 400 / 3000)
    ]
    assert all(0 < entry.entropy < np.log(3) for entry in metrics)
    assert all(0 <= entry.clip_fraction <= 1 for entry in metrics)
    assert set(metrics[-1].opponent_utilities) == set(SMALL.opponents)
