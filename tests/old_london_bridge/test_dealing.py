"""The deal: a seed determines the game, and each source of randomness has its own stream (§2)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import AREAS, KINDS, SCORINGS
from tests.support.playthroughs import deal_one
from tests.support.running import INTERPRETED


def setup_of(seed: int, **options: Any) -> Any:
    return GAME.records.describe_setup(deal_one(seed, **options)[0])


def test_a_seed_deals_the_same_game_everywhere() -> None:
    """Noted once: every machine, version of Python and release must deal the same."""
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


def test_different_seeds_deal_different_games() -> None:
    assert len({str(setup_of(seed)) for seed in range(50)}) == 50


def test_the_number_of_players_does_not_change_stacks_bonus_piles_and_rondel() -> None:
    two, four = setup_of(3, num_players=2)["setup"], setup_of(3, num_players=4)["setup"]
    for part in ("stacks", "bonus", "rondel"):
        assert two[part] == four[part]
    assert two["markers"] == four["markers"][:6]


def test_the_scoring_does_not_change_anything_else() -> None:
    board, random = setup_of(3, scoring="board"), setup_of(3, scoring="random")
    assert board["setup"] == random["setup"]
    assert board["scoring"] != random["scoring"]


def test_other_tiles_do_not_change_the_order_of_the_stacks() -> None:
    plain = setup_of(3)["setup"]
    tiles = {kind: sorted(stack) for kind, stack in plain["stacks"].items()}
    swapped = dict(tiles, gate=[[number, "blue"] for number, _ in tiles["gate"]])
    other = setup_of(3, board={"tiles": swapped})["setup"]
    assert [number for number, _ in other["stacks"]["gate"]] == [number for number, _ in plain["stacks"]["gate"]]
    assert other["markers"] == plain["markers"]


def test_all_outcomes_of_a_deal_are_equally_likely() -> None:
    """Each stair, rondel position, tile side and top tile is within five sigma of its expected count."""
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


def test_random_scoring_always_draws_a_tile_side() -> None:
    for seed in range(40):
        for area, name in setup_of(seed, scoring="random")["scoring"].items():
            assert name in SCORINGS[area][1:]
