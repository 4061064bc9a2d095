"""States that are spoilt at random, for tests of what is accepted from outside."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import Game, States, copy_of
from olb_env.core.possible import check_states
from tests.old_london_bridge import compare as old_london_bridge
from tests.portobello_market import compare as portobello_market
from tests.support.playthroughs import walk
from tests.wobbly_bridge import compare as wobbly_bridge

COMPARED: dict[str, Any] = {
    "old_london_bridge": old_london_bridge,
    "portobello_market": portobello_market,
    "wobbly_bridge": wobbly_bridge,
}
MOST_DECISIONS = 5000  # in a game; more are a game without an end


def some_states(game: Game, games: int, every: int = 1, *, ends: bool = True) -> Iterator[States]:
    """Yield states [1] of random games with each number of players: every n-th, from the first on, and the last.

    Boards and rulings are random in some of them.
    """
    for number in range(games):
        options: dict[str, Any] = {"num_players": game.players[number % len(game.players)]}
        if number % 2 and game.name in COMPARED:
            options = COMPARED[game.name].random_options(number, random.Random(number))
        for move, states in enumerate(walk(number, game, **options)):
            if move % every == 0 or (ends and batch.actor_one(states) < 0):
                yield states


def fields_of(states: States, name: str = "") -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Yield every field of a state [1] by name, as an array of whole numbers that can be written to."""
    names = states.dtype.names
    if names is None:
        yield name, states
        return
    for part in names:
        yield from fields_of(states[part], f"{name}.{part}" if name else part)


def spoilt(game: Game, count: int, seed: int) -> Iterator[States]:
    """Yield states [1], each spoilt in one to three places."""
    rng = np.random.default_rng(seed)
    good = [copy_of(states) for states in some_states(game, 3 * len(game.players), every=5)]
    for _ in range(count):
        states = copy_of(good[rng.integers(len(good))])
        for _ in range(rng.integers(1, 4)):
            _spoil(states, good, rng)
        yield states


def _spoil(states: States, good: list[States], rng: np.random.Generator) -> None:
    """Change something: a byte, a number by a little or a lot, two numbers for each other, or a field of another."""
    kind = rng.integers(5)
    if kind == 0:
        states.view(np.uint8)[rng.integers(states.nbytes)] = rng.integers(256)
        return
    fields = list(fields_of(states))
    name, field = fields[rng.integers(len(fields))]
    index, limits = rng.integers(field.size), np.iinfo(field.dtype)
    if kind == 1:
        near = int(field.flat[index]) + int(rng.choice([-1, 1]))
        field.flat[index] = min(max(near, limits.min), limits.max)
    elif kind == 2:
        field.flat[index] = rng.choice([limits.min, limits.max, 0, -1, 1])
    elif kind == 3:
        other = rng.integers(field.size)
        field.flat[[index, other]] = field.flat[[other, index]]
    else:
        source = dict(fields_of(good[rng.integers(len(good))]))[name]
        field[...] = source


def play_on(game: Game, states: States, seed: int = 0) -> None:
    """Play a game [1] to its end at random; every state on the way is possible, and can be seen and drawn."""
    rng = np.random.default_rng(seed)
    players = game.num_players(states[0])
    mask, observation = np.zeros(len(game.actions), np.int8), np.zeros(game.observation.size, np.float32)
    str(game.display.text(states[0]))
    for _ in range(MOST_DECISIONS):
        seat = batch.actor_one(states)
        if seat < 0:
            batch.return_rows(states, np.zeros((1, players), np.int64), np.zeros((1, players)))
            str(game.display.text(states[0]))
            return
        batch.resample_rows(states, np.array([seat]), np.array([seed]))
        batch.view_one(states, seat, observation, mask)
        batch.apply_one(states, int(rng.choice(np.flatnonzero(mask))))
        check_states(game, states)
    raise AssertionError(f"{game.name} did not end")
