"""Games for tests: dealt, walked through, played at random or to their end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.game import Game, States
from olb_env.core.records import replay
from olb_env.core.rewards import reward_rows, utility_rows
from olb_env.core.rng import stream
from olb_env.core.trajectories import link_decisions
from olb_env.envs.selfplay import SelfPlay
from olb_env.envs.vector import SeatVectorEnv
from olb_env.old_london_bridge import GAME
from olb_env.playing import play_game
from tests.support.some_agents import Last


def deal_one(seed: int, game: Game = GAME, **options: Any) -> States:
    """Return a newly dealt game [1]."""
    states = game.new_states(1)
    batch.deal_rows(states, game.rules.configure(**options), np.array([seed]))
    return states


def walk(seed: int, game: Game = GAME, **options: Any) -> Iterator[States]:
    """Yield a random game [1] before every move and at its end; it is the game itself, not a copy."""
    states = deal_one(seed, game, **options)
    rng, mask = np.random.default_rng(seed), np.zeros((1, len(game.actions)), np.int8)
    while batch.actor_one(states) >= 0:
        yield states
        batch.write_masks(states, mask)
        batch.apply_one(states, int(rng.choice(np.flatnonzero(mask[0]))))
    yield states


def walk_some(every: int, seed: int, game: Game = GAME, **options: Any) -> Iterator[States]:
    """Yield a random game [1] before every n-th move and at its end; it is the game itself, not a copy."""
    for number, states in enumerate(walk(seed, game, **options)):
        if number % every == 0 or batch.actor_one(states) < 0:
            yield states


def redraw(states: States, seat: int, seed: int) -> States:
    """Return a copy of a game [1] in which everything that a seat does not know is resampled."""
    redrawn = states.copy()
    batch.resample_rows(redrawn, np.array([seat]), np.array([seed]))
    return redrawn


def finish(states: States, game: Game = GAME) -> None:
    """Play a game [1] to its end, always with the first legal action."""
    mask = np.zeros((1, len(game.actions)), np.int8)
    while batch.actor_one(states) >= 0:
        batch.write_masks(states, mask)
        batch.apply_one(states, int(mask[0].argmax()))


def play_until_over(env: Any, seed: int = 0) -> None:
    """Play in an environment at random until the game is over; all agents are still in it."""
    rng = np.random.default_rng(seed)
    while not any(env.terminations.values()):
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))


def choose(masks: Any, rng: np.random.Generator) -> Any:
    """Return a random legal action for each row."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def view(states: States, seat: int, game: Game = GAME) -> tuple[Any, Any]:
    """Return the observation and the mask of one seat in a game [1]."""
    observation, mask = np.empty(game.observation.size, np.float32), np.empty(len(game.actions), np.int8)
    batch.view_one(states, seat, observation, mask)
    return observation, mask


def play_random(
    game: Game, states: States, setup: Any, *, steps: int, seed: int = 0, observations: Any = None
) -> tuple[int, int]:
    """Play a batch at random and return (decisions, games ended); observations are written if given."""
    seen = np.zeros((0, game.observation.size), np.float32) if observations is None else observations
    masks = np.zeros((len(seen), len(game.actions)), np.int8)
    seeds = np.arange(len(states))
    rng_states = np.array([stream(seed, row) for row in range(len(states))], np.uint64)
    decisions, ended = batch.play_random(states, setup, seeds, rng_states, steps, seen, masks)
    return int(decisions), int(ended)


def play_everything(game: Game, seed: int) -> None:
    """Use every kernel of the engine once."""
    setup, count = game.rules.configure(), 4
    states, seeds = game.new_states(count), np.arange(count)
    masks = np.zeros((count, len(game.actions)), np.int8)
    observations = np.zeros((count, game.observation.size), np.float32)
    actions, seats, done = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_)
    batch.deal_rows(states, setup, seeds)
    batch.write_masks(states, masks)
    batch.write_views(states, observations, masks)
    batch.observe_rows(states, seats, observations)
    batch.actor_rows(states, seats)
    batch.resample_rows(states, seats, seeds)
    actions[:] = masks.argmax(axis=1)
    batch.apply_rows(states, actions, done)
    play_random(game, states, setup, steps=3, observations=observations)
    ranks, scores = np.zeros((count, 4), np.int64), np.zeros((count, 4))
    batch.return_rows(states, ranks, scores)
    reward_rows(states, 0, game.score_unit, np.zeros((count, game.num_players(setup[0]))))
    replay(play_game(game, setup, seed, ["random"] * game.num_players(setup[0]), legal=True))
    one = deal_one(seed, game)
    view(one, 0, game)
    finish(one, game)
    utility_rows(one, np.zeros((1, game.num_players(setup[0]))))
    games, envs = SelfPlay(game.name, count), SeatVectorEnv(game.name, count, opponents=Last())
    games.reset(seed=seed)
    envs.reset(seed=seed)
    for _ in range(3):
        games.step(games.reset().masks.argmax(axis=1))
        envs.step(envs.action_masks().argmax(axis=1))
    SeatVectorEnv(game.name, count, autoreset_mode="SameStep").reset(seed=seed)
    link_decisions(np.zeros((1, 1)), np.zeros((1, 1, 2)), np.zeros((1, 1)))
