"""Random numbers: the generator, bounded draws, shuffles and the seeds of following games."""

from __future__ import annotations

import numpy as np
import pytest

from olb_env.core.rng import below, following_seed, mix, shuffle, stream


def test_the_generator_is_splitmix64() -> None:
    """The first outputs for the seed 1234567, as published with the algorithm."""
    rng_state, drawn = 1234567, []
    for _ in range(3):
        rng_state = (rng_state + 0x9E3779B97F4A7C15) % 2**64
        drawn.append(int(mix(rng_state)))
    assert drawn == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("count", [1, 2, 7, 72])
def test_below_draws_every_number_below_its_limit(count: int) -> None:
    drawn = {int(below(stream(5, name), count)) for name in range(1000)}
    assert min(drawn) == 0
    assert max(drawn) == count - 1


def test_shuffle_leaves_items_outside_its_range() -> None:
    items = np.arange(10)
    shuffle(items, 3, 8, stream(1, 1))
    assert items[:3].tolist() == [0, 1, 2]
    assert items[8:].tolist() == [8, 9]
    assert sorted(items[3:8]) == [3, 4, 5, 6, 7]


def test_following_seeds_differ_and_are_exact_in_json() -> None:
    seeds = [following_seed(1, count) for count in range(1000)]
    assert len(set(seeds)) == 1000
    assert max(seeds) < 2**53
