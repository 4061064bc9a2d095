"""The rules of a turn: chapel order, tracks, bonus piles, the bridge, the rondel and inns (§3, §5, §6)."""

from __future__ import annotations

import pytest

from olb_env.old_london_bridge import mechanics
from olb_env.old_london_bridge.components import KINDS
from tests.old_london_bridge.positions import Position, first_turn

CENTRE = [f"centre {kind}" for kind in KINDS]


def builds(tile: str, *bridge: str) -> Position:
    """Return the position after seat 0 has taken a tile for its bridge from the outer space beside its stack."""
    position = first_turn()
    position.set_bridge(0, *bridge)
    position.put_on_top(tile)
    position.act(f"rondel {tile.partition(' ')[0]}")
    return position


# Chapel order (§3)


def test_on_the_stairs_a_is_before_b_before_c_before_d() -> None:
    """§3: seats 0, 1, 2, 3 begin on A, B, C, D."""
    assert Position().chapel_order() == [0, 1, 2, 3]


def test_the_first_step_off_the_stairs_leads_to_space_1_ahead_of_all_on_the_stairs() -> None:
    """§3: from stair D as from any other."""
    position = Position()
    position.walk_chapel(3, 1)
    assert position.seat(3).chapel == 1
    assert position.chapel_order() == [3, 0, 1, 2]


def test_further_ahead_is_better() -> None:
    """§3: 4 steps pass space 3, 2 steps do not."""
    position = Position()
    position.set_chapel(0, 3, 0, 0)
    position.walk_chapel(2, 4)
    position.walk_chapel(3, 2)
    assert position.chapel_order() == [2, 1, 3, 0]


def test_a_marker_that_ends_on_an_occupied_space_goes_on_top() -> None:
    """§3: two on space 3, the third comes before both."""
    position = Position()
    position.set_chapel(3, 3, 0, 5)
    position.walk_chapel(2, 3)
    assert position.chapel_order() == [3, 2, 0, 1]


def test_the_first_marker_on_the_end_space_is_ahead_of_all() -> None:
    """§3."""
    position = Position()
    position.set_chapel(13, 9, 0, 2)
    position.walk_chapel(3, 12)
    assert position.chapel_order() == [3, 0, 1, 2]


def test_on_the_end_space_a_marker_goes_to_the_bottom() -> None:
    """§3: below two markers there, before everybody else."""
    position = Position()
    position.set_chapel(14, 14, 13, 2)
    position.walk_chapel(3, 12)
    assert position.chapel_order() == [0, 1, 3, 2]
    position.walk_chapel(2, 1)
    assert position.chapel_order() == [0, 1, 3, 2]


# Tracks and bonus piles (§6.2)


def test_the_end_of_the_chapel_track_pays_10_pounds_to_each_once() -> None:
    """§6.2: from space 12 on there is no coin; further steps are lost."""
    position = Position()
    position.set_chapel(12, 13, 0, 0)
    position.walk_chapel(0, 5)
    position.walk_chapel(1, 1)
    assert (position.seat(0).chapel, position.all_money()) == (14, [15, 15, 5, 5])
    position.walk_chapel(0, 3)
    assert (position.seat(0).chapel, position.all_money()) == (14, [15, 15, 5, 5])


def test_the_end_of_the_gate_track_pays_10_pounds_to_each_once_and_no_tile() -> None:
    """§6.2, A6."""
    position = Position()
    position.set_gate(13, 14, 0, 0)
    assert (position.walk_gate(0, 5), position.walk_gate(1, 1)) == (0, 0)
    assert (position.seat(0).gate, position.all_money()) == (15, [15, 15, 5, 5])
    assert position.walk_gate(0, 3) == 0
    assert (position.seat(0).gate, position.all_money()) == (15, [15, 15, 5, 5])


def test_a_building_at_the_end_of_its_track_brings_nothing_more() -> None:
    """§6.2: a chapel for a marker on space 14; £2 lie on the rondel."""
    position = first_turn()
    position.set_chapel(14, 0, 0, 0)
    position.act("rondel chapel")
    assert (position.money(0), position.actor) == (7, 1)


def test_every_printed_coin_reached_or_passed_is_paid() -> None:
    """§6.2: £1 on space 2 with a single step to it, then £2, £3 and £5 on the way to space 12."""
    position = Position()
    for steps, pounds in ((1, 5), (1, 6), (1, 6), (9, 16), (1, 16)):
        position.walk_chapel(0, steps)
        assert position.money(0) == pounds


def test_a_gate_that_passes_three_bonus_spaces_brings_three_tiles() -> None:
    """§6.2: power 7 from space 2 to space 9."""
    position = first_turn()
    position.set_gate(2, 0, 0, 0)
    position.set_piles(["lady", "boost", "gate"], ["share"], [])
    position.set_bridge(0, "guild 59", "guild 54", "guild 49", *["park blue"] * 3)
    position.put_on_top("gate 1")
    position.act("rondel gate", "bonus 1", "bonus 1", "bonus 2")
    assert (position.seat(0).gate, position.tiles(0)) == (9, ["lady", "boost", "share"])


@pytest.mark.parametrize(
    ("piles", "offered", "gained"),
    [
        ((["lady"], [], ["boost"]), ["bonus 1", "bonus 3"], []),
        (([], ["share", "lady"], []), [], ["share"]),
        (([], [], []), [], []),
    ],
    ids=["one pile is empty", "one pile is left", "no pile is left"],
)
def test_only_piles_with_a_tile_are_offered(
    piles: tuple[list[str], ...], offered: list[str], gained: list[str]
) -> None:
    """§6.2, §8: a tile of the only pile left is taken automatically, and without a pile there is no tile."""
    position = first_turn()
    position.set_gate(2, 0, 0, 0)
    position.set_piles(*piles)
    position.act("rondel gate")
    assert (position.phase_name, position.actor) == (("bonus", 0) if offered else ("place", 1))
    assert position.tiles(0) == gained
    assert not offered or position.legal == offered


def test_tiles_due_beyond_the_last_one_are_lost() -> None:
    """§6.2: two bonus spaces, one tile left."""
    position = first_turn()
    position.set_gate(2, 0, 0, 0)
    position.set_piles([], [], ["lady"])
    position.set_bridge(0, *["park blue"] * 3)
    position.put_on_top("gate 1")
    position.act("rondel gate")
    assert (position.seat(0).gate, position.tiles(0), position.actor) == (6, ["lady"], 1)


# The bridge (§6.1)


def test_a_building_may_be_replaced_in_any_run_of_the_bridge() -> None:
    """§6.1: 30 can replace the 40 or the 20 before the park, or the 5 after it."""
    position = builds("inn 30", "inn 40", "inn 20", "park green", "inn 5")
    assert position.legal == ["replace 1", "replace 2", "replace 4"]
    position.act("replace 2", "done")
    assert position.bridge(0) == [40, 30, 0, 5]


def test_parks_are_never_replaced() -> None:
    """§6.1: not even where a number would fit between its neighbours."""
    assert builds("inn 20", "inn 40", "park green", "inn 10", "inn 5").legal == ["replace 1", "replace 3"]


def test_neighbours_that_would_no_longer_fit_forbid_a_replacement() -> None:
    """§6.1: a 55 cannot replace 45 or 40, to the right of lower numbers, nor 60, to the left of the 57."""
    position = builds("inn 55", "inn 50", "inn 45", "inn 40", "park green", "inn 60", "chapel 57", "inn 10")
    assert position.legal == ["replace 1", "replace 6", "replace 7"]


def test_the_only_possible_replacement_is_made_automatically() -> None:
    """§6.1, §8: 58 on a bridge of 18 alone."""
    position = builds("mercer 58", "mercer 18")
    assert (position.bridge(0), position.actor) == ([58], 1)


def test_a_replaced_building_no_longer_counts_as_its_kind() -> None:
    """§6.1: a mercer in place of a chapel; kinds in the order chapel, gate, inn, mercer, guild, park."""
    assert builds("mercer 58", "chapel 17").seat(0).kinds.tolist() == [0, 0, 0, 1, 0, 0]


def test_a_replaced_crest_no_longer_counts() -> None:
    """§6.2: both mercers are green, and the new one brings £1."""
    assert builds("mercer 58", "mercer 18").money(0) == 5 + 1 + 1


def test_a_number_that_fits_on_the_first_free_space_must_go_there() -> None:
    """§6.1: 13 could replace the 18 as well."""
    position = builds("mercer 13", "mercer 43", "mercer 18")
    assert (position.bridge(0), position.actor) == ([43, 18, 13], 1)


def test_a_park_always_goes_on_the_first_free_space() -> None:
    """§6.1: after a 1, and after another park."""
    position = first_turn(cross="inn")
    position.set_bridge(0, "gate 1", "park blue")
    position.act("rondel park")
    assert (position.bridge(0), position.actor) == ([1, 0, 0], 1)


@pytest.mark.parametrize("kind", ["guild", "park"])
def test_guilds_and_parks_bring_nothing_by_themselves(kind: str) -> None:
    """§6.2: only the coins of the rondel, £1 beside the guild and £2 beside the park."""
    position = first_turn(cross="inn" if kind == "park" else "chapel")
    position.act(f"rondel {kind}")
    player = position.seat(0)
    assert (position.money(0), player.chapel, player.gate) == (7 if kind == "park" else 6, 0, 0)
    assert position.hand(0) == [3, 2, 1, 1, 0]


def test_the_next_tile_of_a_stack_is_shown_when_the_top_one_is_taken() -> None:
    """§1, §5.3: the number taken is gone from those still to come (§9)."""
    position = first_turn()
    table, mercer = position.game.table, KINDS.index("mercer")
    first, second = (int(code) // 8 for code in position.game.hidden.stack[mercer, :2])
    position.act("rondel mercer")
    assert (position.bridge(0), table.top_number[mercer], table.stack_left[mercer]) == ([first], second, 11)
    assert (table.number_left[first - 1], table.number_left.sum()) == (0, 59)


def test_the_last_tile_of_a_stack_is_shown_as_well() -> None:
    """§1: and nothing on an empty stack."""
    position = first_turn()
    table, mercer = position.game.table, KINDS.index("mercer")
    table.stack_left[mercer] = 1
    mechanics.show_top(position.game, mercer)
    last = int(position.game.hidden.stack[mercer, -1]) // 8
    assert table.top_number[mercer] == last
    position.act("rondel mercer")
    assert (position.bridge(0), table.top_number[mercer], table.stack_left[mercer]) == ([last], 0, 0)


def test_a_park_taken_is_gone_from_the_parks_of_its_crest() -> None:
    """§1, §9: three of each crest, in the order blue, orange, grey, green."""
    position = first_turn()
    position.put_on_top("park grey")
    position.act("centre park")
    assert position.game.table.parks_left.tolist() == [3, 3, 2, 3]
    assert position.game.table.number_left.sum() == 60


# The rondel (§5.2)


def test_neither_the_x_nor_an_occupied_space_nor_an_empty_stack_is_offered() -> None:
    """§5.2: the X beside the park, a pawn beside the guild, no chapel left."""
    position = first_turn()
    position.put_pawn(1, "guild")
    position.empty_stack("chapel")
    assert [name for name in position.legal if name.startswith("rondel")] == [
        "rondel gate",
        "rondel inn",
        "rondel mercer",
    ]


def test_an_outer_space_pays_its_coins() -> None:
    """§5.2, A3: £1, £2, £3, £2, £1 clockwise from the X beside the park."""
    paid = []
    for kind in ("mercer", "chapel", "guild", "inn", "gate"):
        position = first_turn()
        position.set_bridge(0)
        position.act(f"rondel {kind}")
        paid.append(position.money(0) - 5 - (kind == "mercer"))  # a mercer alone brings £1
    assert paid == [1, 2, 3, 2, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_centre_costs_2_pounds_and_brings_no_coins(kind: str) -> None:
    """§5.2: exactly £2 are enough; a mercer alone brings £1."""
    position = first_turn()
    position.set_money(0, 2)
    position.act(f"centre {kind}")
    assert position.money(0) == (1 if kind == "mercer" else 0)
    assert position.seat(0).kinds.tolist() == [kind == other for other in KINDS]


def test_the_centre_is_not_offered_with_1_pound() -> None:
    """§5.2."""
    position = first_turn()
    position.set_money(0, 1)
    assert not set(CENTRE) & set(position.legal)


def test_the_centre_chooses_among_all_stacks_that_are_not_empty() -> None:
    """§5.2: the one on the X and those with a pawn beside them included."""
    position = first_turn()
    position.put_pawn(1, "guild")
    position.empty_stack("mercer")
    assert [name for name in position.legal if name.startswith("centre")] == [
        "centre chapel",
        "centre gate",
        "centre inn",
        "centre guild",
        "centre park",
    ]


def test_an_occupied_centre_is_not_offered() -> None:
    """§5.2."""
    position = first_turn()
    position.put_pawn(1, "centre")
    assert not set(CENTRE) & set(position.legal)


# Inns (§6.2)


def test_an_inn_never_brings_a_higher_card_than_the_one_before() -> None:
    """§6.2, §8: power 4; after a 1 only further 1s."""
    position = builds("inn 20", *["park blue"] * 3)
    assert position.legal == ["hire 1", "hire 2", "hire 3", "hire 4", "done"]
    position.act("hire 1")
    assert position.legal == ["hire 1", "done"]


def test_an_inn_never_brings_more_than_its_power() -> None:
    """§6.2: power 4; after a 3 only a 1 is left."""
    position = builds("inn 20", *["park blue"] * 3)
    position.act("hire 3")
    assert position.legal == ["hire 1", "done"]


def test_an_inn_may_bring_nothing() -> None:
    """§6.2."""
    position = builds("inn 20", *["park blue"] * 3)
    position.act("done")
    assert (position.hand(0), position.actor) == ([3, 2, 1, 1, 0], 1)


def test_an_inn_brings_no_card_that_the_supply_lacks() -> None:
    """§6.2: no 4 and no 2."""
    position = first_turn()
    position.set_supply(4, 0)
    position.set_supply(2, 0)
    position.set_bridge(0, *["park blue"] * 3)
    position.put_on_top("inn 20")
    position.act("rondel inn")
    assert position.legal == ["hire 1", "hire 3", "done"]


def test_an_inn_that_can_bring_nothing_needs_no_decision() -> None:
    """§8: power 1 and no 1 in the supply."""
    position = first_turn()
    position.set_supply(1, 0)
    position.act("rondel inn")
    assert (position.phase_name, position.actor) == ("place", 1)


def test_a_played_card_can_be_hired_from_its_own_turn_on_and_not_before() -> None:
    """§5.1: the only 3 is the one of seat 1; seat 0 cannot have it, seat 2 can."""
    position = first_turn()
    position.set_supply(3, 0)
    for seat in (0, 2):
        position.set_bridge(seat, *["park blue"] * 3)
    position.put_on_top("inn 20")
    position.act("rondel inn")
    assert position.legal == ["hire 1", "hire 2", "hire 4", "done"]
    position.act("done", "rondel guild")
    position.put_on_top("inn 60")
    position.act("centre inn")
    assert (position.actor, position.legal) == (2, ["hire 1", "hire 2", "hire 3", "hire 4", "done"])
