"""Properties of every game of Old London Bridge."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from olb_env.core import batch
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import CARDS, PICKS, ZEROS
from olb_env.old_london_bridge.state import BOOST_PHASE, PLAY
from tests.old_london_bridge.positions import Position
from tests.support.options import OPTIONS, seeds
from tests.support.playthroughs import finish, redraw, walk

options = OPTIONS[GAME.name]


def cards_on_the_table(game: Any) -> list[int]:
    """Return the number of revealed cards whose turn has not begun, by value."""
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
def test_no_card_appears_or_disappears(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, **chosen):
        game = states[0]
        for value, on_table in enumerate(cards_on_the_table(game)):
            held = sum(int(game.seats[seat].hand[value]) for seat in range(game.players))
            everything = CARDS[value] if value else ZEROS[game.players] * game.players
            assert int(game.table.supply[value]) + held + on_table == everything


@given(seeds, options)
def test_numbers_fall_from_park_to_park(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, **chosen):
        for seat in range(chosen["num_players"]):
            numbers = states[0].seats[seat].bridge_number.tolist()
            built = int(states[0].seats[seat].built)
            assert not any(numbers[built:])
            assert all(left > right for left, right in itertools.pairwise(numbers) if left and right)


@given(seeds, options)
def test_powers_and_kinds_agree_with_the_bridge(seed: int, chosen: dict[str, Any]) -> None:
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
def test_every_decision_has_a_choice_and_games_end(seed: int, chosen: dict[str, Any]) -> None:
    mask = np.zeros((1, len(GAME.actions)), np.int8)
    decisions = 0
    for states in walk(seed, **chosen):
        batch.write_masks(states, mask)
        decides = batch.actor_one(states) >= 0
        assert mask.sum() >= 2 if decides else mask.sum() == 0
        decisions += decides
    assert 20 < decisions < 300


@given(seeds, options, seeds, st.integers(0, 80))
def test_a_resampled_game_is_a_possible_game(seed: int, chosen: dict[str, Any], draw: int, moves: int) -> None:
    """It has every tile, marker and bonus tile once, its decision has a choice, and it can be played to its end."""
    for number, states in enumerate(walk(seed, **chosen)):
        if number == moves or batch.actor_one(states) < 0:
            break
    for seat in range(chosen["num_players"]):
        redrawn = redraw(states, seat, draw)
        record = GAME.records.describe_setup(redrawn[0])
        GAME.records.read_setup(record)  # refuses a tile twice, a missing marker, a pile that lacks a tile
        for before, after in zip(states[0].hidden.stack, redrawn[0].hidden.stack, strict=True):
            assert sorted(before) == sorted(after)
        mask = np.zeros((1, len(GAME.actions)), np.int8)
        batch.write_masks(redrawn, mask)
        assert batch.actor_one(redrawn) < 0 or mask.sum() >= 2
        _check_picks(redrawn[0])
        finish(redrawn, GAME)
        assert (redrawn["seats"]["hand"] >= 0).all()
        assert (redrawn["ledger"][0].sum(axis=1) == redrawn["money"][0]).all()


def _check_picks(game: Any) -> None:
    """Check that, while cards are picked, every seat before the actor has picked enough cards of its hand."""
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


def test_resampling_keeps_the_pick_of_a_player_with_one_card() -> None:
    position = Position(players=3)
    position.set_hand(0, 0)
    position.game.seats[0].pick[0] = 1
    position.game.turn, position.game.actor = 1, 1
    GAME.rules.resample(position.game, 1, 5)
    assert position.game.seats[0].pick.tolist() == [1, 0]
