"""How tests run: interpreted or compiled, and commands in processes of their own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, Final

import numba

from olb_env.commands.olb import INTERRUPTED

INTERPRETED: Final = bool(numba.config.DISABLE_JIT)

# Runs `olb` with SIGINT enabled: background jobs ignore it, and child processes inherit that.
OLB_WITH_SIGINT: Final = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from olb_env.commands.olb import main; sys.exit(main())"
)


def serve_page(*words: str, **process_options: Any) -> Iterator[str]:
    """Run `olb play` or `olb replay` in a process of its own, yield the address of its page, then stop it."""
    command = [sys.executable, "-c", OLB_WITH_SIGINT, *words, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **process_options) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:\d+/", line)
        assert found, line
        yield found.group()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == INTERRUPTED
