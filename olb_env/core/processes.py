"""Work on several cores, with the same results in the same order whatever the number of processes."""

from __future__ import annotations

import multiprocessing
import multiprocessing.process
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Generic, TypeVar

from threadpoolctl import threadpool_limits

Task = TypeVar("Task")
Result = TypeVar("Result")

MAX_WORKERS = 256
TASKS_AHEAD = 4  # waiting tasks per process
GRACE_SECONDS = 3.0  # for processes to finish before they are terminated, and then before they are killed


def map_in_order(
    work: Callable[[Task], Result], tasks: Iterable[Task], workers: int, attempts: int = 1
) -> Generator[Result, None, None]:
    """Yield the result of `work` for each task in order, computed a few tasks ahead of the caller.

    If a process dies, new ones do what was lost. When that has happened `attempts` times without a result in between,
    BrokenProcessPool is raised.
    """
    remaining = iter(tasks)
    if workers == 1:
        yield from map(work, remaining)
        return
    others = set(multiprocessing.active_children())
    queue = _Queue(work, workers, attempts)
    finished = False
    try:
        for first in remaining:
            queue.add(first)
            yield queue.next_result()  # one process compiles before the others need the machine code
            break
        for task in remaining:
            queue.add(task)
            if len(queue) > TASKS_AHEAD * workers:
                yield queue.next_result()
        while len(queue):
            yield queue.next_result()
        finished = True
    finally:
        if not finished:  # nobody needs the results that are still being computed
            queue.pool.shutdown(wait=False, cancel_futures=True)
            _stop(set(multiprocessing.active_children()) - others)
        queue.pool.shutdown(wait=True, cancel_futures=True)


class _Queue(Generic[Task, Result]):
    """Tasks in order, with the processes that do them."""

    def __init__(self, work: Callable[[Task], Result], workers: int, attempts: int) -> None:
        self.pool = ProcessPoolExecutor(workers, initializer=_start_worker)
        self._work, self._workers, self._attempts = work, workers, attempts
        self._waiting: deque[tuple[Task, Future[Result]]] = deque()
        self._deaths = 0  # since the last result

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, task: Task) -> None:
        """Let a process do a task."""
        self._waiting.append((task, self._submit(task)))

    def next_result(self) -> Result:
        """Return the result of the oldest task when it is there; the task is done again if a process died."""
        while True:
            try:
                result = self._waiting[0][1].result()
            except BrokenProcessPool:
                self._deaths += 1
                if self._deaths >= self._attempts:
                    raise
                self._start_again()
            else:
                self._deaths = 0
                self._waiting.popleft()
                return result

    def _submit(self, task: Task) -> Future[Result]:
        try:
            return self.pool.submit(self._work, task)
        except BrokenProcessPool as error:  # it died since the last result: `next_result` starts a new one
            failed: Future[Result] = Future()
            failed.set_exception(error)
            return failed

    def _start_again(self) -> None:
        """Submit all tasks whose result is lost to new processes; a pool with one dead process ends all of them."""
        self.pool.shutdown(wait=True)
        self.pool = ProcessPoolExecutor(self._workers, initializer=_start_worker)
        self._waiting = deque(
            (task, self._submit(task) if isinstance(future.exception(), BrokenProcessPool) else future)
            for task, future in self._waiting
        )


def _stop(processes: set[multiprocessing.process.BaseProcess]) -> None:
    """End processes that do not finish within a moment; one killed while it sends a result breaks the queue."""
    _wait(processes)
    for process in processes:
        process.terminate()
    _wait(processes)
    for process in processes:
        process.kill()  # one that somebody has stopped does not act on the first signal


def _wait(processes: set[multiprocessing.process.BaseProcess]) -> None:
    deadline = time.monotonic() + GRACE_SECONDS
    while any(process.is_alive() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.02)


def _start_worker() -> None:
    """Keep a worker to one thread, and leave Ctrl-C, which reaches every process of a terminal, to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threadpool_limits(limits=1)  # numpy's linear algebra was loaded with a thread for every core
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # its threads do not survive a fork
