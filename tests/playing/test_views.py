"""Views show a decision as its seat sees it, and nothing that the seat may not know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.core.game import Game, States
from olb_env.old_london_bridge import GAME
from olb_env.playing import View, Views, seat_keys
from tests.support.playthroughs import deal_one, view


def view_of(states: States, seed: int) -> View:
    return Views(GAME, states, [seed])[0]


def test_a_view_shows_the_decision() -> None:
    states = deal_one(3)
    seat = batch.actor_one(states)
    seen = view_of(states, seed=1)
    observation, mask = view(states, seat)
    assert (seen.observation == observation).all()
    assert (seen.mask == mask).all()
    assert seen.legal == ["play 0", "play 1", "play 2", "play 3", "play 4"]
    assert seen.seat == seat


def test_a_seat_cannot_tell_clones_of_its_view_from_the_game() -> None:
    states = deal_one(3)
    batch.apply_one(states, 4)  # the first player picks a card that the second must not see
    seat = batch.actor_one(states)
    seen = view_of(states, seed=1)
    clones = [seen.clone(draw) for draw in range(20)]
    for clone in clones:
        assert view(clone, seat)[0].tobytes() == view(states, seat)[0].tobytes()
    assert len({clone.tobytes() for clone in clones}) == 20
    first = int(states[0].order[0])
    assert {int(clone[0].seats[first].pick[0]) for clone in clones} == {1, 2, 3, 4, 5}


def test_a_view_does_not_depend_on_hidden_information() -> None:
    states, other = deal_one(3), deal_one(3)
    seat = batch.actor_one(states)
    batch.resample_rows(other, np.array([seat]), np.array([99]))
    assert states.tobytes() != other.tobytes()
    assert view_of(states, 5).clone(2).tobytes() == view_of(other, 5).clone(2).tobytes()


def test_the_generator_of_a_view_depends_on_its_seed_alone() -> None:
    draws = [view_of(deal_one(deal), seed).rng.integers(2**32) for deal, seed in ((3, 1), (4, 1), (3, 2))]
    assert draws[0] == draws[1] != draws[2]


def test_views_are_counted_from_zero() -> None:
    views = Views(GAME, deal_one(3), [1])
    assert len(views) == len(list(views)) == 1
    with pytest.raises(IndexError, match="index is -1: expected 0 to 0"):
        views[-1]


def test_keys_of_seats_differ_and_depend_on_the_seed() -> None:
    keys = {int(key) for seed in ("1", "page 1") for key in seat_keys(seed, 4)}
    assert len(keys) == 8
    assert seat_keys(1, 4).tolist() == seat_keys("1", 4).tolist()


def test_hidden_fields_are_not_reachable_through_a_view() -> None:
    """Whatever an agent finds in its view is redrawn or public."""
    states = deal_one(3)
    batch.apply_one(states, 4)
    true = states[0].hidden.tobytes()
    view = Views(GAME, states, [5])[0]
    found = [value for value in _reachable(view) if isinstance(value, np.ndarray) and value.dtype == GAME.rules.dtype]
    assert found
    for games in found:
        assert all(game.hidden.tobytes() != true for game in games.reshape(-1))


@pytest.mark.parametrize("draw", [-1, 2**70, 1.5, "x", True])
def test_a_draw_is_a_whole_number(draw: Any) -> None:
    with pytest.raises(ValueError, match=r"draw is .*: expected a whole number from 0 to"):
        Views(GAME, deal_one(3), [5])[0].clone(draw)


def _reachable(view: View) -> list[Any]:
    """Everything an agent can reach by following attributes and bases of arrays."""
    seen: dict[int, Any] = {}
    open_ends: list[Any] = [view, view.clone(), view.clone(1)]
    while open_ends:
        value = open_ends.pop()
        if id(value) in seen or isinstance(value, Game | type):
            continue
        seen[id(value)] = value
        if isinstance(value, np.ndarray):
            open_ends.append(value.base)
        elif hasattr(value, "__dict__"):
            open_ends += vars(value).values()
    return list(seen.values())
