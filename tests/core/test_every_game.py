"""Properties of every game: nothing hidden shows, copies play on alike, records are complete."""

from __future__ import annotations

import copy
import importlib
import itertools
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, seed_test

from olb_env import load_records, replay, save_records
from olb_env.core import batch
from olb_env.core.game import Game, find
from tests.support.options import OPTIONS, seeds
from tests.support.playthroughs import deal_one, finish, play_until_over, redraw, view, walk
from tests.support.running import INTERPRETED
from tests.tools.golden_games import NAMES, load_golden

every_game = pytest.mark.parametrize("game", [find(name) for name in OPTIONS], ids=OPTIONS)
golden_games = pytest.mark.parametrize(("game", "name"), NAMES)

CYCLES = 30 if INTERPRETED else 300  # of PettingZoo's own test
MOVES = 60  # in games that are played side by side
LATEST_COPY = 90  # the last decision at which a game is copied
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "old_london_bridge": ({}, {"scoring": "random"}),
    "portobello_market": ({}, {"customers": "open"}),
    "wobbly_bridge": ({},),
}
CONFIGURATIONS = [
    (name, {"num_players": players, **variant})
    for name, variants in VARIANTS.items()
    for players in find(name).players
    for variant in variants
]


def module_of(name: str) -> Any:
    """Return the module of a game's environments."""
    return importlib.import_module(f"olb_env.{name}_v{find(name).version}")


# Environments


@pytest.mark.parametrize(
    ("name", "options"),
    CONFIGURATIONS,
    ids=lambda part: "-".join(map(str, dict(part).values())) if isinstance(part, dict) else part,
)
def test_environments_pass_pettingzoos_own_tests(name: str, options: dict[str, Any]) -> None:
    module = module_of(name)
    with warnings.catch_warnings():  # it warns about observations with a mask, though it documents them
        warnings.simplefilter("ignore", UserWarning)
        api_test(module.env(**options), num_cycles=CYCLES)
        api_test(module.raw_env(**options), num_cycles=CYCLES)
    seed_test(lambda: module.env(**options), num_cycles=50)


@pytest.mark.compiled
@every_game
@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("made", ["env", "raw_env"])
def test_a_copied_environment_plays_on_independently(game: Game, made: str, copier: Any) -> None:
    env = getattr(module_of(game.name), made)()
    env.reset(seed=4)
    for _ in range(5):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    before, copy_of = env.unwrapped.record(), copier(env)
    play_until_over(copy_of, seed=8)
    assert env.unwrapped.record() == before
    play_until_over(env, seed=8)
    assert env.unwrapped.record(legal=True) == copy_of.unwrapped.record(legal=True)


# Records


@golden_games
def test_a_record_replays_without_its_seed(game: str, name: str) -> None:
    record, _ = load_golden(game, name)
    del record["seed"]
    replayed = replay(record)
    assert replayed.over
    assert find(game).records.describe_end(replayed.final[0]) == {
        key: record[key] for key in find(game).records.end_keys
    }


@golden_games
def test_a_replay_yields_every_position_with_the_setup_of_the_record(game: str, name: str) -> None:
    record, _ = load_golden(game, name)
    replayed = replay(record)
    assert [[seat, action, find(game).legal_actions(state)] for state, seat, action in replayed] == record["moves"]
    assert len(replayed) == len(record["moves"])
    setup = find(game).records.describe_setup(replayed.initial[0])
    assert all(find(game).records.describe_setup(state) == setup for state, _, _ in replayed)
    assert all(record[key] == value for key, value in setup.items())


@golden_games
def test_a_record_may_be_of_a_game_that_is_not_over(game: str, name: str) -> None:
    record, _ = load_golden(game, name)
    for key in find(game).records.end_keys:
        del record[key]
    for count in (7, 0):
        record["moves"] = record["moves"][:count]
        assert not replay(record).over


@pytest.mark.compiled
@golden_games
def test_saved_records_are_loaded_unchanged(game: str, name: str, tmp_path: Path) -> None:
    record, _ = load_golden(game, name)
    path = tmp_path / "games.jsonl"
    assert save_records(path, [record, record]) == 2
    assert load_records(path) == [record, record]
    assert path.read_text(encoding="utf-8").count("\n") == 2


# States


@pytest.mark.compiled
@every_game
@given(seeds, st.data(), st.integers(0, LATEST_COPY))
def test_copied_and_pickled_states_play_on_as_the_original(
    game: Game, seed: int, data: st.DataObject, moves: int
) -> None:
    *_, states = itertools.islice(walk(seed, game, **data.draw(OPTIONS[game.name])), moves + 1)
    copies = [
        states.copy(),
        pickle.loads(pickle.dumps(states)),
        np.frombuffer(states.tobytes(), game.rules.dtype).copy(),
    ]
    original = states.copy()
    finish(original, game)
    for copy_of in copies:
        assert copy_of.tobytes() == states.tobytes()
        finish(copy_of, game)
        assert copy_of.tobytes() == original.tobytes()


@pytest.mark.compiled
@every_game
@given(st.lists(seeds, min_size=2, max_size=8, unique=True), st.data(), st.randoms(use_true_random=False))
def test_rows_of_a_batch_are_independent_and_equal_to_single_games(
    game: Game, numbers: list[int], data: st.DataObject, rng: Any
) -> None:
    """The same actions lead to the same games in a batch in another order, and in single games."""
    chosen, count = data.draw(OPTIONS[game.name]), len(numbers)
    setup, order = game.rules.configure(**chosen), rng.sample(range(count), count)
    batches = [game.new_states(count), game.new_states(count)]
    batch.deal_rows(batches[0], setup, np.array(numbers))
    batch.deal_rows(batches[1], setup, np.array(numbers)[order])
    singles = [deal_one(number, game, **chosen) for number in numbers]
    masks, done = np.zeros((count, len(game.actions)), np.int8), np.zeros(count, np.bool_)
    for _ in range(MOVES):
        batch.write_masks(batches[0], masks)
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        batch.apply_rows(batches[0], actions, done)
        batch.apply_rows(batches[1], actions[order], done)
        for row, states in enumerate(singles):
            batch.apply_one(states, int(actions[row]))
    assert batches[1].tobytes() == batches[0][order].tobytes()
    assert b"".join(states.tobytes() for states in singles) == batches[0].tobytes()


@every_game
@given(seeds, st.data())
def test_an_illegal_action_changes_nothing(game: Game, seed: int, data: st.DataObject) -> None:
    states = deal_one(seed, game, **data.draw(OPTIONS[game.name]))
    before, mask = states.tobytes(), np.zeros(len(game.actions), np.int8)
    game.rules.legal(states[0], mask)
    for action in (*np.flatnonzero(mask == 0).tolist(), -1, len(game.actions), 1000):
        assert batch.apply_one(states, action) == batch.ILLEGAL
    assert states.tobytes() == before


# What a seat may know


@every_game
@given(seeds, st.data())
def test_observations_stay_within_their_bounds(game: Game, seed: int, data: st.DataObject) -> None:
    chosen, highest = data.draw(OPTIONS[game.name]), game.observation.highest()
    for states in walk(seed, game, **chosen):
        for seat in range(chosen["num_players"]):
            observation, _ = view(states, seat, game)
            assert (observation >= 0).all()
            assert (observation <= highest).all()


@pytest.mark.compiled
@every_game
@given(seeds, st.data(), seeds)
def test_resampling_changes_nothing_that_the_seat_sees(game: Game, seed: int, data: st.DataObject, draw: int) -> None:
    chosen, changed = data.draw(OPTIONS[game.name]), 0
    for states in walk(seed, game, **chosen):
        for seat in range(chosen["num_players"]):
            redrawn = redraw(states, seat, draw)
            before, after = view(states, seat, game), view(redrawn, seat, game)
            assert before[0].tobytes() == after[0].tobytes()
            assert before[1].tobytes() == after[1].tobytes()
            assert batch.actor_one(states) == batch.actor_one(redrawn)
            assert game.rules.secret(states[0]) == game.rules.secret(redrawn[0])
            changed += redrawn.tobytes() != states.tobytes()
    assert changed > 0


@pytest.mark.compiled
@every_game
@settings(max_examples=6)  # texts take long
@given(seeds, st.data(), seeds)
def test_resampling_does_not_change_the_text_of_a_position(
    game: Game, seed: int, data: st.DataObject, draw: int
) -> None:
    chosen = data.draw(OPTIONS[game.name])
    for number, states in enumerate(walk(seed, game, **chosen)):
        redrawn = redraw(states, number % chosen["num_players"], draw)
        assert game.display.text(states[0]) == game.display.text(redrawn[0])


@pytest.mark.compiled
@every_game
@given(seeds, st.data(), seeds, seeds)
def test_resampling_does_not_depend_on_anything_hidden(
    game: Game, seed: int, data: st.DataObject, first: int, second: int
) -> None:
    chosen = data.draw(OPTIONS[game.name])
    for states in walk(seed, game, **chosen):
        for seat in range(chosen["num_players"]):
            once, twice = redraw(states, seat, second), redraw(redraw(states, seat, first), seat, second)
            assert once.tobytes() == twice.tobytes()
