"""The worked cases of §10, which every implementation must reproduce."""

from __future__ import annotations

import pytest

from olb_env.old_london_bridge.scoring import longest_run
from tests.old_london_bridge.positions import Position, first_turn

# Case 1: order of turns


def test_of_two_zeros_the_player_who_has_left_the_stairs_goes_third() -> None:
    """§10.1: cards 3, 2, 0, 0; seat 3 stands on space 1, seat 2 still on stair C."""
    position = Position()
    position.set_chapel(0, 0, 0, 1)
    position.play_cards(3, 2, 0, 0)
    assert position.finish_round() == [0, 1, 3, 2]


# Case 2: replacing


def twenty_arrives() -> Position:
    position = first_turn()
    position.set_bridge(0, "guild 44", "mercer 23", "inn 15", "gate 11")
    position.put_on_top("inn 20")
    position.act("rondel inn")
    return position


def test_a_20_may_replace_the_23_or_the_15_and_nothing_else() -> None:
    """§10.2: bridge 44, 23, 15, 11."""
    assert twenty_arrives().legal == ["replace 2", "replace 3"]


def test_after_replacing_15_the_bridge_reads_23_20_11() -> None:
    """§10.2."""
    position = twenty_arrives()
    position.act("replace 3")
    assert position.bridge(0) == [44, 23, 20, 11]


def test_after_replacing_23_the_bridge_reads_20_15_11() -> None:
    """§10.2, the other choice."""
    position = twenty_arrives()
    position.act("replace 2")
    assert position.bridge(0) == [44, 20, 15, 11]


# Case 3: the first free space


def test_a_32_after_a_49_goes_on_the_first_free_space_without_a_choice() -> None:
    """§10.3: there is no decision, and the next player has to act."""
    position = first_turn()
    position.set_bridge(0, "guild 49")
    position.put_on_top("chapel 32")
    position.act("rondel chapel")
    assert position.bridge(0) == [49, 32]
    assert (position.actor, position.phase_name) == (1, "place")


def test_after_a_park_any_number_follows() -> None:
    """§10.3: 57 after 3 and a park."""
    position = first_turn()
    position.set_bridge(0, "mercer 3", "park green")
    position.put_on_top("chapel 57")
    position.act("rondel chapel")
    assert position.bridge(0) == [3, 0, 57]
    assert position.actor == 1


# Case 4: mercers


def test_mercer_43_with_four_orange_crests_in_all_brings_4_pounds() -> None:
    """§10.4: a guild, an orange gate, an orange park and the mercer itself; £1 lies on its space."""
    position = first_turn()
    position.set_bridge(0, "guild 59", "gate 56", "park orange")
    position.put_on_top("mercer 43")
    position.act("rondel mercer")
    assert position.money(0) == 5 + 1 + 4


def test_green_mercer_after_a_green_park_brings_2_pounds() -> None:
    """§10.4: mercer 18 is green; £1 lies on its space."""
    position = first_turn()
    position.set_bridge(0, "park green")
    position.put_on_top("mercer 18")
    position.act("rondel mercer")
    assert position.money(0) == 5 + 1 + 2


# Case 5: chapels


def test_chapel_with_power_3_from_the_stairs_reaches_space_3_and_1_pound_on_the_way() -> None:
    """§10.5: chapel 32 is blue; £2 lie on its space of the rondel."""
    position = first_turn()
    position.set_bridge(0, "park blue", "park blue")
    position.put_on_top("chapel 32")
    position.act("rondel chapel")
    assert position.seat(0).chapel == 3
    assert position.money(0) == 5 + 2 + 1


# Case 6: gates


def gate_with_power_4_from_space_2() -> Position:
    position = first_turn()
    position.set_bridge(0, "park blue", "park blue", "park blue")
    position.set_gate(2, 0, 0, 0)
    position.set_piles(["lady", "boost"], ["share"], ["free"])
    position.put_on_top("gate 1")
    position.act("rondel gate")
    return position


def test_gate_with_power_4_from_space_2_reaches_space_6_and_two_tiles() -> None:
    """§10.6: spaces 3 and 6 are bonus spaces."""
    position = gate_with_power_4_from_space_2()
    assert position.seat(0).gate == 6
    position.act("bonus 2", "bonus 3")
    assert position.tiles(0) == ["share", "free"]
    assert position.actor == 1


def test_the_first_pile_is_refilled_before_the_second_choice() -> None:
    """§10.6: the tile below the first is there for the second choice."""
    position = gate_with_power_4_from_space_2()
    position.act("bonus 1")
    assert position.tiles(0) == ["lady"]
    assert position.legal == ["bonus 1", "bonus 2", "bonus 3"]
    position.act("bonus 1")
    assert position.tiles(0) == ["lady", "boost"]


# Case 7: inns


@pytest.mark.parametrize("hired", [(3, 2, 1), (4, 2), (1, 1, 1, 1, 1, 1)])
def test_inn_with_power_6_brings_cards_worth_6_in_any_split(hired: tuple[int, ...]) -> None:
    """§10.7: inn 20 is blue; with 6 spent the turn ends automatically."""
    position = first_turn()
    position.set_hand(0, 0)
    position.set_bridge(0, "guild 59", "guild 54", "park blue", "park blue", "park blue")
    position.put_on_top("inn 20")
    position.act("rondel inn", *(f"hire {value}" for value in hired))
    assert position.hand(0) == [*hired, 0]
    assert position.actor == 1


# Case 8: guilds


@pytest.mark.parametrize("mercer", ["mercer 43", "mercer 48", "mercer 53", "mercer 58"])
def test_a_guild_raises_each_of_the_four_powers_by_one(mercer: str) -> None:
    """§10.8: the mercers are orange, blue, grey and green; each brings £2 after a guild."""
    position = first_turn()
    position.set_bridge(0, "guild 59")
    position.put_on_top(mercer)
    position.act("rondel mercer")
    assert position.money(0) == 5 + 1 + 2


def test_each_further_guild_raises_all_four_powers_again() -> None:
    """§10.8."""
    position = first_turn()
    position.set_bridge(0, "park blue", "park orange", "park grey", "park green")
    position.build(0, "guild 59")
    assert position.seat(0).power.tolist() == [2, 2, 2, 2]
    position.build(0, "guild 54")
    assert position.seat(0).power.tolist() == [3, 3, 3, 3]


# Case 9: the longest run

RUN_OF_SIX = ("guild 59", "gate 51", "mercer 48", "mercer 33", "inn 25", "gate 6", "park blue", "mercer 58")


def test_the_run_59_51_48_33_25_6_park_58_is_6_long() -> None:
    """§10.9."""
    position = Position()
    position.set_bridge(0, *RUN_OF_SIX)
    assert longest_run(position.seat(0)) == 6


@pytest.mark.parametrize(("rival", "prizes"), [(5, [5, 3, 0]), (6, [3, 5, 0])])
def test_the_run_of_6_beats_one_of_5_and_ties_with_one_of_6(rival: int, prizes: list[int]) -> None:
    """§10.9 in the scoring: the rival is ahead on the chapel track and wins a tie."""
    position = Position(3, {"bridge": "longest run"})
    position.set_chapel(0, 1, 0)
    position.set_bridge(0, *RUN_OF_SIX)
    position.set_bridge(1, *("guild 59", "guild 54", "guild 49", "guild 44", "guild 39", "guild 34")[:rival])
    assert position.scored("bridge") == prizes


# Case 10: final scoring


def test_30_pounds_in_play_become_37() -> None:
    """§10.10: third on chapel, first on gate, a zero in hand, tied for third with 11 buildings, two tiles."""
    position = Position()
    position.set_money(0, 30)
    position.set_chapel(5, 9, 7, 2)
    position.set_gate(8, 7, 3, 0)
    position.set_hand(0, 0)
    for seat, built in enumerate((11, 11, 12, 12)):
        position.set_bridge(seat, *["park green"] * built)
    position.give(0, "lady", "cross")
    position.score_end()
    assert position.ledger(0) == {
        "in_play": 30,
        "chapel": 1,
        "gate": 5,
        "inn": 0,
        "bridge": 0,
        "empty_spaces": -1,
        "bonus_tiles": 2,
    }
    assert position.money(0) == 37


def test_the_player_ahead_on_chapel_takes_third_place_with_11_buildings() -> None:
    """§10.10: the other side of the tie."""
    position = Position()
    position.set_chapel(5, 9, 7, 2)
    for seat, built in enumerate((11, 11, 12, 12)):
        position.set_bridge(seat, *["park green"] * built)
    assert position.scored("bridge") == [0, 1, 5, 3]


def test_nobody_with_a_hand_of_value_0_gets_an_inn_prize() -> None:
    """§10.10: three hands hold only the zero, so second and third prize go to nobody."""
    position = Position()
    for seat in (0, 1, 3):
        position.set_hand(seat, 0)
    assert position.scored("inn") == [0, 0, 5, 0]


# Case 11: two players


def test_4_and_0_against_3_and_2_gives_the_turns_a_b_b_a() -> None:
    """§10.11."""
    position = Position(2)
    position.play_cards((4, 0), (3, 2))
    assert position.finish_round() == [0, 1, 1, 0]


# Case 12: tile sides


def test_lead_over_last_at_10_6_4_and_0_spaces_ahead() -> None:
    """§10.12."""
    position = Position(scoring={"chapel": "lead over last"})
    position.set_chapel(12, 8, 6, 2)
    assert position.scored("chapel") == [10, 6, 4, 0]


def test_coins_again_on_the_space_with_5_pounds_brings_11() -> None:
    """§10.12: £1, £2, £3 and £5."""
    position = Position(scoring={"chapel": "coins again"})
    position.set_chapel(11, 0, 0, 0)
    assert position.scored("chapel") == [11, 0, 0, 0]


def test_steps_12_10_5_5_bring_9_9_3_3() -> None:
    """§10.12."""
    position = Position(scoring={"gate": "steps"})
    position.set_gate(12, 10, 5, 5)
    assert position.scored("gate") == [9, 9, 3, 3]


def test_three_unused_tiles_bring_9_under_unused_tiles() -> None:
    """§10.12."""
    position = Position(scoring={"gate": "unused tiles"})
    position.give(0, "lady", "lady", "gate")
    assert position.scored("bonus_tiles") == [9, 0, 0, 0]


def test_five_cards_with_the_zero_bring_7_under_hand_size() -> None:
    """§10.12."""
    position = Position(scoring={"inn": "hand size"})
    position.set_hand(0, 4, 3, 2, 1, 0)
    assert position.scored("inn")[0] == 7


def test_two_sets_of_1_and_2_bring_10_under_card_sets() -> None:
    """§10.12."""
    position = Position(scoring={"inn": "card sets"})
    position.set_hand(0, 1, 2, 1, 2)
    assert position.scored("inn")[0] == 10
