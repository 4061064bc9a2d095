"""All randomness of the game: the deal, and the resampling of what one seat does not know (§1, §4).

Each source of randomness has its own random stream, so that the number of players does not change the events.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.compiling import jitable, kernel
from olb_env.core.game import State, States
from olb_env.core.rawbytes import clear
from olb_env.core.rng import below, next_rng_state, shuffle, stream
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
from olb_env.wobbly_bridge.legal_actions import legal_set, sample_action
from olb_env.wobbly_bridge.rules import advance, begin_match, fill_deck
from olb_env.wobbly_bridge.state import OVER, R

# Random streams of a deal and of `resample`.
SPECIAL_CARDS, EVENT_ROW = range(2)
HIDDEN_SPECIALS, HIDDEN_EVENTS, HIDDEN_PICKS = range(2, 5)


@jitable
def deal(game: State, setup: Any, seed: int) -> None:
    """Deal a new game (§1): draw everything random, then set up the rest."""
    clear(game)
    game.players = setup.players
    for ruling in range(R):
        game.rulings[ruling] = setup.rulings[ruling]
    game.special[0] = ORDER
    game.special[1] = HEAVY
    for seat in range(LONE_SPECIALS, game.players):
        game.special[seat] = IDEA
    shuffle(game.special, 0, game.players, stream(seed, SPECIAL_CARDS))
    fill_deck(game)
    draw_events(game, stream(seed, EVENT_ROW))
    begin_game(game)


@jitable
def begin_game(game: State) -> None:
    """Set up everything that is not random, and advance to the first decision (§1)."""
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
def begin_games(games: States) -> None:
    """Call `begin_game` for every game [N]."""
    for row in range(games.shape[0]):
        begin_game(games[row])


@jitable
def draw_events(game: State, rng_state: int) -> None:
    """Draw the events to come from the current deck, which is reshuffled once both winds are out (§2.5)."""
    calm = int(game.deck[CALM])
    east = int(game.deck[EAST_WIND])
    west = int(game.deck[WEST_WIND])
    for i in range(game.revealed, MATCHES):
        rng_state = next_rng_state(rng_state)
        ticket = below(rng_state, calm + east + west)
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


@jitable
def resample(game: State, seat: int, seed: int) -> None:
    """Redraw everything that `seat` does not know, using only what it does know (§4)."""
    draw_events(game, stream(seed, HIDDEN_EVENTS))
    _deal_unseen_specials(game, seat, stream(seed, HIDDEN_SPECIALS))
    if game.phase != OVER:
        _redraw_picks(game, seat, stream(seed, HIDDEN_PICKS))
        if game.actor != seat:
            game.legal = legal_set(game, game.actor)


@jitable
def _deal_unseen_specials(game: State, seat: int, rng_state: int) -> None:
    """Deal the special cards that `seat` has not seen to the other seats that have not played theirs."""
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
        rng_state = next_rng_state(rng_state)
        ticket = below(rng_state, ideas + orders + heavies)
        if ticket < ideas:
            ideas -= 1
            game.special[other] = IDEA
        elif ticket < ideas + orders:
            orders -= 1
            game.special[other] = ORDER
        else:
            heavies -= 1
            game.special[other] = HEAVY


@jitable
def _redraw_picks(game: State, seat: int, rng_state: int) -> None:
    """Redraw the picks of the other seats from their possible hands; a seat with a single card keeps its pick."""
    for other in range(game.actor):
        if other != seat and game.pick[other] > 0:
            rng_state = next_rng_state(rng_state)
            game.pick[other] = sample_action(legal_set(game, other), rng_state) + 1
