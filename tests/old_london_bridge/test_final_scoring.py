"""Prizes, and what is scored at the end of every game whatever the scoring of the areas (§7)."""

from __future__ import annotations

import numpy as np
import pytest

from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import KINDS
from tests.old_london_bridge.positions import Position

# Prizes


@pytest.mark.parametrize(("players", "prizes"), [(2, [5, 0]), (3, [5, 3, 0]), (4, [5, 3, 1, 0])])
def test_prizes_depend_on_the_number_of_players(players: int, prizes: list[int]) -> None:
    """§7."""
    position = Position(players)
    position.set_chapel(*(8, 6, 4, 2)[:players])
    assert position.scored("chapel") == prizes


@pytest.mark.parametrize(
    ("area", "name"),
    [
        ("chapel", "board"),
        ("chapel", "most chapels"),
        ("gate", "board"),
        ("gate", "most gates"),
        ("inn", "board"),
        ("inn", "most inns"),
        ("bridge", "board"),
        ("bridge", "longest run"),
    ],
)
def test_nobody_gets_a_prize_for_nothing(area: str, name: str) -> None:
    """§7: at least one step, a card value of 1, or one of the thing counted."""
    position = Position(scoring={area: name})
    for seat in range(4):
        position.set_hand(seat, 0)
    assert position.scored(area) == [0, 0, 0, 0]


# The end of the game


@pytest.mark.parametrize(("empty", "cost"), [(0, 0), (1, 1), (2, 4), (3, 7), (4, 10), (5, 14), (6, 14), (12, 14)])
def test_empty_spaces_cost(empty: int, cost: int) -> None:
    """§7."""
    position = Position()
    position.set_money(0, 50)
    position.set_bridge(0, *["park green"] * (12 - empty))
    assert position.scored("empty_spaces")[0] == -cost


def test_nobody_pays_more_than_they_have_after_the_areas_and_before_the_tiles() -> None:
    """§7, A11: £3 and a gate prize of £5 go for the empty bridge; £1 for each of two tiles is left."""
    position = Position()
    position.set_hand(0, 0)
    position.set_money(0, 3)
    position.set_gate(4, 0, 0, 0)
    position.give(0, "lady", "cross")
    position.score_end()
    entries = ("in_play", "gate", "empty_spaces", "bonus_tiles")
    assert [position.ledger(0)[entry] for entry in entries] == [3, 5, -8, 2]
    assert position.money(0) == 2


def test_tiles_gained_in_the_last_round_count_as_unused() -> None:
    """§7: £1 each."""
    position = Position()
    position.give(0, "lady")
    position.give(0, "gate", "gate", fresh=True)
    assert position.scored("bonus_tiles") == [3, 0, 0, 0]


def test_money_of_each_round_is_part_of_the_money_in_play() -> None:
    """§7: the area itself pays nothing more at the end."""
    position = Position(scoring={"inn": "highest card"})
    position.empty_stack(*KINDS)
    position.play_cards(2, 1, 1, 1)  # no building is left: all turns pass, and the game is over
    assert position.ledger_entry("in_play") == [7, 5, 5, 5]
    assert position.ledger_entry("inn") == [0, 0, 0, 0]


def test_most_money_wins_and_ties_are_broken_by_chapel_order() -> None:
    """§7: £20, £30, £20 and £20; seat 3 is ahead of seats 0 and 2."""
    position = Position(scoring={"chapel": "coins again"})
    position.walk_chapel(3, 1)
    for seat, pounds in enumerate((20, 30, 20, 20)):
        position.set_money(seat, pounds)
        position.set_hand(seat, 0)
    position.score_end()
    assert position.all_money() == [6, 16, 6, 6]
    assert position.ranking() == [1, 3, 0, 2]
    ranks, scores = np.zeros(4, np.int64), np.zeros(4)
    GAME.rules.returns(position.game, ranks, scores)
    assert (ranks.tolist(), scores.tolist()) == ([3, 1, 4, 2], [6, 16, 6, 6])
