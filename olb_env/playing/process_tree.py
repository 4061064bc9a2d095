"""Processes that others leave behind: who descends from whom, what they use, and how all of them are ended.

Linux tells this in /proc and by `prctl`. Elsewhere only the group of a process is known.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

PROC = Path("/proc")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
KEPT_SIGNALS = (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD)
UNWANTED = tuple(signal.valid_signals() - set(KEPT_SIGNALS))


def adopt_orphans() -> None:
    """Let processes that lose their parent become children of this one, if they descend from it."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Let this process be killed when its parent ends; `parent` is its number, as it may have ended already."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(OSError, AttributeError):  # not on Linux
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def ignore_signals() -> None:
    """Ignore every signal that can be ignored."""
    for number in UNWANTED:
        with contextlib.suppress(OSError, ValueError):  # some belong to the C library
            signal.signal(number, signal.SIG_IGN)


def handle_signals_as_usual() -> None:
    """Undo `ignore_signals` in a new process."""
    signal.set_wakeup_fd(-1)
    for number in (*UNWANTED, signal.SIGCHLD):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python raises exceptions instead
        signal.signal(number, signal.SIG_IGN)


def is_stopped(process: int) -> bool:
    """Return whether somebody has stopped a process."""
    try:
        return _fields(process)[0] == "T"
    except OSError:
        return False


def _fields(process: int) -> list[str]:
    """Return the fields of a process that follow its name: its state, its parent, and more."""
    return (PROC / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()


def descendants(process: int, spared: Collection[int] = ()) -> set[int]:
    """Return the numbers of all processes that descend from one, without some of them and what descends from these."""
    children: dict[int, list[int]] = {}
    for name in [entry.name for entry in PROC.iterdir()] if PROC.is_dir() else []:
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError):  # it has ended
                children.setdefault(int(_fields(int(name))[1]), []).append(int(name))
    return _all_below(process, lambda parent: [child for child in children.get(parent, []) if child not in spared])


def descendants_of_all_threads(process: int) -> set[int]:
    """Return the same as `descendants`, quickly: nothing is read but what belongs to these processes."""
    return _all_below(process, _children)


def _children(process: int) -> list[int]:
    found: list[int] = []
    threads: list[str] = []
    with contextlib.suppress(OSError):  # it has ended
        threads = os.listdir(f"{PROC}/{process}/task")  # noqa: PTH208  # bots are stopped after every decision
    for thread in threads:
        with contextlib.suppress(OSError), open(f"{PROC}/{process}/task/{thread}/children", "rb") as file:
            found += map(int, file.read().split())
    return found


def _all_below(process: int, children: Callable[[int], Iterable[int]]) -> set[int]:
    found: set[int] = set()
    remaining = [process]
    while remaining:
        new = set(children(remaining.pop())) - found
        found |= new
        remaining += new
    return found


def memory_of(processes: Iterable[int], limit: int) -> int:
    """Return the bytes of memory that processes use together.

    Memory that they share is counted once where that matters: if they seem to use more than `limit`.
    """
    chosen = list(processes)
    most = sum(_number(PROC / str(process) / "statm") for process in chosen) * os.sysconf("SC_PAGE_SIZE")
    if most <= limit:
        return most
    return sum(_proportional(process) for process in chosen)


def _number(file: Path) -> int:
    try:
        return int(file.read_text().split()[1])
    except (OSError, IndexError):
        return 0


def _proportional(process: int) -> int:
    """Return the bytes that a process uses, where memory shared by n processes counts as the n-th part of it."""
    try:
        for line in (PROC / str(process) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, IndexError, ValueError):
        pass
    return 0


def end_all(unwanted: Callable[[], set[int]], patience: float) -> None:
    """Kill processes until none is left, those that they start meanwhile too, and collect those of this process.

    `unwanted` returns their numbers. Processes that cannot be killed are given up after some seconds.
    """
    deadline = time.monotonic() + patience
    while found := unwanted():
        for process in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        for process in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        if time.monotonic() > deadline:
            return
        time.sleep(0.001)
