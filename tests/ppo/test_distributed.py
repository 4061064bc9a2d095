"""Several processes that learn as one: they agree to the last bit, and end together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from olb_training.ppo import distributed
from olb_training.ppo.checkpoint import CHECKPOINTS, list_checkpoints, read_checkpoint
from olb_training.ppo.collector import RolloutCollector
from olb_training.ppo.distributed import DistributedLearner, LostPeerError, ProcessGroup, WorkerError
from olb_training.ppo.learner import Learner
from olb_training.ppo.loss import STATISTICS
from olb_training.ppo.run import Run
from tests.support.small_runs import TWO_WORKERS, quiet


def test_workers_share_the_tables_and_agree_to_the_last_bit() -> None:
    learner = DistributedLearner(TWO_WORKERS)
    sizes = {name: len(part) for name, part in learner.save().items() if name.endswith("seating")}
    assert sizes == {"tables.0.seating": 10, "tables.1.seating": 10}
    for _ in range(3):
        metrics = learner.iterate()
    assert metrics.timesteps == 3 * 10 * 20
    first, second = (network.weights["head.weight"] for network in learner.call("network"))
    assert (first == second).all()


def test_several_learners_live_in_one_process() -> None:
    one, other = DistributedLearner(TWO_WORKERS), DistributedLearner(TWO_WORKERS)
    assert one.iterate() == other.iterate()
    one.close()
    other.iterate()


@pytest.mark.parametrize("shares", [(10, 0), (3, 7)])
def test_gradients_are_weighted_by_decisions(shares: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """One process's decisions pull the weights up, the other's down, each as much as it has decisions."""

    def step(self: Learner) -> float:
        slope = -1.0 if self.rank == 0 else 1.0
        gradients = [torch.full_like(part, slope) for part in self.model.parameters()]
        self.settings = replace(self.settings, max_grad_norm=1e9)
        loss: Any = SimpleNamespace(gradients=lambda rows: (gradients, torch.zeros(len(STATISTICS))))
        self._step(loss, torch.arange(shares[self.rank]))
        return float(next(self.model.parameters()).grad.mean())  # type: ignore[union-attr]

    monkeypatch.setattr(Learner, "one_step", step, raising=False)
    learner = DistributedLearner(TWO_WORKERS)
    expected = (shares[1] - shares[0]) / sum(shares)
    assert learner.call("one_step") == [pytest.approx(expected)] * 2


def workers_since(before: set[Any]) -> list[Any]:
    return sorted(set(multiprocessing.active_children()) - before, key=lambda process: process.pid)


def test_a_worker_that_is_killed_ends_the_run_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(multiprocessing.active_children())
    run = Run.begin(tmp_path / "run", TWO_WORKERS)
    (worker,) = workers_since(before)
    collect = RolloutCollector.collect

    def kill_and_collect(*arguments: Any, **named: Any) -> Any:
        time.sleep(0.5)  # until the worker waits for this process
        worker.kill()
        return collect(*arguments, **named)

    monkeypatch.setattr(RolloutCollector, "collect", kill_and_collect)
    with pytest.raises(WorkerError, match="a training process was killed"):
        run.train(quiet)
    assert read_checkpoint(list_checkpoints(tmp_path / "run" / CHECKPOINTS)[-1])


def test_the_error_of_a_worker_is_raised_in_the_first_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Learner) -> None:
        if self.rank == 1:
            raise ValueError("no idea")
        self.all_reduce(torch.zeros(3))

    monkeypatch.setattr(Learner, "fail", fail, raising=False)
    learner = DistributedLearner(TWO_WORKERS)
    with pytest.raises(WorkerError, match="ValueError: no idea"):
        learner.call("fail")


def test_an_error_of_the_first_process_ends_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Learner) -> None:
        if self.rank == 0:
            raise ValueError("no idea")
        self.all_reduce(torch.zeros(3))

    before = set(multiprocessing.active_children())
    monkeypatch.setattr(Learner, "fail", fail, raising=False)
    learner = DistributedLearner(TWO_WORKERS)
    assert len(workers_since(before)) == 1
    with pytest.raises(ValueError, match="no idea"):
        learner.call("fail")
    assert not workers_since(before)


def test_workers_ignore_interrupts() -> None:
    before = set(multiprocessing.active_children())
    learner = DistributedLearner(TWO_WORKERS)
    (worker,) = workers_since(before)
    os.kill(worker.pid, signal.SIGINT)
    assert learner.iterate().iteration == 1


def test_a_process_that_nobody_joins_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "JOIN_TIMEOUT", distributed.timedelta(seconds=0.2))
    with pytest.raises(LostPeerError):
        ProcessGroup(tmp_path / "store", 0, 2)
