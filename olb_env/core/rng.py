"""Random streams that are the same on every machine: SplitMix64, one stream for each source of randomness.

All constants have their top bit set, so numba reads them as unsigned, and products wrap around. The interpreter gets
the same numbers from exact integers cut to 64 bits. Both read a state as `int(np.uint64(x))`: unsigned when compiled, a
plain integer when interpreted.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from olb_env.core.compiling import jitable

SEED_LIMIT = 2**53  # every seed below it is an exact number in JSON, in any language

# Numbers of the first streams that do not belong to a deal; the streams of a deal are numbered from 0.
NEXT_GAMES, SEATS, DRAWS = 2**32, 2**33, 2**34


@jitable
def mix(state: int) -> int:
    """Return 64 random bits for one state."""
    x = int(np.uint64(state))
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return x ^ (x >> 31)


@jitable
def next_rng_state(state: int) -> int:
    """Return the next state of a stream."""
    return (int(np.uint64(state)) + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF


@jitable
def stream(seed: int, number: int) -> int:
    """Return the first state of the stream with this number under this seed."""
    return mix(next_rng_state(mix(next_rng_state(seed)) ^ mix(number)))


@jitable
def below(state: int, count: int) -> Any:
    """Return a number from 0 to count - 1; all are equally likely, up to one part in 2^31 / count."""
    return (np.int64(mix(state) >> 33) * count) >> 31


@jitable
def shuffle(items: Any, first: int, last: int, state: int) -> int:
    """Shuffle items[first:last] in place, and return the last state used."""
    for i in range(last - 1, first, -1):
        state = next_rng_state(state)
        j = first + below(state, i + 1 - first)
        held = items[i]
        items[i] = items[j]
        items[j] = held
    return state


@jitable
def following_seed(seed: int, count: int) -> Any:
    """Return the seed of the count-th game that follows the one dealt from `seed`, when no new seed is given."""
    return np.int64(stream(seed, NEXT_GAMES + count) >> 11)  # 53 bits


def hashed_seed(seed: int | str) -> int:
    """Return a seed derived from another by a one-way hash.

    An agent that sees it can compute neither the deal nor the random choices of other agents.
    """
    return int.from_bytes(hashlib.blake2b(str(seed).encode(), digest_size=8).digest(), "big")
