"""All randomness of the game: the deal, and the resampling of what no seat knows (§2, §6).

Each source of randomness has its own random stream, so that a change to one leaves the others as they are.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.compiling import jitable, kernel
from olb_env.core.game import State, States
from olb_env.core.rawbytes import clear, copy_bytes
from olb_env.core.rng import below, shuffle, stream
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    BAG_SIZE,
    BURGHER,
    DISTRICT_COUNT,
    NEUTRAL_TOKENS,
    OF_EACH,
    OWN_TOKENS,
    PLAZA_NAMES,
    SERVANT,
    SIDES,
    SLOTS,
    STALLS,
)
from olb_env.portobello_market.legal_actions import ANYWHERE
from olb_env.portobello_market.state import OUTSIDE, SETUP_BOBBY

# Random streams of a deal and of `resample`.
BAG, START_PLAYER, REST_OF_BAG = range(3)


@jitable
def deal(game: State, setup: Any, seed: int) -> None:
    """Deal a new game (§2): draw everything random, then set up the rest."""
    clear(game)
    game.players = setup.players
    game.open = setup.open
    game.start_score = setup.start_score
    _copy_board(game, setup)
    _fill_bag(game, 0, OF_EACH)
    shuffle(game.order, 0, BAG_SIZE, stream(seed, BAG))
    game.start_player = below(stream(seed, START_PLAYER), int(game.players))
    begin_game(game)


@jitable
def _copy_board(game: State, setup: Any) -> None:
    copy_bytes(setup.board, game.board)
    for alley in range(len(ALLEY_NAMES)):
        game.length[alley] = setup.length[alley]
    for district in range(DISTRICT_COUNT):
        for side in range(SIDES):
            game.beyond[district, side] = setup.beyond[district, side]
    for plaza in range(len(PLAZA_NAMES)):
        for i in range(2):
            game.place[plaza, i] = setup.place[plaza, i]


@jitable
def _fill_bag(game: State, first: int, servants: int) -> None:
    """Fill the bag from index `first` on with so many servants, then burghers."""
    for i in range(first, BAG_SIZE):
        game.order[i] = SERVANT if i - first < servants else BURGHER


@jitable
def begin_game(game: State) -> None:
    """Set up everything that is not random; the first decision is where to place the Bobby (§2)."""
    table = game.table
    for alley in range(len(ALLEY_NAMES)):
        length = int(game.length[alley])
        table.alley_free[alley] = length
        table.alley_offer[alley, 0] = game.board.values[alley, 0]
        table.alley_offer[alley, 1] = game.board.values[alley, length - 1]
    table.bag[0] = OF_EACH
    table.bag[1] = OF_EACH
    table.neutral_left = len(NEUTRAL_TOKENS)
    table.neutral_next = NEUTRAL_TOKENS[0]
    for seat in range(game.players):
        player = game.seats[seat]
        player.present = 1
        player.hand = STALLS[game.players]
        game.score[seat] = game.start_score
        for slot in range(SLOTS):
            player.token_value[slot] = OWN_TOKENS[slot]
            player.token_up[slot] = 1
            player.token_own[slot] = 1
    game.bobby = OUTSIDE
    game.phase = SETUP_BOBBY
    game.actor = game.start_player - 1 if game.start_player > 0 else game.players - 1
    game.legal[0] = ANYWHERE


@kernel
def begin_games(games: States) -> None:
    """Call `begin_game` for every game [N]."""
    for row in range(games.shape[0]):
        begin_game(games[row])


@jitable
def resample(game: State, seat: int, seed: int) -> None:
    """Redraw the order of the bag from its contents alone; all seats know the same (§6)."""
    if game.open:
        return
    servants = int(game.table.bag[0])
    first = BAG_SIZE - servants - int(game.table.bag[1])
    _fill_bag(game, first, servants)
    shuffle(game.order, first, BAG_SIZE, stream(seed, REST_OF_BAG))
