"""The rules of actions: stalls, customers, the Lord, and the steps and tolls of the Bobby (§3)."""

from __future__ import annotations

import pytest

from olb_env.portobello_market.components import DISTRICT_NAMES, DISTRICTS, PLAZA_NAMES
from tests.portobello_market.positions import Position, ends_of, neighbours

# Stalls


def test_stalls_go_into_the_alleys_around_the_bobby() -> None:
    position = Position(bobby="D9")
    position.act("token 1")
    expected = [f"{alley} {end}" for alley in ("A6", "A19", "A20") for end in ends_of(alley)]
    assert position.legal_of("stall") == expected


@pytest.mark.parametrize(("end", "first", "second"), [("P4", 0, 1), ("P11", 4, 3)])
def test_an_alley_fills_from_the_end_of_its_first_stall(end: str, first: int, second: int) -> None:
    position = Position(bobby="D6")
    position.act("token 3")
    assert {"A4 P4", "A4 P11"} <= set(position.legal_of("stall"))
    position.act(f"stall A4 {end}")
    assert [name for name in position.legal_of("stall") if name.startswith("A4")] == [f"A4 {end}"]
    position.act(f"stall A4 {end}")
    owners = position.lots("A4")
    assert [lot for lot, owner in enumerate(owners) if owner == 0] == sorted([first, second])


def test_the_next_player_continues_from_the_same_end() -> None:
    position = Position(bobby="D6")
    position.fill("A4", 0, 2, end=1)
    position.acting(1, 1, "D6")
    assert [name for name in position.legal_of("stall") if name.startswith("A4")] == ["A4 P11"]
    position.act("stall A4 P11")
    assert position.lots("A4") == [None, None, 1, 2, 0]


def test_a_full_alley_takes_no_stall() -> None:
    position = Position()
    position.fill("A10", 0, 1)
    position.act("token 1")
    assert [name for name in position.legal_of("stall") if name.startswith("A10")] == []


def test_a_player_without_stalls_in_hand_places_none() -> None:
    position = Position()
    position.acting(0, 1)
    position.set_hand(0, 0)
    assert position.legal_of("stall") == []


def test_a_stall_leaves_the_hand() -> None:
    position = Position()
    position.act("token 1", "stall A1 P2")
    assert position.hand(0) == 19


# Customers


def test_a_drawn_customer_is_placed_before_anything_else() -> None:
    position = Position()
    position.act("token 1", "draw")
    assert position.phase_name == "plaza"
    assert position.legal == [f"plaza {plaza}" for plaza in PLAZA_NAMES]


def test_a_customer_goes_on_any_free_plaza_wherever_the_bobby_is() -> None:
    position = Position(bobby="D1", bag=["burgher", *["servant"] * 5, *["burgher"] * 4])
    position.put_customers(P2="servant", P9="servant")
    position.act("token 1", "draw")
    assert position.legal_of("plaza") == [plaza for plaza in PLAZA_NAMES if plaza not in ("P2", "P9")]
    position.act("plaza P11")
    assert position.customer("P11") == "servant"
    assert position.actions_left == 1


def test_customers_come_in_the_order_of_the_bag() -> None:
    bag = ["burgher", "servant", "servant", "burgher", *["servant", "burgher"] * 3]
    position = Position(bag=bag)
    position.act("token 3", "draw", "plaza P1", "draw", "plaza P2", "draw", "plaza P3", "draw", "plaza P4")
    assert [position.customer(f"P{number}") for number in range(1, 5)] == bag[:4]
    assert position.game.table.bag.tolist() == [3, 3]


def test_the_lord_comes_after_all_ten_customers() -> None:
    position = Position()
    position.fill_plazas(free="P7")
    position.put_customers(P1="")
    position.acting(0, 3)
    assert "draw" in position.legal
    assert "lord" not in position.legal
    position.act("draw")
    assert position.legal_of("plaza") == ["P1", "P7"]
    position.act("plaza P1")
    assert "lord" in position.legal
    assert "draw" not in position.legal


def test_the_lord_takes_the_last_free_plaza_once() -> None:
    position = Position()
    position.fill_plazas(free="P7")
    position.acting(0, 2)
    position.act("lord")
    assert position.customer("P7") == "lord"
    assert position.actions_left == 1
    assert "lord" not in position.legal
    assert "draw" not in position.legal


# The Bobby


@pytest.mark.parametrize("district", DISTRICT_NAMES)
def test_the_bobby_goes_to_districts_that_share_an_alley(district: str) -> None:
    position = Position(bobby=district)
    position.act("token 1")
    shared = [
        name
        for name, around in zip(DISTRICT_NAMES, DISTRICTS, strict=True)
        if name != district and set(around) & set(DISTRICTS[DISTRICT_NAMES.index(district)])
    ]
    assert position.legal_of("bobby") == shared
    assert sorted(neighbours(district)) == sorted(shared)


def test_outer_alleys_are_not_crossed() -> None:
    """D1 has A1 on the border, and A9 to D12 and A10 to D2."""
    position = Position(bobby="D1")
    position.act("token 1")
    assert position.legal_of("bobby") == ["D2", "D12"]


def test_leading_the_bobby_does_not_count_as_an_action() -> None:
    position = Position(bobby="D1")
    position.act("token 1", "bobby D2")
    assert (position.bobby, position.actions_left) == ("D2", 2)


def test_the_bobby_moves_before_between_and_after_actions() -> None:
    position = Position(bobby="D1")
    position.act("token 1", "bobby D2", "stall A10 P2", "bobby D1", "stall A1 P1", "bobby D12", "done")
    assert (position.bobby, position.actor) == ("D12", 1)


@pytest.mark.parametrize(
    ("stalls", "scores"),
    [
        ((), [9, 10, 10, 10]),  # empty: 1 to nobody
        ((0,), [10, 10, 10, 10]),  # own majority
        ((0, 0, 1), [10, 10, 10, 10]),
        ((0, 0, 1, 2), [10, 10, 10, 10]),  # more than anybody else is enough
        ((0, 1), [9, 10, 10, 10]),  # tied
        ((0, 1, 2), [9, 10, 10, 10]),
        ((0, 1, 2, 3), [9, 10, 10, 10]),
        ((1,), [9, 11, 10, 10]),  # one opponent
        ((0, 1, 1), [9, 11, 10, 10]),
        ((0, 1, 1, 2), [9, 11, 10, 10]),
        ((1, 2), [8, 11, 11, 10]),  # two opponents
        ((0, 1, 1, 2, 2), [8, 11, 11, 10]),
        ((1, 2, 3), [7, 11, 11, 11]),  # three
    ],
)
def test_the_toll_of_an_alley_depends_on_who_has_the_most_stalls(stalls: tuple[int, ...], scores: list[int]) -> None:
    """From D1 to D2 over A10, which is six lots long here."""
    board = {"alleys": {"A10": {"ends": ["P2", "P5"], "values": [1] * 6}}}
    position = Position(4, board=board)
    position.fill("A10", *stalls)
    position.acting(0, 1)
    position.act("bobby D2")
    assert position.scores == scores


@pytest.mark.parametrize(("stalls", "cost"), [((), 1), ((0, 1), 1), ((1,), 1), ((1, 2), 2)])
def test_a_toll_must_be_paid_in_full(stalls: tuple[int, ...], cost: int) -> None:
    """[P6]."""
    position = Position()
    position.fill("A10", *stalls)
    position.acting(0, 1)
    position.set_score(0, cost)
    assert "D2" in position.legal_of("bobby")
    position.set_score(0, cost - 1)
    assert "D2" not in position.legal_of("bobby")


def test_a_player_without_points_crosses_alleys_with_a_majority_of_its_own() -> None:
    position = Position(start_score=0)
    position.fill("A10", 0)
    position.acting(0, 1)
    assert position.legal_of("bobby") == ["D2"]
