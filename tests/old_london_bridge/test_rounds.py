"""The rules of the setup, of rounds and of games for two (§2, §4, §5, §8)."""

from __future__ import annotations

import pytest

from olb_env.old_london_bridge import GAME, mechanics
from olb_env.old_london_bridge.components import KINDS
from tests.old_london_bridge.positions import Position, building, first_turn

OUTER = ["rondel chapel", "rondel gate", "rondel inn", "rondel mercer", "rondel guild"]


# Setup (§1, §2)


@pytest.mark.parametrize(
    ("seat", "hand"),
    [(0, [4, 3, 2, 1, 1, 0]), (1, [4, 3, 2, 2, 1, 0]), (2, [4, 3, 3, 2, 1, 0]), (3, [4, 4, 3, 2, 1, 0])],
)
def test_stairs_a_b_c_d_bring_a_second_1_2_3_4(seat: int, hand: list[int]) -> None:
    """§2.4."""
    assert Position().hand(seat) == hand


def test_hands_follow_the_stairs_and_not_the_seats() -> None:
    """§2.3, §2.4: seat 2 begins on A, seat 0 on B, seat 1 on C."""
    record = GAME.records.describe_setup(Position(3).game)
    record["setup"]["chapel_start"] = [2, 0, 1]
    game = GAME.records.read_setup(record)[0]
    assert [game.seats[seat].hand.tolist() for seat in range(3)] == [
        [1, 1, 2, 1, 1],
        [1, 1, 1, 2, 1],
        [1, 2, 1, 1, 1],
    ]
    assert (game.order[:3].tolist(), game.actor) == ([2, 0, 1], 2)


def test_each_of_two_players_has_two_zeros() -> None:
    """§1, §2.4."""
    position = Position(2)
    assert (position.hand(0), position.hand(1)) == ([4, 3, 2, 1, 1, 0, 0], [4, 3, 2, 2, 1, 0, 0])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_everybody_begins_with_5_pounds_and_without_a_building_or_a_tile(players: int) -> None:
    """§2.4."""
    position = Position(players)
    assert position.all_money() == [5] * players
    assert all(position.bridge(seat) == [] and position.tiles(seat) == [] for seat in range(players))


@pytest.mark.parametrize(
    ("players", "supply"), [(2, [0, 12, 12, 9, 8]), (3, [0, 11, 11, 7, 7]), (4, [0, 10, 10, 6, 5])]
)
def test_the_supply_is_15_15_11_10_without_the_hands(players: int, supply: list[int]) -> None:
    """§1, §2.4: there is no zero in it."""
    assert [Position(players).supply(value) for value in range(5)] == supply


@pytest.mark.parametrize(("players", "rounds"), [(2, 6), (3, 12), (4, 12)])
def test_two_players_play_6_rounds_and_others_12(players: int, rounds: int) -> None:
    """§4: to the very end, each round with a turn for every card."""
    position = Position(players)
    played = 0
    while not position.over:
        assert len(position.finish_round()) == (4 if players == 2 else players)
        played += 1
    assert played == rounds


@pytest.mark.parametrize(
    ("name", "crest"),
    [
        ("mercer 43", "orange"),
        ("mercer 18", "green"),
        ("inn 20", "blue"),
        ("chapel 32", "blue"),
        ("gate 1", "blue"),
        ("guild 4", "all"),
        ("gate 56", "orange"),
        ("chapel 2", "green"),
    ],
)
def test_the_printed_tiles_have_the_known_crests(name: str, crest: str) -> None:
    """§1, A1: the known tiles and some more."""
    assert building(name)[2] == crest


# Rounds (§4)


def test_the_rondel_begins_with_its_coins_clockwise_from_the_x() -> None:
    """§1, A3, A4: unturned, X, 1, 2, 3, 2, 1 lie beside chapel, guild, inn, gate, park, mercer."""
    position = Position()
    position.turn_rondel_to("chapel", "X")
    assert position.game.rotation == 0
    beside = [position.coin_beside(kind) for kind in ("chapel", "guild", "inn", "gate", "park", "mercer")]
    assert beside == ["X", 1, 2, 3, 2, 1]


def test_the_rondel_turns_clockwise() -> None:
    """§4.1: one space on, the X lies beside the guild."""
    position = Position()
    position.turn_rondel_to("chapel", "X")
    mechanics.turn_rondel(position.game, 1)
    beside = [position.coin_beside(kind) for kind in ("chapel", "guild", "inn", "gate", "park", "mercer")]
    assert beside == [1, "X", 1, 2, 3, 2]


@pytest.mark.parametrize(("marker", "crossed"), [(1, "guild"), (2, "inn"), (3, "gate")])
def test_each_round_turns_the_rondel_by_its_marker(marker: int, crossed: str) -> None:
    """§4.1: the X lay beside the chapel in the round before."""
    position = Position()
    position.turn_rondel_to("chapel", "X")
    position.set_next_marker(marker)
    position.finish_round()
    assert position.game.round_number == 2
    assert [kind for kind in KINDS if position.coin_beside(kind) == "X"] == [crossed]


def test_coins_lie_beside_the_stacks_of_another_board_too() -> None:
    """§1: coins[(i - turn) % 6] beside stack_order[i], with every turn."""
    order, coins = ["park", "inn", "gate", "guild", "mercer", "chapel"], [5, "X", 7, 8, 9, 4]
    position = Position(board={"coins": coins, "stack_order": order})
    for _ in KINDS:
        mechanics.turn_rondel(position.game, 1)
        turn = int(position.game.rotation)
        assert [position.coin_beside(order[i]) for i in range(6)] == [coins[(i - turn) % 6] for i in range(6)]
    position.turn_rondel_to("gate", "X")
    assert (position.game.rotation, position.coin_beside("park"), position.coin_beside("guild")) == (1, 4, 7)


def test_turns_go_by_value_and_chapel_order_breaks_ties() -> None:
    """§4.6: three 2s of seats on space 1, on stair A and on stair B."""
    position = Position()
    position.set_chapel(0, 0, 0, 1)
    position.play_cards(2, 2, 4, 2)
    assert position.finish_round() == [2, 3, 0, 1]


def test_a_played_card_goes_back_to_the_supply_at_its_turn() -> None:
    """§5.1: that of seat 0 has, that of seat 1 not yet."""
    position = first_turn()
    assert (position.supply(4), position.supply(3)) == (6, 6)
    position.act("rondel guild")
    assert (position.supply(4), position.supply(3)) == (6, 7)
    assert position.hand(0) == [3, 2, 1, 1, 0]


@pytest.mark.parametrize("players", [2, 4])
def test_in_every_round_exactly_the_cards_picked_leave_the_hand(players: int) -> None:
    """§4.3: in the second round as in the first, in which only zeros were played."""
    position = Position(players)
    position.finish_round()
    position.play_cards(*[(4, 2), (3, 1)] if players == 2 else [4, 3, 2, 1])
    zeros = [0] * (2 if players == 2 else 1)
    assert position.hand(0) == ([3, 1, 1] if players == 2 else [3, 2, 1, 1]) + zeros
    assert position.hand(1) == ([4, 2, 2] if players == 2 else [4, 2, 2, 1]) + zeros


def test_a_zero_goes_back_to_hand_at_its_turn() -> None:
    """§5.1: and not to the supply."""
    position = Position()
    position.play_cards(1, 0, 1, 1)
    assert position.hand(1) == [4, 3, 2, 2, 1]
    for _ in range(3):
        position.finish_turn()
    assert (position.actor, position.hand(1), position.supply(0)) == (1, [4, 3, 2, 2, 1, 0], 0)


def test_pawns_leave_the_rondel_at_the_end_of_the_round() -> None:
    """§4.8: the space beside the guild is open again."""
    position = first_turn()
    position.act("rondel guild")
    position.finish_round()
    assert position.game.table.pawns.tolist() == [0] * 7
    position.turn_rondel_to("park", "X")
    position.play_cards(4, 3, 2, 1)
    assert "rondel guild" in position.legal


@pytest.mark.parametrize(("gone", "over"), [(2, False), (3, True), (4, True)])
def test_the_game_ends_after_a_round_with_three_empty_stacks(gone: int, over: bool) -> None:
    """§4.8: with two the next round begins."""
    position = first_turn()
    position.empty_stack(*KINDS[:gone])
    position.finish_round()
    assert position.over == over


def test_three_empty_stacks_do_not_end_a_round_before_its_last_turn() -> None:
    """§4.8: three build, the fourth finds nothing open."""
    position = first_turn()
    position.empty_stack("chapel", "gate", "inn")
    for seat, name in enumerate(("rondel mercer", "rondel guild", "centre park")):
        assert (position.over, position.actor) == (False, seat)
        position.act(name)
    assert (position.over, position.actor, position.legal) == (True, -1, [])
    assert [len(position.bridge(seat)) for seat in range(4)] == [1, 1, 1, 0]


# Forced actions (§8)


def test_a_hand_of_one_value_plays_its_card_automatically() -> None:
    """§8: seat 1 holds two 2s; it plays one of them."""
    position = Position()
    position.set_hand(1, 2, 2)
    position.act("play 1")
    assert (position.phase_name, position.actor) == ("play", 2)
    position.act("play 0", "play 0")
    assert (position.actor, position.hand(1)) == (1, [2])


def test_a_second_card_is_picked_automatically_if_one_value_is_left() -> None:
    """§8: seat 0 holds 4, 0 and 0 and plays the 4."""
    position = Position(2)
    position.set_hand(0, 4, 0, 0)
    position.act("play 4")
    assert (position.phase_name, position.actor, position.hand(0)) == ("play", 1, [4, 0, 0])


def test_the_only_open_space_is_taken_automatically() -> None:
    """§8: seat 1 has £1, and only the place beside the park is open."""
    position = first_turn(cross="inn")
    position.empty_stack("chapel", "gate", "mercer", "inn")
    position.set_money(1, 1)
    position.act("rondel guild")
    assert (position.bridge(1), position.money(1), position.actor) == ([0], 3, 2)


# Two players (§4.3, §4.6, §5.2)


def test_with_two_players_each_picks_both_cards_before_the_other_decides() -> None:
    """§4.3: and the first card picked is no longer there for the second."""
    position = Position(2)
    position.act("play 4")
    assert (position.actor, position.legal) == (0, ["play 0", "play 1", "play 2", "play 3"])
    position.act("play 0")
    assert (position.actor, position.legal) == (1, ["play 0", "play 1", "play 2", "play 3", "play 4"])


@pytest.mark.parametrize(
    ("cards", "turns"),
    [
        (((3, 1), (3, 1)), [1, 0, 1, 0]),
        (((2, 2), (2, 2)), [1, 1, 0, 0]),
        (((2, 2), (2, 0)), [1, 0, 0, 1]),
        (((0, 0), (0, 0)), [1, 1, 0, 0]),
    ],
)
def test_equal_cards_of_two_players_go_by_chapel_order(cards: tuple[tuple[int, int], ...], turns: list[int]) -> None:
    """§4.6: seat 1 is ahead on the chapel track."""
    position = Position(2)
    position.set_chapel(0, 1)
    position.play_cards(*cards)
    assert position.finish_round() == turns


def test_the_order_of_turns_stays_when_markers_move_later_in_the_round() -> None:
    """§4.6: seat 1 passes seat 0 in its first turn, and its 1 is still after the other 1."""
    position = Position(2)
    position.turn_rondel_to("park", "X")
    position.give(1, "chapel")
    position.play_cards((3, 1), (3, 1))
    position.act("rondel guild", "use chapel", "rondel inn", "done")
    assert (position.chapel_order(), position.actor) == ([1, 0], 0)
    position.act("rondel mercer")
    assert position.actor == 1


def test_the_second_turn_moves_the_pawn_to_a_different_space() -> None:
    """§5.2: seat 0 stands beside the guild, seat 1 beside the mercer."""
    position = first_turn(2)
    position.act("rondel guild", "rondel mercer")
    assert position.actor == 0
    assert [name for name in position.legal if name.startswith("rondel")] == OUTER[:3]


def test_a_pawn_on_the_centre_does_not_move_to_the_centre() -> None:
    """§5.2: it is the same space, whatever the stack."""
    position = first_turn(2)
    position.act("centre guild", "rondel mercer")
    assert (position.actor, position.money(0)) == (0, 3)
    assert position.legal == ["rondel chapel", "rondel gate", "rondel inn", "rondel guild"]


@pytest.mark.parametrize(("first", "again"), [("rondel guild", "rondel guild"), ("centre guild", "centre park")])
def test_the_space_that_a_pawn_leaves_is_free(first: str, again: str) -> None:
    """§5.2: seat 0 moves on to the chapel, and seat 1 may go where it stood."""
    position = first_turn(2)
    position.act(first)
    assert again not in position.legal
    position.act("rondel mercer", "rondel chapel")
    assert position.seat(0).pawn.tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert position.actor == 1
    assert again in position.legal


def test_with_two_players_each_space_of_the_pawn_pays_its_coins() -> None:
    """§5.2: £3 beside the guild, then £2 beside the inn."""
    position = first_turn(2)
    position.act("rondel guild", "rondel mercer", "rondel inn", "done")
    assert position.money(0) == 5 + 3 + 2
