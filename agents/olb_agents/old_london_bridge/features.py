"""What follows from a position at once, for networks: what the stacks offer each seat, and what its areas would bring.

The numbers of the first part can be worked out from an observation; they spare a small network finding them out. The
second part, which takes longer, is what a style foresees: who wants what, and where each answer leads (`foresight.py`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.old_london_bridge.action_scores import weigh
from olb_agents.old_london_bridge.lookahead import NOTHING, SINCE, WANTS_UNIT, write_outlook, write_wants
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
    MOST_TURNS,
    PARK,
)
from olb_env.old_london_bridge.encode import SEATS
from olb_env.old_london_bridge.mechanics import bonus_spaces, chapel_pays
from olb_env.old_london_bridge.notation import ACTIONS
from olb_env.old_london_bridge.scoring import INN_RULE, score_areas
from olb_env.old_london_bridge.state import LADY_PHASE, OVER, PLACE

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
WANTS: Final = (
    Field("wants", (K,), WANTS_UNIT, 2000, "what the top of each stack is worth to who still has a turn this round"),
)
OUTLOOK: Final = (
    Field("outlook", (len(ACTIONS),), 1, 1, "how the round would end after each answer, if all went on in the style"),
)
INSIGHT: Final = Layout(
    [*((name, OF_SEAT) for name in SEATS), *((name, WANTS) for name in SEATS), ("own", OUTLOOK)],
)

SEAT_WIDTH: Final = width(OF_SEAT)
LEDGER_WIDTH: Final = len(LEDGER)
LEVELS: Final = (INSIGHT["own.wants"].start, INSIGHT.size)  # of insight: without what is foreseen, and with it
AT_LIMIT: Final = INSIGHT["own.limit"].start
AT_FITS: Final = INSIGHT["own.offer.fits"].start
AT_POWER: Final = INSIGHT["own.offer.power"].start
AT_PAYS: Final = INSIGHT["own.offer.pays"].start
AT_TILES: Final = INSIGHT["own.offer.tiles"].start
AT_WANTS: Final = INSIGHT["own.wants"].start
AT_OUTLOOK: Final = INSIGHT["own.outlook"].start


@rule
def write_features(game: State, seat: int, style: Any, scratch: Any, numbers: Any, out: Any, traits: Any) -> None:
    """For every seat, the own first; absent seats are zero. Nothing that `seat` may not know is told."""
    out[:] = 0
    traits[:] = 0
    foreseen = out.shape[0] == LEVELS[1]
    ledger = np.zeros((MOST_PLAYERS, LEDGER_WIDTH), np.int64)
    score_areas(game, ledger)
    if not game.perfect and (game.scoring[INN_RULE] == BOARD or game.scoring[INN_RULE] == CARD_SETS):
        ledger[:, INN_AREA] = 0  # it would tell of cards in others' hands
    worth = np.full((MOST_PLAYERS, SINCE, K, MOST_TURNS), np.nan)  # of buildings to each seat, where it is found out
    for i in range(game.players):
        other = (seat + i) % game.players
        own = out[i * SEAT_WIDTH : (i + 1) * SEAT_WIDTH]
        for area in range(len(AREAS)):
            own[area] = ledger[other, CHAPEL_AREA + area] / POUNDS_UNIT
        _write_offers(game, other, own)
        if foreseen and game.phase <= PLACE and _has_turns(game, other):
            wants = out[AT_WANTS + i * K : AT_WANTS + (i + 1) * K]
            write_wants(game, other, style, scratch, numbers[1], worth[other, NOTHING, :, 0], wants)
    if foreseen and game.phase != LADY_PHASE and game.phase != OVER:
        outlook = out[AT_OUTLOOK : AT_OUTLOOK + len(ACTIONS)]
        write_outlook(game, seat, style, scratch, numbers, worth, outlook, traits)
    weigh(game, seat, style, scratch, numbers)


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


@rule
def _has_turns(game: State, seat: int) -> bool:
    """Whether a seat is still to place its pawn in this round."""
    queue = game.seats[seat].queue
    return bool(game.phase < PLACE or queue[0] > 0 or queue[1] > 0)
