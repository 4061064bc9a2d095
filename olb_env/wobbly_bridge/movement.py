"""Movement on the bridge: by the cards of a match, and by the wind (§2.3, §2.5).

Nothing here knows about decisions or reads anything hidden; `rules.py` decides when explorers move.
"""

from __future__ import annotations

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.wobbly_bridge.components import (
    EAST_END,
    EAST_WIND,
    GREENS,
    HEAVY,
    IDEA,
    NORMALS,
    ORDER,
    ORDER_OWNER,
    ORDERED,
    OUT_OF_CARDS,
    REDS,
    SHARED_GREEN,
    SHARED_RED,
    SPECIAL_NUMBERS,
    STEPS_AT_ENDS,
    WEIGHED_DOWN,
    WEST_END,
    WEST_WIND,
    WIND,
)

NO_NUMBER = -1  # below every number on a card


@jitable
def card_of(game: State, seat: int) -> int:
    """Return the card that counts for a seat in this match: an idea only if nothing could replace it."""
    match = int(game.match_number) - 1
    instead = int(game.instead[match, seat])
    return (instead if instead > 0 else int(game.played[match, seat])) - 1


@jitable
def move_explorers(game: State) -> None:
    """Move all explorers at once by the cards on the table (§2.3).

    By one ruling order and heavy have zeros, which can share the highest number but do not move their owners (W1).
    """
    green = red = NO_NUMBER
    greens = reds = 0  # how many cards show the highest number
    order = heavy = False
    for seat in range(game.players):
        card = card_of(game, seat)
        if card < NORMALS:
            if GREENS[card] > green:
                green = GREENS[card]
                greens = 0
            greens += GREENS[card] == green
            if REDS[card] > red:
                red = REDS[card]
                reds = 0
            reds += REDS[card] == red
        elif card == ORDER:
            order = True
        elif card == HEAVY:
            heavy = True
    if game.rulings[SPECIAL_NUMBERS]:
        zeros = int(order) + int(heavy)
        greens += zeros * int(green == 0)
        reds += zeros * int(red == 0)
    for seat in range(game.players):
        by_green, by_red = steps(card_of(game, seat), order, heavy, green, greens, red, reds)
        if game.rulings[STEPS_AT_ENDS]:
            walk(game, seat, by_green)
            walk(game, seat, by_red)
        else:
            walk(game, seat, by_green + by_red)


@jitable
def steps(card: int, order: bool, heavy: bool, green: int, greens: int, red: int, reds: int) -> tuple[int, int]:
    """Return how far a card moves its owner to the east by its green number, and by all else; negative is west.

    `green` and `red` are the highest numbers on the table, `greens` and `reds` how many cards show them.
    """
    if card >= NORMALS:
        if card == IDEA:
            return 0, OUT_OF_CARDS
        return 0, ORDER_OWNER if card == ORDER and not heavy else 0
    highest_green = GREENS[card] == green
    highest_red = REDS[card] == red
    if order and not heavy:
        return 0, ORDERED if highest_red else 0
    if heavy and not order:
        return 0, WEIGHED_DOWN if highest_green or highest_red else 0
    by_green = by_red = 0
    if highest_green:
        by_green = -green if greens == 1 else SHARED_GREEN
    if highest_red:
        by_red = red if reds == 1 else red + SHARED_RED
    return by_green, by_red


@jitable
def walk(game: State, seat: int, east: int) -> None:
    """Move an explorer by some steps; the ends of the bridge stop it, in a wind too (W2)."""
    game.seats[seat].space = min(max(int(game.seats[seat].space) + east, WEST_END), EAST_END)


@jitable
def blow(game: State, event: int) -> None:
    """Let an event move explorers: an east wind those furthest east, a west wind those furthest west (§2.5)."""
    if event != EAST_WIND and event != WEST_WIND:
        return
    furthest = int(game.seats[0].space)
    for seat in range(1, game.players):
        space = int(game.seats[seat].space)
        furthest = max(furthest, space) if event == EAST_WIND else min(furthest, space)
    for seat in range(game.players):
        if game.seats[seat].space == furthest:
            walk(game, seat, -WIND if event == EAST_WIND else WIND)


@jitable
def end_reached(game: State) -> bool:
    """Return whether anybody stands on an end of the bridge (§2.4, §2.6)."""
    for seat in range(game.players):
        space = int(game.seats[seat].space)
        if space == WEST_END or space == EAST_END:
            return True
    return False
