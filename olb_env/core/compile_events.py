"""What happens while numba compiles a kernel: it says so if it takes long, and Ctrl-C waits."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from numba.core import event

from olb_env.core.cache_folders import cache_folder, lasts
from olb_env.core.code_cache import KernelCache
from olb_env.core.held_interrupts import held_interrupts

QUIET_SECONDS = 2.0


def of_kernel(compilation: Any) -> bool:
    """Return whether a kernel is being compiled, and not a function of another user of numba."""
    return isinstance(compilation.data["dispatcher"]._cache, KernelCache)


def succeeded(compilation: Any) -> bool:
    """Return whether a compilation that has ended made machine code."""
    return tuple(compilation.data["args"]) in compilation.data["dispatcher"].overloads


class Announcer(event.Listener):  # type: ignore[misc]  # numba has no types
    """A listener that says on stderr when a kernel takes long to compile; it ignores other users of numba."""

    def __init__(self) -> None:
        self.depth = 0
        self.began = 0.0
        self.announced = False
        self.timer: threading.Timer | None = None

    def on_start(self, compilation: Any) -> None:
        """Start the clock with the outermost compilation."""
        if not of_kernel(compilation):
            return
        if self.depth == 0:
            self.began = time.monotonic()
            self.announced = False
            self.timer = threading.Timer(QUIET_SECONDS, self._announce)
            self.timer.daemon = True
            self.timer.start()
        self.depth += 1

    def _announce(self) -> None:
        self.announced = True
        once = " (only once)" if lasts(cache_folder()) else ""
        print(f"olb_env: compiling the rules for this machine{once} ...", file=sys.stderr, flush=True)

    def on_end(self, compilation: Any) -> None:
        """Say how long the outermost compilation took, if it was announced."""
        if not of_kernel(compilation) or self.depth == 0:
            return
        self.depth -= 1
        if self.depth == 0:
            if self.timer is not None:
                self.timer.cancel()
            if self.announced and succeeded(compilation):
                seconds, folder = time.monotonic() - self.began, cache_folder()
                where = f"in {folder}" if lasts(folder) else "until this process ends (see NUMBA_CACHE_DIR)"
                print(f"olb_env: compiled in {seconds:.1f} s, kept {where}", file=sys.stderr, flush=True)


class InterruptListener(event.Listener):  # type: ignore[misc]  # numba has no types
    """A listener that lets Ctrl-C wait while a kernel is compiled. The cache ends the wait when it has saved it."""

    def on_start(self, compilation: Any) -> None:
        """Begin to wait with a kernel; between the functions inside it Ctrl-C may act."""
        if of_kernel(compilation):
            held_interrupts.hold()
        else:
            held_interrupts.act()

    def on_end(self, compilation: Any) -> None:
        """End the wait if there is nothing to save."""
        if of_kernel(compilation) and not succeeded(compilation):
            held_interrupts.release()
