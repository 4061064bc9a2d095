"""Masked PPO by self-play, all seats learning: collect games, look back on them, learn from them, again.

Everything that changes is in `save` and `save_tables`: a learner that is saved and restored goes on exactly as if it
had never stopped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from olb_agents.network import Network
from olb_agents.policy import Champion, network_at
from olb_env.core.game import find
from olb_training.ppo.collector import Collector, RolloutBuffer
from olb_training.ppo.exchange import Exchange
from olb_training.ppo.mixed_tables import MixedTables, TableSpec
from olb_training.ppo.model import ActorCritic, masked
from olb_training.ppo.opponent_pool import OpponentPool
from olb_training.ppo.settings import Settings


@dataclass
class Report:
    """What an iteration was like."""

    iteration: int
    decisions: int
    games: int
    policy_loss: float
    value_loss: float
    entropy: float
    divergence: float
    clipped: float
    explained: float  # of the variance of results, by what was expected
    utility: dict[str, float] = field(default_factory=dict)  # against members of the league


class Learner:
    """The network that learns, who plays for it, and whom it plays with; alone, or as one of several (`Exchange`)."""

    def __init__(
        self,
        settings: Settings,
        exchange: Exchange | None = None,
        number: int = 0,
        hall: type[MixedTables] = MixedTables,
    ) -> None:
        self.settings = settings
        torch.set_num_threads(1)  # several processes are faster
        torch.manual_seed(settings.seed)
        self._exchange, self._number = exchange or Exchange(), number
        self.game = find(settings.game)
        self.shape = settings.shape()
        self.model = ActorCritic(self.shape)
        self._optimiser = torch.optim.Adam(self.model.parameters(), lr=settings.rate, eps=1e-5, fused=True)
        self.league = OpponentPool(len(settings.agents), settings.past, self.shape)
        self.league.add(self.network())
        self._chance = np.random.default_rng([settings.seed, number])
        kinds = split(settings.kinds(), number, self._exchange.members)
        self._collector = Collector(settings, kinds, number, self.league, self._chance, hall)
        self._memory = RolloutBuffer.of_size(
            settings.steps, self._collector.hall.size, self.shape, taught=settings.taught > 0
        )
        self.iteration, self.decisions = 0, 0

    @property
    def being_taught(self) -> bool:
        """Whether it does as its teacher would, and does not find out for itself yet."""
        return self.decisions < self.settings.taught

    @property
    def only_expecting(self) -> bool:
        """Whether it goes on nearly as it does: what it knows of results yet would only mislead it.

        Its layers learn, which changes little as long as nothing was learned; a network to begin with would suffer.
        """
        settings = self.settings
        return not settings.start and settings.taught <= self.decisions < settings.taught + settings.expecting

    @property
    def done(self) -> float:
        """How much of the training is over, from 0 to 1."""
        return min(1.0, self.decisions / self.settings.decisions)

    def network(self) -> Network:
        """What was learned so far."""
        return self.model.to_network()

    def begin_with(self, network: Network) -> None:
        """Be what another network is, and have it as the first past self."""
        self.model.take(network)
        self.league.taken = 0
        self.league.add(network)

    def iterate(self) -> Report:
        """Play, look back, learn."""
        games = self._collect()
        report = self._learn()
        self.iteration += 1
        self.decisions += self.settings.steps * sum(self.settings.tables)
        if self.iteration % self.settings.snapshot_every == 0:
            self.league.add(self.network())
        report.iteration, report.decisions, report.games = self.iteration, self.decisions, games
        report.utility = {name: float(self.league.results[1 + at]) for at, name in enumerate(self.settings.agents)}
        return report

    def _collect(self) -> int:
        """Play `steps` decisions at every table; answers how many games ended."""
        notes = self._collector.collect(self.model, self._memory, taught=self.being_taught)
        counts, sums = np.zeros((2, len(self.league.results)), np.float32)
        for member, utility in notes:
            counts[member] += 1
            sums[member] += utility
        counts, sums = self._exchange.add_up(torch.from_numpy(np.concatenate([counts, sums]))).numpy().reshape(2, -1)
        self.league.note(counts, sums)
        return int(counts.sum())

    def _learn(self) -> Report:
        """Some passes over what was collected, in minibatches of which every process has its share."""
        settings, memory = self.settings, self._memory
        left = 1 - self.done
        for group in self._optimiser.param_groups:
            group["lr"] = settings.rate_at(left)
        own = np.flatnonzero(memory.learns.numpy())
        total, advantage, squared = self._exchange.add_up(_moments(memory.advantages, own)).tolist()
        mean = advantage / max(total, 1)
        lesson = PPOLoss(
            self.model,
            memory,
            there=torch.from_numpy(np.arange(self.shape.num_seats) < self._collector.hall.players[:, None]).float(),
            mean=mean,
            spread=max(squared / max(total, 1) - mean**2, 0) ** 0.5 + 1e-8,
            clip=settings.clip,
            value_weight=settings.value_weight,
            others_weight=settings.others_weight,
            entropy_weight=settings.entropy_at(left),
            taught=self.being_taught,
            only_expecting=self.only_expecting,
        )
        batches = max(1, round(total / settings.minibatch))
        figures: list[npt.NDArray[np.float64]] = []
        for _ in range(settings.epochs):
            order = torch.from_numpy(own[self._chance.permutation(len(own))])
            figures += [self._step(lesson, rows) for rows in order.tensor_split(batches)]
            if np.mean([told[DIVERGENCE] for told in figures[-batches:]]) > settings.divergence:
                break
        found, expected = (part[:, :, 0] for part in (memory.targets, memory.values))
        variance, error = (self._variance(part, own) for part in (found, found - expected))
        return Report(0, 0, 0, *np.mean(figures, axis=0).tolist(), explained=1 - error / (variance + 1e-8))

    def _step(self, lesson: PPOLoss, rows: Tensor) -> npt.NDArray[np.float64]:
        """Learn from some decisions, and from those of the other processes; answers the figures of all."""
        slopes, figures = lesson.gradient(rows)
        mine = torch.cat([*(slope.flatten() for slope in slopes), figures, torch.ones(1)]) * len(rows)
        summed = self._exchange.add_up(mine)
        *parts, figures, count = summed.split([*(slope.numel() for slope in slopes), len(figures), 1])
        for parameter, part in zip(self.model.parameters(), parts, strict=True):
            parameter.grad = (part / count.clamp(min=1)).view_as(parameter)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.gradient)
        self._optimiser.step()
        return (figures / count.clamp(min=1)).double().numpy()

    def _variance(self, numbers: Tensor, rows: npt.NDArray[np.int64]) -> float:
        """Over the decisions of all processes."""
        count, total, squared = self._exchange.add_up(_moments(numbers, rows)).tolist()
        return float(squared / max(count, 1) - (total / max(count, 1)) ** 2)

    # Going on later.

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """What changes while it learns, and is the same for all processes."""
        kept = {"iteration": np.array([self.iteration]), "decisions": np.array([self.decisions])}
        for name, weight in self.model.state_dict().items():
            kept[f"model.{name}"] = weight.numpy().copy()
        for at, parts in self._optimiser.state_dict()["state"].items():
            kept |= {f"optimiser.{at}.{name}": part.numpy().copy() for name, part in parts.items()}
        return kept | {f"league.{name}": part for name, part in self.league.save().items()}

    def save_tables(self) -> dict[str, npt.NDArray[Any]]:
        """What changes, and is this process's own."""
        return {f"tables.{self._number}.{name}": part for name, part in self._collector.save().items()}

    def restore(self, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on where another learner of the same settings was saved."""
        self.iteration, self.decisions = int(saved["iteration"][0]), int(saved["decisions"][0])
        self.model.load_state_dict({name: torch.from_numpy(part.copy()) for name, part in _under("model.", saved)})
        state: dict[int, dict[str, Tensor]] = {}
        for name, part in _under("optimiser.", saved):
            at, _, kind = name.partition(".")
            state.setdefault(int(at), {})[kind] = torch.from_numpy(part.copy())
        self._optimiser.load_state_dict({**self._optimiser.state_dict(), "state": state})
        self.league.restore(dict(_under("league.", saved)))
        self._collector.restore(dict(_under(f"tables.{self._number}.", saved)))


FIGURES, DIVERGENCE = 5, 3  # how many figures a lesson tells, and which is the divergence


@dataclass(frozen=True)
class PPOLoss:
    """What is to be learned from a memory: PPO's loss, with the results of all seats to be expected besides."""

    model: ActorCritic
    memory: RolloutBuffer
    there: Tensor  # [B, P] which seats there are at each table
    mean: float  # of the advantages
    spread: float
    clip: float
    value_weight: float
    others_weight: float
    entropy_weight: float
    taught: bool  # then what was advised becomes likelier, however it turned out
    only_expecting: bool  # then nothing becomes likelier

    def gradient(self, rows: Tensor) -> tuple[Sequence[Tensor], Tensor]:
        """Which way the loss over some decisions falls, and how it is; rows count through steps and tables."""
        memory, parameters = self.memory, list(self.model.parameters())
        if not len(rows):
            return [torch.zeros_like(parameter) for parameter in parameters], torch.zeros(FIGURES)
        preferences, values = self.model(memory.observations.flatten(0, 1)[rows])
        logits = torch.log_softmax(masked(preferences, memory.masks.flatten(0, 1)[rows]), dim=1)
        likelihoods = logits.gather(1, memory.actions.flatten()[rows][:, None])[:, 0]
        entropy = -(logits.exp() * logits.clamp(min=-1e4)).sum(1).mean()
        if self.taught:
            advised = memory.advice.flatten(0, 1)[rows] * logits.clamp(min=-1e4)
            policy_loss, diverged, clipped = -advised.sum(1).mean(), torch.zeros(()), torch.zeros(())
        else:
            change = likelihoods - memory.likelihoods.flatten()[rows]
            ratio = change.exp()
            gain = (memory.advantages.flatten()[rows] - self.mean) / self.spread
            bounded = ratio.clamp(1 - self.clip, 1 + self.clip)
            policy_loss = -torch.min(ratio * gain, bounded * gain).mean() - self.entropy_weight * entropy
            policy_loss = policy_loss * (not self.only_expecting)
            with torch.no_grad():
                diverged = ((ratio - 1) - change).mean()
                clipped = ((ratio - 1).abs() > self.clip).float().mean()
        misses = (values - memory.targets.flatten(0, 1)[rows]).square() * self.there[rows % len(self.there)]
        value_loss = (misses[:, 0] + self.others_weight * misses[:, 1:].sum(1)).mean()
        slopes = torch.autograd.grad(policy_loss + self.value_weight * value_loss, parameters)
        figures = torch.stack([policy_loss, value_loss, entropy, diverged, clipped]).detach()
        return slopes, figures


def split(kinds: Sequence[TableSpec], part: int, parts: int) -> list[TableSpec]:
    """A fair share of all tables."""
    found = []
    for kind in kinds:
        first, last = kind.count * part // parts, kind.count * (part + 1) // parts
        found += [replace(kind, count=last - first)] if last > first else []
    return found


def network_for(name: str, game: str) -> Network:
    """The network to begin with, if it is for this game."""
    network = Champion(None).network(game) if name == "champion" else network_at(name)
    if network.shape.game != game:
        raise ValueError(f"{name} plays {network.shape.game}, not {game}")
    return network


def room_needed(settings: Settings) -> int:
    """How many numbers are exchanged at once, at most."""
    gradient = sum(math.prod(size) for size in settings.shape().tensors().values()) + FIGURES + 1
    return max(gradient, 2 * (1 + len(settings.agents) + settings.past))


def _moments(numbers: Tensor, rows: npt.NDArray[np.int64]) -> Tensor:
    """Of some numbers: how many, their sum, and the sum of their squares."""
    some = numbers.flatten()[torch.from_numpy(rows)]
    return torch.stack([torch.tensor(float(len(rows))), some.sum(), some.square().sum()])


def _under(prefix: str, saved: Mapping[str, npt.NDArray[Any]]) -> list[tuple[str, npt.NDArray[Any]]]:
    return [(name.removeprefix(prefix), part) for name, part in saved.items() if name.startswith(prefix)]
