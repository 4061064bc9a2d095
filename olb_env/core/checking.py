"""Checks of arguments and records that all games share. A ValueError says what was given and what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def is_int(value: Any) -> bool:
    """Return whether a value is an int of Python or numpy, and not a bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_list(value: Any) -> bool:
    """Return whether a value is a sequence of Python or an array of numpy, and not text."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str)


def check_setup(setup: Any, keys: Sequence[str]) -> None:
    """Raise ValueError unless a record's setup has exactly these keys."""
    if not isinstance(setup, Mapping):
        raise ValueError(f"setup is {setup!r}: expected a mapping")
    missing = [key for key in keys if key not in setup]
    if missing:
        raise ValueError(f"setup lacks {missing[0]!r}: expected {', '.join(keys)}")
    unknown = [key for key in setup if key not in keys]
    if unknown:
        raise ValueError(f"setup has {unknown[0]!r}: expected {', '.join(keys)}")
