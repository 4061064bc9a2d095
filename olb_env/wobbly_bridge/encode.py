"""The observation of a seat: a vector of fixed length, the same for three to six players.

The public columns of every seat are copied from the state, each byte divided by its unit. The fields below add the
table, one-hot flags where a learner reads flags better than numbers, and what only the observer knows. The observer's
own seat comes first, the others follow in seat order, and absent seats are zero.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.layout import Field, Layout, scales, width
from olb_env.core.rawbytes import bytes_of
from olb_env.wobbly_bridge.components import (
    CALM,
    CARDS,
    EAST_WIND,
    EVENT_DECK,
    HEAVY,
    IDEA,
    LONE_SPECIALS,
    MATCHES,
    MAX_IDEAS,
    MAX_PLAYERS,
    NORMALS,
    ORDER,
    PLAYERS,
    SPECIALS,
    WEST_WIND,
)
from olb_env.wobbly_bridge.state import OVER, PHASES, REPLACE, RULING_FIELD, SEAT_FIELDS, R

SEATS: Final = ("own", *(f"next{place}" for place in range(1, MAX_PLAYERS)))

TABLE_FIELDS: Final = (
    Field("calm", (), EVENT_DECK[CALM], EVENT_DECK[CALM], "calm events still in the deck"),
    Field("winds", (2,), 1, 1, "east wind and west wind, if still in the deck"),
    Field("matches_left", (), MATCHES - 1, MATCHES - 1, "matches still to come after this one"),
    Field("players", (len(PLAYERS),), 1, 1, "number of players: 3, 4, 5 or 6"),
    Field("phase", (len(PHASES),), 1, 1, "phase: " + ", ".join(PHASES) + "; none when the game is over"),
    Field("actor", (MAX_PLAYERS,), 1, 1, "seat to act, counted from the observer"),
    Field("match", (MATCHES,), 1, 1, "number of the match"),
    Field("unseen_ideas", (), MAX_IDEAS, MAX_IDEAS, "ideas that the other seats still hold"),
    Field("unseen_lone", (LONE_SPECIALS,), 1, 1, "order and heavy, if another seat still holds them"),
)
SEAT_FLAGS: Final = (
    Field("special", (SPECIALS,), 1, 1, "special card, once played: idea, order, heavy"),
    Field("card", (len(CARDS),), 1, 1, "card revealed in this match, while ideas are replaced"),
    Field("chosen", (), 1, 1, "has chosen a card, which lies face down"),
)
OWN_FLAGS: Final = (
    Field("holds", (SPECIALS,), 1, 1, "special card in hand: idea, order, heavy"),
    Field("pick", (len(CARDS),), 1, 1, "chosen card, which lies face down"),
)

OBSERVATION: Final = Layout(
    [
        ("table", TABLE_FIELDS),
        *((name, (*SEAT_FIELDS, *SEAT_FLAGS)) for name in SEATS),
        ("own", OWN_FLAGS),
        ("table", (RULING_FIELD,)),
    ]
)

SIZE: Final = OBSERVATION.size
SEAT_SCALE: Final = scales(SEAT_FIELDS)
SEAT_FIELDS_WIDTH: Final = width(SEAT_FIELDS)
SEAT_WIDTH: Final = SEAT_FIELDS_WIDTH + width(SEAT_FLAGS)

CALM_SCALE: Final = np.float32(1 / EVENT_DECK[CALM])
MATCH_SCALE: Final = np.float32(1 / (MATCHES - 1))
IDEA_SCALE: Final = np.float32(1 / MAX_IDEAS)

AT_CALM: Final = OBSERVATION["table.calm"].start
AT_WINDS: Final = OBSERVATION["table.winds"].start
AT_MATCHES_LEFT: Final = OBSERVATION["table.matches_left"].start
AT_PLAYERS: Final = OBSERVATION["table.players"].start - PLAYERS[0]
AT_PHASE: Final = OBSERVATION["table.phase"].start
AT_ACTOR: Final = OBSERVATION["table.actor"].start
AT_MATCH: Final = OBSERVATION["table.match"].start - 1
AT_UNSEEN_IDEAS: Final = OBSERVATION["table.unseen_ideas"].start
AT_UNSEEN_LONE: Final = OBSERVATION["table.unseen_lone"].start
AT_SEATS: Final = OBSERVATION["own.present"].start
AT_SPECIAL: Final = OBSERVATION["own.special"].start - AT_SEATS - NORMALS
AT_CARD: Final = OBSERVATION["own.card"].start - AT_SEATS - 1
AT_CHOSEN: Final = OBSERVATION["own.chosen"].start - AT_SEATS
AT_HOLDS: Final = OBSERVATION["own.holds"].start - NORMALS
AT_PICK: Final = OBSERVATION["own.pick"].start - 1
AT_RULINGS: Final = OBSERVATION["table.rulings"].start


@jitable
def observe(game: State, seat: int, out: Any) -> None:
    """Write the observation of one seat over whatever `out` holds."""
    for i in range(SIZE):
        out[i] = 0
    players = int(game.players)
    _write_table(game, seat, out)
    _write_unseen(game, seat, out)
    other = seat
    for i in range(players):
        _write_seat(game, other, out[AT_SEATS + i * SEAT_WIDTH : AT_SEATS + (i + 1) * SEAT_WIDTH])
        other = other + 1 if other + 1 < players else 0
    if game.seats[seat].holds_special:
        out[AT_HOLDS + int(game.special[seat])] = 1
    if game.pick[seat] > 0:
        out[AT_PICK + int(game.pick[seat])] = 1
    for ruling in range(R):
        out[AT_RULINGS + ruling] = game.rulings[ruling]


@jitable
def _write_table(game: State, seat: int, out: Any) -> None:
    out[AT_CALM] = game.deck[CALM] * CALM_SCALE
    out[AT_WINDS] = game.deck[EAST_WIND]
    out[AT_WINDS + 1] = game.deck[WEST_WIND]
    out[AT_MATCHES_LEFT] = (MATCHES - int(game.match_number)) * MATCH_SCALE
    out[AT_PLAYERS + int(game.players)] = 1
    out[AT_MATCH + int(game.match_number)] = 1
    if game.phase != OVER:
        out[AT_PHASE + int(game.phase)] = 1
        out[AT_ACTOR + (int(game.actor) - seat) % int(game.players)] = 1


@jitable
def _write_unseen(game: State, seat: int, out: Any) -> None:
    """Write which special cards the others hold: all that this seat neither was dealt nor has seen played."""
    ideas = int(game.players) - LONE_SPECIALS
    order = 1
    heavy = 1
    for other in range(game.players):
        if other == seat or not game.seats[other].holds_special:
            ideas -= game.special[other] == IDEA
            order -= game.special[other] == ORDER
            heavy -= game.special[other] == HEAVY
    out[AT_UNSEEN_IDEAS] = ideas * IDEA_SCALE
    out[AT_UNSEEN_LONE] = order
    out[AT_UNSEEN_LONE + 1] = heavy


@jitable
def _write_seat(game: State, seat: int, out: Any) -> None:
    """Write what everybody knows about a seat."""
    player = game.seats[seat]
    block = bytes_of(player, SEAT_FIELDS_WIDTH)
    for i in range(SEAT_FIELDS_WIDTH):
        out[i] = block[i] * SEAT_SCALE[i]
    if not player.holds_special:
        out[AT_SPECIAL + int(game.special[seat])] = 1
    if game.phase == REPLACE:
        out[AT_CARD + int(game.played[int(game.match_number) - 1, seat])] = 1
    out[AT_CHOSEN] = game.pick[seat] > 0
