"""Many games as one array of states: deal them, look at them, step them, resample them.

`View.clone` returns such an array too, and `numpy.repeat` and `numpy.concatenate` make larger ones of it. Rows are
independent, and all belong to the same game. Every argument is checked, the states included, so no mistake reaches
machine code. Where the states are known to be good, `olb_env.core.batch` does the same without checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.checking import read_whole_numbers, shown
from olb_env.core.game import Game, States, find, of_dtype
from olb_env.core.possible import check_states
from olb_env.core.rng import SEED_LIMIT
from olb_env.envs.common import setup_for

__all__ = ["actors", "deal", "legal_masks", "observations", "resample", "returns", "step"]

Numbers = npt.NDArray[np.int64]


def deal(game: str, seeds: Any, **options: Any) -> States:
    """Return new games [N], one from each seed [N]; `options` are those of the game."""
    dealt, setup = find(game), setup_for(find(game), options)
    numbers = read_whole_numbers("seeds", seeds, below=SEED_LIMIT).astype(np.int64)
    states = dealt.new_states(len(numbers))
    batch.deal_rows(states, setup, numbers)
    return states


def actors(states: States) -> Numbers:
    """Return the seat to act in every game [N], -1 where it is over."""
    _checked(states)
    return _actors(states)


def legal_masks(states: States) -> npt.NDArray[np.int8]:
    """Return which actions are legal in every game [N, A]; none where it is over."""
    masks = np.zeros((len(states), len(_checked(states).actions)), np.int8)
    batch.write_masks(states, masks)
    return masks


def observations(states: States, seats: Any = None) -> npt.NDArray[np.float32]:
    """Return what one seat [N] may know in every game [N, D]: the seat to act, unless others are given.

    Where a game is over there is no seat to act; then the observation is all zeros.
    """
    game = _checked(states)
    found = np.zeros((len(states), game.observation.size), np.float32)
    if seats is None:
        batch.write_views(states, found, np.zeros((len(states), len(game.actions)), np.int8))
    else:
        batch.observe_rows(states, _seats(game, states, seats), found)
    return found


def step(states: States, actions: Any) -> Numbers:
    """Take an action [N] in every game, in place, and return the seats to act next [N], -1 where a game is over.

    An illegal action raises ValueError, and no game changes.
    """
    game = _checked(states, written=True)
    chosen = _one_for_each("actions", actions, states, len(game.actions))
    legal = legal_masks(states)[np.arange(len(states)), chosen]
    if not legal.all():
        row = int(legal.argmin())
        names = game.names(states[row])
        expected = ", ".join(game.legal_actions(states[row])) or "none, for the game is over"
        raise ValueError(f"row {row}: {names[chosen[row]]!r} is not legal: expected {expected}")
    batch.apply_rows(states, chosen, np.empty(len(states), np.bool_))
    return _actors(states)


def resample(states: States, seats: Any, seeds: Any) -> None:
    """Draw again what one seat [N] may not know in every game, in place; the same seeds [N] draw the same."""
    game = _checked(states, written=True)
    numbers = _one_for_each("seeds", seeds, states, 2**64).astype(np.uint64)
    batch.resample_rows(states, _seats(game, states, seats), numbers)


def returns(states: States) -> tuple[Numbers, npt.NDArray[np.float64]]:
    """Return the rank and score of every seat in finished games [N, P] with equally many players; rank 1 is best."""
    game, acting = _checked(states), actors(states)
    if (acting >= 0).any():
        raise ValueError(f"row {int((acting >= 0).argmax())}: the game is not over")
    players = {game.num_players(state) for state in states}
    if len(players) > 1:
        raise ValueError(f"the games have {min(players)} to {max(players)} players: expected the same number in all")
    shape = len(states), max(players, default=max(game.players))
    ranks, scores = np.zeros(shape, np.int64), np.zeros(shape)
    batch.return_rows(states, ranks, scores)
    return ranks, scores


def _checked(states: Any, *, written: bool = False) -> Game:
    """Return the game that some states belong to; a ValueError says what is wrong with them."""
    if type(states) is not np.ndarray:  # machine code takes no masked arrays and no matrices
        raise ValueError(f"states are {shown(states)}: expected an array, as deal or View.clone returns")
    game = of_dtype(states.dtype)
    check_states(game, states)
    if not states.flags.c_contiguous or not states.flags.aligned or (written and not states.flags.writeable):
        raise ValueError("these states are a view or cannot be written to: copy them first")
    return game


def _actors(states: States) -> Numbers:
    seats = np.empty(len(states), np.int64)
    batch.actor_rows(states, seats)
    return seats


def _seats(game: Game, states: States, seats: Any) -> Numbers:
    """Return a seat for each game, after checking that somebody plays there."""
    numbers = _one_for_each("seats", seats, states, max(game.players))
    for row, seat in enumerate(numbers.tolist()):
        if seat >= game.num_players(states[row]):
            raise ValueError(f"row {row}: seat is {seat}: expected 0 to {game.num_players(states[row]) - 1}")
    return numbers.astype(np.int64)


def _one_for_each(name: str, given: Any, states: States, below: int) -> npt.NDArray[Any]:
    """Return one number for each game, after checking that they are from 0 to `below` - 1."""
    numbers = read_whole_numbers(name, given, below=below)
    if len(numbers) != len(states):
        raise ValueError(f"the number of {name} is {len(numbers)}: expected {len(states)}, one for each game")
    return numbers
