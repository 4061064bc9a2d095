"""The layout of observations, described once.

Its fields give the dtype of a block, the slices and bounds of the vector, and what the documentation lists. Actions are
listed here too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Field:
    """Numbers of an observation that belong together."""

    name: str
    shape: tuple[int, ...]
    unit: float  # the number that becomes 1.0 in the observation
    most: int  # the largest number that the rules allow, before division by the unit
    meaning: str

    @property
    def size(self) -> int:
        """The number of entries."""
        return math.prod(self.shape)

    @property
    def column(self) -> tuple[str, str, tuple[int, ...]]:
        """The field as a column of a structured dtype of bytes."""
        return (self.name.replace(".", "_"), "i1", self.shape)


class Layout(Mapping[str, slice]):
    """The fields of an observation in order: `layout["own.money"]` is the slice of that field."""

    def __init__(self, sections: Sequence[tuple[str, Sequence[Field]]]) -> None:
        self.fields: dict[str, Field] = {}
        self._slices: dict[str, slice] = {}
        start = 0
        for prefix, fields in sections:
            for field in fields:
                name = f"{prefix}.{field.name}"
                if name in self.fields:
                    raise ValueError(f"the observation has two fields named {name!r}")
                self.fields[name] = field
                self._slices[name] = slice(start, start + field.size)
                start += field.size
        self.size = start

    def __getitem__(self, name: str) -> slice:
        return self._slices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._slices)

    def __len__(self) -> int:
        return len(self._slices)

    def highest(self) -> npt.NDArray[np.float32]:
        """Return the largest value of each entry [D], rounded as in observations."""
        fields = tuple(self.fields.values())
        return np.concatenate([np.full(field.size, field.most, np.float32) for field in fields]) * scales(fields)

    def markdown(self) -> str:
        """Return the list of fields for the documentation, in Markdown."""
        rows = ["| entries | field | shape | 1.0 is | largest | meaning |", "|---|---|---|---|---|---|"]
        for name, field in self.fields.items():
            where = self._slices[name]
            entries = f"{where.start}" if field.size == 1 else f"{where.start}–{where.stop - 1}"
            shape = "×".join(str(length) for length in field.shape) or "1"
            rows.append(
                f"| {entries} | `{name}` | {shape} | {field.unit:g} | {field.most / field.unit:.3g} | {field.meaning} |"
            )
        return "\n".join(rows)


def scales(fields: Sequence[Field]) -> npt.NDArray[np.float32]:
    """Return the factor of each byte of a block: 1 / unit."""
    return np.concatenate([np.full(field.size, 1.0 / field.unit, np.float32) for field in fields])


def width(fields: Sequence[Field]) -> int:
    """Return the number of entries of some fields."""
    return sum(field.size for field in fields)


def actions_markdown(actions: Sequence[str], meanings: Sequence[tuple[int, int, str]]) -> str:
    """Return the list of actions for the documentation, in Markdown; `meanings` has (first id, count, meaning)."""
    rows = ["| ids | actions | what they do |", "|---|---|---|"]
    for first, count, meaning in meanings:
        last = first + count - 1
        ids = f"{first}" if count == 1 else f"{first}–{last}"
        names = f"`{actions[first]}`" if count == 1 else f"`{actions[first]}` … `{actions[last]}`"
        rows.append(f"| {ids} | {names} | {meaning} |")
    return "\n".join(rows)
