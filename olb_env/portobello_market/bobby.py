"""The Bobby: what a crossing costs, where he may go, and from where he can reach a free lot (§3.2)."""

from __future__ import annotations

import numpy as np

from olb_env.core.bits import bit, first_of
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.portobello_market.components import BOBBY_RETURNS, DISTRICT_COUNT, MAX_PLAYERS, RETURNS, SIDES
from olb_env.portobello_market.state import OUTSIDE


@jitable
def most_of_others(game: State, seat: int, alley: int) -> int:
    """Return the most stalls that any opponent has in an alley."""
    most = 0
    for other in range(game.players):
        if other != seat:
            most = max(most, int(game.seats[other].stalls[alley]))
    return most


@jitable
def toll(game: State, seat: int, alley: int) -> int:
    """Return what a seat pays in all for crossing an alley."""
    own = int(game.seats[seat].stalls[alley])
    most, owners = 0, 0  # of the others; absent seats have no stalls
    for other in range(MAX_PLAYERS):
        stalls = int(game.seats[other].stalls[alley])
        if other != seat and stalls > most:
            most, owners = stalls, 1
        elif other != seat and stalls == most:
            owners += 1
    if own > most:
        return 0
    return 1 if own == most else owners  # 1 for an empty alley too


@jitable
def pay_toll(game: State, seat: int, alley: int) -> None:
    """Pay the toll of an alley to the opponents with the most stalls, or to nobody."""
    own = int(game.seats[seat].stalls[alley])
    most = most_of_others(game, seat, alley)
    game.score[seat] -= toll(game, seat, alley)
    if own < most:
        for other in range(game.players):
            if game.seats[other].stalls[alley] == most:
                game.score[other] += 1


@jitable
def reset_barred(game: State) -> None:
    """Open all districts that the Bobby may enter now, as each turn and each action does [P4]."""
    for district in range(DISTRICT_COUNT):
        game.table.been[district] = 0
        game.table.barred[district] = 0
    enter_district(game, game.bobby)


@jitable
def enter_district(game: State, district: int) -> None:
    """Count that the Bobby has been in a district, which bars it after as many returns as the ruling allows [P4]."""
    game.table.been[district] += 1
    game.table.barred[district] = game.table.been[district] > RETURNS[game.board.rulings[BOBBY_RETURNS]]


@jitable
def move_bobby(game: State, district: int) -> None:
    """Lead the Bobby to a neighbouring district and pay for the alley that he crosses."""
    here = int(game.bobby)
    for side in range(SIDES):
        if game.beyond[here, side] == district:
            pay_toll(game, game.actor, game.board.around[here, side])
    game.bobby = district
    enter_district(game, district)


@jitable
def has_free_lot(game: State, district: int) -> bool:
    """Return whether any alley around a district has a free lot."""
    for side in range(SIDES):
        if game.table.alley_free[game.board.around[district, side]] > 0:
            return True
    return False


@jitable
def leads_to_free_lot(game: State, start: int, purse: int) -> bool:
    """Return whether a district has a free lot, or the actor could lead the Bobby from there to one.

    The actor pays each crossing out of `purse`, and barred districts are avoided. The toll of an alley does not depend
    on the way so far, so the cheapest way to each district is enough. Districts are visited in the order of that price;
    sets of districts wait for the prices 1, 2 and 3 above it, since no toll is higher.
    """
    if has_free_lot(game, start):
        return True
    unseen = np.int64(0)
    for district in range(DISTRICT_COUNT):
        unseen |= np.int64(game.table.barred[district] == 0) << np.int64(district)
    unseen &= ~bit(start)
    now, after_1, after_2, after_3 = bit(start), np.int64(0), np.int64(0), np.int64(0)
    spent = 0
    while spent <= purse:
        while now != 0:
            here = first_of(now)
            now &= now - 1
            for side in range(SIDES):
                there = int(game.beyond[here, side])
                if there == OUTSIDE or unseen & bit(there) == 0:
                    continue
                price = toll(game, game.actor, game.board.around[here, side])
                if spent + price > purse:
                    continue
                if has_free_lot(game, there):
                    return True
                if price == 0:
                    now |= bit(there)
                    unseen &= ~bit(there)
                elif price == 1:
                    after_1 |= bit(there)
                elif price == 2:
                    after_2 |= bit(there)
                else:
                    after_3 |= bit(there)
        if after_1 | after_2 | after_3 == 0:
            return False
        now = after_1 & unseen
        unseen &= ~now
        after_1, after_2, after_3 = after_2, after_3, np.int64(0)
        spent += 1
    return False
