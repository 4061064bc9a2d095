"""The worked cases of §5, which every implementation must reproduce."""

from __future__ import annotations

import pytest

from tests.wobbly_bridge.table import Table


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_everyone_careful_moves_one_west_and_four_east(players: int) -> None:
    """§5.1."""
    table = Table("order", "heavy", *["idea"] * (players - 2))
    assert table.steps(*["careful"] * players) == [3] * players


def test_dash_runs_west_panic_east_and_leap_stays() -> None:
    """§5.2."""
    assert Table("order", "heavy", "idea").steps("dash", "leap", "panic") == [-4, 0, 4]


def test_two_dashes_share_and_the_only_vertigo_stumbles() -> None:
    """§5.3."""
    assert Table("order", "heavy", "idea").steps("dash", "dash", "vertigo") == [-1, -1, 3]


def test_order_goes_two_west_and_sends_both_panics_three_east() -> None:
    """§5.4."""
    assert Table("order", "heavy", "idea", "idea").steps("order", "dash", "panic", "panic") == [-2, 0, 3, 3]


def test_heavy_drags_dash_and_panic_three_east() -> None:
    """§5.5."""
    assert Table("heavy", "order", "idea").steps("heavy", "dash", "panic") == [0, 3, 3]


def test_order_and_heavy_cancel_each_other() -> None:
    """§5.6: leap has the highest green and the highest red."""
    assert Table("order", "heavy", "idea").steps("order", "heavy", "leap") == [0, 0, -2]


def test_an_east_wind_moves_both_who_are_level_furthest_east() -> None:
    """§5.7: order and heavy cancel each other, so only leap has moved before."""
    table = Table("order", "heavy", "idea", events=("east", "calm", "calm", "calm", "calm", "west"))
    table.put_explorers(14, 14, 9)
    assert table.play("order", "heavy", "leap") == [11, 11, 7]
