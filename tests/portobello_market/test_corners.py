"""Corners of a turn: where the Bobby may not go back to, and what is forfeited when (§3)."""

from __future__ import annotations

import pytest

from tests.portobello_market.positions import Position

# P4: districts since the last action


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
def test_every_action_frees_the_way_back(action: str) -> None:
    position = Position(bobby="D1")
    if action == "lord":
        position.crowd(free="P11")
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


def test_a_new_turn_frees_the_way_back() -> None:
    """What the player before did does not bind the next one."""
    position = Position(bobby="D1")
    position.acting(0, 0)
    position.act("bobby D2", "done", "token 1")
    assert position.actor == 1
    assert "D1" in position.legal_of("bobby")


# Done and forfeits


def test_after_the_last_action_the_turn_ends_by_itself_where_the_bobby_cannot_move() -> None:
    position = Position(start_score=0)
    position.act("token 1", "draw", "plaza P1", "draw", "plaza P2")
    assert (position.actor, position.phase_name) == (1, "turn")


def test_after_the_last_action_the_turn_ends_with_done() -> None:
    position = Position()
    position.act("token 1", "draw", "plaza P1", "draw", "plaza P2")
    assert position.legal == ["bobby D2", "bobby D12", "done"]


def nothing_but_stalls(free: str, *, bobby: str = "D1", players: int = 3) -> Position:
    """Everybody is out, and only one alley has free lots; seat 0 owns all stalls."""
    position = Position(players, bobby=bobby)
    position.fill_everything(free, owner=0)
    position.crowd(free="P11", lord=True)
    return position


def test_while_a_way_leads_to_a_free_lot_the_bobby_must_move() -> None:
    """A5 is free, at D7: from D1 it is far."""
    position = nothing_but_stalls("A5")
    position.acting(1, 1)
    position.set_score(1, 10)
    assert position.legal == ["bobby D2", "bobby D12"]


def test_who_must_move_may_choose_where_and_come_to_a_dead_end() -> None:
    """From D2 to D12 and D11 there is only one way on, back to where no lot is."""
    position = nothing_but_stalls("A11", bobby="D1")
    position.acting(1, 1)
    position.set_score(1, 1)
    assert position.legal == ["bobby D2", "bobby D12"]
    position.act("bobby D12")
    assert (position.actor, position.phase_name) == (2, "turn")
    assert position.bobby == "D12"


@pytest.mark.parametrize(("points", "legal"), [(2, ["bobby D2", "bobby D12"]), (1, ["bobby D2", "bobby D12", "done"])])
def test_a_way_counts_only_if_every_crossing_can_be_paid(points: int, legal: list[str]) -> None:
    """A2 is free, at D3: two crossings at 1 each from D1."""
    position = nothing_but_stalls("A2")
    position.acting(1, 1)
    position.set_score(1, points)
    assert position.legal == legal


def test_the_cheapest_way_counts_and_not_the_shortest() -> None:
    """A2 at D3: from D1 over A10 and A11, which cost 2 each; the way through the own alleys is free but longer."""
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
    position.crowd(free="P11", lord=True)
    position.set_hand(1, 3)
    position.acting(1, 1)
    position.set_score(1, 0)
    assert position.legal_of("bobby") == ["D12"]
    assert "done" not in position.legal
    position.advance()
    assert position.bobby == "D3"
    assert position.legal == ["stall A2 P2", "stall A2 P3"]


def test_a_way_does_not_lead_through_barred_districts() -> None:
    """Having come from D12, D1 leads on to D2 only; a way back over D12 does not count."""
    position = nothing_but_stalls("A7", bobby="D12")
    position.acting(1, 1)
    position.set_score(1, 4)
    assert position.legal == ["bobby D1", "bobby D11"]
    position.act("bobby D1")
    # Only D2 leads on from D1, so the Bobby goes there without a question; from D2 it is two more crossings.
    assert position.bobby == "D2"
    assert position.legal == ["bobby D3", "bobby D10"]
    position.set_score(1, 1)
    assert position.legal == ["bobby D3", "bobby D10", "done"]


def test_a_lot_behind_a_barred_district_cannot_be_reached() -> None:
    """From D12 a way to A7 leads back over D11, where the Bobby has just been: whoever has come away may forfeit."""
    position = nothing_but_stalls("A7", bobby="D11")
    position.acting(1, 1)
    position.set_score(1, 10)
    position.act("bobby D12")
    assert position.legal == ["bobby D1", "done"]


def test_without_a_stall_in_hand_no_way_leads_to_a_lot() -> None:
    position = nothing_but_stalls("A5")
    position.acting(1, 2)
    position.set_hand(1, 0)
    assert position.legal == ["bobby D2", "bobby D12", "done"]


def test_who_may_forfeit_may_still_move_the_bobby_first() -> None:
    position = nothing_but_stalls("A5")
    position.acting(1, 2)
    position.set_hand(1, 0)
    position.act("bobby D2")
    assert position.legal == ["bobby D3", "bobby D10", "done"]
    position.act("done")
    assert (position.actor, position.bobby, position.actions_left) == (2, "D2", 0)


def test_a_free_lot_where_the_bobby_stands_forbids_done() -> None:
    position = nothing_but_stalls("A1")
    position.acting(1, 1)
    assert position.legal == ["bobby D2", "bobby D12", "stall A1 P1", "stall A1 P2"]


def test_customers_in_the_bag_forbid_done() -> None:
    position = Position()
    position.fill_everything()
    position.acting(1, 1)
    assert position.legal == ["bobby D2", "bobby D12", "draw"]


def test_a_forced_forfeit_is_no_question() -> None:
    position = nothing_but_stalls("A5")
    position.acting(1, 2)
    position.set_score(1, 0)
    position.advance()
    assert (position.actor, position.phase_name) == (2, "turn")


def test_a_token_that_is_the_only_answer_is_used_at_once() -> None:
    """The 3 never marks: with the others face down there is nothing to choose."""
    position = Position()
    position.set_tokens(1, False, True, False)
    position.act("mark D1 2")
    assert (position.actor, position.phase_name, position.actions_left) == (1, "act", 3)
