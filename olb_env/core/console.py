"""The console that reports and progress bars are printed to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def plain_console(*, stderr: bool = False) -> Console:
    """Return a console that prints text verbatim and falls back to plain text without a terminal.

    Notebooks count as "without a terminal", so their outputs stay readable as text.
    """
    from rich.console import Console

    terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return Console(stderr=stderr, markup=False, highlight=False, force_terminal=terminal, force_jupyter=False)
