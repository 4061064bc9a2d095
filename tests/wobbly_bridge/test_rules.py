"""The rules of the comparison, special cards, ideas, the ends of the bridge, winds and ranks (§2)."""

from __future__ import annotations

import pytest

from olb_env.wobbly_bridge import GAME, OBSERVATION, rules
from olb_env.wobbly_bridge.components import CARDS, MATCHES, START
from tests.support.playthroughs import view
from tests.wobbly_bridge.table import CALM_FIRST, Table

EAST_FIRST = ("east", "calm", "calm", "calm", "calm", "west")
WEST_FIRST = ("west", "calm", "calm", "calm", "calm", "east")


def four(**options: tuple[str, ...]) -> Table:
    return Table("order", "heavy", "idea", "idea", **options)


# The setup (§1)


def test_everybody_starts_in_the_middle_with_six_cards() -> None:
    table = four()
    assert table.spaces == [START] * 4
    assert table.legal == ["leap", "dash", "panic", "careful", "vertigo", "order"]
    assert all(table.normals(seat) == list(CARDS[:5]) for seat in range(4))


# The comparison (§2.3), with every combination of order, heavy and ideas


@pytest.mark.parametrize(
    ("cards", "steps"),
    [
        (("dash", "leap", "panic", "vertigo"), [-4, 0, 4, 0]),
        (("order", "leap", "panic", "vertigo"), [-2, 0, 3, 0]),
        (("dash", "heavy", "panic", "vertigo"), [3, 0, 3, 0]),
        (("order", "heavy", "panic", "vertigo"), [0, 0, 4, -1]),
        (("dash", "leap", "idea panic", "vertigo"), [-4, 0, 4, 0]),
        (("order", "leap", "idea vertigo", "careful"), [-2, 0, 3, 0]),
        (("dash", "heavy", "idea leap", "careful"), [3, 0, 0, 3]),
        (("order", "heavy", "idea dash", "panic"), [0, 0, -4, 4]),
        (("dash", "dash", "idea dash", "idea vertigo"), [-1, -1, -1, 3]),
        (("order", "panic", "idea panic", "idea panic"), [-2, 3, 3, 3]),
        (("careful", "heavy", "idea careful", "idea leap"), [3, 0, 3, 3]),
        (("order", "heavy", "idea careful", "idea careful"), [0, 0, 3, 3]),
    ],
    ids=str,
)
def test_special_cards_in_every_combination(cards: tuple[str, ...], steps: list[int]) -> None:
    assert four().steps(*cards) == steps


@pytest.mark.parametrize(
    ("cards", "steps"),
    [
        (("dash", "dash", "leap", "leap"), [-1, -1, 3, 3]),
        (("panic", "panic", "panic", "vertigo"), [6, 6, 6, -1]),
        (("dash", "dash", "dash", "dash"), [1, 1, 1, 1]),
        (("panic", "panic", "panic", "panic"), [5, 5, 5, 5]),
        (("leap", "leap", "leap", "leap"), [2, 2, 2, 2]),
        (("leap", "leap", "vertigo", "vertigo"), [-1, -1, 5, 5]),
    ],
    ids=str,
)
def test_ties_of_green_go_one_west_and_ties_of_red_two_further_east(cards: tuple[str, ...], steps: list[int]) -> None:
    """Ties at 0 count as ties."""
    assert four().steps(*cards) == steps


def test_under_order_the_highest_red_may_be_a_zero() -> None:
    assert four().steps("order", "dash", "dash", "dash") == [-2, 3, 3, 3]


def test_under_heavy_a_player_with_both_highest_numbers_moves_once() -> None:
    assert four().steps("careful", "heavy", "careful", "careful") == [3, 0, 3, 3]


def test_the_only_number_on_the_table_is_highest_even_at_zero() -> None:
    """Order and heavy cancel each other; a green 0 goes nowhere."""
    assert Table("order", "heavy", "idea").steps("order", "heavy", "panic") == [0, 0, 4]
    assert Table("order", "heavy", "idea").steps("order", "heavy", "dash") == [0, 0, -4]


# Ideas (§2.2)


def last_two_matches(*hands: tuple[str, str], events: tuple[str, ...] = WEST_FIRST) -> Table:
    """Return the beginning of the fifth match, with two cards in every hand."""
    specials = ["order", "heavy", *["idea"] * (len(hands) - 2)]
    table = Table(*specials, events=events)
    for seat, cards in enumerate(hands):
        table.hold(seat, *cards)
    table.begin_match(5)
    return table


def test_a_player_alone_with_an_idea_replaces_it_openly_knowing_all_other_cards() -> None:
    table = four()
    table.pick("leap", "heavy", "idea", "panic")
    assert table.actor == 2
    assert table.legal == ["leap", "dash", "panic", "careful", "vertigo"]
    assert not GAME.rules.secret(table.game)
    seen, _ = view(table.states, 2, GAME)
    for name, card in (("own", "idea"), ("next1", "panic"), ("next2", "leap"), ("next3", "heavy")):
        assert seen[OBSERVATION[f"{name}.card"]].tolist() == [float(card == other) for other in CARDS]


def test_several_ideas_are_replaced_face_down_in_seat_order() -> None:
    table = four()
    table.pick("leap", "dash", "idea", "idea")
    until = GAME.rules.secret(table.game)
    assert table.actor == 2
    assert until > 0
    table.act("panic")
    assert (table.actor, GAME.rules.secret(table.game)) == (3, until)
    assert table.normals(2) == ["leap", "dash", "panic", "careful", "vertigo"]
    table.act("panic")
    assert table.shown(1) == ["leap", "dash", "idea panic", "idea panic"]
    assert table.spaces == [START, START - 4, START + 6, START + 6]


def test_an_idea_brings_a_careful_for_later_matches() -> None:
    table = four()
    table.play("leap", "dash", "idea panic", "leap")
    assert table.normals(2) == ["leap", "dash", "careful", "careful", "vertigo"]
    table.act("dash")
    table.act("panic")
    assert (table.actor, table.legal) == (2, ["leap", "dash", "careful", "vertigo"])


def test_a_careful_that_replaces_an_idea_is_gained_back() -> None:
    table = four()
    table.play("leap", "dash", "idea careful", "leap")
    assert table.normals(2) == list(CARDS[:5])


def test_the_gained_careful_cannot_replace_the_idea_that_brings_it() -> None:
    table = four()
    table.hold(2, "leap", "dash", "idea")
    table.begin_match(4)
    table.pick("leap", "dash", "idea", "leap")
    assert table.legal == ["leap", "dash"]


def test_two_carefuls_can_be_played_one_after_the_other() -> None:
    table = four()
    table.play("leap", "dash", "idea panic", "leap")
    table.put_explorers(11, 11, 11, 11)
    table.play("dash", "leap", "careful", "dash")
    assert table.normals(2) == ["leap", "dash", "careful", "vertigo"]
    table.put_explorers(11, 11, 11, 11)
    table.play("vertigo", "vertigo", "careful", "vertigo")
    assert table.normals(2) == ["leap", "dash", "vertigo"]


def test_the_only_possible_replacement_is_played_automatically() -> None:
    table = last_two_matches(("leap", "dash"), ("leap", "dash"), ("careful", "idea"), ("leap", "panic"))
    table.pick("leap", "dash", "idea", "panic")
    assert table.shown(5) == ["leap", "dash", "idea careful", "panic"]
    assert table.shown(6) == ["dash", "leap", "careful", "leap"]


def test_a_hand_of_two_carefuls_is_played_automatically() -> None:
    table = last_two_matches(("leap", "dash"), ("careful", "careful"), ("leap", "dash"))
    assert table.actor == 0
    table.act("leap")
    assert table.actor == 2
    assert table.game.pick.tolist()[:2] == [CARDS.index("leap") + 1, CARDS.index("careful") + 1]


def test_an_idea_without_another_card_moves_three_east_and_takes_no_part() -> None:
    """§2.2: in the sixth match; the east wind then drives back whoever is furthest east."""
    table = last_two_matches(("leap", "careful"), ("careful", "vertigo"), ("idea", "careful"))
    table.play("careful", "careful", "careful")
    assert table.over
    assert table.shown(6) == ["leap", "vertigo", "idea"]
    # Careful: all to 14. Then leap 3 west, vertigo 3 east, idea 3 east; the wind takes both on 17.
    assert table.spaces == [11, 14, 14]
    assert table.normals(2) == []


def test_several_ideas_without_another_card_all_move_three_east() -> None:
    hands = (("leap", "careful"), ("careful", "vertigo"), ("idea", "careful"), ("idea", "careful"))
    table = last_two_matches(*hands)
    table.play(*["careful"] * 4)
    assert table.spaces == [11, 14, 14, 14]


def test_with_no_number_on_the_table_only_the_idea_moves() -> None:
    table = last_two_matches(("order", "careful"), ("heavy", "careful"), ("idea", "careful"))
    table.play("careful", "careful", "careful")
    assert table.spaces == [14, 14, 14]


def test_heavy_does_not_affect_an_idea_without_another_card() -> None:
    hands = (("leap", "careful"), ("heavy", "careful"), ("idea", "careful"), ("leap", "careful"))
    table = last_two_matches(*hands, events=("calm",) * 4 + ("east", "west"))
    table.play(*["careful"] * 4)
    assert table.shown(6) == ["leap", "heavy", "idea", "leap"]
    # The east wind drives all from 14 to 11. Both leaps and the idea go 3 east; the west wind drives heavy there.
    assert table.spaces == [14, 14, 14, 14]


def test_order_does_not_affect_an_idea_without_another_card() -> None:
    table = last_two_matches(("order", "careful"), ("leap", "careful"), ("idea", "careful"))
    table.play("careful", "careful", "careful")
    # Order 12, leap as the only red 17, idea 17; the wind takes both on 17.
    assert table.spaces == [12, 14, 14]


# The ends of the bridge (§2.3, §2.4, §2.6)


@pytest.mark.parametrize(
    ("spaces", "cards", "after"),
    [
        ((3, 11, 11), ("dash", "leap", "vertigo"), [1, 11, 14]),
        ((5, 11, 11), ("dash", "leap", "vertigo"), [1, 11, 14]),
        ((11, 11, 19), ("dash", "leap", "panic"), [7, 11, 21]),
        ((2, 11, 20), ("dash", "leap", "panic"), [1, 11, 21]),
    ],
    ids=str,
)
def test_both_ends_stop_explorers_and_end_the_game_without_an_event(
    spaces: tuple[int, ...], cards: tuple[str, ...], after: list[int]
) -> None:
    """W3: the wind would have moved somebody."""
    table = Table("order", "heavy", "idea", events=EAST_FIRST)
    table.put_explorers(*spaces)
    assert table.play(*cards) == after
    assert table.over
    assert table.revealed == 0
    assert table.legal == []


def test_steps_are_added_up_before_the_end_stops_anybody() -> None:
    """W2: 1 west and 4 east from 20 is the end, in whichever order."""
    table = Table("order", "heavy", "idea")
    table.put_explorers(20, 11, 11)
    assert table.play("careful", "careful", "careful") == [21, 14, 14]
    assert table.over


def test_steps_are_added_up_at_the_west_end_too() -> None:
    """W2: order and heavy cancelled, leap goes 3 west and 1 east: from 3 that is the end, not one step short of it."""
    table = Table("order", "heavy", "idea")
    table.put_explorers(11, 11, 3)
    assert table.play("order", "heavy", "leap") == [11, 11, 1]
    assert table.over


def test_a_wind_can_carry_to_the_east_end_and_stops_there() -> None:
    table = Table("order", "heavy", "idea", events=WEST_FIRST)
    table.put_explorers(16, 16, 17)
    assert table.play("careful", "careful", "careful") == [21, 21, 20]
    assert table.over
    assert table.rank() == [2, 2, 1]


def test_a_wind_can_carry_to_the_west_end_and_stops_there() -> None:
    table = Table("order", "heavy", "idea", events=EAST_FIRST)
    table.put_explorers(3, 3, 5)
    assert table.play("order", "heavy", "leap") == [1, 1, 1]
    assert table.over
    assert table.rank() == [1, 1, 1]


# Winds (§2.5)


@pytest.mark.parametrize(
    ("events", "spaces", "after"),
    [
        (EAST_FIRST, (12, 15, 8), [12, 12, 6]),
        (EAST_FIRST, (15, 15, 8), [12, 12, 6]),
        (EAST_FIRST, (9, 9, 11), [6, 6, 6]),
        (WEST_FIRST, (12, 15, 8), [12, 15, 9]),
        (WEST_FIRST, (6, 6, 11), [9, 9, 9]),
        (WEST_FIRST, (9, 15, 11), [12, 15, 12]),
        (CALM_FIRST, (12, 15, 8), [12, 15, 6]),
    ],
    ids=str,
)
def test_winds_move_whoever_is_furthest_and_all_who_are_level(
    events: tuple[str, ...], spaces: tuple[int, ...], after: list[int]
) -> None:
    """Order and heavy cancel each other: before the wind, leap goes 2 west and the others stay."""
    table = Table("order", "heavy", "idea", events=events)
    table.put_explorers(*spaces)
    assert table.play("order", "heavy", "leap") == after


def test_when_both_winds_are_out_all_six_events_are_shuffled_again() -> None:
    table = four(events=("calm", "east", "west", "east", "west", "calm"))
    decks = [(4, 1, 1), (3, 1, 1), (3, 0, 1), (4, 1, 1), (4, 0, 1)]
    hands = (("leap", "dash", "careful", "vertigo"), ("dash", "leap", "careful", "vertigo")) * 2
    for match, deck in enumerate(decks, start=1):
        assert (table.match, tuple(table.deck.values())) == (match, deck)
        if match <= 4:
            table.put_explorers(11, 11, 11, 11)
            table.play(*(hand[match - 1] for hand in hands))


# The course of a game (§2, §3)


def test_cards_are_picked_in_seat_order_in_every_match() -> None:
    table = four()
    seats = []
    for cards in (("leap", "dash"), ("dash", "leap"), ("careful", "vertigo"), ("vertigo", "careful")):
        table.put_explorers(11, 11, 11, 11)
        match = table.match
        while table.match == match:
            seats.append(table.actor)
            table.act(cards[table.actor % 2])
    assert seats == [0, 1, 2, 3] * 4


def test_the_sixth_match_is_played_automatically() -> None:
    hands = (("leap", "careful"), ("careful", "vertigo"), ("leap", "careful"))
    table = last_two_matches(*hands)
    table.play("careful", "careful", "careful")
    assert (table.match, table.revealed) == (MATCHES, MATCHES)
    assert table.over
    assert table.actor == -1


def test_cards_are_picked_in_secret() -> None:
    assert GAME.rules.secret(four().game) > 0


def test_random_actions_are_exactly_the_legal_ones() -> None:
    table = four()
    drawn = {CARDS[rules.random_action(table.game, rng_state)] for rng_state in range(200)}
    assert drawn == set(table.legal)


def test_every_match_has_its_own_reveal() -> None:
    table = four()
    first = GAME.rules.secret(table.game)
    table.pick("leap", "dash", "panic", "careful")
    assert (table.match, table.actor) == (2, 0)
    assert GAME.rules.secret(table.game) not in (0, first)


def test_an_illegal_action_changes_nothing() -> None:
    table = four()
    before = table.states.tobytes()
    for action in (-1, len(CARDS), CARDS.index("idea"), CARDS.index("heavy")):
        assert not rules.apply(table.game, action)
    assert table.states.tobytes() == before


@pytest.mark.parametrize(
    ("spaces", "ranks"),
    [((4, 4, 9), [1, 1, 3]), ((9, 4, 9), [2, 1, 2]), ((7, 7, 7), [1, 1, 1]), ((21, 5, 1), [3, 2, 1])],
)
def test_furthest_west_is_first_and_equal_spaces_share_their_rank(spaces: tuple[int, ...], ranks: list[int]) -> None:
    table = Table("order", "heavy", "idea")
    table.put_explorers(*spaces)
    assert table.rank() == ranks
