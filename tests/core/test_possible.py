"""No state is accepted from outside that a game could not have come to, and machine code survives all that are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.core.game import Game, States, copy_of, find
from olb_env.core.possible import check_states
from tests.support.options import OPTIONS
from tests.support.playthroughs import deal_one, walk
from tests.support.running import INTERPRETED
from tests.support.spoiling import fields_of, play_on, some_states, spoilt
from tests.support.toy_game import PEBBLES

every_game = pytest.mark.parametrize("game", [*map(find, OPTIONS), PEBBLES], ids=lambda game: game.name)
GAMES = 2 if INTERPRETED else 40


def accepted(game: Game, states: States) -> bool:
    try:
        check_states(game, states)
    except ValueError:
        return False
    return True


@every_game
def test_every_state_of_a_random_game_is_possible(game: Game) -> None:
    for states in some_states(game, GAMES):
        check_states(game, states)


@every_game
def test_states_stay_possible_when_they_are_resampled(game: Game) -> None:
    for number, states in enumerate(walk(3, game)):
        if (seat := batch.actor_one(states)) >= 0 and (not INTERPRETED or number % 9 == 0):
            batch.resample_rows(states, np.array([seat]), np.array([number]))
            check_states(game, states)


@pytest.mark.compiled
@every_game
def test_a_state_that_is_accepted_plays_on_as_a_game(game: Game, trials: Callable[[int, int], int]) -> None:
    """Whatever happened to its bytes: without a crash or a hang, and always to possible states."""
    refused, count = 0, trials(10_000, 50_000)
    for states in spoilt(game, count, seed=1):
        if accepted(game, states):
            play_on(game, states)
        else:
            refused += 1
    assert refused > count // 3


@every_game
def test_no_field_may_hold_a_number_far_out_of_range(game: Game) -> None:
    (states,) = some_states(game, 1, every=1000, ends=False)
    for name, field in fields_of(states):
        for extreme in (np.iinfo(field.dtype).min, np.iinfo(field.dtype).max):
            for index in range(field.size):
                before = field.flat[index]
                if before == extreme:
                    continue
                field.flat[index] = extreme
                assert not accepted(game, states), (name, index, extreme)
                field.flat[index] = before
    assert accepted(game, states)


@every_game
def test_zeros_are_no_game(game: Game) -> None:
    with pytest.raises(ValueError, match=f"state 0 is impossible: {game.title} never comes to it"):
        check_states(game, game.new_states(3))


@every_game
def test_the_error_names_the_first_impossible_state(game: Game) -> None:
    states = np.concatenate([deal_one(seed, game) for seed in range(4)])
    states["players"][2] = 9
    with pytest.raises(ValueError, match="state 2 is impossible"):
        check_states(game, states)
    states["players"][2] = states["players"][1]
    check_states(game, states[::2])  # not contiguous


def no_states(game: Game) -> Iterator[Any]:
    states = deal_one(1, game)
    yield from (None, [], states.tolist(), states.reshape(1, 1), states[0], states.view(np.uint8), np.zeros(3))
    yield copy_of(states).view([("other", "u1", states.dtype.itemsize)])


@every_game
def test_what_is_no_array_of_states_is_refused(game: Game) -> None:
    for given in no_states(game):
        with pytest.raises(ValueError, match="these are no states of"):
            check_states(game, given)
