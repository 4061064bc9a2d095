"""Properties of every game of Portobello Market."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from olb_env.core import batch
from olb_env.portobello_market import GAME, OBSERVATION
from olb_env.portobello_market.components import BAG_SIZE, MAX_ROUNDS, STALLS
from tests.portobello_market.positions import Position
from tests.support.options import OPTIONS, seeds
from tests.support.playthroughs import deal_one, redraw, view, walk

options = OPTIONS[GAME.name]


@pytest.mark.compiled
@given(seeds, options)
def test_no_stall_appears_or_disappears(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, GAME, **chosen):
        game = states[0]
        for seat in range(game.players):
            on_lots = int((game.lot == seat + 1).sum())
            assert on_lots + int(game.seats[seat].hand) == STALLS[game.players]
            assert int(game.seats[seat].stalls.sum()) == on_lots
            assert game.seats[seat].stalls.tolist() == (game.lot == seat + 1).sum(axis=1).tolist()
            assert game.seats[seat].worth.tolist() == (game.board.values * (game.lot == seat + 1)).sum(axis=1).tolist()
        assert (game.table.alley_filled + game.table.alley_free == game.length).all()
        assert game.table.alley_filled.tolist() == (game.lot > 0).sum(axis=1).tolist()


@given(seeds, options)
def test_no_customer_appears_or_disappears(seed: int, chosen: dict[str, Any]) -> None:
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
def test_the_actor_has_a_face_up_token_at_the_beginning_of_a_turn(seed: int, chosen: dict[str, Any]) -> None:
    for states in walk(seed, GAME, **chosen):
        game = states[0]
        if game.phase == 1:
            assert game.seats[game.actor].token_up.any()
        taken = sum(int((game.seats[seat].token_own == 0).sum()) for seat in range(game.players))
        assert taken + int(game.table.neutral_left) == 8
        assert taken == int(game.table.marked.sum())


@given(seeds, options)
def test_every_decision_has_a_choice_and_games_end(seed: int, chosen: dict[str, Any]) -> None:
    mask = np.zeros((1, len(GAME.actions)), np.int8)
    for states in walk(seed, GAME, **chosen):
        batch.write_masks(states, mask)
        decides = batch.actor_one(states) >= 0
        assert mask.sum() >= 2 if decides else mask.sum() == 0
    assert 1 <= int(states[0].round_number) <= MAX_ROUNDS


@given(seeds, options)
def test_everybody_has_had_the_same_number_of_turns_at_the_end(seed: int, chosen: dict[str, Any]) -> None:
    *_, states = walk(seed, GAME, **chosen)
    assert int(states[0].turn) == chosen["num_players"]


@given(seeds, options, seeds)
def test_resampling_keeps_the_customers_drawn_before(seed: int, chosen: dict[str, Any], draw: int) -> None:
    for states in walk(seed, GAME, **chosen):
        redrawn = redraw(states, 0, draw)
        out = BAG_SIZE - int(states[0].table.bag.sum())
        assert (redrawn[0].order[:out] == states[0].order[:out]).all()
        assert sorted(redrawn[0].order) == sorted(states[0].order)


@given(seeds, options, seeds)
def test_an_open_bag_is_not_resampled(seed: int, chosen: dict[str, Any], draw: int) -> None:
    for states in walk(seed, GAME, **chosen, customers="open"):
        redrawn = redraw(states, 0, draw)
        assert redrawn.tobytes() == states.tobytes()


def test_an_open_bag_is_in_the_observation_and_a_hidden_one_is_not() -> None:
    bag = ["burgher"] * 5 + ["servant"] * 5
    for customers, coming in (("open", [[0, 1]] * 4 + [[1, 0]] * 5 + [[0, 0]]), ("hidden", [[0, 0]] * 10)):
        position = Position(bag=bag, customers=customers)
        position.act("token 1", "draw")
        seen = view(position.states, 0, GAME)[0]
        assert seen[OBSERVATION["table.coming"]].reshape(10, 2).tolist() == coming
        assert seen[OBSERVATION["table.open"]].tolist() == [customers == "open"]
        assert seen[OBSERVATION["table.drawn"]].tolist() == [0, 1]


def test_random_actions_are_exactly_the_legal_ones() -> None:
    position = Position()
    position.act("token 1")
    drawn = {GAME.actions[GAME.rules.random_action(position.game, rng_state)] for rng_state in range(2000)}
    assert drawn == set(position.legal)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_seat_can_be_the_start_player(players: int) -> None:
    found = {int(deal_one(seed, GAME, num_players=players)[0].start_player) for seed in range(60)}
    assert found == set(range(players))


def test_a_state_is_small() -> None:
    assert GAME.rules.dtype.itemsize <= 1024
