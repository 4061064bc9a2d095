"""The dtype of a state: rows whose fields are read by name, and whose bytes are equal when their games are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def record_of(columns: Sequence[Any]) -> np.dtype[Any]:
    """A dtype whose rows let their fields be read as attributes, interpreted as well as compiled.

    Columns come with the widest first; bytes that alignment adds at the end are a column too, so that equal games
    are equal bytes.
    """
    aligned = np.dtype(list(columns), align=True)
    spare = aligned.itemsize - sum(np.dtype([column]).itemsize for column in columns)
    if spare:
        aligned = np.dtype([*columns, ("spare", "i1", (spare,))], align=True)
    return np.dtype((np.record, aligned))
