"""The Bobby: what a crossing costs, where he may go, and whether any way leads to a free lot (§3)."""

from __future__ import annotations

import numpy as np

from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.portobello_market.components import DISTRICT_COUNT, SIDES
from olb_env.portobello_market.state import OUTSIDE

FAR = 1 << 20  # more than anybody can pay


@rule
def most_of_others(game: State, seat: int, alley: int) -> int:
    """The most stalls that an opponent has in an alley."""
    most = 0
    for other in range(game.players):
        if other != seat:
            most = max(most, int(game.seats[other].stalls[alley]))
    return most


@rule
def toll(game: State, seat: int, alley: int) -> int:
    """What a seat pays for crossing an alley, to whomever."""
    own = int(game.seats[seat].stalls[alley])
    most = most_of_others(game, seat, alley)
    if own > most:
        return 0
    if own == most:  # an empty alley too
        return 1
    cost = 0
    for other in range(game.players):
        cost += game.seats[other].stalls[alley] == most
    return cost


@rule
def pay_toll(game: State, seat: int, alley: int) -> None:
    """The toll goes to the opponents with the most stalls, or to nobody."""
    own = int(game.seats[seat].stalls[alley])
    most = most_of_others(game, seat, alley)
    game.score[seat] -= toll(game, seat, alley)
    if own < most:
        for other in range(game.players):
            if game.seats[other].stalls[alley] == most:
                game.score[other] += 1


@rule
def bar_all_but_here(game: State) -> None:
    """P4: a turn begins, or an action is taken: from now on he does not come back to where he stands."""
    for district in range(DISTRICT_COUNT):
        game.table.barred[district] = 0
    game.table.barred[game.bobby] = 1


@rule
def move_bobby(game: State, district: int) -> None:
    """Across the alley that both districts share, which is paid for."""
    here = int(game.bobby)
    for side in range(SIDES):
        if game.beyond[here, side] == district:
            pay_toll(game, game.actor, game.around[here, side])
    game.bobby = district
    game.table.barred[district] = 1


@rule
def may_cross(game: State, here: int, side: int, purse: int) -> bool:
    """Whether somebody with so many points can go on from a district over one of its alleys."""
    there = int(game.beyond[here, side])
    return (
        there != OUTSIDE and game.table.barred[there] == 0 and toll(game, game.actor, game.around[here, side]) <= purse
    )


@rule
def has_free_lot(game: State, district: int) -> bool:
    """Whether a stall could be placed while the Bobby stands there."""
    for side in range(SIDES):
        if game.table.alley_free[game.around[district, side]] > 0:
            return True
    return False


@rule
def way_to_a_lot(game: State) -> bool:
    """Whether the acting seat could bring the Bobby to a free lot, paying each crossing and entering nothing barred.

    Crossings cost the same in any order, so the cheapest way to each district decides; it never enters one twice.
    """
    purse = int(game.score[game.actor])
    cost = np.full(DISTRICT_COUNT, FAR, np.int64)
    cost[game.bobby] = 0
    cheaper = True
    while cheaper:
        cheaper = False
        for here in range(DISTRICT_COUNT):
            if cost[here] == FAR:
                continue
            for side in range(SIDES):
                if may_cross(game, here, side, purse - cost[here]):
                    there = int(game.beyond[here, side])
                    price = cost[here] + toll(game, game.actor, game.around[here, side])
                    if price < cost[there]:
                        if has_free_lot(game, there):
                            return True
                        cost[there] = price
                        cheaper = True
    return False
