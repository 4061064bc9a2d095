"""Bots that mean harm forfeit their games at most: the tournament goes on, and nobody else's game changes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from olb_env.commands.olb import main
from olb_env.core import batch
from olb_env.playing import Views, bot_connection, decide, hosted_bots, make_agent
from olb_training.arena.schedule import Plan, units
from olb_training.arena.worker import UnitResult, end_bots, play_units
from tests.support.paths import python_path
from tests.support.running import OLB_WITH_SIGINT
from tests.support.toy_game import PEBBLES

MARK = "OLB_TEST_MARK"  # an environment variable that all processes of a command inherit
SMALL = 640  # megabytes: little, so that it is soon used up

FORFEITS = {
    "Exits": "ended its process with exit code 3",
    "ExitsCleanly": "ended its process with exit code 0",
    "SystemExits": "failed with SystemExit: 5",
    "Interrupts": "failed with KeyboardInterrupt",
    "Aborts": "ended its process with SIGABRT",
    "Segfaults": "ended its process with SIGSEGV",
    "KillsItself": "ended its process with SIGKILL",
    "KillsItsGroup": "ended its process with SIGKILL",
    "TakesMemory": "failed with (_Array)?MemoryError",
    "TakesMemoryInC": "ended its process with SIGSEGV",
    "SharesMemory": "used more than 640 MB of memory",
    "LetsChildrenTakeMemory": "used more than 640 MB of memory",
    "LetsOrphansTakeMemory": "used more than 640 MB of memory",
    "LeavesManyOrphans": "started too many processes",
    "ForksALot": "started too many processes",
    "Recurses": "ended its process with SIGSEGV",
    "Answers": "wrote something else than answers to its connection",
    "ClosesAll": "ended its process with exit code 1",
    "KillsItsParent": "ended the process that watches it",
    "StopsItsParent": "stopped the process that watches it",
    "RaisesTheUnprintable": "ended its process with exit code 4",
    "Babbles": r"failed with RuntimeError: \\x1b\[31m xxx",  # texts are separated by the character 0
}
SLOW = (
    "ForksALot",
    "TakesMemory",
    "TakesMemoryInC",
    "SharesMemory",
    "LetsChildrenTakeMemory",
    "LetsOrphansTakeMemory",
    "LeavesManyOrphans",
)
HANGS = ("StopsItself", "Hangs", "HangsUp", "Spins")
PLAY_ON = (
    "Floods",
    "LeavesThreads",
    "LeavesProcesses",
    "LeavesShortLivedOrphans",
    "Forks",
    "WritesOverViews",
    "ChangesLibraries",
    "SignalsItsParent",
    "Searches",
)


READER = """
from hashlib import sha256

class Reader:
    def act(self, view):
        parts = (view.observation, view.mask, view.clone(), view.clone(3))
        digest = sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
        with open(__file__ + ".log", "a") as log:
            log.write(f"{view.seat} {view.seed} {digest} {view.rng.integers(2**60)} {view.legal}\\n")
        return view.legal[0]
"""


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the path of a copy of the bots; what they leave behind must end with them."""
    monkeypatch.setattr(bot_connection, "GRACE_SECONDS", 0.2)
    file = tmp_path / "bots.py"
    shutil.copy(Path(__file__).with_name("harmful_bots.py"), file)
    yield str(file)
    end_bots()
    assert living(lambda folder: str(file).encode() in (folder / "cmdline").read_bytes()) == []


def living(chosen: Callable[[Path], bool]) -> list[str]:
    """Return the commands of all processes that are chosen by their folder in /proc."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if chosen(folder):
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:300])
        except OSError:  # it has ended
            pass
    return found


def contest(*agents: str, deals: int, **settings: Any) -> Plan:
    return Plan(PEBBLES.name, agents, 2, deals, 1, **settings)


def played(plan: Plan) -> list[UnitResult]:
    """Return all results, without what depends on the clock."""
    return [replace(result, seconds=[]) for result in play_units(plan, list(units(plan)))]


def without_reasons(results: list[UnitResult]) -> list[UnitResult]:
    return [
        replace(result, forfeits=[(game, seat, "") for game, seat, _ in result.forfeits], decisions=[])
        for result in results
    ]


def reasons(results: list[UnitResult]) -> set[str]:
    return {reason for result in results for _, _, reason in result.forfeits}


def every(names: Iterable[str], *slow: str) -> list[Any]:
    """Return parameters for these names; those that take long are left out in plain Python."""
    return [pytest.param(name, marks=[pytest.mark.compiled] if name in slow else []) for name in names]


@pytest.mark.parametrize("name", every(FORFEITS, *SLOW))
def test_a_bot_that_fails_in_any_way_forfeits_and_nothing_else_changes(
    name: str, bots: str, trials: Callable[[int, int], int]
) -> None:
    deals = trials(1, 1 if name in SLOW else 4)
    others = ["random", f"{bots}:First"][:deals]  # one for the quick test
    limit = {"memory_limit": SMALL} if "Memory" in name else {}
    found = played(contest(f"{bots}:{name}", *others, deals=deals, **limit))
    expected = played(contest(f"{bots}:Harmless", *others, deals=deals))
    assert without_reasons(found) == without_reasons(expected)
    for reason in reasons(found):
        assert re.search(FORFEITS[name], reason), reason
        assert reason.startswith(f"agent '{bots}:{name}'")
        assert len(reason) <= hosted_bots.MAX_REASON
        assert reason.isprintable()


@pytest.mark.parametrize("name", every(HANGS))
def test_a_bot_that_never_answers_forfeits(name: str, bots: str, trials: Callable[[int, int], int]) -> None:
    deals = trials(1, 5)
    found = played(contest(f"{bots}:{name}", "random", deals=deals, move_limit=0.3))
    expected = played(contest(f"{bots}:Harmless", "random", deals=deals))
    assert without_reasons(found) == without_reasons(expected)
    assert reasons(found) == {f"agent '{bots}:{name}' took longer than 0.3 s for a decision"}


def test_a_bot_that_never_answers_forfeits_even_without_a_limit(bots: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_bots, "LONGEST_DECISION", 0.5)
    found = played(contest(f"{bots}:Hangs", "random", deals=1))
    assert reasons(found) == {f"agent '{bots}:Hangs' took longer than 300 s for a decision"}
    assert sum(len(result.forfeits) for result in found) == 2


@pytest.mark.parametrize("name", every(PLAY_ON, "Searches"))
def test_a_bot_that_plays_on_changes_nothing(
    name: str, bots: str, trials: Callable[[int, int], int], capfd: pytest.CaptureFixture[str]
) -> None:
    deals = trials(1, 5)
    found = played(contest(f"{bots}:{name}", "random", f"{bots}:First", deals=deals))
    expected = played(contest(f"{bots}:First", "random", f"{bots}:First", deals=deals))
    assert [result.forfeits for result in found] == [[] for _ in found]
    assert found == expected
    shown = capfd.readouterr()
    assert shown.out == ""
    assert len(shown.err) < 100_000
    if name == "Searches":
        notes = Path(bots).with_name("found").read_text(encoding="utf-8").split("\n")[:-1]
        assert notes
        assert all(re.fullmatch(r"[1-9]\d* 0", note) for note in notes)  # its own states, and no others


def test_a_bot_cannot_blame_others(bots: str) -> None:
    found = played(contest(f"{bots}:Lies", "random", deals=1))
    assert reasons(found) == {f"agent '{bots}:Lies' failed"}


def test_views_are_the_same_in_the_process_of_a_bot(bots: str) -> None:
    """What a bot reads there, bit by bit, is what an object in this process reads."""
    file = Path(bots).with_name("reader.py")
    file.write_text(READER, encoding="utf-8")
    states = PEBBLES.new_states(20)
    batch.deal_rows(states, PEBBLES.rules.configure(num_players=3), np.arange(20))
    views = Views(PEBBLES, states, range(100, 120))
    hosted = hosted_bots.HostedBots(PEBBLES)
    try:
        there, _ = hosted.decide(f"{file}:Reader", views)
    finally:
        hosted.close()
    log = Path(f"{file}.log")
    read_there = log.read_text(encoding="utf-8")
    log.unlink()
    here = decide(make_agent(f"{file}:Reader"), "reader", views)
    assert here.tolist() == there.tolist()
    assert log.read_text(encoding="utf-8") == read_there
    assert read_there.count("\n") == 20


def command(*words: str, folder: Path, mark: str) -> subprocess.Popen[str]:
    """Start `olb` in a process of its own; all processes that it starts carry a mark."""
    return subprocess.Popen(
        [sys.executable, "-c", "import tests.support.toy_game;" + OLB_WITH_SIGINT, "arena", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": python_path(), MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def assert_nothing_lives(mark: str) -> None:
    """Wait until all processes with a mark have ended; some end a moment after the command."""
    deadline = time.monotonic() + 60
    while found := living(lambda folder: f"{MARK}={mark}".encode() in (folder / "environ").read_bytes()):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def arena(*words: str, folder: Path, code: int = 0) -> tuple[dict[str, Any] | None, str]:
    """Run a tournament; return its report without times, and what it wrote to standard error."""
    mark = uuid.uuid4().hex
    process = command("--game", PEBBLES.name, *words, "--json", "-", folder=folder, mark=mark)
    out, err = process.communicate(timeout=500)
    assert process.returncode == code, err
    assert "Traceback" not in err
    assert_nothing_lives(mark)
    report = json.loads(out) if out else None
    for row in report["rows"] if report else []:
        del row["milliseconds"]
    return report, err


MANY = (
    "Exits",
    "KillsItsParent",
    "LeavesProcesses",
    "TakesMemory",
    "Floods",
    "LeavesThreads",
    "StopsItsParent",
)


@pytest.mark.compiled
def test_many_of_them_in_a_tournament_with_any_number_of_workers(bots: str, trials: Callable[[int, int], int]) -> None:
    names = MANY[: trials(3, len(MANY))]
    words = ("--agents", "random", *(f"bots.py:{name}" for name in names), "--deals", "2")
    words += ("--memory-limit", str(SMALL), "--move-limit", "60")
    one, err = arena(*words, "--workers", "1", folder=Path(bots).parent)
    several, _ = arena(*words, "--workers", "3", folder=Path(bots).parent)
    assert one == several
    assert one is not None
    assert len(err) < 100_000
    forfeits = {row["agent"].removeprefix("bots.py:"): row for row in one["rows"]}
    for name in names:
        row = forfeits[name]
        assert (row["forfeits"] == row["games"]) == (name in FORFEITS), row
        assert name not in FORFEITS or re.search(FORFEITS[name], row["first_forfeit"]), row
    assert forfeits["random"]["forfeits"] == 0


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["KillsWorkersOnce", "KillsTheServer"])
def test_games_that_are_lost_with_other_processes_are_played_again(
    name: str, bots: str, trials: Callable[[int, int], int]
) -> None:
    words = ("random", "--deals", str(trials(4, 30)), "--workers", "2")
    found, _ = arena("--agents", f"bots.py:{name}", *words, "--resume", "run", folder=Path(bots).parent)
    expected, _ = arena("--agents", "bots.py:First", *words, folder=Path(bots).parent)
    if name == "KillsTheServer":  # nobody promises that such a bot does not lose its own games
        assert found is not None
        assert found["deals"] == int(words[2])
        assert {row["agent"]: row["forfeits"] for row in found["rows"]}["random"] == 0
    else:
        assert json.dumps(found).replace(name, "First") == json.dumps(expected)


@pytest.mark.compiled
def test_a_run_whose_workers_always_die_ends_in_a_line_and_goes_on_later(bots: str) -> None:
    folder = Path(bots).parent
    words = ("--agents", "bots.py:KillsWorkers", "random", "--deals", "4", "--workers", "2", "--resume", "run")
    _, err = arena(*words, "--records", "games", folder=folder, code=2)
    assert "worker processes die again and again (try fewer --workers); stopped after 0 deals; continue with" in err
    text = Path(bots).read_text(encoding="utf-8")
    Path(bots).write_text(
        text.replace("class KillsWorkers(", "class Old(") + "KillsWorkers = First\n", encoding="utf-8"
    )
    found, _ = arena(*words, "--records", "games", folder=folder)
    expected, _ = arena("--agents", "bots.py:First", "random", "--deals", "4", folder=folder)
    assert json.dumps(found).replace("KillsWorkers", "First") == json.dumps(expected)


@pytest.mark.compiled
@pytest.mark.parametrize(("workers", "number"), [("2", signal.SIGINT), ("1", signal.SIGKILL)])
def test_no_process_outlives_a_run_that_is_ended(
    workers: str, number: signal.Signals, bots: str, trials: Callable[[int, int], int]
) -> None:
    """One bot hangs, the other has left processes behind, and then the command gets a signal."""
    folder = Path(bots).parent
    for _ in range(trials(1, 3)):
        (folder / "asked").unlink(missing_ok=True)
        end_a_run(workers, number, Path(bots))


def end_a_run(workers: str, number: signal.Signals, bots: Path) -> None:
    mark, folder = uuid.uuid4().hex, bots.parent
    noting = "open('asked', 'w').close(); signal.pthread_sigmask"
    bots.write_text(bots.read_text("utf-8").replace("signal.pthread_sigmask", noting), "utf-8")
    words = ("--game", PEBBLES.name, "--agents", "bots.py:LeavesProcesses", "bots.py:Hangs", "--workers", workers)
    process = command(*words, folder=folder, mark=mark)
    deadline = time.monotonic() + 300
    while not (folder / "asked").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, number)  # the command and its workers, as in a terminal
    _, err = process.communicate(timeout=300)
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    assert "Traceback" not in err
    assert_nothing_lives(mark)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import os; os._exit(7)", "it ended its process with exit code 7"),
        ("import os; os.abort()", "it ended its process with SIGABRT"),
        ("raise KeyboardInterrupt", "(KeyboardInterrupt: )"),
        ("import olb_env.playing.registry as r; r._load_module = None", "has no class Bot"),
        ("class Bot: pass", "has no method act(view)"),
        ("class Bot:\n    act = len\n    def check(self, game): raise ValueError('not this one')", "not this one"),
        ("x = bytearray(10 ** 12)", "MemoryError"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_refused_in_a_line(
    text: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.py").write_text(text, encoding="utf-8")
    words = ["arena", "--game", PEBBLES.name, "--agents", f"{tmp_path}/bot.py:Bot", "random", "--deals", "2"]
    assert main(words) == 2
    shown = capfd.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1
