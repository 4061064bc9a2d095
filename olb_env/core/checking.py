"""Checks of what callers and records give, the same in every game: a ValueError says what was given and expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def is_int(value: Any) -> bool:
    """Whether it is a whole number, of Python or of numpy; true and false are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_list(value: Any) -> bool:
    """Whether it is a row of things, of Python or of numpy; text is none."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str)


def check_setup(setup: Any, keys: Sequence[str]) -> None:
    """Refuse a record's setup that has not exactly these keys."""
    if not isinstance(setup, Mapping):
        raise ValueError(f"setup is {setup!r}: expected a mapping")
    missing = [key for key in keys if key not in setup]
    if missing:
        raise ValueError(f"setup lacks {missing[0]!r}: expected {', '.join(keys)}")
    unknown = [key for key in setup if key not in keys]
    if unknown:
        raise ValueError(f"setup has {unknown[0]!r}: expected {', '.join(keys)}")
