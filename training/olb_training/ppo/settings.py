"""The settings of a training run: each field is a flag of `olb train`, with its help text.

Only `best_response_to` has a flag of another name, --exploit.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from olb_agents.inputs import FEATURE_SETS
from olb_agents.network import MAX_LAYERS, MAX_WIDTH, Shape
from olb_env.core.game import DEFAULT_GAME, find
from olb_training.ppo.mixed_tables import TableSpec

DEFAULT_TABLES = 1024  # about how many there are if `num_envs` does not say
MAX_TIMESTEPS_PER_ROLLOUT = 2_000_000
MAX_EVAL_DEALS = 1_000_000
FINAL_LEARNING_RATE = 0.05  # as a fraction of the initial one

# The groups of `olb train --help`.
EXPERIMENT = "experiment"
ENVIRONMENTS = "environments"
PPO = "PPO"
NETWORK = "network"
OPPONENTS = "opponents"
IMITATION = "imitation and warm-up"
EVALUATION = "checkpoints and evaluation"


def setting(group: str, default: Any, text: str) -> Any:
    """Return a field with its group and help text."""
    return dataclasses.field(default=default, metadata={"group": group, "help": text})


def even_num_envs(game: str) -> tuple[int, ...]:
    """Return the same number of tables for every table size of a game."""
    sizes = len(find(game).players)
    return (DEFAULT_TABLES // sizes,) * sizes


@dataclass(frozen=True)
class Settings:
    """Everything a run depends on: on one machine, equal settings give equal networks, to the last bit.

    A timestep is one decision of one seat, whoever holds it.
    """

    game: str = setting(EXPERIMENT, DEFAULT_GAME, "game to learn")
    seed: int = setting(EXPERIMENT, 1, "seed of all random numbers")
    total_timesteps: int = setting(
        EXPERIMENT,
        12_000_000,
        "length of the training, in decisions of all seats (--algo sb3: of the learner's seat)",
    )
    workers: int = setting(EXPERIMENT, 2, "processes that play and learn together, each on a core of its own")

    num_envs: tuple[int, ...] = setting(
        ENVIRONMENTS,
        (),
        "tables played at once, a number for each table size of the game; none: the same number for each",
    )
    env_kwargs: tuple[str, ...] = setting(
        ENVIRONMENTS, (), "options of the game at some of the tables, as NAME=VALUE (a board as JSON)"
    )
    env_kwargs_fraction: float = setting(ENVIRONMENTS, 0.3, "fraction of the tables with --env-kwargs")
    margin_coef: float = setting(
        ENVIRONMENTS, 0.2, "weight of the score margin in the outcome, from 0 to 1; rank and win share the rest"
    )

    num_steps: int = setting(PPO, 64, "decisions at each table per rollout")
    update_epochs: int = setting(PPO, 3, "passes over each rollout")
    minibatch_size: int = setting(PPO, 4096, "decisions per gradient step, of all workers together")
    learning_rate: float = setting(PPO, 3e-3, "initial learning rate of Adam; it falls linearly to a twentieth")
    clip_coef: float = setting(PPO, 0.2, "clipping range of the probability ratio")
    ent_coef: tuple[float, ...] = setting(PPO, (0.05, 0.015), "coefficient of the entropy, initial and final")
    vf_coef: float = setting(PPO, 0.5, "coefficient of the value loss")
    others_vf_coef: float = setting(PPO, 0.25, "weight of the value of each other seat in the value loss")
    gae_lambda: float = setting(PPO, 0.9, "lambda of generalised advantage estimation; there is no discount")
    max_grad_norm: float = setting(PPO, 0.5, "largest norm of the gradient; longer ones are scaled down")
    target_kl: float = setting(PPO, 0.03, "stop an update after an epoch whose approximate KL divergence exceeds this")

    hidden_sizes: tuple[int, ...] = setting(NETWORK, (256, 256), "units of each hidden layer")
    features: str = setting(
        NETWORK, "derived", "inputs: observation, derived, lookahead or afterstates, each with all those before it"
    )
    init_from: str = setting(
        NETWORK, "", "network to start from (FILE.safetensors, or champion) instead of random weights"
    )

    self_play_fraction: float = setting(OPPONENTS, 0.9, "fraction of games in which the learner holds every seat")
    past_self_fraction: float = setting(
        OPPONENTS, 0.05, "fraction of games against past selves; the rest are against --opponents"
    )
    pool_size: int = setting(OPPONENTS, 16, "past selves kept; a new one replaces the oldest")
    snapshot_interval: int = setting(OPPONENTS, 12, "iterations until the learner joins its past selves")
    opponents: tuple[str, ...] = setting(
        OPPONENTS, (), "agents to play against, more often those that the learner does worse against"
    )
    best_response_to: str = setting(OPPONENTS, "", "agent that holds all other seats, if the run is to exploit one")

    teacher: str = setting(IMITATION, "", "agent to imitate before PPO begins")
    imitation_timesteps: int = setting(IMITATION, 0, "length of the imitation, in decisions of all seats")
    value_warmup_timesteps: int = setting(
        IMITATION, 0, "decisions after the imitation in which only values are learned; none with --init-from"
    )

    checkpoint_interval: int = setting(EVALUATION, 25, "iterations between two checkpoints")
    eval_interval: int = setting(EVALUATION, 50, "iterations between two evaluations")
    eval_deals: int = setting(
        EVALUATION,
        100,
        "deals of an evaluation, each in all seats; 1.5 times as many at the end, ten times with --exploit",
    )

    def __post_init__(self) -> None:
        if not self.num_envs:
            object.__setattr__(self, "num_envs", even_num_envs(self.game))
        self._check_numbers()
        self._check_tables()
        self._check_agents_and_network()

    def _check_numbers(self) -> None:
        for name in ("total_timesteps", "num_steps", "update_epochs", "minibatch_size", "pool_size",
                     "snapshot_interval", "workers", "checkpoint_interval", "eval_interval", "eval_deals"):  # fmt: skip
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a whole number of at least 1")
        for name in ("imitation_timesteps", "value_warmup_timesteps"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a whole number of at least 0")
        if self.eval_deals > MAX_EVAL_DEALS:
            raise ValueError(f"eval_deals is {self.eval_deals}: expected at most {MAX_EVAL_DEALS:,}")
        if not 0 <= self.seed < 2**53:
            raise ValueError(f"seed is {self.seed}: expected a whole number from 0 to 2**53 - 1")
        if len(self.ent_coef) != 2:
            raise ValueError(f"ent_coef is {list(self.ent_coef)}: expected two numbers, initial and final")
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            for number in value if isinstance(value, tuple) else (value,):
                if isinstance(number, float) and not 0 <= number < math.inf:
                    raise ValueError(f"{field.name} is {number}: expected a finite number of at least 0")
        for name in ("env_kwargs_fraction", "gae_lambda", "margin_coef"):
            if getattr(self, name) > 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at most 1")
        if self.self_play_fraction + self.past_self_fraction > 1 + 1e-9:
            fractions = f"{self.self_play_fraction} and {self.past_self_fraction}"
            raise ValueError(f"self_play_fraction and past_self_fraction are {fractions}: expected at most 1 together")

    def _check_tables(self) -> None:
        game = find(self.game)
        if len(self.num_envs) != len(game.players) or min(self.num_envs) < 0 or not sum(self.num_envs):
            sizes = ", ".join(map(str, game.players))
            raise ValueError(
                f"num_envs is {list(self.num_envs)}: expected a number of tables for each of {sizes} players"
            )
        for option in self.env_kwargs:
            if option.partition("=")[0] not in game.commands.help:
                known = ", ".join(game.commands.help)
                raise ValueError(f"env_kwargs has {option!r}: expected NAME=VALUE, where NAME is one of {known}")
        if (rollout := self.num_steps * sum(self.num_envs)) > MAX_TIMESTEPS_PER_ROLLOUT:
            raise ValueError(f"num_steps times num_envs is {rollout:,}: expected at most {MAX_TIMESTEPS_PER_ROLLOUT:,}")
        if self.workers > (most := max(spec.count for spec in self.table_specs())):
            raise ValueError(
                f"workers is {self.workers}: expected at most {most}, the number of tables of the most common kind"
            )

    def _check_agents_and_network(self) -> None:
        for name in (*self.opponents, self.teacher):
            if re.search(r":[0-9]+ms$", name):
                raise ValueError(
                    f"agent {name!r} is limited by time, so no run could be repeated: give a number of simulations"
                )
        if self.imitation_timesteps and not self.teacher:
            raise ValueError(f"imitation_timesteps is {self.imitation_timesteps}, but there is no teacher: name one")
        if self.features not in FEATURE_SETS:
            raise ValueError(f"features is {self.features!r}: expected one of {', '.join(FEATURE_SETS)}")
        sizes = self.hidden_sizes
        if not 1 <= len(sizes) <= MAX_LAYERS or not 1 <= min(sizes) <= max(sizes) <= MAX_WIDTH:
            expected = f"1 to {MAX_LAYERS} layers of 1 to {MAX_WIDTH} units"
            raise ValueError(f"hidden_sizes is {list(sizes)}: expected {expected}")

    def learning_rate_at(self, progress_remaining: float) -> float:
        """Return the learning rate; `progress_remaining` falls from 1 to 0 during the run."""
        return self.learning_rate * (FINAL_LEARNING_RATE + (1 - FINAL_LEARNING_RATE) * progress_remaining)

    def ent_coef_at(self, progress_remaining: float) -> float:
        """Return the coefficient of the entropy; `progress_remaining` falls from 1 to 0 during the run."""
        initial, final = self.ent_coef
        return final + (initial - final) * progress_remaining

    def timesteps_per_iteration(self) -> int:
        """Return the decisions of all seats in one rollout of all tables."""
        return self.num_steps * sum(self.num_envs)

    def table_sizes(self) -> list[int]:
        """Return the numbers of players that there are tables for."""
        return [players for players, count in zip(find(self.game).players, self.num_envs, strict=True) if count]

    def table_specs(self) -> list[TableSpec]:
        """Return the tables to play at, those that are alike together."""
        game = find(self.game)
        pairs = (option.partition("=") for option in self.env_kwargs)
        changed = {name: game.commands.parse(name, text) for name, _, text in pairs}
        specs = []
        for players, count in zip(game.players, self.num_envs, strict=True):
            other = int(count * self.env_kwargs_fraction) if changed else 0
            specs += [TableSpec(players, count - other, {}), TableSpec(players, other, changed)]
        return [spec for spec in specs if spec.count]

    def network_shape(self) -> Shape:
        """Return the shape of the network to train."""
        return Shape.of_game(find(self.game), self.hidden_sizes, self.features)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Settings:
        """Return the settings that `dataclasses.asdict` and JSON turned into a dictionary: all of them, no others."""
        known = {field.name for field in dataclasses.fields(cls)}
        if set(values) != known:
            differing = ", ".join(sorted(set(values) ^ known))
            raise ValueError(f"the run and this version have different settings ({differing}): start a new run")
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return cls(**fields)
