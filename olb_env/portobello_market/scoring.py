"""The scoring of alleys, of marked districts and of the end of the game (§3.1, §4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.portobello_market.components import ALLEY_NAMES, FACTORS, LORD, SIDES

FACTOR = np.array(FACTORS, np.int64)  # indexed by the customers at both ends


@jitable
def factor_of(game: State, alley: int) -> int:
    """Return the factor for the lots of an alley; 0 while one of its plazas is free."""
    return int(FACTOR[game.customer[game.board.ends[alley, 0]], game.customer[game.board.ends[alley, 1]]])


@jitable
def score_lots(game: State, alley: int) -> None:
    """Pay everybody for its lots in an alley."""
    factor = factor_of(game, alley)
    for seat in range(game.players):
        game.score[seat] += int(game.seats[seat].worth[alley]) * factor


@jitable
def score_if_complete(game: State, alley: int) -> None:
    """Score an alley, once, as soon as it is full and a customer stands on each of its plazas (§4)."""
    if game.table.alley_scored[alley] == 0 and game.table.alley_free[alley] == 0 and factor_of(game, alley) > 0:
        game.table.alley_scored[alley] = 1
        score_lots(game, alley)


@jitable
def score_at_plaza(game: State, plaza: int) -> None:
    """Score the alleys that a customer just placed on a plaza completes (§4)."""
    for alley in range(len(ALLEY_NAMES)):
        if game.board.ends[alley, 0] == plaza or game.board.ends[alley, 1] == plaza:
            score_if_complete(game, alley)


@jitable
def mark_points(game: State, seat: int, district: int, token: int) -> int:
    """Return the points for a mark: the player's stalls around the district times the token (§3.1)."""
    stalls = 0
    for side in range(SIDES):
        stalls += int(game.seats[seat].stalls[game.board.around[district, side]])
    return stalls * token


@jitable
def score_end(game: State) -> None:
    """Score the alleys at the Lord's plaza that are not full as if they were (§4).

    He takes the last free plaza, so a customer stands at the other end of each of them. This scoring belongs to both
    ways to end a game, that of [P5] included.
    """
    for alley in range(len(ALLEY_NAMES)):
        at_the_lord = (
            game.customer[game.board.ends[alley, 0]] == LORD or game.customer[game.board.ends[alley, 1]] == LORD
        )
        if at_the_lord and game.table.alley_free[alley] > 0:
            score_lots(game, alley)


@jitable
def returns(game: State, ranks: Any, scores: Any) -> None:
    """Write each seat's rank and points; equal points share a rank (§4)."""
    for seat in range(game.players):
        rank = 1
        for other in range(game.players):
            rank += game.score[other] > game.score[seat]
        ranks[seat] = rank
        scores[seat] = game.score[seat]
