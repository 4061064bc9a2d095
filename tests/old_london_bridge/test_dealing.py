"""One seed, one game; and each source of chance has its own stream (§2)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.core.rng import below, following_seed, mix, shuffle, stream
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import AREAS, KINDS, SCORINGS
from tests.conftest import INTERPRETED
from tests.support.playthroughs import deal_one


def setup_of(seed: int, **options: Any) -> Any:
    return GAME.records.describe_setup(deal_one(seed, **options)[0])


def test_the_numbers_are_those_of_splitmix64() -> None:
    """The first outputs for the seed 1234567, as published with the algorithm."""
    state, drawn = 1234567, []
    for _ in range(3):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        drawn.append(int(mix(state)))
    assert drawn == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_a_seed_deals_the_same_game_everywhere() -> None:
    """A digest taken once: another machine, Python or release must deal the same."""
    described = setup_of(7, num_players=4, scoring="random")
    assert described["setup"]["markers"] == [2, 2, 3, 3, 1, 2, 1, 1, 3, 1, 2, 1]
    assert described["setup"]["chapel_start"] == [2, 1, 3, 0]
    assert [tile[0] for tile in described["setup"]["stacks"]["chapel"]] == [
        7,
        57,
        12,
        32,
        42,
        17,
        27,
        52,
        2,
        47,
        22,
        37,
    ]


def test_other_seeds_deal_other_games() -> None:
    assert len({str(setup_of(seed)) for seed in range(50)}) == 50


def test_more_players_leave_stacks_bonus_piles_and_rondel() -> None:
    two, four = setup_of(3, num_players=2)["setup"], setup_of(3, num_players=4)["setup"]
    for part in ("stacks", "bonus", "rondel"):
        assert two[part] == four[part]
    assert two["markers"] == four["markers"][:6]


def test_scoring_leaves_everything_else() -> None:
    board, random = setup_of(3, scoring="board"), setup_of(3, scoring="random")
    assert board["setup"] == random["setup"]
    assert board["scoring"] != random["scoring"]


def test_other_tiles_on_the_stacks_leave_their_order() -> None:
    plain = setup_of(3)["setup"]
    tiles = {kind: sorted(stack) for kind, stack in plain["stacks"].items()}
    swapped = dict(tiles, gate=[[number, "blue"] for number, _ in tiles["gate"]])
    other = setup_of(3, board={"tiles": swapped})["setup"]
    assert [number for number, _ in other["stacks"]["gate"]] == [number for number, _ in plain["stacks"]["gate"]]
    assert other["markers"] == plain["markers"]


def test_every_place_is_equally_likely() -> None:
    """Chi-square by hand: 6,000 deals, each stair, rondel turn, tile side and top tile within 5 sigma."""
    count = 300 if INTERPRETED else 6000
    states = GAME.new_states(count)
    batch.deal_rows(states, GAME.rules.configure(scoring="random"), np.arange(count))
    samples = {
        "stair A": (states["stairs"][:, 0], 4),
        "top of the inns": (states["hidden"]["stack"][:, KINDS.index("inn"), 0], 12),
        "last mercer": (states["hidden"]["stack"][:, KINDS.index("mercer"), 11], 12),
        "first marker": (states["hidden"]["marker"][:, 0], 3),
        "top bonus tile": (states["hidden"]["pile"][:, 1, 0], 8),
        "start of the rondel": ((states["rotation"] - states["hidden"]["marker"][:, 0]) % 6, 6),
        **{f"scoring of {area}": (states["scoring"][:, i], 4) for i, area in enumerate(AREAS)},
    }
    for name, (values, kinds) in samples.items():
        counts = Counter(values.tolist())
        assert len(counts) == kinds, name
        expected, sigma = count / kinds, (count / kinds * (1 - 1 / kinds)) ** 0.5
        assert all(abs(found - expected) < 5 * sigma for found in counts.values()), name


def test_a_random_side_is_never_the_board() -> None:
    for seed in range(40):
        for area, name in setup_of(seed, scoring="random")["scoring"].items():
            assert name in SCORINGS[area][1:]


@pytest.mark.parametrize("count", [1, 2, 7, 72])
def test_below_stays_below(count: int) -> None:
    drawn = {int(below(stream(5, name), count)) for name in range(1000)}
    assert min(drawn) == 0
    assert max(drawn) == count - 1


def test_shuffle_keeps_what_lies_outside() -> None:
    items = np.arange(10)
    shuffle(items, 3, 8, stream(1, 1))
    assert items[:3].tolist() == [0, 1, 2]
    assert items[8:].tolist() == [8, 9]
    assert sorted(items[3:8]) == [3, 4, 5, 6, 7]


def test_following_seeds_differ_and_fit_into_json() -> None:
    found = [following_seed(1, count) for count in range(1000)]
    assert len(set(found)) == 1000
    assert max(found) < 2**53
