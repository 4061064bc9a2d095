"""The parts of the processes of bots, one by one and in this process; tests/arena has them together, and attacked."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.playing import Views, bot_messages, process_tree
from olb_env.playing.bot_keeper import LONGEST_LINE, PRINTED_BYTES, _Printer, new_allowance
from olb_env.playing.bot_process import answer_requests
from olb_env.playing.bot_server import modules_of
from tests.support.toy_game import PEBBLES


def views_of(count: int) -> Views:
    states = PEBBLES.new_states(count)
    batch.deal_rows(states, PEBBLES.rules.configure(num_players=2), np.arange(count))
    return Views(PEBBLES, states, range(count))


@pytest.fixture
def caller() -> Iterator[socket.socket]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(60)
        yield ours


def answer(connection: socket.socket) -> tuple[int, int, bytes]:
    number, kind, length = bot_messages.HEAD.unpack(bot_messages.receive_exactly(connection, bot_messages.HEAD.size))
    return number, kind, bot_messages.receive_exactly(connection, length)


def talk(name: str, *requests: bytes) -> list[tuple[int, int, bytes]]:
    """Return the answers of a bot to some requests, the first when it is loaded."""
    ours, theirs = socket.socketpair()
    ours.settimeout(60)
    thread = threading.Thread(target=answer_requests, args=(theirs, name, PEBBLES), daemon=True)
    with ours:
        thread.start()
        answers = [answer(ours)]
        for request in requests:
            ours.sendall(request)
            answers.append(answer(ours))
    thread.join(60)
    theirs.close()
    return answers


def test_a_bot_answers_requests_until_its_caller_leaves() -> None:
    loaded, first, second = talk(
        "tests.support.some_agents:Last",
        bot_messages.request(7, views_of(3)),
        bot_messages.request(8, views_of(1)),
    )
    assert loaded == (0, bot_messages.READY, b"")
    assert first == (7, bot_messages.ACTIONS, np.full(3, 2).tobytes())
    assert second == (8, bot_messages.ACTIONS, np.full(1, 2).tobytes())


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("Broken", bot_messages.FAILED, "agent '{}' in seat 0 failed with RuntimeError: no idea"),
        ("Cheat", bot_messages.FAILED, "agent '{}' in seat 0 chose 'fly': expected one of take 1, take 2, take 3"),
        ("OutOfMemory", bot_messages.EXHAUSTED, "agent '{}' in seat 0 failed with MemoryError: "),
        ("Interrupts", bot_messages.FAILED, "agent '{}' failed with KeyboardInterrupt: stop"),
    ],
)
def test_failures_become_short_texts(name: str, kind: int, text: str, tmp_path: Path) -> None:
    module = "tests.support.some_agents"
    if name in ("OutOfMemory", "Interrupts"):
        error = {"OutOfMemory": "MemoryError", "Interrupts": "KeyboardInterrupt('stop')"}[name]
        (tmp_path / "bot.py").write_text(f"class {name}:\n    def act(self, view):\n        raise {error}\n")
        module = f"{tmp_path}/bot.py"
    _, (number, found, content) = talk(f"{module}:{name}", bot_messages.request(1, views_of(1)))
    assert (number, found) == (1, kind)
    assert bot_messages.read_texts(content)[0] == text.format(f"{module}:{name}")


def test_a_bot_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    ((_, kind, content),) = talk("tests.support.some_agents:Nobody")
    assert kind == bot_messages.REFUSED
    assert "it has no class Nobody" in bot_messages.read_texts(content)[0]
    (tmp_path / "bot.py").write_text("raise KeyboardInterrupt")
    ((_, kind, content),) = talk(f"{tmp_path}/bot.py:Bot")
    assert kind == bot_messages.REFUSED
    assert "(KeyboardInterrupt: )" in bot_messages.read_texts(content)[0]


def test_a_request_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="3 bytes for 2 views: expected"):
        bot_messages.ReceivedViews(PEBBLES, 2, b"abc")


def test_texts_are_cut_off() -> None:
    text = bot_messages.text_answer(1, bot_messages.FAILED, "é" * 10_000, "\0" * 10_000)
    assert len(text) <= bot_messages.HEAD.size + bot_messages.MAX_TEXT
    message, public = bot_messages.read_texts(text[bot_messages.HEAD.size :])
    assert set(message) <= {"é", "\ufffd"}
    assert set(public) == {" "}


def test_a_closed_connection_is_no_answer(caller: socket.socket) -> None:
    assert bot_messages.readable((caller,), 0) == []
    caller.shutdown(socket.SHUT_RDWR)
    assert bot_messages.readable((caller,), 0) == [caller]
    with pytest.raises(EOFError):
        bot_messages.receive_exactly(caller, 1)


def printed(allowance: int, *parts: bytes) -> None:
    """Let a bot print, in a process of its own so far as its keeper can tell."""
    reading, writing = os.pipe()
    printer = _Printer("bot.py:Bot", reading, allowance)
    assert printer.read()  # nothing yet
    for part in parts:
        os.write(writing, part)
        assert printer.read()
    os.close(writing)
    printer.finish()
    os.close(reading)


@pytest.fixture
def allowance() -> Iterator[int]:
    descriptor = new_allowance()
    yield descriptor
    os.close(descriptor)


THE_REST = "bot.py:Bot: (the rest of what it prints is not shown)\n"


def test_what_a_bot_prints_is_shown_line_by_line(allowance: int, capfd: pytest.CaptureFixture[str]) -> None:
    printed(allowance, b"one\ntwo \x1b[2J\xff\nthr", b"ee")
    assert capfd.readouterr().err == "bot.py:Bot: one\nbot.py:Bot: two \\x1b[2J\ufffd\nbot.py:Bot: three\n"
    printed(allowance, b"<" + b"x" * 3 * LONGEST_LINE + b">\n")
    line = capfd.readouterr().err.removeprefix("bot.py:Bot: ").removesuffix("\n")
    assert len(line) == LONGEST_LINE
    assert re.fullmatch("<x+…x+>", line)


@pytest.mark.parametrize("size", [1, 99, 2500, 3333, PRINTED_BYTES - 1])
def test_a_number_of_bytes_of_what_a_bot_prints_is_shown(
    size: int, allowance: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """All parts are taken from the same allowance, whichever process of the bot prints them."""
    text = b"".join(f"{number:099}\n".encode() for number in range(PRINTED_BYTES // 100))
    printed(allowance, text[:size])
    printed(allowance, *(text[begin : begin + size] for begin in range(size, min(20 * size, PRINTED_BYTES), size)))
    printed(allowance, text[20 * size :])
    shown = capfd.readouterr().err
    assert shown.replace("bot.py:Bot: ", "").replace("\n", "") == text.decode().replace("\n", "")
    assert THE_REST not in shown
    printed(allowance)  # nothing is left, and nothing is dropped
    assert capfd.readouterr().err == ""
    printed(allowance, b"x", b"more\n")
    printed(allowance, b"more\n")
    assert capfd.readouterr().err == THE_REST


def test_what_exceeds_the_allowance_is_dropped_at_that_byte(allowance: int, capfd: pytest.CaptureFixture[str]) -> None:
    printed(allowance, b"x\n" * (PRINTED_BYTES // 2 - 1) + b"yz!\n" * 5000)
    shown = capfd.readouterr().err
    assert shown == "bot.py:Bot: x\n" * (PRINTED_BYTES // 2 - 1) + "bot.py:Bot: yz\n" + THE_REST
    printed(allowance, b"more\n")
    assert capfd.readouterr().err == ""


SLEEPS = "import time; time.sleep(1000)"
STARTS = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', '{SLEEPS}']); print('ready', flush=True)"
TREE = f"{STARTS}; {SLEEPS}"


def test_descendants_are_found_measured_and_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", TREE], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        below = process_tree.descendants(process.pid)
        assert len(below) == 1
        assert process_tree.descendants_of_all_threads(process.pid) == below
        assert process_tree.descendants(os.getpid()) >= {process.pid, *below}
        assert not process_tree.descendants(os.getpid(), spared=[process.pid]) & {process.pid, *below}
        most = process_tree.memory_of([process.pid, *below], limit=2**60)
        shared = process_tree.memory_of([process.pid, *below], limit=0)
        assert 2**20 < shared <= most < 2**30
        assert not process_tree.is_stopped(process.pid)
        os.kill(process.pid, signal.SIGSTOP)
        deadline = time.monotonic() + 60
        while not process_tree.is_stopped(process.pid):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process_tree.end_all(lambda: process_tree.descendants(process.pid), 0.5)  # its parent is asked to collect it
        process.kill()
    assert not process_tree.is_stopped(process.pid)
    assert process_tree.memory_of([process.pid], limit=0) == 0


def test_the_modules_of_a_game_know_it() -> None:
    assert "tests.support.toy_game" in modules_of(PEBBLES)
    assert modules_of(PEBBLES)[0] == min(modules_of(PEBBLES), key=len)
