"""Whether a state could have come from a game: the cards played and the events revealed are played through again.

Machine code trusts states, so those from outside are checked first. The checks run in this order because each relies on
what those before it have found.
"""

from __future__ import annotations

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.rawbytes import bytes_of
from olb_env.wobbly_bridge.components import (
    CALM,
    CARDS,
    CAREFUL,
    EAST_END,
    EAST_WIND,
    EVENT_AT_END,
    EVENT_DECK,
    EVENTS,
    IDEA,
    LONE_SPECIALS,
    MATCHES,
    MAX_PLAYERS,
    NORMALS,
    PLAYERS,
    SPECIALS,
    START,
    WEST_END,
    WEST_WIND,
)
from olb_env.wobbly_bridge.legal_actions import SIZE_OF, legal_set
from olb_env.wobbly_bridge.movement import blow, end_reached, move_explorers
from olb_env.wobbly_bridge.state import OVER, PICK, REPLACE, SEAT, R

SEAT_BYTES = SEAT.itemsize
CARD_COUNT = len(CARDS)


@jitable
def possible(game: State) -> bool:
    """Return whether a state could have come from a game."""
    return bool(
        _setting_is_possible(game)
        and _specials_are_possible(game)
        and _events_are_possible(game)
        and _cards_are_possible(game)
        and _explorers_are_where_they_walked(game)
        and _picks_are_possible(game)
    )


@jitable
def _setting_is_possible(game: State) -> bool:
    if not min(PLAYERS) <= game.players <= max(PLAYERS) or not 0 <= game.phase <= OVER:
        return False
    for ruling in range(R):
        if not 0 <= game.rulings[ruling] <= 1:
            return False
    if not 1 <= game.match_number <= MATCHES:
        return False
    for seat in range(MAX_PLAYERS):
        player = game.seats[seat]
        if seat < game.players:
            if player.present != 1 or not WEST_END <= player.space <= EAST_END:
                return False
        else:
            block = bytes_of(player, SEAT_BYTES)
            for i in range(SEAT_BYTES):
                if block[i] != 0:
                    return False
            if game.special[seat] != 0 or game.pick[seat] != 0:
                return False
            for match in range(MATCHES):
                if game.played[match, seat] != 0 or game.instead[match, seat] != 0:
                    return False
    return bool(game.actor == -1 if game.phase == OVER else 0 <= game.actor < game.players)


@jitable
def _specials_are_possible(game: State) -> bool:
    """Check that one seat got the order, one the heavy, and every other an idea (§1)."""
    for special in range(NORMALS, NORMALS + SPECIALS):
        count = 0
        for seat in range(game.players):
            count += game.special[seat] == special
        if count != (int(game.players) - LONE_SPECIALS if special == IDEA else 1):
            return False
    return True


@jitable
def _events_are_possible(game: State) -> bool:
    """Check that the deck could show these events in this order, and holds what is left of it (§2.5)."""
    least = int(game.match_number) - 1
    if not least <= game.revealed <= (least + 1 if game.phase == OVER else least):
        return False
    deck = np.array(EVENT_DECK, np.int64)
    for i in range(MATCHES + 1):
        if i == game.revealed:
            for event in range(len(EVENTS)):
                if game.deck[event] != deck[event]:
                    return False
        if i == MATCHES:
            break
        event = int(game.event[i])
        if not CALM <= event < len(EVENTS) or deck[event] == 0:
            return False
        deck[event] -= 1
        if deck[EAST_WIND] == 0 and deck[WEST_WIND] == 0:
            deck[:] = EVENT_DECK
    return True


@jitable
def _cards_are_possible(game: State) -> bool:
    """Check that every card played was in its hand then, and that the hands are what is left (§2.1, §2.2)."""
    now = int(game.match_number) - 1
    hand = np.zeros(NORMALS, np.int64)
    ideas = 0
    for seat in range(game.players):
        player = game.seats[seat]
        hand[:] = 1
        holds_special = 1
        for match in range(MATCHES):
            card, instead = int(game.played[match, seat]) - 1, int(game.instead[match, seat]) - 1
            is_shown = match < now or (match == now and game.phase != PICK)
            if not (0 if is_shown else -1) <= card < (CARD_COUNT if is_shown else 0):
                return False
            if card >= NORMALS:
                if card != game.special[seat] or holds_special == 0:
                    return False
                holds_special = 0
            elif card >= 0:
                if hand[card] == 0:
                    return False
                hand[card] -= 1
            ideas += match == now and card == IDEA
            is_replaced = card == IDEA and (match < now or game.phase == OVER) and hand.sum() > 0
            if not (0 if is_replaced else -1) <= instead < (NORMALS if is_replaced else 0):
                return False
            if instead >= 0:
                if hand[instead] == 0:
                    return False
                hand[instead] -= 1
                hand[CAREFUL] += 1
        for card in range(NORMALS):
            if player.hand[card] != hand[card]:
                return False
        if player.holds_special != holds_special:
            return False
    return bool(game.ideas == ideas and (ideas > 0 or game.phase != REPLACE))


@jitable
def _explorers_are_where_they_walked(game: State) -> bool:
    """Play the matches through, and check that they lead here and that none before the last one ended the game."""
    spaces = np.zeros(MAX_PLAYERS, np.int64)
    for seat in range(game.players):
        spaces[seat] = game.seats[seat].space
        game.seats[seat].space = START
    matches = int(game.match_number)
    finished = matches if game.phase == OVER else matches - 1
    is_right = True
    for match in range(1, finished + 1):
        game.match_number = match
        move_explorers(game)
        is_last = end_reached(game) or match == MATCHES
        has_event = not end_reached(game) or game.rulings[EVENT_AT_END] == 1
        is_right = is_right and (game.revealed >= match) == has_event
        if has_event:
            blow(game, int(game.event[match - 1]))
        is_last = is_last or end_reached(game)
        is_right = is_right and is_last == (game.phase == OVER and match == matches)
    game.match_number = matches
    for seat in range(game.players):
        is_right = is_right and game.seats[seat].space == spaces[seat]
        game.seats[seat].space = spaces[seat]
    return is_right


@jitable
def _picks_are_possible(game: State) -> bool:
    """Check that those before the actor have chosen a card that they could choose, and that the actor has a choice."""
    for seat in range(game.players):
        pick = int(game.pick[seat]) - 1
        actions = 0 if game.phase == OVER else legal_set(game, seat)
        has_chosen = seat < game.actor and actions != 0
        if not (0 if has_chosen else -1) <= pick < (CARD_COUNT if has_chosen else 0):
            return False
        if pick >= 0 and actions >> pick & 1 == 0:
            return False
    if game.phase == OVER:
        return bool(game.legal == 0)
    actions = legal_set(game, game.actor)
    return bool(game.legal == actions and SIZE_OF[actions] > 1)
