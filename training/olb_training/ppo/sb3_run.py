"""A run of stable-baselines3: `MaskablePPO` on the native `VecEnv`, one seat against agents and past selves.

Every rollout is played against one opponent, a named agent or a past self. The result is a network like any other.
A run is resumed from tensors and JSON that are kept in SB3's own file; nothing in it is executed. The model is made
anew from the settings of the run.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from olb_agents.network import Network
from olb_agents.policy_agent import PolicyAgent
from olb_env.core.checking import is_int, shortened, shown
from olb_env.core.files import FolderLock, write_atomically
from olb_env.core.game import find
from olb_env.envs.sb3 import SeatVecEnv
from olb_env.playing import Agent, View, Views, decide, make_agent
from olb_training.ppo.bounds import MOST_SHOWN
from olb_training.ppo.metrics import append_metrics, truncate_metrics
from olb_training.ppo.run import DivergedError, OnIteration
from olb_training.ppo.run_folder import (
    EVALUATED,
    NETWORK_FILE,
    SB3_FILE,
    SETTINGS_FILE,
    check_settings,
    claim_new_folder,
    read_settings,
    remove_leftovers,
    write_settings,
)
from olb_training.ppo.sb3_file import read_sb3_file, sb3_file
from olb_training.ppo.sb3_network import Trunk, to_network
from olb_training.ppo.scalars import ScalarWriter
from olb_training.ppo.settings import MAX_TIMESTEPS_PER_ROLLOUT, Settings
from olb_training.ppo.win_rates import WinRates, eval_opponents_of, evaluate

# Our metrics, with the sign and the name that SB3 gives them.
SB3_METRICS = {
    "policy_loss": (1, "policy_gradient_loss"), "value_loss": (1, "value_loss"), "entropy": (-1, "entropy_loss"),
    "approx_kl": (1, "approx_kl"), "clip_fraction": (1, "clip_fraction"),
    "explained_variance": (1, "explained_variance"), "learning_rate": (1, "learning_rate"),
}  # fmt: skip
PAST_SELF_FRACTION = 0.5  # of rollouts, once there are past selves
SEED_LIMIT = 2**32 - MAX_TIMESTEPS_PER_ROLLOUT  # SB3 gives each table the seed after that of the table before


class RolloutOpponent:
    """The agent in all other seats: one object for the environment, while the agent behind it changes."""

    def __init__(self, agents: tuple[str, ...], seed: int) -> None:
        self._agents: list[tuple[str, Agent]] = [(name, make_agent(name)) for name in agents or ("random",)]
        self._rng = np.random.default_rng(seed)
        self.past_selves: list[PolicyAgent] = []
        self.name, self._agent = self._agents[0]

    def add_snapshot(self, network: Network, pool_size: int) -> None:
        """Add the learner as it is now; the oldest past self leaves if there are more than `pool_size`."""
        self.past_selves = [*self.past_selves, PolicyAgent(network)][-pool_size:]

    def change(self) -> None:
        """Draw the opponent of the next rollout."""
        if self.past_selves and self._rng.random() < PAST_SELF_FRACTION:
            number = int(self._rng.integers(len(self.past_selves)))
            self.name, self._agent = f"past self {number + 1}", self.past_selves[number]
        else:
            self.name, self._agent = self._agents[int(self._rng.integers(len(self._agents)))]

    def act(self, view: View) -> int | str:
        """Return the action for one decision."""
        return self._agent.act(view)

    def act_many(self, views: Views) -> Any:
        """Return the actions for many decisions at once."""
        return decide(self._agent, self.name, views)


class _BetweenRollouts(BaseCallback):  # type: ignore[misc]  # its types are partial
    """Change the opponent, and at their intervals take snapshots, evaluate and save."""

    def __init__(self, run: Sb3Run, on_iteration: OnIteration) -> None:
        super().__init__()
        self._run, self._on_iteration = run, on_iteration
        self._rollouts = self._first = run.rollouts

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        run, settings = self._run, self._run.settings
        if self._rollouts > self._first:  # the last rollout has been learned from
            _refuse_diverged(run.network())
            if self._rollouts % settings.snapshot_interval == 0:
                run.opponent.add_snapshot(run.network(), settings.pool_size)
            evaluated = self._rollouts % settings.eval_interval == 0
            if evaluated:
                run.evaluate()
                for name, rate in run.win_rates.items():
                    self.logger.record(f"eval/win_rate_vs_{name}", rate.value)
            run.append_metrics(self._rollouts, evaluated=evaluated)
            if self._rollouts % settings.checkpoint_interval == 0:
                run.save_checkpoint()
        run.opponent.change()
        self._rollouts += 1
        self.model.ent_coef = settings.ent_coef_at(max(0.0, 1 - self.num_timesteps / settings.total_timesteps))
        self._on_iteration({**run.metrics(self._rollouts - 1), "opponent": run.opponent.name})


class Sb3Run:
    """A run of `MaskablePPO` in a folder."""

    def __init__(self, folder: Path, lock: FolderLock, settings: Settings, players: int) -> None:
        self._lock = lock
        self.folder, self.settings, self.players = folder, settings, players
        self.opponent = RolloutOpponent(settings.opponents, settings.seed)
        game = find(settings.game)
        count = max(1, settings.num_envs[game.players.index(players)])
        self.env = SeatVecEnv(
            settings.game, count, opponents=self.opponent, seat="random", num_players=players, **settings.options
        )
        torch.set_num_threads(settings.workers)
        self._rollout_size = count * settings.num_steps  # timesteps
        self.model = MaskablePPO(
            "MlpPolicy", self.env, learning_rate=settings.learning_rate_at, n_steps=settings.num_steps,
            batch_size=settings.minibatch_size, n_epochs=settings.update_epochs, gamma=1.0,
            gae_lambda=settings.gae_lambda, clip_range=settings.clip_coef, vf_coef=settings.vf_coef,
            max_grad_norm=settings.max_grad_norm, target_kl=settings.target_kl, seed=settings.seed,
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"hidden_sizes": settings.hidden_sizes},
                "net_arch": [],
            },
        )  # fmt: skip
        self.win_rates: WinRates = {}  # of the last evaluation
        self._began, self._earlier_seconds = time.monotonic(), 0.0  # of this session, and of those before
        self._earlier_timesteps = 0

    @classmethod
    def begin(cls, folder: Path, settings: Settings, players: int) -> Sb3Run:
        """Begin a new run in an empty folder, at tables of one size."""
        _check_for_sb3(settings)
        with contextlib.ExitStack() as undo:
            lock = claim_new_folder(folder)
            undo.callback(lock.release)
            run = cls(folder, lock, settings, players)
            write_settings(folder, {"algo": "sb3", "players": players, **asdict(settings)})
            run.save_checkpoint()
            undo.pop_all()
        return run

    @classmethod
    def resume(cls, folder: Path) -> Sb3Run:
        """Resume the run in a folder."""
        name = shortened(folder / SETTINGS_FILE, MOST_SHOWN)
        values = {"players": 0, **read_settings(folder)}
        players = values.pop("players")
        del values["algo"]
        try:
            settings = Settings.from_dict(values)
        except ValueError as error:
            raise ValueError(f"{name} does not hold the settings of a run: {error}") from None
        if not is_int(players) or players not in find(settings.game).players:
            expected = f"expected one of {', '.join(map(str, find(settings.game).players))}"
            raise ValueError(f"{name} names tables of {shown(players)} players: {expected}")
        _check_for_sb3(settings)
        with contextlib.ExitStack() as undo:
            lock = FolderLock(folder)
            undo.callback(lock.release)
            run = cls(folder, lock, settings, players)
            run._restore(folder / SB3_FILE)
            remove_leftovers(folder)
            truncate_metrics(folder, run.rollouts)
            undo.pop_all()
        return run

    def _restore(self, file: Path) -> None:
        """Read the weights and counters that `save_checkpoint` wrote; SB3's own parts are not even opened."""
        saved = read_sb3_file(file, self.model, self.network().shape, self.settings.pool_size)
        most = self.settings.total_timesteps + self._rollout_size
        if saved.timesteps > most or saved.timesteps % self._rollout_size:
            raise ValueError(
                f"{shortened(file, MOST_SHOWN)} has {saved.timesteps} timesteps: expected at most {most:,}, "
                f"in rollouts of {self._rollout_size:,}"
            )
        self._earlier_timesteps, self._earlier_seconds = saved.timesteps, saved.seconds
        self.model.num_timesteps = saved.timesteps
        self.opponent.past_selves = [PolicyAgent(network) for network in saved.past_selves]

    @property
    def timesteps(self) -> int:
        """Decisions of the learner so far."""
        return int(self.model.num_timesteps)

    @property
    def rollouts(self) -> int:
        """Rollouts so far."""
        return self.timesteps // self._rollout_size

    @property
    def seconds(self) -> float:
        """Seconds so far, all sessions together."""
        return self._earlier_seconds + time.monotonic() - self._began

    def network(self) -> Network:
        """Return a copy of the network."""
        return to_network(self.model, self.settings.game, self.settings.hidden_sizes)

    def save_checkpoint(self) -> None:
        """Write SB3's file, with all that is needed to resume, and the network as it is now."""
        past_selves = [past_self.network for past_self in self.opponent.past_selves]
        content = sb3_file(self.model, self.timesteps, self.seconds, past_selves)
        write_atomically(self.folder / SB3_FILE, content)
        self.network().save(self.folder / NETWORK_FILE, {"algo": "sb3", "timesteps": self.timesteps})

    def metrics(self, rollouts: int) -> dict[str, Any]:
        """Return what SB3 has logged about its last update, under the names that other runs use."""
        logged: Mapping[str, float] = self.model.logger.name_to_value
        values = {name: sign * float(logged.get(f"train/{theirs}", 0)) for name, (sign, theirs) in SB3_METRICS.items()}
        sps = (self.timesteps - self._earlier_timesteps) / (self.seconds - self._earlier_seconds)
        about = {"iteration": rollouts, "timesteps": self.timesteps}
        return {**about, **values, "sps": round(sps), "seconds": round(self.seconds, 2)}

    def append_metrics(self, rollouts: int, *, evaluated: bool) -> None:
        """Write the metrics of a rollout, with the win rates if it was evaluated."""
        entry = self.metrics(rollouts)
        if evaluated:
            entry["win_rates"] = {name: asdict(rate) for name, rate in self.win_rates.items()}
            entry["eval_options"] = self.settings.options
        append_metrics(self.folder, entry)

    def evaluate(self) -> None:
        """Measure the win rates at tables of its size."""
        settings, file = self.settings, self.folder / f"{EVALUATED}{self.timesteps:09d}.safetensors"
        opponents = eval_opponents_of(find(settings.game))
        self.win_rates = evaluate(
            self.network(), file, opponents, [self.players], settings.eval_deals, settings.options
        )

    def train(self, on_iteration: OnIteration, limit: float | None = None) -> bool:
        """Train to the end, which is always reached: there is no limit in seconds."""
        left = self.settings.total_timesteps - self.timesteps
        if left > 0:
            writer = ScalarWriter(self.folder, self.timesteps + 1)
            self.model.set_logger(Logger(None, [_TensorBoard(writer)]))
            try:
                self.model.learn(left, callback=_BetweenRollouts(self, on_iteration), reset_num_timesteps=False)
            except ValueError:  # SB3 finds numbers that are not finite
                _refuse_diverged(self.network())
                raise
            finally:
                writer.close()
            _refuse_diverged(self.network())
            self.evaluate()
            self.append_metrics(self.rollouts, evaluated=True)
            self.save_checkpoint()
        return True

    def close(self) -> None:
        """Release the folder."""
        self._lock.release()


class _TensorBoard(KVWriter):  # type: ignore[misc]  # its types are partial
    """What SB3 logs, for TensorBoard."""

    def __init__(self, writer: ScalarWriter) -> None:
        self._writer = writer

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write the numbers of one step."""
        self._writer.add({name: float(value) for name, value in key_values.items() if _is_number(value)}, step)

    def close(self) -> None:
        """Do nothing: the run closes the file."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number)


def _check_for_sb3(settings: Settings) -> None:
    """Raise ValueError if SB3 cannot train with these settings."""
    if settings.seed >= SEED_LIMIT:
        raise ValueError(f"seed is {settings.seed}: expected less than {SEED_LIMIT:,} for --algo sb3")
    check_settings(settings)


def _refuse_diverged(network: Network) -> None:
    """Raise DivergedError if a weight is not finite."""
    if not all(np.isfinite(weight).all() for weight in network.weights.values()):
        raise DivergedError(
            "training diverged: the weights are no longer finite; start a new run with a lower --learning-rate"
        )
