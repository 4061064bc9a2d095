"""What alleys are worth before they are scored, by the customers that may still come and by the stage of the alley.

The stage is how many customers and how many stalls an alley still lacks. Nothing here uses the order of the bag: of the
customers to come, only the number of each kind counts. This module also says how far the game has come and which
districts are the best to mark.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.portobello_market.components import (
    BURGHER,
    CUSTOMERS,
    DISTRICT_COUNT,
    LORD,
    SERVANT,
    SIDES,
    STALLS,
)
from olb_env.portobello_market.legal_actions import lord_is_out
from olb_env.portobello_market.scoring import FACTOR

MANY: Final = 3  # this many free lots or more count as one stage
STAGES: Final = tuple(f"{missing} to come, {free} free" for missing in range(3) for free in range(MANY + 1))
SURE: Final = 0  # the stage of an alley that is certain to be scored as it is


@jitable
def customer_probabilities(game: State, out: Any) -> None:
    """Write how likely each customer [4] is to come to a free plaza, given that all are placed by the end."""
    out[0] = 0
    out[LORD] = not lord_is_out(game)
    for who in range(SERVANT, LORD):
        out[who] = int(game.table.bag[who - SERVANT]) + int(game.drawn == who)
    total = max(1.0, out[SERVANT] + out[BURGHER] + out[LORD])
    for who in range(SERVANT, LORD + 1):
        out[who] /= total


@jitable
def expected_factors(game: State, out: Any) -> None:
    """Write the expected factor of an alley with one customer [4] at an end; index 0 is for an alley with none."""
    probabilities = np.zeros(len(CUSTOMERS))
    customer_probabilities(game, probabilities)
    out[:] = 0
    for here in range(SERVANT, LORD + 1):
        for there in range(SERVANT, LORD + 1):
            out[here] += probabilities[there] * FACTOR[here, there]
        out[0] += probabilities[here] * out[here]


@jitable
def factor_between(expected: Any, first: int, second: int) -> float:
    """Return the expected factor of an alley between two customers; 0 stands for one who is still to come."""
    if first > 0 and second > 0:
        return float(FACTOR[first, second])
    return float(expected[max(first, second)])


@jitable
def stage_of(first: int, second: int, free: int) -> int:
    """Return the stage of an alley, by the customers at its ends and its free lots.

    Beside the Lord it is scored in any case.
    """
    if first == LORD or second == LORD:
        return SURE
    return (int(first == 0) + int(second == 0)) * (MANY + 1) + min(free, MANY)


@jitable
def stage_and_factor(game: State, alley: int, expected: Any) -> tuple[int, float]:
    """Return the stage of an alley that has not been scored, and its expected factor."""
    first, second = int(game.customer[game.board.ends[alley, 0]]), int(game.customer[game.board.ends[alley, 1]])
    return stage_of(first, second, int(game.table.alley_free[alley])), factor_between(expected, first, second)


@jitable
def share_left(game: State) -> float:
    """Return the share of the game that is left, from 1 to 0: the stalls in hand of the seat with the fewest."""
    least = STALLS[game.players]
    for seat in range(game.players):
        least = min(least, int(game.seats[seat].hand))
    return 0.0 if game.table.last_round else least / STALLS[game.players]


@jitable
def stalls_around(game: State, seat: int, district: int) -> int:
    """Return the number of stalls of a seat in the three alleys of a district."""
    stalls = 0
    for side in range(SIDES):
        stalls += int(game.seats[seat].stalls[game.board.around[district, side]])
    return stalls


@jitable
def best_districts(game: State, seat: int) -> tuple[int, int, int]:
    """Return the unmarked district with most stalls of a seat, their number, and the number in the next best one.

    The district is -1 if all are marked.
    """
    best, most, second = -1, 0, 0
    for district in range(DISTRICT_COUNT):
        if game.table.marked[district] == 0:
            stalls = stalls_around(game, seat, district)
            if best < 0 or stalls > most:
                best, most, second = district, stalls, most
            else:
                second = max(second, stalls)
    return best, most, second
