"""What holds in every game, whatever is played: nothing is made or lost, and nothing hidden shows (§4)."""

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
from tests.conftest import INTERPRETED
from tests.support import playthroughs
from tests.support.options import seeds
from tests.support.playthroughs import finish, redraw
from tests.wobbly_bridge.reference import could_be_revealed
from tests.wobbly_bridge.table import Table

tables = st.sampled_from(PLAYERS)
DRAWS = 600 if INTERPRETED else 6000


def walk(seed: int, players: int) -> Iterator[States]:
    return playthroughs.walk(seed, GAME, num_players=players)


def view(states: States, seat: int) -> tuple[Any, Any]:
    return playthroughs.view(states, seat, GAME)


def redraws(states: States, seat: int) -> States:
    """Many at once."""
    many = np.concatenate([states] * DRAWS)
    batch.resample_rows(many, np.full(DRAWS, seat), np.arange(DRAWS))
    return many


# What a game keeps


def check_cards(game: Any) -> None:
    """Every seat has or has shown its six cards, and a careful for each idea replaced."""
    for seat in range(game.players):
        shown = [card for match in range(1, MATCHES + 1) for card in played_in(game, match, seat)]
        held = [card for card in range(NORMALS) for _ in range(int(game.seats[seat].hand[card]))]
        held += [int(game.special[seat])] * int(game.seats[seat].holds_special)
        gained = [CARDS.index("careful")] * int(game.instead[:, seat].any())
        assert sorted(shown + held) == sorted([*range(NORMALS), int(game.special[seat]), *gained])


@given(seeds, tables)
def test_no_card_is_made_or_lost(seed: int, players: int) -> None:
    for states in walk(seed, players):
        check_cards(states[0])
        specials = states[0].special[:players].tolist()
        assert sorted(specials) == [IDEA] * (players - 2) + [CARDS.index("order"), CARDS.index("heavy")]


@given(seeds, tables)
def test_explorers_stay_on_the_bridge_and_games_end_at_its_ends(seed: int, players: int) -> None:
    for states in walk(seed, players):
        spaces = states[0]["seats"]["space"][:players]
        assert ((spaces >= WEST_END) & (spaces <= EAST_END)).all()
        at_end = bool(np.isin(spaces, (WEST_END, EAST_END)).any())
        over = batch.actor_one(states) < 0
        assert over if at_end else (not over or states[0].match_number == MATCHES)


@given(seeds, tables)
def test_every_question_has_a_choice(seed: int, players: int) -> None:
    mask = np.zeros((1, len(GAME.actions)), np.int8)
    questions = 0
    for states in walk(seed, players):
        batch.write_masks(states, mask)
        asked = batch.actor_one(states) >= 0
        assert mask.sum() >= 2 if asked else mask.sum() == 0
        assert not asked or states[0].match_number < MATCHES
        questions += asked
    assert players <= questions <= (players + players - 2) * 5


@given(seeds, tables)
def test_the_deck_and_the_events_revealed_are_six(seed: int, players: int) -> None:
    for states in walk(seed, players):
        game = states[0]
        names = [EVENTS[event] for event in game.event.tolist()]
        assert could_be_revealed(names)
        deck = list(EVENT_DECK)
        for event in game.event[: game.revealed].tolist():
            deck[event] -= 1
            deck = list(EVENT_DECK) if not any(deck[1:]) else deck
        assert game.deck.tolist() == deck


def test_more_players_leave_the_events() -> None:
    for seed in range(20):
        dealt = [
            GAME.records.describe_setup(playthroughs.deal_one(seed, GAME, num_players=players)[0])
            for players in PLAYERS
        ]
        assert len({tuple(setup["setup"]["events"]) for setup in dealt}) == 1


# What a seat may know


@given(seeds, tables, seeds, st.integers(0, 30))
def test_a_redrawn_game_is_possible(seed: int, players: int, draw: int, moves: int) -> None:
    """Its setup is one that a record may have, who has chosen holds what it chose, and it can be played to its end."""
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


@given(seeds, tables)
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
    """With two ideas; the one asked last learns nothing of the first."""
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
    """The other seats' special cards dealt differently: this one sees the same, until one of them is played."""
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
        answer = [CARDS[int(table.game.special[place])] if place == shown else "careful" for place in range(5)]
        table.pick(*answer)
        if table.game.phase == REPLACE:
            table.act("panic")
        later.add(view(table.states, seat)[0].tobytes())
    assert len(seen) == 2
    assert len(later) == len(set(others))


def test_what_others_hold_is_told_by_what_has_been_played() -> None:
    def unseen(seat: int) -> list[float]:
        seen = view(table.states, seat)[0]
        return [float(seen[OBSERVATION["table.unseen_ideas"]][0] * 4), *seen[OBSERVATION["table.unseen_lone"]].tolist()]

    table = Table("order", "heavy", "idea", "idea")
    assert unseen(0) == [2, 0, 1]
    assert unseen(3) == [1, 1, 1]
    table.play("leap", "heavy", "idea dash", "vertigo")
    assert unseen(0) == [1, 0, 0]
    assert unseen(3) == [0, 1, 0]


# Redraws have the right chances


def check_chances(found: Counter[Any], expected: dict[Any, float]) -> None:
    """Every outcome there may be, none else, each within five sigma."""
    assert set(found) == set(expected)
    for outcome, chance in expected.items():
        sigma = (DRAWS * chance * (1 - chance)) ** 0.5
        assert abs(found[outcome] - DRAWS * chance) <= 5 * sigma, outcome


def test_unseen_special_cards_are_dealt_again_to_those_who_may_hold_them() -> None:
    """Seat 3 has played its idea, seat 0 knows its own: three cards for three seats, two of them equal."""
    table = Table("idea", "order", "heavy", "idea", "idea")
    table.play("leap", "dash", "leap", "idea dash", "vertigo")
    many = redraws(table.states, 0)
    names = [tuple(CARDS[card] for card in row[[1, 2, 4]]) for row in many["special"]]
    assert (many["special"][:, [0, 3]] == IDEA).all()
    check_chances(Counter(names), dict.fromkeys(itertools.permutations(("order", "heavy", "idea")), 1 / 6))


def test_a_pick_is_drawn_again_from_what_its_seat_may_hold() -> None:
    """Seat 1 sees seat 0's face-down card as any of five normal ones or a special one it has not seen."""
    table = Table("order", "heavy", "idea", "idea")
    table.act("dash")
    many = redraws(table.states, 1)
    picks = Counter(CARDS[pick - 1] for pick in many["pick"][:, 0])
    chances = dict.fromkeys(CARDS[:NORMALS], 1 / 6) | {"order": 1 / 18, "idea": 2 / 18}
    check_chances(picks, chances)
    special = many["pick"][:, 0] > NORMALS
    assert (many["pick"][special, 0] == many["special"][special, 0] + 1).all()


def following(revealed: tuple[str, ...]) -> dict[tuple[str, ...], float]:
    """Every row of six that may follow some events, with its chance, by dealing cards out of the deck."""
    rows = {revealed: 1.0}
    for _ in range(MATCHES - len(revealed)):
        longer: dict[tuple[str, ...], float] = {}
        for row, chance in rows.items():
            deck: list[str] = []
            for event in (None, *row):
                if event is not None:
                    deck.remove(event)
                if event is None or ("east" not in deck and "west" not in deck):
                    deck = ["calm"] * 4 + ["east", "west"]
            for event in deck:
                longer[*row, event] = longer.get((*row, event), 0) + chance / len(deck)
        rows = longer
    return rows


@pytest.mark.parametrize(
    "revealed", [(), ("calm", "east"), ("east", "west"), ("calm", "west", "east"), ("calm", "calm", "calm", "calm")]
)
def test_events_to_come_have_their_chances_in_the_deck_as_it_stands(revealed: tuple[str, ...]) -> None:
    rows = following(revealed)
    table = Table("order", "heavy", "idea", events=max(rows, key=lambda row: rows[row]))
    table.begin_match(len(revealed) + 1)
    assert table.revealed == len(revealed)
    many = redraws(table.states, 0)
    for length in range(len(revealed) + 1, MATCHES + 1):
        found = Counter(tuple(EVENTS[event] for event in row[:length]) for row in many["event"])
        chances: dict[tuple[str, ...], float] = {}
        for row, chance in rows.items():
            chances[row[:length]] = chances.get(row[:length], 0) + chance
        assert set(found) <= set(chances)
        if min(chances.values()) * DRAWS > 20:
            check_chances(found, chances)


def test_deals_have_the_same_chances() -> None:
    states = GAME.new_states(DRAWS)
    batch.deal_rows(states, GAME.rules.configure(num_players=3), np.arange(DRAWS))
    specials = Counter(tuple(CARDS[card] for card in row[:3]) for row in states["special"])
    check_chances(specials, dict.fromkeys(itertools.permutations(("order", "heavy", "idea")), 1 / 6))
    first_three: dict[tuple[str, ...], float] = {}
    for row, chance in following(()).items():
        first_three[row[:3]] = first_three.get(row[:3], 0) + chance
    events = Counter(tuple(EVENTS[event] for event in row[:3]) for row in states["event"])
    assert set(events) <= set(first_three)
    for row, chance in first_three.items():
        assert abs(events[row] - DRAWS * chance) <= 5 * (DRAWS * chance) ** 0.5, row
