"""The plan of a tournament and its schedule: every lineup plays the same deals in all seat rotations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from olb_env.core.game import Game, find
from olb_env.core.rng import following_seed
from olb_env.playing.hosted_bots import MEMORY_LIMIT

MAX_LINEUPS = 60


@dataclass(frozen=True)
class Plan:
    """A tournament: everything that its result depends on, except for the agents themselves."""

    game: str
    agents: tuple[str, ...]  # the same name may occur more than once
    players: int
    deals: int
    seed: int
    options: dict[str, Any] = field(default_factory=dict)  # of the game
    move_limit: float | None = None  # seconds per decision
    memory_limit: int = MEMORY_LIMIT  # megabytes for each bot of a user
    until: float | None = None  # stop when every win rate has this half width or less; 0.02 is two percentage points

    def __post_init__(self) -> None:
        if len(self.agents) < self.players:
            raise ValueError(
                f"{len(self.agents)} agents for a table of {self.players}: name at least {self.players}; "
                "a name may be repeated"
            )

    def find_game(self) -> Game:
        """Return the game that is played."""
        return find(self.game)

    def setup(self) -> Any:
        """Return the setup of every game."""
        return self.find_game().rules.configure(**{**self.options, "num_players": self.players})

    def deal_seed(self, deal: int) -> int:
        """Return the seed of a deal."""
        return int(following_seed(self.seed, deal))

    def lineups(self) -> list[tuple[int, ...]]:
        """Return the groups of agents that play each other, as indices into `agents`."""
        return make_lineups(len(self.agents), self.players, self.seed)

    def settings(self) -> dict[str, Any]:
        """Return the plan as JSON."""
        return {**asdict(self), "agents": list(self.agents)}


@dataclass(frozen=True)
class Unit:
    """One lineup on one deal, in all rotations: the smallest piece of work."""

    deal: int
    lineup: int


def units(plan: Plan) -> Iterator[Unit]:
    """Return all units of a tournament, deal after deal."""
    count = len(plan.lineups())
    return (Unit(deal, lineup) for deal in range(plan.deals) for lineup in range(count))


def rotations(lineup: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the agent of each seat for every rotation of a lineup."""
    return [tuple(lineup[(seat + turn) % len(lineup)] for seat in range(len(lineup))) for turn in range(len(lineup))]


def make_lineups(agents: int, players: int, seed: int) -> list[tuple[int, ...]]:
    """Return all groups of agents if they are few, else a random choice in which all agents play equally often.

    The choice prefers agents that have played less and, among them, those that have met the group less, so that the
    groups differ. The numbers of games differ by one lineup at most.
    """
    if math.comb(agents, players) <= MAX_LINEUPS:
        return list(itertools.combinations(range(agents), players))
    rng = np.random.default_rng(seed)
    lineups: list[tuple[int, ...]] = []
    played, met = np.zeros(agents, np.int64), np.zeros((agents, agents), np.int64)
    for _ in range(max(MAX_LINEUPS, math.ceil(agents / players))):
        group: list[int] = []
        for _ in range(players):
            order = np.lexsort((rng.random(agents), met[group].sum(axis=0), played))
            group.append(next(int(agent) for agent in order if agent not in group))
        for agent in group:
            played[agent] += 1
            met[agent, group] += 1
        lineups.append(tuple(sorted(group)))
    return lineups
