"""Inputs for networks of Old London Bridge: offers of the stacks, money from areas, and how the round would end.

The derived features are computed from what the seat knows, which spares a small network working them out. The lookahead
features, which take longer, are found by playing on in a style: see `lookahead`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.old_london_bridge.action_scores import score_actions
from olb_agents.old_london_bridge.lookahead import (
    BUILDING_VALUE_UNIT,
    NO_BUILDING,
    NUM_CACHE_KEYS,
    write_building_values,
    write_round_end_scores,
)
from olb_agents.scratch import Scratch
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.layout import Field, Layout, width
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    AREAS,
    BOARD,
    CARD_SETS,
    CHAPEL,
    CHAPEL_AREA,
    GATE,
    HIGHEST_NUMBER,
    INN_AREA,
    KINDS,
    LEDGER,
    MAX_PLAYERS,
    MAX_TURNS,
    MERCER,
    PARK,
)
from olb_env.old_london_bridge.encode import SEATS
from olb_env.old_london_bridge.mechanics import bonus_spaces, track_pays
from olb_env.old_london_bridge.notation import ACTIONS
from olb_env.old_london_bridge.scoring import INN_RULE, score_areas
from olb_env.old_london_bridge.state import LADY_PHASE, OVER, PLACE

K: Final = len(KINDS)
NUMBER_UNIT, POWER_UNIT, POUNDS_UNIT, TILES_UNIT = 64.0, 8.0, 16.0, 4.0

OF_SEAT: Final = (
    Field("areas", (len(AREAS),), POUNDS_UNIT, 2000, "pounds that each area would bring if the game ended now"),
    Field(
        "limit",
        (),
        NUMBER_UNIT,
        HIGHEST_NUMBER + 1,
        "lower numbers fit on the first free space; 61 if all do",
    ),
    Field("offer.fits", (K,), 1, 1, "the top of each stack would go on the first free space"),
    Field("offer.power", (K,), POWER_UNIT, 13, "its power then (replacing may lose some); 0 for guilds and parks"),
    Field("offer.pays", (K,), POUNDS_UNIT, 2000, "pounds that this would bring at once, coins of the rondel aside"),
    Field("offer.tiles", (), TILES_UNIT, 30, "bonus tiles that the top of the gates would bring"),
)
BUILDING_VALUES: Final = (
    Field("building_values", (K,), BUILDING_VALUE_UNIT, 2000,
          "how much the top of each stack would improve the position of a seat that still has a turn this round"),
)  # fmt: skip
ROUND_END: Final = (
    Field(
        "round_end", (len(ACTIONS),), 1, 1, "predicted lead at the end of the round after each action, the best is 1"
    ),
)
FEATURE_LAYOUT: Final = Layout(
    [*((name, OF_SEAT) for name in SEATS), *((name, BUILDING_VALUES) for name in SEATS), ("own", ROUND_END)],
)

SEAT_WIDTH: Final = width(OF_SEAT)
LEDGER_WIDTH: Final = len(LEDGER)
FEATURE_SIZES: Final = (FEATURE_LAYOUT["own.building_values"].start, FEATURE_LAYOUT.size)  # derived, lookahead
AT_LIMIT: Final = FEATURE_LAYOUT["own.limit"].start
AT_FITS: Final = FEATURE_LAYOUT["own.offer.fits"].start
AT_POWER: Final = FEATURE_LAYOUT["own.offer.power"].start
AT_PAYS: Final = FEATURE_LAYOUT["own.offer.pays"].start
AT_TILES: Final = FEATURE_LAYOUT["own.offer.tiles"].start
AT_BUILDING_VALUES: Final = FEATURE_LAYOUT["own.building_values"].start
AT_ROUND_END: Final = FEATURE_LAYOUT["own.round_end"].start


@jitable
def write_features(game: State, seat: int, style_weights: Any, scratch: Scratch, out: Any, afterstates: Any) -> None:
    """Write the features of every seat, beginning with the given one; absent seats are zero.

    In a game resampled for `seat`, nothing that it may not know changes them. The score of every action goes to
    `scratch.scores`.
    """
    out[:] = 0
    afterstates[:] = 0
    looks_ahead = out.shape[0] == FEATURE_SIZES[1]
    ledger = np.zeros((MAX_PLAYERS, LEDGER_WIDTH), np.int64)
    score_areas(game, ledger)
    if not game.perfect and (game.scoring[INN_RULE] == BOARD or game.scoring[INN_RULE] == CARD_SETS):
        ledger[:, INN_AREA] = 0  # it would give away cards in others' hands
    value_cache = np.full((MAX_PLAYERS, NUM_CACHE_KEYS, K, MAX_TURNS), np.nan)  # of buildings, see `_choose_place`
    for i in range(game.players):
        other = (seat + i) % game.players
        own = out[i * SEAT_WIDTH : (i + 1) * SEAT_WIDTH]
        for area in range(len(AREAS)):
            own[area] = ledger[other, CHAPEL_AREA + area] / POUNDS_UNIT
        _write_offers(game, other, own)
        if looks_ahead and game.phase <= PLACE and _has_turns(game, other):
            values = out[AT_BUILDING_VALUES + i * K : AT_BUILDING_VALUES + (i + 1) * K]
            write_building_values(game, other, style_weights, scratch, value_cache[other, NO_BUILDING, :, 0], values)
    if looks_ahead and game.phase != LADY_PHASE and game.phase != OVER:
        round_end = out[AT_ROUND_END : AT_ROUND_END + len(ACTIONS)]
        write_round_end_scores(game, seat, style_weights, scratch, value_cache, round_end, afterstates)
    score_actions(game, seat, style_weights, scratch)


@jitable
def _write_offers(game: State, seat: int, out: Any) -> None:
    """Write the limit of a seat's bridge, whether the top of each stack fits, its power, and what it would bring."""
    player = game.seats[seat]
    last = player.bridge_number[player.built - 1] if player.built > 0 else 0
    limit = int(last) if last > 0 else HIGHEST_NUMBER + 1  # §6.1
    out[AT_LIMIT] = limit / NUMBER_UNIT
    for kind in range(K):
        crest = game.top_crest[kind]
        power = player.power[crest - 1] + 1 if 0 < crest < ALL_CRESTS and kind != PARK else 0
        pays = 0
        if kind == CHAPEL:
            pays = track_pays(game.board.chapel, player.chapel, power)
        elif kind == GATE:
            pays = track_pays(game.board.gate, player.gate, power)
            out[AT_TILES] = bonus_spaces(game.board.gate, player.gate, power) / TILES_UNIT
        elif kind == MERCER:
            pays = power
        out[AT_FITS + kind] = game.table.stack_left[kind] > 0 and game.table.top_number[kind] < limit
        out[AT_POWER + kind] = power / POWER_UNIT
        out[AT_PAYS + kind] = pays / POUNDS_UNIT


@jitable
def _has_turns(game: State, seat: int) -> bool:
    """Return whether a seat has still to place its pawn in this round."""
    queue = game.seats[seat].queue
    return bool(game.phase < PLACE or queue[0] > 0 or queue[1] > 0)
