"""Masked PPO by self-play, all seats learning: collect a rollout, estimate advantages, update, repeat.

One learner is one process's part of the training: it has its own tables, and adds up gradients and statistics with the
other processes (`all_reduce`), whose networks and optimisers are the same to the last bit. Everything that changes is
in `save_shared` and `save_tables`, so that a restored learner continues exactly as if it had never stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from olb_agents.network import Network
from olb_agents.policy_agent import Champion, network_at
from olb_env.core.checking import shortened
from olb_env.core.game import find
from olb_training.ppo.checkpoint import CheckpointError
from olb_training.ppo.collector import RolloutCollector
from olb_training.ppo.loss import STATISTICS, PPOLoss
from olb_training.ppo.metrics import IterationMetrics
from olb_training.ppo.mixed_tables import MixedTables, TableSpec
from olb_training.ppo.model import ActorCritic
from olb_training.ppo.opponent_pool import OpponentPool
from olb_training.ppo.restoring import optimizer_arrays, read_counter, restore_module, restore_optimizer, with_prefix
from olb_training.ppo.rollout_buffer import RolloutBuffer
from olb_training.ppo.settings import Settings

ADAM_EPSILON = 1e-5
APPROX_KL = STATISTICS.index("approx_kl")

AllReduce = Callable[[Tensor], Tensor]  # sums a tensor over all processes, in place


def no_reduce(tensor: Tensor) -> Tensor:
    """Return the sum over the only process there is."""
    return tensor


class Learner:
    """The network, its optimiser, and the rollouts of one process: number `rank` of `settings.workers`."""

    def __init__(self, settings: Settings, rank: int = 0, tables: type[MixedTables] = MixedTables) -> None:
        self.settings = settings
        torch.set_num_threads(1)  # several processes are faster
        torch.manual_seed(settings.seed)
        self.rank = rank
        self.all_reduce: AllReduce = no_reduce
        self.game = find(settings.game)
        self.shape = settings.network_shape()
        self.model = ActorCritic(self.shape)
        self._optimizer = torch.optim.Adam(
            self.model.parameters(), lr=settings.learning_rate, eps=ADAM_EPSILON, fused=True
        )
        self.opponent_pool = OpponentPool(len(settings.opponents), settings.pool_size, self.shape)
        self.opponent_pool.add_snapshot(self.network())
        self._rng = np.random.default_rng([settings.seed, rank])
        specs = split_tables(settings.table_specs(), rank, settings.workers)
        self._collector = RolloutCollector(settings, specs, rank, self.opponent_pool, self._rng, tables)
        self._buffer = RolloutBuffer.zeros(
            settings.num_steps, self._collector.tables.size, self.shape, imitation=settings.imitation_timesteps > 0
        )
        self.iteration, self.timesteps = 0, 0

    @property
    def imitating(self) -> bool:
        """Whether the learner still imitates its teacher."""
        return self.timesteps < self.settings.imitation_timesteps

    @property
    def warming_up_values(self) -> bool:
        """Whether only values are learned: before they mean anything, advantages may mislead the policy.

        The hidden layers learn too, so the policy changes a little. That would harm the network of `init_from`, which
        therefore has no warm-up.
        """
        settings = self.settings
        first = settings.imitation_timesteps
        return not settings.init_from and first <= self.timesteps < first + settings.value_warmup_timesteps

    @property
    def progress(self) -> float:
        """The part of the training that is done, from 0 to 1."""
        return min(1.0, self.timesteps / self.settings.total_timesteps)

    def network(self) -> Network:
        """Return a copy of the network."""
        return self.model.to_network()

    def start_from(self, network: Network) -> None:
        """Copy the weights of a network, which also becomes the first past self."""
        self.model.copy_weights(network)
        self.opponent_pool.restart(network)

    def iterate(self) -> IterationMetrics:
        """Collect a rollout and learn from it."""
        settings = self.settings
        games = self._collect()
        learning_rate = settings.learning_rate_at(1 - self.progress)
        statistics, explained_variance = self._update(learning_rate)
        self.iteration += 1
        self.timesteps += settings.timesteps_per_iteration()
        if self.iteration % settings.snapshot_interval == 0:
            self.opponent_pool.add_snapshot(self.network())
        utilities = self.opponent_pool.utilities[1:].tolist()
        return IterationMetrics(
            iteration=self.iteration,
            timesteps=self.timesteps,
            games=games,
            **statistics,
            explained_variance=explained_variance,
            learning_rate=learning_rate,
            opponent_utilities=dict(zip(settings.opponents, utilities, strict=False)),  # past selves follow
        )

    def _collect(self) -> int:
        """Fill the buffer; return how many games ended at the tables of all processes."""
        finished = self._collector.collect(self.model, self._buffer, imitate=self.imitating)
        counts, sums = np.zeros((2, len(self.opponent_pool.utilities)), np.float32)
        for opponent, utility in finished:
            counts[opponent] += 1
            sums[opponent] += utility
        counts, sums = self.all_reduce(torch.from_numpy(np.concatenate([counts, sums]))).numpy().reshape(2, -1)
        self.opponent_pool.record_games(counts, sums)
        return int(counts.sum())

    def _update(self, learning_rate: float) -> tuple[dict[str, float], float]:
        """Run some epochs over the buffer; return the `STATISTICS` and the explained variance of the values."""
        settings, buffer = self.settings, self._buffer
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        rows = np.flatnonzero(buffer.is_learner.numpy())
        loss, count = self._make_loss(rows)
        num_minibatches = max(1, round(count / settings.minibatch_size))
        statistics: list[npt.NDArray[np.float64]] = []
        for _ in range(settings.update_epochs):
            order = torch.from_numpy(rows[self._rng.permutation(len(rows))])
            statistics += [self._step(loss, part) for part in order.tensor_split(num_minibatches)]
            if np.mean([entry[APPROX_KL] for entry in statistics[-num_minibatches:]]) > settings.target_kl:
                break
        targets, values = (part[:, :, 0] for part in (buffer.value_targets, buffer.values))
        variance, residual = (self._variance(part, rows) for part in (targets, targets - values))
        means = dict(zip(STATISTICS, np.mean(statistics, axis=0).tolist(), strict=True))
        return means, 1 - residual / (variance + 1e-8)

    def _make_loss(self, rows: npt.NDArray[np.int64]) -> tuple[PPOLoss, float]:
        """Return the loss of this iteration, and how many decisions of the learner all processes have."""
        settings = self.settings
        count, total, squared = self.all_reduce(_moments(self._buffer.advantages, rows)).tolist()
        mean = total / max(count, 1)
        num_players = self._collector.tables.num_players[:, None]
        loss = PPOLoss(
            self.model,
            self._buffer,
            seat_exists=torch.from_numpy(np.arange(self.shape.num_seats) < num_players).float(),
            advantage_mean=mean,
            advantage_std=max(squared / max(count, 1) - mean**2, 0) ** 0.5 + 1e-8,
            clip_coef=settings.clip_coef,
            ent_coef=settings.ent_coef_at(1 - self.progress),
            vf_coef=settings.vf_coef,
            others_vf_coef=settings.others_vf_coef,
            imitate=self.imitating,
            values_only=self.warming_up_values,
        )
        return loss, count

    def _step(self, loss: PPOLoss, rows: Tensor) -> npt.NDArray[np.float64]:
        """Take one gradient step on a minibatch, of which every process has its part; return its `STATISTICS`."""
        gradients, statistics = loss.gradients(rows)
        sizes = [*(gradient.numel() for gradient in gradients), len(statistics), 1]
        weighted = torch.cat([*(gradient.flatten() for gradient in gradients), statistics, torch.ones(1)])
        means = self.all_reduce(weighted.mul_(len(rows)))  # in place, as the vector is long
        means.div_(means[-1:].clamp(min=1))  # by the number of decisions
        *parts, statistics, _ = torch.split(means, sizes)
        for parameter, part in zip(self.model.parameters(), parts, strict=True):
            parameter.grad = part.view_as(parameter)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.max_grad_norm)
        self._optimizer.step()
        values: npt.NDArray[np.float64] = statistics.double().numpy()
        return values

    def _variance(self, numbers: Tensor, rows: npt.NDArray[np.int64]) -> float:
        """Return the variance over the decisions of all processes."""
        count, total, squared = self.all_reduce(_moments(numbers, rows)).tolist()
        return float(squared / max(count, 1) - (total / max(count, 1)) ** 2)

    def save_shared(self) -> dict[str, npt.NDArray[Any]]:
        """Return what changes and is the same in all processes, as arrays."""
        arrays = {"iteration": np.array([self.iteration]), "timesteps": np.array([self.timesteps])}
        for name, weight in self.model.state_dict().items():
            arrays[f"model.{name}"] = weight.numpy().copy()
        arrays |= {f"optimizer.{name}": part for name, part in optimizer_arrays(self._optimizer).items()}
        return arrays | {f"opponent_pool.{name}": part for name, part in self.opponent_pool.save().items()}

    def save_tables(self) -> dict[str, npt.NDArray[Any]]:
        """Return what changes and belongs to this process alone, as arrays."""
        return {f"tables.{self.rank}.{name}": part for name, part in self._collector.save().items()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what `save_shared` and `save_tables` of a learner with the same settings returned.

        A CheckpointError says why it cannot be that. The learner can then no longer be used.
        """
        self._restore_counters(arrays)
        tables = [f"tables.{rank}." for rank in range(self.settings.workers)]
        prefixes = ("model.", "optimizer.", "opponent_pool.", *tables)
        for name in arrays:
            if name not in ("iteration", "timesteps") and not name.startswith(prefixes):
                raise CheckpointError(f"{shortened(name)} does not belong to this run")
        restore_module(self.model, with_prefix("model.", arrays))
        restore_optimizer(
            self._optimizer, with_prefix("optimizer.", arrays), self.iteration, self._most_steps() * self.iteration
        )
        snapshots = 1 + self.iteration // self.settings.snapshot_interval
        self.opponent_pool.restore(with_prefix("opponent_pool.", arrays), snapshots)
        try:
            self._collector.restore(with_prefix(f"tables.{self.rank}.", arrays), self.iteration)
        except ValueError as error:  # of the games
            raise CheckpointError(f"tables of process {self.rank}: {error}") from None

    def _restore_counters(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        per_iteration = self.settings.timesteps_per_iteration()
        most = -(-self.settings.total_timesteps // per_iteration)
        self.iteration = read_counter("iteration", arrays, most)
        self.timesteps = read_counter("timesteps", arrays, most * per_iteration)
        if self.timesteps != self.iteration * per_iteration:
            raise CheckpointError(
                f"timesteps is {self.timesteps}: expected {self.iteration * per_iteration:,} after "
                f"{self.iteration:,} iterations"
            )

    def _most_steps(self) -> int:
        """Return how many steps the optimiser takes in an iteration at most."""
        settings = self.settings
        return settings.update_epochs * max(1, round(settings.timesteps_per_iteration() / settings.minibatch_size))


def split_tables(specs: Sequence[TableSpec], rank: int, workers: int) -> list[TableSpec]:
    """Return the share of all tables that one of the workers plays at."""
    share = []
    for spec in specs:
        first, last = spec.count * rank // workers, spec.count * (rank + 1) // workers
        share += [replace(spec, count=last - first)] if last > first else []
    return share


def initial_network(name: str, game: str) -> Network:
    """Return the network of `init_from`, which must be for this game."""
    network = Champion(None).network(game) if name == "champion" else network_at(name)
    if network.shape.game != game:
        raise ValueError(f"{name} plays {network.shape.game}: expected a network for {game}")
    return network


def _moments(numbers: Tensor, rows: npt.NDArray[np.int64]) -> Tensor:
    """Return the count, the sum and the sum of squares of some rows."""
    some = numbers.flatten()[torch.from_numpy(rows)]
    return torch.stack([torch.tensor(float(len(rows))), some.sum(), some.square().sum()])
