"""The same task for stable-baselines3: `MaskablePPO` on the native `VecEnv`, one seat against agents and past selves.

Every rollout is played against one opponent, an agent by name or a past self. What comes out is a network like any
other. To go on with a run, only weights are read from SB3's own file: the model is made anew from the run's settings.
"""

from __future__ import annotations

import io
import itertools
import json
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from safetensors.numpy import load, save
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from olb_agents.network import EPSILON, Network, Shape
from olb_agents.policy import PolicyAgent
from olb_env.core.files import FolderLock, write_atomically
from olb_env.core.game import find
from olb_env.envs.sb3 import SeatVecEnv
from olb_env.playing import Agent, View, Views, decide, make_agent
from olb_training.arena.statistics import Estimate
from olb_training.ppo.run import (
    SB3_FILE,
    cut_metrics,
    judges_of,
    read_settings,
    refuse_old,
    refuse_strangers,
    win_rate,
)
from olb_training.ppo.settings import Settings

# In SB3's file, beside what is SB3's: decisions and seconds so far, and past selves.
COUNTED, PAST = "olb/counted.json", "olb/past/"
# What SB3 calls what other runs write down of their learning, and its sign.
LEARNED = {
    "policy_loss": (1, "policy_gradient_loss"), "value_loss": (1, "value_loss"), "entropy": (-1, "entropy_loss"),
    "divergence": (1, "approx_kl"), "clipped": (1, "clip_fraction"), "explained": (1, "explained_variance"),
}  # fmt: skip
PAST_SHARE = 0.5  # of rollouts, once there are past selves

Told = Callable[[int, dict[str, Estimate], dict[str, float]], None]  # decisions, win rates, how it learns


def learned_of(told: Mapping[str, float]) -> dict[str, float]:
    """What SB3 says about its learning, as other runs write it down."""
    return {name: sign * float(told.get(f"train/{theirs}", 0)) for name, (sign, theirs) in LEARNED.items()}


class Trunk(BaseFeaturesExtractor):  # type: ignore[misc]  # its types are partial
    """The layers of our networks, so that what SB3 trains can be written as one."""

    def __init__(self, space: gymnasium.spaces.Box, hidden: tuple[int, ...]) -> None:
        super().__init__(space, hidden[-1])
        sizes = [int(np.prod(space.shape)), *hidden]
        layers: list[nn.Module] = []
        for size, following in itertools.pairwise(sizes):
            layers += [nn.Linear(size, following), nn.LayerNorm(following, eps=EPSILON), nn.ReLU()]
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: Tensor) -> Tensor:
        """What the heads see."""
        found: Tensor = self.layers(observations)
        return found


class Opponent:
    """Whoever sits in the other seats now; one object, so that the tables need not know that it changes."""

    def __init__(self, agents: tuple[str, ...], seed: int) -> None:
        self._agents: list[tuple[str, Agent]] = [(name, make_agent(name)) for name in agents or ("random",)]
        self._chance = np.random.default_rng(seed)
        self.past: list[PolicyAgent] = []
        self.name, self._now = self._agents[0]

    def remember(self, network: Network, most: int) -> None:
        """The learner as it is joins its past selves; the oldest makes room."""
        self.past = [*self.past, PolicyAgent(network)][-most:]

    def change(self) -> None:
        """Somebody else for the next rollout."""
        if self.past and self._chance.random() < PAST_SHARE:
            at = int(self._chance.integers(len(self.past)))
            self.name, self._now = f"past self {at + 1}", self.past[at]
        else:
            self.name, self._now = self._agents[int(self._chance.integers(len(self._agents)))]

    def act(self, view: View) -> int | str:
        """For one game."""
        return self._now.act(view)

    def act_many(self, views: Views) -> Any:
        """For many games at once."""
        return decide(self._now, self.name, views)


def to_network(model: MaskablePPO, game: str, hidden: tuple[int, ...]) -> Network:
    """What SB3 trained, as a network of ours; what it expects is for the own seat only."""
    shape = Shape.of_game(find(game), hidden, "observation")
    policy, weights = model.policy, {}
    layers = list(policy.features_extractor.layers)
    for number in range(len(hidden)):
        linear, norm = layers[3 * number], layers[3 * number + 1]
        weights |= {
            f"{number}.weight": linear.weight.T, f"{number}.bias": linear.bias,
            f"{number}.scale": norm.weight, f"{number}.shift": norm.bias,
        }  # fmt: skip
    others = shape.num_seats - 1
    action, value = policy.action_net, policy.value_net
    weights["head.weight"] = torch.cat([action.weight, value.weight, torch.zeros(others, hidden[-1])]).T
    weights["head.bias"] = torch.cat([action.bias, value.bias, torch.zeros(others)])
    return Network(shape, {name: weight.detach().numpy() for name, weight in weights.items()})


class _Keep(BaseCallback):  # type: ignore[misc]
    """Between rollouts: another opponent, and now and then a past self more, an evaluation and a file."""

    def __init__(self, run: Sb3Run, opponent: Opponent, tell: Told) -> None:
        super().__init__()
        self._run, self._opponent, self._tell = run, opponent, tell
        self._rollouts = self._first = run.rollouts

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        settings = self._run.settings
        if self._rollouts > self._first:  # what was learned from the last one
            if self._rollouts % settings.snapshot_every == 0:
                self._opponent.remember(self._run.network(), settings.past)
            judged = self._rollouts % settings.evaluate_every == 0
            if judged:
                self._run.evaluate()
                for name, rate in self._run.rates.items():
                    self.logger.record(f"wins/{name}", rate.value)
            self._run.write_metrics(self._rollouts, self.logger.name_to_value, judged=judged)
            if self._rollouts % settings.checkpoint_every == 0:
                self._run.keep()
        self._opponent.change()
        self._rollouts += 1
        self.model.ent_coef = settings.entropy_at(max(0.0, 1 - self.num_timesteps / settings.decisions))
        self._tell(self.num_timesteps, self._run.rates, learned_of(self.logger.name_to_value))


class Sb3Run:
    """A run of `MaskablePPO` in a folder."""

    def __init__(self, folder: Path, alone: FolderLock, settings: Settings, players: int) -> None:
        self._alone = alone
        self.folder, self.settings, self.players = folder, settings, players
        self.opponent = Opponent(settings.agents, settings.seed)
        game = find(settings.game)
        count = max(1, settings.tables[game.players.index(players)])
        self.env = SeatVecEnv(settings.game, count, opponents=self.opponent, seat="random", num_players=players)
        torch.set_num_threads(settings.workers)
        self._rollout = count * settings.steps  # decisions
        self.model = MaskablePPO(
            "MlpPolicy", self.env, learning_rate=settings.rate_at, n_steps=settings.steps,
            batch_size=settings.minibatch, n_epochs=settings.epochs, gamma=1.0, gae_lambda=settings.trust,
            clip_range=settings.clip, vf_coef=settings.value_weight, max_grad_norm=settings.gradient,
            target_kl=settings.divergence, seed=settings.seed, tensorboard_log=str(folder / "tensorboard"),
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"hidden": settings.hidden},
                "net_arch": [],
            },
        )  # fmt: skip
        self.rates: dict[str, Estimate] = {}
        self._began, self._seconds = time.monotonic(), 0.0  # of this sitting, and of those before

    @classmethod
    def begin(cls, folder: Path, settings: Settings, players: int) -> Sb3Run:
        """A new run in an empty folder."""
        refuse_strangers(settings)
        folder.mkdir(parents=True, exist_ok=True)
        alone = FolderLock(folder)
        refuse_old(folder)
        run = cls(folder, alone, settings, players)
        told = {"algo": "sb3", "players": players, **asdict(settings)}
        write_atomically(folder / "settings.json", (json.dumps(told, indent=2) + "\n").encode())
        (folder / "metrics.jsonl").write_bytes(b"")
        run.keep()
        return run

    @classmethod
    def resume(cls, folder: Path) -> Sb3Run:
        """Go on with a run."""
        told = {"players": 0, **read_settings(folder)}
        players = told.pop("players")
        del told["algo"]
        try:
            settings = Settings.read(told)
        except TypeError as error:
            raise ValueError(f"{folder / 'settings.json'} does not hold the settings of a run: {error}") from None
        if players not in find(settings.game).players:
            raise ValueError(f"{folder / 'settings.json'} tells of tables of {players!r}, which there are not")
        run = cls(folder, FolderLock(folder), settings, players)
        try:
            run._restore(folder / SB3_FILE)
        except Exception as error:  # noqa: BLE001  # whatever a damaged file leads to
            raise ValueError(f"{folder / SB3_FILE} is damaged, or no file of stable-baselines3: {error}") from None
        cut_metrics(folder, run.rollouts)
        return run

    def _restore(self, file: Path) -> None:
        """Of SB3's own only weights are read; nothing that is there is run."""
        self.model.set_parameters(file)
        shape = self.network().shape
        with zipfile.ZipFile(file) as archive:
            self.model.num_timesteps, self._seconds = json.loads(archive.read(COUNTED))
            names = sorted(name for name in archive.namelist() if name.startswith(PAST))
            self.opponent.past = [PolicyAgent(Network(shape, load(archive.read(name)))) for name in names]

    @property
    def rollouts(self) -> int:
        """Played so far."""
        return int(self.model.num_timesteps) // self._rollout

    @property
    def seconds(self) -> float:
        """Spent so far, all sittings together."""
        return self._seconds + time.monotonic() - self._began

    def network(self) -> Network:
        """What was learned so far."""
        return to_network(self.model, self.settings.game, self.settings.hidden)

    def keep(self) -> None:
        """Write SB3's file with all that is needed to go on, whole or not at all, and the network."""
        content = io.BytesIO()
        self.model.save(content)
        with zipfile.ZipFile(content, "a") as archive:
            archive.writestr(COUNTED, json.dumps([self.model.num_timesteps, self.seconds]))
            for number, past in enumerate(self.opponent.past):
                archive.writestr(f"{PAST}{number:03d}", save(past.network.weights))
        write_atomically(self.folder / SB3_FILE, content.getvalue())
        self.network().save(self.folder / "network.safetensors", {"algo": "sb3", "decisions": self.model.num_timesteps})

    def write_metrics(self, rollouts: int, learned: Mapping[str, float], *, judged: bool) -> None:
        """A line as other runs write them, of what SB3 says about its learning."""
        told: dict[str, Any] = {"iteration": rollouts, "decisions": self.model.num_timesteps}
        told |= learned_of(learned)
        told["seconds"] = round(self.seconds, 2)
        if judged:
            told["rates"] = {name: asdict(rate) for name, rate in self.rates.items()}
        with (self.folder / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")

    def evaluate(self) -> None:
        """Win rates at its own size of table."""
        file = self.folder / f"evaluated-{self.model.num_timesteps:09d}.safetensors"  # a name is loaded once
        self.network().save(file)
        agent = f"policy:{file}"
        self.rates = {
            f"{judge} {self.players}p": win_rate(self.settings.game, agent, judge, self.players, self.settings.deals)
            for judge in judges_of(find(self.settings.game))
        }
        file.unlink()
        file.with_suffix(".json").unlink()

    def train(self, tell: Told) -> None:
        """Learn to the end, if it was not reached before."""
        left = self.settings.decisions - self.model.num_timesteps
        if left <= 0:
            return
        self.model.learn(left, callback=_Keep(self, self.opponent, tell), reset_num_timesteps=False)
        self.evaluate()
        self.write_metrics(self.rollouts, self.model.logger.name_to_value, judged=True)
        self.keep()
