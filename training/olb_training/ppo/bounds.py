"""The values that a setting can have: of its type, and within bounds."""

from __future__ import annotations

import math
import numbers
import os
from dataclasses import dataclass
from typing import Any

from olb_env.core.checking import is_int, shown

GIB = 2**30
MOST_SHOWN = 200  # characters of a path or a name that an error shows: paths are long


@dataclass(frozen=True)
class Bounds:
    """The least and the most that a number may be; the most characters of a text; the most values of a list."""

    kind: type  # int, float or str: of the value, or of each value of a list
    least: float
    most: float
    most_values: int = 0  # more than 0: it is a list

    def read(self, name: str, value: Any) -> Any:
        """Return a value as its own type, lists as tuples; a ValueError names it and says what was expected."""
        if not self.most_values:
            return self._read_one(name, value)
        if not isinstance(value, list | tuple):
            raise ValueError(f"{name} is {shown(value)}: expected a list")
        if len(value) > self.most_values:
            raise ValueError(f"{name} has {len(value):,} values: expected at most {self.most_values:,}")
        return tuple(self._read_one(name, one) for one in value)

    def _read_one(self, name: str, value: Any) -> Any:
        if self.kind is str:
            if not isinstance(value, str):
                raise ValueError(f"{name} is {shown(value)}: expected text")
            if len(value) > self.most or "\0" in value:
                raise ValueError(f"{name} is {shown(value)}: expected {self.expected}")
            return value
        right_type = is_int(value) if self.kind is int else _is_real(value)
        if not right_type or not self.least <= value <= self.most:
            raise ValueError(f"{name} is {shown(value)}: expected {self.expected}")
        return self.kind(value)

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.kind is str:
            return f"at most {self.most:,} characters, none of them a null"
        if self.kind is int:
            return f"a whole number from {self.least:,} to {self.most:,}"
        return f"a number from {self.least:g} to {self.most:g}"


def _is_real(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    return is_int(value) or math.isfinite(value)


def read_number(name: str, value: Any, most: float, least: float = 0.0) -> float:
    """Return a number of a file as a float; a ValueError names it if it is not a number within bounds."""
    number: float = Bounds(float, least, most).read(name, value)
    return number


def machine_memory() -> int:
    """Return the bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
