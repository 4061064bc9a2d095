"""What follows from a position at once, for networks: what the stacks offer each seat, and what its areas would bring.

All of it can be worked out from an observation; it spares a small network finding it out.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.layout import Field, Layout, width
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    AREAS,
    BOARD,
    CARD_SETS,
    CHAPEL,
    CHAPEL_AREA,
    END_OF_TRACK,
    GATE,
    HIGHEST_NUMBER,
    INN_AREA,
    KINDS,
    LEDGER,
    MERCER,
    MOST_PLAYERS,
    PARK,
)
from olb_env.old_london_bridge.encode import SEATS
from olb_env.old_london_bridge.moves import bonus_spaces, chapel_pays
from olb_env.old_london_bridge.scoring import INN_RULE, score_areas

K: Final = len(KINDS)
NUMBER_UNIT, POWER_UNIT, POUNDS_UNIT, TILES_UNIT = 64.0, 8.0, 16.0, 4.0

OF_SEAT: Final = (
    Field("areas", (len(AREAS),), POUNDS_UNIT, 2000, "pounds that each area would bring if the game ended now"),
    Field("limit", (), NUMBER_UNIT, HIGHEST_NUMBER + 1, "lower numbers go on the first free space; 61 when any does"),
    Field("offer.fits", (K,), 1, 1, "the top of each stack would go on the first free space"),
    Field("offer.power", (K,), POWER_UNIT, 13, "its power then (replacing may lose some); 0 for guilds and parks"),
    Field("offer.pays", (K,), POUNDS_UNIT, 2000, "pounds that this would bring at once, coins of the rondel aside"),
    Field("offer.tiles", (), TILES_UNIT, 30, "bonus tiles that the top of the gates would bring"),
)
INSIGHT: Final = Layout([(name, OF_SEAT) for name in SEATS])

SEAT_WIDTH: Final = width(OF_SEAT)
LEDGER_WIDTH: Final = len(LEDGER)
AT_LIMIT: Final = INSIGHT["own.limit"].start
AT_FITS: Final = INSIGHT["own.offer.fits"].start
AT_POWER: Final = INSIGHT["own.offer.power"].start
AT_PAYS: Final = INSIGHT["own.offer.pays"].start
AT_TILES: Final = INSIGHT["own.offer.tiles"].start


@rule
def write_insight(game: State, seat: int, out: Any) -> None:
    """For every seat, the own first; absent seats are zero. Nothing that `seat` may not know is told."""
    out[:] = 0
    ledger = np.zeros((MOST_PLAYERS, LEDGER_WIDTH), np.int64)
    score_areas(game, ledger)
    if not game.perfect and (game.scoring[INN_RULE] == BOARD or game.scoring[INN_RULE] == CARD_SETS):
        ledger[:, INN_AREA] = 0  # it would tell of cards in others' hands
    for i in range(game.players):
        other = (seat + i) % game.players
        own = out[i * SEAT_WIDTH : (i + 1) * SEAT_WIDTH]
        for area in range(len(AREAS)):
            own[area] = ledger[other, CHAPEL_AREA + area] / POUNDS_UNIT
        _write_offers(game, other, own)


@rule
def _write_offers(game: State, seat: int, out: Any) -> None:
    """What the top of each stack would be on a seat's bridge, and bring it."""
    player = game.seats[seat]
    last = player.bridge_number[player.built - 1] if player.built > 0 else 0
    limit = int(last) if last > 0 else HIGHEST_NUMBER + 1  # §6.1
    out[AT_LIMIT] = limit / NUMBER_UNIT
    for kind in range(K):
        crest = game.top_crest[kind]
        power = player.power[crest - 1] + 1 if 0 < crest < ALL_CRESTS and kind != PARK else 0
        pays = 0
        if kind == CHAPEL:
            pays = chapel_pays(game, player.chapel, power)
        elif kind == GATE:
            pays = END_OF_TRACK if player.gate < game.gate_length <= player.gate + power else 0
            out[AT_TILES] = bonus_spaces(game, player.gate, power) / TILES_UNIT
        elif kind == MERCER:
            pays = power
        out[AT_FITS + kind] = crest > 0 and game.table.top_number[kind] < limit
        out[AT_POWER + kind] = power / POWER_UNIT
        out[AT_PAYS + kind] = pays / POUNDS_UNIT
