"""The course of a game: who decides what, and what follows from each action (§4, §5).

A game waits at a decision, given by its phase and its actor. `apply` carries out an action, then `advance` plays on to
the next decision with more than one legal action, making forced choices on the way (§8). Nothing here is random:
`deal` has drawn everything.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.bits import bit, first_of, size_of
from olb_env.core.compiling import jitable
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
from olb_env.old_london_bridge.legal_actions import (
    ONLY_DONE,
    after_actions,
    boost_actions,
    lady_actions,
    legal_set,
)
from olb_env.old_london_bridge.mechanics import (
    bonus_left,
    build,
    fits_after_last,
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


@jitable
def legal(game: State, mask: Any) -> int:
    """Write the mask of legal actions and return how many there are."""
    actions = game.legal
    for action in range(ACTION_COUNT):
        mask[action] = (actions >> action) & 1
    return size_of(actions)


@jitable
def random_action(game: State, rng_state: int) -> int:
    """Draw a legal action, all equally likely."""
    actions = game.legal
    for _ in range(below(rng_state, size_of(actions))):
        actions &= actions - 1
    return first_of(actions)


@jitable
def apply(game: State, action: int) -> bool:
    """Carry out an action and advance to the next decision; return False and change nothing if it is illegal."""
    if action < 0 or action >= ACTION_COUNT or game.legal & bit(action) == 0:
        return False
    perform(game, action)
    advance(game)
    return True


@jitable
def actor(game: State) -> int:
    """Return the seat to act, or -1 when the game is over."""
    return int(game.actor)


@jitable
def secret(game: State) -> int:
    """Return the number of the reveal that the next action waits for, or 0 if the action is public.

    Cards are picked face down, and all cards of a round are revealed together (§4.3).
    """
    return int(game.round_number) if game.phase == PLAY else 0


@jitable
def advance(game: State) -> None:
    """Play on until a decision has more than one legal action, or the game is over."""
    while game.phase != OVER:
        actions = legal_set(game)
        if actions & (actions - 1) != 0:
            game.legal = actions
            return
        perform(game, first_of(actions))
    game.legal = 0


@jitable
def perform(game: State, action: int) -> None:
    """Carry out a legal action of the current phase, without advancing."""
    phase = game.phase
    if phase == PLAY:
        pick_card(game, action - PLAY_CARD)
    elif phase == PLACE:
        perform_place(game, action)
    elif phase == AFTER:
        perform_after(game, action)
    elif phase == LADY_PHASE:
        perform_lady(game, action)
    elif phase == BOOST_PHASE:
        perform_boost(game, action)
    elif phase == HIRE:
        perform_hire(game, action)
    elif phase == REPLACE:
        finish_building(game, action - REPLACE_SPACE)
    elif phase == BONUS:
        take_bonus(game, game.actor, action - TAKE_BONUS)
        collect_bonus(game, game.table.bonus_due - 1)


# A round, §4


@jitable
def begin_round(game: State) -> None:
    """Reveal the next marker and turn the rondel by it (§4.1)."""
    marker = game.hidden.marker[game.round_number]
    game.round_number += 1
    game.table.rounds_left = ROUNDS[game.players] - game.round_number
    game.table.markers_left[marker - 1] -= 1
    turn_rondel(game, marker)
    game.phase = LADY_PHASE
    game.turn = 0
    offer_lady(game)


@jitable
def offer_lady(game: State) -> None:
    """Offer ladies in chapel order, from place `turn` on (§4.2, A8); then all pick cards."""
    while game.turn < game.players:
        game.actor = game.order[game.turn]
        if lady_actions(game) != ONLY_DONE:
            return
        game.turn += 1
    game.phase = PLAY
    game.turn = 0
    game.actor = game.order[0]


@jitable
def perform_lady(game: State, action: int) -> None:
    """Use a lady to take a 2 from the supply, or go on to the next player (§4.2)."""
    if action == DONE:
        game.turn += 1
    else:
        spend(game, game.actor, LADY)
        game.table.supply[2] -= 1
        game.seats[game.actor].hand[2] += 1
    offer_lady(game)


@jitable
def pick_card(game: State, value: int) -> None:
    """Note a card that the actor has picked; it stays in hand, unseen by the others, until all have picked (§4.3)."""
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


@jitable
def reveal(game: State) -> None:
    """Show all picked cards together and pay for the highest (§4.3, §4.4)."""
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


@jitable
def offer_boost(game: State) -> None:
    """Offer boosts in chapel order, from place `turn` on (§4.5, A8); then the turns are ordered."""
    while game.turn < game.players:
        game.actor = game.order[game.turn]
        if boost_actions(game) != ONLY_DONE:
            return
        game.turn += 1
    order_turns(game)


@jitable
def perform_boost(game: State, action: int) -> None:
    """Use a boost to add 1 to a card, or go on to the next player (§4.5)."""
    if action == DONE:
        game.turn += 1
    else:
        spend(game, game.actor, BOOST)
        game.seats[game.actor].boost[1 if action == BOOST_LOW else 0] += 1
    offer_boost(game)


@jitable
def order_turns(game: State) -> None:
    """Order the turns by boosted value, then by chapel order, and begin the first (§4.6).

    Of two equal cards of one player, the one that was higher as played comes first.
    """
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


@jitable
def _value_of(game: State, at: int) -> int:
    """Return the boosted value of the card at a place in the order of turns."""
    player = game.seats[game.turn_seat[at]]
    return int(player.card[game.turn_card[at]]) + int(player.boost[game.turn_card[at]])


@jitable
def end_round(game: State) -> None:
    """Pay for the round, clear the table, and begin the next round or end the game (§4.8)."""
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


@jitable
def begin_turn(game: State) -> None:
    """Begin the next turn (§4.7): its card goes back to the supply, a zero into its owner's hand (§5.1)."""
    seat = game.turn_seat[game.turn]
    player = game.seats[seat]
    card = player.card[game.turn_card[game.turn]] - 1
    if card == 0:
        player.hand[0] += 1
    else:
        game.table.supply[card] += 1
    game.actor = seat
    game.phase = PLACE


@jitable
def end_turn(game: State) -> None:
    """End a turn; the next card in order has its turn, or the round ends (§4.7)."""
    player = game.seats[game.actor]
    player.queue[game.turn_card[game.turn]] = 0
    game.table.recalled = 0
    game.turn += 1
    if game.turn == TURNS[game.players]:
        end_round(game)
    else:
        begin_turn(game)


@jitable
def perform_place(game: State, action: int) -> None:
    """Place the pawn, use a tile before that, or pass (§5.2, §5.4, §5.5)."""
    seat = game.actor
    if action == DONE:
        end_turn(game)  # §5.5: without a placement the turn passes (A12)
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


@jitable
def visit(game: State, space: int, kind: int) -> None:
    """Place the pawn and take a building; build it at once, or let the player choose which one it replaces (§5.3)."""
    for opener in range(3):
        game.table.used[opener] = 0
    move_pawn(game, game.actor, space)
    take_building(game, kind)
    if fits_after_last(game, game.actor):
        finish_building(game, game.seats[game.actor].built)
    else:
        game.phase = REPLACE


@jitable
def finish_building(game: State, space: int) -> None:
    """Build the new building on a space and resolve its effect (§6.2)."""
    seat = game.actor
    kind = game.tile_kind
    power = build(game, seat, space)
    if kind == INN:
        game.table.hire_power = power
        game.table.hire_highest = 4
        game.phase = HIRE
    elif kind == GATE or kind == CHAPEL:
        game.resume = AFTER
        walked = walk_chapel(game, seat, power) if kind == CHAPEL else walk_gate(game, seat, power)
        collect_bonus(game, walked)
    else:
        if kind == MERCER:
            game.money[seat] += power
        offer_tiles(game)


@jitable
def offer_tiles(game: State) -> None:
    """Offer the tiles that can be used after building; without one the turn ends (§5.4)."""
    game.phase = AFTER
    if after_actions(game) == ONLY_DONE:
        end_turn(game)


@jitable
def collect_bonus(game: State, due: int) -> None:
    """Offer the bonus piles while tiles are due and any are left, then resume the turn where it was (§6.2)."""
    if due > 0 and bonus_left(game):
        game.table.bonus_due = due
        game.phase = BONUS
    else:
        game.table.bonus_due = 0
        if game.resume == AFTER:
            offer_tiles(game)
        else:
            game.phase = PLACE


@jitable
def use_track_tile(game: State, tile: int, resume: int) -> None:
    """Use a tile for two steps on a track, then resume the phase in which it was used (§5.4)."""
    seat = game.actor
    spend(game, seat, tile)
    game.resume = resume
    if tile == CHAPEL_TILE:
        collect_bonus(game, walk_chapel(game, seat, TRACK_TILE_STEPS))
    else:
        collect_bonus(game, walk_gate(game, seat, TRACK_TILE_STEPS))


@jitable
def perform_hire(game: State, action: int) -> None:
    """Hire a card from the supply at the inn, or stop hiring (§6.2)."""
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


@jitable
def perform_after(game: State, action: int) -> None:
    """Use a tile after building, or end the turn (§5.4)."""
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
