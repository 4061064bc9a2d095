"""Each of the twenty ways to score an area (§7); test_final_scoring.py has prizes and the end of the game."""

from __future__ import annotations

import pytest

from olb_env.old_london_bridge.components import KINDS
from tests.old_london_bridge.positions import Position, first_turn

# Without coins on the rondel, all money in play comes from scoring.
NO_COINS = {"coins": ["X", 0, 0, 0, 0, 0]}
FALLING = ("guild 59", "guild 54", "guild 49", "guild 44", "guild 39", "guild 34", "guild 29")


def scoring(area: str, name: str, players: int = 4) -> Position:
    """Return a game with this scoring of one area, the others scored as the board prints them."""
    return Position(players, {area: name})


def pass_a_round(position: Position, *cards: int) -> list[int]:
    """Remove all buildings, so that all turns of the round pass and the game ends; return the money in play."""
    position.empty_stack(*KINDS)
    position.play_cards(*cards)
    assert position.over
    return position.ledger_entry("in_play")


# Chapel


def test_chapel_board_furthest_on_the_chapel_track_needs_one_step() -> None:
    """§7: the third prize is not paid."""
    position = scoring("chapel", "board")
    position.set_chapel(0, 1, 9, 0)
    assert position.scored("chapel") == [0, 3, 5, 0]


def test_chapel_board_on_one_space_the_marker_on_top_is_better() -> None:
    """§3, §7: seat 3 came later to space 4 than seat 2."""
    position = scoring("chapel", "board")
    position.set_chapel(6, 0, 4, 0)
    position.walk_chapel(3, 4)
    assert position.scored("chapel") == [5, 0, 1, 3]


def test_most_chapels_counts_chapels_on_the_bridge_with_ties_by_chapel_order() -> None:
    """§7: seats 0 and 3 have two chapels each, seat 1 one, seat 2 a gate."""
    position = scoring("chapel", "most chapels")
    position.set_chapel(0, 0, 0, 1)
    position.set_bridge(0, "chapel 57", "chapel 52")
    position.set_bridge(1, "chapel 47")
    position.set_bridge(2, "gate 56")
    position.set_bridge(3, "chapel 42", "chapel 37")
    assert position.scored("chapel") == [3, 1, 0, 5]


def test_chapel_leader_each_round_gets_1_pound_with_the_marker_on_top_ahead() -> None:
    """§7: seats 1 and 2 stand on space 3, seat 1 on top."""
    position = scoring("chapel", "leader each round")
    position.set_chapel(2, 3, 3, 0)
    assert pass_a_round(position, 1, 1, 1, 1) == [5, 6, 5, 5]


@pytest.mark.parametrize(("space", "pounds"), [(0, 5), (1, 6)])
def test_chapel_leader_each_round_must_have_left_the_stairs(space: int, pounds: int) -> None:
    """§7, A9."""
    position = scoring("chapel", "leader each round")
    position.set_chapel(space, 0, 0, 0)
    assert pass_a_round(position, 1, 1, 1, 1) == [pounds, 5, 5, 5]


def test_lead_over_last_pays_the_spaces_ahead_of_the_last_player() -> None:
    """§7: those on the last space get nothing."""
    position = scoring("chapel", "lead over last", players=3)
    position.set_chapel(3, 14, 3)
    assert position.scored("chapel") == [0, 11, 0]


@pytest.mark.parametrize(
    ("space", "pounds"), [(1, 0), (2, 1), (4, 1), (5, 3), (7, 3), (8, 6), (10, 6), (11, 11), (14, 11)]
)
def test_coins_again_pays_coins_reached_or_passed_without_the_10_of_the_end(space: int, pounds: int) -> None:
    """§7, A10."""
    position = scoring("chapel", "coins again")
    position.set_chapel(0, space, 0, 0)
    assert position.scored("chapel") == [0, pounds, 0, 0]


# Gate


def test_gate_board_furthest_on_the_gate_track_with_ties_by_chapel_order() -> None:
    """§7: of seats 0 and 2 on gate space 5 the latter is ahead on the chapel track."""
    position = scoring("gate", "board")
    position.set_chapel(0, 0, 2, 0)
    position.set_gate(5, 1, 5, 9)
    assert position.scored("gate") == [1, 0, 3, 5]


def test_gate_board_needs_one_step() -> None:
    """§7."""
    position = scoring("gate", "board")
    position.set_gate(0, 1, 0, 0)
    assert position.scored("gate") == [0, 5, 0, 0]


def test_most_gates_counts_gates_on_the_bridge() -> None:
    """§7: a tie between seats 1 and 2 goes by the stairs."""
    position = scoring("gate", "most gates")
    position.set_gate(15, 0, 0, 0)
    position.set_bridge(0, "chapel 57")
    position.set_bridge(1, "gate 56")
    position.set_bridge(2, "gate 51")
    position.set_bridge(3, "gate 46", "gate 41")
    assert position.scored("gate") == [0, 3, 1, 5]


def test_gate_leader_each_round_gets_1_pound_with_ties_by_chapel_order() -> None:
    """§7: seats 1 and 3 stand on gate space 4."""
    position = scoring("gate", "leader each round")
    position.set_chapel(9, 0, 0, 1)
    position.set_gate(3, 4, 0, 4)
    assert pass_a_round(position, 1, 1, 1, 1) == [5, 5, 5, 6]


@pytest.mark.parametrize(("space", "pounds"), [(0, 5), (1, 6)])
def test_gate_leader_each_round_must_have_left_the_start(space: int, pounds: int) -> None:
    """§7, A9: being ahead on the chapel track does not help seat 0."""
    position = scoring("gate", "leader each round")
    position.set_chapel(9, 0, 0, 1)
    position.set_gate(0, space, 0, 0)
    assert pass_a_round(position, 1, 1, 1, 1) == [5, pounds, 5, 5]


def test_leaders_are_paid_again_in_every_round() -> None:
    """§4.8: £1 after the first round, £2 after the second; a park, a guild and an inn move no marker."""
    position = Position(3, {"gate": "leader each round"}, NO_COINS)
    position.set_gate(1, 0, 0)
    for pounds in (6, 7):
        position.turn_rondel_to("chapel", "X")
        position.play_cards(3, 2, 1)
        position.act("rondel park", "rondel guild", "rondel inn", "done")
        assert position.all_money() == [pounds, 5, 5]


@pytest.mark.parametrize(
    ("steps", "pounds"), [(3, 0), (4, 3), (6, 3), (7, 5), (9, 5), (10, 9), (12, 9), (13, 12), (15, 12)]
)
def test_steps_pay_by_thresholds(steps: int, pounds: int) -> None:
    """§7."""
    position = scoring("gate", "steps")
    position.set_gate(steps, 0, 0, 0)
    assert position.scored("gate") == [pounds, 0, 0, 0]


@pytest.mark.parametrize(("tiles", "pounds"), [(0, 0), (1, 1), (2, 4), (3, 9), (4, 16), (5, 16)])
def test_unused_tiles_pay_instead_of_1_pound_each_and_show_under_bonus_tiles(tiles: int, pounds: int) -> None:
    """§7."""
    position = scoring("gate", "unused tiles")
    position.give(0, *("lady", "lady", "boost", "share", "gate")[:tiles])
    assert position.scored("bonus_tiles") == [pounds, 0, 0, 0]
    assert position.ledger_entry("gate") == [0, 0, 0, 0]


# Inn


def test_inn_board_counts_the_value_of_cards_in_hand_with_ties_by_chapel_order() -> None:
    """§7: values 5, 4, 5 and 6, however many cards they are and whatever inns are built."""
    position = scoring("inn", "board")
    position.set_bridge(1, "inn 60", "inn 55", "inn 50")
    position.set_hand(0, 1, 1, 1, 1, 1, 0)
    position.set_hand(1, 4)
    position.set_hand(2, 3, 2)
    position.set_hand(3, 4, 2)
    assert position.scored("inn") == [3, 0, 1, 5]


def test_most_inns_counts_inns_on_the_bridge() -> None:
    """§7: cards do not matter."""
    position = scoring("inn", "most inns")
    position.set_bridge(2, "inn 60", "inn 55")
    position.set_bridge(3, "inn 50")
    assert position.scored("inn") == [0, 0, 5, 3]


def test_highest_card_gets_2_pounds_at_the_reveal() -> None:
    """§4.4, §7."""
    position = scoring("inn", "highest card")
    position.play_cards(1, 2, 4, 3)
    assert position.all_money() == [5, 5, 7, 5]


def test_highest_card_breaks_ties_by_chapel_order() -> None:
    """§7: two 3s, of seat 3 on space 1 and seat 1 on the stairs."""
    position = scoring("inn", "highest card")
    position.set_chapel(0, 0, 0, 1)
    position.play_cards(1, 3, 0, 3)
    assert position.all_money() == [5, 5, 5, 7]


def test_highest_card_may_be_a_1() -> None:
    """§7: among zeros."""
    position = scoring("inn", "highest card")
    position.play_cards(0, 0, 1, 0)
    assert position.all_money() == [5, 5, 7, 5]


def test_highest_card_is_a_zero_if_all_play_zeros() -> None:
    """§7: seat 2 is first in chapel order."""
    position = scoring("inn", "highest card")
    position.set_chapel(0, 0, 1, 0)
    position.play_cards(0, 0, 0, 0)
    assert position.all_money() == [5, 5, 7, 5]


def test_highest_card_among_the_zeros_of_two_players() -> None:
    """§7: both players play both of their zeros."""
    position = scoring("inn", "highest card", players=2)
    position.play_cards((0, 0), (0, 0))
    assert position.all_money() == [7, 5]


def test_highest_card_looks_at_both_cards_of_two_players_and_pays_once() -> None:
    """§7: 4 and 0 against 3 and 3."""
    position = scoring("inn", "highest card", players=2)
    position.play_cards((3, 3), (0, 4))
    assert position.all_money() == [5, 7]


@pytest.mark.parametrize(("cards", "pounds"), [(2, 0), (3, 4), (4, 4), (5, 7), (7, 7), (8, 10), (9, 10)])
def test_hand_size_counts_cards_with_the_zero(cards: int, pounds: int) -> None:
    """§7."""
    position = scoring("inn", "hand size")
    position.set_hand(0, 0, *[1] * (cards - 1))
    assert position.scored("inn")[0] == pounds


@pytest.mark.parametrize(
    ("hand", "pounds"),
    [
        ((1, 1, 1, 3, 4), 0),  # no 2
        ((2, 2, 3, 4), 0),  # no 1
        ((1, 2), 5),
        ((1, 2, 4), 5),  # 1+2+4 is no set
        ((1, 1, 2), 5),
        ((1, 2, 3), 10),
        ((1, 2, 3, 4, 0), 15),
        ((1, 2, 3, 4, 3, 4), 15),  # cards outside a set pay nothing
        ((1, 1, 2, 2, 3, 4), 20),  # 1+2+3+4 and 1+2
        ((1, 1, 2, 2, 3, 3, 4), 25),  # 1+2+3+4 and 1+2+3
        ((1, 1, 1, 2, 2, 3, 3, 3, 4, 4), 30),
    ],
)
def test_card_sets_are_split_as_well_as_possible(hand: tuple[int, ...], pounds: int) -> None:
    """§7."""
    position = scoring("inn", "card sets")
    position.set_hand(0, *hand)
    assert position.scored("inn")[0] == pounds


# Bridge


def test_bridge_board_counts_buildings_with_parks_and_ties_by_chapel_order() -> None:
    """§7: 2, 3, 3 and 0 buildings."""
    position = scoring("bridge", "board")
    position.set_chapel(0, 0, 1, 0)
    position.set_bridge(0, "guild 59", "guild 54")
    position.set_bridge(1, "guild 49", "park blue", "park green")
    position.set_bridge(2, "park blue", "park blue", "park orange")
    assert position.scored("bridge") == [1, 3, 5, 0]


def test_longest_run_is_broken_by_parks_and_does_not_count_them() -> None:
    """§7: runs of 3 (of five numbers), 4 and 0 (parks only); the third prize is not paid."""
    position = scoring("bridge", "longest run")
    position.set_bridge(0, *FALLING[:2], "park blue", *FALLING[2:5])
    position.set_bridge(1, *FALLING[:4])
    position.set_bridge(2, *["park green"] * 7)
    assert position.scored("bridge") == [3, 5, 0, 0]


def test_lowest_number_each_round_gets_2_pounds() -> None:
    """§7: a guild 9, a gate 6 and a chapel 7; the park of seat 3 has no number."""
    position = first_turn(cross="inn", scoring={"bridge": "lowest number each round"}, board=NO_COINS)
    for tile in ("guild 9", "gate 6", "chapel 7"):
        position.put_on_top(tile)
    position.act("rondel guild", "rondel gate", "rondel chapel", "rondel park")
    assert position.all_money() == [5, 7, 5, 5]


def test_lowest_number_each_round_starts_anew_with_the_round() -> None:
    """§7: the 4 of seat 0 counts in the first round alone; in the second the 11 of seat 1 is lowest."""
    position = first_turn(3, cross="inn", scoring={"bridge": "lowest number each round"}, board=NO_COINS)
    position.put_on_top("guild 4")
    position.put_on_top("gate 56")
    position.act("rondel guild", "rondel gate", "rondel park")
    assert position.all_money() == [7, 5, 5]
    position.turn_rondel_to("inn", "X")
    position.play_cards(3, 2, 1)
    position.put_on_top("gate 11")
    position.put_on_top("guild 19")
    position.act("rondel park", "rondel gate", "rondel guild")
    assert position.all_money() == [7, 7, 5]


def test_lowest_number_each_round_counts_even_if_replaced_in_the_same_round() -> None:
    """§7: seat 0 builds a 7 and then a 9 in its place, seat 1 an 8."""
    position = first_turn(2, cross="gate", scoring={"bridge": "lowest number each round"}, board=NO_COINS)
    for tile in ("chapel 7", "guild 9", "mercer 8"):
        position.put_on_top(tile)
    position.act("rondel chapel", "rondel mercer", "rondel guild", "rondel park")
    assert (position.bridge(0), position.bridge(1)) == ([9], [8, 0])
    assert position.all_money() == [7, 6]  # the mercer brought £1


def test_lowest_number_each_round_goes_to_nobody_without_a_number() -> None:
    """§7: all turns pass."""
    position = scoring("bridge", "lowest number each round")
    assert pass_a_round(position, 1, 1, 1, 1) == [5, 5, 5, 5]


def test_low_numbers_pay_2_pounds_up_to_30() -> None:
    """§7: 31 and parks pay nothing."""
    position = scoring("bridge", "low numbers")
    position.set_bridge(0, "gate 31", "inn 30", "park green", "gate 1")
    position.set_bridge(1, "gate 31")
    assert position.scored("bridge") == [4, 0, 0, 0]


def test_full_sets_pay_10_pounds_for_all_six_kinds() -> None:
    """§7: one set, two sets, five kinds, nothing."""
    position = scoring("bridge", "full sets")
    one = ("inn 60", "guild 59", "mercer 58", "chapel 57", "gate 56", "park blue")
    position.set_bridge(0, *one, "guild 54")
    position.set_bridge(1, *one, *("inn 55", "guild 54", "mercer 53", "chapel 52", "gate 51", "park grey"))
    position.set_bridge(2, *one[:5], *("inn 55", "guild 54", "mercer 53", "chapel 52", "gate 51"))
    assert position.scored("bridge") == [10, 20, 0, 0]
