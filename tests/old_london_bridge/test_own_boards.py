"""Boards of the caller's own, wider than the printed one, and the rulings on A9 to A11."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.core.boards import template
from olb_env.core.records import replay
from olb_env.old_london_bridge import GAME, OBSERVATION
from olb_env.old_london_bridge.board import configure, parse_option, printed_board
from olb_env.old_london_bridge.components import BLUE, CRESTS, GREEN, KINDS, LONGEST_TRACK, TILES
from olb_env.old_london_bridge.scoring import score_round
from olb_env.playing import play_game
from tests.old_london_bridge.compare import random_board, random_rulings
from tests.old_london_bridge.positions import Position, first_turn
from tests.support.playthroughs import deal_one, finish

CRESTLESS = {"tiles": {**printed_board()["tiles"], "park": [[0, "none"]] * 12}}


def chapel(**track: Any) -> dict[str, Any]:
    return {"chapel_track": {"length": 6, "coins": {}, **track}}


def gate(**track: Any) -> dict[str, Any]:
    return {"gate_track": {"length": 6, "bonus": [], **track}}


def boards() -> list[dict[str, Any]]:
    rng = random.Random(7)
    return [board for board in (random_board(rng) for _ in range(40)) if board]


# Tracks


def test_the_end_space_pays_its_coins_and_the_reward_at_the_end() -> None:
    position = Position(board=chapel(coins={2: 1, 6: 99}, end=15))
    money = position.money(0)
    position.walk_chapel(0, 4)
    assert position.money(0) == money + 1
    position.walk_chapel(0, 4)
    assert position.money(0) == money + 1 + 99 + 15


def test_the_end_may_pay_nothing() -> None:
    position = Position(board=gate(end=0))
    money = position.all_money()
    position.walk_gate(1, 9)
    assert position.seat(1).gate == 6
    assert position.all_money() == money


def test_the_gate_track_may_have_coins() -> None:
    position = Position(board=gate(coins={1: 4, 3: 7}))
    money = position.money(2)
    position.walk_gate(2, 2)
    assert position.money(2) == money + 4


def test_a_chapel_that_reaches_bonus_spaces_lets_its_builder_choose_tiles() -> None:
    """§6.2: the end space among them."""
    position = first_turn(board=chapel(length=2, bonus=[1, 2]))
    position.set_bridge(0, "guild 59")
    position.put_on_top("chapel 52")
    money = position.money(0)
    position.act("rondel chapel")
    assert position.legal == ["bonus 1", "bonus 2", "bonus 3"]
    position.act("bonus 1")
    assert position.phase_name == "bonus"
    position.act("bonus 3")
    assert position.phase_name != "bonus"
    assert sum(map(int, position.seat(0).tiles)) == 2
    assert position.money(0) >= money + 10


def test_a_chapel_tile_may_bring_bonus_tiles_too() -> None:
    """§5.4: two steps, from before placing; then the pawn is still to be placed."""
    position = first_turn(board=chapel(bonus=[2]))
    position.give(0, "chapel")
    position.act("use chapel")
    assert position.phase_name == "bonus"
    position.act("bonus 2")
    assert position.phase_name == "place"
    assert position.seat(0).chapel == 2


# The rondel


def test_without_an_x_every_space_can_be_taken() -> None:
    position = first_turn(cross=None, board={"coins": [1, 1, 1, 1, 1, 1]})
    assert {f"rondel {kind}" for kind in KINDS} <= set(position.legal)


def test_every_x_is_closed_without_a_cross() -> None:
    position = first_turn(cross=None, board={"coins": ["X", "X", "X", "X", "X", 99]})
    open_spaces = [name for name in position.legal if name.startswith("rondel")]
    assert len(open_spaces) == 1
    money = position.money(0)
    position.act(open_spaces[0])
    assert position.money(0) >= money + 99


def test_on_a_rondel_of_xs_only_the_centre_is_open() -> None:
    position = first_turn(cross=None, board={"coins": ["X"] * 6})
    assert {name.split()[0] for name in position.legal} == {"centre"}


# Tiles


def test_a_park_without_a_crest_changes_no_power() -> None:
    position = first_turn(board=CRESTLESS)
    before = position.seat(0).power.tolist()
    position.act("centre park")
    assert position.seat(0).built == 1
    assert position.seat(0).power.tolist() == before
    assert not position.game.table.parks_left.any()


def test_piles_hold_the_tiles_of_the_board() -> None:
    piles = [sorted(TILES * 3)[:8], sorted(TILES * 3)[8:16], sorted(TILES * 3)[16:]]
    states = deal_one(5, board={"bonus_piles": piles})
    for pile, held in zip(piles, states[0].table.pile_holds, strict=True):
        assert held.tolist() == [pile.count(tile) for tile in TILES]


# Records, templates and observations


@pytest.mark.parametrize("number", range(len(boards())))
def test_records_and_templates_keep_the_whole_board(number: int) -> None:
    board, rulings = boards()[number], random_rulings(random.Random(number))
    record = play_game(
        GAME, GAME.rules.configure(num_players=2, board=board, rulings=rulings), number, ["random", "random"]
    )
    assert replay(record).over
    assert record.get("rulings", {}) == {name: value for name, value in rulings.items() if value not in USUAL}
    assert GAME.boards is not None
    again = GAME.boards.describe(GAME.records.read_setup(record)[0])
    dealt = GAME.boards.describe(deal_one(number, board=board)[0])
    assert again == dealt
    text = template(GAME.boards.about, again, GAME.boards.comments)
    assert GAME.boards.describe(deal_one(1, board=tomllib.loads(text))[0]) == dealt


USUAL = ("one", "no", "forgiven")


def test_the_template_of_the_printed_board_is_the_default_board() -> None:
    assert GAME.boards is not None
    text = template(GAME.boards.about, GAME.boards.printed(), GAME.boards.comments)
    assert tomllib.loads(text) == printed_board()
    default = GAME.rules.configure()
    assert GAME.rules.configure(board=tomllib.loads(text)).tobytes() == default.tobytes()


def observed(**options: Any) -> dict[str, Any]:
    """Return the part of an observation that is about the board, by name."""
    states = deal_one(3, num_players=2, **options)
    seats = np.zeros(1, np.int64)
    observations = np.zeros((1, GAME.observation.size), np.float32)
    batch.observe_rows(states, seats, observations)
    return {name: observations[0, OBSERVATION[name]] for name in OBSERVATION if name.startswith("board.")}


def test_the_observation_tells_the_board_and_the_rulings() -> None:
    board = {**chapel(length=20, coins={3: 10, 20: 5}, bonus=[4], end=7), **gate(coins={1: 2}), "coins": ["X"] * 6}
    board["stack_order"] = list(KINDS)
    seen = observed(board=board, rulings={"debts": "owed"})
    assert seen["board.chapel.length"] == pytest.approx(20 / 15)
    assert seen["board.chapel.end"] == pytest.approx(0.7)
    assert np.flatnonzero(seen["board.chapel.coins"]).tolist() == [2, 19]
    assert seen["board.chapel.coins"][[2, 19]].tolist() == [2, 1]
    assert np.flatnonzero(seen["board.chapel.bonus"]).tolist() == [3]
    assert seen["board.gate.length"] == pytest.approx(6 / 15)
    assert seen["board.gate.coins"][0] == pytest.approx(0.4)
    assert not seen["board.gate.bonus"].any()
    assert seen["board.rulings"].tolist() == [0, 0, 1]
    assert seen["board.place"] == pytest.approx(np.arange(6) / 5)
    assert len(seen["board.gate.bonus"]) == LONGEST_TRACK


def test_no_board_leaves_the_bounds_of_the_observation() -> None:
    observations = np.zeros((1, GAME.observation.size), np.float32)
    for number, board in enumerate(boards()[:6]):
        states = deal_one(number, num_players=2, board=board)
        finish(states)
        for seat in range(2):
            batch.observe_rows(states, np.array([seat]), observations)
            assert (observations[0] >= 0).all()
            assert (observations[0] <= GAME.observation.highest()).all()


# Rulings


@pytest.mark.parametrize(
    ("area", "name"),
    [("chapel", "most chapels"), ("gate", "most gates"), ("inn", "most inns"), ("bridge", "longest run")],
)
def test_without_a_minimum_chapel_order_gives_the_prizes_of_a_tile_side(area: str, name: str) -> None:
    """A9: seats 0 to 3 stand on stairs A to D, and nobody has anything to count."""
    position = Position(scoring={area: name}, rulings={"tile_side_minimum": "none"})
    assert position.scored(area) == [5, 3, 1, 0]


@pytest.mark.parametrize("area", ["chapel", "gate", "inn", "bridge"])
def test_the_printed_board_keeps_its_minimum(area: str) -> None:
    """A9 is about tile sides only."""
    position = Position(rulings={"tile_side_minimum": "none"})
    for seat in range(4):
        position.set_hand(seat, 0)
    assert position.scored(area) == [0, 0, 0, 0]


@pytest.mark.parametrize(("ruling", "pay"), [("one", [0, 0, 0, 0]), ("none", [2, 0, 0, 0])])
def test_a_leader_on_the_start_is_paid_without_a_minimum(ruling: str, pay: list[int]) -> None:
    """A9: £1 for the chapel and £1 for the gate."""
    sides = {"chapel": "leader each round", "gate": "leader each round"}
    position = Position(scoring=sides, rulings={"tile_side_minimum": ruling})
    before = position.all_money()
    score_round(position.game)
    assert [now - then for now, then in zip(position.all_money(), before, strict=True)] == pay


@pytest.mark.parametrize(("ruling", "pay"), [("no", 11), ("yes", 21)])
def test_coins_again_repeats_the_end_if_so_ruled(ruling: str, pay: int) -> None:
    """A10: all the coins of the printed track, and its end."""
    position = Position(scoring={"chapel": "coins again"}, rulings={"coins_again_end": ruling})
    position.set_chapel(14, 13, 0, 0)
    assert position.scored("chapel") == [pay, 11, 0, 0]


@pytest.mark.parametrize(("ruling", "left"), [("forgiven", 1), ("owed", -9)])
def test_debts_are_forgiven_or_owed(ruling: str, left: int) -> None:
    """A11: £4 do not cover £14 for an empty bridge; £1 for a tile comes after."""
    position = Position(rulings={"debts": ruling})
    position.set_hand(0, 0)
    position.set_money(0, 4)
    position.give(0, "lady")
    position.score_end()
    assert position.money(0) == left


def test_money_below_zero_is_last_and_replays() -> None:
    """A11: a ranking compares debts too; such games come up in random play."""
    setup = GAME.rules.configure(num_players=4, rulings={"debts": "owed"})
    found = [play_game(GAME, setup, seed, ["random"] * 4) for seed in range(60)]
    poor = [record for record in found if min(record["money"]) < 0]
    assert poor
    for record in poor:
        assert record["money"][record["ranking"][-1]] == min(record["money"])
        assert replay(record).over


def test_the_names_of_the_crests_are_those_of_the_tiles() -> None:
    board = {"tiles": {**printed_board()["tiles"], "park": [[0, CRESTS[BLUE]]] * 6 + [[0, CRESTS[GREEN]]] * 6}}
    assert deal_one(1, board=board)[0].table.parks_left.tolist() == [6, 0, 0, 6]


def test_what_is_left_out_of_a_track_or_the_tiles_is_as_on_the_default_board() -> None:
    parks = [[0, "none"]] * 12
    setup = configure(board={"chapel_track": {"end": 12}, "tiles": {"park": parks}})
    default = configure()
    assert setup["board"]["chapel"]["end"] == 12
    for name in ("length", "coins", "bonus"):
        assert (setup["board"]["chapel"][name] == default["board"]["chapel"][name]).all()
    assert (setup["tile"][0, :5] == default["tile"][0, :5]).all()
    assert not setup["tile"][0, 5].any()


def test_an_area_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="scoring names 'gate' twice: expected once"):
        parse_option("scoring", "gate=steps,gate=board")
