"""Data-parallel training: several processes that learn as one, each at its own tables.

Every process holds a whole learner and adds up gradients with the others (`torch.distributed`, over the loopback
interface), so that all networks stay the same to the last bit. The calling process is rank 0. The others are forked
from it, run the methods it names, and end when it does. What is learned is up to `Learner`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy.typing as npt
import torch.distributed
from torch import Tensor

from olb_training.ppo.checkpoint import CheckpointError
from olb_training.ppo.learner import Learner
from olb_training.ppo.metrics import IterationMetrics
from olb_training.ppo.mixed_tables import MixedTables
from olb_training.ppo.settings import Settings

c10d: Any = torch.distributed  # its types are partial

FORK = multiprocessing.get_context("fork")
JOIN_TIMEOUT = timedelta(minutes=2)  # until all processes have found each other
REDUCE_TIMEOUT = timedelta(days=1)  # opponents may be slow; a process that dies is noticed at once


class WorkerError(Exception):
    """A worker process failed or was killed."""


class LostPeerError(Exception):
    """The connection to another worker process is lost."""


class ProcessGroup:
    """The connections of one process to all others.

    It is not the default group of `torch.distributed`, of which a process has only one: several learners may live in
    one process.
    """

    def __init__(self, store: Path, rank: int, size: int) -> None:
        options = c10d.ProcessGroupGloo._Options()
        options._timeout = JOIN_TIMEOUT
        options._devices = [c10d.ProcessGroupGloo.create_device(hostname="127.0.0.1")]
        try:
            self._group = c10d.ProcessGroupGloo(c10d.FileStore(str(store), size), rank, size, options)
        except RuntimeError as error:
            raise LostPeerError(str(error)) from None
        self._options = c10d.AllreduceOptions()
        self._options.timeout = REDUCE_TIMEOUT

    def all_reduce(self, tensor: Tensor) -> Tensor:
        """Sum a tensor over all processes, in place: the same bits in each of them."""
        try:
            self._group.allreduce([tensor], self._options).wait()
        except RuntimeError as error:
            raise LostPeerError(str(error)) from None
        return tensor


class DistributedLearner:
    """A learner of `settings.workers` processes; `learner` is the part of this process."""

    def __init__(self, settings: Settings, tables: type[MixedTables] = MixedTables) -> None:
        # Before the fork, so that kernels are compiled once and bad settings fail here.
        self.learner = Learner(settings, 0, tables)
        self._pipes: list[multiprocessing.connection.Connection] = []
        processes: list[Any] = []
        self.close = weakref.finalize(self, _end, processes)
        if settings.workers == 1:
            return
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "store"
            for rank in range(1, settings.workers):
                pipe, theirs = FORK.Pipe()
                process = FORK.Process(
                    target=_run_worker, args=(settings, rank, tables, store, os.getpid(), theirs), daemon=True
                )
                process.start()
                theirs.close()
                self._pipes.append(pipe)
                processes.append(process)
            try:
                self.learner.all_reduce = ProcessGroup(store, 0, settings.workers).all_reduce
                for pipe in self._pipes:
                    if isinstance(joined := pipe.recv(), WorkerError):  # otherwise it no longer needs the store
                        raise joined
            except (LostPeerError, EOFError, ConnectionError):
                raise WorkerError(self._reason()) from None

    def iterate(self) -> IterationMetrics:
        """Collect a rollout and learn from it, in all processes."""
        metrics: IterationMetrics = self.call("iterate")[0]
        return metrics

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything that changes, of all processes, as arrays."""
        arrays = self.learner.save_shared()
        for tables in self.call("save_tables"):
            arrays |= tables
        return arrays

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what `save` returned for the same settings."""
        self.call("restore", arrays)

    def call(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of the learner in every process; return the results by rank."""
        try:
            for pipe in self._pipes:
                pipe.send((method, arguments))
            own = getattr(self.learner, method)(*arguments)
            results = [own, *(pipe.recv() for pipe in self._pipes)]
        except (LostPeerError, EOFError, ConnectionError):
            raise WorkerError(self._reason()) from None
        except BaseException:
            self.close()  # the others would wait for this process
            raise
        for result in results:
            if isinstance(result, WorkerError | CheckpointError):
                raise result
        return results

    def _reason(self) -> str:
        """Return the error of the process that failed, if it could send one."""
        for pipe in self._pipes:
            with contextlib.suppress(EOFError, OSError):
                while pipe.poll():
                    if isinstance(result := pipe.recv(), WorkerError):
                        return str(result)
        return "a training process was killed"


def _end(processes: list[Any]) -> None:
    for process in processes:
        process.terminate()
        process.join()


def _run_worker(settings: Settings, rank: int, tables: type[MixedTables], store: Path, parent: int, pipe: Any) -> None:
    """Run the methods that rank 0 names, until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; rank 0 decides what it means
    threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
    try:
        group = ProcessGroup(store, rank, settings.workers)
        pipe.send(None)
        learner = Learner(settings, rank, tables)
        learner.all_reduce = group.all_reduce
        while True:
            method, arguments = pipe.recv()
            pipe.send(getattr(learner, method)(*arguments))
    except (LostPeerError, EOFError, ConnectionError):
        return  # rank 0 says why
    except CheckpointError as error:
        with contextlib.suppress(OSError):
            pipe.send(error)
    except Exception as error:  # noqa: BLE001  # rank 0 raises it
        with contextlib.suppress(OSError):
            pipe.send(WorkerError(f"{type(error).__name__}: {error}"))


def _exit_with_parent(parent: int) -> None:
    """End this process once its parent has ended, which changes its parent id."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
