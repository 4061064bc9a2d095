"""Pictures and explanations: they are complete, show nothing hidden, and appear in notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import olb_env
from olb_env import old_london_bridge_v0
from olb_env.core import batch
from olb_env.core.game import States
from olb_env.core.records import make_record
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import ALL_CRESTS, BLUE, CRESTS, KINDS, TILES
from olb_env.old_london_bridge.picture import render_svg
from olb_env.old_london_bridge.picture_pieces import bonus_tile, building, crest
from tests.old_london_bridge.positions import Position, first_turn
from tests.support.playthroughs import walk_some
from tests.support.running import INTERPRETED
from tests.support.toy_game import PEBBLES, PebblesEnv

SVG = "{http://www.w3.org/2000/svg}"
GAMES = 1


def positions(players: int, seed: int, scoring: Any = "random") -> Iterator[States]:
    return walk_some(5 if INTERPRETED else 1, seed, num_players=players, scoring=scoring)


def texts(svg: str) -> list[str]:
    return [found.text or "" for found in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_picture_of_every_position_shows_the_whole_table(players: int) -> None:
    heights = set()
    for seed in range(GAMES):
        for states in positions(players, seed):
            state = states[0]
            drawn = render_svg(state)
            root, words = ET.fromstring(drawn), texts(drawn)
            assert root.get("viewBox", "").startswith("0 0 1000 ")
            heights.add(root.get("viewBox"))
            for seat in range(players):
                assert str(int(state.money[seat])) in words
                for number in state.seats[seat].bridge_number:
                    assert not number or str(int(number)) in words
            for kind, left in enumerate(state.table.stack_left):
                assert KINDS[kind] in words
                assert not left or f"×{left}" in words
    assert len(heights) == 1  # as the frames of a video need


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4])
def test_pictures_and_explanations_show_nothing_hidden(players: int) -> None:
    """They stay the same when the game is resampled for any seat."""
    for seed in range(GAMES):
        for states in positions(players, 100 + seed):
            actor, drawn = int(states[0].actor), render_svg(states[0])
            for seat in range(players):
                other = states.copy()
                batch.resample_rows(other, np.array([seat]), np.array([seed + 1], np.uint64))
                assert render_svg(other[0]) == drawn
                if seat == actor:
                    for name in GAME.legal_actions(states[0]):
                        action = GAME.ids(states[0])[name]
                        assert GAME.display.explain(other[0], action) == GAME.display.explain(states[0], action)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_legal_action_but_done_can_be_clicked_in_the_picture(players: int) -> None:
    for seed in range(GAMES):
        for states in positions(players, 200 + seed):
            found = re.findall(r'data-actions="([^"]*)"', render_svg(states[0]))
            offered = {action for actions in found for action in actions.split("|")}
            assert set(GAME.legal_actions(states[0])) - {"done"} <= offered


def test_kinds_crests_and_tiles_can_be_told_apart_without_colour() -> None:

    def outline(svg: str) -> str:
        return re.sub(r"#[0-9a-f]{6}|<title>[^<]*</title>", "", svg)

    crests = [outline(crest(0, 0, which)) for which in range(BLUE, ALL_CRESTS + 1)]
    kinds = [outline(building(kind, 7, BLUE)) for kind in range(len(KINDS))]
    tiles = [outline(bonus_tile(0, 0, tile)) for tile in range(len(TILES))]
    for drawn in (crests, kinds, tiles):
        assert len(set(drawn)) == len(drawn)


def test_another_board_with_long_tracks_is_drawn_too() -> None:
    board = {"chapel_track": {"length": 30, "coins": {4: 2}}, "gate_track": {"length": 28, "bonus": [5, 20]}}
    words = texts(render_svg(Position(board=board).game))
    assert {"29", "30 £10", "4 £2", "5 tile", "28 £10"} <= set(words)


def test_the_picture_of_a_finished_game_shows_the_account() -> None:
    *_, last = positions(3, 5)
    words, end = (
        texts(render_svg(last[0], ["ann", "bob", "a name that is much too long"])),
        GAME.records.describe_end(last[0]),
    )
    assert {"FINAL ACCOUNT", "ann", "bob", "a name that …"} <= set(words)
    assert all(f"£{money}" in words for money in end["money"])
    assert words[[word.startswith("the game is over") for word in words].index(True)].endswith(
        f"wins with £{end['money'][end['ranking'][0]]}"
    )


def test_the_account_says_where_an_area_was_paid() -> None:
    *_, last = positions(2, 5, {"chapel": "leader each round", "gate": "unused tiles", "inn": "highest card"})
    assert GAME.display.account is not None
    account = GAME.display.account(last[0])[0]
    assert (account["chapel"], account["gate"], account["inn"]) == ("in play", "with tiles", "in play")
    assert account["bridge"].startswith("£")
    assert texts(render_svg(last[0])).count("with tiles") == 2


def test_picked_cards_are_drawn_face_down_and_later_rounds_blank() -> None:
    game = Position(players=2)
    for picked, action in enumerate(("play 1", "play 2", "play 3", "")):
        words = texts(render_svg(game.game))
        assert words.count("?") == picked
        assert len([word for word in words[2:8] if len(word) == 1]) == 2  # the marker of the round and the actor
        if action:
            game.act(action)


# Explanations


def explain(position: Position, action: str) -> str:
    assert action in position.legal
    return GAME.display.explain(position.game, GAME.ids(position.game)[action])


def test_placements_are_explained_by_coins_buildings_and_effects() -> None:
    game = first_turn()  # the X is beside the park stack
    game.set_bridge(0, "park orange", "guild 59", "mercer 43")
    for top in ("mercer 23", "chapel 37", "gate 26", "inn 45"):
        game.put_on_top(top)
    assert explain(game, "rondel mercer") == "gain £1; mercer 23 orange; gain £4"
    assert explain(game, "centre chapel") == "pay £2; chapel 37 grey; chapel track to 2; gain £1"
    assert explain(game, "rondel inn") == "gain £2; inn 45 grey, to replace one on the bridge"
    game.set_gate(2, 0, 0, 0)
    assert explain(game, "rondel gate") == "gain £1; gate 26 grey; gate track to 4; 1 bonus tile"
    game.act("rondel inn")
    assert explain(game, "replace 2") == "guild 59 all leaves; hire cards worth up to 1"
    game.act("replace 3")
    assert explain(game, "hire 1") == "leaves 1 to hire with"
    assert explain(game, "hire 2") == "uses all that is left to hire with"
    assert explain(game, "done") == "hires no more"


def test_tiles_are_explained_by_what_they_do() -> None:
    game = first_turn()
    game.give(0, "share", "free", "cross", "chapel", "gate")
    game.set_chapel(12, 0, 0, 0)
    game.set_gate(13, 0, 0, 0)
    game.put_pawn(1, "chapel")
    assert explain(game, "use chapel") == "chapel track to 14; gain £10"
    assert explain(game, "use gate") == "gate track to 15; gain £10"
    assert explain(game, "use share") == "opens spaces with another pawn"
    assert explain(game, "use cross") == "opens the X"
    assert explain(game, "use free") == "opens the centre without paying"
    game.act("use free")
    assert explain(game, "centre mercer").startswith("free; mercer")


def test_every_legal_action_has_an_explanation() -> None:
    for players in (2, 3, 4):
        for states in positions(players, 300):
            for name in GAME.legal_actions(states[0]):
                assert GAME.display.explain(states[0], GAME.ids(states[0])[name])


# Positions, records and environments in notebooks


def finished_env() -> Any:
    env = old_london_bridge_v0.raw_env(num_players=3)
    env.reset(seed=4)
    rng = np.random.default_rng(1)
    while env.agents and not env.terminations[env.agent_selection]:
        legal = env.legal_actions()
        env.step(GAME.actions.index(legal[rng.integers(len(legal))]))
    return env


def test_environments_and_records_are_shown_as_pictures_in_notebooks() -> None:
    env = old_london_bridge_v0.env(num_players=2)
    assert env._repr_svg_() is None  # nothing has been dealt yet
    env.reset(seed=1)
    assert env._repr_svg_() == env.unwrapped.position().svg()
    record = finished_env().record()
    html = record._repr_html_()
    assert "Old London Bridge, 3 players" in html
    assert olb_env.replay(record).position().svg() in html
    record["moves"][3][1] = "nonsense"
    assert record._repr_html_() is None
    assert isinstance(json.loads(json.dumps(record)), dict)


@pytest.mark.compiled
def test_a_replay_has_every_position_and_keeps_picks_hidden() -> None:
    record = finished_env().record()
    record["agents"] = ["ann", "bob", "eve"]
    found = olb_env.replay(record)
    assert found.position(0).last_move == ""
    done = [found.position(moves).last_move for moves in range(1, len(found) + 1)]
    hidden = [text for text in done if text.endswith("has decided")]
    assert len(hidden) >= 2  # the last of three picks reveals all cards
    for (seat, action), text in zip(record["moves"], done, strict=True):
        name = record["agents"][seat]
        assert text in (f"{name}: {action}", f"{name} has decided")
        assert text == f"{name}: {action}" or action.startswith("play")
    assert str(found.position()) == GAME.display.text(found.final[0])
    for wrong in (-1, len(found) + 1):
        with pytest.raises(ValueError, match="expected 0 to"):
            found.position(wrong)


def test_a_game_without_a_picture_is_shown_as_text() -> None:
    env = PebblesEnv()
    env.reset(seed=1)
    assert "12 pebbles left, coins [0, 0]" in texts(env.position().svg())
    assert make_record(PEBBLES, env._initial, [])._repr_html_() is not None


def test_pictures_can_be_rendered_as_pixels() -> None:
    shown = olb_env.Position(GAME, Position(players=2).game, ("ann", "bob"))
    pixels = shown.pixels()
    assert pixels.dtype == np.uint8
    assert pixels.shape[1:] == (1000, 3)
    assert shown.pixels(500).shape[:2] == (round(pixels.shape[0] / 2), 500)
    assert shown.png().startswith(b"\x89PNG")
    ink = (pixels < 100).all(axis=2)
    assert ink[20:45, 16:230].mean() > 0.1  # the letters of the title


def test_the_picture_names_the_crests() -> None:
    drawn = render_svg(Position(players=2).game)
    assert {f"{name}: power 0" for name in CRESTS[1:ALL_CRESTS]} <= set(re.findall("<title>([^<]*)</title>", drawn))
