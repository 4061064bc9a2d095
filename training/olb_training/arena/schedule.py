"""Who plays whom on which deals: every lineup plays the same deals in all seat rotations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from olb_env.core.game import Game, find
from olb_env.core.rng import following_seed

MOST_LINEUPS = 60


@dataclass(frozen=True)
class Plan:
    """A tournament: everything that its result depends on, but for the agents themselves."""

    game: str
    agents: tuple[str, ...]  # the same name may come more than once
    players: int
    deals: int
    seed: int
    options: dict[str, Any] = field(default_factory=dict)  # of the game
    move_limit: float | None = None  # seconds for a decision
    until: float | None = None  # stop once no win rate is less sure than this; 0.02 is two points

    def __post_init__(self) -> None:
        if len(self.agents) < self.players:
            raise ValueError(
                f"{len(self.agents)} agents for a table of {self.players}: name at least {self.players}; "
                "a name may be repeated"
            )

    def rules(self) -> Game:
        """The game that is played."""
        return find(self.game)

    def setup(self) -> Any:
        """What is dealt."""
        return self.rules().rules.configure(**{**self.options, "num_players": self.players})

    def deal_seed(self, deal: int) -> int:
        """The seed of a deal."""
        return int(following_seed(self.seed, deal))

    def lineups(self) -> list[tuple[int, ...]]:
        """The groups of agents that play, as places in `agents`."""
        return make_lineups(len(self.agents), self.players, self.seed)

    def settings(self) -> dict[str, Any]:
        """The plan as JSON."""
        return {**asdict(self), "agents": list(self.agents)}


@dataclass(frozen=True)
class Unit:
    """One lineup on one deal, in all rotations: what is never divided."""

    deal: int
    lineup: int


def units(plan: Plan) -> Iterator[Unit]:
    """All there is to play, deal after deal."""
    count = len(plan.lineups())
    return (Unit(deal, lineup) for deal in range(plan.deals) for lineup in range(count))


def rotations(lineup: Sequence[int]) -> list[tuple[int, ...]]:
    """Who sits where: the lineup, moved on by one seat each time."""
    return [tuple(lineup[(seat + turn) % len(lineup)] for seat in range(len(lineup))) for turn in range(len(lineup))]


def make_lineups(agents: int, players: int, seed: int) -> list[tuple[int, ...]]:
    """All groups of agents if they are few; else some, in which no agent comes more than once oftener than another.

    Those who play less come first, and among them those who met the others at the table less, so that groups differ.
    """
    if math.comb(agents, players) <= MOST_LINEUPS:
        return list(itertools.combinations(range(agents), players))
    chance = np.random.default_rng(seed)
    found: list[tuple[int, ...]] = []
    played, met = np.zeros(agents, np.int64), np.zeros((agents, agents), np.int64)
    for _ in range(max(MOST_LINEUPS, math.ceil(agents / players))):
        chosen: list[int] = []
        for _ in range(players):
            order = np.lexsort((chance.random(agents), met[chosen].sum(axis=0), played))
            chosen.append(next(int(agent) for agent in order if agent not in chosen))
        for agent in chosen:
            played[agent] += 1
            met[agent, chosen] += 1
        found.append(tuple(sorted(chosen)))
    return found
