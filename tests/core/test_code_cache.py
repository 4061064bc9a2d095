"""The cache of machine code: where it is, what is loaded from it, and what happens when a part of it is unusable."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olb_env.commands.olb import INTERRUPTED
from olb_env.core import cache_folders, compile_events
from olb_env.core.checking import shortened
from olb_env.core.compiling import kernel
from tests.support.paths import python_path

# It does what its argument says, and then calls a small kernel.
PROGRAM = """
import os, resource, signal, sys
from numba.core import event
from olb_env.core import compile_events
from olb_env.core.cache_folders import cache_folder
from olb_env.core.compiling import kernel

compile_events.QUIET_SECONDS = 3600  # however slow this machine is

class Interrupter(event.Listener):
    compiling = False

    def on_start(self, compilation):
        self.compiling = True
        os.kill(os.getpid(), signal.SIGINT)

    def on_end(self, compilation):
        self.compiling = False

@kernel
def triple(number):
    return 3 * number

signal.signal(signal.SIGINT, signal.default_int_handler)
interrupter = Interrupter()
exec(sys.argv[1])
print(triple(14), sum(triple.stats.cache_hits.values()))
"""

# Ctrl-C arrives while LLVM makes machine code.
INTERRUPT_LLVM = """
from llvmlite.binding import executionengine
copied = executionengine.string_at

def interrupted(*arguments):
    if interrupter.compiling:
        os.kill(os.getpid(), signal.SIGINT)
    return copied(*arguments)

executionengine.string_at = interrupted  # called when machine code is ready
interrupter.on_start = lambda compilation: setattr(interrupter, "compiling", True)
event.register("numba:compile", interrupter)
"""

# A command that says when it begins to compile.
ANNOUNCED = """
import signal, sys
from numba.core import event
from olb_env.commands.olb import main

class Announcer(event.Listener):
    said = False

    def on_start(self, compilation):
        if not self.said:
            self.said = True
            print("compiling", file=sys.stderr, flush=True)

    def on_end(self, compilation):
        pass

event.register("numba:compile", Announcer())
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""

INTERRUPT_COMMAND = """
from olb_env.commands.olb import main
event.register("numba:compile", interrupter)
sys.exit(main(["record", "--games", "1", "--out", "-"]))
"""

# Two of these find nothing in the cache, and then compile at the same time.
WAIT = """
interrupter.on_start = lambda compilation: (print("compiling", flush=True), input())
event.register("numba:compile", interrupter)
"""

TRY_AGAIN = """
event.register("numba:compile", interrupter)
try:
    triple(14)
except KeyboardInterrupt:
    print("interrupted")
event.unregister("numba:compile", interrupter)
"""


class Hostile:
    """An object whose pickle makes a file when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.mark,)


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Let the cache be chosen anew, and return what NUMBA_CACHE_DIR names and the user's own cache."""
    set_by_user, user_cache = tmp_path / "set_by_user", tmp_path / "user" / "olb_env"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(set_by_user))
    monkeypatch.setattr(cache_folders.platformdirs, "user_cache_dir", lambda _: str(user_cache))
    monkeypatch.setattr(cache_folders, "_folder", None)
    monkeypatch.setattr(compile_events, "QUIET_SECONDS", 3600)  # however slow this machine is
    return set_by_user, user_cache


def make_open(folder: Path) -> None:
    """Create a folder that everybody may write to."""
    folder.mkdir(parents=True)
    folder.chmod(0o777)


def block(folder: Path) -> None:
    """Let a file be where a folder is expected."""
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("not a folder", encoding="utf-8")


def start(tmp_path: Path, before: str = "", **variables: str) -> subprocess.Popen[str]:
    """Start the program, which does something before it calls its kernel."""
    file = tmp_path / "program.py"  # always the same, so that it finds its machine code
    file.write_text(PROGRAM, encoding="utf-8")
    folders = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(tmp_path), "PYTHONPATH": python_path()}
    return subprocess.Popen(
        [sys.executable, str(file), before],
        env={**os.environ, **folders, **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(tmp_path: Path, before: str = "", **variables: str) -> tuple[int, str, str]:
    """Run the program, and return its exit code and what it wrote to stdout and stderr."""
    process = start(tmp_path, before, **variables)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def entries(folder: Path) -> list[Path]:
    """Return the files of a cache, but not its folders."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def write_entry(path: Path, pickled: bytes) -> None:
    """Write a file of the cache that is as it was saved."""
    path.write_bytes(hashlib.sha256(pickled).digest() + pickled)


def plant(folder: Path, mark: Path) -> None:
    """Replace the files of a cache by some that make a mark when they are loaded."""
    assert entries(folder)
    for path in entries(folder):
        write_entry(path, pickle.dumps(Hostile(mark)))


def test_the_cache_is_in_the_folder_that_the_user_names_and_closed_to_others(roots: tuple[Path, Path]) -> None:
    folder = cache_folders.cache_folder()
    assert folder.parent == roots[0]
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(roots[0].stat().st_mode) == 0o700


def test_a_cache_folder_that_cannot_be_used_is_skipped(
    roots: tuple[Path, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    block(roots[0])
    assert cache_folders.cache_folder().parent == roots[1]
    assert capfd.readouterr().err == ""


def test_a_cache_folder_that_others_may_write_to_is_skipped_and_named_once(
    roots: tuple[Path, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    make_open(roots[0])
    assert cache_folders.cache_folder().parent == cache_folders.cache_folder().parent == roots[1]
    assert not list(roots[0].iterdir())
    reason = f"others may write to {shortened(roots[0])}: close it with chmod go-w"
    assert capfd.readouterr().err == f"olb_env: machine code is kept elsewhere, since {reason}\n"


def test_a_folder_that_others_may_write_to_within_a_private_one_is_skipped(
    roots: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    within = cache_folders.cache_folder()
    within.chmod(0o777)
    monkeypatch.setattr(cache_folders, "_folder", None)
    assert cache_folders.cache_folder().parent == roots[1]
    assert f"others may write to {shortened(within)}" in capfd.readouterr().err


def test_no_cache_folder_of_another_user_is_used(
    roots: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    folder = cache_folders.cache_folder()
    assert not any(folder.is_relative_to(root) for root in roots)
    assert capfd.readouterr().err.count(" belongs to another user: use a folder of your own\n") == 2


def test_without_another_choice_the_cache_is_a_new_private_folder(
    roots: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for root in roots:
        block(root)
    monkeypatch.setattr(cache_folders.tempfile, "tempdir", str(tmp_path))
    folder = cache_folders.cache_folder()
    assert folder.parent == tmp_path
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    monkeypatch.setattr(cache_folders, "_folder", None)
    assert cache_folders.cache_folder() != folder


def test_old_cache_folders_are_deleted_and_other_folders_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for age in range(12):
        folder = tmp_path / f"{age:016x}-3.11.0-1-1-1"
        folder.mkdir()
        os.utime(folder, (1000 - age, 1000 - age))
    (tmp_path / "other").mkdir()
    (tmp_path / "sixteen-letters!-of-some-body-else").mkdir()
    os.utime(tmp_path / "sixteen-letters!-of-some-body-else", (1, 1))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache_folders, "_folder", None)
    used = cache_folders.cache_folder()
    left = {path.name for path in tmp_path.iterdir()}
    assert used.name in left
    assert "other" in left
    assert f"{0:016x}-3.11.0-1-1-1" in left
    assert len(left) == cache_folders.KEPT_FOLDERS + 2


def change_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-2000] ^= 1
    path.write_bytes(content)


def double(number: int) -> int:
    return 2 * number


def hits() -> int:
    """Call a new kernel, and return how often it was loaded from the cache, which is once or never."""
    compiled: Any = kernel(double)
    assert compiled(21) == 42
    return sum(compiled.stats.cache_hits.values())


DAMAGE: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "without a digest": lambda path: path.write_bytes(path.read_bytes()[:10]),
    "empty": lambda path: path.write_bytes(b""),
    "a byte changed": change_a_byte,
    "text": lambda path: path.write_text("not machine code", encoding="utf-8"),
    "of a module that is gone": lambda path: write_entry(path, b"cgone\nname\n."),
    "of other sources": lambda path: write_entry(path, pickle.dumps((b"", 0, 0))),
    "open to others": lambda path: path.chmod(0o666),
    "in an open folder": lambda path: path.parent.chmod(0o777),
    "gone with its folder": lambda path: shutil.rmtree(path.parent),
    "no longer there": Path.unlink,
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a link to nothing": lambda path: (path.unlink(), path.symlink_to("nothing")),
    "below a file": lambda path: (shutil.rmtree(path.parent), path.parent.write_text("", encoding="utf-8")),
}
LASTING = ("in an open folder", "a folder", "below a file")  # damage that saving again does not repair


@pytest.mark.compiled
@pytest.mark.usefixtures("roots")
@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_wrong_with_a_file_of_the_cache_only_costs_time(damage: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert [hits(), hits()] == [0, 1]
    (entry,) = entries(cache_folders.cache_folder())
    DAMAGE[damage](entry)
    assert [hits(), hits()] == [0, int(damage not in LASTING)]
    assert capfd.readouterr().err == ""


@pytest.mark.compiled
@pytest.mark.usefixtures("roots")
def test_a_function_without_a_file_is_compiled_but_not_kept() -> None:
    found: dict[str, Any] = {"__name__": "__main__"}
    exec("def half(number): return number // 2", found)  # noqa: S102
    compiled = kernel(found["half"])
    assert compiled(84) == 42
    assert not entries(cache_folders.cache_folder())


@pytest.mark.compiled
@pytest.mark.usefixtures("roots")
def test_recompiling_does_not_load_what_was_kept() -> None:
    assert hits() == 0
    compiled: Any = kernel(double)
    compiled(21)
    compiled.recompile()
    assert sum(compiled.stats.cache_misses.values()) == 1


@pytest.mark.compiled
@pytest.mark.usefixtures("roots")
def test_an_interrupt_while_saving_leaves_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            hits()
    assert not entries(cache_folders.cache_folder())
    assert [hits(), hits()] == [0, 1]


@pytest.mark.compiled
@pytest.mark.usefixtures("roots")
def test_a_kernel_runs_though_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    for name in ("mkdtemp", "mkstemp", "TemporaryFile"):
        monkeypatch.setattr(cache_folders.tempfile, name, refuse)
    assert [hits(), hits()] == [0, 0]
    assert capfd.readouterr().err == ""


@pytest.mark.compiled
@pytest.mark.parametrize("lasting", [True, False])
def test_what_is_announced_says_how_long_machine_code_is_kept(
    roots: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *, lasting: bool
) -> None:
    class Timer(threading.Timer):
        def start(self) -> None:
            self.function()

    if not lasting:
        monkeypatch.setattr(cache_folders, "_usable", lambda *_: False)
    monkeypatch.setattr(compile_events.threading, "Timer", Timer)
    assert hits() == 0
    began, ended = capfd.readouterr().err.splitlines()
    once, where = (" (only once)", f"in {cache_folders.cache_folder()}") if lasting else ("", "until this process ends")
    assert began == f"olb_env: compiling the rules for this machine{once} ..."
    assert re.match(rf"olb_env: compiled in [\d.]+ s, kept {re.escape(where)}", ended)


@pytest.mark.compiled
def test_a_kernel_runs_though_the_disk_is_full(tmp_path: Path) -> None:
    full = "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    assert run(tmp_path, full) == (0, "42 0\n", "")
    assert not entries(tmp_path / "cache")


@pytest.mark.compiled
def test_two_processes_can_fill_the_cache_at_the_same_time(tmp_path: Path) -> None:
    both = [start(tmp_path, WAIT) for _ in range(2)]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "compiling\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate(timeout=300) for process in both] == [("42 0\n", "")] * 2
    assert [process.returncode for process in both] == [0, 0]
    assert len(entries(tmp_path / "cache")) == 1


@pytest.mark.compiled
@pytest.mark.parametrize("place", ["the folder itself", "the folder of this version", "the folder of a source file"])
def test_nothing_is_loaded_where_others_may_write(
    roots: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    mark = tmp_path / "mark"
    assert hits() == 0
    folder = cache_folders.cache_folder()
    plant(folder, mark)
    assert hits() == 0
    assert mark.exists()  # what is planted does harm in a folder that is trusted
    mark.unlink()
    plant(folder, mark)
    {
        "the folder itself": roots[0],
        "the folder of this version": folder,
        "the folder of a source file": entries(folder)[0].parent,
    }[place].chmod(0o777)
    monkeypatch.setattr(cache_folders, "_folder", None)
    assert hits() == 0
    assert not mark.exists()


@pytest.mark.compiled
def test_a_temporary_folder_cannot_be_prepared_by_others_and_is_deleted(tmp_path: Path) -> None:
    guessable, blocked, mark = tmp_path / f"olb_env-{os.getuid()}", tmp_path / "blocked", tmp_path / "mark"
    assert run(tmp_path, NUMBA_CACHE_DIR=str(guessable)) == (0, "42 0\n", "")
    plant(guessable, mark)
    guessable.chmod(0o777)
    block(blocked)
    where = "print(cache_folder().parent, oct(cache_folder().stat().st_mode))"
    code, out, err = run(tmp_path, where, NUMBA_CACHE_DIR=str(blocked), XDG_CACHE_HOME=str(blocked))
    assert (code, out, err) == (0, f"{tmp_path} 0o40700\n42 0\n", "")
    assert list(tmp_path.glob("olb_env-*")) == [guessable]
    assert not mark.exists()


@pytest.mark.compiled
def test_ctrl_c_stops_a_compilation_which_can_begin_again(tmp_path: Path) -> None:
    assert run(tmp_path, TRY_AGAIN) == (0, "interrupted\n42 0\n", "")
    assert len(entries(tmp_path / "cache")) == 1


@pytest.mark.compiled
def test_ctrl_c_within_llvm_waits_for_the_kernel_which_is_kept(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, INTERRUPT_LLVM)
    assert (code, out) == (-signal.SIGINT, "")
    assert err.endswith("KeyboardInterrupt\n")
    assert "ignored" not in err
    assert len(entries(tmp_path / "cache")) == 1


@pytest.mark.compiled
def test_ctrl_c_at_any_moment_of_a_compilation_only_stops(tmp_path: Path, trials: Callable[[int, int], int]) -> None:
    """A command that compiles everything anew ends with its own message; it never crashes."""
    rng, variables = random.Random(1), {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": python_path()}
    for _ in range(trials(2, 30)):
        process = subprocess.Popen(
            [sys.executable, "-c", ANNOUNCED, "record", "--game", "wobbly_bridge", "--out", str(tmp_path / "games")],
            env=os.environ | variables, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stderr is not None
        assert process.stderr.readline() == "compiling\n"
        time.sleep(rng.uniform(0, 2))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
        assert process.returncode in (0, INTERRUPTED), err
        assert "Traceback" not in err
        shutil.rmtree(tmp_path / "cache")


@pytest.mark.compiled
def test_ctrl_c_stops_a_command_that_compiles(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, INTERRUPT_COMMAND)
    assert (code, out) == (INTERRUPTED, "")
    assert "olb record: interrupted" in err
    assert "Traceback" not in err
