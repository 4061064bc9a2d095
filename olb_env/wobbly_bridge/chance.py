"""Everything that is drawn: the deal of a game, and the redraw of what one seat does not know (§1, §4).

Each source of chance has its own stream, so that more players leave the events as they are.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.compiling import kernel, rule
from olb_env.core.game import State, States
from olb_env.core.rawbytes import clear
from olb_env.core.rng import advance as next_state
from olb_env.core.rng import below, shuffle, stream
from olb_env.wobbly_bridge.components import (
    CALM,
    EAST_WIND,
    EVENT_DECK,
    HEAVY,
    IDEA,
    LONE_SPECIALS,
    MATCHES,
    NORMALS,
    ORDER,
    START,
    WEST_WIND,
)
from olb_env.wobbly_bridge.rules import advance, answers, any_of, begin_match, fill_deck
from olb_env.wobbly_bridge.state import OVER

# Streams of a deal, and of a redraw.
SPECIAL_CARDS, EVENT_ROW = range(2)
HIDDEN_SPECIALS, HIDDEN_EVENTS, HIDDEN_PICKS = range(2, 5)


@rule
def deal(game: State, setup: Any, seed: int) -> None:
    """A new game: chance first, then everything that follows from it."""
    clear(game)
    game.players = setup.players
    game.special[0] = ORDER
    game.special[1] = HEAVY
    for seat in range(LONE_SPECIALS, game.players):
        game.special[seat] = IDEA
    shuffle(game.special, 0, game.players, stream(seed, SPECIAL_CARDS))
    fill_deck(game)
    draw_events(game, stream(seed, EVENT_ROW))
    begin(game)


@rule
def begin(game: State) -> None:
    """Set out everything that is not chance, and walk to the first question (§1)."""
    fill_deck(game)
    for seat in range(game.players):
        player = game.seats[seat]
        player.present = 1
        player.space = START
        player.holds_special = 1
        for card in range(NORMALS):
            player.hand[card] = 1
    begin_match(game)
    advance(game)


@kernel
def begin_rows(games: States) -> None:
    """The same in every game [N]."""
    for row in range(games.shape[0]):
        begin(games[row])


@rule
def draw_events(game: State, state: int) -> None:
    """Lay out the events to come, one by one out of the deck as it stands; both winds make it whole again (§2.5)."""
    calm = int(game.deck[CALM])
    east = int(game.deck[EAST_WIND])
    west = int(game.deck[WEST_WIND])
    for i in range(game.revealed, MATCHES):
        state = next_state(state)
        ticket = below(state, calm + east + west)
        if ticket < calm:
            calm -= 1
            game.event[i] = CALM
        elif ticket < calm + east:
            east -= 1
            game.event[i] = EAST_WIND
        else:
            west -= 1
            game.event[i] = WEST_WIND
        if east + west == 0:
            calm = EVENT_DECK[CALM]
            east = EVENT_DECK[EAST_WIND]
            west = EVENT_DECK[WEST_WIND]


@rule
def resample(game: State, seat: int, seed: int) -> None:
    """§4: redraw what `seat` does not know, from nothing but what it does know."""
    draw_events(game, stream(seed, HIDDEN_EVENTS))
    _deal_unseen_specials(game, seat, stream(seed, HIDDEN_SPECIALS))
    if game.phase != OVER:
        _redraw_picks(game, seat, stream(seed, HIDDEN_PICKS))
        if game.actor != seat:
            game.legal = answers(game, game.actor)


@rule
def _deal_unseen_specials(game: State, seat: int, state: int) -> None:
    """Special cards that `seat` neither holds nor has seen, dealt again to those who still keep theirs back."""
    ideas = int(game.players) - LONE_SPECIALS
    orders = 1
    heavies = 1
    for other in range(game.players):
        if other == seat or not game.seats[other].holds_special:
            ideas -= game.special[other] == IDEA
            orders -= game.special[other] == ORDER
            heavies -= game.special[other] == HEAVY
    for other in range(game.players):
        if other == seat or not game.seats[other].holds_special:
            continue
        state = next_state(state)
        ticket = below(state, ideas + orders + heavies)
        if ticket < ideas:
            ideas -= 1
            game.special[other] = IDEA
        elif ticket < ideas + orders:
            orders -= 1
            game.special[other] = ORDER
        else:
            heavies -= 1
            game.special[other] = HEAVY


@rule
def _redraw_picks(game: State, seat: int, state: int) -> None:
    """Other cards for the others who have chosen already, from what they may hold; who had one card only keeps it."""
    for other in range(game.actor):
        if other != seat and game.pick[other] > 0:
            state = next_state(state)
            game.pick[other] = any_of(answers(game, other), state) + 1
