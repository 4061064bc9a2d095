"""Ctrl-C while LLVM is at work.

An exception in the midst of a call of LLVM would lose track of what LLVM owns, and the process would crash. So Ctrl-C
waits until a kernel is compiled, saved or loaded, or until numba begins with the next function inside the kernel.
"""

from __future__ import annotations

import signal
import threading
from typing import Any


class HeldInterrupts:
    """The interrupts that wait; numba's lock lets only one thread compile at a time."""

    def __init__(self) -> None:
        self._depth = 0  # of kernels that are compiled or loaded inside each other
        self._handler: Any = None  # what Ctrl-C did before, where it waits now
        self._held = False

    def hold(self) -> None:
        """Let Ctrl-C wait, until `release` has been called as often as this method."""
        self._depth += 1
        if self._depth > 1 or threading.current_thread() is not threading.main_thread():
            return  # only the main thread is ever interrupted
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            self._handler = handler
            signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: object) -> None:
        self._held = True

    def act(self) -> None:
        """Do now what Ctrl-C does, if it has been pressed; it goes on to wait."""
        if self._held:
            self._held = False
            self._handler(signal.SIGINT, None)

    def release(self) -> None:
        """Let Ctrl-C act at once again, and do what it does if it has been pressed."""
        self._depth -= 1
        if self._depth == 0 and self._handler is not None:
            handler, self._handler = self._handler, None
            signal.signal(signal.SIGINT, handler)
            held, self._held = self._held, False
            if held:
                handler(signal.SIGINT, None)


held_interrupts = HeldInterrupts()
