"""What holds in every game, whatever is played."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from olb_env.core import batch
from olb_env.core.rng import SEED_LIMIT
from olb_env.portobello_market import GAME, OBSERVATION
from olb_env.portobello_market.components import ENDS, MOST_ROUNDS, STALLS
from tests.playthroughs import deal_one, view, walk
from tests.portobello_market.positions import Position

seeds = st.integers(0, SEED_LIMIT - 1)
short_board = {
    "alleys": {
        f"A{number}": {"ends": [f"P{first + 1}", f"P{second + 1}"], "values": [number % 3 + 1, 2]}
        for number, (first, second) in enumerate(ENDS, start=1)
    }
}
options = st.fixed_dictionaries(
    {
        "num_players": st.sampled_from((2, 3, 4)),
        "start_score": st.sampled_from((0, 3, 10)),
        "board": st.sampled_from((None, short_board)),
    }
)


@given(seeds, options)
def test_no_stall_is_made_or_lost(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, GAME, **chosen):
        game = states[0]
        for seat in range(game.players):
            on_lots = int((game.lot == seat + 1).sum())
            assert on_lots + int(game.seats[seat].hand) == STALLS[game.players]
            assert int(game.seats[seat].stalls.sum()) == on_lots
            assert game.seats[seat].stalls.tolist() == (game.lot == seat + 1).sum(axis=1).tolist()
            assert game.seats[seat].worth.tolist() == (game.value * (game.lot == seat + 1)).sum(axis=1).tolist()
        assert (game.table.alley_filled + game.table.alley_free == game.length).all()
        assert game.table.alley_filled.tolist() == (game.lot > 0).sum(axis=1).tolist()


@given(seeds, options)
def test_no_customer_is_made_or_lost(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, GAME, **chosen):
        game = states[0]
        for kind in (1, 2):
            out = int((game.customer == kind).sum()) + (int(game.drawn) == kind)
            assert out + int(game.table.bag[kind - 1]) == 5
        assert int((game.customer == 3).sum()) <= 1


@given(seeds, options)
def test_stalls_lie_side_by_side_from_one_end(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, GAME, **chosen):
        for row, length in zip(states[0].lot, states[0].length, strict=True):
            lots = (row[:length] > 0).tolist()
            assert lots in (sorted(lots), sorted(lots, reverse=True))


@given(seeds, options)
def test_scores_are_never_below_zero(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, GAME, **chosen):
        assert (states["score"] >= 0).all()


@given(seeds, options)
def test_somebody_has_a_face_up_token_at_every_turn(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, GAME, **chosen):
        game = states[0]
        if game.phase == 1:
            assert game.seats[game.actor].token_up.any()
        taken = sum(int((game.seats[seat].token_own == 0).sum()) for seat in range(game.players))
        assert taken + int(game.table.neutral_left) == 8
        assert taken == int(game.table.marked.sum())


@given(seeds, options)
def test_every_question_has_a_choice_and_games_end(seed: int, chosen: dict[str, Any]) -> None:
    mask = np.zeros((1, len(GAME.actions)), np.int8)
    for states in walk(seed, GAME, **chosen):
        batch.write_masks(states, mask)
        asked = batch.actor_one(states) >= 0
        assert mask.sum() >= 2 if asked else mask.sum() == 0
    assert 1 <= int(states[0].round_number) <= MOST_ROUNDS


@given(seeds, options)
def test_everybody_has_had_as_many_turns_at_the_end(seed: int, chosen: dict[str, Any]) -> None:
    *_, states = walk(seed, GAME, **chosen)
    assert int(states[0].turn) == chosen["num_players"]


@given(seeds, options, st.integers(0, 90))
def test_a_copy_and_a_pickle_go_on_as_the_original(seed: int, chosen: dict[str, Any], moves: int) -> None:
    *_, states = itertools.islice(walk(seed, GAME, **chosen), moves + 1)
    copies = [states.copy(), pickle.loads(pickle.dumps(states)), np.frombuffer(states.tobytes(), GAME.dtype).copy()]
    original = states.copy()
    _finish(original)
    for copied in copies:
        assert copied.tobytes() == states.tobytes()
        _finish(copied)
        assert copied.tobytes() == original.tobytes()


def _finish(states: Any) -> None:
    """Play the last legal answer to the end."""
    mask = np.zeros((1, len(GAME.actions)), np.int8)
    while batch.actor_one(states) >= 0:
        batch.write_masks(states, mask)
        batch.apply_one(states, int(np.flatnonzero(mask[0])[-1]))


@given(seeds, options, st.sampled_from(("hidden", "open")), seeds)
def test_a_seat_sees_the_same_before_and_after_a_redraw(
    seed: int, chosen: dict[str, Any], customers: str, draw: int
) -> None:
    changed = 0
    for states in walk(seed, GAME, **chosen, customers=customers):
        for seat in range(chosen["num_players"]):
            redrawn = states.copy()
            batch.resample_rows(redrawn, np.array([seat]), np.array([draw]))
            before, after = view(states, seat, GAME), view(redrawn, seat, GAME)
            assert before[0].tobytes() == after[0].tobytes()
            assert before[1].tobytes() == after[1].tobytes()
            changed += redrawn.tobytes() != states.tobytes()
    assert (changed > 0) == (customers == "hidden")


@given(seeds, options, seeds, seeds)
def test_a_redraw_depends_on_nothing_hidden(seed: int, chosen: dict[str, Any], first: int, second: int) -> None:
    for states in walk(seed, GAME, **chosen):
        once, twice = states.copy(), states.copy()
        batch.resample_rows(once, np.array([0]), np.array([second]))
        batch.resample_rows(twice, np.array([0]), np.array([first]))
        batch.resample_rows(twice, np.array([0]), np.array([second]))
        assert once.tobytes() == twice.tobytes()
        out = 10 - int(states[0].table.bag.sum())
        assert (once[0].order[:out] == states[0].order[:out]).all()
        assert sorted(once[0].order) == sorted(states[0].order)


def test_an_open_bag_is_in_the_observation_and_a_hidden_one_is_not() -> None:
    bag = ["burgher"] * 5 + ["servant"] * 5
    for customers, coming in (("open", [[0, 1]] * 4 + [[1, 0]] * 5 + [[0, 0]]), ("hidden", [[0, 0]] * 10)):
        position = Position(bag=bag, customers=customers)
        position.answer("token 1", "draw")
        seen = view(position.states, 0, GAME)[0]
        assert seen[OBSERVATION["table.coming"]].reshape(10, 2).tolist() == coming
        assert seen[OBSERVATION["table.open"]].tolist() == [customers == "open"]
        assert seen[OBSERVATION["table.drawn"]].tolist() == [0, 1]


@given(seeds, options)
def test_observations_stay_within_the_space(seed: int, chosen: dict[str, Any]) -> None:
    highest = OBSERVATION.highest()
    for states in walk(seed, GAME, **chosen):
        for seat in range(chosen["num_players"]):
            observation, _ = view(states, seat, GAME)
            assert (observation >= 0).all()
            assert (observation <= highest).all()


@given(st.lists(seeds, min_size=2, max_size=8, unique=True), options, st.randoms(use_true_random=False))
def test_rows_are_independent_and_equal_to_single_games(
    numbers: list[int], chosen: dict[str, Any], chance: Any
) -> None:
    """A batch in another order, and every game alone, come to the same games."""
    setup, count = GAME.configure(**chosen), len(numbers)
    order = chance.sample(range(count), count)
    batches = [GAME.new_states(count), GAME.new_states(count)]
    batch.deal_rows(batches[0], setup, np.array(numbers))
    batch.deal_rows(batches[1], setup, np.array(numbers)[order])
    singles = [deal_one(number, GAME, **chosen) for number in numbers]
    masks = np.zeros((count, len(GAME.actions)), np.int8)
    done = np.zeros(count, np.bool_)
    for _ in range(60):
        batch.write_masks(batches[0], masks)
        actions = np.array([chance.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        batch.apply_rows(batches[0], actions, done)
        batch.apply_rows(batches[1], actions[order], done)
        for row, states in enumerate(singles):
            batch.apply_one(states, int(actions[row]))
    assert batches[1].tobytes() == batches[0][order].tobytes()
    assert b"".join(states.tobytes() for states in singles) == batches[0].tobytes()


@given(seeds, options)
def test_an_illegal_action_changes_nothing(seed: int, chosen: dict[str, Any]) -> None:
    states = deal_one(seed, GAME, **chosen)
    before, mask = states.tobytes(), np.zeros(len(GAME.actions), np.int8)
    GAME.legal(states[0], mask)
    for action in (*np.flatnonzero(mask == 0).tolist(), -1, 97, 1000):
        assert batch.apply_one(states, action) == batch.ILLEGAL
    assert states.tobytes() == before


def test_random_actions_are_legal_and_all_come_up() -> None:
    position = Position()
    position.answer("token 1")
    drawn = {GAME.actions[GAME.random_action(position.game, chance)] for chance in range(2000)}
    assert drawn == set(position.legal)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_seat_can_be_the_start_player(players: int) -> None:
    found = {int(deal_one(seed, GAME, num_players=players)[0].start_player) for seed in range(60)}
    assert found == set(range(players))


def test_a_state_is_small() -> None:
    assert GAME.dtype.itemsize <= 1024
