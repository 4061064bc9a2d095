"""Playing: some tables, who sits at them, and what is remembered of their decisions to learn from.

T steps, B tables, P seats of the largest of them, D numbers of an observation, A actions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from olb_agents.network import Shape
from olb_agents.policy import Champion
from olb_env.core.game import Game
from olb_env.playing import Agent, agent_for, decide
from olb_training.ppo.gae import compute_gae
from olb_training.ppo.mixed_tables import LEARNER, MixedTables, TableSpec
from olb_training.ppo.model import ActorCritic, masked
from olb_training.ppo.opponent_pool import OpponentPool, sample
from olb_training.ppo.settings import Settings

DISOBEDIENCE = 0.2  # how often the learner follows its own mind while it is taught
SURE = 0.98  # how likely the learner must do what it does so that a teacher who would have to search is not asked

Note = tuple[int, float]  # a member of the league, and what a game with it brought the learner


@dataclass
class RolloutBuffer:
    """What happened at all tables since the last look back."""

    observations: Tensor  # [T, B, D]
    masks: Tensor  # [T, B, A]
    advice: Tensor  # [T, B, A] how likely the teacher would choose each action; empty without a teacher
    actions: Tensor  # [T, B] to be made likelier or less likely
    likelihoods: Tensor  # [T, B] their logarithms, when they were chosen
    advantages: Tensor  # [T, B]
    targets: Tensor  # [T, B, P] what should have been expected, the seat that decides first
    values: Tensor  # [T, B, P] what was expected
    utilities: Tensor  # [T, B, P] of the games that ended with the step, by seat
    seats: Tensor  # [T, B] who decided
    learns: Tensor  # [T, B] whether that was the learner
    over: Tensor  # [T, B] whether the game ended with the step

    @classmethod
    def of_size(cls, steps: int, tables: int, shape: Shape, *, taught: bool = False) -> RolloutBuffer:
        """An empty one."""
        size = (steps, tables)
        return cls(
            observations=torch.zeros(*size, shape.inputs),
            masks=torch.zeros(*size, shape.num_actions, dtype=torch.int8),
            advice=torch.zeros(*size, shape.num_actions if taught else 0),
            actions=torch.zeros(*size, dtype=torch.int64),
            likelihoods=torch.zeros(size),
            advantages=torch.zeros(size),
            targets=torch.zeros(*size, shape.num_seats),
            values=torch.zeros(*size, shape.num_seats),
            utilities=torch.zeros(*size, shape.num_seats),
            seats=torch.zeros(*size, dtype=torch.int64),
            learns=torch.zeros(*size, dtype=torch.bool),
            over=torch.zeros(*size, dtype=torch.bool),
        )


class Collector:
    """Some of the tables: plays at them, and looks back on what was played."""

    def __init__(
        self,
        settings: Settings,
        kinds: Sequence[TableSpec],
        number: int,
        league: OpponentPool,
        chance: np.random.Generator,
        hall: type[MixedTables],
    ) -> None:
        self.settings = settings
        self.hall = hall(settings.shape(), kinds, settings.margin)
        self._league = league
        self._chance = chance
        self._agents = [agent_for(name, self.hall.game) for name in settings.agents]
        self._teacher = teacher_of(settings.teacher, self.hall.game) if settings.teacher else None
        self._seating = np.zeros((self.hall.size, self.hall.seats), np.int64)  # who sits where
        self.hall.reset(np.random.SeedSequence([settings.seed, number]))
        self._seat(np.arange(self.hall.size))

    def collect(self, model: ActorCritic, memory: RolloutBuffer, *, taught: bool) -> list[Note]:
        """Play `steps` decisions at every table; answers what the games that ended brought."""
        hall, every, notes = self.hall, np.arange(self.hall.size), []
        for step in range(self.settings.steps):
            who = self._seating[every, hall.seat]
            learns = who == LEARNER
            memory.observations[step] = torch.from_numpy(hall.observation)
            memory.masks[step] = torch.from_numpy(hall.mask)
            memory.seats[step], memory.learns[step] = torch.from_numpy(hall.seat), torch.from_numpy(learns)
            actions, own = np.zeros(hall.size, np.int64), np.flatnonzero(learns)
            self._decide(model, memory, step, own, actions)
            if taught:
                self._ask_teacher(memory, step, own, actions)
            for member in np.unique(who[~learns]):
                rows = np.flatnonzero(who == member)
                actions[rows] = self._answer(int(member), rows)
            last = step == self.settings.steps - 1  # then it is asked what whoever comes next expects
            hall.step(actions, None if last else self._deaf())
            memory.over[step], memory.utilities[step] = torch.from_numpy(hall.over), torch.from_numpy(hall.utility)
            ended = np.flatnonzero(hall.over)
            notes += [self._note(row) for row in ended]
            self._seat(ended)
        self._look_back(model, memory)
        return notes

    def _seat(self, rows: npt.NDArray[np.int64]) -> None:
        """Who plays the next games at some tables: the learner alone, or with a member of the league."""
        settings, chance = self.settings, self._chance
        members = np.arange(1, 1 + len(settings.agents))
        for row in rows:
            players = int(self.hall.players[row])
            self._seating[row] = LEARNER
            kind = chance.random()
            if kind < settings.self_share or (kind >= settings.self_share + settings.past_share and not len(members)):
                continue
            of = self._league.past if kind < settings.self_share + settings.past_share else members
            count = players - 1 if settings.exploit else chance.integers(1, players)
            seats = chance.permutation(players)[:count]
            self._seating[row, seats] = self._league.draw(of, chance)

    def _deaf(self) -> npt.NDArray[np.bool_]:
        """Seats [B, P] of agents by name, who find out for themselves what follows from a position."""
        return (self._seating > LEARNER) & (self._seating <= len(self._agents))

    def _decide(
        self,
        model: ActorCritic,
        memory: RolloutBuffer,
        step: int,
        rows: npt.NDArray[np.int64],
        actions: npt.NDArray[np.int64],
    ) -> None:
        """The learner's own decisions, with what it expects of them."""
        with torch.no_grad():
            preferences, values = model(memory.observations[step, rows])
            masks = memory.masks[step, rows]
            logits = torch.log_softmax(masked(preferences, masks), dim=1)
        chosen = sample(logits.numpy(), masks.numpy(), self._chance)
        actions[rows] = chosen
        taken = torch.from_numpy(chosen)
        memory.actions[step, rows] = taken
        memory.likelihoods[step, rows] = logits.gather(1, taken[:, None])[:, 0]
        memory.values[step, rows] = values

    def _ask_teacher(
        self, memory: RolloutBuffer, step: int, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]
    ) -> None:
        """What the teacher would do is learned; mostly it is done too, but to see more, now and then it is not."""
        assert self._teacher is not None  # noqa: S101  # as the settings make sure
        memory.advice[step] = nn.functional.one_hot(memory.actions[step], memory.advice.shape[2])
        if hasattr(self._teacher, "action_probabilities"):
            rows = rows[memory.likelihoods[step, rows].numpy() < np.log(SURE)]
            advice = self._search(rows)
        else:
            advice = self._advice(rows)
        memory.advice[step, rows] = torch.from_numpy(advice)
        heeds = self._chance.random(len(rows)) >= DISOBEDIENCE
        actions[rows[heeds]] = advice.argmax(axis=1)[heeds]

    def _advice(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """What the teacher does, as a likelihood of 1."""
        advice = np.zeros((len(rows), len(self.hall.game.actions)), np.float32)
        advice[np.arange(len(rows)), self._ask(self._teacher, self.settings.teacher, rows)] = 1
        return advice

    def _search(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """How much of its search the teacher gives to each action: more is told by that than by the best alone."""
        seeds = self._chance.integers(2**63, size=len(rows), dtype=np.uint64)
        advice = np.zeros((len(rows), len(self.hall.game.actions)), np.float32)
        for inside, views in self.hall.views(rows, seeds):
            for number, row in enumerate(inside):
                advice[row] = self._teacher.action_probabilities(views[number])  # type: ignore[union-attr]
        return advice

    def _answer(self, member: int, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What a member of the league does at some tables."""
        if member <= len(self._agents):
            return self._ask(self._agents[member - 1], self.settings.agents[member - 1], rows)
        with torch.no_grad():
            preferences, _ = self._league.self_of(member)(torch.from_numpy(self.hall.observation[rows]))
        return sample(preferences.numpy(), self.hall.mask[rows], self._chance)

    def _ask(self, agent: Any, name: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        seeds = self._chance.integers(2**63, size=len(rows), dtype=np.uint64)
        actions = np.empty(len(rows), np.int64)
        for inside, views in self.hall.views(rows, seeds):
            actions[inside] = decide(agent, name, views)
        return actions

    def _note(self, row: int) -> Note:
        """Whom the game at a table that ended was played with (`LEARNER`: nobody else), and what it brought."""
        seating = self._seating[row, : self.hall.players[row]]
        own = self.hall.utility[row, : len(seating)][seating == LEARNER]
        return int(seating.max()), float(own.mean())

    def _look_back(self, model: ActorCritic, memory: RolloutBuffer) -> None:
        """Advantages and targets of the learner's decisions."""
        hall = self.hall
        with torch.no_grad():
            seen = model(torch.from_numpy(hall.observation))[1].numpy()  # by seat from the one that is asked
        after = np.zeros_like(seen)
        for on in range(hall.seats):
            rows = np.flatnonzero(on < hall.players)
            after[rows, (hall.seat[rows] + on) % hall.players[rows]] = seen[rows, on]
        compute_gae(
            memory.seats.numpy(), memory.learns.numpy(), memory.over.numpy(), memory.utilities.numpy(),
            memory.values.numpy(), after, hall.players, self.settings.trust, memory.advantages.numpy(),
            memory.targets.numpy(),
        )  # fmt: skip

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """All games as they stand, and what chance will bring."""
        chance = np.frombuffer(json.dumps(self._chance.bit_generator.state).encode(), np.uint8)
        return {"seating": self._seating.copy(), "chance": chance} | self.hall.save()

    def restore(self, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on with them."""
        self._seating[:] = saved["seating"]
        self._chance.bit_generator.state = json.loads(saved["chance"].tobytes())
        self.hall.restore(saved)


def teacher_of(name: str, game: Game) -> Agent:
    """Whom to learn from; of the champion, who plays this game for it."""
    found = agent_for(name, game)
    return found.player(game.name) if isinstance(found, Champion) else found
