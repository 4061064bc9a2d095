"""The second readings of rules that the rulebook leaves open: special cards, the ends of the bridge, the last event."""

from __future__ import annotations

import re
from typing import Any

import pytest

from olb_env import replay
from olb_env.core.records import RecordError
from olb_env.playing import play_game
from olb_env.wobbly_bridge import GAME, OBSERVATION, board
from olb_env.wobbly_bridge.components import RULINGS
from tests.support.playthroughs import deal_one, view
from tests.wobbly_bridge.table import Table

ZEROS, SEPARATE, EVENT = {"special_numbers": "zeros"}, {"steps_at_ends": "separate"}, {"event_at_end": "yes"}
EAST_FIRST = ("east", "calm", "calm", "calm", "calm", "west")
WEST_FIRST = ("west", "calm", "calm", "calm", "calm", "east")


def three(rulings: dict[str, str], spaces: tuple[int, ...] = (11, 11, 11), **options: tuple[str, ...]) -> Table:
    table = Table("order", "heavy", "idea", rulings=rulings, **options)
    table.put_explorers(*spaces)
    return table


# Options, records and observations


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["yes"], "rulings are ['yes']: expected a mapping with any of special_numbers, steps_at_ends, event_at_end"),
        ({"wind": "no"}, "rulings have 'wind': expected any of special_numbers, steps_at_ends, event_at_end"),
        ({"event_at_end": "maybe"}, "the ruling on event_at_end is 'maybe': expected no or yes"),
        ({"event_at_end": True}, "the ruling on event_at_end is True: expected no or yes"),
    ],
)
def test_an_unknown_ruling_is_refused(given: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        GAME.rules.configure(rulings=given)


def test_rulings_are_typed_by_name_in_commands() -> None:
    assert board.parse_option("rulings", "special_numbers=zeros,event_at_end=yes") == {**ZEROS, **EVENT}
    default = GAME.rules.configure(rulings=board.parse_option("rulings", "default"))
    assert default.tobytes() == GAME.rules.configure().tobytes()


def test_text_and_picture_show_the_rulings_that_are_not_as_by_default() -> None:
    for rulings, count in ((EVENT, 1), ({}, 0)):
        states = deal_one(3, GAME, rulings=rulings)
        for shown in (GAME.display.text(states[0]), GAME.display.svg(states[0])):
            assert shown.count("event at end: yes") == count


@pytest.mark.parametrize("rulings", [ZEROS, {**SEPARATE, **EVENT}], ids=str)
def test_records_have_the_rulings_that_are_not_as_by_default(rulings: dict[str, str]) -> None:
    record = play_game(GAME, GAME.rules.configure(num_players=3, rulings=rulings), 3, ["random"] * 3, legal=True)
    assert record["rulings"] == rulings
    assert list(record).index("rulings") == list(record).index("setup") - 1
    assert replay(record).over
    usual = {name: ruling.values[0] for name, ruling in RULINGS.items()}
    assert "rulings" not in play_game(GAME, GAME.rules.configure(num_players=3, rulings=usual), 3, ["random"] * 3)
    with pytest.raises(RecordError, match="rulings have 'wind': expected any of special_numbers"):
        replay({**record, "rulings": {"wind": "no"}})


@pytest.mark.parametrize("number", range(len(RULINGS)))
def test_the_observation_tells_every_ruling(number: int) -> None:
    name, ruling = list(RULINGS.items())[number]
    for seat in range(3):
        observation, _ = view(three({name: ruling.values[1]}).states, seat, GAME)
        found = observation[OBSERVATION["table.rulings"]].tolist()
        assert found == [float(other == number) for other in range(len(RULINGS))]


# Numbers of special cards (W1)


@pytest.mark.parametrize(
    ("cards", "usual", "zeros"),
    [
        (("order", "heavy", "dash"), [0, 0, -4], [0, 0, -4 + 2]),  # the red 0 is shared
        (("order", "heavy", "panic"), [0, 0, 4], [0, 0, 4 - 1]),  # the green 0 is shared
        (("order", "heavy", "leap"), [0, 0, -2], [0, 0, -2]),
        (("order", "dash", "dash"), [-2, 3, 3], [-2, 3, 3]),
        (("panic", "heavy", "panic"), [3, 0, 3], [3, 0, 3]),
    ],
    ids=str,
)
def test_zeros_of_special_cards_share_the_highest_number_and_do_not_move_their_owners(
    cards: tuple[str, ...], usual: list[int], zeros: list[int]
) -> None:
    assert three({}).steps(*cards) == usual
    assert three(ZEROS).steps(*cards) == zeros


# The ends of the bridge (W2)


@pytest.mark.parametrize(
    ("spaces", "cards", "added", "separate"),
    [
        ((11, 11, 3), ("order", "heavy", "leap"), [11, 11, 1], [11, 11, 2]),  # 3 west, then 1 east
        ((2, 11, 11), ("careful", "careful", "careful"), [5, 14, 14], [5, 14, 14]),
        ((20, 11, 11), ("careful", "careful", "careful"), [21, 14, 14], [21, 14, 14]),
        ((11, 11, 2), ("order", "heavy", "leap"), [11, 11, 1], [11, 11, 2]),
        ((3, 11, 11), ("dash", "leap", "vertigo"), [1, 11, 14], [1, 11, 14]),
    ],
    ids=str,
)
def test_the_ends_stop_the_sum_of_the_steps_or_each_of_them(
    spaces: tuple[int, ...], cards: tuple[str, ...], added: list[int], separate: list[int]
) -> None:
    assert three({}, spaces).play(*cards) == added
    table = three(SEPARATE, spaces)
    assert table.play(*cards) == separate
    assert table.over == any(space in (1, 21) for space in separate)


# The event after an end is reached (W3)


@pytest.mark.parametrize(
    ("spaces", "events", "usual", "after"),
    [
        ((3, 11, 11), EAST_FIRST, [1, 11, 14], [1, 11, 11]),
        ((3, 11, 11), WEST_FIRST, [1, 11, 14], [4, 11, 14]),
    ],
    ids=str,
)
def test_an_event_after_an_end_is_reached_moves_explorers_and_the_game_is_over_anyway(
    spaces: tuple[int, ...], events: tuple[str, ...], usual: list[int], after: list[int]
) -> None:
    for rulings, expected, revealed in (({}, usual, 0), (EVENT, after, 1)):
        table = three(rulings, spaces, events=events)
        assert table.play("dash", "leap", "vertigo") == expected
        assert (table.over, table.revealed) == (True, revealed)


def test_an_event_is_revealed_as_usual_while_nobody_has_reached_an_end() -> None:
    for rulings in ({}, EVENT):
        table = three(rulings, (12, 15, 8), events=EAST_FIRST)
        assert table.play("order", "heavy", "leap") == [12, 12, 6]
        assert (table.over, table.revealed) == (False, 1)
