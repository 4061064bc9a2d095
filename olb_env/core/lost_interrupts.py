"""Ctrl-C while LLVM is at work.

LLVM calls Python, where KeyboardInterrupt would be printed and forgotten. Here it is noticed, to be raised afterwards.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


class LostInterrupts:
    """The interrupts that nobody could raise while a kernel was compiled or loaded."""

    def __init__(self) -> None:
        self.lost = False
        self.hooks: list[Any] = []  # what to do with other exceptions that cannot be raised

    def _notice(self, forgotten: Any) -> None:
        if issubclass(forgotten.exc_type, KeyboardInterrupt):
            self.lost = True
        else:
            self.hooks[0](forgotten)

    def listen(self) -> None:
        """Notice interrupts from now on, until `stop_listening` has been called as often as this method."""
        if not self.hooks:
            self.lost = False  # an earlier compilation may have failed before it was raised
        self.hooks.append(sys.unraisablehook)
        sys.unraisablehook = self._notice

    def stop_listening(self) -> None:
        """Leave exceptions that cannot be raised to Python again."""
        if self.hooks:
            sys.unraisablehook = self.hooks.pop()

    def raise_lost(self) -> None:
        """Raise KeyboardInterrupt if one was forgotten."""
        if self.lost:
            self.lost = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def noticed(self) -> Iterator[None]:
        """Listen while a kernel is loaded, and raise then what was forgotten."""
        self.listen()
        try:
            yield
        finally:
            self.stop_listening()
        self.raise_lost()


lost_interrupts = LostInterrupts()
