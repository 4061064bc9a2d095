"""The legal actions of every kind of decision, as a set of bits: bit a stands for action a (§8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.bits import Bits, bit
from olb_env.core.compiling import jitable
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
from olb_env.old_london_bridge.mechanics import can_replace, usable
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
# The tiles that open a space, and the bit of each in a set of them.
OPENERS = (SHARE, FREE, CROSS)
SHARED, FREED, CROSSED = 1, 2, 4
ONLY_DONE = 1 << DONE


@jitable
def legal_set(game: State) -> Bits:
    """Return the legal actions of the current decision; never empty while the game is on."""
    phase = game.phase
    if phase == PLACE:
        return place_actions(game)
    if phase == PLAY:
        return play_actions(game)
    if phase == AFTER:
        return after_actions(game)
    if phase == LADY_PHASE:
        return lady_actions(game)
    if phase == BOOST_PHASE:
        return boost_actions(game)
    if phase == HIRE:
        return hire_actions(game)
    if phase == REPLACE:
        return replace_actions(game)
    if phase == BONUS:
        return bonus_actions(game)
    return 0


@jitable
def lady_actions(game: State) -> Bits:
    """Return `done`, and a lady while a usable one is left and the supply has a 2 (§4.2)."""
    actions = bit(DONE)
    if usable(game, game.actor, LADY) and game.table.supply[2] > 0:
        actions |= bit(USE_TILE + LADY)
    return actions


@jitable
def play_actions(game: State) -> Bits:
    """Return a card of every value in hand; with two players, without the first card picked (§4.3)."""
    player = game.seats[game.actor]
    actions = np.int64(0)
    for value in range(CARD_VALUES):
        in_hand = player.hand[value] - (player.pick[0] == value + 1)
        if in_hand > 0:
            actions |= bit(PLAY_CARD + value)
    return actions


@jitable
def boost_actions(game: State) -> Bits:
    """Return `done`, and a usable boost; with two players, for the higher and for the lower card as played (§4.5)."""
    actions = bit(DONE)
    if usable(game, game.actor, BOOST):
        actions |= bit(USE_TILE + BOOST)
        if PICKS[game.players] == 2:
            actions |= bit(BOOST_LOW)
    return actions


@jitable
def place_actions(game: State) -> Bits:
    """Return the spaces that need exactly the tiles used so far, and the tiles that lead to a space (§5.2, §5.4)."""
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
    actions = np.int64(0)
    missing = np.int64(0)  # tiles that would open a space
    stacks = np.int64(0)  # stacks with a building left
    for kind in range(K):
        left = table.stack_left[kind] > 0
        stacks |= np.int64(left) << kind
        # A player's own pawn is on the rondel only in the second turn of a game for two: it must move elsewhere.
        free_to_go = left & (player.pawn[kind] == 0)
        need = CROSSED * np.int64(table.crossed[kind]) + SHARED * np.int64(table.pawns[kind] > 0)
        actions |= np.int64(free_to_go & (need == used)) << (TO_RONDEL + kind)
        if held and free_to_go:
            missing |= missing_tiles(need, used, held)
    if stacks and not player.pawn[CENTRE]:
        need = SHARED * np.int64(table.pawns[CENTRE] > 0)
        if game.money[seat] >= CENTRE_COST:
            if need == used:
                actions |= stacks << TO_CENTRE
            missing |= missing_tiles(need, used, held)
        if need | FREED == used:
            actions |= stacks << TO_CENTRE
        missing |= missing_tiles(need | FREED, used, held)
    # §5.5: a player who cannot place the pawn passes (A12), but not after using a tile for the placement.
    if actions == 0 and used == 0:
        actions |= bit(DONE)
    return actions | missing << (USE_TILE + SHARE) | track_tile_actions(game)


@jitable
def missing_tiles(need: Any, used: int, held: int) -> Any:
    """Return the tiles still to be used for a space with some `need`.

    None if a tile has been used that the space does not need, or if a missing one is not held.
    """
    return need & ~used if need & used == used and need & ~(used | held) == 0 else 0


@jitable
def track_tile_actions(game: State) -> Bits:
    """Return the usable tiles of each track whose end has not been reached (§5.4)."""
    seat = game.actor
    player = game.seats[seat]
    actions = np.int64(0)
    if usable(game, seat, CHAPEL_TILE) and player.chapel < game.board.chapel.length:
        actions |= bit(USE_TILE + CHAPEL_TILE)
    if usable(game, seat, GATE_TILE) and player.gate < game.board.gate.length:
        actions |= bit(USE_TILE + GATE_TILE)
    return actions


@jitable
def replace_actions(game: State) -> Bits:
    """Return every building that the new one can replace (§6.1)."""
    seat = game.actor
    actions = np.int64(0)
    for space in range(game.seats[seat].built):
        if can_replace(game, seat, space):
            actions |= bit(REPLACE_SPACE + space)
    return actions


@jitable
def hire_actions(game: State) -> Bits:
    """Return `done`, and the cards that the inn still has power for, never higher than the one before (§6.2)."""
    table = game.table
    actions = bit(DONE)
    for value in range(1, min(table.hire_highest, table.hire_power) + 1):
        if table.supply[value] > 0:
            actions |= bit(HIRE_CARD + value)
    return actions


@jitable
def bonus_actions(game: State) -> Bits:
    """Return every pile that has a tile (§6.2)."""
    actions = np.int64(0)
    for pile in range(PILES):
        if game.table.pile_left[pile] > 0:
            actions |= bit(TAKE_BONUS + pile)
    return actions


@jitable
def after_actions(game: State) -> Bits:
    """Return `done`, and the tiles that can be used after building (§5.4)."""
    seat = game.actor
    actions = bit(DONE) | track_tile_actions(game)
    card = game.seats[seat].card[game.turn_card[game.turn]] - 1
    if card > 0 and usable(game, seat, RECALL) and game.table.recalled == 0 and game.table.supply[card] > 0:
        actions |= bit(USE_TILE + RECALL)
    return actions
