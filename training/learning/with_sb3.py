"""The same task for stable-baselines3: `MaskablePPO` on the native `VecEnv`, one seat against agents and past selves.

Every rollout is played against one opponent, an agent by name or a past self. What comes out is a network like any
other. To go on with a run, SB3's own file is read, which may run code: it is looked for only in the run's own folder.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from agents.network import EPSILON, Network, Shape
from agents.policy import PolicyAgent
from olb_env.core.files import write_whole
from olb_env.core.game import find
from olb_env.envs.sb3 import SeatVecEnv
from olb_env.playing import Agent, View, Views, decide, make_agent
from training.arena.statistics import Estimate
from training.learning.run import JUDGES, SB3_FILE, refuse_old, win_rate
from training.learning.settings import Settings

PAST_SHARE = 0.5  # of rollouts, once there are past selves
EVALUATION_DEALS = 100


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
    shape = Shape.of_game(find(game), hidden, insight=False)
    policy, weights = model.policy, {}
    layers = list(policy.features_extractor.layers)
    for number in range(len(hidden)):
        linear, norm = layers[3 * number], layers[3 * number + 1]
        weights |= {
            f"{number}.weight": linear.weight.T, f"{number}.bias": linear.bias,
            f"{number}.scale": norm.weight, f"{number}.shift": norm.bias,
        }  # fmt: skip
    others = shape.seats - 1
    action, value = policy.action_net, policy.value_net
    weights["head.weight"] = torch.cat([action.weight, value.weight, torch.zeros(others, hidden[-1])]).T
    weights["head.bias"] = torch.cat([action.bias, value.bias, torch.zeros(others)])
    return Network(shape, {name: weight.detach().numpy() for name, weight in weights.items()})


class _Keep(BaseCallback):  # type: ignore[misc]
    """Between rollouts: another opponent, and now and then a past self more, an evaluation and a file."""

    def __init__(self, run: Sb3Run, opponent: Opponent, tell: Callable[[int, dict[str, Estimate]], None]) -> None:
        super().__init__()
        self._run, self._opponent, self._tell, self._rollouts = run, opponent, tell, 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        settings = self._run.settings
        if self._rollouts and self._rollouts % settings.snapshot_every == 0:
            self._opponent.past.append(PolicyAgent(self._run.network()))
            self._opponent.past = self._opponent.past[-settings.past :]
        if self._rollouts and self._rollouts % settings.evaluate_every == 0:
            self._run.evaluate()
        if self._rollouts and self._rollouts % settings.checkpoint_every == 0:
            self._run.keep()
        self._opponent.change()
        self._rollouts += 1
        self._tell(self.num_timesteps, self._run.rates)


class Sb3Run:
    """A run of `MaskablePPO` in a folder."""

    def __init__(self, folder: Path, settings: Settings, players: int, model: MaskablePPO | None = None) -> None:
        self.folder, self.settings, self.players = folder, settings, players
        self.opponent = Opponent(settings.agents, settings.seed)
        game = find(settings.game)
        count = max(1, settings.tables[game.players.index(players)])
        self.env = SeatVecEnv(settings.game, count, opponents=self.opponent, seat="random", num_players=players)
        torch.set_num_threads(settings.workers)
        if model is not None:
            model.set_env(self.env)
        self.model = model or MaskablePPO(
            "MlpPolicy", self.env, learning_rate=settings.rate, n_steps=settings.steps, batch_size=settings.minibatch,
            n_epochs=settings.epochs, gamma=1.0, gae_lambda=settings.trust, clip_range=settings.clip,
            ent_coef=settings.entropy[0], vf_coef=settings.value_weight, max_grad_norm=settings.gradient,
            target_kl=settings.divergence, seed=settings.seed, tensorboard_log=str(folder / "tensorboard"),
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"hidden": settings.hidden},
                "net_arch": [],
            },
        )  # fmt: skip
        self.rates: dict[str, Estimate] = {}

    @classmethod
    def begin(cls, folder: Path, settings: Settings, players: int) -> Sb3Run:
        """A new run in an empty folder."""
        folder.mkdir(parents=True, exist_ok=True)
        refuse_old(folder)
        run = cls(folder, settings, players)
        told = {"algo": "sb3", "players": players, **asdict(settings)}
        write_whole(folder / "settings.json", (json.dumps(told, indent=2) + "\n").encode())
        run.keep()
        return run

    @classmethod
    def resume(cls, folder: Path) -> Sb3Run:
        """Go on with one's own run; its past selves begin anew."""
        told = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
        try:
            model = MaskablePPO.load(folder / SB3_FILE)
        except Exception as error:  # noqa: BLE001  # whatever a damaged file leads to
            raise ValueError(f"{folder / SB3_FILE} is damaged, or no file of stable-baselines3: {error}") from None
        players = told.pop("players")
        del told["algo"]
        return cls(folder, Settings.read(told), players, model)

    def network(self) -> Network:
        """What was learned so far."""
        return to_network(self.model, self.settings.game, self.settings.hidden)

    def keep(self) -> None:
        """Write SB3's file and the network, whole or not at all."""
        part = self.folder / f"part.{SB3_FILE}"
        self.model.save(part)
        part.replace(self.folder / SB3_FILE)
        self.network().save(self.folder / "network.safetensors", {"algo": "sb3", "decisions": self.model.num_timesteps})

    def evaluate(self) -> None:
        """Win rates at its own size of table."""
        file = self.folder / f"evaluated-{self.model.num_timesteps:09d}.safetensors"  # a name is loaded once
        self.network().save(file)
        agent = f"policy:{file}"
        self.rates = {
            f"{judge} {self.players}p": win_rate(self.settings.game, agent, judge, self.players, EVALUATION_DEALS)
            for judge in JUDGES
        }
        file.unlink()
        file.with_suffix(".json").unlink()

    def train(self, tell: Callable[[int, dict[str, Estimate]], None]) -> None:
        """Learn to the end."""
        left = self.settings.decisions - self.model.num_timesteps
        if left > 0:
            self.model.learn(left, callback=_Keep(self, self.opponent, tell), reset_num_timesteps=False)
        self.evaluate()
        self.keep()
