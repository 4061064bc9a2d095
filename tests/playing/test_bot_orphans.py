"""Processes that bots start and leave alone belong to them: they are counted, collected, stopped and ended."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.playing import AgentError, Views
from olb_env.playing.hosted_bots import HostedBots
from tests.support.toy_game import PEBBLES

pytestmark = pytest.mark.compiled  # about processes, whatever runs in them

MARK = "OLB_TEST_MARK"  # an environment variable that all processes of a bot inherit
MEMORY = 512  # megabytes
SECONDS = 60.0  # to wait for something that should take none

BOTS = '''
import os, subprocess, sys, time

HERE = os.path.dirname(__file__)


def start_orphan(task):
    """Run a task in a process that has lost its parent, in a session of its own."""
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os.setsid()
            task()
        os._exit(0)
    os.waitpid(child, 0)


def leave(count, task):
    """Leave many orphans, started by a small process, which can do that quickly."""
    program = f"import os, time\\nfor _ in range({count}):\\n  if os.fork() == 0:\\n    {task}\\n    os._exit(0)"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def note(name, text):
    with open(f"{HERE}/{name}", "a") as file:
        file.write(text)


def wait_until(true):
    end = time.monotonic() + 60
    while not true():
        if time.monotonic() > end:
            raise RuntimeError("waited in vain")
        time.sleep(0.01)


class TakeMemory:
    """Three orphans take 200 MB each."""

    def act(self, view):
        for _ in range(3):
            start_orphan(self.take)
        time.sleep(1000)

    def take(self):
        kept = b"x" * 200_000_000
        time.sleep(1000)


class Many:
    """More orphans live than processes are allowed."""

    def act(self, view):
        leave(300, "time.sleep(1000)")
        time.sleep(1000)


class ShortLived:
    """Far more orphans end than processes are allowed, but never many at a time."""

    def act(self, view):
        for _ in range(2):
            leave(200, "pass")
            wait_until(lambda: self.ended() == 0)
        return view.legal[0]

    def ended(self):
        """Return the number of children of the parent that have ended and that nobody has collected."""
        count = 0
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/stat") as file:
                    state, parent = file.read().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            count += state == "Z" and int(parent) == os.getppid()
        return count


class Working:
    """Works on between decisions, in an orphan and in a child with a session of its own; each notes its work."""

    names = ("orphan", "child")

    def __init__(self):
        self.started = False

    def act(self, view):
        if not self.started:
            self.started = True
            start_orphan(lambda: self.work("orphan"))
            if os.fork() == 0:
                os.setsid()
                self.work("child")
        seen = [self.done(name) for name in self.names]
        wait_until(lambda: all(self.done(name) > old for name, old in zip(self.names, seen)))
        return view.legal[0]

    def work(self, name):
        note(f"{name}.process", str(os.getpid()))
        while True:
            note(name, ".")
            time.sleep(0.001)

    def done(self, name):
        try:
            return os.path.getsize(f"{HERE}/{name}")
        except FileNotFoundError:
            return 0


class Fleeing:
    """Goes on in a new process again and again, so that it is gone when somebody looks."""

    def act(self, view):
        start_orphan(self.flee)
        wait_until(lambda: os.path.exists(f"{HERE}/fleeing"))
        return view.legal[0]

    def flee(self):
        note("fleeing", ".")
        while os.fork() == 0:
            pass
        os._exit(0)
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bots")
    (path / "bots.py").write_text(BOTS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def hosted() -> Iterator[HostedBots]:
    """Return bots that run one process while none of them does."""
    mark, bots = uuid.uuid4().hex, HostedBots(PEBBLES, MEMORY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, mark)
        try:
            bots.prepare()
            assert len(marked(mark)) == 1
            yield bots
        finally:
            bots.close()
    wait_until(lambda: not marked(mark))


@pytest.fixture
def ask(hosted: HostedBots, folder: Path) -> Iterator[Callable[[str], None]]:
    """Return a function that asks a bot for a decision; when bots end, nothing that they started may live on."""
    states = PEBBLES.new_states(1)
    batch.deal_rows(states, PEBBLES.rules.configure(num_players=2), np.arange(1))
    views = Views(PEBBLES, states, range(1))

    def decision(name: str) -> None:
        actions, _ = hosted.decide(f"{folder}/bots.py:{name}", views)
        assert actions.tolist() == [views[0].mask.argmax()]

    try:
        yield decision
    finally:
        hosted.end_bots()
    wait_until(lambda: len(marked(os.environ[MARK])) == 1)


def marked(mark: str) -> list[str]:
    """Return all processes that have a mark and have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:  # it has ended
            pass
    return found


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("TakeMemory", f"used more than {MEMORY} MB of memory"), ("Many", "started too many processes")],
)
def test_orphans_count_as_what_a_bot_uses(
    name: str, reason: str, ask: Callable[[str], None], trials: Callable[[int, int], int]
) -> None:
    for _ in range(trials(1, 3)):
        with pytest.raises(AgentError, match=f"{name}' in seat 0 {reason}$"):
            ask(name)


def test_orphans_that_have_ended_are_collected(ask: Callable[[str], None], trials: Callable[[int, int], int]) -> None:
    for _ in range(trials(1, 10)):
        ask("ShortLived")


def state_of(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def test_processes_that_leave_the_group_of_a_bot_stand_still_between_decisions(
    ask: Callable[[str], None], folder: Path, trials: Callable[[int, int], int]
) -> None:
    for _ in range(trials(3, 100)):
        ask("Working")  # it waits until both work again
        numbers = [int((folder / f"{name}.process").read_text(encoding="utf-8")) for name in ("orphan", "child")]
        wait_until(lambda: all(state_of(number) == "T" for number in numbers))  # noqa: B023  # called here


def test_processes_that_flee_do_not_outlive_a_bot(
    hosted: HostedBots, ask: Callable[[str], None], trials: Callable[[int, int], int]
) -> None:
    for _ in range(trials(1, 20)):
        ask("Fleeing")
        hosted.end_bots()
        assert len(marked(os.environ[MARK])) == 1
