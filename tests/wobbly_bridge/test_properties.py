"""Properties of every game of The Wobbly Bridge: no card appears or disappears, and nothing hidden shows (§4)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from olb_env.core import batch
from olb_env.core.game import States
from olb_env.wobbly_bridge import GAME, OBSERVATION
from olb_env.wobbly_bridge.components import (
    CARDS,
    EAST_END,
    EVENT_DECK,
    EVENTS,
    IDEA,
    MATCHES,
    NORMALS,
    PLAYERS,
    WEST_END,
)
from olb_env.wobbly_bridge.legal_actions import legal_set
from olb_env.wobbly_bridge.state import PICK, REPLACE
from olb_env.wobbly_bridge.text import played_in
from tests.support import playthroughs
from tests.support.options import seeds
from tests.support.playthroughs import finish, redraw
from tests.support.running import INTERPRETED
from tests.wobbly_bridge.reference import could_be_revealed
from tests.wobbly_bridge.table import Table

numbers_of_players = st.sampled_from(PLAYERS)
DRAWS = 600 if INTERPRETED else 6000


def walk(seed: int, players: int) -> Iterator[States]:
    return playthroughs.walk(seed, GAME, num_players=players)


def view(states: States, seat: int) -> tuple[Any, Any]:
    return playthroughs.view(states, seat, GAME)


def resamples(states: States, seat: int) -> States:
    """Return many resampled copies of a game."""
    many = np.concatenate([states] * DRAWS)
    batch.resample_rows(many, np.full(DRAWS, seat), np.arange(DRAWS))
    return many


# Cards and events


def check_cards(game: Any) -> None:
    """Check that every seat holds or has shown its six cards, and a careful for an idea replaced."""
    for seat in range(game.players):
        shown = [card for match in range(1, MATCHES + 1) for card in played_in(game, match, seat)]
        held = [card for card in range(NORMALS) for _ in range(int(game.seats[seat].hand[card]))]
        held += [int(game.special[seat])] * int(game.seats[seat].holds_special)
        gained = [CARDS.index("careful")] * int(game.instead[:, seat].any())
        assert sorted(shown + held) == sorted([*range(NORMALS), int(game.special[seat]), *gained])


@given(seeds, numbers_of_players)
def test_no_card_appears_or_disappears(seed: int, players: int) -> None:
    for states in walk(seed, players):
        check_cards(states[0])
        specials = states[0].special[:players].tolist()
        assert sorted(specials) == [IDEA] * (players - 2) + [CARDS.index("order"), CARDS.index("heavy")]


@given(seeds, numbers_of_players)
def test_explorers_stay_on_the_bridge_and_games_end_at_its_ends(seed: int, players: int) -> None:
    for states in walk(seed, players):
        spaces = states[0]["seats"]["space"][:players]
        assert ((spaces >= WEST_END) & (spaces <= EAST_END)).all()
        at_end = bool(np.isin(spaces, (WEST_END, EAST_END)).any())
        over = batch.actor_one(states) < 0
        assert over if at_end else (not over or states[0].match_number == MATCHES)


@given(seeds, numbers_of_players)
def test_every_decision_has_a_choice(seed: int, players: int) -> None:
    mask = np.zeros((1, len(GAME.actions)), np.int8)
    decisions = 0
    for states in walk(seed, players):
        batch.write_masks(states, mask)
        decides = batch.actor_one(states) >= 0
        assert mask.sum() >= 2 if decides else mask.sum() == 0
        assert not decides or states[0].match_number < MATCHES
        decisions += decides
    assert players <= decisions <= (players + players - 2) * 5


@given(seeds, numbers_of_players)
def test_the_deck_holds_the_events_not_revealed_since_the_last_shuffle(seed: int, players: int) -> None:
    for states in walk(seed, players):
        game = states[0]
        names = [EVENTS[event] for event in game.event.tolist()]
        assert could_be_revealed(names)
        deck = list(EVENT_DECK)
        for event in game.event[: game.revealed].tolist():
            deck[event] -= 1
            deck = list(EVENT_DECK) if not any(deck[1:]) else deck
        assert game.deck.tolist() == deck


def test_the_number_of_players_does_not_change_the_events() -> None:
    for seed in range(20):
        dealt = [
            GAME.records.describe_setup(playthroughs.deal_one(seed, GAME, num_players=players)[0])
            for players in PLAYERS
        ]
        assert len({tuple(setup["setup"]["events"]) for setup in dealt}) == 1


# What a seat may know


@given(seeds, numbers_of_players, seeds, st.integers(0, 30))
def test_a_resampled_game_is_a_possible_game(seed: int, players: int, draw: int, moves: int) -> None:
    """Its setup is valid, every seat holds the card it has picked, and the game can be played to its end."""
    for number, states in enumerate(walk(seed, players)):
        if number == moves or batch.actor_one(states) < 0:
            break
    for seat in range(players):
        redrawn = redraw(states, seat, draw)
        GAME.records.read_setup(GAME.records.describe_setup(redrawn[0]))
        game = redrawn[0]
        for other in range(players):
            pick = int(game.pick[other])
            assert (pick > 0) == (states[0].pick[other] > 0)
            assert not pick or int(legal_set(game, other)) >> (pick - 1) & 1
        if batch.actor_one(redrawn) >= 0:
            assert int(game.legal) == legal_set(game, game.actor)
        finish(redrawn, GAME)
        check_cards(redrawn[0])


@given(seeds, numbers_of_players)
def test_picks_of_others_are_invisible_before_the_reveal(seed: int, players: int) -> None:
    """Whatever seat 0 picks, the others see the same."""
    for states in walk(seed, players):
        if batch.actor_one(states) != 0 or states[0].phase != PICK:
            continue
        seen = set()
        for name in GAME.legal_actions(states[0]):
            other = states.copy()
            batch.apply_one(other, GAME.ids(states[0])[name])
            seen.add(b"".join(view(other, seat)[0].tobytes() for seat in range(1, players)))
            assert view(other, 0)[0][OBSERVATION["own.pick"]].argmax() == GAME.ids(states[0])[name]
        assert len(seen) == 1


def test_replacements_of_others_are_invisible_before_the_reveal() -> None:
    """Of two players with ideas, the second learns nothing of the first one's choice."""
    seen = set()
    for card in CARDS[:NORMALS]:
        table = Table("order", "heavy", "idea", "idea")
        table.pick("leap", "dash", "idea", "idea")
        table.act(card)
        seen.add(b"".join(view(table.states, seat)[0].tobytes() for seat in (0, 1, 3)))
        assert table.game.phase == REPLACE
    assert len(seen) == 1


@pytest.mark.parametrize("seat", [0, 1, 3])
def test_special_cards_of_others_are_invisible_until_played(seat: int) -> None:
    """However the special cards of the others are dealt, this seat sees the same until one of them is played."""
    specials = ["idea", "idea", "order", "heavy", "idea"]
    others = [card for place, card in enumerate(specials) if place != seat]
    seen, later = set(), set()
    for dealt in set(itertools.permutations(others)):
        cards = list(dealt)
        cards.insert(seat, specials[seat])
        table = Table(*cards)
        seen.add(view(table.states, seat)[0].tobytes())
        table.play("leap", "dash", "leap", "dash", "vertigo")
        seen.add(view(table.states, seat)[0].tobytes())
        shown = 2 if seat != 2 else 0
        picks = [CARDS[int(table.game.special[place])] if place == shown else "careful" for place in range(5)]
        table.pick(*picks)
        if table.game.phase == REPLACE:
            table.act("panic")
        later.add(view(table.states, seat)[0].tobytes())
    assert len(seen) == 2
    assert len(later) == len(set(others))


def test_the_observation_counts_the_special_cards_that_others_still_hold() -> None:
    def unseen(seat: int) -> list[float]:
        seen = view(table.states, seat)[0]
        return [float(seen[OBSERVATION["table.unseen_ideas"]][0] * 4), *seen[OBSERVATION["table.unseen_lone"]].tolist()]

    table = Table("order", "heavy", "idea", "idea")
    assert unseen(0) == [2, 0, 1]
    assert unseen(3) == [1, 1, 1]
    table.play("leap", "heavy", "idea dash", "vertigo")
    assert unseen(0) == [1, 0, 0]
    assert unseen(3) == [0, 1, 0]


# Probabilities of resampling


def check_probabilities(found: Counter[Any], expected: dict[Any, float]) -> None:
    """Check that exactly the possible outcomes were drawn, each within five sigma of its expected count."""
    assert set(found) == set(expected)
    for outcome, probability in expected.items():
        sigma = (DRAWS * probability * (1 - probability)) ** 0.5
        assert abs(found[outcome] - DRAWS * probability) <= 5 * sigma, outcome


def test_unseen_special_cards_are_dealt_again_to_the_seats_that_may_hold_them() -> None:
    """Seat 3 has played its idea, seat 0 knows its own: three different cards for three seats."""
    table = Table("idea", "order", "heavy", "idea", "idea")
    table.play("leap", "dash", "leap", "idea dash", "vertigo")
    many = resamples(table.states, 0)
    names = [tuple(CARDS[card] for card in row[[1, 2, 4]]) for row in many["special"]]
    assert (many["special"][:, [0, 3]] == IDEA).all()
    check_probabilities(Counter(names), dict.fromkeys(itertools.permutations(("order", "heavy", "idea")), 1 / 6))


def test_a_pick_is_drawn_again_from_the_possible_hands_of_its_seat() -> None:
    """For seat 1 the pick of seat 0 may be any of five normal cards, or a special card that seat 1 has not seen."""
    table = Table("order", "heavy", "idea", "idea")
    table.act("dash")
    many = resamples(table.states, 1)
    picks = Counter(CARDS[pick - 1] for pick in many["pick"][:, 0])
    probabilities = dict.fromkeys(CARDS[:NORMALS], 1 / 6) | {"order": 1 / 18, "idea": 2 / 18}
    check_probabilities(picks, probabilities)
    special = many["pick"][:, 0] > NORMALS
    assert (many["pick"][special, 0] == many["special"][special, 0] + 1).all()


def following(revealed: tuple[str, ...]) -> dict[tuple[str, ...], float]:
    """Return every row of six events that may follow some events, with its probability."""
    rows = {revealed: 1.0}
    for _ in range(MATCHES - len(revealed)):
        longer: dict[tuple[str, ...], float] = {}
        for row, probability in rows.items():
            deck: list[str] = []
            for event in (None, *row):
                if event is not None:
                    deck.remove(event)
                if event is None or ("east" not in deck and "west" not in deck):
                    deck = ["calm"] * 4 + ["east", "west"]
            for event in deck:
                longer[*row, event] = longer.get((*row, event), 0) + probability / len(deck)
        rows = longer
    return rows


@pytest.mark.parametrize(
    "revealed", [(), ("calm", "east"), ("east", "west"), ("calm", "west", "east"), ("calm", "calm", "calm", "calm")]
)
def test_events_to_come_have_the_probabilities_of_the_current_deck(revealed: tuple[str, ...]) -> None:
    rows = following(revealed)
    table = Table("order", "heavy", "idea", events=max(rows, key=lambda row: rows[row]))
    table.begin_match(len(revealed) + 1)
    assert table.revealed == len(revealed)
    many = resamples(table.states, 0)
    for length in range(len(revealed) + 1, MATCHES + 1):
        found = Counter(tuple(EVENTS[event] for event in row[:length]) for row in many["event"])
        probabilities: dict[tuple[str, ...], float] = {}
        for row, probability in rows.items():
            probabilities[row[:length]] = probabilities.get(row[:length], 0) + probability
        assert set(found) <= set(probabilities)
        if min(probabilities.values()) * DRAWS > 20:
            check_probabilities(found, probabilities)


def test_deals_have_the_right_probabilities() -> None:
    states = GAME.new_states(DRAWS)
    batch.deal_rows(states, GAME.rules.configure(num_players=3), np.arange(DRAWS))
    specials = Counter(tuple(CARDS[card] for card in row[:3]) for row in states["special"])
    check_probabilities(specials, dict.fromkeys(itertools.permutations(("order", "heavy", "idea")), 1 / 6))
    first_three: dict[tuple[str, ...], float] = {}
    for row, probability in following(()).items():
        first_three[row[:3]] = first_three.get(row[:3], 0) + probability
    events = Counter(tuple(EVENTS[event] for event in row[:3]) for row in states["event"])
    assert set(events) <= set(first_three)
    for row, probability in first_three.items():
        assert abs(events[row] - DRAWS * probability) <= 5 * (DRAWS * probability) ** 0.5, row
