"""How fast the engine and its environments are here and now: random play, timed on one core."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import numpy.typing as npt
import pettingzoo

from olb_env.core import batch
from olb_env.core.game import Game
from olb_env.envs.batched import BatchedEnv
from olb_env.envs.common import gymnasium_id, pettingzoo_id
from olb_env.envs.selfplay import SelfPlay

STEPS = 100  # decisions in each game between two looks at the clock
PGX_BATCH, PGX_STEPS = 4096, 20  # a size at which that peer is fast


class Rate(NamedTuple):
    """Decisions per second of those who use an interface, and of all players: the others may play inside it."""

    own: float
    all: float


class Figure(NamedTuple):
    """Something measured: its key, what it is called in the table, and how (game, players, rows, seconds)."""

    key: str
    label: str
    measure: Callable[[Game, int, int, float], Rate | None]


def rules_alone(game: Game, players: int, rows: int, seconds: float) -> Rate:
    """A batch of games at random, new deals included."""
    return _random_play(game, players, rows, seconds, np.zeros((0, game.observation.size), np.float32))


def with_observations(game: Game, players: int, rows: int, seconds: float) -> Rate:
    """The same with observation and mask of the actor written before every decision."""
    return _random_play(game, players, rows, seconds, np.zeros((rows, game.observation.size), np.float32))


def _random_play(game: Game, players: int, rows: int, seconds: float, observations: Any) -> Rate:
    setup = game.rules.configure(num_players=players)
    states, seeds, chances = game.new_states(rows), np.arange(rows), np.arange(rows, dtype=np.uint64)
    masks = np.zeros((observations.shape[0], len(game.actions)), np.int8)
    batch.deal_rows(states, setup, seeds)

    def play() -> int:
        decisions, _ = batch.play_random(states, setup, seeds, chances, STEPS, observations, masks)
        return int(decisions)

    for _ in range(3):
        play()  # games come out of step with each other, as they are in use
    rate = _rate(play, seconds)
    return Rate(rate, rate)


def selfplay_batch(game: Game, players: int, rows: int, seconds: float) -> Rate:
    """All seats of a batch, actions chosen in numpy."""
    games, chance = SelfPlay(game.name, rows, num_players=players), np.random.default_rng(0)
    turn = games.reset(seed=0)

    def play() -> int:
        nonlocal turn
        for _ in range(STEPS):
            turn = games.step(choose(turn.mask, chance))
        return STEPS * rows

    play()
    rate = _rate(play, seconds)
    return Rate(rate, rate)


def gymnasium_vector(game: Game, players: int, rows: int, seconds: float) -> Rate:
    """One seat of each game of a batch against random opponents, actions chosen in numpy."""
    envs = gymnasium.make_vec(
        gymnasium_id(game), num_envs=rows, num_players=players, opponents="random", autoreset_mode="SameStep"
    )
    tables: BatchedEnv = envs.unwrapped._batch
    chance = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)

    def play() -> int:
        nonlocal infos
        for _ in range(STEPS):
            _, _, _, _, infos = envs.step(choose(infos["action_mask"], chance))
        return STEPS * rows

    play()
    return _rate_with_opponents(play, tables, seconds)


def sb3_vec_env(game: Game, players: int, rows: int, seconds: float) -> Rate | None:
    """The same through the `VecEnv`, if stable-baselines3 is installed."""
    if importlib.util.find_spec("stable_baselines3") is None:
        return None
    from olb_env.envs.sb3 import SeatVecEnv

    envs, chance = SeatVecEnv(game.name, rows, "random", num_players=players), np.random.default_rng(0)
    envs.seed(0)
    envs.reset()

    def play() -> int:
        for _ in range(STEPS):
            envs.step(choose(envs.action_masks(), chance))
        return STEPS * rows

    play()
    return _rate_with_opponents(play, envs._batch, seconds)


def pettingzoo_env(game: Game, players: int, rows: int, seconds: float) -> Rate:
    """A game after the other through the PettingZoo environment, as a user's loop plays it."""
    rate = pettingzoo_loop(pettingzoo.make("aec", pettingzoo_id(game), num_players=players), seconds)
    return Rate(rate, rate)


def pettingzoo_loop(env: Any, seconds: float) -> float:
    """Decisions per second in any PettingZoo environment with masks."""
    chance, seed = np.random.default_rng(0), 0

    def play() -> int:
        nonlocal seed
        env.reset(seed=seed)
        seed += 1
        decisions = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else int(chance.choice(np.flatnonzero(observation["action_mask"]))))
            decisions += not over
        return decisions

    play()
    return _rate(play, seconds)


def gymnasium_single(game: Game, players: int, rows: int, seconds: float) -> Rate:
    """A game after the other through the Gymnasium environment of one seat, against random opponents."""
    env = gymnasium.make(gymnasium_id(game), num_players=players, opponents="random")
    tables: BatchedEnv = env.unwrapped._batch  # type: ignore[attr-defined]
    chance = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        _, info = env.reset()
        decisions, over = 0, False
        while not over:
            action = int(chance.choice(np.flatnonzero(info["action_mask"])))
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            decisions += 1
        return decisions

    play()
    return _rate_with_opponents(play, tables, seconds)


FIGURES = (
    Figure("rules", "(a) rules alone, batch", rules_alone),
    Figure("with_observation_and_mask", "(b) with observation and mask, batch", with_observations),
    Figure("pettingzoo_env", "(c) PettingZoo env, one game", pettingzoo_env),
    Figure("selfplay_batch", "(d) self-play batch", selfplay_batch),
    Figure("gymnasium_vector", "(e) gymnasium.make_vec, batch", gymnasium_vector),
    Figure("sb3_vec_env", "(f) stable-baselines3 VecEnv, batch", sb3_vec_env),
    Figure("gymnasium_single", "(g) gymnasium.make, one game", gymnasium_single),
)


def choose(masks: npt.NDArray[Any], chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """A legal action for each row, all equally likely."""
    rows, actions = masks.shape
    legal = np.flatnonzero(masks.view(np.bool_))
    counts = np.bincount(legal // actions, minlength=rows)
    picked = np.cumsum(counts) - 1 - (chance.random(rows) * counts).astype(np.int64)
    return np.asarray(legal[picked] % actions)


def _rate(play: Callable[[], int], seconds: float) -> float:
    """What `play` counts, per second."""
    began = time.perf_counter()
    count, elapsed = 0, 0.0
    while elapsed < seconds:
        count += play()
        elapsed = time.perf_counter() - began
    return count / elapsed


def _rate_with_opponents(play: Callable[[], int], tables: BatchedEnv, seconds: float) -> Rate:
    counted, before = 0, tables.played

    def count() -> int:
        nonlocal counted
        decisions = play()
        counted += decisions
        return decisions

    own = _rate(count, seconds)
    return Rate(own, own * (tables.played - before) / counted)


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Stay on one core while measuring, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def connect_four(seconds: float) -> float:
    """PettingZoo's own connect_four_v3 in the same loop; ImportError if what it needs is missing."""
    return pettingzoo_loop(pettingzoo.make("aec", "classic/connect_four-v3"), seconds)


def pgx_connect_four(seconds: float) -> float | None:
    """Pgx's connect_four, a batch at random with new games where one ends, if it is installed: a compiled peer."""
    if importlib.util.find_spec("pgx") is None:
        return None
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env, rows = pgx.make("connect_four"), PGX_BATCH
    step = jax.vmap(auto_reset(env.step, env.init))

    def decide(games: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], Any]:
        state, key = games
        key, choosing, dealing = jax.random.split(key, 3)
        actions = jax.random.categorical(choosing, jax.numpy.log(state.legal_action_mask.astype("float32")), axis=-1)
        state = step(state, actions, jax.random.split(dealing, rows))
        return (state, key), state.observation.sum()  # so that observations are made

    key = jax.random.PRNGKey(0)
    games = jax.jit(jax.vmap(env.init))(jax.random.split(key, rows)), key
    run = jax.jit(lambda games: jax.lax.scan(decide, games, None, length=PGX_STEPS))

    def play() -> int:
        nonlocal games
        games, seen = run(games)
        seen.block_until_ready()
        return PGX_STEPS * rows

    play()
    return _rate(play, seconds)
