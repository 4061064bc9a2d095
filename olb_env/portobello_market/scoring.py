"""Points: for alleys between two customers, for marked districts, and at the end (§3, §4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.portobello_market.components import ALLEY_NAMES, FACTORS, LORD, SIDES

FACTOR = np.array(FACTORS, np.int64)  # by the customers at both ends


@rule
def factor_of(game: State, alley: int) -> int:
    """What the lots of an alley are multiplied by; 0 while a plaza is free."""
    return int(FACTOR[game.customer[game.end[alley, 0]], game.customer[game.end[alley, 1]]])


@rule
def score_lots(game: State, alley: int) -> None:
    """Everybody's lots in an alley, times what the customers are worth."""
    factor = factor_of(game, alley)
    for seat in range(game.players):
        game.score[seat] += int(game.seats[seat].worth[alley]) * factor


@rule
def score_if_complete(game: State, alley: int) -> None:
    """§4: as soon as an alley is full and both its plazas hold a customer, once."""
    if game.table.alley_scored[alley] == 0 and game.table.alley_free[alley] == 0 and factor_of(game, alley) > 0:
        game.table.alley_scored[alley] = 1
        score_lots(game, alley)


@rule
def score_at_plaza(game: State, plaza: int) -> None:
    """The alleys that a customer just placed completes."""
    for alley in range(len(ALLEY_NAMES)):
        if game.end[alley, 0] == plaza or game.end[alley, 1] == plaza:
            score_if_complete(game, alley)


@rule
def mark_brings(game: State, seat: int, district: int, token: int) -> int:
    """§3: the own stalls around a district, times the token."""
    stalls = 0
    for side in range(SIDES):
        stalls += int(game.seats[seat].stalls[game.around[district, side]])
    return stalls * token


@rule
def score_end(game: State) -> None:
    """§4: alleys at the Lord's plaza that are not full score as if they were.

    He takes the last free plaza, so there is a customer at the other end of each. P5 ends a game as the last stall
    does, so it is scored then too.
    """
    for alley in range(len(ALLEY_NAMES)):
        at_the_lord = game.customer[game.end[alley, 0]] == LORD or game.customer[game.end[alley, 1]] == LORD
        if at_the_lord and game.table.alley_free[alley] > 0:
            score_lots(game, alley)


@rule
def returns(game: State, ranks: Any, scores: Any) -> None:
    """Each seat's rank and points; equal points share the rank."""
    for seat in range(game.players):
        rank = 1
        for other in range(game.players):
            rank += game.score[other] > game.score[seat]
        ranks[seat] = rank
        scores[seat] = game.score[seat]
