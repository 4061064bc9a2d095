"""The connection to a bot in a process of its own, and to the keeper of that process.

Whatever comes from a bot is read with strict bounds: numbers of actions, or a short text. While the bot is not asked,
it and the processes of its group stand still, so that nobody thinks in the time of others.
"""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import time
from typing import Any

import numpy as np

from olb_env.playing import bot_messages as messages
from olb_env.playing.decisions import AgentError
from olb_env.playing.process_tree import is_stopped
from olb_env.playing.views import Views

GRACE_SECONDS = 1.0  # after a limit, before the process of a bot is killed: starting a new one may take longer
TICK_SECONDS = 0.2  # between two looks at whether a keeper can still answer
ANSWERING_SECONDS = 60.0  # for servers and keepers, which do nothing that takes long


class BotTimeoutError(Exception):
    """A bot that had not answered when its time was over."""


class BotDiedError(Exception):
    """A bot whose process has ended or cannot be talked to; the message continues a sentence about the bot."""


class _BotGoneError(Exception):
    """The report of a keeper whose bot has ended."""

    def __init__(self, report: tuple[int, int]) -> None:
        super().__init__(report)
        self.report = report


class BotConnection:
    """A running bot: the connections to its process and to its keeper."""

    def __init__(
        self, number: int, keeper: int, talk: socket.socket, control: socket.socket, memory_limit: int
    ) -> None:
        self.number = number  # as its server knows it
        self.used = False  # whether it was asked before
        self._keeper, self._memory_limit = keeper, memory_limit  # a process, and bytes
        self._talk, self._control = talk, control
        self._requests = 0
        self._exhausted = False
        talk.setblocking(False)

    def close(self) -> None:
        """Close the connections."""
        self._talk.close()
        self._control.close()

    def can_be_asked(self) -> bool:
        """Return whether the bot lives, has memory left, and has said nothing that it was not asked for."""
        return not self._exhausted and not messages.readable((self._talk, self._control), 0)

    def load(self, seconds: float) -> AgentError | None:
        """Wait until the bot is loaded, or return the error that says why it cannot be."""
        answer, _ = self._receive(0, None, time.monotonic() + seconds)
        if answer is None:
            self._freeze()
        return answer if isinstance(answer, AgentError) else None

    def ask(self, views: Views, limit: float) -> tuple[Any, float]:
        """Return the answer of a bot to some views, and the seconds it took; the bot stands still before and after."""
        self._requests += 1
        began = time.perf_counter()
        deadline = time.monotonic() + limit + GRACE_SECONDS
        self._command(messages.THAW)
        remaining = memoryview(messages.request(self._requests, views))
        while remaining:
            try:
                remaining = remaining[self._talk.send(remaining) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except OSError:
                self._wait_for_report(deadline)
        answer, kind = self._receive(self._requests, len(views), deadline)
        seconds = time.perf_counter() - began
        self._freeze()
        if kind == messages.EXHAUSTED:
            self._exhausted = True  # what it holds may be too much for the next decision
        return answer, seconds

    def _receive(self, number: int, views: int | None, deadline: float) -> tuple[Any, int]:
        """Return an answer, as actions or as an error, and its kind; anything else is the end of the bot."""
        head = messages.HEAD.unpack(self._read(messages.HEAD.size, deadline))
        answered, kind, length = head
        if answered == number and kind == messages.READY and views is None and length == 0:
            return None, kind
        if answered == number and kind == messages.ACTIONS and views is not None and length == 8 * views:
            return np.frombuffer(self._read(length, deadline), np.int64), kind
        texts = (messages.REFUSED,) if views is None else (messages.FAILED, messages.EXHAUSTED)
        if answered == number and kind in texts and length <= messages.MAX_TEXT:
            return AgentError(*messages.read_texts(self._read(length, deadline))), kind
        raise BotDiedError("wrote something else than answers to its connection")

    def _read(self, count: int, deadline: float) -> bytes:
        parts: list[bytes] = []
        while count:
            try:
                part = self._talk.recv(count)
            except BlockingIOError:
                self._wait(select.POLLIN, deadline)
                continue
            except OSError:
                part = b""
            if not part:
                self._wait_for_report(deadline)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _wait(self, event: int, deadline: float) -> None:
        """Wait until a bot can be talked to; raise BotDiedError or BotTimeoutError if that does not happen."""
        poll = select.poll()
        poll.register(self._talk, event)
        poll.register(self._control, select.POLLIN)
        while True:
            left = deadline - time.monotonic()
            ready = {descriptor for descriptor, _ in poll.poll(1000 * max(0.0, min(left, TICK_SECONDS)))}
            if self._talk.fileno() in ready:
                return
            if ready:
                self._wait_for_report(deadline)
            if is_stopped(self._keeper):
                raise BotDiedError("stopped the process that watches it")
            if left <= 0:
                raise BotTimeoutError

    def _freeze(self) -> None:
        """Let a bot stand still until it is asked again.

        Its keeper confirms that. If it cannot, the bot has killed or stopped it before it answered.
        """
        self._command(messages.FREEZE)
        try:
            self._read_report(time.monotonic() + ANSWERING_SECONDS)
        except _BotGoneError:
            pass  # it has answered, and is replaced before it is asked again
        except BotTimeoutError:
            raise BotDiedError("stopped the process that watches it") from None

    def _wait_for_report(self, deadline: float) -> None:
        """Raise BotDiedError with what the keeper says about the end of a bot; BotTimeoutError if it does not end."""
        try:
            while True:
                self._read_report(max(deadline, time.monotonic() + TICK_SECONDS))
        except _BotGoneError as gone:
            raise BotDiedError(self._in_words(*gone.report)) from None

    def _read_report(self, deadline: float) -> None:
        """Read one report of the keeper; raise _BotGoneError if it tells the end of the bot.

        A BotDiedError says that the keeper has gone, a BotTimeoutError that there is nothing to report.
        """
        content = b""
        while len(content) < messages.REPORT.size:
            if messages.readable((self._control,), TICK_SECONDS):
                with contextlib.suppress(OSError):
                    part = self._control.recv(messages.REPORT.size - len(content))
                    content += part
                    if part:
                        continue
                raise BotDiedError("ended the process that watches it")
            if is_stopped(self._keeper):
                raise BotDiedError("stopped the process that watches it")
            if time.monotonic() > deadline:
                raise BotTimeoutError
        report = messages.REPORT.unpack(content)
        if report[0] != messages.FROZEN:
            raise _BotGoneError(report)

    def _in_words(self, kind: int, number: int) -> str:
        if kind == messages.EXITED:
            return f"ended its process with exit code {number}"
        if kind == messages.MEMORY:
            return f"used more than {self._memory_limit >> 20} MB of memory"
        if kind == messages.PROCESSES:
            return "started too many processes"
        known = {int(one): one.name for one in signal.Signals}
        return f"ended its process with {known.get(number, f'signal {number}')}"

    def _command(self, command: bytes) -> None:
        with contextlib.suppress(OSError):  # it has gone: whoever reads next sees why
            self._control.sendall(command)
