"""The parent of a bot's process: it stops and continues the bot, watches what it uses, and ends what it leaves behind.

A keeper runs no code of the bot. It is what a bot finds as its parent, so it ignores every signal that can be ignored.
A keeper that is killed or stopped takes its bot with it, and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import time
from typing import NoReturn

from olb_env.core.checking import shortened
from olb_env.playing import bot_messages as messages
from olb_env.playing.bot_process import Order, become_bot
from olb_env.playing.process_tree import (
    adopt_orphans,
    descendants,
    descendants_of_all_threads,
    die_with,
    end_all,
    memory_of,
)

LOOK_SECONDS = 0.1  # between two looks at what a running bot uses
MOST_PROCESSES = 256  # that a bot may have started at a time
PRINTED_BYTES = 10_000  # of each bot that are shown; the rest is dropped
LONGEST_LINE = 500
PATIENCE = 10.0  # seconds for killed processes to end


def become_keeper(order: Order, caller: socket.socket, bot: socket.socket, shown: memoryview, server: int) -> NoReturn:
    """Turn a process that has just been forked into a keeper, start a bot, and never return.

    `caller` is its connection to the caller, `bot` that of the bot. `shown` counts what was shown of the output of this
    bot by earlier keepers. `server` is the process that forked.
    """
    code = 1
    try:
        die_with(server)
        os.setsid()
        adopt_orphans()
        reading, writing = os.pipe()
        keeper, process = os.getpid(), os.fork()
        if process == 0:
            shown.release()
            caller.detach()
            become_bot(order, bot, writing, keeper)
        bot.close()
        os.close(writing)
        _Keeper(caller, process, reading, _Printer(order.name, reading, shown), order.memory_limit).keep()
        code = 0
    except BaseException as error:  # noqa: BLE001  # nothing may reach the code that forked
        print(f"olb_env: {type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(code)


class _Printer:
    """What a bot prints, shown on standard error line by line with its name, up to a number of bytes."""

    def __init__(self, name: str, reading: int, shown: memoryview) -> None:
        self._name, self._reading, self._shown = shortened(name, 60), reading, shown
        self._line = b""
        os.set_blocking(reading, False)

    def read(self) -> bool:
        """Read what is there; return False at the end."""
        try:
            part = os.read(self._reading, 1 << 16)
        except BlockingIOError:
            return True
        count = int.from_bytes(self._shown, "little")
        if count < PRINTED_BYTES:
            count += len(part)
            self._shown[:] = count.to_bytes(8, "little")
            *lines, self._line = (self._line + part[:PRINTED_BYTES]).split(b"\n")
            for line in lines:
                self._show(line)
            if count >= PRINTED_BYTES:
                self._show(b"(the rest of what it prints is not shown)")
                self._line = b""
        return bool(part)

    def finish(self) -> None:
        """Show the rest of what is there now."""
        for _ in range(16):  # a bot's child may still be writing
            if not self.read():
                break
        if self._line:
            self._show(self._line)

    def _show(self, line: bytes) -> None:
        with contextlib.suppress(OSError):  # nobody reads it
            text = shortened(line.decode(errors="replace"), LONGEST_LINE)
            os.write(2, f"{self._name}: {text}\n".encode(errors="replace"))


class _Keeper:
    """A bot's process and what it has started."""

    def __init__(self, caller: socket.socket, process: int, reading: int, printer: _Printer, memory_limit: int) -> None:
        self._caller, self._process, self._printer = caller, process, printer
        self._reading, self._memory_limit = reading, memory_limit
        self._running = True
        self._next_look = 0.0

    def keep(self) -> None:
        """Serve the caller until it or the bot has gone; then end everything that is left."""
        poll = select.poll()
        end = _poll_descriptor(self._process)
        for descriptor in (self._caller.fileno(), self._reading, *([] if end is None else [end])):
            poll.register(descriptor, select.POLLIN)
        report = None
        while report is None:
            wait = None if end is not None and not self._running else 1000 * LOOK_SECONDS
            ready = {descriptor for descriptor, _ in poll.poll(wait)}
            if self._reading in ready and not self._printer.read():
                poll.unregister(self._reading)  # the bot has closed its output
            report = self._find_end() if end is None or end in ready else None
            if self._caller.fileno() in ready and not self._obey():
                break
            if report is None and self._running and time.monotonic() >= self._next_look:
                report = self._find_excess()
                self._next_look = time.monotonic() + LOOK_SECONDS
        self._signal(signal.SIGKILL)
        end_all(lambda: descendants(os.getpid()), PATIENCE)
        self._printer.finish()
        if report is not None:
            with contextlib.suppress(OSError):  # the caller has gone
                self._caller.sendall(messages.REPORT.pack(*report))

    def _obey(self) -> bool:
        """Do what the caller asks for; return False if it has gone."""
        try:
            commands = self._caller.recv(64)
            for command in commands:
                if command == messages.THAW[0]:
                    self._running = True
                    self._signal(signal.SIGCONT)
                elif command == messages.FREEZE[0]:
                    self._running = False
                    self._signal(signal.SIGSTOP)
                    self._caller.sendall(messages.REPORT.pack(messages.FROZEN, 0))
        except OSError:
            return False
        return bool(commands)

    def _signal(self, number: int) -> None:
        """Send a signal to the bot and its group; while it is not waited for, nobody else gets its number."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self._process, number)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process, number)

    def _find_end(self) -> tuple[int, int] | None:
        """Return how the bot's process ended, or None; orphans that ended are collected."""
        while True:
            try:
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return messages.EXITED, 0
            if found is None:
                return None
            if found.si_pid == self._process:
                kind = messages.EXITED if found.si_code == os.CLD_EXITED else messages.SIGNALLED
                return kind, found.si_status
            os.waitpid(found.si_pid, os.WNOHANG)

    def _find_excess(self) -> tuple[int, int] | None:
        """Return what the bot uses too much of, or None."""
        started = descendants_of_all_threads(self._process)
        if len(started) > MOST_PROCESSES:
            return messages.PROCESSES, 0
        if memory_of({self._process, *started}, self._memory_limit) > self._memory_limit:
            return messages.MEMORY, 0
        return None


def _poll_descriptor(process: int) -> int | None:
    """Return a descriptor that can be read when a process has ended, or None where the system has none."""
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):
        return None
