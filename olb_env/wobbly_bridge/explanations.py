"""Short texts that tell a player what each card would bring.

They use only what that player can know: the numbers on the card, the special cards that others may still play, and,
when all other cards are open, where the card would lead.
"""

from __future__ import annotations

import numpy as np

from olb_env.core.game import State
from olb_env.wobbly_bridge.components import (
    CARDS,
    GREENS,
    HEAVY,
    IDEA,
    LONE_SPECIALS,
    NORMALS,
    ORDER,
    ORDER_OWNER,
    ORDERED,
    REDS,
    WEIGHED_DOWN,
)
from olb_env.wobbly_bridge.movement import move_explorers
from olb_env.wobbly_bridge.rules import choose, replace_ideas
from olb_env.wobbly_bridge.state import PICK


def explain(game: State, action: int) -> str:
    """Return what an action would bring the acting seat."""
    seat = int(game.actor)
    if action < NORMALS:
        numbers = f"green {GREENS[action]}, red {REDS[action]}"
        if int(game.phase) == PICK:
            return numbers
        return f"{numbers}; {_way(game, seat, action)}" if int(game.ideas) == 1 else f"{numbers}; gain a careful"
    if action == IDEA:
        alone = " if nobody else plays idea" if _may_be_played(game, seat, IDEA) else ""
        return f"play another card after seeing the others'{alone}; gain a careful"
    if action == ORDER:
        return f"{-ORDER_OWNER} west, highest red {ORDERED} east{_unless(game, seat, HEAVY)}"
    return f"highest green and red {WEIGHED_DOWN} east{_unless(game, seat, ORDER)}"


def _may_be_played(game: State, seat: int, card: int) -> bool:
    """Return whether, as far as a seat knows, another seat may play this special card now."""
    players = range(int(game.players))
    seen = [other for other in players if other == seat or not game.seats[other].holds_special]
    known = sum(int(game.special[other]) == card for other in seen)
    return known < (len(players) - LONE_SPECIALS if card == IDEA else 1)


def _unless(game: State, seat: int, card: int) -> str:
    return f", unless {CARDS[card]} is played too" if _may_be_played(game, seat, card) else ""


def _way(game: State, seat: int, card: int) -> str:
    """Return where a card would lead a seat, given that all other cards are open."""
    after = np.zeros(1, game.dtype)
    after[0] = game
    choose(after[0], card)
    replace_ideas(after[0])
    move_explorers(after[0])
    before, space = int(game.seats[seat].space), int(after[0].seats[seat].space)
    if space == before:
        return f"stays on {space}"
    return f"{abs(space - before)} {'west' if space < before else 'east'}, to {space}"


def private(game: State, seat: int) -> str:
    """Return a sentence about the special card that a seat holds unseen, or an empty text."""
    return f"Only you know that you hold {CARDS[int(game.special[seat])]}." if game.seats[seat].holds_special else ""
