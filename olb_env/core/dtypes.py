"""The dtype of a state: records with fields as attributes, whose bytes are equal if and only if the games are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def record_of(columns: Sequence[Any]) -> np.dtype[Any]:
    """Return a record dtype whose fields are attributes, both interpreted and compiled.

    List the widest columns first. The bytes that alignment adds at the end become a column too, so equal games have
    equal bytes.
    """
    aligned = np.dtype(list(columns), align=True)
    spare = aligned.itemsize - sum(np.dtype([column]).itemsize for column in columns)
    if spare:
        aligned = np.dtype([*columns, ("spare", "i1", (spare,))], align=True)
    return np.dtype((np.record, aligned))
