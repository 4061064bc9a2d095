"""The second readings of rules that no rulebook settles: neutral tokens, returns of the Bobby and idle rounds."""

from __future__ import annotations

import re
from typing import Any

import pytest

from olb_env import replay
from olb_env.core.records import RecordError
from olb_env.playing import play_game
from olb_env.portobello_market import GAME, OBSERVATION, board
from olb_env.portobello_market.components import DISTRICT_NAMES, RULINGS
from tests.portobello_market.positions import Position
from tests.support.playthroughs import deal_one, view

DOWN, ONCE, THREE = {"neutral_side": "down"}, {"bobby_returns": "once"}, {"idle_rounds": "three"}


def seen(position: Position, field: str) -> list[float]:
    observation, _ = view(position.states, 0, GAME)
    found: list[float] = observation[OBSERVATION[field]].tolist()
    return found


# Options, records and observations


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("down", "rulings are 'down': expected a mapping with any of neutral_side, bobby_returns, idle_rounds"),
        ({"side": "down"}, "rulings have 'side': expected any of neutral_side, bobby_returns, idle_rounds"),
        ({"idle_rounds": "two"}, "the ruling on idle_rounds is 'two': expected one or three"),
        ({"idle_rounds": 3}, "the ruling on idle_rounds is 3: expected one or three"),
    ],
)
def test_an_unknown_ruling_is_refused(given: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        GAME.rules.configure(rulings=given)


def test_rulings_are_typed_by_name_in_commands() -> None:
    assert board.parse_option("rulings", "neutral_side=down, idle_rounds=three") == {**DOWN, **THREE}
    default = GAME.rules.configure(rulings=board.parse_option("rulings", "default"))
    assert default.tobytes() == GAME.rules.configure().tobytes()


def test_text_and_picture_show_the_rulings_that_are_not_as_by_default() -> None:
    for rulings, count in ((DOWN, 1), ({}, 0)):
        states = deal_one(3, GAME, rulings=rulings)
        for shown in (GAME.display.text(states[0]), GAME.display.svg(states[0])):
            assert shown.count("neutral side: down") == count


@pytest.mark.parametrize("rulings", [DOWN, {**ONCE, **THREE}], ids=str)
def test_records_have_the_rulings_that_are_not_as_by_default(rulings: dict[str, str]) -> None:
    record = play_game(GAME, GAME.rules.configure(num_players=2, rulings=rulings), 3, ["random"] * 2, legal=True)
    assert record["rulings"] == rulings
    assert list(record).index("rulings") == list(record).index("setup") - 1
    assert replay(record).over
    usual = {name: ruling.values[0] for name, ruling in RULINGS.items()}
    played = play_game(GAME, GAME.rules.configure(num_players=2, rulings=usual), 3, ["random"] * 2)
    assert "rulings" not in played
    with pytest.raises(RecordError, match="the ruling on idle_rounds is 'never': expected one or three"):
        replay({**record, "rulings": {"idle_rounds": "never"}})


@pytest.mark.parametrize("number", range(len(RULINGS)))
def test_the_observation_tells_every_ruling(number: int) -> None:
    name, ruling = list(RULINGS.items())[number]
    position = Position(rulings={name: ruling.values[1]})
    assert seen(position, "board.rulings") == [float(other == number) for other in range(len(RULINGS))]


# Neutral tokens face down (P3)


def test_a_neutral_token_comes_face_up_or_face_down() -> None:
    for rulings, up in (({}, True), (DOWN, False)):
        position = Position(rulings=rulings)
        position.act("mark D1 2")
        assert position.tokens(0) == [3, 3, 4]
        assert position.face_up(0) == [up, True, True]


def test_a_neutral_token_that_is_the_third_face_down_turns_all_tokens_up() -> None:
    position = Position(rulings=DOWN)
    position.set_tokens(0, True, False, False)
    assert "face down; then all tokens turn up again" in explained(position, "mark D1 2")
    position.act("mark D1 2")
    assert position.face_up(0) == [True, True, True]


def test_a_mark_is_explained_with_the_side_of_the_neutral_token() -> None:
    assert explained(Position(rulings=DOWN), "mark D1 2").endswith("a neutral 3 in its place, face down")
    assert explained(Position(), "mark D1 2").endswith("a neutral 3 in its place")


def explained(position: Position, name: str) -> str:
    return GAME.display.explain(position.game, GAME.ids(position.game)[name])


# Returns of the Bobby (P4)


def walking(rulings: dict[str, str]) -> Position:
    """Seat 0 has the most stalls in A10, between D1 and D2, and so leads the Bobby to and fro at no cost."""
    position = Position(2, rulings=rulings)
    position.fill("A10", 0)
    position.turn_of(0)
    position.act("token 3")
    return position


def test_the_bobby_may_return_to_each_district_once_between_two_actions() -> None:
    position = walking(ONCE)
    position.act("bobby D2", "bobby D1", "bobby D2")
    assert position.legal_of("bobby") == ["D3", "D10"]
    been = seen(position, "table.been")
    assert been[:2] == [2, 2]
    assert sum(been) == 4
    assert seen(position, "table.barred") == [1, 1, *[0] * 10]
    assert position.scores == [10, 10]
    position.act("draw", "plaza P1")
    assert position.legal_of("bobby") == ["D1", "D3", "D10"]
    assert seen(position, "table.been") == [float(name == "D2") for name in DISTRICT_NAMES]


def test_the_bobby_does_not_return_by_default() -> None:
    position = walking({})
    position.act("bobby D2")
    assert position.legal_of("bobby") == ["D3", "D10"]
    assert seen(position, "table.been") == seen(position, "table.barred") == [1, 1, *[0] * 10]


def test_a_way_to_a_free_lot_may_lead_back() -> None:
    """A7 is free at D11, next to D12: from D1 the way back over D12 takes two crossings instead of three."""
    for rulings, points in (({}, 4), (ONCE, 3)):
        for purse, legal in ((points - 1, []), (points, ["D1"])):
            position = Position(3, bobby="D12", rulings=rulings)
            position.fill_everything("A7")
            position.fill_plazas(free="P11", lord=True)
            position.acting(1, 1)
            position.set_score(1, purse)
            assert [name for name in position.legal_of("bobby") if name == "D1"] == legal, (rulings, purse)


# Idle rounds (P5)


def stuck(rulings: dict[str, str]) -> Position:
    """Nobody can place anything, and nobody has points for a toll: only marks are left."""
    position = Position(2, start_score=0, rulings=rulings)
    position.fill_everything(owner=0)
    position.fill_everything(owner=1)
    position.fill_plazas(free="P11", lord=True)
    for seat in range(2):
        position.set_score(seat, 0)
    position.turn_of(0)
    return position


def pass_round(position: Position) -> None:
    """Let everybody use a token for nothing."""
    number = position.round_number
    while not position.over and position.round_number == number:
        position.act("done" if "done" in position.legal else position.legal[0])


def test_a_game_ends_after_one_idle_round_or_after_three() -> None:
    position = stuck({})
    pass_round(position)
    assert position.over
    position = stuck(THREE)
    for idle in (1, 2):
        pass_round(position)
        assert not position.over
        assert seen(position, "table.idle") == [idle]
    pass_round(position)
    assert position.over
    assert position.round_number == 3


def test_only_idle_rounds_in_a_row_count() -> None:
    position = stuck(THREE)
    pass_round(position)
    pass_round(position)
    position.act(next(name for name in position.legal if name.startswith("mark")))
    pass_round(position)
    assert (position.over, position.round_number, seen(position, "table.idle")) == (False, 4, [0])
    for _ in range(2):
        pass_round(position)
        assert not position.over
    pass_round(position)
    assert (position.over, position.round_number) == (True, 6)


def test_everybody_has_had_all_tokens_face_up_after_three_idle_rounds() -> None:
    for up in ((True, False, False), (True, True, False), (True, True, True)):
        position = stuck(THREE)
        for seat in range(2):
            position.set_tokens(seat, *up)
        whole = set()
        while not position.over:
            if position.phase_name == "turn" and all(position.face_up(position.actor)):
                whole.add(position.actor)
            position.act("done" if "done" in position.legal else position.legal[0])
        assert whole == {0, 1}, up
