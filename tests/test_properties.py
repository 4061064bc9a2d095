"""What holds in every game, whatever is played."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from olb_env.core import batch
from olb_env.core.rng import SEED_LIMIT
from olb_env.old_london_bridge import GAME, OBSERVATION
from olb_env.old_london_bridge.components import CARDS, PICKS, SCORINGS, ZEROS
from olb_env.old_london_bridge.state import BOOST_PHASE, PLAY
from tests.playthroughs import deal_one, view, walk
from tests.positions import Position

seeds = st.integers(0, SEED_LIMIT - 1)
options = st.fixed_dictionaries(
    {
        "num_players": st.sampled_from((2, 3, 4)),
        "scoring": st.fixed_dictionaries({area: st.sampled_from(names) for area, names in SCORINGS.items()}),
    }
)


def cards_on_the_table(game: Any) -> list[int]:
    """Revealed cards whose turn has not begun, by value."""
    counts = [0] * len(CARDS)
    if game.phase < BOOST_PHASE:
        return counts
    for seat in range(game.players):
        player = game.seats[seat]
        for card, queue in zip(player.card.tolist(), player.queue.tolist(), strict=True):
            waits = game.phase == BOOST_PHASE or queue > game.turn + 1
            if card and waits:
                counts[card - 1] += 1
    return counts


@given(seeds, options)
def test_no_card_is_made_or_lost(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, **chosen):
        game = states[0]
        for value, on_table in enumerate(cards_on_the_table(game)):
            held = sum(int(game.seats[seat].hand[value]) for seat in range(game.players))
            everything = CARDS[value] if value else ZEROS[game.players] * game.players
            assert int(game.table.supply[value]) + held + on_table == everything


@given(seeds, options)
def test_numbers_descend_from_park_to_park(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, **chosen):
        for seat in range(chosen["num_players"]):
            numbers = states[0].seats[seat].bridge_number.tolist()
            built = int(states[0].seats[seat].built)
            assert not any(numbers[built:])
            assert all(left > right for left, right in itertools.pairwise(numbers) if left and right)


@given(seeds, options)
def test_powers_and_kinds_are_what_stands_on_the_bridge(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, **chosen):
        for seat in range(chosen["num_players"]):
            player = states[0].seats[seat]
            crests, kinds = player.bridge_crest.tolist(), player.bridge_kind.tolist()
            assert player.power.tolist() == [crests.count(colour) + crests.count(5) for colour in range(1, 5)]
            assert player.kinds.tolist() == [kinds.count(kind) for kind in range(1, 7)]


@given(seeds, options)
def test_money_is_never_negative_and_the_ledger_adds_up(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, **chosen):
        assert (states["money"] >= 0).all()
    assert (states["ledger"][0].sum(axis=1) == states["money"][0]).all()


@given(seeds, options)
def test_every_question_has_a_choice_and_games_end(seed: int, chosen: dict[str, Any]) -> None:
    mask = np.zeros((1, len(GAME.actions)), np.int8)
    questions = 0
    for states in walk(seed, **chosen):
        batch.write_masks(states, mask)
        asked = batch.actor_one(states) >= 0
        assert mask.sum() >= 2 if asked else mask.sum() == 0
        questions += asked
    assert 20 < questions < 300


@given(seeds, options, st.integers(0, 60))
def test_a_copy_and_a_pickle_go_on_as_the_original(seed: int, chosen: dict[str, Any], moves: int) -> None:
    for number, states in enumerate(walk(seed, **chosen)):
        if number == moves or batch.actor_one(states) < 0:
            break
    copies = [states.copy(), pickle.loads(pickle.dumps(states)), np.frombuffer(states.tobytes(), GAME.dtype).copy()]
    for copied in copies:
        assert copied.tobytes() == states.tobytes()
        _finish(copied)
    original = states.copy()
    _finish(original)
    assert all(copied.tobytes() == original.tobytes() for copied in copies)
    assert states.tobytes() != original.tobytes() or batch.actor_one(states) < 0


def _finish(states: Any) -> None:
    """Play the first legal answer to the end."""
    mask = np.zeros((1, len(GAME.actions)), np.int8)
    while batch.actor_one(states) >= 0:
        batch.write_masks(states, mask)
        batch.apply_one(states, int(mask[0].argmax()))


@given(seeds, options, st.sampled_from(("perfect", "table")), seeds)
def test_a_seat_sees_the_same_before_and_after_a_redraw(
    seed: int, chosen: dict[str, Any], memory: str, draw: int
) -> None:
    changed = 0
    for states in walk(seed, **chosen, memory=memory):
        for seat in range(chosen["num_players"]):
            redrawn = states.copy()
            batch.resample_rows(redrawn, np.array([seat]), np.array([draw]))
            before, after = view(states, seat), view(redrawn, seat)
            assert before[0].tobytes() == after[0].tobytes()
            assert before[1].tobytes() == after[1].tobytes()
            assert batch.actor_one(states) == batch.actor_one(redrawn)
            changed += redrawn.tobytes() != states.tobytes()
    assert changed > 0


@given(seeds, options, seeds, seeds)
def test_a_redraw_depends_on_nothing_hidden(seed: int, chosen: dict[str, Any], first: int, second: int) -> None:
    for states in walk(seed, **chosen):
        for seat in range(chosen["num_players"]):
            once, twice = states.copy(), states.copy()
            batch.resample_rows(once, np.array([seat]), np.array([second]))
            batch.resample_rows(twice, np.array([seat]), np.array([first]))
            batch.resample_rows(twice, np.array([seat]), np.array([second]))
            assert once.tobytes() == twice.tobytes()


@given(seeds, options, seeds, st.integers(0, 80))
def test_a_redrawn_game_is_possible(seed: int, chosen: dict[str, Any], draw: int, moves: int) -> None:
    """It has all tiles, markers and bonus tiles once, a real question stands, and it can be played to its end."""
    for number, states in enumerate(walk(seed, **chosen)):
        if number == moves or batch.actor_one(states) < 0:
            break
    for seat in range(chosen["num_players"]):
        redrawn = states.copy()
        batch.resample_rows(redrawn, np.array([seat]), np.array([draw]))
        record = GAME.describe_setup(redrawn[0])
        GAME.read_setup(record)  # refuses a tile twice, a missing marker, a pile that lacks a tile
        for before, after in zip(states[0].hidden.stack, redrawn[0].hidden.stack, strict=True):
            assert sorted(before) == sorted(after)
        mask = np.zeros((1, len(GAME.actions)), np.int8)
        batch.write_masks(redrawn, mask)
        assert batch.actor_one(redrawn) < 0 or mask.sum() >= 2
        _check_picks(redrawn[0])
        _finish(redrawn)
        assert (redrawn["seats"]["hand"] >= 0).all()
        assert (redrawn["ledger"][0].sum(axis=1) == redrawn["money"][0]).all()


def _check_picks(game: Any) -> None:
    """While cards are picked, who has been asked has picked as many as it must, out of its hand."""
    if game.phase != PLAY:
        return
    for place, seat in enumerate(game.order[: game.players].tolist()):
        picks = [pick - 1 for pick in game.seats[seat].pick.tolist() if pick]
        if place < game.turn:
            assert len(picks) == PICKS[game.players]
        elif place > game.turn:
            assert picks == []
        for value in picks:
            assert picks.count(value) <= game.seats[seat].hand[value]


def test_a_redraw_keeps_the_pick_of_a_player_with_one_card() -> None:
    position = Position(players=3)
    position.set_hand(0, 0)
    position.game.seats[0].pick[0] = 1
    position.game.turn, position.game.actor = 1, 1
    GAME.resample(position.game, 1, 5)
    assert position.game.seats[0].pick.tolist() == [1, 0]


@given(seeds, options)
def test_observations_stay_within_the_space(seed: int, chosen: dict[str, Any]) -> None:
    highest = OBSERVATION.highest()
    for states in walk(seed, **chosen):
        for seat in range(chosen["num_players"]):
            observation, _ = view(states, seat)
            assert (observation >= 0).all()
            assert (observation <= highest).all()


@given(st.lists(seeds, min_size=2, max_size=12, unique=True), options, st.randoms(use_true_random=False))
def test_rows_are_independent_and_equal_to_single_games(
    numbers: list[int], chosen: dict[str, Any], chance: Any
) -> None:
    """A batch in another order, and every game alone, come to the same games."""
    setup, count = GAME.configure(**chosen), len(numbers)
    order = chance.sample(range(count), count)
    batches = [GAME.new_states(count), GAME.new_states(count)]
    batch.deal_rows(batches[0], setup, np.array(numbers))
    batch.deal_rows(batches[1], setup, np.array(numbers)[order])
    singles = [deal_one(number, **chosen) for number in numbers]
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
