"""The worked cases of §7, which every implementation must reproduce."""

from __future__ import annotations

import pytest

from tests.portobello_market.positions import Position

RED, GREEN, BLUE = range(3)


# Case 1: an alley


@pytest.mark.parametrize("last", ["stall", "customer"])
def test_a_six_lot_alley_between_servant_and_burgher_brings_12_8_and_4(last: str) -> None:
    """§7.1: A8 has the values 3 2 1 1 2 3; the customers are worth 2."""
    position = Position(bag=["burgher", *["servant"] * 5, *["burgher"] * 4])
    owners = (RED, RED, RED, GREEN, BLUE, GREEN)
    if last == "stall":
        position.fill("A8", *owners[:5])
        position.put_customers(P1="servant", P8="burgher")
        position.acting(GREEN, 1, "D12")
        position.act("stall A8 P1")
    else:
        position.fill("A8", *owners)
        position.put_customers(P1="servant")
        position.game.order[1] = 2
        position.acting(GREEN, 1, "D12")
        position.act("draw", "plaza P8")
    assert position.lots("A8") == [RED, RED, RED, GREEN, BLUE, GREEN]
    assert position.scores == [10 + 12, 10 + 8, 10 + 4]


# Case 2: marking


def test_marking_four_stalls_with_the_4_scores_16() -> None:
    """§7.2: D1 has A1, A9 and A10."""
    position = Position()
    position.fill("A1", 0, 1, 0)
    position.fill("A9", 0)
    position.fill("A10", 1, 0)
    position.act("mark D1 4")
    assert position.scores == [26, 10, 10]


# Case 3: tolls


def test_one_opponent_with_the_most_is_paid_1() -> None:
    """§7.3: from D1 to D2 over A10."""
    position = Position()
    position.fill("A10", 1)
    position.acting(0, 2)
    position.act("bobby D2")
    assert position.scores == [9, 11, 10]


def test_two_opponents_tied_for_the_most_are_paid_1_each() -> None:
    """§7.3: 2 in all."""
    position = Position()
    position.fill("A10", 1, 2)
    position.acting(0, 2)
    position.act("bobby D2")
    assert position.scores == [8, 11, 11]


def test_a_player_tied_with_an_opponent_pays_1_to_nobody() -> None:
    """§7.3."""
    position = Position()
    position.fill("A10", 1, 0)
    position.acting(0, 2)
    position.act("bobby D2")
    assert position.scores == [9, 10, 10]


# Case 4: the Lord


def test_an_unfinished_alley_between_the_lord_and_a_burgher_scores_four_times_its_lots() -> None:
    """§7.4: red on a 3 and a 1 of A6, which ends at the burgher on P10, when the round of the last stall is over."""
    position = Position()
    position.fill("A6", RED, RED)
    position.fill_plazas(free="P9", lord=True)
    assert position.customer("P10") == "burgher"
    position.set_hand(1, 1)
    position.acting(1, 1, "D1")
    position.act("stall A1 P1", "done")
    assert position.actor == 2
    position.act("mark D12 2")
    assert position.over
    assert position.scores == [10 + 16, 10, 10]


# Case 5: neutral tokens


def test_the_first_two_marks_bring_a_neutral_3_and_the_third_a_2() -> None:
    """§7.5."""
    position = Position()
    position.act("mark D1 2", "mark D2 4", "mark D3 2")
    assert [position.tokens(seat) for seat in range(3)] == [[3, 3, 4], [2, 3, 3], [2, 3, 4]]
    position.act("mark D4 4", "mark D5 2")
    assert position.tokens(0) == [3, 3, 2]
    assert position.tokens(1) == [1, 3, 3]
