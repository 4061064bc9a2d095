"""Sets of small numbers as the bits of one 64-bit integer, in which games keep their legal actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import jitable

Bits = Any  # a set: a 64-bit integer, of numpy or of Python
LIMIT = 63  # members are below it, so a set is never negative

# Powers of two leave different remainders when divided by 67, so the place of a single bit can be looked up.
PLACE_OF_REMAINDER = np.zeros(67, np.int64)
for _place in range(LIMIT):
    PLACE_OF_REMAINDER[(1 << _place) % 67] = _place


@jitable
def bit(place: int) -> Bits:
    """Return the set with one member."""
    return np.int64(1) << np.int64(place)


@jitable
def size_of(members: Bits) -> int:
    """Return the number of members of a set."""
    count = 0
    while members != 0:
        members &= members - 1
        count += 1
    return count


@jitable
def first_of(members: Bits) -> int:
    """Return the lowest member of a set."""
    return int(PLACE_OF_REMAINDER[(members & -members) % 67])
