"""The bonus tiles for cards, lady, boost and recall, and when a tile becomes usable (§4.2, §4.5, §5.4).

The tiles for the rondel and the tracks are tested in test_turn_tiles.py.
"""

from __future__ import annotations

import pytest

from olb_env.old_london_bridge.components import TILES
from tests.old_london_bridge.positions import Position, first_turn


def uses(position: Position) -> list[str]:
    """Return the tiles that may be used now."""
    return [name.removeprefix("use ") for name in position.legal if name.startswith("use ")]


def after_guild(*tiles: str, fresh: bool = False) -> Position:
    """Return a position in which seat 0 has played a 4 and built a guild, and holds tiles."""
    position = first_turn()
    position.give(0, *tiles, fresh=fresh)
    position.act("rondel guild")
    return position


# Tiles gained this round (§5.4)


def test_tiles_gained_this_round_are_not_usable_in_it() -> None:
    """§5.4: not one of those used before placing is offered."""
    position = first_turn()
    position.give(0, *TILES, fresh=True)
    position.put_pawn(1, "chapel")
    assert uses(position) == []


def test_tiles_gained_this_round_are_not_usable_after_building_either() -> None:
    """§5.4: the turn ends automatically."""
    assert after_guild("recall", "chapel", "gate", fresh=True).actor == 1


def test_of_two_equal_tiles_only_the_older_one_is_usable() -> None:
    """§5.4."""
    position = first_turn()
    position.give(0, "chapel")
    position.give(0, "chapel", fresh=True)
    position.act("use chapel")
    assert uses(position) == []
    assert position.tiles(0) == ["chapel"]


def test_tiles_gained_become_usable_at_the_end_of_the_round() -> None:
    """§4.8: a lady gained in the first round is offered at the beginning of the second."""
    position = first_turn()
    position.give(0, "lady", fresh=True)
    position.finish_round()
    assert (position.game.round_number, position.phase_name, position.actor) == (2, "lady", 0)


# Lady (§4.2)


def second_round_with_ladies(*seats: int, twos: int = 10) -> Position:
    """Return the beginning of the second round; in the first everybody played a zero, so the supply is as set."""
    position = Position()
    for seat in seats:
        position.give(seat, "lady")
    position.set_supply(2, twos)
    position.finish_round()
    return position


def test_lady_takes_a_2_from_the_supply_before_cards_are_picked() -> None:
    """§4.2: seat 0 has one 2 to begin with; the lady is discarded."""
    position = second_round_with_ladies(0)
    assert (position.phase_name, position.legal) == ("lady", ["use lady", "done"])
    position.act("use lady")
    assert position.hand(0).count(2) == 2
    assert position.supply(2) == 9
    assert position.tiles(0) == []
    assert position.phase_name == "play"


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_only_the_player_with_a_lady_decides(seat: int) -> None:
    """§4.2."""
    position = second_round_with_ladies(seat)
    assert (position.phase_name, position.actor) == ("lady", seat)
    position.act("use lady")
    assert position.phase_name == "play"


def test_lady_need_not_be_used() -> None:
    """§4.2."""
    position = second_round_with_ladies(0)
    position.act("done")
    assert (position.phase_name, position.tiles(0), position.supply(2)) == ("play", ["lady"], 10)


def test_lady_may_be_used_repeatedly_while_one_is_left() -> None:
    """§4.2."""
    position = second_round_with_ladies(0, 0)
    position.act("use lady", "use lady")
    assert position.hand(0).count(2) == 3
    assert position.phase_name == "play"


def test_lady_is_not_offered_when_the_supply_has_no_2() -> None:
    """§4.2."""
    position = second_round_with_ladies(0, twos=0)
    assert (position.phase_name, position.tiles(0)) == ("play", ["lady"])


def test_lady_is_not_offered_again_once_the_last_2_is_taken() -> None:
    """§4.2: the second lady and the one of seat 1 stay."""
    position = second_round_with_ladies(0, 0, 1, twos=1)
    position.act("use lady")
    assert (position.phase_name, position.tiles(0), position.tiles(1)) == ("play", ["lady"], ["lady"])


def test_ladies_are_offered_in_chapel_order() -> None:
    """§4.2, A8."""
    position = second_round_with_ladies(0, 1, 2, 3)
    position.set_chapel(0, 3, 0, 5)
    seats = []
    while position.phase_name == "lady":
        seats.append(position.actor)
        position.act("done")
    assert seats == [3, 1, 0, 2]


# Boost (§4.5)


def test_boost_raises_a_card_by_1_for_the_order_of_this_round() -> None:
    """§4.5: seat 0 boosts its 2 to 3, ties with seat 1 and is ahead in chapel order."""
    position = Position()
    position.give(0, "boost")
    position.play_cards(2, 3, 1, 0)
    assert (position.phase_name, position.legal) == ("boost", ["use boost", "done"])
    position.act("use boost")
    assert position.tiles(0) == []
    assert position.finish_round() == [0, 1, 2, 3]


def test_without_its_boost_the_card_counts_as_played() -> None:
    """§4.5."""
    position = Position()
    position.give(0, "boost")
    position.play_cards(2, 3, 1, 0)
    position.act("done")
    assert position.tiles(0) == ["boost"]
    assert position.finish_round() == [1, 0, 2, 3]


def test_boost_goes_above_4() -> None:
    """§4.5: seat 1 passes the 4 of seat 0, which is better in chapel order."""
    position = Position()
    position.give(1, "boost")
    position.play_cards(4, 4, 1, 0)
    position.act("use boost")
    assert position.finish_round() == [1, 0, 2, 3]


def test_any_number_of_boosts_may_be_used() -> None:
    """§4.5: a zero with three boosts passes a 2."""
    position = Position()
    position.give(3, "boost", "boost", "boost")
    position.play_cards(4, 2, 2, 0)
    position.act("use boost", "use boost", "use boost")
    assert position.finish_round() == [0, 3, 1, 2]


def test_boosts_are_offered_in_chapel_order() -> None:
    """§4.5, A8."""
    position = Position()
    position.set_chapel(0, 3, 0, 5)
    for seat in range(4):
        position.give(seat, "boost")
    position.play_cards(1, 1, 1, 1)
    seats = []
    while position.phase_name == "boost":
        seats.append(position.actor)
        position.act("done")
    assert seats == [3, 1, 0, 2]


def test_boost_gained_this_round_is_not_offered() -> None:
    """§5.4."""
    position = Position()
    position.give(0, "boost", fresh=True)
    position.play_cards(2, 3, 1, 0)
    assert (position.phase_name, position.actor) == ("place", 1)


def test_a_boost_counts_for_one_round_only() -> None:
    """§4.5: the 2 of seat 0 is a 2 again in the next round."""
    position = Position()
    position.give(0, "boost")
    position.play_cards(2, 3, 1, 0)
    position.act("use boost")
    position.finish_round()
    position.set_chapel(1, 0, 0, 0)
    position.play_cards(2, 3, 1, 0)
    assert position.finish_round() == [1, 0, 2, 3]


def test_a_boosted_card_goes_back_to_the_supply_as_played() -> None:
    """§4.5, §5.1: a 3 boosted to 4."""
    position = Position()
    position.give(0, "boost")
    position.play_cards(3, 2, 1, 0)
    threes, fours = position.supply(3), position.supply(4)
    position.act("use boost")
    assert (position.supply(3), position.supply(4)) == (threes + 1, fours)


def test_boosts_do_not_count_for_the_highest_card() -> None:
    """§4.4: the £2 are paid before boosts, to the 3 of seat 1."""
    position = Position(scoring={"inn": "highest card"})
    position.give(0, "boost", "boost")
    position.play_cards(2, 3, 1, 0)
    position.act("use boost", "use boost")
    assert position.all_money() == [5, 7, 5, 5]


@pytest.mark.parametrize(
    ("actions", "turns"),
    [
        (["done"], [0, 1, 1, 0]),
        (["use boost", "done"], [0, 1, 1, 0]),
        (["boost low", "done"], [0, 1, 0, 1]),
        (["boost low", "boost low"], [0, 0, 1, 1]),
    ],
)
def test_two_players_boost_the_higher_or_the_lower_card(actions: list[str], turns: list[int]) -> None:
    """§4.5: 3 and 1 of seat 0, which wins ties, against 3 and 2."""
    position = Position(2)
    position.give(0, "boost", "boost")
    position.play_cards((3, 1), (3, 2))
    assert position.legal == ["use boost", "boost low", "done"]
    position.act(*actions)
    assert position.finish_round() == turns


def test_use_boost_raises_the_higher_card_of_two() -> None:
    """§4.5: seat 1 lifts its 3 above the 3 of seat 0."""
    position = Position(2)
    position.give(1, "boost")
    position.play_cards((3, 1), (3, 2))
    position.act("use boost")
    assert position.finish_round() == [1, 0, 1, 0]


def test_of_two_own_cards_of_equal_value_the_higher_as_played_comes_first() -> None:
    """§4.6: a 2 boosted to 3 follows the 3 of the same player, whose 3 goes back to the supply first."""
    position = Position(2)
    position.give(0, "boost")
    position.play_cards((2, 3), (1, 0))
    twos, threes = position.supply(2), position.supply(3)
    position.act("boost low")
    assert (position.supply(2), position.supply(3)) == (twos, threes + 1)
    position.finish_turn()
    assert (position.supply(2), position.supply(3)) == (twos + 1, threes + 1)


def test_boost_low_names_the_lower_card_as_played_however_high_it_has_become() -> None:
    """§4.5: 2 + 3 boosts is before 4; the 2 goes back to the supply first."""
    position = Position(2)
    position.give(0, "boost", "boost", "boost")
    position.play_cards((3, 2), (4, 0))
    twos = position.supply(2)
    position.act("boost low", "boost low", "boost low")
    assert position.supply(2) == twos + 1
    assert position.finish_round() == [0, 1, 0, 1]


def test_of_one_players_cards_equal_after_boosts_the_higher_as_played_goes_first() -> None:
    """§4.6: the 3 goes back to the supply before the 2 that was boosted to 3."""
    position = Position(2)
    position.give(0, "boost")
    position.play_cards((3, 2), (1, 0))
    twos, threes = position.supply(2), position.supply(3)
    position.act("boost low")
    assert (position.supply(2), position.supply(3)) == (twos, threes + 1)


def test_both_boosts_are_offered_for_equal_cards() -> None:
    """§4.5."""
    position = Position(2)
    position.give(0, "boost")
    position.play_cards((2, 2), (1, 0))
    assert position.legal == ["use boost", "boost low", "done"]


# Recall (§5.4)


@pytest.mark.parametrize("card", [1, 2, 3, 4])
def test_recall_takes_the_card_just_played_back_into_hand(card: int) -> None:
    """§5.4: from the supply; of seat 0, which goes first."""
    position = Position()
    position.turn_rondel_to("park", "X")
    position.play_cards(card, 0, 0, 0)
    position.give(0, "recall")
    left = position.supply(card)
    position.act("rondel guild", "use recall")
    assert (position.hand(0), position.supply(card), position.tiles(0)) == ([4, 3, 2, 1, 1, 0], left - 1, [])


def test_recall_is_not_offered_before_building() -> None:
    """§5.4."""
    position = first_turn()
    position.give(0, "recall")
    assert uses(position) == []


def test_recall_is_not_offered_for_a_zero() -> None:
    """§5.4: the zero is back in hand anyway."""
    position = Position()
    position.turn_rondel_to("park", "X")
    position.play_cards(0, 0, 0, 0)
    position.give(0, "recall")
    position.act("rondel guild")
    assert (position.actor, position.tiles(0)) == (1, ["recall"])


def test_recall_needs_such_a_card_in_the_supply() -> None:
    """§5.4: seat 0 hires the only 4, its own."""
    position = first_turn()
    position.give(0, "recall")
    position.set_supply(4, 1)
    position.set_bridge(0, "park blue", "park blue", "park blue")
    position.put_on_top("inn 20")
    position.act("rondel inn", "hire 4")
    assert (position.actor, position.tiles(0)) == (1, ["recall"])


def test_recall_may_be_used_once_a_turn() -> None:
    """§5.4: the second one stays, the turn is over."""
    position = after_guild("recall", "recall")
    position.act("use recall")
    assert (position.actor, position.tiles(0)) == (1, ["recall"])


def test_two_players_may_recall_in_each_of_their_turns() -> None:
    """§5.4: once a turn, and each card is one turn."""
    position = first_turn(2)
    position.give(0, "recall", "recall")
    position.act("rondel guild", "use recall", "rondel mercer", "rondel chapel", "use recall")
    assert position.tiles(0) == []
    assert position.hand(0) == [4, 3, 2, 1, 1, 0, 0]


def test_recall_brings_a_boosted_card_back_as_played() -> None:
    """§4.5, §5.4: a 2 that was boosted."""
    position = Position()
    position.turn_rondel_to("park", "X")
    position.give(0, "boost", "recall")
    position.play_cards(2, 1, 1, 1)
    position.act("use boost", "rondel guild", "use recall")
    assert position.hand(0) == [4, 3, 2, 1, 1, 0]
