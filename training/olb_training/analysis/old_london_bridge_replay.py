"""The compiled replay of recorded games of Old London Bridge, which collects their decisions and accounts.

Games are played through once more. Every decision becomes a row of `DECISION`, and all money that a seat gets or pays
goes to an account by its source. `old_london_bridge` makes data frames of both.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.old_london_bridge.evaluation import FOLLOW_UP, TRIAL
from olb_agents.old_london_bridge.lookahead import BUILDING_VALUE_UNIT, write_building_values
from olb_agents.scratch import Scratch
from olb_env.core.bits import first_of, size_of
from olb_env.core.compiling import jitable, kernel
from olb_env.core.game import State
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    AREAS,
    BOARD,
    BONUS_TILES,
    CENTRE_COST,
    CHAPEL_AREA,
    EMPTY_SPACES,
    FREE,
    IN_PLAY,
    KINDS,
    PAID_IN_PLAY,
    PILES,
    SHARE,
    START_MONEY,
    TILES,
    TURNS,
    UNUSED_TILES,
)
from olb_env.old_london_bridge.legal_actions import legal_set
from olb_env.old_london_bridge.mechanics import fits_after_last, take_building, track_pays
from olb_env.old_london_bridge.notation import (
    HIRE_CARD,
    REPLACE_SPACE,
    TAKE_BONUS,
    TO_CENTRE,
    TO_RONDEL,
    USE_TILE,
)
from olb_env.old_london_bridge.rules import perform
from olb_env.old_london_bridge.scoring import GATE_RULE
from olb_env.old_london_bridge.state import OVER, PLACE, PLAY

K: Final = len(KINDS)
OTHER, BID, PLACEMENT, REPLACEMENT, BONUS_CHOICE, TILE_USE = range(6)  # kinds of decision
DECISION: Final = np.dtype(
    [
        ("game", "i4"),
        ("stake", "f4"),  # of a bid, see `stake_of_bid`; NaN if not computed
        ("money", "i2"),
        ("decision", "i1"),  # BID, PLACEMENT and so on
        ("seat", "i1"),
        ("round", "i1"),
        ("players", "i1"),
        ("action", "i1"),
        ("legal", "i1"),  # the number of legal actions
        ("standing", "i1"),  # in chapel order, 0 is best
        ("built", "i1"),
        ("kind", "i1"),  # of the building taken
        ("number", "i1"),
        ("crest", "i1"),
        ("power", "i1"),  # that its crest would have on the bridge, after the last building
        ("coin", "i1"),  # gained on the rondel, or paid on the centre
        ("centre", "i1"),  # 1 if it was taken from there
        ("fits", "i1"),  # 1 if it goes after the last building
        ("last_number", "i1"),  # of the bridge; 0 if there is none or it is a park
        ("lost_kind", "i1"),  # the building that leaves
        ("lost_number", "i1"),
        ("tile", "i1"),  # the bonus tile taken or used
        ("offered", "i1", (PILES,)),  # face up, -1 where a pile is empty
    ]
)

# Where money comes from: what turns bring, what areas pay at any time, and what else the end brings.
SOURCES: Final = (
    "start", "rondel coins", "centre", "mercers", "chapel coins", "chapel end", "gate end", *AREAS, "empty spaces",
    "bonus tiles",
)  # fmt: skip
START, RONDEL, CENTRE, MERCERS, COINS, CHAPEL_END, GATE_END = range(7)
FIRST_AREA: Final = SOURCES.index(AREAS[0])
EMPTY, TILES_LEFT = range(FIRST_AREA + len(AREAS), len(SOURCES))


@jitable
def stake_of_bid(game: State, seat: int, style_weights: Any, scratch: Scratch) -> float:
    """Return what there is to win by choosing first, in pounds: the best building less the one left for the last seat.

    A building counts as much as it would improve the seat's position by a style, and the coins beside it.
    """
    values = np.full(K, -1e9, np.float64)
    write_building_values(game, seat, style_weights, scratch, np.zeros(K), values)
    for kind in range(K):
        if game.table.crossed[kind] or game.table.stack_left[kind] == 0:
            values[kind] = -1e9
        else:
            values[kind] = values[kind] * BUILDING_VALUE_UNIT + game.table.coin[kind]
    values.sort()
    last = K - int(game.players)
    while last < K - 1 and values[last] < -1e8:
        last += 1
    return float(values[K - 1] - values[last])


@jitable
def coins_for(game: State, action: int) -> int:
    """Return what placing the pawn brings on the rondel, or costs on the centre as a negative number."""
    if action < TO_CENTRE:
        return int(game.table.coin[action - TO_RONDEL])
    return 0 if game.table.used[FREE - SHARE] else -CENTRE_COST


@jitable
def write_decision(game: State, action: int, row: Any, stakes: bool, style_weights: Any, scratch: Scratch) -> None:
    """Write a decision to a row of DECISION; the action is not applied yet."""
    seat = int(game.actor)
    player = game.seats[seat]
    row.seat, row.round, row.players = seat, game.round_number, game.players
    row.action, row.money, row.standing, row.built = action, game.money[seat], player.standing, player.built
    row.legal = size_of(game.legal)
    row.decision = OTHER
    row.last_number = player.bridge_number[player.built - 1] if player.built > 0 else 0
    if game.phase == PLAY:
        row.decision = BID
        row.stake = stake_of_bid(game, seat, style_weights, scratch) if stakes else np.nan
    elif TO_RONDEL <= action < REPLACE_SPACE:
        row.decision = PLACEMENT
        kind = action - TO_RONDEL if action < TO_CENTRE else action - TO_CENTRE
        row.coin, row.centre = coins_for(game, action), action >= TO_CENTRE
        scratch.games[TRIAL] = game
        after = scratch.games[TRIAL]
        take_building(after, kind)
        row.kind, row.number, row.crest = kind, after.table.tile_number, after.tile_crest
        row.fits = fits_after_last(after, seat)
        row.power = player.power[after.tile_crest - 1] + 1 if 0 < after.tile_crest < ALL_CRESTS else 0
    elif REPLACE_SPACE <= action <= HIRE_CARD:
        row.decision = REPLACEMENT
        space = action - REPLACE_SPACE
        row.kind, row.number, row.crest = game.tile_kind, game.table.tile_number, game.tile_crest
        row.lost_kind, row.lost_number = player.bridge_kind[space] - 1, player.bridge_number[space]
    elif TAKE_BONUS <= action < USE_TILE:
        row.decision = BONUS_CHOICE
        for pile in range(PILES):
            left = game.table.pile_left[pile]
            row.offered[pile] = game.hidden.pile[pile, len(TILES) - left] if left > 0 else -1
        row.tile = row.offered[action - TAKE_BONUS]
    elif USE_TILE <= action < USE_TILE + len(TILES):
        row.decision = TILE_USE
        row.tile = action - USE_TILE


@jitable
def money_in_play(game: State, seat: int) -> int:
    """Return the money of a seat before the end is scored."""
    return int(game.ledger[seat, IN_PLAY] if game.phase == OVER else game.money[seat])


@jitable
def add_area_payments(game: State, action: int, scratch: Scratch, account: Any) -> None:
    """Add what areas pay in play after an action: what would be missing if an area paid at the end alone.

    It overwrites the games TRIAL and FOLLOW_UP.
    """
    last = game.players if game.phase == PLAY else TURNS[game.players]
    if game.turn + 1 < last:
        return  # neither a reveal nor the end of a round
    for area in range(len(AREAS)):
        if game.scoring[area] == PAID_IN_PLAY[area]:
            scratch.games[TRIAL] = game
            scratch.games[FOLLOW_UP] = game
            paid, unpaid = scratch.games[TRIAL], scratch.games[FOLLOW_UP]
            unpaid.scoring[area] = BOARD
            perform(paid, action)
            perform(unpaid, action)
            for seat in range(game.players):
                account[seat, FIRST_AREA + area] += money_in_play(paid, seat) - money_in_play(unpaid, seat)


@jitable
def add_walk(track: Any, start: int, goal: int, source: int, own: Any) -> None:
    """Add what a marker earned from one space of a track to another: coins, and the reward at the end to `source`."""
    end = int(track.end) if goal == track.length else 0
    own[source] += end
    own[COINS] += track_pays(track, start, goal - start) - end


@jitable
def apply_and_account(game: State, action: int, scratch: Scratch, account: Any) -> None:
    """Apply an action, and add the money that it moves in play to the accounts [P, SOURCES].

    Money that no other source explains came from mercers.
    """
    seat = int(game.actor)
    player, own = game.seats[seat], account[seat]
    chapel, gate = int(player.chapel), int(player.gate)
    if game.phase == PLACE and TO_RONDEL <= action < REPLACE_SPACE:
        own[RONDEL if action < TO_CENTRE else CENTRE] += coins_for(game, action)
    add_area_payments(game, action, scratch, account)
    perform(game, action)
    if player.chapel > chapel:
        add_walk(game.board.chapel, chapel, player.chapel, CHAPEL_END, own)
    if player.gate > gate:
        add_walk(game.board.gate, gate, player.gate, GATE_END, own)
    own[MERCERS] += money_in_play(game, seat) - own.sum()


@jitable
def account_for_end(game: State, account: Any) -> None:
    """Add what the end brought; for tiles that are left, only what they bring without the scoring of the gate."""
    for seat in range(game.players):
        own, ledger = account[seat], game.ledger[seat]
        for area in range(len(AREAS)):
            own[FIRST_AREA + area] += ledger[CHAPEL_AREA + area]
        own[EMPTY] += ledger[EMPTY_SPACES]
        tiles = ledger[BONUS_TILES]
        if game.scoring[GATE_RULE] == UNUSED_TILES:
            tiles = game.seats[seat].tiles.sum()
        own[TILES_LEFT] += tiles
        own[FIRST_AREA + GATE_RULE] += ledger[BONUS_TILES] - tiles


@kernel
def replay_games(
    states: Any,
    first: Any,
    actions: Any,
    stakes: bool,
    style_weights: Any,
    scratch: Scratch,
    rows: Any,
    accounts: Any,
) -> None:
    """Play games [G] through, and write all decisions [M] and the accounts [G, P, SOURCES] of their seats."""
    for game in range(states.shape[0]):
        state, account = states[game], accounts[game]
        for seat in range(state.players):
            account[seat, START] = START_MONEY
        for move in range(first[game], first[game + 1]):
            rows[move].game = game
            write_decision(state, actions[move], rows[move], stakes, style_weights, scratch)
            apply_and_account(state, actions[move], scratch, account)
            while state.phase != OVER:
                state.legal = legal_set(state)
                if size_of(state.legal) > 1:
                    break
                apply_and_account(state, first_of(state.legal), scratch, account)
        account_for_end(state, account)
