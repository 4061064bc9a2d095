"""Bots that mean harm: each does one thing that must cost nobody but itself.

Tests run copies of this file, so that bots can leave notes beside it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np


def first(view: Any) -> int:
    """Return the first legal action: what the bots below choose if they live to choose."""
    return int(view.mask.argmax())


class Harmless:
    """Forfeits every game at its first decision, as most of the others do."""

    def act(self, view: Any) -> int:
        raise RuntimeError("no harm meant")


class First:
    """Plays on."""

    def act(self, view: Any) -> int:
        return first(view)


class Exits:
    def act(self, view: Any) -> int:
        os._exit(3)


class ExitsCleanly:
    def act(self, view: Any) -> int:
        os._exit(0)


class SystemExits:
    def act(self, view: Any) -> int:
        sys.exit(5)


class Interrupts:
    def act(self, view: Any) -> int:
        raise KeyboardInterrupt


class Aborts:
    def act(self, view: Any) -> int:
        os.abort()


class Segfaults:
    def act(self, view: Any) -> int:
        ctypes.string_at(0)
        return first(view)


class KillsItself:
    def act(self, view: Any) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return first(view)


class KillsItsGroup:
    def act(self, view: Any) -> int:
        os.killpg(0, signal.SIGKILL)
        return first(view)


class StopsItself:
    """Never answers, as nobody continues it."""

    def act(self, view: Any) -> int:
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(1000)
        return first(view)


class Hangs:
    """Never returns: it sleeps inside C code, and blocks the signals that could wake it."""

    def act(self, view: Any) -> int:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        ctypes.CDLL(None).sleep(1000)
        return first(view)


class Spins:
    """Never returns and never lets go."""

    def act(self, view: Any) -> int:
        while True:
            try:
                while True:
                    pass
            except BaseException:  # noqa: BLE001, S110
                pass


class TakesMemory:
    def act(self, view: Any) -> int:
        kept = []
        while True:
            kept.append(np.ones(1 << 24))


class TakesMemoryInC:
    """Crashes where memory is not given, as C code does that never checks."""

    def act(self, view: Any) -> int:
        library = ctypes.CDLL(None)
        library.malloc.restype = ctypes.c_void_p
        while True:
            ctypes.memset(library.malloc(1 << 26), 1, 1 << 26)


class SharesMemory:
    """Takes memory that no limit of a process counts."""

    def act(self, view: Any) -> int:
        import mmap

        kept = []
        while True:
            part = mmap.mmap(-1, 1 << 26)
            part.write(b"x" * (1 << 26))
            kept.append(part)


class LetsChildrenTakeMemory:
    def act(self, view: Any) -> int:
        program = "kept = b'x' * (300 << 20); import time; time.sleep(1000)"
        children = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
        return children[0].wait()


class Floods:
    """Prints megabytes, from Python and from C, and plays on."""

    def act(self, view: Any) -> int:
        for _ in range(50):
            print('{"deals": 0}' * 1000)
            print("!" * 10_000, file=sys.stderr)
            os.write(1, b"\x1b[2J\x00" * 2000)
            os.write(2, b"{" * 10_000)
        return first(view)


class LetsOrphansTakeMemory:
    def act(self, view: Any) -> int:
        program = "kept = b'x' * (300 << 20); import time; time.sleep(1000)"
        for _ in range(3):
            orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {program!r}])"
            subprocess.run([sys.executable, "-c", orphan], start_new_session=True, check=True)
        time.sleep(1000)
        return first(view)


class LeavesManyOrphans:
    """Starts processes that lose their parent, more than it may have, and waits."""

    def act(self, view: Any) -> int:
        program = "import os, time\nfor _ in range(400):\n  if os.fork() == 0: time.sleep(1000)"
        subprocess.run([sys.executable, "-c", program], start_new_session=True, check=True)
        time.sleep(1000)
        return first(view)


class LeavesShortLivedOrphans:
    """Plays on, and starts processes at each decision that lose their parent and end at once."""

    def act(self, view: Any) -> int:
        program = "import os\nfor _ in range(20):\n  if os.fork() == 0: os._exit(0)"
        subprocess.run([sys.executable, "-I", "-S", "-c", program], start_new_session=True, check=True)
        return first(view)


class LeavesThreads:
    """Plays on, with threads that never end and never rest."""

    def __init__(self) -> None:
        self.started = False

    def act(self, view: Any) -> int:
        if not self.started:
            self.started = True
            for _ in range(4):
                threading.Thread(target=self.spin).start()
        return first(view)

    def spin(self) -> None:
        while True:
            pass


class LeavesProcesses:
    """Plays on, with a process in its group, one in a session of its own and one that lost its parent."""

    def __init__(self) -> None:
        self.started = False

    def act(self, view: Any) -> int:
        if not self.started:
            self.started = True
            program = "import time; time.sleep(1000)"
            subprocess.Popen([sys.executable, "-c", program])
            subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
            orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {program!r}])"
            subprocess.Popen([sys.executable, "-c", orphan], start_new_session=True).wait()
        return first(view)


class Forks:
    """Goes on in two processes, and both answer."""

    def act(self, view: Any) -> int:
        os.fork()
        return first(view)


class ForksALot:
    """Starts processes until it is stopped, and then exits."""

    def act(self, view: Any) -> int:
        for _ in range(2000):
            if os.fork() == 0:
                time.sleep(1000)
                os._exit(0)
        time.sleep(1000)
        return first(view)


class WritesOverViews:
    """Plays on, after changing everything that it was given."""

    def act(self, view: Any) -> int:
        chosen = first(view)
        views = view._views
        for part in (view.mask, views.masks, views.seats, views.seeds, views.observations):
            part[:] = 0
        for states in (views.states, view.clone()):
            states.view(np.uint8)[:] = 255
        return chosen


class ForgesLegality:
    """Marks everything as legal everywhere, and chooses what is not."""

    def act(self, view: Any) -> int:
        illegal = int(view.mask.argmin())
        view.mask[:] = 1
        view._views.masks[:] = 1
        view._views.seats[:] = 10**7
        return illegal


class ChangesLibraries:
    """Plays on, after changing what others call: numpy, olb_env, random numbers, limits of Python."""

    def act(self, view: Any) -> int:
        chosen = first(view)
        import random

        from olb_env.core import batch
        from olb_env.playing import decisions, match

        random.seed(1)
        np.random.seed(1)  # noqa: NPY002
        np.empty = np.ones  # type: ignore[assignment]
        batch.apply_rows = batch.actor_rows = lambda *_: None
        decisions.decide = match.decide = lambda *_: np.zeros(1, np.int64)  # type: ignore[assignment]
        view.game.rules.__dict__["apply"] = lambda *_: True
        sys.setrecursionlimit(100_000)
        sys.modules.pop("olb_env.playing.views", None)
        return chosen


class Recurses:
    """Overflows the stack of C."""

    def act(self, view: Any) -> int:
        sys.setrecursionlimit(10**9)

        class Deep:
            def __repr__(self) -> str:
                return repr([self])

        repr(Deep())
        return first(view)


class Answers:
    """Writes answers of its own to every connection that it finds."""

    def act(self, view: Any) -> int:
        for descriptor in range(3, 100):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"\xff" * 1000)
        return first(view)


class ClosesAll:
    def act(self, view: Any) -> int:
        os.closerange(0, 100)
        return first(view)


class HangsUp:
    """Closes its connection, and never ends."""

    def act(self, view: Any) -> int:
        os.closerange(0, 100)
        time.sleep(1000)
        return first(view)


class SignalsItsParent:
    """Sends its parent everything that a process can ignore, and plays on."""

    def act(self, view: Any) -> int:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            os.kill(os.getppid(), number)
        return first(view)


class KillsItsParent:
    def act(self, view: Any) -> int:
        os.kill(os.getppid(), signal.SIGKILL)
        return first(view)


class StopsItsParent:
    def act(self, view: Any) -> int:
        os.kill(os.getppid(), signal.SIGSTOP)
        return first(view)


class RaisesTheUnprintable:
    def act(self, view: Any) -> int:
        class Strange(BaseException):
            def __str__(self) -> str:
                os._exit(4)
                return ""

        raise Strange


class Babbles:
    """Fails with megabytes of text, with control characters in it."""

    def act(self, view: Any) -> int:
        raise RuntimeError("\x1b[31m\x00" + "x" * 10_000_000)


class Lies:
    """Fails in the name of another agent."""

    def act(self, view: Any) -> int:
        from olb_env.playing import AgentError, bot_process

        def accuse(*_: Any) -> Any:
            raise AgentError("agent 'random' failed with everything")

        bot_process.decide = accuse  # type: ignore[assignment]
        return first(view)


class Searches:
    """Looks for games everywhere in its process, and notes how many it was given and how many it was not."""

    left = 5  # looks, since each takes a while

    def __init__(self) -> None:
        self.given: set[bytes] = set()

    def act(self, view: Any) -> int:
        self.given |= {state.tobytes() for state in view._views.states}
        if self.left:
            self.left -= 1
            found = {
                state.tobytes()
                for thing in self.everything()
                if isinstance(thing, np.ndarray) and thing.dtype == view.game.rules.dtype
                for state in thing.reshape(-1)
            }
            with Path(__file__).with_name("found").open("a", encoding="utf-8") as file:
                file.write(f"{len(found & self.given)} {len(found - self.given)}\n")
        return first(view)

    def everything(self) -> list[Any]:
        """Return all objects of this process that can be reached from others or from the stack."""
        things = [thing for holder in gc.get_objects() for thing in gc.get_referents(holder)]
        frame: Any = sys._getframe()
        while frame is not None:
            things += frame.f_locals.values()
            frame = frame.f_back
        return things


def processes() -> dict[int, tuple[int, str]]:
    """Return the parent and the command of every process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            found[int(folder.name)] = parent, (folder / "cmdline").read_text()
        except OSError:
            pass
    return found


def main_process() -> int:
    """Return the process of the command: the parent of the one that starts bots."""
    known = processes()
    process = os.getppid()
    while "bot_server" in known[process][1]:
        process = known[process][0]
    return process


def strike(victims: list[int], times: int) -> None:
    """Kill processes, unless that has been done often enough already."""
    notes = [Path(__file__).with_name(f"strike {number}") for number in range(times)]
    for note in notes:
        if victims and not note.exists():
            note.touch()
            for victim in victims:
                os.kill(victim, signal.SIGKILL)
            time.sleep(0.5)  # so that it happens before the answer
            return


class KillsTheServer:
    """Kills the process that starts bots, three times, and plays on."""

    def act(self, view: Any) -> int:
        main = main_process()
        servers = [
            process for process, (parent, command) in processes().items() if parent == main and "bot_server" in command
        ]
        strike(servers, 3)
        return first(view)


class KillsWorkersOnce:
    """Kills all workers once, and plays on."""

    times = 1

    def act(self, view: Any) -> int:
        main = main_process()
        workers = [
            process
            for process, (parent, command) in processes().items()
            if parent == main and "bot_server" not in command and "tracker" not in command
        ]
        strike(workers, self.times)
        return first(view)


class KillsWorkers(KillsWorkersOnce):
    """Kills all workers whenever it is asked."""

    times = 1000
