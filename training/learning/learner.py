"""Masked PPO by self-play, all seats learning: collect games, look back on them, learn from them, again.

Everything that chance decides comes from two generators, and everything that changes is in `save`: a learner that is
saved and restored goes on exactly as if it had never stopped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents.network import Network, Shape
from agents.policy import CHAMPIONS, network_at
from olb_env.playing import decide, make_agent
from training.learning.advantages import look_back
from training.learning.league import League, sample
from training.learning.model import Model, masked
from training.learning.settings import Settings
from training.learning.tables import LEARNER, Hall

DISOBEDIENCE = 0.2  # how often the learner follows its own mind while it is taught


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
    """The network that learns, the tables it plays at, and whom it plays with."""

    def __init__(self, settings: Settings, hall: type[Hall] = Hall) -> None:
        self.settings = settings
        torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self._chance = np.random.default_rng(settings.seed)
        self.hall = hall(settings.game, settings.kinds(), settings.margin)
        self.shape = Shape.of_game(self.hall.game, settings.hidden)
        self.model = Model(self.shape)
        if settings.start:
            self.model.take(network_for(settings.start, self.shape))
        self._optimiser = torch.optim.Adam(self.model.parameters(), lr=settings.rate, eps=1e-5, fused=True)
        self.league = League(list(settings.agents), settings.past, self.shape, self._chance)
        self.iteration, self.decisions = 0, 0
        self._seating = np.zeros((self.hall.size, self.hall.seats), np.int64)  # who sits where
        self._make_room()
        self.hall.reset(settings.seed)
        self.league.add(self.network())
        self._seat(np.arange(self.hall.size))

    def _make_room(self) -> None:
        steps, size, seats = self.settings.steps, self.hall.size, self.hall.seats
        self._observations = torch.zeros(steps, size, self.shape.observation)
        self._masks = torch.zeros(steps, size, self.shape.actions, dtype=torch.int8)
        self._actions = torch.zeros(steps, size, dtype=torch.int64)
        self._likelihoods = torch.zeros(steps, size)
        self._values = np.zeros((steps, size, seats), np.float32)
        self._seats = np.zeros((steps, size), np.int64)
        self._learns = np.zeros((steps, size), np.bool_)
        self._over = np.zeros((steps, size), np.bool_)
        self._utilities = np.zeros((steps, size, seats), np.float32)
        self._teacher = make_agent(self.settings.teacher) if self.settings.teacher else None

    @property
    def being_taught(self) -> bool:
        """Whether it does as its teacher would, and does not find out for itself yet."""
        return self.decisions < self.settings.taught

    @property
    def done(self) -> float:
        """How much of the training is over, from 0 to 1."""
        return min(1.0, self.decisions / self.settings.decisions)

    def network(self) -> Network:
        """What was learned so far."""
        return self.model.to_network()

    def iterate(self) -> Report:
        """Play, look back, learn."""
        games = self._collect()
        advantages, targets = self._look_back()
        report = self._learn(advantages, targets)
        self.iteration += 1
        self.decisions += self._learns.size
        if self.iteration % self.settings.snapshot_every == 0:
            self.league.add(self.network())
        report.iteration, report.decisions, report.games = self.iteration, self.decisions, games
        report.utility = {name: float(self.league.results[1 + at]) for at, name in enumerate(self.league.names)}
        return report

    # Playing.

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
            of = self.league.past if kind < settings.self_share + settings.past_share else members
            member = self.league.draw(of, 1)[0]
            seats = chance.permutation(players)[: chance.integers(1, players)]
            self._seating[row, seats] = member

    def _collect(self) -> int:
        """Play `steps` decisions at every table; answers how many games ended."""
        hall, every, games = self.hall, np.arange(self.hall.size), 0
        for step in range(self.settings.steps):
            who = self._seating[every, hall.seat]
            learns = who == LEARNER
            self._observations[step] = torch.from_numpy(hall.observation)
            self._masks[step] = torch.from_numpy(hall.mask)
            self._seats[step], self._learns[step] = hall.seat, learns
            actions = np.zeros(hall.size, np.int64)
            self._decide(step, np.flatnonzero(learns), actions)
            if self.being_taught:
                self._ask_teacher(step, np.flatnonzero(learns), actions)
            for member in np.unique(who[~learns]):
                rows = np.flatnonzero(who == member)
                actions[rows] = self.league.answer(int(member), hall, rows)
            hall.step(actions)
            self._over[step], self._utilities[step] = hall.over, hall.utility
            ended = np.flatnonzero(hall.over)
            games += len(ended)
            self._note(ended)
            self._seat(ended)
        return games

    def _decide(self, step: int, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        """The learner's own decisions, with what it expects of them."""
        with torch.no_grad():
            preferences, values = self.model(self._observations[step, rows])
            masks = self._masks[step, rows]
            logits = torch.log_softmax(masked(preferences, masks), dim=1)
        chosen = sample(logits.numpy(), masks.numpy(), self._chance)
        actions[rows] = chosen
        taken = torch.from_numpy(chosen)
        self._actions[step, rows] = taken
        self._likelihoods[step, rows] = logits.gather(1, taken[:, None])[:, 0]
        self._values[step, rows] = values.numpy()

    def _ask_teacher(self, step: int, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        """What the teacher would do is learned; mostly it is done too, but to see more, now and then it is not."""
        assert self._teacher is not None  # noqa: S101  # as the settings make sure
        seeds = self._chance.integers(2**63, size=len(rows), dtype=np.uint64)
        advised = np.empty(len(rows), np.int64)
        for inside, views in self.hall.views(rows, seeds):
            advised[inside] = decide(self._teacher, self.settings.teacher, views)
        self._actions[step, rows] = torch.from_numpy(advised)
        heeds = self._chance.random(len(rows)) >= DISOBEDIENCE
        actions[rows[heeds]] = advised[heeds]

    def _note(self, ended: npt.NDArray[np.int64]) -> None:
        """What games with members of the league brought the learner."""
        for row in ended:
            seating = self._seating[row, : self.hall.players[row]]
            if seating.any():
                own = self.hall.utility[row, : len(seating)][seating == LEARNER]
                self.league.note(int(seating.max()), float(own.mean()))

    # Looking back.

    def _look_back(self) -> tuple[Tensor, Tensor]:
        """Advantages [T, B] and targets [T, B, P] of the learner's decisions."""
        hall = self.hall
        with torch.no_grad():
            seen = self.model(torch.from_numpy(hall.observation))[1].numpy()  # by seat from the one that is asked
        after = np.zeros_like(seen)
        for on in range(hall.seats):
            rows = np.flatnonzero(on < hall.players)
            after[rows, (hall.seat[rows] + on) % hall.players[rows]] = seen[rows, on]
        advantages = np.zeros(self._seats.shape, np.float32)
        targets = np.zeros(self._values.shape, np.float32)
        look_back(
            self._seats, self._learns, self._over, self._utilities, self._values, after, hall.players,
            self.settings.trust, advantages, targets,
        )  # fmt: skip
        return torch.from_numpy(advantages), torch.from_numpy(targets)

    # Learning.

    def _learn(self, advantages: Tensor, targets: Tensor) -> Report:
        """Some passes over what was collected, in minibatches."""
        settings = self.settings
        left = 1 - self.done
        for group in self._optimiser.param_groups:
            group["lr"] = settings.rate * (0.05 + 0.95 * left)
        taught = self.being_taught
        entropy_weight = 0.0 if taught else settings.entropy[1] + (settings.entropy[0] - settings.entropy[1]) * left
        which = torch.from_numpy(np.flatnonzero(self._learns))
        flat = {
            "observations": self._observations.flatten(0, 1), "masks": self._masks.flatten(0, 1),
            "actions": self._actions.flatten(), "likelihoods": self._likelihoods.flatten(),
            "advantages": advantages.flatten(), "targets": targets.flatten(0, 1),
        }  # fmt: skip
        own = flat["advantages"][which]
        mean, spread = own.mean(), own.std() + 1e-8
        there = torch.from_numpy(np.arange(self.hall.seats) < self.hall.players[:, None]).float()
        there = there.repeat(settings.steps, 1)  # which seats there are at the table of each decision
        weights = torch.full((self.hall.seats,), settings.others_weight)
        weights[0] = 1.0
        sums, count = np.zeros(5), 0
        for _ in range(settings.epochs):
            order = which[torch.from_numpy(self._chance.permutation(len(which)))]
            divergence = 0.0
            batches = order.split(settings.minibatch)
            for rows in batches:
                preferences, values = self.model(flat["observations"][rows])
                logits = torch.log_softmax(masked(preferences, flat["masks"][rows]), dim=1)
                chances = logits.exp()
                entropy = -(chances * logits.clamp(min=-1e4)).sum(1).mean()
                change = logits.gather(1, flat["actions"][rows][:, None])[:, 0] - flat["likelihoods"][rows]
                ratio = change.exp()
                gain = (flat["advantages"][rows] - mean) / spread
                bounded = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                policy_loss = -torch.min(ratio * gain, bounded * gain).mean()
                if taught:
                    ratio, change = torch.ones_like(ratio), torch.zeros_like(change)
                    policy_loss = -logits.gather(1, flat["actions"][rows][:, None]).mean()
                misses = (values - flat["targets"][rows]).square() * there[rows] * weights
                value_loss = misses.sum(1).mean()
                loss = policy_loss + settings.value_weight * value_loss - entropy_weight * entropy
                self._optimiser.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), settings.gradient)
                self._optimiser.step()
                with torch.no_grad():
                    diverged = float(((ratio - 1) - change).mean())
                    clipped = float(((ratio - 1).abs() > settings.clip).float().mean())
                divergence += diverged / len(batches)
                sums += (policy_loss.item(), value_loss.item(), entropy.item(), diverged, clipped)
                count += 1
            if divergence > settings.divergence:
                break
        policy_loss, value_loss, entropy, diverged, clipped = (sums / max(count, 1)).tolist()
        found = flat["targets"][which, 0]
        expected = torch.from_numpy(self._values).flatten(0, 1)[which, 0]
        explained = 1 - float((found - expected).var() / (found.var() + 1e-8))
        return Report(0, 0, 0, policy_loss, value_loss, entropy, diverged, clipped, explained)

    # Going on later.

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Everything that changes while it learns."""
        kept: dict[str, npt.NDArray[Any]] = {
            "iteration": np.array([self.iteration]),
            "decisions": np.array([self.decisions]),
            "seating": self._seating.copy(),
            "chance": _to_bytes(self._chance.bit_generator.state),
        }
        for name, weight in self.model.state_dict().items():
            kept[f"model.{name}"] = weight.numpy().copy()
        for at, parts in self._optimiser.state_dict()["state"].items():
            kept |= {f"optimiser.{at}.{name}": part.numpy().copy() for name, part in parts.items()}
        kept |= {f"hall.{name}": part for name, part in self.hall.save().items()}
        return kept | {f"league.{name}": part for name, part in self.league.save().items()}

    def restore(self, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on where another learner of the same settings was saved."""
        self.iteration, self.decisions = int(saved["iteration"][0]), int(saved["decisions"][0])
        self._seating[:] = saved["seating"]
        self._chance.bit_generator.state = json.loads(saved["chance"].tobytes())
        self.model.load_state_dict({name: torch.from_numpy(part.copy()) for name, part in _under("model.", saved)})
        state: dict[int, dict[str, Tensor]] = {}
        for name, part in _under("optimiser.", saved):
            at, _, kind = name.partition(".")
            state.setdefault(int(at), {})[kind] = torch.from_numpy(part.copy())
        self._optimiser.load_state_dict({**self._optimiser.state_dict(), "state": state})
        self.hall.restore(dict(_under("hall.", saved)))
        self.league.restore(dict(_under("league.", saved)))


def network_for(name: str, shape: Shape) -> Network:
    """The network to begin with, if it has the right shape."""
    file = str(CHAMPIONS / f"{shape.game}.safetensors") if name == "champion" else name
    network = network_at(file)
    if network.shape != shape:
        raise ValueError(f"{name} has layers of {network.shape.hidden}, not {shape.hidden}: set --hidden so")
    return network


def _to_bytes(told: Any) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(told).encode(), np.uint8)


def _under(prefix: str, saved: Mapping[str, npt.NDArray[Any]]) -> list[tuple[str, npt.NDArray[Any]]]:
    return [(name.removeprefix(prefix), part) for name, part in saved.items() if name.startswith(prefix)]
