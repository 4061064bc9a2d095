"""A run of stable-baselines3: `MaskablePPO` on the native `VecEnv`, one seat against agents and past selves.

Every rollout is played against one opponent, a named agent or a past self. The result is a network like any other.
A run is resumed from the tensors in SB3's own file and from JSON; nothing in them is executed. The model is made anew
from the settings of the run.
"""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load, save
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from olb_agents.network import Network
from olb_agents.policy_agent import PolicyAgent
from olb_env.core.files import FolderLock, write_atomically
from olb_env.core.game import find
from olb_env.envs.sb3 import SeatVecEnv
from olb_env.playing import Agent, View, Views, decide, make_agent
from olb_training.ppo.metrics import append_metrics, truncate_metrics
from olb_training.ppo.run import OnIteration
from olb_training.ppo.run_folder import (
    NETWORK_FILE,
    SB3_FILE,
    SETTINGS_FILE,
    check_agents_and_options,
    claim_new_folder,
    read_settings,
    write_settings,
)
from olb_training.ppo.sb3_network import Trunk, to_network
from olb_training.ppo.settings import Settings
from olb_training.ppo.win_rates import WinRates, eval_opponents_of, evaluate

# In SB3's file, besides its own parts: timesteps and seconds so far, and past selves.
COUNTERS, PAST_SELVES = "olb/counters.json", "olb/past_selves/"
# Our metrics, with the sign and the name that SB3 gives them.
SB3_METRICS = {
    "policy_loss": (1, "policy_gradient_loss"), "value_loss": (1, "value_loss"), "entropy": (-1, "entropy_loss"),
    "approx_kl": (1, "approx_kl"), "clip_fraction": (1, "clip_fraction"),
    "explained_variance": (1, "explained_variance"), "learning_rate": (1, "learning_rate"),
}  # fmt: skip
PAST_SELF_FRACTION = 0.5  # of rollouts, once there are past selves


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
        self.env = SeatVecEnv(settings.game, count, opponents=self.opponent, seat="random", num_players=players)
        torch.set_num_threads(settings.workers)
        self._rollout_size = count * settings.num_steps  # timesteps
        self.model = MaskablePPO(
            "MlpPolicy", self.env, learning_rate=settings.learning_rate_at, n_steps=settings.num_steps,
            batch_size=settings.minibatch_size, n_epochs=settings.update_epochs, gamma=1.0,
            gae_lambda=settings.gae_lambda, clip_range=settings.clip_coef, vf_coef=settings.vf_coef,
            max_grad_norm=settings.max_grad_norm, target_kl=settings.target_kl, seed=settings.seed,
            tensorboard_log=str(folder / "tensorboard"),
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
        check_agents_and_options(settings)
        run = cls(folder, claim_new_folder(folder), settings, players)
        write_settings(folder, {"algo": "sb3", "players": players, **asdict(settings)})
        run.save_checkpoint()
        return run

    @classmethod
    def resume(cls, folder: Path) -> Sb3Run:
        """Resume the run in a folder."""
        values = {"players": 0, **read_settings(folder)}
        players = values.pop("players")
        del values["algo"]
        try:
            settings = Settings.from_dict(values)
        except TypeError as error:
            raise ValueError(f"{folder / SETTINGS_FILE} does not hold the settings of a run: {error}") from None
        if players not in (sizes := find(settings.game).players):
            expected = f"expected one of {', '.join(map(str, sizes))}"
            raise ValueError(f"{folder / SETTINGS_FILE} names tables of {players!r} players: {expected}")
        run = cls(folder, FolderLock(folder), settings, players)
        try:
            run._restore(folder / SB3_FILE)
        except Exception as error:  # noqa: BLE001  # whatever a damaged file leads to
            raise ValueError(f"{folder / SB3_FILE} is damaged, or not a file of stable-baselines3: {error}") from None
        truncate_metrics(folder, run.rollouts)
        return run

    def _restore(self, file: Path) -> None:
        """Read the weights and counters of a file; nothing in it is run."""
        self.model.set_parameters(file)
        shape = self.network().shape
        with zipfile.ZipFile(file) as archive:
            self._earlier_timesteps, self._earlier_seconds = json.loads(archive.read(COUNTERS))
            self.model.num_timesteps = self._earlier_timesteps
            names = sorted(name for name in archive.namelist() if name.startswith(PAST_SELVES))
            self.opponent.past_selves = [PolicyAgent(Network(shape, load(archive.read(name)))) for name in names]

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
        content = io.BytesIO()
        self.model.save(content)
        with zipfile.ZipFile(content, "a") as archive:
            archive.writestr(COUNTERS, json.dumps([self.timesteps, self.seconds]))
            for number, past_self in enumerate(self.opponent.past_selves):
                archive.writestr(f"{PAST_SELVES}{number:03d}", save(past_self.network.weights))
        write_atomically(self.folder / SB3_FILE, content.getvalue())
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
        append_metrics(self.folder, entry)

    def evaluate(self) -> None:
        """Measure the win rates at tables of its size."""
        file = self.folder / f"evaluated-{self.timesteps:09d}.safetensors"
        opponents = eval_opponents_of(find(self.settings.game))
        self.win_rates = evaluate(self.network(), file, opponents, [self.players], self.settings.eval_deals)

    def train(self, on_iteration: OnIteration, limit: float | None = None) -> bool:
        """Train to the end, which is always reached: there is no limit in seconds."""
        left = self.settings.total_timesteps - self.timesteps
        if left > 0:
            self.model.learn(left, callback=_BetweenRollouts(self, on_iteration), reset_num_timesteps=False)
            self.evaluate()
            self.append_metrics(self.rollouts, evaluated=True)
            self.save_checkpoint()
        return True

    def close(self) -> None:
        """Release the folder."""
        self._lock.release()
