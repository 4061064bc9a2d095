"""Playing units of a tournament, many games at once; an agent that fails forfeits its game, and the rest goes on."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.rng import advance, private_key
from olb_env.playing import Agent, AgentError, RandomAgent, Views, decide, make_agent
from training.arena.schedule import Plan, Unit, rotations


@dataclass
class Game:
    """What came of one game: by seat, who sat there and how it went."""

    seats: list[int]  # places in the plan's agents
    ranks: list[int]
    scores: list[float]
    faults: dict[int, str] = field(default_factory=dict)  # seat: why it forfeited
    seconds: list[float] = field(default_factory=list)
    decisions: list[int] = field(default_factory=list)


@dataclass
class Played:
    """What came of a unit."""

    deal: int
    lineup: int
    games: list[Game]


@functools.cache
def _agent(name: str) -> Agent:
    return make_agent(name)


def play_units(plan: Plan, todo: list[Unit]) -> list[Played]:
    """Play some units; what comes of one does not depend on which others are played with it."""
    lineups = plan.lineups()
    seating = [(unit, seats) for unit in todo for seats in rotations(lineups[unit.lineup])]
    table = _Tables(plan, seating)
    table.play()
    games = iter(table.results())
    return [Played(unit.deal, unit.lineup, [next(games) for _ in range(plan.players)]) for unit in todo]


class _Tables:
    """Games side by side until all are over."""

    def __init__(self, plan: Plan, seating: list[tuple[Unit, tuple[int, ...]]]) -> None:
        self._plan = plan
        self._game = plan.rules()
        self._seats = np.array([seats for _, seats in seating], np.int64)
        seeds = [plan.deal_seed(unit.deal) for unit, _ in seating]
        self._states = self._game.new_states(len(seating))
        batch.deal_rows(self._states, plan.setup(), np.array(seeds))
        # Every game has its own chance for its agents, whoever sits where.
        self._chances = [
            private_key(private_key(seed) ^ (unit.lineup << 8) ^ turn % plan.players)
            for turn, (seed, (unit, _)) in enumerate(zip(seeds, seating, strict=True))
        ]
        self._faults: list[dict[int, str]] = [{} for _ in seating]
        self._seconds = np.zeros(self._seats.shape)
        self._decisions = np.zeros(self._seats.shape, np.int64)

    def play(self) -> None:
        count = len(self._states)
        actors, done = np.empty(count, np.int64), np.empty(count, np.bool_)
        actions = np.zeros(count, np.int64)
        while True:
            batch.actor_rows(self._states, actors)
            on = np.flatnonzero(actors >= 0)
            if not len(on):
                return
            asked = self._seats[on, actors[on]]
            for row in on:
                self._chances[row] = advance(self._chances[row])
            for place in np.unique(asked):
                rows = on[asked == place]
                actions[rows] = self._ask(self._plan.agents[place], rows, actors[rows])
            batch.apply_rows(self._states, actions, done)

    def _ask(self, name: str, rows: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What an agent does in some games; where it forfeited, chance plays on in its place."""
        faulty = np.array([int(seat) in self._faults[row] for row, seat in zip(rows, seats, strict=True)])
        found = np.empty(len(rows), np.int64)
        if faulty.any():
            found[faulty] = decide(RandomAgent(), "random", self._views(rows[faulty]))
        sound = np.flatnonzero(~faulty)
        if len(sound):
            found[sound] = self._ask_sound(name, rows[sound], seats[sound])
        return found

    def _ask_sound(self, name: str, rows: Any, seats: Any) -> Any:
        if self._plan.move_limit is None:
            began = time.perf_counter()
            try:
                found = decide(_agent(name), name, self._views(rows))
            except AgentError:
                pass  # in which game is found out one by one
            else:
                self._count(rows, seats, (time.perf_counter() - began) / len(rows))
                return found
        return np.array([self._ask_one(name, row, seat) for row, seat in zip(rows, seats, strict=True)])

    def _ask_one(self, name: str, row: int, seat: int) -> int:
        views = self._views(np.array([row]))
        began = time.perf_counter()
        fault, action = None, -1
        try:
            action = int(decide(_agent(name), name, views)[0])
        except AgentError as error:
            fault = str(error)
        taken = time.perf_counter() - began
        if fault is None and self._plan.move_limit is not None and taken > self._plan.move_limit:
            fault = f"agent {name!r} took longer than {self._plan.move_limit:g} s for a decision"
        if fault is not None:
            self._faults[row][int(seat)] = fault
            return int(decide(RandomAgent(), "random", views)[0])
        self._count(np.array([row]), np.array([seat]), taken)
        return action

    def _count(self, rows: Any, seats: Any, seconds: float) -> None:
        self._seconds[rows, seats] += seconds
        self._decisions[rows, seats] += 1

    def _views(self, rows: Any) -> Views:
        return Views(self._game, self._states[rows], [self._chances[row] for row in rows])

    def results(self) -> list[Game]:
        """What came of each game; whoever forfeited comes last, in the order the rest leaves them."""
        players = self._plan.players
        ranks, scores = np.zeros((len(self._states), players), np.int64), np.zeros((len(self._states), players))
        batch.return_rows(self._states, ranks, scores)
        found = []
        for row, faults in enumerate(self._faults):
            if faults:
                worst = np.array([seat in faults for seat in range(players)])
                order = np.lexsort((ranks[row], worst))
                ranks[row, order] = np.arange(1, players + 1)
            found.append(
                Game(
                    seats=self._seats[row].tolist(),
                    ranks=ranks[row].tolist(),
                    scores=scores[row].tolist(),
                    faults=faults,
                    seconds=self._seconds[row].tolist(),
                    decisions=self._decisions[row].tolist(),
                )
            )
        return found
