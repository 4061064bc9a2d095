"""How fast the learner is, and how fast the same learner would be if every table were an environment of its own."""

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
from olb_training.ppo.crew import Crew
from olb_training.ppo.mixed_tables import MixedTables, first_seed
from olb_training.ppo.presets import preset_of
from olb_training.ppo.settings import Settings

WARM_UP = 1  # iterations that are not counted
AT_ONCE = 512  # decisions of the champion


class SingleTables(MixedTables):
    """The same tables, each a PettingZoo environment that is asked and stepped alone."""

    def reset(self, seed: np.random.SeedSequence) -> None:
        """Deal at all tables."""
        name = pettingzoo_id(self.game)
        self._envs = [
            pettingzoo.make("aec", name, num_players=batch.num_players)
            for batch in self.batches
            for _ in range(batch.num_envs)
        ]
        for row, env in enumerate(self._envs):
            env.reset(seed=first_seed(seed) + row)
            self._look(row)

    def _look(self, row: int) -> None:
        env = self._envs[row]
        seen, *_ = env.last()
        self.observation[row], self.mask[row] = seen["observation"], seen["action_mask"]
        self.seat[row] = env.possible_agents.index(env.agent_selection)

    def step(self, actions: npt.NDArray[np.int64], deaf: npt.NDArray[np.bool_] | None = None) -> None:
        """One decision at every table."""
        for row, env in enumerate(self._envs):
            env.step(int(actions[row]))
            self.over[row] = all(env.terminations.values())
            if self.over[row]:
                earned = [env.rewards[agent] for agent in env.possible_agents]
                self.utility[row, : len(earned)] = earned
                env.reset()
            self._look(row)


def measure(game: Game, seconds: float) -> dict[str, dict[str, float]]:
    """Decisions per second, end to end with learning: on the native batch, and through PettingZoo; and their ratio.

    The last three are of the same learner at tables of the smallest size, where all seats learn from the observation
    alone, which is what every environment can do; it learns from equally many decisions at once.
    """
    quick = {**preset_of("quick", game.name), "teacher": "", "taught": 0}  # what most of a run is
    full = Settings(**quick)
    only = {"agents": (), "options": (), "self_share": 1.0, "past_share": 0.0, "features": "observation"}
    count, smallest = sum(full.tables), [0] * (len(full.tables) - 1)
    alike = Settings(**{**quick, **only, "tables": (count, *smallest)})
    one_each = replace(alike, tables=(full.workers, *smallest), steps=full.steps * count // full.workers)
    whole, native = _speed(Crew(full), seconds), _speed(Crew(alike), seconds)
    many, single = (_speed(Crew(settings, SingleTables), seconds) for settings in (alike, one_each))
    return {
        "decisions_per_second": {
            "training, quick preset": whole,
            "training, all seats learn": native,
            "the same, many PettingZoo environments asked at once": many,
            "the same, single PettingZoo environments": single,
            **_champion_speed(game, seconds),
        },
        "times_as_fast": {
            "the native batch as many PettingZoo environments": native / many,
            "the native batch as single PettingZoo environments": native / single,
        },
    }


def _champion_speed(game: Game, seconds: float) -> dict[str, float]:
    """How fast the champion decides, if the game has one: for one game, and for many at once."""
    try:
        champion = agent_for("champion", game)
    except ValueError:
        return {}
    states = game.new_states(AT_ONCE)
    batch.deal_rows(states, game.rules.configure(), np.arange(AT_ONCE))
    found = {}
    with one_core():
        for rows in (1, AT_ONCE):
            decide(champion, "champion", Views(game, states[:rows], range(rows)))  # compiles, if it was not yet
            done, began = 0, time.perf_counter()
            while time.perf_counter() - began < seconds:
                decide(champion, "champion", Views(game, states[:rows], range(rows)))
                done += rows
            found[f"the champion deciding, {rows} at a time"] = done / (time.perf_counter() - began)
    return found


def _speed(crew: Crew, seconds: float) -> float:
    for _ in range(WARM_UP):
        crew.iterate()
    began, before = time.perf_counter(), crew.learner.decisions
    while True:
        crew.iterate()
        taken = time.perf_counter() - began
        if taken >= seconds:
            crew.close()
            return (crew.learner.decisions - before) / taken
