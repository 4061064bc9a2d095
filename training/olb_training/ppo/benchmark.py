"""What `olb bench --train` measures: the speed of training, also through PettingZoo, and that of the champion."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pettingzoo

from olb_env.benchmarks import one_core
from olb_env.core import batch
from olb_env.core.game import Game
from olb_env.envs.common import pettingzoo_id
from olb_env.playing import Views, agent_for, decide
from olb_training.ppo.distributed import DistributedLearner
from olb_training.ppo.mixed_tables import MixedTables, first_seed
from olb_training.ppo.presets import preset_of
from olb_training.ppo.settings import Settings

WARM_UP_ITERATIONS = 1
CHAMPION_BATCH = 512  # decisions at a time


class PettingZooTables(MixedTables):
    """The same tables, each a PettingZoo environment that is stepped alone, with the default options of the game."""

    def reset(self, seed: np.random.SeedSequence) -> None:
        """Deal new games at all tables."""
        name = pettingzoo_id(self.game)
        self._envs = [
            pettingzoo.make("aec", name, num_players=batch.num_players)
            for batch in self.batches
            for _ in range(batch.num_envs)
        ]
        for row, env in enumerate(self._envs):
            env.reset(seed=first_seed(seed) + row)
            self._read_env(row)

    def _read_env(self, row: int) -> None:
        env = self._envs[row]
        observed, *_ = env.last()
        self.inputs[row], self.masks[row] = observed["observation"], observed["action_mask"]
        self.seats[row] = env.possible_agents.index(env.agent_selection)

    def step(self, actions: npt.NDArray[np.int64], skip_features: npt.NDArray[np.bool_] | None = None) -> None:
        """Take one action at every table."""
        for row, env in enumerate(self._envs):
            env.step(int(actions[row]))
            self.dones[row] = all(env.terminations.values())
            if self.dones[row]:
                rewards = [env.rewards[agent] for agent in env.possible_agents]
                self.utilities[row, : len(rewards)] = rewards
                env.reset()
            self._read_env(row)


def measure(game: Game, seconds: float) -> dict[str, dict[str, float]]:
    """Return the decisions per second of training and of the champion, and the speed-ups over PettingZoo.

    The first figure is training with the preset `quick`, without its imitation. The next three train a network on the
    observation alone, in all seats of tables of the smallest size: on the native batch, on many PettingZoo environments
    in one batch, and on a single one per worker, with the same number of decisions per update. The last are decisions
    of the champion, if the game has one, without learning.
    """
    quick = {**preset_of("quick", game.name), "teacher": "", "imitation_timesteps": 0}
    full = Settings(**quick)
    self_play = {
        "opponents": (),
        "env_kwargs": (),
        "self_play_fraction": 1.0,
        "past_self_fraction": 0.0,
        "features": "observation",
    }
    count, no_others = sum(full.num_envs), [0] * (len(full.num_envs) - 1)
    alike = Settings(**{**quick, **self_play, "num_envs": (count, *no_others)})
    single = replace(alike, num_envs=(full.workers, *no_others), num_steps=full.num_steps * count // full.workers)
    quick_sps, native_sps = (_sps(DistributedLearner(settings), seconds) for settings in (full, alike))
    many_sps, single_sps = (
        _sps(DistributedLearner(settings, PettingZooTables), seconds) for settings in (alike, single)
    )
    return {
        "decisions_per_second": {
            "training, quick preset": quick_sps,
            "training, all seats learn": native_sps,
            "the same, many PettingZoo environments, one batched forward pass": many_sps,
            "the same, single PettingZoo environments": single_sps,
            **_champion_speed(game, seconds),
        },
        "speedups": {
            "native batch, compared with many PettingZoo environments": native_sps / many_sps,
            "native batch, compared with single PettingZoo environments": native_sps / single_sps,
        },
    }


def _champion_speed(game: Game, seconds: float) -> dict[str, float]:
    """Return the decisions per second of the game's champion, one at a time and many at a time; none without one."""
    try:
        champion = agent_for("champion", game)
    except ValueError:
        return {}
    states = game.new_states(CHAMPION_BATCH)
    batch.deal_rows(states, game.rules.configure(), np.arange(CHAMPION_BATCH))
    speeds = {}
    with one_core():
        for rows in (1, CHAMPION_BATCH):
            decide(champion, "champion", Views(game, states[:rows], range(rows)))  # compile first
            done, began = 0, time.perf_counter()
            while time.perf_counter() - began < seconds:
                decide(champion, "champion", Views(game, states[:rows], range(rows)))
                done += rows
            speeds[f"the champion deciding, {rows} at a time"] = done / (time.perf_counter() - began)
    return speeds


def _sps(distributed: DistributedLearner, seconds: float) -> float:
    """Return the timesteps per second of a learner, which is closed afterwards."""
    for _ in range(WARM_UP_ITERATIONS):
        distributed.iterate()
    began, before = time.perf_counter(), distributed.learner.timesteps
    while True:
        distributed.iterate()
        taken = time.perf_counter() - began
        if taken >= seconds:
            distributed.close()
            return (distributed.learner.timesteps - before) / taken
