"""All randomness of the game: the deal, and the resampling of what one seat does not know (§2, §9).

Each source of randomness has its own random stream, so that a change to one of them, such as more players or another
scoring, leaves the others as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import jitable, kernel
from olb_env.core.game import State, States
from olb_env.core.rawbytes import clear, copy_bytes
from olb_env.core.rng import below, next_rng_state, shuffle, stream
from olb_env.old_london_bridge.components import (
    AREAS,
    CARD_VALUES,
    CARDS,
    CENTRE,
    CENTRE_COST,
    KINDS,
    MARKERS,
    MAX_ROUNDS,
    MERCER,
    NO_CREST,
    OPTIONS_PER_AREA,
    PICKS,
    PILES,
    RANDOM_SIDE,
    ROUNDS,
    STACK_SIZE,
    START_MONEY,
    TILES,
    ZEROS,
)
from olb_env.old_london_bridge.legal_actions import legal_set
from olb_env.old_london_bridge.mechanics import show_top, track_pays
from olb_env.old_london_bridge.rules import advance, begin_round
from olb_env.old_london_bridge.state import CODE_BASE, OVER, PLACE, PLAY

K, T, P = len(KINDS), len(TILES), PILES

# Random streams of a deal and of `resample`.
STACKS, MARKER_ROW, BONUS_PILES, STAIRS, RONDEL, SCORING = range(6)
HIDDEN_STACKS, HIDDEN_MARKERS, HIDDEN_PILES, HIDDEN_PICKS, HIDDEN_HANDS, HIDDEN_MONEY = range(6, 12)


@jitable
def deal(game: State, setup: Any, seed: int) -> None:
    """Deal a new game: draw everything random, then set up the rest."""
    clear(game)
    game.players = setup.players
    game.perfect = setup.perfect
    _copy_board(game, setup)
    # §2.1: shuffle the stacks, the round markers and the bonus piles.
    for kind in range(K):
        for i in range(STACK_SIZE):
            game.hidden.stack[kind, i] = setup.tile[kind, i]
    rng_state = stream(seed, STACKS)
    for kind in range(K):
        rng_state = shuffle(game.hidden.stack[kind], 0, STACK_SIZE, rng_state)
    rng_state = stream(seed, MARKER_ROW)
    _draw_markers(game, MARKERS, 0, rng_state)
    rng_state = stream(seed, BONUS_PILES)
    for pile in range(P):
        for tile in range(T):
            game.hidden.pile[pile, tile] = setup.pile[pile, tile]
        rng_state = shuffle(game.hidden.pile[pile], 0, T, rng_state)
    # §2.3: the seats begin on the stairs in random order.
    for seat in range(game.players):
        game.stairs[seat] = seat
    shuffle(game.stairs, 0, game.players, stream(seed, STAIRS))
    # §2.2: the rondel starts in one of its six positions (A12).
    game.rotation = below(stream(seed, RONDEL), K)
    # §2.5: draw a tile side for each area that asks for one.
    rng_state = stream(seed, SCORING)
    for area in range(len(AREAS)):
        rng_state = next_rng_state(rng_state)
        game.scoring[area] = setup.scoring[area]
        if setup.scoring[area] == RANDOM_SIDE:
            game.scoring[area] = 1 + below(rng_state, OPTIONS_PER_AREA - 1)
    begin_game(game)


@jitable
def _copy_board(game: State, setup: Any) -> None:
    for i in range(K):
        game.rondel[i] = setup.rondel[i]
        game.stack_order[i] = setup.stack_order[i]
    copy_bytes(setup.board, game.board)


@jitable
def begin_game(game: State) -> None:
    """Set up everything that is not random, and advance to the first decision (§2)."""
    table = game.table
    for kind in range(K):
        table.stack_left[kind] = STACK_SIZE
        show_top(game, kind)
        for i in range(STACK_SIZE):
            code = game.hidden.stack[kind, i]
            if code >= CODE_BASE:
                table.number_left[code // CODE_BASE - 1] = 1
            elif code != NO_CREST:
                table.parks_left[code - 1] += 1
    for i in range(len(MARKERS)):
        table.markers_left[i] = MARKERS[i]
    for pile in range(P):
        table.pile_left[pile] = T
        for tile in range(T):
            table.pile_holds[pile, game.hidden.pile[pile, tile]] += 1
    for value in range(CARD_VALUES):
        table.supply[value] = CARDS[value]
    for stair in range(game.players):
        seat = game.stairs[stair]
        game.order[stair] = seat
        game.money[seat] = START_MONEY
        player = game.seats[seat]
        player.present = 1
        player.standing = stair
        player.hand[0] = ZEROS[game.players]
        for value in range(1, CARD_VALUES):
            player.hand[value] = 1
        player.hand[stair + 1] += 1  # §2.4; fewer players use the first stairs (A7)
        for value in range(1, CARD_VALUES):
            table.supply[value] -= player.hand[value]
    begin_round(game)
    advance(game)


@kernel
def begin_games(games: States) -> None:
    """Call `begin_game` for every game [N]."""
    for row in range(games.shape[0]):
        begin_game(games[row])


@jitable
def _draw_markers(game: State, left: Any, first: int, rng_state: int) -> None:
    """Draw the markers of the rounds from index `first` on, out of those that are left."""
    # They are drawn one by one from the counts, so that the result depends on nothing but the counts.
    drawn_1 = 0
    drawn_2 = 0
    drawn_3 = 0
    for i in range(first, ROUNDS[game.players]):
        total = left[0] + left[1] + left[2] - drawn_1 - drawn_2 - drawn_3
        rng_state = next_rng_state(rng_state)
        ticket = below(rng_state, total)
        if ticket < left[0] - drawn_1:
            drawn_1 += 1
            game.hidden.marker[i] = 1
        elif ticket < left[0] - drawn_1 + left[1] - drawn_2:
            drawn_2 += 1
            game.hidden.marker[i] = 2
        else:
            drawn_3 += 1
            game.hidden.marker[i] = 3
    for i in range(ROUNDS[game.players], MAX_ROUNDS):
        game.hidden.marker[i] = 0


@jitable
def resample(game: State, seat: int, seed: int) -> None:
    """Redraw everything that `seat` does not know, using only what it does know (§9).

    Hidden tiles are sorted before they are shuffled, so that the result does not depend on their true order. A seat
    that does not remember the money and hands of the others gets others of them.
    """
    rng_state = stream(seed, HIDDEN_STACKS)
    for kind in range(K):
        first = STACK_SIZE - game.table.stack_left[kind] + 1  # the top tile is known
        if first < STACK_SIZE:
            sort(game.hidden.stack[kind], first, STACK_SIZE)
            rng_state = shuffle(game.hidden.stack[kind], first, STACK_SIZE, rng_state)
    _draw_markers(game, game.table.markers_left, game.round_number, stream(seed, HIDDEN_MARKERS))
    rng_state = stream(seed, HIDDEN_PILES)
    for pile in range(P):
        first = T - game.table.pile_left[pile] + 1
        if first < T:
            sort(game.hidden.pile[pile], first, T)
            rng_state = shuffle(game.hidden.pile[pile], first, T, rng_state)
    if game.phase == OVER:
        return
    if not game.perfect:
        _redraw_hands(game, seat, stream(seed, HIDDEN_HANDS))
        _redraw_money(game, seat, stream(seed, HIDDEN_MONEY))
    if game.phase == PLAY:
        _redraw_picks(game, seat, stream(seed, HIDDEN_PICKS))
    if game.actor != seat and (game.phase == PLAY or not game.perfect):
        _restore_choice(game)


@jitable
def _redraw_hands(game: State, seat: int, rng_state: int) -> None:
    """Deal the cards of the other hands anew, as many to each as before; everybody knows where the zeros are."""
    total = 0
    pool = np.zeros(CARD_VALUES, np.int64)
    for other in range(game.players):
        for value in range(1, CARD_VALUES):
            if other != seat:
                pool[value] += int(game.seats[other].hand[value])
                total += int(game.seats[other].hand[value])
    for other in range(game.players):
        if other == seat:
            continue
        hand = game.seats[other].hand
        count = 0
        for value in range(1, CARD_VALUES):
            count += int(hand[value])
            hand[value] = 0
        for _ in range(count):
            rng_state = next_rng_state(rng_state)
            ticket = below(rng_state, total)
            value = 1
            while ticket >= pool[value]:
                ticket -= pool[value]
                value += 1
            pool[value] -= 1
            total -= 1
            hand[value] += 1


@jitable
def _redraw_money(game: State, seat: int, rng_state: int) -> None:
    """Estimate the money of the others from what the table shows: tracks, mercers, and how often they placed a pawn."""
    for other in range(game.players):
        if other == seat:
            continue
        player = game.seats[other]
        pounds = (
            START_MONEY + track_pays(game.board.chapel, 0, player.chapel) + track_pays(game.board.gate, 0, player.gate)
        )
        for space in range(player.built):
            if player.bridge_kind[space] == MERCER + 1:
                rng_state = next_rng_state(rng_state)
                pounds += 1 + below(rng_state, int(player.power[player.bridge_crest[space] - 1]))
        for _ in range(turns_taken(game, other)):
            rng_state = next_rng_state(rng_state)
            space = below(rng_state, K + 1)
            pounds += -CENTRE_COST if space == CENTRE else max(int(game.rondel[space]), 0)
        game.money[other] = max(pounds, 0)


@jitable
def turns_taken(game: State, seat: int) -> int:
    """Return how many turns a seat has begun so far."""
    turns = PICKS[game.players] * (int(game.round_number) - 1)
    if game.phase >= PLACE:
        for at in range(game.turn):
            turns += game.turn_seat[at] == seat
    return turns


@jitable
def _restore_choice(game: State) -> None:
    """Find the legal actions of another seat anew; its decision must keep a choice (§8), which may depend on money."""
    game.legal = legal_set(game)
    for pounds in (CENTRE_COST, 0):
        if game.legal & (game.legal - 1) == 0:
            game.money[game.actor] = pounds
            game.legal = legal_set(game)


@jitable
def sort(items: Any, first: int, last: int) -> None:
    """Sort items[first:last] in place, the smallest first."""
    for i in range(first + 1, last):
        held = items[i]
        at = i
        while at > first and items[at - 1] > held:
            items[at] = items[at - 1]
            at -= 1
        items[at] = held


@jitable
def _redraw_picks(game: State, seat: int, rng_state: int) -> None:
    """Redraw the picks of the other seats from their hands; the current decision must keep a choice (§8)."""
    for i in range(game.turn + 1):
        other = game.order[i]
        player = game.seats[other]
        if other == seat:
            continue
        picked = (1 if player.pick[0] > 0 else 0) if i == game.turn else PICKS[game.players]
        player.pick[0] = 0
        player.pick[1] = 0
        if picked > 0:
            rng_state = next_rng_state(rng_state)
            # The actor still has a choice of its second card; those before it have picked all their cards.
            player.pick[0] = _draw_card(player, rng_state, 2 if i == game.turn else PICKS[game.players] - 1)
        if picked > 1:
            rng_state = next_rng_state(rng_state)
            player.pick[1] = _draw_card(player, rng_state, 0)


@jitable
def _draw_card(player: State, rng_state: int, values_after: int) -> int:
    """Draw a pick (value + 1) from a hand: all values equally likely that leave enough different values."""
    kinds = 0
    for value in range(CARD_VALUES):
        kinds += _may_draw(player, value, values_after)
    ticket = below(rng_state, kinds)
    for value in range(CARD_VALUES):
        if _may_draw(player, value, values_after):
            if ticket == 0:
                return value + 1
            ticket -= 1
    return 0


@jitable
def _may_draw(player: State, value: int, values_after: int) -> bool:
    """Return whether a card is in hand besides a first pick, and leaves so many different values in it."""
    if player.hand[value] - (player.pick[0] == value + 1) <= 0:
        return False
    after = 0
    for other in range(CARD_VALUES):
        left = player.hand[other] - (other == value) - (player.pick[0] == other + 1)
        after += left > 0
    return after >= values_after
