"""The parent of a bot's process: it stops and continues the bot, watches what it uses, and ends what it leaves behind.

A keeper runs no code of the bot. It is what a bot finds as its parent, so it ignores every signal that can be ignored.
It also becomes the parent of what the bot starts and leaves alone. So all that belongs to a bot is below its keeper.
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
from collections.abc import Iterable
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

LAST = b"!"  # byte of an allowance
LOOK_SECONDS = 0.1  # between two looks at what a running bot uses
MOST_PROCESSES = 256  # that a bot may have started at a time
MOST_COLLECTED = 10_000  # ended processes between two looks, since new ones may end meanwhile
MOST_ROUNDS = 100  # in which all processes are stopped, since those that still run may start others
PRINTED_BYTES = 10_000  # of each bot that are shown; the rest is dropped
LONGEST_LINE = 500  # characters; a longer line is shown without its middle
PATIENCE = 10.0  # seconds for killed processes to end


def new_allowance() -> int:
    """Return a descriptor from which the keepers of a bot take one byte for each byte of its output that they show.

    It is a pipe, so that keepers in several processes never take the same byte. The last one, `LAST`, is for the line
    that tells that the rest is not shown.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)  # a system that is short of memory for pipes may take less
    os.write(writing, b"." * PRINTED_BYTES + LAST)
    os.close(writing)
    return reading


def become_keeper(order: Order, caller: socket.socket, bot: socket.socket, allowance: int, server: int) -> NoReturn:
    """Turn a process that has just been forked into a keeper, start a bot, and never return.

    `caller` is its connection to the caller, `bot` that of the bot. `allowance` says how much of the output of this bot
    is shown. `server` is the process that forked.
    """
    code = 1
    try:
        die_with(server)
        os.setsid()
        adopt_orphans()
        reading, writing = os.pipe()
        keeper, process = os.getpid(), os.fork()
        if process == 0:
            caller.detach()
            become_bot(order, bot, writing, keeper)
        bot.close()
        os.close(writing)
        _Keeper(caller, process, reading, _Printer(order.name, reading, allowance), order.memory_limit).keep()
        code = 0
    except BaseException as error:  # noqa: BLE001  # nothing may reach the code that forked
        print(f"olb_env: {type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(code)


class _Printer:
    """What a bot prints, shown on standard error line by line with its name, as far as its allowance goes."""

    def __init__(self, name: str, reading: int, allowance: int) -> None:
        self._name, self._reading, self._allowance = shortened(name, 60), reading, allowance
        self._line = b""
        os.set_blocking(reading, False)

    def read(self) -> bool:
        """Read what is there; return False at the end."""
        try:
            part = os.read(self._reading, 1 << 16)
        except BlockingIOError:
            return True
        allowed = os.read(self._allowance, len(part)) if part else b""
        *lines, self._line = (self._line + part[: allowed.count(b".")]).split(b"\n")
        for line in lines:
            self._show(line)
        if len(allowed) < len(part) or allowed.endswith(LAST):  # nothing can follow
            self._show_rest()
        if allowed.endswith(LAST):
            self._show(b"(the rest of what it prints is not shown)")
        return bool(part)

    def finish(self) -> None:
        """Show the rest of what is there now."""
        for _ in range(16):  # a bot's child may still be writing
            if not self.read():
                break
        self._show_rest()

    def _show_rest(self) -> None:
        """Show a line that does not end."""
        if self._line:
            self._show(self._line)
        self._line = b""

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
        self._stopped: set[int] = set()  # processes that this one has stopped
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
            report = self._find_end()
            if self._caller.fileno() in ready:
                commands = self._commands()
                if not commands:
                    break
                report = self._obey(commands) or report
            if report is None and self._running and time.monotonic() >= self._next_look:
                report = self._find_excess()
                self._next_look = time.monotonic() + LOOK_SECONDS
        self._signal(signal.SIGKILL)
        own = os.getpid()
        end_all(lambda: descendants_of_all_threads(own) or descendants(own), PATIENCE)  # the first is fast, not certain
        self._printer.finish()
        if report is not None:
            with contextlib.suppress(OSError):  # the caller has gone
                self._caller.sendall(messages.REPORT.pack(*report))

    def _commands(self) -> bytes:
        """Return what the caller asks for: nothing if it has gone."""
        try:
            return self._caller.recv(64)
        except OSError:
            return b""

    def _obey(self, commands: bytes) -> tuple[int, int] | None:
        """Do what the caller asks for; return why the bot has to end if that cannot be done."""
        report = None
        for command in commands:
            if command == messages.THAW[0]:
                self._running = True
                self._continue_all()
            elif command == messages.FREEZE[0]:
                self._running = False
                report = None if self._stop_all() else (messages.PROCESSES, 0)
                with contextlib.suppress(OSError):  # the caller has gone
                    self._caller.sendall(messages.REPORT.pack(messages.FROZEN, 0))
        return report

    def _stop_all(self) -> bool:
        """Stop the bot and all that it has started; return False if processes start others faster than they stop."""
        self._signal(signal.SIGSTOP)
        self._stopped = {self._process}
        for _ in range(MOST_ROUNDS):
            new = descendants_of_all_threads(os.getpid()) - self._stopped
            if not new:
                return True
            _signal_each(new, signal.SIGSTOP)
            self._stopped |= new
        return False

    def _continue_all(self) -> None:
        """Continue what was stopped, the bot last: it could collect children that have ended."""
        _signal_each(self._stopped - {self._process}, signal.SIGCONT)
        self._stopped = set()
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        """Send a signal to the bot and its group; while it is not waited for, nobody else gets its number."""
        _signal_each([self._process], number)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process, number)

    def _find_end(self) -> tuple[int, int] | None:
        """Return how the bot's process ended, or None; orphans that ended are collected."""
        for _ in range(MOST_COLLECTED):
            try:
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return messages.EXITED, 0
            if found is None:
                return None
            if found.si_pid == self._process:
                kind = messages.EXITED if found.si_code == os.CLD_EXITED else messages.SIGNALLED
                return kind, found.si_status
            self._stopped.discard(found.si_pid)  # another process may get its number
            os.waitpid(found.si_pid, os.WNOHANG)
        return None

    def _find_excess(self) -> tuple[int, int] | None:
        """Return what the bot, with all that it has started, uses too much of, or None."""
        below = descendants_of_all_threads(os.getpid())
        if len(below - {self._process}) > MOST_PROCESSES:
            return messages.PROCESSES, 0
        if memory_of(below, self._memory_limit) > self._memory_limit:
            return messages.MEMORY, 0
        return None


def _signal_each(processes: Iterable[int], number: int) -> None:
    """Send a signal to processes, some of which may have ended."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _poll_descriptor(process: int) -> int | None:
    """Return a descriptor that can be read when a process has ended, or None where the system has none."""
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):
        return None
