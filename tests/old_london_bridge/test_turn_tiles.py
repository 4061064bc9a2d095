"""The bonus tiles for the rondel and the tracks, share, free, cross, chapel and gate, and passing (§5.4, §5.5)."""

from __future__ import annotations

import pytest

from olb_env.old_london_bridge.components import KINDS
from tests.old_london_bridge.positions import Position, first_turn

# The legal placements with the X beside the park stack, no other pawn on the rondel and £2 or more.
OUTER = ["rondel chapel", "rondel gate", "rondel inn", "rondel mercer", "rondel guild"]
CENTRE = [f"centre {kind}" for kind in KINDS]


def uses(position: Position) -> list[str]:
    """Return the tiles that may be used now."""
    return [name.removeprefix("use ") for name in position.legal if name.startswith("use ")]


def turn_with(*tiles: str, pawns: tuple[str, ...] = (), money: int = 5) -> Position:
    """Return a position in which seat 0 holds tiles and has to place; pawns of seats 1, 2, 3 are on `pawns`."""
    position = first_turn()
    position.give(0, *tiles)
    position.set_money(0, money)
    for seat, space in enumerate(pawns, start=1):
        position.put_pawn(seat, space)
    return position


# Single tiles


def test_share_opens_an_occupied_space_with_its_coins() -> None:
    """§5.4: £3 lie beside the guild."""
    position = turn_with("share", pawns=("guild", "inn"))
    position.act("use share")
    assert position.legal == ["rondel inn", "rondel guild"]
    position.act("rondel guild")
    assert (position.money(0), position.tiles(0)) == (8, [])


def test_share_opens_the_occupied_centre_at_its_usual_cost() -> None:
    """§5.4."""
    position = turn_with("share", pawns=("centre",))
    position.act("use share")
    assert position.legal == CENTRE
    position.act("centre guild")
    assert position.money(0) == 3


def test_share_is_not_offered_without_another_pawn_on_the_rondel() -> None:
    """§5.4: it would be wasted."""
    assert turn_with("share").legal == OUTER + CENTRE


def test_share_is_not_offered_for_a_space_whose_stack_is_empty() -> None:
    """§5.2."""
    position = turn_with("share", pawns=("guild",))
    assert uses(position) == ["share"]
    position.empty_stack("guild")
    assert uses(position) == []


def test_share_is_not_offered_for_a_centre_that_the_player_cannot_pay() -> None:
    """§5.2."""
    assert turn_with("share", pawns=("centre",), money=1).legal == OUTER


def test_two_players_do_not_share_with_their_own_pawn() -> None:
    """§5.2, §5.4: in its second turn seat 0 stands beside the guild, nobody else on an outer space."""
    position = first_turn(2)
    position.give(0, "share")
    position.act("rondel guild", "centre guild")
    assert position.actor == 0
    position.set_money(0, 1)
    assert position.legal == [name for name in OUTER if name != "rondel guild"]


def test_free_opens_the_centre_without_paying() -> None:
    """§5.4."""
    position = turn_with("free", money=0)
    assert position.legal == [*OUTER, "use free"]
    position.act("use free")
    assert position.legal == CENTRE
    position.act("centre park")
    assert (position.money(0), position.tiles(0)) == (0, [])


def test_free_saves_2_pounds_even_for_a_player_who_can_pay() -> None:
    """§5.4."""
    position = turn_with("free", money=5)
    position.act("use free", "centre guild")
    assert position.money(0) == 5


def test_free_alone_does_not_open_an_occupied_centre() -> None:
    """§5.4."""
    assert turn_with("free", pawns=("centre",)).legal == OUTER


def test_cross_opens_the_x_space_without_coins() -> None:
    """§5.4: it leads to one space only, so the pawn goes there automatically (§8)."""
    position = turn_with("cross")
    position.act("use cross")
    assert (position.bridge(0), position.money(0), position.tiles(0)) == ([0], 5, [])
    assert position.seat(0).pawn.tolist() == [0, 0, 0, 0, 0, 1, 0]


def test_cross_is_not_offered_for_an_empty_stack() -> None:
    """§5.2."""
    position = turn_with("cross")
    assert uses(position) == ["cross"]
    position.empty_stack("park")
    assert uses(position) == []


def test_neither_cross_nor_share_alone_opens_an_occupied_x_space() -> None:
    """§5.4: it needs both."""
    assert turn_with("cross", pawns=("park",)).legal == OUTER + CENTRE
    assert turn_with("share", pawns=("park",)).legal == OUTER + CENTRE


# Combined tiles (§5.4)


def test_share_and_free_open_an_occupied_centre_without_paying() -> None:
    """§5.4: after the share the player may still pay."""
    position = turn_with("share", "free", pawns=("centre",))
    assert position.legal == [*OUTER, "use share", "use free"]
    position.act("use share")
    assert position.legal == [*CENTRE, "use free"]
    position.act("use free")
    assert position.legal == CENTRE
    position.act("centre guild")
    assert (position.money(0), position.tiles(0)) == (5, [])


@pytest.mark.parametrize("first", ["use share", "use free"])
def test_share_and_free_follow_each_other_automatically_if_both_are_needed(first: str) -> None:
    """§5.4, §8: with £1 the occupied centre needs both, in either order."""
    position = turn_with("share", "free", pawns=("centre",), money=1)
    position.act(first)
    assert (position.legal, position.tiles(0)) == (CENTRE, [])


def test_share_and_cross_open_an_occupied_x_space() -> None:
    """§5.4: no coins there."""
    position = turn_with("share", "cross", pawns=("park", "guild"))
    position.act("use share")
    assert position.legal == ["rondel guild", "use cross"]
    position.act("use cross")
    assert (position.bridge(0), position.money(0), position.tiles(0)) == ([0], 5, [])


def test_once_free_is_used_cross_is_not_offered() -> None:
    """§5.4: no space needs both."""
    position = turn_with("free", "cross")
    assert uses(position) == ["free", "cross"]
    position.act("use free")
    assert position.legal == CENTRE


def test_once_cross_is_used_free_is_not_offered() -> None:
    """§5.4: the pawn is on the X space at once, the free is kept."""
    position = turn_with("free", "cross")
    position.act("use cross")
    assert (position.bridge(0), position.tiles(0), position.actor) == ([0], ["free"], 1)


def test_after_share_both_free_and_cross_are_offered_if_each_leads_somewhere() -> None:
    """§5.4: pawns beside the guild, on the X and on the centre."""
    position = turn_with("share", "free", "cross", pawns=("guild", "park", "centre"))
    position.act("use share")
    assert position.legal == ["rondel guild", *CENTRE, "use free", "use cross"]


def test_a_tile_is_offered_only_with_all_others_that_its_space_needs() -> None:
    """§5.4: with £1 the occupied centre needs share and free; one of them is not enough."""
    assert uses(turn_with("share", pawns=("centre",), money=1)) == []
    assert uses(turn_with("free", pawns=("centre",), money=1)) == []
    assert uses(turn_with("share", "free", pawns=("centre",), money=1)) == ["share", "free"]


def test_a_tile_gained_this_round_does_not_complete_a_combination() -> None:
    """§5.4."""
    position = turn_with("share", pawns=("park",))
    position.give(0, "cross", fresh=True)
    assert uses(position) == []


def test_a_second_share_is_not_offered_in_the_same_turn() -> None:
    """§5.4: no space needs two."""
    position = turn_with("share", "share", pawns=("guild", "inn"))
    position.act("use share")
    assert position.legal == ["rondel inn", "rondel guild"]


def test_once_a_tile_is_used_done_is_not_offered() -> None:
    """§5.4, §8: before the share the turn could be passed."""
    position = turn_with("share", pawns=("guild", "inn"), money=0)
    position.empty_stack("chapel", "gate", "mercer", "park")
    assert position.legal == ["use share", "done"]
    position.act("use share")
    assert position.legal == ["rondel inn", "rondel guild"]


def test_a_shared_space_stays_occupied_for_the_next_player() -> None:
    """§5.4: seats 0 and 1 stand beside the guild, seat 2 holds no share."""
    position = turn_with()
    position.give(1, "share")
    position.act("rondel guild", "use share")
    assert (position.actor, position.game.table.pawns.tolist()) == (2, [0, 0, 0, 0, 2, 0, 0])
    assert position.legal == [*OUTER[:4], *CENTRE]


# Chapel and gate (§5.4)


def test_a_chapel_tile_before_placing_moves_two_steps_and_the_placement_follows() -> None:
    """§5.4, §6.2: £1 lies on space 2."""
    position = turn_with("chapel")
    position.act("use chapel")
    assert (position.seat(0).chapel, position.money(0), position.tiles(0)) == (2, 6, [])
    assert position.legal == OUTER + CENTRE


def test_chapel_tile_may_be_used_after_building() -> None:
    """§5.4: or not; the turn ends with `done`."""
    position = turn_with("chapel")
    position.act("rondel guild")
    assert position.legal == ["use chapel", "done"]
    position.act("use chapel")
    assert (position.seat(0).chapel, position.actor) == (2, 1)


def test_any_number_of_track_tiles_may_be_used_before_and_after() -> None:
    """§5.4: two chapels before, one chapel and one gate after building."""
    position = turn_with("chapel", "chapel", "chapel", "gate")
    position.act("use chapel", "use chapel", "rondel guild", "use gate", "use chapel")
    assert (position.seat(0).chapel, position.seat(0).gate, position.actor) == (6, 2, 1)


@pytest.mark.parametrize(("track", "end"), [("chapel", 14), ("gate", 15)])
def test_track_tiles_are_not_offered_at_the_end_of_their_track(track: str, end: int) -> None:
    """§5.4: neither before nor after."""
    position = turn_with(track)
    position.seat(0)[track] = end
    position.refresh()
    assert uses(position) == []
    position.act("rondel guild")
    assert (position.actor, position.tiles(0)) == (1, [track])


@pytest.mark.parametrize(("track", "end"), [("chapel", 14), ("gate", 15)])
def test_a_track_tile_one_step_before_the_end_brings_10_pounds(track: str, end: int) -> None:
    """§6.2: the second step is lost."""
    position = turn_with(track)
    position.seat(0)[track] = end - 1
    position.refresh()
    position.act(f"use {track}")
    assert (position.seat(0)[track], position.money(0)) == (end, 15)


def test_chapel_tile_changes_the_chapel_order_at_once() -> None:
    """§3."""
    position = turn_with("chapel")
    position.set_chapel(0, 1, 2, 0)
    assert position.chapel_order() == [2, 1, 0, 3]
    position.act("use chapel")
    assert position.chapel_order() == [0, 2, 1, 3]


def test_coins_of_a_chapel_tile_may_pay_for_the_centre() -> None:
    """§5.2, §6.2: £1 and the £1 on space 2."""
    position = turn_with("chapel", money=1)
    assert position.legal == [*OUTER, "use chapel"]
    position.act("use chapel")
    assert position.legal == OUTER + CENTRE


def test_track_tiles_may_follow_a_share_before_the_pawn_is_placed() -> None:
    """§5.4: and still only spaces that need the share are open."""
    position = turn_with("share", "chapel", pawns=("guild", "inn"))
    position.act("use share")
    assert position.legal == ["rondel inn", "rondel guild", "use chapel"]
    position.act("use chapel")
    assert position.legal == ["rondel inn", "rondel guild"]


def test_a_gate_tile_before_placing_brings_a_bonus_tile_and_the_placement_follows() -> None:
    """§5.4, §6.2: from space 1 to bonus space 3."""
    position = turn_with("gate")
    position.set_gate(1, 0, 0, 0)
    position.set_piles(["lady"], ["boost"], ["share"])
    position.act("use gate")
    assert (position.seat(0).gate, position.legal) == (3, ["bonus 1", "bonus 2", "bonus 3"])
    position.act("bonus 2")
    assert (position.tiles(0), position.legal) == (["boost"], OUTER + CENTRE)


def test_a_gate_tile_that_passes_no_bonus_space_brings_only_steps() -> None:
    """§6.2."""
    position = turn_with("gate")
    position.act("use gate")
    assert (position.seat(0).gate, position.tiles(0), position.legal) == (2, [], OUTER + CENTRE)


def test_a_gate_tile_after_building_brings_a_bonus_tile_and_more_tiles_may_follow() -> None:
    """§5.4: the chapel tile gained is not usable, the one held before is."""
    position = turn_with("gate", "chapel")
    position.set_gate(1, 0, 0, 0)
    position.set_piles(["gate"], ["chapel"], [])
    position.act("rondel guild", "use gate", "bonus 2")
    assert (position.actor, position.legal) == (0, ["use chapel", "done"])
    position.act("use chapel")
    assert (position.actor, position.tiles(0)) == (1, ["chapel"])


# Passing (§5.5)


def test_a_player_may_use_tiles_if_only_tiles_open_a_space() -> None:
    """§5.5: everything but the park on the X is gone, and £1 does not pay for the centre."""
    position = turn_with("cross", money=1)
    position.empty_stack("chapel", "gate", "inn", "mercer", "guild")
    assert position.legal == ["use cross", "done"]
    position.act("use cross")
    assert position.bridge(0) == [0]


def test_a_player_may_pass_if_only_tiles_open_a_space() -> None:
    """§5.5: the turn ends at once, without a building and without a recall."""
    position = turn_with("cross", "recall", money=1)
    position.empty_stack("chapel", "gate", "inn", "mercer", "guild")
    position.act("done")
    assert (position.bridge(0), position.tiles(0)) == ([], ["cross", "recall"])
    assert position.bridge(1) == [0]  # for the next player the park from the centre was forced


def test_a_player_may_not_pass_if_a_placement_is_legal() -> None:
    """§5.5, §8: not even with tiles to use instead."""
    position = turn_with("share", "free", "cross", "chapel", "gate", pawns=("guild",))
    assert "done" not in position.legal


def test_the_turn_passes_automatically_if_nothing_is_possible() -> None:
    """§5.5: seat 0 takes the place beside the guild, seat 1 cannot pay for the centre, seat 2 can."""
    position = turn_with()
    position.empty_stack("chapel", "gate", "inn", "mercer")
    position.set_money(1, 1)
    position.act("rondel guild")
    assert (position.actor, position.legal) == (2, ["centre guild", "centre park"])
    assert (position.bridge(1), position.money(1), position.hand(1)) == ([], 1, [4, 2, 2, 1, 0])


def test_the_turn_passes_automatically_if_not_even_tiles_help() -> None:
    """§5.5: no building is left at all."""
    position = turn_with()
    position.give(1, "share", "free", "cross", "recall")
    position.empty_stack(*KINDS)
    position.act("done")
    assert position.over
    assert position.tiles(1) == ["share", "free", "cross", "recall"]
