"""Pictures, texts and explanations: they are complete and show nothing hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.core.game import States
from olb_env.portobello_market import GAME
from olb_env.portobello_market.components import CUSTOMERS
from olb_env.portobello_market.picture import render_svg
from olb_env.portobello_market.picture_pieces import customer, lot, token
from tests.portobello_market.positions import SHORT_BOARD, Position
from tests.support.playthroughs import walk_some
from tests.support.running import INTERPRETED

SVG = "{http://www.w3.org/2000/svg}"


def positions(players: int, seed: int, **options: Any) -> Iterator[States]:
    return walk_some(12 if INTERPRETED else 3, seed, GAME, num_players=players, **options)


def texts(svg: str) -> list[str]:
    return [found.text or "" for found in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_picture_of_every_position_shows_the_whole_table(players: int) -> None:
    heights = set()
    for states in positions(players, 1):
        game = states[0]
        drawn = render_svg(game)
        root, words = ET.fromstring(drawn), texts(drawn)
        heights.add(root.get("viewBox"))
        titles = [found.text for found in root.iter(f"{SVG}title")]
        for seat in range(players):
            assert str(int(game.score[seat])) in words
            assert f"×{int(game.seats[seat].hand)}" in words
        for kind in (1, 2, 3):
            out = int((game.customer == kind).sum())
            waiting = int(game.table.bag[kind - 1]) if kind < 3 else 1 - out
            assert titles.count(CUSTOMERS[kind]) == out + waiting + (int(game.drawn) == kind)
        assert ("the Bobby" in titles) == (game.bobby >= 0)
    assert len(heights) == 1  # as the frames of a video need


@pytest.mark.compiled
@pytest.mark.parametrize("customers", ["hidden", "open"])
def test_pictures_and_explanations_show_nothing_hidden(customers: str) -> None:
    """They stay the same when the game is resampled."""
    for states in positions(3, 2, customers=customers):
        other = states.copy()
        batch.resample_rows(other, np.array([0]), np.array([3], np.uint64))
        assert render_svg(other[0]) == render_svg(states[0])
        assert GAME.display.text(other[0]) == GAME.display.text(states[0])
        for name in GAME.legal_actions(states[0]):
            action = GAME.ids(states[0])[name]
            assert GAME.display.explain(other[0], action) == GAME.display.explain(states[0], action)


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4])
def test_every_legal_action_but_done_can_be_clicked_in_the_picture(players: int) -> None:
    for board in (None, SHORT_BOARD):
        for states in positions(players, 3, board=board):
            found = re.findall(r'data-actions="([^"]*)"', render_svg(states[0]))
            offered = {action for actions in found for action in actions.split("|")}
            assert set(GAME.legal_actions(states[0])) - {"done"} <= offered


def test_pieces_can_be_told_apart_without_colour() -> None:

    def outline(svg: str) -> str:
        return re.sub(r"#[0-9a-f]{6}|<title>[^<]*</title>", "", svg)

    customers = [outline(customer(0, 0, who)) for who in (1, 2, 3)]
    stalls = [outline(lot(0, 0, 3, owner)) for owner in (None, 0, 1, 2, 3)]
    tokens = [outline(token(0, 0, 3, up=up, own=own, seat=0)) for up in (True, False) for own in (True, False)]
    for drawn in (customers, stalls, tokens):
        assert len(set(drawn)) == len(drawn)


def test_the_picture_and_the_text_of_a_finished_game_name_the_winner() -> None:
    *_, last = positions(3, 5)
    end = GAME.records.describe_end(last[0])
    drawn = render_svg(last[0], ["ann", "bob", "a name that is much too long"])
    assert {"ann", "bob", "a name that is m…"} <= set(texts(drawn))
    assert any(word.startswith("the game is over") and str(max(end["scores"])) in word for word in texts(drawn))
    assert "the game is over" in GAME.display.text(last[0])


def test_the_situation_names_all_who_share_the_first_rank() -> None:
    position = Position(2)
    position.acting(1, 0)
    position.game.table.last_round = 1
    position.act("done")
    assert GAME.display.situation(position.game, ["ann", "bob"]) == (
        "the game is over: ann and bob share the first rank with 10 points"
    )


# Explanations


def explain(position: Position, action: str) -> str:
    return GAME.display.explain(position.game, GAME.ids(position.game)[action])


def test_a_token_and_a_mark_are_explained() -> None:
    position = Position()
    position.fill("A1", 0, 0, 1)
    assert explain(position, "token 3") == "4 actions"
    assert explain(position, "mark D1 4") == "2 stalls × 4 = 8 points; a neutral 3 in its place"
    assert explain(position, "mark D2 2") == "0 stalls × 2 = 0 points; a neutral 3 in its place"
    position.set_tokens(0, False, True, False)
    assert explain(position, "token 2") == "3 actions; then all tokens turn up again"


def test_steps_of_the_bobby_are_explained() -> None:
    position = Position()
    assert explain(Position(bobby=None), "bobby D8") == "12 free lots around"
    position.fill("A10", 1, 2)
    position.fill("A9", 0)
    position.acting(0, 1)
    assert explain(position, "bobby D2") == "pay 1 each to seat 1 and seat 2; 5 free lots around"
    assert explain(position, "bobby D12") == "free; 11 free lots around"
    position.fill("A9", 2)
    assert explain(position, "bobby D12") == "pay 1 to nobody; 10 free lots around"


def test_stalls_and_customers_are_explained() -> None:
    position = Position(customers="open")
    position.fill("A1", 0, 1)
    position.acting(0, 1)
    assert explain(position, "stall A9 P5") == "a lot worth 3; 1 left in the alley"
    assert explain(position, "draw") == "a servant"
    position.put_customers(P1="servant", P2="burgher")
    assert explain(position, "stall A1 P1") == "a lot worth 3; the alley is full; gain 12 points; seat 1 gains 2 points"
    position.set_hand(0, 1)
    assert explain(position, "stall A9 P5").endswith("the last stall in hand")
    assert explain(Position(), "draw") == "one of 5 servants, 5 burghers"
    position = Position()
    position.fill("A10", 1, 0)
    position.put_customers(P2="burgher")
    position.acting(0, 1)
    position.act("draw")
    assert explain(position, "plaza P5") == "beside P2 burgher; gain 4 points; seat 1 gains 4 points"
    assert explain(position, "plaza P11") == ""
    position = Position()
    position.fill_plazas(free="P7")
    position.acting(0, 1)
    assert explain(position, "lord") == "on P7"


def test_done_is_explained() -> None:
    position = Position()
    position.acting(0, 0)
    assert explain(position, "done") == "ends the turn"
    position.fill_everything()
    position.fill_plazas(free="P7", lord=True)
    position.acting(0, 1)
    assert explain(position, "done") == "ends the turn and gives up 1 action"


def test_the_text_shows_the_last_round_and_full_alleys() -> None:
    position = Position(customers="open")
    position.fill("A9", 0, 1)
    position.fill("A10", 2, end=1)
    position.game.table.last_round = 1
    text = GAME.display.text(position.game)
    assert "the last round" in text
    assert re.search(r"A9 .*P5 +full", text)
    assert re.search(r"A10 .*P5 +←", text)
    assert "first servant, burgher" in text
