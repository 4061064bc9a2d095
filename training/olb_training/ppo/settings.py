"""How to learn: every setting with its meaning, which is also what `olb train --help` says of it."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

from olb_agents.inputs import FEATURES
from olb_agents.network import MOST_LAYERS, MOST_WIDTH, Shape
from olb_env.core.game import DEFAULT_GAME, find
from olb_training.ppo.mixed_tables import TableSpec

TABLES = 1024  # about how many there are in all, if nobody says
MOST_AT_ONCE = 2_000_000  # decisions to be remembered
MOST_DEALS = 1_000_000  # of an evaluation


def setting(default: Any, meaning: str) -> Any:
    """A field that explains itself."""
    return dataclasses.field(default=default, metadata={"meaning": meaning})


def evenly(game: str) -> tuple[int, ...]:
    """As many tables of every size that a game can be played at."""
    sizes = len(find(game).players)
    return (TABLES // sizes,) * sizes


@dataclass(frozen=True)
class Settings:
    """Everything a run depends on: the same settings give the same network, to the last bit, on the same machine."""

    game: str = setting(DEFAULT_GAME, "the game")
    seed: int = setting(1, "of everything that chance decides")
    decisions: int = setting(12_000_000, "how long to train, in decisions of all seats")
    hidden: tuple[int, ...] = setting((256, 256), "widths of the network's layers")
    features: str = setting("derived", "inputs of the network: observation, derived, lookahead or afterstates")
    tables: tuple[int, ...] = setting((), "how many tables of each size the game can be played at; none: as many each")
    options: tuple[str, ...] = setting((), "options of the game at some of the tables, as NAME=VALUE (a board as JSON)")
    options_share: float = setting(0.3, "of tables with these options")
    steps: int = setting(64, "decisions at each table before learning from them")
    epochs: int = setting(3, "passes over what was collected")
    minibatch: int = setting(4096, "decisions learned from at once")
    rate: float = setting(3e-3, "of learning at first; it falls to a twentieth")
    clip: float = setting(0.2, "how far a decision may become likelier or less likely in an iteration (PPO)")
    entropy: tuple[float, ...] = setting((0.05, 0.015), "weight of staying undecided, at first and at last")
    trust: float = setting(0.9, "in what came rather than in what was expected (lambda of GAE)")
    value_weight: float = setting(0.5, "of expecting the result")
    others_weight: float = setting(0.25, "of expecting the results of the other seats, besides")
    gradient: float = setting(0.5, "the most of the gradient's norm")
    divergence: float = setting(0.03, "from the policy that played, after which no further pass is made")
    margin: float = setting(0.2, "how much the score counts beside rank and winning")
    self_share: float = setting(0.9, "of tables where all seats learn")
    past_share: float = setting(0.05, "of tables with past selves, the harder the oftener; the rest have --agents")
    past: int = setting(16, "past selves remembered")
    snapshot_every: int = setting(12, "iterations until the learner joins its past selves")
    agents: tuple[str, ...] = setting((), "agents to learn against, the harder the oftener")
    teacher: str = setting("", "an agent to learn from at first, by doing as it does")
    taught: int = setting(0, "for how many decisions")
    expecting: int = setting(
        0, "for how many decisions after that it learns only what to expect, if it begins with nothing"
    )
    start: str = setting("", "a network to begin with (FILE.safetensors, or champion), instead of nothing")
    exploit: str = setting("", "the agent that is to be beaten, if that is what the run is for")
    workers: int = setting(2, "processes that play and learn together, each on a core of its own")
    checkpoint_every: int = setting(25, "iterations between two checkpoints")
    evaluate_every: int = setting(50, "iterations between two evaluations")
    deals: int = setting(
        100, "of an evaluation, each in all seats; half as many again at the end, ten times as many with --exploit"
    )

    def __post_init__(self) -> None:
        game = find(self.game)
        if not self.tables:
            object.__setattr__(self, "tables", evenly(self.game))
        if len(self.tables) != len(game.players) or min(self.tables) < 0 or not sum(self.tables):
            sizes = ", ".join(map(str, game.players))
            raise ValueError(f"tables are {list(self.tables)}: expected how many of {sizes} players each")
        if len(self.entropy) != 2:
            raise ValueError(f"entropy is {list(self.entropy)}: expected two weights, at first and at last")
        if not 0 <= self.self_share <= 1 or not 0 <= self.past_share <= 1 - self.self_share + 1e-9:
            raise ValueError("self_share and past_share are parts of all tables: expected at most 1 together")
        for name in ("decisions", "steps", "epochs", "minibatch", "past", "snapshot_every", "workers",
                     "checkpoint_every", "evaluate_every", "deals"):  # fmt: skip
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a whole number from 1 on")
        for name in ("taught", "expecting"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a whole number from 0 on")
        if self.deals > MOST_DEALS:
            raise ValueError(f"deals is {self.deals}: expected at most {MOST_DEALS:,}")
        if max(kind.count for kind in self.kinds()) < self.workers:
            raise ValueError(f"workers is {self.workers}: expected at most as many as there are tables of a kind")
        if (at_once := self.steps * sum(self.tables)) > MOST_AT_ONCE:
            raise ValueError(f"steps times tables is {at_once:,}: expected at most {MOST_AT_ONCE:,}")
        if self.features not in FEATURES:
            raise ValueError(f"features is {self.features!r}: expected one of {', '.join(FEATURES)}")
        for name in (*self.agents, self.teacher):
            if re.search(r":[0-9]+ms$", name):
                raise ValueError(f"agent {name!r} goes by the clock, and no run could go on exactly: name simulations")
        if self.taught and not self.teacher:
            raise ValueError("taught without a teacher: name one")
        if not 1 <= len(self.hidden) <= MOST_LAYERS or not 1 <= min(self.hidden) <= max(self.hidden) <= MOST_WIDTH:
            most = f"at most {MOST_LAYERS}, each at most {MOST_WIDTH}"
            raise ValueError(f"hidden is {list(self.hidden)}: expected one width or more, {most}")
        for field in dataclasses.fields(self):
            numbers = getattr(self, field.name)
            for number in numbers if isinstance(numbers, tuple) else (numbers,):
                if isinstance(number, float) and not 0 <= number < float("inf"):
                    raise ValueError(f"{field.name} is {number}: expected a number from 0 on")
        for name in ("options_share", "trust", "margin"):
            if getattr(self, name) > 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at most 1")
        if not 0 <= self.seed < 2**53:
            raise ValueError(f"seed is {self.seed}: expected from 0 to 2**53 - 1")
        for option in self.options:
            if option.partition("=")[0] not in game.commands.help:
                raise ValueError(f"option {option!r}: expected NAME=VALUE, of {', '.join(game.commands.help)}")

    def rate_at(self, left: float) -> float:
        """Of learning, when so much of the run is left."""
        return self.rate * (0.05 + 0.95 * left)

    def entropy_at(self, left: float) -> float:
        """The weight of staying undecided, when so much of the run is left."""
        first, last = self.entropy
        return last + (first - last) * left

    def sizes(self) -> list[int]:
        """The sizes of tables that there are."""
        return [size for size, count in zip(find(self.game).players, self.tables, strict=True) if count]

    def shape(self) -> Shape:
        """Of the network."""
        return Shape.of_game(find(self.game), self.hidden, self.features)

    def kinds(self) -> list[TableSpec]:
        """The tables."""
        game = find(self.game)
        changed = {name: game.commands.parse(name, text) for name, _, text in (o.partition("=") for o in self.options)}
        found = []
        for players, count in zip(game.players, self.tables, strict=True):
            other = int(count * self.options_share) if changed else 0
            found += [TableSpec(players, count - other, {}), TableSpec(players, other, changed)]
        return [kind for kind in found if kind.count]

    @classmethod
    def read(cls, told: dict[str, Any]) -> Settings:
        """As `dataclasses.asdict` and JSON left them: all of them, and no others."""
        known = {field.name for field in dataclasses.fields(cls)}
        if set(told) != known:
            differing = ", ".join(sorted(set(told) ^ known))
            raise ValueError(f"the run was begun with other settings than there are now ({differing}): begin anew")
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in told.items()})
