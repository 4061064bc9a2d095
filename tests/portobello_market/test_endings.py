"""The scoring of complete alleys, the Lord, and the end of the game (§4)."""

from __future__ import annotations

import pytest

from tests.portobello_market.positions import Position

# Complete alleys (§4)


@pytest.mark.parametrize(
    ("first", "second", "factor"),
    [
        ("servant", "servant", 1),
        ("servant", "burgher", 2),
        ("burgher", "servant", 2),
        ("burgher", "burgher", 3),
        ("lord", "servant", 3),
        ("servant", "lord", 3),
        ("lord", "burgher", 4),
        ("burgher", "lord", 4),
    ],
)
def test_two_customers_multiply_the_lots_of_their_alley(first: str, second: str, factor: int) -> None:
    """A1 has the lot values 3 1 3."""
    position = Position()
    position.fill("A1", 0, 1)
    position.put_customers(P1=first, P2=second)
    position.acting(2, 1)
    position.act("stall A1 P1")
    assert position.scores == [10 + 3 * factor, 10 + factor, 10 + 3 * factor]


def test_an_alley_filled_from_its_second_end_scores_the_lots_that_stalls_are_on() -> None:
    """A15 has the lot values 3 1 from P5 to P6."""
    position = Position()
    position.fill("A15", 1, end=1)
    position.put_customers(P5="servant", P6="servant")
    position.acting(0, 1, "D2")
    position.act("stall A15 P6")
    assert position.lots("A15") == [0, 1]
    assert position.scores == [13, 11, 10]


def test_a_customer_completes_every_full_alley_at_its_plaza() -> None:
    """P5 with A9 to P1, A10 to P2 and A15 to P6, where nobody stands."""
    position = Position()
    position.fill("A9", 0, 1)
    position.fill("A10", 1, 1)
    position.fill("A15", 2, 2)
    position.put_customers(P1="burgher", P2="servant")
    position.game.order[2] = 2
    position.acting(0, 2)
    position.act("draw", "plaza P5")
    assert position.customer("P5") == "burgher"
    assert position.scores == [10 + 1 * 3, 10 + 3 * 3 + 4 * 2, 10]


def test_the_lord_completes_the_alleys_at_the_last_plaza() -> None:
    """P2 with A1 to the servant on P1 and A11 to the burgher on P6."""
    position = Position()
    position.fill("A1", 0, 0, 0)
    position.fill("A11", 1, 2)
    position.fill_plazas(free="P2")
    position.game.customer[5] = 2
    position.acting(0, 2)
    position.act("lord")
    assert position.scores == [10 + 7 * 3, 10, 10]


def test_an_alley_is_scored_once() -> None:
    position = Position()
    position.fill("A10", 0)
    position.put_customers(P2="servant", P5="servant")
    position.acting(0, 3)
    position.act("stall A10 P2")
    assert position.scores[0] == 14
    position.act("draw", "plaza P1", "draw", "plaza P3")
    assert position.scores[0] == 14


@pytest.mark.parametrize("missing", ["lot", "customer"])
def test_an_alley_is_not_scored_before_it_is_complete(missing: str) -> None:
    position = Position()
    position.fill("A1", *([0] if missing == "lot" else [0, 0]))
    position.put_customers(P1="servant", **({"P2": "servant"} if missing == "lot" else {}))
    position.acting(0, 1)
    position.act("stall A1 P1")
    assert position.scores == [10, 10, 10]


# The end (§4)


def test_the_round_of_the_last_stall_is_played_to_its_end() -> None:
    position = Position(4, start_player=2)
    position.set_hand(3, 1)
    position.acting(3, 1)
    position.act("stall A1 P1", "done")
    seats = []
    while not position.over:
        seats.append(position.actor)
        position.pass_turn()
    assert seats == [0, 1]


def test_the_last_stall_of_the_last_seat_ends_the_game_with_its_turn() -> None:
    position = Position(4, start_player=2)
    position.set_hand(1, 1)
    position.acting(1, 1)
    position.act("stall A1 P1", "done")
    assert position.over
    assert position.actor == -1
    assert position.legal == []


def test_a_player_without_stalls_still_takes_the_other_actions() -> None:
    position = Position()
    position.set_hand(0, 1)
    position.acting(0, 2)
    position.act("stall A1 P1")
    assert "draw" in position.legal
    assert "done" not in position.legal


def last_seat_ends(position: Position) -> None:
    """Let the last seat end its turn in the last round."""
    last = position.players - 1
    position.acting(last, 0)
    position.game.table.last_round = 1
    position.set_score(last, 0)
    position.advance()
    assert position.over


def test_unfinished_alleys_at_the_lord_score_at_the_end() -> None:
    """P9 with A6 to a burgher, A7 to a burgher, A18 to a servant, A19 to a servant; A1 is not at his plaza."""
    position = Position()
    position.fill("A6", 0)
    position.fill("A18", 0, 1)
    position.fill("A19", 1, end=1)
    position.fill("A1", 1, 1)
    position.fill_plazas(free="P9", lord=True)
    position.game.customer[5] = 1  # P6
    last_seat_ends(position)
    assert [position.customer(plaza) for plaza in ("P10", "P5", "P6")] == ["burgher", "servant", "servant"]
    assert position.scores == [10 + 3 * 4 + 1 * 3, 10 + 3 * 3 + 3 * 3, 0]


def test_full_alleys_at_the_lord_do_not_score_again_at_the_end() -> None:
    position = Position()
    position.fill("A6", 0, 0, 0)
    position.fill_plazas(free="P9", lord=True)
    last_seat_ends(position)
    assert position.scores[0] == 10


def test_without_the_lord_no_unfinished_alley_scores() -> None:
    position = Position()
    position.fill("A6", 0)
    position.fill_plazas(free="P9")
    last_seat_ends(position)
    assert position.scores[:2] == [10, 10]


def test_equal_points_share_the_rank() -> None:
    position = Position(4)
    for seat, points in enumerate((7, 30, 30, 0)):
        position.set_score(seat, points)
    last_seat_ends(position)
    assert position.rank == [3, 1, 1, 4]


# P5: a round in which nothing happens


def stuck() -> Position:
    """Return a position without free lots or customers to place, in which tokens achieve nothing."""
    position = Position(3, start_score=0)
    position.fill_everything(owner=0)
    position.fill_plazas(free="P11", lord=True)
    return position


def test_a_round_in_which_nobody_marks_or_places_ends_the_game() -> None:
    position = stuck()
    position.turn_of(0)
    position.act("token 1")
    while position.actor in (0, 1):
        position.act("done" if "done" in position.legal else "token 1")
    assert not position.over
    while not position.over:
        assert position.actor == 2
        position.act("done" if "done" in position.legal else "token 1")
    assert position.round_number == 1


def test_a_mark_keeps_the_game_going() -> None:
    position = stuck()
    position.turn_of(0)
    position.act("token 1")
    while position.actor == 0:
        position.act("done")
    position.act("mark D1 2")
    position.act("token 1")
    while position.actor == 2:
        position.act("done")
    assert not position.over
    assert position.round_number == 2


def test_a_round_with_one_placement_is_not_idle() -> None:
    """Each round is counted anew."""
    position = Position(2)
    position.act("token 1", "stall A1 P1", "stall A1 P1", "done")
    assert position.game.table.quiet == 0
    position.act("mark D1 2")
    assert position.game.table.quiet == 1
    assert position.round_number == 2


def test_a_round_with_only_steps_of_the_bobby_is_idle() -> None:
    position = Position(2)
    position.fill_everything(owner=0)
    position.fill_plazas(free="P11", lord=True)
    position.turn_of(0)
    moved = 0
    while not position.over:
        moves = [name for name in position.legal if name.startswith("bobby")]
        if moves and moved < 2:
            position.act(moves[0])
            moved += 1
        else:
            position.act("done" if "done" in position.legal else "token 1")
    assert moved == 2
    assert position.round_number == 1


def test_a_customer_keeps_the_game_going() -> None:
    position = Position(2, start_score=0)
    position.fill_everything(owner=0)
    position.turn_of(0)
    position.act("token 1", "draw", "plaza P1")
    assert position.game.table.quiet == 0


def test_the_lord_keeps_the_game_going() -> None:
    position = Position(2, start_score=0)
    position.fill_everything(owner=0)
    position.fill_plazas(free="P2")
    position.acting(0, 2)
    assert position.game.table.quiet == 1
    position.act("lord")
    assert position.game.table.quiet == 0


def test_the_lord_scores_at_the_end_of_an_idle_round_too() -> None:
    """The end of an idle round is scored like any other: A4 at his plaza holds one stall, out of everybody's reach."""
    position = Position(2, start_score=0)
    position.fill("A4", 0)
    position.fill_everything("A4", owner=0)
    position.fill_plazas(free="P11", lord=True)
    position.set_hand(0, 0)
    position.turn_of(0)
    while not position.over:
        position.act("done" if "done" in position.legal else "token 1")
    assert position.customer("P4") == "servant"
    assert position.scores == [3 * 3, 0]
    assert position.round_number == 1
