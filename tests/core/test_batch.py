"""The loops over many games do what the verbs do for each game."""

from __future__ import annotations

import numpy as np

from olb_env.core import batch
from olb_env.core.rng import stream
from olb_env.core.verbs import actor, legal, observe, random_action
from olb_env.old_london_bridge import ACTIONS, GAME, OBSERVATION
from tests.support.playthroughs import play_everything, play_random, walk

ROWS = 6


def some_games(steps: int = 40) -> np.ndarray:
    """Return games [ROWS] of three players after some random decisions."""
    states, seeds = GAME.new_states(ROWS), np.arange(ROWS)
    batch.deal_rows(states, GAME.rules.configure(num_players=3), seeds)
    play_random(GAME, states, GAME.rules.configure(num_players=3), steps=steps)
    return states


def test_write_views_writes_what_each_seat_to_act_sees() -> None:
    states = some_games()
    observations, masks = np.ones((ROWS, OBSERVATION.size), np.float32), np.ones((ROWS, len(ACTIONS)), np.int8)
    batch.write_views(states, observations, masks)
    for row, state in enumerate(states):
        observation, mask = np.zeros(OBSERVATION.size, np.float32), np.zeros(len(ACTIONS), np.int8)
        observe(state, actor(state), observation)
        assert legal(state, mask) == mask.sum()
        assert (observations[row] == observation).all()
        assert (masks[row] == mask).all()


def test_the_view_of_a_finished_game_is_all_zeros() -> None:
    *_, finished = walk(3, num_players=2)
    observations, masks = np.ones((1, OBSERVATION.size), np.float32), np.ones((1, len(ACTIONS)), np.int8)
    batch.write_views(finished, observations, masks)
    assert not observations.any()
    assert not masks.any()


def test_observe_rows_writes_the_observation_of_any_seat() -> None:
    states = some_games()
    observations = np.zeros((ROWS, OBSERVATION.size), np.float32)
    seats = np.arange(ROWS) % 3
    batch.observe_rows(states, seats, observations)
    money = np.rint(observations[:, OBSERVATION["own.money"]][:, 0] * 50)
    assert money.tolist() == [states["money"][row, seat] for row, seat in enumerate(seats)]


def test_an_illegal_action_leaves_its_own_game_unchanged_and_no_other() -> None:
    states = some_games()
    masks = np.zeros((ROWS, len(ACTIONS)), np.int8)
    batch.write_masks(states, masks)
    actions = masks.argmax(axis=1)
    actions[2] = masks[2].argmin()
    actions[4] = 1000
    before, done = states.copy(), np.zeros(ROWS, np.bool_)
    batch.apply_rows(states, actions, done)
    assert done.tolist() == [True, True, False, True, False, True]
    changed = [states[row].tobytes() != before[row].tobytes() for row in range(ROWS)]
    assert changed == done.tolist()


def test_each_game_can_have_its_own_setup() -> None:
    setups = np.concatenate([GAME.rules.configure(num_players=players) for players in (2, 3, 4)])
    states = GAME.new_states(6)
    batch.deal_rows(states, setups, np.arange(6))
    assert states["players"].tolist() == [2, 3, 4, 2, 3, 4]


def test_random_play_is_the_same_with_and_without_observations() -> None:
    finals = []
    for observations in (None, np.zeros((ROWS, OBSERVATION.size), np.float32)):
        states = GAME.new_states(ROWS)
        batch.deal_rows(states, GAME.rules.configure(num_players=2), np.arange(ROWS))
        play_random(GAME, states, GAME.rules.configure(num_players=2), steps=70, observations=observations)
        finals.append(states.tobytes())
    assert finals[0] == finals[1]


def test_every_kernel_of_the_engine_runs() -> None:
    play_everything(GAME, seed=3)


def test_random_actions_are_legal_and_about_equally_frequent() -> None:
    states = some_games(steps=23)
    for state in states:
        mask = np.zeros(len(ACTIONS), np.int8)
        legal(state, mask)
        drawn = [random_action(state, stream(1, number)) for number in range(400)]
        assert sorted(set(drawn)) == np.flatnonzero(mask).tolist()
        rarest = min(drawn.count(action) for action in set(drawn))
        assert rarest > 400 / mask.sum() / 3
