"""Everything that is drawn: the deal of a game, and the redraw of what one seat does not know (§2, §9).

Each source of chance has its own stream, so that changing one (more players, other scoring) leaves the rest.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.compiling import kernel, rule
from olb_env.core.game import State, States
from olb_env.core.rawbytes import clear
from olb_env.core.rng import advance as next_state
from olb_env.core.rng import below, shuffle, stream
from olb_env.old_london_bridge.components import (
    AREAS,
    CARD_VALUES,
    CARDS,
    KINDS,
    LONGEST_TRACK,
    MARKERS,
    MOST_ROUNDS,
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
from olb_env.old_london_bridge.moves import show_top
from olb_env.old_london_bridge.questions import answers
from olb_env.old_london_bridge.rules import advance, begin_round
from olb_env.old_london_bridge.state import CODE_BASE, PLAY

K, T, P = len(KINDS), len(TILES), PILES

# Streams of a deal, and of a redraw.
STACKS, MARKER_ROW, BONUS_PILES, STAIRS, RONDEL, SCORING = range(6)
HIDDEN_STACKS, HIDDEN_MARKERS, HIDDEN_PILES, HIDDEN_PICKS = range(6, 10)


@rule
def deal(game: State, setup: Any, seed: int) -> None:
    """A new game: chance first, then everything that follows from it."""
    clear(game)
    game.players = setup.players
    game.perfect = setup.perfect
    _copy_board(game, setup)
    for kind in range(K):
        for i in range(STACK_SIZE):
            game.hidden.stack[kind, i] = setup.tile[kind, i]
    state = stream(seed, STACKS)
    for kind in range(K):
        state = shuffle(game.hidden.stack[kind], 0, STACK_SIZE, state)
    state = stream(seed, MARKER_ROW)
    _draw_markers(game, MARKERS, 0, state)
    state = stream(seed, BONUS_PILES)
    for pile in range(P):
        for tile in range(T):
            game.hidden.pile[pile, tile] = tile
        state = shuffle(game.hidden.pile[pile], 0, T, state)
    for seat in range(game.players):
        game.stairs[seat] = seat
    shuffle(game.stairs, 0, game.players, stream(seed, STAIRS))
    game.rotation = below(stream(seed, RONDEL), K)
    state = stream(seed, SCORING)
    for area in range(len(AREAS)):
        state = next_state(state)
        game.scoring[area] = setup.scoring[area]
        if setup.scoring[area] == RANDOM_SIDE:
            game.scoring[area] = 1 + below(state, OPTIONS_PER_AREA - 1)
    begin(game)


@rule
def _copy_board(game: State, setup: Any) -> None:
    for i in range(K):
        game.rondel[i] = setup.rondel[i]
        game.stack_order[i] = setup.stack_order[i]
    game.chapel_length = setup.chapel_length
    game.gate_length = setup.gate_length
    for space in range(LONGEST_TRACK + 1):
        game.chapel_coin[space] = setup.chapel_coin[space]
        game.gate_bonus[space] = setup.gate_bonus[space]


@rule
def begin(game: State) -> None:
    """Set out everything that is not chance, and walk to the first question (§2)."""
    table = game.table
    for kind in range(K):
        table.stack_left[kind] = STACK_SIZE
        show_top(game, kind)
        for i in range(STACK_SIZE):
            code = game.hidden.stack[kind, i]
            if code >= CODE_BASE:
                table.number_left[code // CODE_BASE - 1] = 1
            else:
                table.parks_left[code - 1] += 1
    for i in range(len(MARKERS)):
        table.markers_left[i] = MARKERS[i]
    for pile in range(P):
        table.pile_left[pile] = T
        for tile in range(T):
            table.pile_holds[pile, tile] = 1
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
        player.hand[stair + 1] += 1  # A7: fewer players use the first steps
        for value in range(1, CARD_VALUES):
            table.supply[value] -= player.hand[value]
    begin_round(game)
    advance(game)


@kernel
def begin_rows(games: States) -> None:
    """The same in every game [N]."""
    for row in range(games.shape[0]):
        begin(games[row])


@rule
def _draw_markers(game: State, left: Any, first: int, state: int) -> None:
    """Lay out markers for the rounds from `first` on, out of those that are left."""
    # The draw goes one by one from the counts, so that nothing but the counts can matter.
    drawn_1 = 0
    drawn_2 = 0
    drawn_3 = 0
    for i in range(first, ROUNDS[game.players]):
        total = left[0] + left[1] + left[2] - drawn_1 - drawn_2 - drawn_3
        state = next_state(state)
        ticket = below(state, total)
        if ticket < left[0] - drawn_1:
            drawn_1 += 1
            game.hidden.marker[i] = 1
        elif ticket < left[0] - drawn_1 + left[1] - drawn_2:
            drawn_2 += 1
            game.hidden.marker[i] = 2
        else:
            drawn_3 += 1
            game.hidden.marker[i] = 3
    for i in range(ROUNDS[game.players], MOST_ROUNDS):
        game.hidden.marker[i] = 0


@rule
def resample(game: State, seat: int, seed: int) -> None:
    """§9: redraw what `seat` does not know, from nothing but what it does know.

    What is hidden is put in order before it is shuffled, so that the outcome depends on the set alone.
    """
    state = stream(seed, HIDDEN_STACKS)
    for kind in range(K):
        first = STACK_SIZE - game.table.stack_left[kind] + 1  # below the top
        if first < STACK_SIZE:
            sort(game.hidden.stack[kind], first, STACK_SIZE)
            state = shuffle(game.hidden.stack[kind], first, STACK_SIZE, state)
    _draw_markers(game, game.table.markers_left, game.round_number, stream(seed, HIDDEN_MARKERS))
    state = stream(seed, HIDDEN_PILES)
    for pile in range(P):
        first = T - game.table.pile_left[pile] + 1
        if first < T:
            sort(game.hidden.pile[pile], first, T)
            state = shuffle(game.hidden.pile[pile], first, T, state)
    if game.phase == PLAY:
        _redraw_picks(game, seat, stream(seed, HIDDEN_PICKS))


@rule
def sort(items: Any, first: int, last: int) -> None:
    """Put some of the items in order, the smallest first."""
    for i in range(first + 1, last):
        held = items[i]
        at = i
        while at > first and items[at - 1] > held:
            items[at] = items[at - 1]
            at -= 1
        items[at] = held


@rule
def _redraw_picks(game: State, seat: int, state: int) -> None:
    """Other cards for the others, from what they hold; a question that stands must stay one (§8)."""
    for i in range(game.turn + 1):
        other = game.order[i]
        player = game.seats[other]
        if other == seat:
            continue
        picked = (1 if player.pick[0] > 0 else 0) if i == game.turn else PICKS[game.players]
        player.pick[0] = 0
        player.pick[1] = 0
        if picked > 0:
            state = next_state(state)
            # Whoever is still asked for a second card has a choice; whoever is done has picked all its cards.
            player.pick[0] = _draw_card(player, state, 2 if i == game.turn else PICKS[game.players] - 1)
        if picked > 1:
            state = next_state(state)
            player.pick[1] = _draw_card(player, state, 0)
    if game.actor != seat:
        game.legal = answers(game)


@rule
def _draw_card(player: State, state: int, values_after: int) -> int:
    """A pick (value + 1) out of the hand, each value equally likely that leaves enough different ones."""
    kinds = 0
    for value in range(CARD_VALUES):
        kinds += _may_draw(player, value, values_after)
    ticket = below(state, kinds)
    for value in range(CARD_VALUES):
        if _may_draw(player, value, values_after):
            if ticket == 0:
                return value + 1
            ticket -= 1
    return 0


@rule
def _may_draw(player: State, value: int, values_after: int) -> bool:
    """Whether this card is in hand, a first pick apart, and its removal leaves so many different values."""
    if player.hand[value] - (player.pick[0] == value + 1) <= 0:
        return False
    after = 0
    for other in range(CARD_VALUES):
        left = player.hand[other] - (other == value) - (player.pick[0] == other + 1)
        after += left > 0
    return after >= values_after
