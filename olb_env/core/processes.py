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
from typing import TypeVar

from threadpoolctl import threadpool_limits

Task = TypeVar("Task")
Result = TypeVar("Result")

MAX_WORKERS = 256
TASKS_AHEAD = 4  # waiting tasks per process
GRACE_SECONDS = 3.0  # for processes to finish before they are terminated


def map_in_order(work: Callable[[Task], Result], tasks: Iterable[Task], workers: int) -> Generator[Result, None, None]:
    """Yield the result of `work` for each task in order, computed a few tasks ahead of the caller."""
    remaining = iter(tasks)
    if workers == 1:
        yield from map(work, remaining)
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, initializer=_start_worker)
    waiting: deque[Future[Result]] = deque()
    finished = False
    try:
        for first in remaining:
            yield pool.submit(work, first).result()  # one process compiles before the others need the machine code
            break
        for task in remaining:
            waiting.append(pool.submit(work, task))
            if len(waiting) > TASKS_AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        finished = True
    finally:
        if not finished:  # nobody needs the results that are still being computed
            pool.shutdown(wait=False, cancel_futures=True)
            _stop(set(multiprocessing.active_children()) - others)
        pool.shutdown(wait=True, cancel_futures=True)


def _stop(processes: set[multiprocessing.process.BaseProcess]) -> None:
    """Terminate processes that do not finish within a moment; one killed while it sends a result breaks the queue."""
    deadline = time.monotonic() + GRACE_SECONDS
    while any(process.is_alive() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.02)
    for process in processes:
        process.terminate()


def _start_worker() -> None:
    """Keep a worker to one thread, and leave Ctrl-C, which reaches every process of a terminal, to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threadpool_limits(limits=1)  # numpy's linear algebra was loaded with a thread for every core
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # its threads do not survive a fork
