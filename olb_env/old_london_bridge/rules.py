"""The course of a game: who is asked what, and what an answer sets in motion (§4, §5).

A game stands at a question: a phase and an actor. `apply` answers it, then `advance` walks on to the next
question with more than one answer, taking forced answers on the way (§8). All chance was drawn at the deal.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.bits import bit, first_of, size_of
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.rng import below
from olb_env.old_london_bridge.components import (
    BOOST,
    CENTRE,
    CENTRE_COST,
    CHAPEL,
    CHAPEL_TILE,
    EMPTY_STACKS_TO_END,
    FREE,
    GATE,
    GATE_TILE,
    INN,
    KINDS,
    LADY,
    MERCER,
    PICKS,
    RECALL,
    ROUNDS,
    SHARE,
    TILES,
    TRACK_TILE_STEPS,
    TURNS,
)
from olb_env.old_london_bridge.moves import (
    bonus_left,
    build,
    fits_behind,
    move_pawn,
    spend,
    take_bonus,
    take_building,
    turn_rondel,
    walk_chapel,
    walk_gate,
)
from olb_env.old_london_bridge.notation import (
    ACTIONS,
    BOOST_LOW,
    DONE,
    HIRE_CARD,
    PLAY_CARD,
    REPLACE_SPACE,
    TAKE_BONUS,
    TO_CENTRE,
    TO_RONDEL,
    USE_TILE,
)
from olb_env.old_london_bridge.questions import (
    NO_CHOICE,
    after_answers,
    answers,
    boost_answers,
    lady_answers,
)
from olb_env.old_london_bridge.scoring import score_end, score_reveal, score_round
from olb_env.old_london_bridge.state import (
    AFTER,
    BONUS,
    BOOST_PHASE,
    HIRE,
    LADY_PHASE,
    OVER,
    PLACE,
    PLAY,
    REPLACE,
)

K = len(KINDS)
ACTION_COUNT = len(ACTIONS)


@rule
def legal(game: State, mask: Any) -> int:
    """The answers to the question that stands, and how many they are."""
    found = game.legal
    for action in range(ACTION_COUNT):
        mask[action] = (found >> action) & 1
    return size_of(found)


@rule
def random_action(game: State, chance: int) -> int:
    """Any answer to the question that stands."""
    found = game.legal
    for _ in range(below(chance, size_of(found))):
        found &= found - 1
    return first_of(found)


@rule
def apply(game: State, action: int) -> bool:
    """Answer the question that stands; a wrong answer changes nothing."""
    if action < 0 or action >= ACTION_COUNT or game.legal & bit(action) == 0:
        return False
    answer(game, action)
    advance(game)
    return True


@rule
def actor(game: State) -> int:
    """The seat that is asked, -1 when the game is over."""
    return int(game.actor)


@rule
def secret(game: State) -> int:
    """§4.3: cards are picked face down, and all of a round revealed together."""
    return int(game.round_number) if game.phase == PLAY else 0


@rule
def advance(game: State) -> None:
    """Walk on until a question has more than one answer, or the game is over."""
    while game.phase != OVER:
        found = answers(game)
        if found & (found - 1) != 0:
            game.legal = found
            return
        answer(game, first_of(found))
    game.legal = 0


@rule
def answer(game: State, action: int) -> None:
    """What an answer does, by question."""
    phase = game.phase
    if phase == PLAY:
        pick_card(game, action - PLAY_CARD)
    elif phase == PLACE:
        answer_place(game, action)
    elif phase == AFTER:
        answer_after(game, action)
    elif phase == LADY_PHASE:
        answer_lady(game, action)
    elif phase == BOOST_PHASE:
        answer_boost(game, action)
    elif phase == HIRE:
        answer_hire(game, action)
    elif phase == REPLACE:
        finish_building(game, action - REPLACE_SPACE)
    elif phase == BONUS:
        take_bonus(game, game.actor, action - TAKE_BONUS)
        collect_bonus(game, game.table.bonus_due - 1)


# A round, §4


@rule
def begin_round(game: State) -> None:
    """§4.1: reveal a marker and turn the rondel."""
    marker = game.hidden.marker[game.round_number]
    game.round_number += 1
    game.table.rounds_left = ROUNDS[game.players] - game.round_number
    game.table.markers_left[marker - 1] -= 1
    turn_rondel(game, marker)
    game.phase = LADY_PHASE
    game.turn = 0
    offer_lady(game)


@rule
def offer_lady(game: State) -> None:
    """§4.2: from here on in chapel order, ask the first who could use a lady; then all pick cards."""
    while game.turn < game.players:
        game.actor = game.order[game.turn]
        if lady_answers(game) != NO_CHOICE:
            return
        game.turn += 1
    game.phase = PLAY
    game.turn = 0
    game.actor = game.order[0]


@rule
def answer_lady(game: State, action: int) -> None:
    """§4.2: a 2 from the supply, or no more."""
    if action == DONE:
        game.turn += 1
    else:
        spend(game, game.actor, LADY)
        game.table.supply[2] -= 1
        game.seats[game.actor].hand[2] += 1
    offer_lady(game)


@rule
def pick_card(game: State, value: int) -> None:
    """§4.3: the card stays in hand, unseen by the others, until all have picked."""
    player = game.seats[game.actor]
    if player.pick[0] == 0:
        player.pick[0] = value + 1
        if PICKS[game.players] == 2:
            return
    else:
        player.pick[1] = value + 1
    game.turn += 1
    if game.turn < game.players:
        game.actor = game.order[game.turn]
    else:
        reveal(game)


@rule
def reveal(game: State) -> None:
    """§4.3 and §4.4: all cards are shown together."""
    for seat in range(game.players):
        player = game.seats[seat]
        for i in range(PICKS[game.players]):
            player.hand[player.pick[i] - 1] -= 1
        player.card[0] = max(player.pick[0], player.pick[1])
        player.card[1] = min(player.pick[0], player.pick[1])
        player.pick[0] = 0
        player.pick[1] = 0
    score_reveal(game)
    game.phase = BOOST_PHASE
    game.turn = 0
    offer_boost(game)


@rule
def offer_boost(game: State) -> None:
    """§4.5: from here on in chapel order, ask the first who could boost; then the order stands."""
    while game.turn < game.players:
        game.actor = game.order[game.turn]
        if boost_answers(game) != NO_CHOICE:
            return
        game.turn += 1
    order_turns(game)


@rule
def answer_boost(game: State, action: int) -> None:
    """§4.5: +1 to a card, or no more."""
    if action == DONE:
        game.turn += 1
    else:
        spend(game, game.actor, BOOST)
        game.seats[game.actor].boost[1 if action == BOOST_LOW else 0] += 1
    offer_boost(game)


@rule
def order_turns(game: State) -> None:
    """§4.6: by value with boosts, then chapel order; of one player's equal cards the higher as played first."""
    count = 0
    for place in range(game.players):
        seat = game.order[place]
        player = game.seats[seat]
        for card in range(PICKS[game.players]):
            value = player.card[card] + player.boost[card]
            at = count
            while at > 0 and _value_of(game, at - 1) < value:
                game.turn_seat[at] = game.turn_seat[at - 1]
                game.turn_card[at] = game.turn_card[at - 1]
                at -= 1
            game.turn_seat[at] = seat
            game.turn_card[at] = card
            count += 1
    for at in range(count):
        game.seats[game.turn_seat[at]].queue[game.turn_card[at]] = at + 1
    game.turn = 0
    begin_turn(game)


@rule
def _value_of(game: State, at: int) -> int:
    """The value that a turn of this round was won with."""
    player = game.seats[game.turn_seat[at]]
    return int(player.card[game.turn_card[at]]) + int(player.boost[game.turn_card[at]])


@rule
def end_round(game: State) -> None:
    """§4.8."""
    score_round(game)
    for seat in range(game.players):
        player = game.seats[seat]
        for space in range(K + 1):
            player.pawn[space] = 0
        for tile in range(len(TILES)):
            player.fresh[tile] = 0
        for card in range(2):
            player.card[card] = 0
            player.boost[card] = 0
    for space in range(K + 1):
        game.table.pawns[space] = 0
    game.table.lowest = 0
    empty = 0
    for kind in range(K):
        empty += game.table.stack_left[kind] == 0
    if empty >= EMPTY_STACKS_TO_END or game.round_number == ROUNDS[game.players]:
        game.phase = OVER
        game.actor = -1
        score_end(game)
    else:
        begin_round(game)


# A turn, §5


@rule
def begin_turn(game: State) -> None:
    """§5.1: the card played goes back, a zero into its owner's hand."""
    seat = game.turn_seat[game.turn]
    player = game.seats[seat]
    card = player.card[game.turn_card[game.turn]] - 1
    if card == 0:
        player.hand[0] += 1
    else:
        game.table.supply[card] += 1
    game.actor = seat
    game.phase = PLACE


@rule
def end_turn(game: State) -> None:
    """The next card in order has its turn."""
    player = game.seats[game.actor]
    player.queue[game.turn_card[game.turn]] = 0
    game.table.recalled = 0
    game.turn += 1
    if game.turn == TURNS[game.players]:
        end_round(game)
    else:
        begin_turn(game)


@rule
def answer_place(game: State, action: int) -> None:
    """§5.2, or a tile before it."""
    seat = game.actor
    if action == DONE:
        end_turn(game)
    elif action >= USE_TILE:
        tile = action - USE_TILE
        if tile == CHAPEL_TILE or tile == GATE_TILE:
            use_track_tile(game, tile, PLACE)
        else:
            spend(game, seat, tile)
            game.table.used[tile - SHARE] = 1
    elif action >= TO_CENTRE:
        if game.table.used[FREE - SHARE] == 0:
            game.money[seat] -= CENTRE_COST
        visit(game, CENTRE, action - TO_CENTRE)
    else:
        kind = action - TO_RONDEL
        game.money[seat] += game.table.coin[kind]
        visit(game, kind, kind)


@rule
def visit(game: State, space: int, kind: int) -> None:
    """§5.3: the pawn stands, the building is taken and built, or its place is asked for."""
    for opener in range(3):
        game.table.used[opener] = 0
    move_pawn(game, game.actor, space)
    take_building(game, kind)
    if fits_behind(game, game.actor):
        finish_building(game, game.seats[game.actor].built)
    else:
        game.phase = REPLACE


@rule
def finish_building(game: State, space: int) -> None:
    """§6.2: build, then what the building brings."""
    seat = game.actor
    kind = game.tile_kind
    power = build(game, seat, space)
    if kind == INN:
        game.table.hire_power = power
        game.table.hire_highest = 4
        game.phase = HIRE
    elif kind == GATE:
        game.resume = AFTER
        collect_bonus(game, walk_gate(game, seat, power))
    else:
        if kind == CHAPEL:
            walk_chapel(game, seat, power)
        elif kind == MERCER:
            game.money[seat] += power
        offer_tiles(game)


@rule
def offer_tiles(game: State) -> None:
    """§5.4: after building, ask whoever holds a tile for it; else the turn is over."""
    game.phase = AFTER
    if after_answers(game) == NO_CHOICE:
        end_turn(game)


@rule
def collect_bonus(game: State, due: int) -> None:
    """Ask for a pile while tiles are due and there are any, then go on where the gate was walked."""
    if due > 0 and bonus_left(game):
        game.table.bonus_due = due
        game.phase = BONUS
    else:
        game.table.bonus_due = 0
        if game.resume == AFTER:
            offer_tiles(game)
        else:
            game.phase = PLACE


@rule
def use_track_tile(game: State, tile: int, resume: int) -> None:
    """§5.4: two steps on a track, then back to where the tile was used."""
    seat = game.actor
    spend(game, seat, tile)
    if tile == CHAPEL_TILE:
        walk_chapel(game, seat, TRACK_TILE_STEPS)
    else:
        game.resume = resume
        collect_bonus(game, walk_gate(game, seat, TRACK_TILE_STEPS))


@rule
def answer_hire(game: State, action: int) -> None:
    """§6.2: a card from the supply into hand, or enough."""
    table = game.table
    if action == DONE:
        table.hire_power = 0
        table.hire_highest = 0
        offer_tiles(game)
    else:
        value = action - HIRE_CARD
        table.supply[value] -= 1
        game.seats[game.actor].hand[value] += 1
        table.hire_power -= value
        table.hire_highest = value


@rule
def answer_after(game: State, action: int) -> None:
    """§5.4: tiles after building."""
    if action == DONE:
        end_turn(game)
    elif action == USE_TILE + RECALL:
        player = game.seats[game.actor]
        card = player.card[game.turn_card[game.turn]] - 1
        spend(game, game.actor, RECALL)
        game.table.supply[card] -= 1
        player.hand[card] += 1
        game.table.recalled = 1
    else:
        use_track_tile(game, action - USE_TILE, AFTER)
