"""The rules of a turn: where the Bobby may not go back to, and when actions are given up (§3)."""

from __future__ import annotations

import pytest

from tests.portobello_market.positions import Position

# P4: no district twice between two actions


def test_the_bobby_does_not_go_back_before_the_first_action() -> None:
    position = Position(bobby="D1")
    position.act("token 1", "bobby D2")
    assert position.legal_of("bobby") == ["D3", "D10"]


def test_the_bobby_does_not_go_back_between_two_actions() -> None:
    position = Position(bobby="D1")
    position.act("token 1", "stall A1 P1", "bobby D2")
    assert position.legal_of("bobby") == ["D3", "D10"]
    position.act("bobby D10")
    assert position.legal_of("bobby") == ["D9", "D11"]


def test_the_bobby_does_not_go_back_after_the_last_action() -> None:
    position = Position(bobby="D1")
    position.acting(0, 0)
    position.act("bobby D2")
    assert position.legal == ["bobby D3", "bobby D10", "done"]


@pytest.mark.parametrize("action", ["stall", "customer", "lord"])
def test_every_action_opens_the_way_back(action: str) -> None:
    position = Position(bobby="D1")
    if action == "lord":
        position.fill_plazas(free="P11")
    position.acting(0, 3)
    position.act("bobby D2")
    assert "D1" not in position.legal_of("bobby")
    if action == "stall":
        position.act("stall A15 P5")
    elif action == "customer":
        position.act("draw", "plaza P11")
    else:
        position.act("lord")
    assert "D1" in position.legal_of("bobby")


def test_no_district_is_entered_twice_on_a_round_trip() -> None:
    """Around P5: D1, D2, D10, D11, D12, and not into D1 again."""
    position = Position(bobby="D1", start_score=20)
    position.act("token 1", "bobby D2", "bobby D10", "bobby D11", "bobby D12")
    assert position.legal_of("bobby") == []


def test_a_new_turn_opens_the_way_back() -> None:
    """Where the player before has led the Bobby does not matter."""
    position = Position(bobby="D1")
    position.acting(0, 0)
    position.act("bobby D2", "done", "token 1")
    assert position.actor == 1
    assert "D1" in position.legal_of("bobby")


# The end of a turn, and actions given up


def test_after_the_last_action_the_turn_ends_automatically_if_the_bobby_cannot_move() -> None:
    position = Position(start_score=0)
    position.act("token 1", "draw", "plaza P1", "draw", "plaza P2")
    assert (position.actor, position.phase_name) == (1, "turn")


def test_after_the_last_action_the_turn_ends_with_done() -> None:
    position = Position()
    position.act("token 1", "draw", "plaza P1", "draw", "plaza P2")
    assert position.legal == ["bobby D2", "bobby D12", "done"]


def nothing_but_stalls(free: str, *, bobby: str = "D1", players: int = 3) -> Position:
    """Return a position with all customers placed and one alley with free lots; seat 0 owns all stalls."""
    position = Position(players, bobby=bobby)
    position.fill_everything(free, owner=0)
    position.fill_plazas(free="P11", lord=True)
    return position


def test_while_a_way_leads_to_a_free_lot_the_bobby_must_move() -> None:
    """A5 is free, at D7: from D1 it is far."""
    position = nothing_but_stalls("A5")
    position.acting(1, 1)
    position.set_score(1, 10)
    assert position.legal == ["bobby D2", "bobby D12"]


def test_nobody_leads_the_bobby_into_a_dead_end() -> None:
    """§3.2: D2 has a free lot; with 1 point no way leads there from D12."""
    position = nothing_but_stalls("A11", bobby="D1")
    position.acting(1, 1)
    position.set_score(1, 1)
    assert position.legal == ["bobby D2"]
    position.advance()
    assert (position.actor, position.bobby) == (1, "D2")
    assert position.legal == ["stall A11 P2", "stall A11 P6"]


def test_a_player_without_a_choice_may_lead_the_bobby_anywhere_before_giving_up_actions() -> None:
    """§3.2: A5 is free at D7, five crossings from D1; with 3 points all districts nearby are dead ends."""
    position = nothing_but_stalls("A5", bobby="D1")
    position.acting(1, 1)
    position.set_score(1, 3)
    assert position.legal == ["bobby D2", "bobby D12", "done"]
    position.act("bobby D12")
    assert position.legal == ["bobby D11", "done"]
    position.act("done")
    assert (position.actor, position.bobby) == (2, "D12")


@pytest.mark.parametrize(("points", "legal"), [(2, ["bobby D2"]), (1, ["bobby D2", "bobby D12", "done"])])
def test_a_way_counts_only_if_every_crossing_can_be_paid(points: int, legal: list[str]) -> None:
    """A2 is free, at D3: two crossings at 1 each from D1."""
    position = nothing_but_stalls("A2")
    position.acting(1, 1)
    position.set_score(1, points)
    assert position.legal == legal


def test_the_cheapest_way_counts_and_not_the_shortest() -> None:
    """A2 is free at D3. From D1, A10 and A11 cost 2 each; the way over the player's own alleys is longer but free."""
    board = {
        "alleys": {"A10": {"ends": ["P2", "P5"], "values": [2, 2]}, "A11": {"ends": ["P2", "P6"], "values": [1, 1]}}
    }
    position = Position(3, bobby="D1", board=board)
    position.fill("A10", 0, 2)
    position.fill("A11", 0, 2)
    for alley in ("A9", "A17", "A18", "A19", "A20", "A16", "A12"):
        position.game.seats[1].hand = 20
        position.fill(alley, *[1] * int(position.game.length[int(alley[1:]) - 1]))
    position.fill_everything("A2", owner=0)
    position.fill_plazas(free="P11", lord=True)
    position.set_hand(1, 3)
    position.acting(1, 1)
    position.set_score(1, 0)
    assert position.legal_of("bobby") == ["D12"]
    assert "done" not in position.legal
    position.advance()
    assert position.bobby == "D3"
    assert position.legal == ["stall A2 P2", "stall A2 P3"]


def test_a_way_does_not_lead_through_barred_districts() -> None:
    """A7 is free at D11, next to D12. From D1 a way back over D12 does not count: it takes three more crossings."""
    position = nothing_but_stalls("A7", bobby="D12")
    position.acting(1, 1)
    position.set_score(1, 3)
    assert position.legal == ["bobby D11"]
    position.set_score(1, 4)
    assert position.legal == ["bobby D1", "bobby D11"]
    position.act("bobby D1")
    # Nothing but D2, D10 and D11 leads to a free lot from D1, so the Bobby goes there automatically.
    assert (position.bobby, position.scores[1]) == ("D11", 0)
    assert position.legal == ["stall A7 P8", "stall A7 P9"]


def test_a_lot_behind_a_barred_district_cannot_be_reached() -> None:
    """A7 is free at D11, where the Bobby is: once he has left, no way leads back there, so he stays."""
    position = nothing_but_stalls("A7", bobby="D11")
    position.acting(1, 1)
    position.set_score(1, 10)
    assert position.legal == ["stall A7 P8", "stall A7 P9"]


def test_a_player_without_stalls_in_hand_need_not_reach_a_free_lot() -> None:
    position = nothing_but_stalls("A5")
    position.acting(1, 2)
    position.set_hand(1, 0)
    assert position.legal == ["bobby D2", "bobby D12", "done"]


def test_a_player_who_may_give_up_actions_may_lead_the_bobby_first() -> None:
    position = nothing_but_stalls("A5")
    position.acting(1, 2)
    position.set_hand(1, 0)
    position.act("bobby D2")
    assert position.legal == ["bobby D3", "bobby D10", "done"]
    position.act("done")
    assert (position.actor, position.bobby, position.actions_left) == (2, "D2", 0)


def test_a_free_lot_around_the_bobby_forbids_done() -> None:
    position = nothing_but_stalls("A1")
    position.acting(1, 1)
    assert position.legal == ["stall A1 P1", "stall A1 P2"]


def test_customers_in_the_bag_forbid_done() -> None:
    position = Position()
    position.fill_everything()
    position.acting(1, 1)
    assert position.legal == ["bobby D2", "bobby D12", "draw"]


def test_actions_are_given_up_automatically_if_nothing_else_is_possible() -> None:
    position = nothing_but_stalls("A5")
    position.acting(1, 2)
    position.set_score(1, 0)
    position.advance()
    assert (position.actor, position.phase_name) == (2, "turn")


def test_a_token_that_is_the_only_legal_action_is_used_automatically() -> None:
    """The 3 never marks: with the others face down there is nothing to choose."""
    position = Position()
    position.set_tokens(1, False, True, False)
    position.act("mark D1 2")
    assert (position.actor, position.phase_name, position.actions_left) == (1, "act", 3)
