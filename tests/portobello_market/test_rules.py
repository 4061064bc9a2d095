"""The rules of the board, the setup, marks and tokens (§1 to §3)."""

from __future__ import annotations

import pytest

from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    DISTRICT_NAMES,
    DISTRICTS,
    ENDS,
    LOTS,
    PLAZA_NAMES,
    PLAZAS,
)
from tests.portobello_market.positions import Position

ANYWHERE = [f"bobby {district}" for district in DISTRICT_NAMES]


# The board (§1)


BOARD = """
    A1 P1 P2 | 3 1 3 | D1
    A2 P2 P3 | 1 3 1 | D3
    A3 P3 P4 | 3 1 3 | D5
    A4 P4 P11 | 3 2 1 2 3 | D6
    A5 P10 P11 | 2 2 | D7
    A6 P9 P10 | 3 1 3 | D9
    A7 P8 P9 | 1 3 1 | D11
    A8 P1 P8 | 3 2 1 1 2 3 | D12
    A9 P1 P5 | 1 3 | D1 D12
    A10 P2 P5 | 2 2 | D1 D2
    A11 P2 P6 | 1 3 1 | D2 D3
    A12 P3 P6 | 3 1 3 | D3 D4
    A13 P3 P7 | 1 3 1 | D4 D5
    A14 P4 P7 | 3 1 1 3 | D5 D6
    A15 P5 P6 | 3 1 | D2 D10
    A16 P6 P7 | 1 3 3 1 | D4 D8
    A17 P5 P8 | 3 1 1 3 | D11 D12
    A18 P5 P9 | 1 3 3 1 | D10 D11
    A19 P6 P9 | 3 1 3 | D9 D10
    A20 P6 P10 | 1 2 3 2 1 | D8 D9
    A21 P7 P10 | 1 3 1 | D7 D8
    A22 P7 P11 | 2 2 | D6 D7
"""


def test_the_board_has_the_published_numbers_of_parts() -> None:
    """P1: 11 plazas, 12 three-sided districts, 22 alleys of 2 to 6 lots worth 1 to 3."""
    assert (len(PLAZA_NAMES), len(DISTRICT_NAMES), len(ALLEY_NAMES)) == (11, 12, 22)
    assert {len(alleys) for alleys in DISTRICTS} == {3}
    assert {len(values) for values in LOTS} <= {2, 3, 4, 5, 6}
    assert {value for values in LOTS for value in values} == {1, 2, 3}
    assert all(1 <= sum(alley in around for around in DISTRICTS) <= 2 for alley in range(22))


def test_the_board_is_that_of_the_rules() -> None:
    """§1: alleys with their plazas, lot values from the first to the second, and the districts they border."""
    printed = [line.split("|") for line in BOARD.strip().splitlines()]
    assert [words.split() for words, _, _ in printed] == [
        [name, *(PLAZA_NAMES[plaza] for plaza in ends)] for name, ends in zip(ALLEY_NAMES, ENDS, strict=True)
    ]
    assert [tuple(map(int, values.split())) for _, values, _ in printed] == list(LOTS)
    assert [borders.split() for _, _, borders in printed] == [
        [name for name, around in zip(DISTRICT_NAMES, DISTRICTS, strict=True) if alley in around] for alley in range(22)
    ]
    assert " ".join(f"{x},{y}" for x, y in PLAZAS) == (
        "6,17 39,10 72,12 103,12 28,30 48,36 85,42 14,68 41,65 73,72 95,60"
    )


def test_every_district_is_a_triangle_of_plazas() -> None:
    for around in DISTRICTS:
        corners = [plaza for alley in around for plaza in ENDS[alley]]
        assert all(corners.count(plaza) == 2 for plaza in corners)


# Setup (§2)


@pytest.mark.parametrize(("players", "stalls"), [(2, 30), (3, 20), (4, 16)])
def test_everybody_begins_with_its_stalls_ten_points_and_tokens_2_3_4_face_up(players: int, stalls: int) -> None:
    position = Position(players)
    for seat in range(players):
        assert position.hand(seat) == stalls
        assert position.tokens(seat) == [2, 3, 4]
        assert position.face_up(seat) == [True] * 3
    assert position.scores == [10] * players


@pytest.mark.parametrize("start", [0, 5, 100])
def test_the_score_at_the_start_can_be_chosen(start: int) -> None:
    """P2."""
    assert Position(start_score=start).scores == [start] * 3


@pytest.mark.parametrize(
    ("players", "first", "before"), [(2, 0, 1), (2, 1, 0), (3, 0, 2), (3, 2, 1), (4, 0, 3), (4, 3, 2)]
)
def test_the_seat_before_the_start_player_places_the_bobby_anywhere(players: int, first: int, before: int) -> None:
    position = Position(players, bobby=None, start_player=first)
    assert (position.actor, position.phase_name, position.legal) == (before, "setup", ANYWHERE)
    position.act("bobby D7")
    assert (position.actor, position.phase_name, position.bobby) == (first, "turn", "D7")
    assert position.scores == [10] * players


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seats_follow_in_order_from_the_start_player(players: int) -> None:
    position = Position(players, start_player=1)
    seats = []
    for _ in range(2 * players):
        seats.append(position.actor)
        position.pass_turn()
    assert seats == [(1 + turn) % players for turn in range(2 * players)]


# Marking (§3.1)


def test_a_turn_is_a_token_or_a_mark() -> None:
    marks = [f"mark {district} {token}" for token in (2, 4) for district in DISTRICT_NAMES]
    assert Position().legal == ["token 1", "token 2", "token 3", *marks]


def test_a_mark_scores_own_stalls_around_the_district_times_the_token() -> None:
    position = Position()
    position.fill("A10", 0, 0)
    position.fill("A11", 0, 1, 0)
    position.act("mark D2 2")
    assert position.scores == [10 + 4 * 2, 10, 10]


def test_a_mark_counts_stalls_and_not_their_lots() -> None:
    position = Position()
    position.fill("A1", 0)  # worth 3
    position.act("mark D1 4")
    assert position.scores[0] == 14


def test_a_mark_without_stalls_scores_nothing_but_is_legal() -> None:
    position = Position()
    position.act("mark D12 4")
    assert position.scores == [10, 10, 10]


def test_a_mark_ends_the_turn_and_leaves_the_bobby_where_he_is() -> None:
    position = Position(bobby="D4")
    position.act("mark D1 2")
    assert (position.actor, position.phase_name, position.bobby) == (1, "turn", "D4")


def test_a_district_is_marked_only_once() -> None:
    position = Position()
    position.act("mark D5 2")
    assert not {"mark D5 2", "mark D5 4"} & set(position.legal)
    assert "mark D6 2" in position.legal


def test_a_neutral_token_comes_face_up_in_the_same_place() -> None:
    """P3: the neutral 3 for the 4; the others stay as they were."""
    position = Position()
    position.set_tokens(0, True, False, True)
    position.act("mark D1 4")
    assert position.tokens(0) == [2, 3, 3]
    assert position.face_up(0) == [True, False, True]


def test_a_neutral_token_never_marks() -> None:
    position = Position()
    position.act("mark D1 2", "mark D2 2", "mark D3 2")
    assert [name for name in position.legal_of("mark") if name.endswith(" 2")] == []
    position.act("mark D4 4", "mark D5 4", "mark D6 4")
    assert position.legal == ["token 1", "token 2", "token 3"]


def test_a_neutral_token_brings_as_many_actions_as_it_shows() -> None:
    position = Position()
    position.act("mark D1 2", "mark D2 2", "mark D3 2", "token 1")
    assert position.actions_left == 3


def test_a_token_that_lies_face_down_does_not_mark() -> None:
    position = Position()
    position.set_tokens(0, False, True, True)
    assert [name for name in position.legal if name.startswith("mark")] == [f"mark {name} 4" for name in DISTRICT_NAMES]


def test_neutral_tokens_come_in_the_order_of_their_pile() -> None:
    position = Position(4)
    for number in range(8):
        position.act(f"mark D{number + 1} {2 if number < 4 else 4}")
    assert [position.tokens(seat)[0] for seat in range(4)] == [3, 3, 2, 2]
    assert [position.tokens(seat)[2] for seat in range(4)] == [1, 1, 1, 1]
    assert position.game.table.neutral_left == 0
    assert position.legal == ["token 1", "token 2", "token 3"]


# Tokens (§3.2)


@pytest.mark.parametrize(("token", "actions"), [(1, 2), (2, 3), (3, 4)])
def test_a_token_brings_exactly_its_number_of_actions(token: int, actions: int) -> None:
    position = Position(bobby="D12")
    position.act(f"token {token}")
    for left in range(actions, 0, -1):
        assert position.actions_left == left
        assert "done" not in position.legal
        position.act("stall A8 P1")
    assert position.legal_of("stall") == []
    position.act("done")
    assert position.actor == 1


def test_a_token_used_lies_face_down() -> None:
    position = Position(bobby="D12")
    position.act("token 2", "stall A8 P1", "stall A8 P1", "stall A8 P1", "done")
    assert position.face_up(0) == [True, False, True]


def test_three_tokens_face_down_turn_up_at_the_end_of_that_turn() -> None:
    position = Position(bobby="D12")
    position.set_tokens(0, True, False, False)
    position.acting(0, 0)
    position.set_tokens(0, False, False, False)
    assert position.face_up(0) == [False] * 3
    position.act("done")
    assert position.face_up(0) == [True] * 3


def test_tokens_turn_up_when_the_last_of_them_has_been_used() -> None:
    position = Position(bobby="D12")
    position.set_tokens(0, False, False, True)
    position.act("token 3", *["stall A8 P1"] * 4, "done")
    assert position.face_up(0) == [True] * 3


def test_marking_with_the_only_token_face_up_leaves_the_others_face_down() -> None:
    """The neutral token that comes in its place is face up."""
    position = Position(bobby="D12")
    position.set_tokens(0, False, False, True)
    position.act("mark D1 4")
    assert position.face_up(0) == [False, False, True]
    assert position.tokens(0) == [2, 3, 3]


def test_two_tokens_face_down_stay_face_down() -> None:
    position = Position(bobby="D12")
    position.set_tokens(0, False, True, True)
    position.act("token 2", "stall A8 P1", "stall A8 P1", "stall A8 P1", "done")
    assert position.face_up(0) == [False, False, True]
