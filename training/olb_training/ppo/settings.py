"""The settings of a training run: each field is a flag of `olb train`, with its help text.

Only `best_response_to` has a flag of another name, --exploit.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from olb_agents.inputs import FEATURE_SETS
from olb_agents.network import MAX_LAYERS, MAX_WIDTH, Shape
from olb_env.core.checking import shortened, shown
from olb_env.core.game import DEFAULT_GAME, find
from olb_env.core.processes import MAX_WORKERS
from olb_env.core.rng import SEED_LIMIT
from olb_training.ppo.bounds import Bounds
from olb_training.ppo.mixed_tables import TableSpec
from olb_training.ppo.options import plain_options, plain_pairs, read_pairs, refuse_files

DEFAULT_TABLES = 1024  # about how many there are if `num_envs` does not say
MAX_TIMESTEPS_PER_ROLLOUT = 2_000_000
MAX_TIMESTEPS = 10**12
MAX_INTERVAL = 10**9  # iterations: never, for any run
MAX_NAME, MAX_NAMES = 4096, 64  # characters of an agent's name or of a path, and names in a list
MAX_OPTION = 1_000_000  # characters
MAX_COEFFICIENT = 1000.0
NO_LIMIT = 1e9  # of what is limited so little that it is not limited
FINAL_LEARNING_RATE = 0.05  # as a fraction of the initial one

LATER_SETTINGS: Mapping[str, Any] = {"options": {}}  # that older runs lack, with what they did

# The groups of `olb train --help`.
EXPERIMENT = "experiment"
ENVIRONMENTS = "environments"
PPO = "PPO"
NETWORK = "network"
OPPONENTS = "opponents"
IMITATION = "imitation and warm-up"
EVALUATION = "checkpoints and evaluation"


def setting(
    group: str, default: Any, text: str, least: float = 0, most: float = MAX_NAME, most_values: int = MAX_NAMES
) -> Any:
    """Return a field with its group, its help text and its bounds, which are those of a name unless they are given."""
    bounds = (least, most, most_values)
    return dataclasses.field(default=default, metadata={"group": group, "help": text, "bounds": bounds})


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
    seed: int = setting(EXPERIMENT, 1, "seed of all random numbers", 0, SEED_LIMIT - 1)
    total_timesteps: int = setting(
        EXPERIMENT,
        12_000_000,
        "length of the training, in decisions of all seats (--algo sb3: of the learner's seat), rounded up to whole "
        "iterations",
        1,
        MAX_TIMESTEPS,
    )
    workers: int = setting(
        EXPERIMENT, 2, "processes that play and learn together, each on a core of its own", 1, MAX_WORKERS
    )

    num_envs: tuple[int, ...] = setting(
        ENVIRONMENTS,
        (),
        "tables played at once: one number for every table size of the game, or a number for each",
        0,
        MAX_TIMESTEPS_PER_ROLLOUT,
    )
    options: dict[str, Any] = dataclasses.field(
        default_factory=dict, metadata={"group": ENVIRONMENTS, "help": "options of the game at all tables"}
    )
    env_kwargs: tuple[str, ...] = setting(
        ENVIRONMENTS,
        (),
        "other options of the game at some of the tables, as NAME=VALUE (a board as FILE.toml or FILE.json)",
        0,
        MAX_OPTION,
    )
    env_kwargs_fraction: float = setting(
        ENVIRONMENTS,
        0.3,
        "fraction of the tables with --env-kwargs; with more than half, evaluations have these options too",
        0,
        1,
    )
    margin_coef: float = setting(
        ENVIRONMENTS, 0.2, "weight of the score margin in the outcome, from 0 to 1; rank and win share the rest", 0, 1
    )

    num_steps: int = setting(PPO, 64, "decisions at each table per rollout", 1, MAX_TIMESTEPS_PER_ROLLOUT)
    update_epochs: int = setting(PPO, 3, "passes over each rollout", 1, 1000)
    minibatch_size: int = setting(
        PPO, 4096, "decisions per gradient step, of all workers together", 1, MAX_TIMESTEPS_PER_ROLLOUT
    )
    learning_rate: float = setting(PPO, 3e-3, "initial learning rate of Adam; it falls linearly to a twentieth", 0, 10)
    clip_coef: float = setting(PPO, 0.2, "clipping range of the probability ratio", 0, MAX_COEFFICIENT)
    ent_coef: tuple[float, ...] = setting(
        PPO, (0.05, 0.015), "coefficient of the entropy, initial and final", 0, MAX_COEFFICIENT
    )
    vf_coef: float = setting(PPO, 0.5, "coefficient of the value loss", 0, MAX_COEFFICIENT)
    others_vf_coef: float = setting(
        PPO, 0.25, "weight of the value of each other seat in the value loss", 0, MAX_COEFFICIENT
    )
    gae_lambda: float = setting(PPO, 0.9, "lambda of generalised advantage estimation; there is no discount", 0, 1)
    max_grad_norm: float = setting(PPO, 0.5, "largest norm of the gradient; longer ones are scaled down", 0, NO_LIMIT)
    target_kl: float = setting(
        PPO, 0.03, "stop an update after an epoch whose approximate KL divergence exceeds this", 0, NO_LIMIT
    )

    hidden_sizes: tuple[int, ...] = setting(NETWORK, (256, 256), "units of each hidden layer", 1, MAX_WIDTH, MAX_LAYERS)
    features: str = setting(
        NETWORK, "derived", "inputs: observation, derived, lookahead or afterstates, each with all those before it"
    )
    init_from: str = setting(
        NETWORK, "", "network to start from (FILE.safetensors, or champion) instead of random weights"
    )

    self_play_fraction: float = setting(OPPONENTS, 0.9, "fraction of games in which the learner holds every seat", 0, 1)
    past_self_fraction: float = setting(
        OPPONENTS, 0.05, "fraction of games against past selves; the rest are against --opponents", 0, 1
    )
    pool_size: int = setting(OPPONENTS, 16, "past selves kept; a new one replaces the oldest", 1, 1000)
    snapshot_interval: int = setting(
        OPPONENTS, 12, "iterations until the learner joins its past selves", 1, MAX_INTERVAL
    )
    opponents: tuple[str, ...] = setting(
        OPPONENTS, (), "agents to play against, more often those that the learner does worse against"
    )
    best_response_to: str = setting(OPPONENTS, "", "agent that holds all other seats, if the run is to exploit one")

    teacher: str = setting(IMITATION, "", "agent to imitate before PPO begins")
    imitation_timesteps: int = setting(
        IMITATION, 0, "length of the imitation, in decisions of all seats", 0, MAX_TIMESTEPS
    )
    value_warmup_timesteps: int = setting(
        IMITATION,
        0,
        "decisions after the imitation in which only values are learned; none with --init-from",
        0,
        MAX_TIMESTEPS,
    )

    checkpoint_interval: int = setting(EVALUATION, 25, "iterations between two checkpoints", 1, MAX_INTERVAL)
    eval_interval: int = setting(EVALUATION, 50, "iterations between two evaluations", 1, MAX_INTERVAL)
    eval_deals: int = setting(
        EVALUATION,
        100,
        "deals of an evaluation, each in all seats, with the options of most tables; 1.5 times as many at the end, ten "
        "times with --exploit",
        1,
        1_000_000,
    )

    def __post_init__(self) -> None:
        for name, bounds in bounds_of_settings().items():
            object.__setattr__(self, name, bounds.read(name, getattr(self, name)))
        game = find(self.game)
        if not self.num_envs:
            object.__setattr__(self, "num_envs", even_num_envs(self.game))
        object.__setattr__(self, "options", plain_options(game, self.options))
        object.__setattr__(self, "env_kwargs", plain_pairs(game, self.env_kwargs))
        self._check_together()
        self._check_tables()
        self._check_agents_and_network()

    def _check_together(self) -> None:
        if len(self.ent_coef) != 2:
            raise ValueError(f"ent_coef is {shown(list(self.ent_coef))}: expected two numbers, initial and final")
        if self.self_play_fraction + self.past_self_fraction > 1 + 1e-9:
            fractions = f"{self.self_play_fraction} and {self.past_self_fraction}"
            raise ValueError(f"self_play_fraction and past_self_fraction are {fractions}: expected at most 1 together")

    def _check_tables(self) -> None:
        game = find(self.game)
        if len(self.num_envs) != len(game.players) or not sum(self.num_envs):
            sizes = ", ".join(map(str, game.players))
            raise ValueError(
                f"num_envs is {shown(list(self.num_envs))}: expected a number of tables for each of {sizes} players"
            )
        if (rollout := self.num_steps * sum(self.num_envs)) > MAX_TIMESTEPS_PER_ROLLOUT:
            raise ValueError(f"num_steps times num_envs is {rollout:,}: expected at most {MAX_TIMESTEPS_PER_ROLLOUT:,}")
        if self.workers > (most := max(spec.count for spec in self.table_specs())):
            raise ValueError(
                f"workers is {self.workers}: expected at most {most}, the number of tables of the most common kind"
            )

    def _check_agents_and_network(self) -> None:
        for name in (*self.opponents, self.teacher, self.best_response_to):
            if re.search(r":[0-9]+ms$", name):
                raise ValueError(
                    f"agent {shown(name)} is limited by time, so no run could be repeated: give a number of simulations"
                )
        if self.imitation_timesteps and not self.teacher:
            raise ValueError(f"imitation_timesteps is {self.imitation_timesteps}, but there is no teacher: name one")
        if self.features not in FEATURE_SETS:
            raise ValueError(f"features is {shown(self.features)}: expected one of {', '.join(FEATURE_SETS)}")
        if not self.hidden_sizes:
            raise ValueError(f"hidden_sizes is []: expected 1 to {MAX_LAYERS} layers of 1 to {MAX_WIDTH} units")

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
        game, changed, specs = find(self.game), self._changed_options(), []
        for players, count in zip(game.players, self.num_envs, strict=True):
            other = self._tables_with_changes(count)
            specs += [TableSpec(players, count - other, self.options), TableSpec(players, other, changed)]
        return [spec for spec in specs if spec.count]

    def main_options(self) -> dict[str, Any]:
        """Return the options of the game at most tables, which evaluations have too."""
        changed = sum(map(self._tables_with_changes, self.num_envs))
        return self._changed_options() if 2 * changed > sum(self.num_envs) else self.options

    def _changed_options(self) -> dict[str, Any]:
        return {**self.options, **read_pairs(find(self.game), self.env_kwargs)}

    def _tables_with_changes(self, count: int) -> int:
        return int(count * self.env_kwargs_fraction) if self.env_kwargs else 0

    def network_shape(self) -> Shape:
        """Return the shape of the network to train."""
        return Shape.of_game(find(self.game), self.hidden_sizes, self.features)

    @classmethod
    def from_dict(cls, values: Any) -> Settings:
        """Return the settings that `dataclasses.asdict` and JSON turned into a dictionary: all of them, no others."""
        if not isinstance(values, Mapping):
            raise ValueError(f"settings are {shown(values)}: expected a mapping")
        known = {field.name for field in dataclasses.fields(cls)}
        values = {**LATER_SETTINGS, **values}
        if set(values) != known:
            differing = shortened(", ".join(sorted(set(values) ^ known)))
            raise ValueError(f"the run and this version have different settings ({differing}): start a new run")
        refuse_files(values["options"], values["env_kwargs"])
        return cls(**values)


@functools.cache
def bounds_of_settings() -> dict[str, Bounds]:
    """Return the bounds of every setting by name, except for the options of the game, which the game checks."""
    hints, found = typing.get_type_hints(Settings), {}
    for field in dataclasses.fields(Settings):
        if field.name == "options":
            continue
        least, most, most_values = field.metadata["bounds"]
        if isinstance(field.default, tuple):
            found[field.name] = Bounds(typing.get_args(hints[field.name])[0], least, most, most_values)
        else:
            found[field.name] = Bounds(hints[field.name], least, most)
    return found
