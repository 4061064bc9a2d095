"""Observations described once: fields make the dtype of a block, the slices of the vector, and the table to read.

Actions have a table too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Field:
    """Some numbers of an observation that belong together."""

    name: str
    shape: tuple[int, ...]
    unit: float  # what 1.0 in the observation stands for
    most: int  # the largest number the rules allow, before division by the unit
    meaning: str

    @property
    def size(self) -> int:
        """How many entries it takes."""
        return math.prod(self.shape)

    @property
    def column(self) -> tuple[str, str, tuple[int, ...]]:
        """The field as a column of a structured dtype of bytes."""
        return (self.name.replace(".", "_"), "i1", self.shape)


class Layout(Mapping[str, slice]):
    """The fields of an observation in order: `layout["own.money"]` is where that field stands."""

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
        """The largest value each entry can have."""
        return np.concatenate(
            [np.full(field.size, field.most / field.unit, np.float32) for field in self.fields.values()]
        )

    def table(self) -> str:
        """The layout as a Markdown table."""
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
    """What to multiply each byte of a block by."""
    return np.concatenate([np.full(field.size, 1.0 / field.unit, np.float32) for field in fields])


def width(fields: Sequence[Field]) -> int:
    """How many entries some fields take."""
    return sum(field.size for field in fields)


def action_table(actions: Sequence[str], meanings: Sequence[tuple[int, int, str]]) -> str:
    """The actions of a game as a Markdown table, a row for some of them: the first, how many, what they do."""
    rows = ["| ids | actions | what they do |", "|---|---|---|"]
    for first, count, meaning in meanings:
        last = first + count - 1
        ids = f"{first}" if count == 1 else f"{first}–{last}"
        names = f"`{actions[first]}`" if count == 1 else f"`{actions[first]}` … `{actions[last]}`"
        rows.append(f"| {ids} | {names} | {meaning} |")
    return "\n".join(rows)
