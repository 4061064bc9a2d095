"""What may be answered to each question, as a set of bits: bit a stands for action a (§8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.bits import Bits, bit
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.old_london_bridge.components import (
    BOOST,
    CARD_VALUES,
    CENTRE,
    CENTRE_COST,
    CHAPEL_TILE,
    CROSS,
    FREE,
    GATE_TILE,
    KINDS,
    LADY,
    PICKS,
    PILES,
    RECALL,
    SHARE,
)
from olb_env.old_london_bridge.moves import can_replace, usable
from olb_env.old_london_bridge.notation import (
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
from olb_env.old_london_bridge.state import (
    AFTER,
    BONUS,
    BOOST_PHASE,
    HIRE,
    LADY_PHASE,
    PLACE,
    PLAY,
    REPLACE,
)

K = len(KINDS)
# The tiles that open a space, as a set of bits in the order of their ids.
SHARED, FREED, CROSSED = 1, 2, 4
OPENERS = (SHARE, FREE, CROSS)
NO_CHOICE = 1 << DONE


@rule
def answers(game: State) -> Bits:
    """Everything that may be answered to the question that stands; never empty."""
    phase = game.phase
    if phase == PLACE:
        return place_answers(game)
    if phase == PLAY:
        return play_answers(game)
    if phase == AFTER:
        return after_answers(game)
    if phase == LADY_PHASE:
        return lady_answers(game)
    if phase == BOOST_PHASE:
        return boost_answers(game)
    if phase == HIRE:
        return hire_answers(game)
    if phase == REPLACE:
        return replace_answers(game)
    if phase == BONUS:
        return bonus_answers(game)
    return 0


@rule
def lady_answers(game: State) -> Bits:
    """§4.2: while a usable lady is left and the supply has a 2."""
    found = bit(DONE)
    if usable(game, game.actor, LADY) and game.table.supply[2] > 0:
        found |= bit(USE_TILE + LADY)
    return found


@rule
def play_answers(game: State) -> Bits:
    """§4.3: any value in hand; with two players the first card picked is no longer there."""
    player = game.seats[game.actor]
    found = np.int64(0)
    for value in range(CARD_VALUES):
        in_hand = player.hand[value] - (player.pick[0] == value + 1)
        if in_hand > 0:
            found |= bit(PLAY_CARD + value)
    return found


@rule
def boost_answers(game: State) -> Bits:
    """§4.5: any number of usable boosts; with two players for the higher or the lower card as played."""
    found = bit(DONE)
    if usable(game, game.actor, BOOST):
        found |= bit(USE_TILE + BOOST)
        if PICKS[game.players] == 2:
            found |= bit(BOOST_LOW)
    return found


@rule
def place_answers(game: State) -> Bits:
    """§5.2 and §5.4: spaces that need exactly the tiles used so far, and tiles that lead to a space."""
    seat = game.actor
    table = game.table
    player = game.seats[seat]
    used = 0
    held = 0
    for i in range(3):
        if table.used[i]:
            used |= 1 << i
        elif usable(game, seat, OPENERS[i]):
            held |= 1 << i
    found = np.int64(0)
    missing = np.int64(0)  # tiles that would open a space
    stacks = np.int64(0)  # those with a building left
    for kind in range(K):
        left = table.stack_left[kind] > 0
        stacks |= np.int64(left) << kind
        # A pawn of one's own is only there with two players: the second turn goes elsewhere.
        free_to_go = left & (player.pawn[kind] == 0)
        need = CROSSED * np.int64(table.crossed[kind]) + SHARED * np.int64(table.pawns[kind] > 0)
        found |= np.int64(free_to_go & (need == used)) << (TO_RONDEL + kind)
        if held and free_to_go:
            missing |= still_missing(need, used, held)
    if stacks and not player.pawn[CENTRE]:
        need = SHARED * np.int64(table.pawns[CENTRE] > 0)
        if game.money[seat] >= CENTRE_COST:
            if need == used:
                found |= stacks << TO_CENTRE
            missing |= still_missing(need, used, held)
        if need | FREED == used:
            found |= stacks << TO_CENTRE
        missing |= still_missing(need | FREED, used, held)
    # §5.5: who finds no space may pass, but not with a tile already used.
    if found == 0 and used == 0:
        found |= bit(DONE)
    return found | missing << (USE_TILE + SHARE) | track_tiles(game)


@rule
def still_missing(need: Any, used: int, held: int) -> Any:
    """The tiles to use before a space that needs some, if those used are among them and the rest is held."""
    return need & ~used if need & used == used and need & ~(used | held) == 0 else 0


@rule
def track_tiles(game: State) -> Bits:
    """§5.4: tiles for a track whose end is not reached."""
    seat = game.actor
    player = game.seats[seat]
    found = np.int64(0)
    if usable(game, seat, CHAPEL_TILE) and player.chapel < game.chapel_length:
        found |= bit(USE_TILE + CHAPEL_TILE)
    if usable(game, seat, GATE_TILE) and player.gate < game.gate_length:
        found |= bit(USE_TILE + GATE_TILE)
    return found


@rule
def replace_answers(game: State) -> Bits:
    """§6.1: every building whose neighbours would still fit."""
    seat = game.actor
    found = np.int64(0)
    for space in range(game.seats[seat].built):
        if can_replace(game, seat, space):
            found |= bit(REPLACE_SPACE + space)
    return found


@rule
def hire_answers(game: State) -> Bits:
    """§6.2: a card the inn can still pay, not higher than the one before, or no more."""
    table = game.table
    found = bit(DONE)
    for value in range(1, min(table.hire_highest, table.hire_power) + 1):
        if table.supply[value] > 0:
            found |= bit(HIRE_CARD + value)
    return found


@rule
def bonus_answers(game: State) -> Bits:
    """§6.2: any pile that has a tile."""
    found = np.int64(0)
    for pile in range(PILES):
        if game.table.pile_left[pile] > 0:
            found |= bit(TAKE_BONUS + pile)
    return found


@rule
def after_answers(game: State) -> Bits:
    """§5.4: tiles after building, or the end of the turn."""
    seat = game.actor
    found = bit(DONE) | track_tiles(game)
    card = game.seats[seat].card[game.turn_card[game.turn]] - 1
    if card > 0 and usable(game, seat, RECALL) and game.table.recalled == 0 and game.table.supply[card] > 0:
        found |= bit(USE_TILE + RECALL)
    return found
