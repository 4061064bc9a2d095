"""Work on several cores: what comes out, and in which order, does not depend on how many there are."""

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

MOST_WORKERS = 256
TASKS_AHEAD = 4  # for each process
PATIENCE = 3.0  # seconds


def in_order(work: Callable[[Task], Result], tasks: Iterable[Task], workers: int) -> Generator[Result, None, None]:
    """What `work` makes of each task, in their order, a few tasks ahead of whoever reads."""
    left = iter(tasks)
    if workers == 1:
        yield from map(work, left)
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, initializer=_begin_worker)
    waiting: deque[Future[Result]] = deque()
    finished = False
    try:
        for first in left:
            yield pool.submit(work, first).result()  # machine code is made once, before processes share it
            break
        for task in left:
            waiting.append(pool.submit(work, task))
            if len(waiting) > TASKS_AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        finished = True
    finally:
        if not finished:  # nobody wants what is being worked on
            pool.shutdown(wait=False, cancel_futures=True)
            _end(set(multiprocessing.active_children()) - others)
        pool.shutdown(wait=True, cancel_futures=True)


def _end(processes: set[multiprocessing.process.BaseProcess]) -> None:
    """Let processes finish if that takes no longer than a moment: one that is stopped while it tells leaves a mess."""
    last = time.monotonic() + PATIENCE
    while any(process.is_alive() for process in processes) and time.monotonic() < last:
        time.sleep(0.02)
    for process in processes:
        process.terminate()


def _begin_worker() -> None:
    """One core is one process's; Ctrl-C reaches every process of a terminal, but the parent decides what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threadpool_limits(limits=1)  # of numpy's linear algebra, which was loaded with a thread for every core
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # its threads do not survive a fork
