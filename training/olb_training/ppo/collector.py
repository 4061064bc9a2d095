"""Rollouts: play at the tables of one process, with the learner and its opponents in the seats.

T steps, B tables, P seats of the largest table, D inputs, A actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from olb_agents.policy_agent import Champion
from olb_env.core.game import Game
from olb_env.playing import Agent, SoftTeacher, agent_for, decide
from olb_training.ppo.checkpoint import CheckpointError
from olb_training.ppo.gae import compute_gae
from olb_training.ppo.mixed_tables import MixedTables, TableSpec
from olb_training.ppo.model import ActorCritic, mask_logits, sample_actions
from olb_training.ppo.opponent_pool import OpponentPool
from olb_training.ppo.restoring import check_arrays, forms_of, restore_rng, rng_array
from olb_training.ppo.rollout_buffer import RolloutBuffer
from olb_training.ppo.settings import Settings

LEARNER = 0  # in a seating; other numbers are those of the opponent pool
LEARNER_ACTION_FRACTION = 0.2  # how often the learner's own action is played while it imitates
CONFIDENT = 0.98  # a soft teacher is not asked where the learner's action is at least as likely as this


class FinishedGame(NamedTuple):
    """The result of a game, for the opponent pool."""

    opponent: int  # LEARNER if there was none
    utility: float  # of the learner, the mean over its seats


class RolloutCollector:
    """The tables of one process, and who holds each seat."""

    def __init__(
        self,
        settings: Settings,
        specs: Sequence[TableSpec],
        rank: int,
        opponent_pool: OpponentPool,
        rng: np.random.Generator,
        tables: type[MixedTables],
    ) -> None:
        self.settings = settings
        self.tables = tables(settings.network_shape(), specs, settings.margin_coef)
        self._opponent_pool = opponent_pool
        self._rng = rng
        self._agents = [agent_for(name, self.tables.game) for name in settings.opponents]
        self._teacher = make_teacher(settings.teacher, self.tables.game) if settings.teacher else None
        self._seating = np.zeros((self.tables.size, self.tables.num_seats), np.int64)  # LEARNER or an opponent
        self.tables.reset(np.random.SeedSequence([settings.seed, rank]))
        self._assign_seats(np.arange(self.tables.size))

    def collect(self, model: ActorCritic, buffer: RolloutBuffer, *, imitate: bool) -> list[FinishedGame]:
        """Fill the buffer with one rollout, advantages and value targets included; return the games that ended."""
        tables, every, finished = self.tables, np.arange(self.tables.size), []
        for step in range(self.settings.num_steps):
            holders = self._seating[every, tables.seats]
            is_learner = holders == LEARNER
            buffer.inputs[step] = torch.from_numpy(tables.inputs)
            buffer.masks[step] = torch.from_numpy(tables.masks)
            buffer.seats[step] = torch.from_numpy(tables.seats)
            buffer.is_learner[step] = torch.from_numpy(is_learner)
            actions, rows = np.zeros(tables.size, np.int64), np.flatnonzero(is_learner)
            actions[rows] = self._act(model, buffer, step, rows)
            if imitate:
                self._imitate(buffer, step, rows, actions)
            for opponent in np.unique(holders[~is_learner]):
                rows = np.flatnonzero(holders == opponent)
                actions[rows] = self._opponent_actions(int(opponent), rows)
            last = step == self.settings.num_steps - 1  # then every seat is valued, whoever holds it
            tables.step(actions, None if last else self._seats_of_agents())
            buffer.dones[step] = torch.from_numpy(tables.dones)
            buffer.utilities[step] = torch.from_numpy(tables.utilities)
            ended = np.flatnonzero(tables.dones)
            finished += [self._result(row) for row in ended]
            self._assign_seats(ended)
        self._compute_advantages(model, buffer)
        return finished

    def _assign_seats(self, rows: npt.NDArray[np.int64]) -> None:
        """Draw who holds the seats of the next games at some tables: the learner alone, or with one opponent."""
        settings, rng = self.settings, self._rng
        agents = np.arange(1, 1 + len(settings.opponents))
        with_past_selves = settings.self_play_fraction + settings.past_self_fraction
        for row in rows:
            players = int(self.tables.num_players[row])
            self._seating[row] = LEARNER
            drawn = rng.random()
            if drawn < settings.self_play_fraction or (drawn >= with_past_selves and not len(agents)):
                continue
            candidates = self._opponent_pool.past_selves if drawn < with_past_selves else agents
            count = players - 1 if settings.best_response_to else rng.integers(1, players)
            seats = rng.permutation(players)[:count]
            self._seating[row, seats] = self._opponent_pool.draw(candidates, rng)

    def _seats_of_agents(self) -> npt.NDArray[np.bool_]:
        """Return which seats [B, P] named agents hold: they compute their own features."""
        return (self._seating > LEARNER) & (self._seating <= len(self._agents))

    def _act(
        self, model: ActorCritic, buffer: RolloutBuffer, step: int, rows: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Sample the learner's actions at some tables, and store them with their log probabilities and values."""
        with torch.no_grad():
            logits, values = model(buffer.inputs[step, rows])
            masks = buffer.masks[step, rows]
            log_probs = torch.log_softmax(mask_logits(logits, masks), dim=1)
        actions = sample_actions(log_probs.numpy(), masks.numpy(), self._rng)
        chosen = torch.from_numpy(actions)
        buffer.actions[step, rows] = chosen
        buffer.log_probs[step, rows] = log_probs.gather(1, chosen[:, None])[:, 0]
        buffer.values[step, rows] = values
        return actions

    def _imitate(
        self, buffer: RolloutBuffer, step: int, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]
    ) -> None:
        """Store the target of imitation and play the teacher's action, or now and then the learner's own (as DAgger).

        A soft teacher is slow, so it is asked only where the learner is not sure. Elsewhere the learner plays its own
        action, which is also the target.
        """
        assert self._teacher is not None  # noqa: S101  # the settings make sure
        buffer.teacher_probs[step] = nn.functional.one_hot(buffer.actions[step], buffer.teacher_probs.shape[2])
        if isinstance(self._teacher, SoftTeacher):
            rows = rows[buffer.log_probs[step, rows].numpy() < np.log(CONFIDENT)]
            teacher_probs = self._soft_probs(rows)
        else:
            teacher_probs = self._one_hot_probs(rows)
        buffer.teacher_probs[step, rows] = torch.from_numpy(teacher_probs)
        follows = self._rng.random(len(rows)) >= LEARNER_ACTION_FRACTION
        actions[rows[follows]] = teacher_probs.argmax(axis=1)[follows]

    def _one_hot_probs(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return the actions of the teacher, as probabilities [N, A]."""
        probs = np.zeros((len(rows), len(self.tables.game.actions)), np.float32)
        probs[np.arange(len(rows)), self._agent_actions(self._teacher, self.settings.teacher, rows)] = 1
        return probs

    def _soft_probs(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return the probability that a soft teacher gives each action [N, A]."""
        seeds = self._rng.integers(2**63, size=len(rows), dtype=np.uint64)
        probs = np.zeros((len(rows), len(self.tables.game.actions)), np.float32)
        for inside, views in self.tables.views(rows, seeds):
            for number, row in enumerate(inside):
                probs[row] = self._teacher.action_probabilities(views[number])  # type: ignore[union-attr]
        return probs

    def _opponent_actions(self, opponent: int, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the actions of an opponent at some tables."""
        if opponent <= len(self._agents):
            return self._agent_actions(self._agents[opponent - 1], self.settings.opponents[opponent - 1], rows)
        with torch.no_grad():
            logits, _ = self._opponent_pool.past_self(opponent)(torch.from_numpy(self.tables.inputs[rows]))
        return sample_actions(logits.numpy(), self.tables.masks[rows], self._rng)

    def _agent_actions(self, agent: Any, name: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        seeds = self._rng.integers(2**63, size=len(rows), dtype=np.uint64)
        actions = np.empty(len(rows), np.int64)
        for inside, views in self.tables.views(rows, seeds):
            actions[inside] = decide(agent, name, views)
        return actions

    def _result(self, row: np.int64) -> FinishedGame:
        """Return the result of the game that ended at a table."""
        seating = self._seating[row, : self.tables.num_players[row]]
        own = self.tables.utilities[row, : len(seating)][seating == LEARNER]
        return FinishedGame(int(seating.max()), float(own.mean()))

    def _compute_advantages(self, model: ActorCritic, buffer: RolloutBuffer) -> None:
        tables = self.tables
        with torch.no_grad():
            values = model(torch.from_numpy(tables.inputs))[1].numpy()  # the seat to act first
        last_values = np.zeros_like(values)  # by seat
        for offset in range(tables.num_seats):
            rows = np.flatnonzero(offset < tables.num_players)
            last_values[rows, (tables.seats[rows] + offset) % tables.num_players[rows]] = values[rows, offset]
        compute_gae(
            buffer.seats.numpy(), buffer.is_learner.numpy(), buffer.dones.numpy(), buffer.utilities.numpy(),
            buffer.values.numpy(), last_values, tables.num_players, self.settings.gae_lambda,
            buffer.advantages.numpy(), buffer.value_targets.numpy(),
        )  # fmt: skip

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Return all games, who holds their seats, and the state of the random numbers, as arrays."""
        own: dict[str, npt.NDArray[Any]] = {"seating": self._seating.copy(), "rng_state": rng_array(self._rng)}
        return own | self.tables.save()

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]], iteration: int) -> None:
        """Restore what `save` returned after an iteration; a CheckpointError says why it cannot be that.

        The opponent pool must have been restored before.
        """
        expected = forms_of(self.save())
        if "rng_state" in arrays:  # its length differs; it has a check of its own
            expected["rng_state"] = arrays["rng_state"].dtype, arrays["rng_state"].shape
        check_arrays(arrays, expected)
        self._check_seating(arrays["seating"])
        restore_rng(self._rng, arrays["rng_state"])
        self._seating[:] = arrays["seating"]
        self.tables.restore(arrays, decisions=iteration * self.settings.num_steps)

    def _check_seating(self, seating: npt.NDArray[np.int64]) -> None:
        """Raise CheckpointError unless every table has the learner, and at most one opponent that there is."""
        beyond = np.arange(self.tables.num_seats) >= self.tables.num_players[:, None]
        opponents = seating.max(axis=1)
        known = [LEARNER, *range(1, 1 + len(self._agents)), *self._opponent_pool.past_selves]
        is_learner = seating == LEARNER
        alike = is_learner | (seating == opponents[:, None])
        good = np.isin(opponents, known) & alike.all(axis=1) & (is_learner & ~beyond).any(axis=1)
        good &= (is_learner | ~beyond).all(axis=1)
        if not good.all():
            row = int(good.argmin())
            raise CheckpointError(f"seating of table {row} is {seating[row].tolist()}: no table is seated like that")


def make_teacher(name: str, game: Game) -> Agent:
    """Return the agent to imitate; for `champion`, the agent behind it for this game, which may search."""
    agent = agent_for(name, game)
    return agent.agent_for(game.name) if isinstance(agent, Champion) else agent
