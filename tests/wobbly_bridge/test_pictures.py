"""Pictures, texts and explanations: they are complete and show nothing hidden."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.wobbly_bridge import GAME
from olb_env.wobbly_bridge.components import CARDS, NORMALS
from olb_env.wobbly_bridge.picture import _card, render_svg
from tests.support.playthroughs import walk
from tests.wobbly_bridge.table import Table

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [found.text or "" for found in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("players", [3, 6])
def test_every_position_is_drawn_in_one_size_and_every_legal_action_can_be_clicked(players: int) -> None:
    sizes = set()
    for states in walk(players, GAME, num_players=players):
        drawn = render_svg(states[0])
        sizes.add(ET.fromstring(drawn).get("viewBox"))
        found = re.findall(r'data-actions="([^"]*)"', drawn)
        offered = {action for actions in found for action in actions.split("|")}
        assert set(GAME.legal_actions(states[0])) <= offered
        for seat in range(players):
            assert any(f"on {int(states[0].seats[seat].space)}" in word for word in texts(drawn))
    assert len(sizes) == 1  # as the frames of a video need


@pytest.mark.compiled
@pytest.mark.parametrize("players", [3, 4, 6])
def test_pictures_and_explanations_show_nothing_hidden(players: int) -> None:
    """They stay the same when the game is resampled for any seat."""
    for states in walk(100 + players, GAME, num_players=players):
        actor = batch.actor_one(states)
        for seat in range(players):
            other = states.copy()
            batch.resample_rows(other, np.array([seat]), np.array([1]))
            assert render_svg(other[0]) == render_svg(states[0])
            assert GAME.display.text(other[0]) == GAME.display.text(states[0])
            if seat == actor:
                for name in GAME.legal_actions(states[0]):
                    action = GAME.ids(states[0])[name]
                    assert GAME.display.explain(other[0], action) == GAME.display.explain(states[0], action)


def test_cards_can_be_told_apart_without_colour() -> None:
    drawn = [re.sub(r"#[0-9a-f]{6}", "", _card(0, 0, card, 1)) for card in range(len(CARDS))]
    assert len(set(drawn)) == len(drawn)


def test_the_picture_shows_cards_events_and_who_decides() -> None:
    table = Table("order", "heavy", "idea", "idea", events=("east", "west", "calm", "calm", "calm", "calm"))
    table.play("leap", "dash", "idea panic", "leap")
    words = texts(render_svg(table.game, ["ann", "bob", "a name that is much too long"], "ann: play leap"))
    assert {"ann", "bob", "a name that …", "seat 3", "just done: ann: play leap", "east wind"} <= set(words)
    assert "ann picks a card face down" in words
    assert words.count("4 calm, 1 west wind") == 1
    assert words.count("idea") == 2  # the special card played, and the mark on what replaced it
    several = Table("order", "heavy", "idea", "idea")
    several.pick("leap", "dash", "idea", "idea")
    several.act("dash")
    assert "seat 3 has an idea and picks another card face down" in texts(render_svg(several.game))
    assert "  seat 2  idea+chosen" in GAME.display.text(several.game)
    table.pick("panic", "heavy", "dash", "idea")
    words = texts(render_svg(table.game))
    assert "seat 3 alone has an idea and plays another card openly" in words
    assert words.count("heavy") == 2


def test_the_text_shows_cards_events_and_who_decides() -> None:
    table = Table("order", "heavy", "idea", "idea")
    table.play("leap", "dash", "idea panic", "leap")
    table.act("dash")
    drawn = GAME.display.text(table.game)
    assert "match 2 of 6: seat 1 picks a card face down" in drawn
    assert "Events    1: calm" in drawn
    assert "  deck    3 calm, 1 east wind, 1 west wind" in drawn
    assert "  seat 2  1        1        ·        2        1        idea, played" in drawn
    assert "  seat 0  leap          chosen" in drawn
    assert "  seat 2  idea+panic    ·" in drawn


def test_the_winners_of_a_finished_game_are_named() -> None:
    table = Table("order", "heavy", "idea")
    table.put_explorers(5, 5, 18)
    table.play("dash", "dash", "vertigo")
    assert table.over
    assert (
        GAME.display.situation(table.game, ["ann", "bob", "cid"])
        == "the game is over: ann and bob share the win on space 4"
    )
    assert "the game is over, seat 0 and seat 1 share the win on space 4" in GAME.display.text(table.game)
    assert {"1st, on 4", "3rd, on 21"} <= set(texts(render_svg(table.game)))


# Explanations


def explain(table: Table, card: str) -> str:
    assert card in table.legal
    return GAME.display.explain(table.game, CARDS.index(card))


def test_normal_cards_are_explained_by_their_numbers() -> None:
    table = Table("order", "heavy", "idea")
    assert [explain(table, card) for card in CARDS[:NORMALS]] == [
        "green 3, red 1", "green 4, red 0", "green 0, red 4", "green 2, red 2", "green 1, red 3",
    ]  # fmt: skip


def test_special_cards_are_explained_with_what_others_may_still_play() -> None:
    table = Table("order", "idea", "idea", "heavy")
    assert explain(table, "order") == "2 west, highest red 3 east, unless heavy is played too"
    table.act("leap")
    seeing = "play another card after seeing the others'"
    assert explain(table, "idea") == f"{seeing} if nobody else plays idea; gain a careful"
    table.act("dash")
    table.act("idea")
    assert explain(table, "heavy") == "highest green and red 3 east, unless order is played too"
    table.act("heavy")
    assert (table.actor, table.match) == (2, 1)
    table.act("dash")
    table.put_explorers(11, 11, 11, 11)
    assert explain(table, "order") == "2 west, highest red 3 east"
    table.act("order")
    assert explain(table, "idea") == f"{seeing}; gain a careful"


def test_a_replacement_is_explained_by_where_it_leads_if_all_cards_are_open() -> None:
    table = Table("order", "heavy", "idea", "idea")
    table.pick("leap", "heavy", "idea", "vertigo")
    assert explain(table, "dash") == "green 4, red 0; 3 east, to 14"
    assert explain(table, "careful") == "green 2, red 2; stays on 11"
    other = Table("order", "heavy", "idea", "idea")
    other.pick("leap", "vertigo", "idea", "vertigo")
    assert explain(other, "dash") == "green 4, red 0; 4 west, to 7"
    several = Table("order", "heavy", "idea", "idea")
    several.pick("leap", "vertigo", "idea", "idea")
    assert explain(several, "dash") == "green 4, red 0; gain a careful"
