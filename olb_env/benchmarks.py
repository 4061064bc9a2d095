"""Speed of the engine and the environments on this machine: random play, timed on one core."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import time
from collections.abc import Callable, Iterator, Mapping
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

STEPS = 100  # decisions in each game between two readings of the clock
PGX_BATCH, PGX_STEPS = 4096, 20  # a batch size at which Pgx is fast

Options = Mapping[str, Any]  # of the game, other than the number of players


class Rate(NamedTuple):
    """Decisions per second of an interface."""

    own: float  # of the seats that the caller plays
    all: float  # of all seats, with the opponents that play inside the interface


class Measurement(NamedTuple):
    """A measurement of `olb bench`."""

    key: str  # in the JSON
    label: str  # on the console
    measure: Callable[[Game, int, int, float, Options], Rate | None]  # None if impossible


def rules_alone(game: Game, players: int, rows: int, seconds: float, options: Options) -> Rate:
    """Measure random play of a batch, dealing included."""
    return _random_play(game, players, rows, seconds, options, np.zeros((0, game.observation.size), np.float32))


def with_observations(game: Game, players: int, rows: int, seconds: float, options: Options) -> Rate:
    """Measure the same with the observation and mask of the seat to act written before every decision."""
    return _random_play(game, players, rows, seconds, options, np.zeros((rows, game.observation.size), np.float32))


def _random_play(game: Game, players: int, rows: int, seconds: float, options: Options, observations: Any) -> Rate:
    setup = game.rules.configure(num_players=players, **options)
    states, seeds, rng_states = game.new_states(rows), np.arange(rows), np.arange(rows, dtype=np.uint64)
    masks = np.zeros((observations.shape[0], len(game.actions)), np.int8)
    batch.deal_rows(states, setup, seeds)

    def play() -> int:
        decisions, _ = batch.play_random(states, setup, seeds, rng_states, STEPS, observations, masks)
        return int(decisions)

    for _ in range(3):
        play()  # so that games are at different points, as in real use
    rate = _rate(play, seconds)
    return Rate(rate, rate)


def selfplay_batch(game: Game, players: int, rows: int, seconds: float, options: Options) -> Rate:
    """Measure self-play of a batch, with actions drawn in numpy."""
    envs, rng = SelfPlay(game.name, rows, num_players=players, **options), np.random.default_rng(0)
    step = envs.reset(seed=0)

    def play() -> int:
        nonlocal step
        for _ in range(STEPS):
            step = envs.step(sample_legal(step.masks, rng))
        return STEPS * rows

    play()
    rate = _rate(play, seconds)
    return Rate(rate, rate)


def gymnasium_vector(game: Game, players: int, rows: int, seconds: float, options: Options) -> Rate:
    """Measure one learner in each game of a batch against random opponents, with actions drawn in numpy."""
    envs = gymnasium.make_vec(
        gymnasium_id(game),
        num_envs=rows,
        num_players=players,
        opponents="random",
        autoreset_mode="SameStep",
        **options,
    )
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)

    def play() -> int:
        nonlocal infos
        for _ in range(STEPS):
            _, _, _, _, infos = envs.step(sample_legal(infos["action_mask"], rng))
        return STEPS * rows

    play()
    return _rate_with_opponents(play, envs.unwrapped._env, seconds)


def sb3_vec_env(game: Game, players: int, rows: int, seconds: float, options: Options) -> Rate | None:
    """Measure the same through the `VecEnv`, if stable-baselines3 is installed."""
    if importlib.util.find_spec("stable_baselines3") is None:
        return None
    from olb_env.envs.sb3 import SeatVecEnv

    envs, rng = SeatVecEnv(game.name, rows, "random", num_players=players, **options), np.random.default_rng(0)
    envs.seed(0)
    envs.reset()

    def play() -> int:
        for _ in range(STEPS):
            envs.step(sample_legal(envs.action_masks(), rng))
        return STEPS * rows

    play()
    return _rate_with_opponents(play, envs._env, seconds)


def pettingzoo_env(game: Game, players: int, rows: int, seconds: float, options: Options) -> Rate:
    """Measure one game after another in the PettingZoo environment, played by a plain loop."""
    rate = pettingzoo_loop(pettingzoo.make("aec", pettingzoo_id(game), num_players=players, **options), seconds)
    return Rate(rate, rate)


def pettingzoo_loop(env: Any, seconds: float) -> float:
    """Return the decisions per second of such a loop in any PettingZoo environment with action masks."""
    rng, seed = np.random.default_rng(0), 0

    def play() -> int:
        nonlocal seed
        env.reset(seed=seed)
        seed += 1
        decisions = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            decisions += not over
        return decisions

    play()
    return _rate(play, seconds)


def gymnasium_single(game: Game, players: int, rows: int, seconds: float, options: Options) -> Rate:
    """Measure one game after another in the Gymnasium environment for one seat, against random opponents."""
    env = gymnasium.make(gymnasium_id(game), num_players=players, opponents="random", **options)
    batched: BatchedEnv = env.unwrapped._env  # type: ignore[attr-defined]
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        _, info = env.reset()
        decisions, over = 0, False
        while not over:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            decisions += 1
        return decisions

    play()
    return _rate_with_opponents(play, batched, seconds)


MEASUREMENTS = (
    Measurement("rules", "(a) rules alone, batch", rules_alone),
    Measurement("with_observation_and_mask", "(b) with observation and mask, batch", with_observations),
    Measurement("pettingzoo_env", "(c) PettingZoo env, one game", pettingzoo_env),
    Measurement("selfplay_batch", "(d) self-play batch", selfplay_batch),
    Measurement("gymnasium_vector", "(e) gymnasium.make_vec, batch", gymnasium_vector),
    Measurement("sb3_vec_env", "(f) stable-baselines3 VecEnv, batch", sb3_vec_env),
    Measurement("gymnasium_single", "(g) gymnasium.make, one game", gymnasium_single),
)


def sample_legal(masks: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a legal action for each row [B], all equally likely."""
    rows, actions = masks.shape
    legal = np.flatnonzero(masks.view(np.bool_))
    counts = np.bincount(legal // actions, minlength=rows)
    picked = np.cumsum(counts) - 1 - (rng.random(rows) * counts).astype(np.int64)
    return np.asarray(legal[picked] % actions)


def _rate(play: Callable[[], int], seconds: float) -> float:
    """Call `play`, which returns a number of decisions, for some seconds; return the decisions per second."""
    began = time.perf_counter()
    count, elapsed = 0, 0.0
    while elapsed < seconds:
        count += play()
        elapsed = time.perf_counter() - began
    return count / elapsed


def _rate_with_opponents(play: Callable[[], int], env: BatchedEnv, seconds: float) -> Rate:
    own_decisions, before = 0, env.decisions

    def play_and_count() -> int:
        nonlocal own_decisions
        decisions = play()
        own_decisions += decisions
        return decisions

    own = _rate(play_and_count, seconds)
    return Rate(own, own * (env.decisions - before) / own_decisions)


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core, on systems that support it."""
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
    """Measure PettingZoo's connect_four_v3 in the same loop; raise ImportError if pygame is missing."""
    return pettingzoo_loop(pettingzoo.make("aec", "classic/connect_four-v3"), seconds)


def pgx_connect_four(seconds: float) -> float | None:
    """Measure random play of a batch of Pgx's connect_four, a compiled game, or return None if Pgx is not installed."""
    if importlib.util.find_spec("pgx") is None:
        return None
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env, rows = pgx.make("connect_four"), PGX_BATCH
    step = jax.vmap(auto_reset(env.step, env.init))

    def step_randomly(games: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], Any]:
        state, key = games
        key, action_key, reset_key = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype("float32"))
        actions = jax.random.categorical(action_key, logits, axis=-1)
        state = step(state, actions, jax.random.split(reset_key, rows))
        return (state, key), state.observation.sum()  # without the sum no observation would be computed

    key = jax.random.PRNGKey(0)
    games = jax.jit(jax.vmap(env.init))(jax.random.split(key, rows)), key
    run = jax.jit(lambda games: jax.lax.scan(step_randomly, games, None, length=PGX_STEPS))

    def play() -> int:
        nonlocal games
        games, sums = run(games)
        sums.block_until_ready()
        return PGX_STEPS * rows

    play()
    return _rate(play, seconds)
