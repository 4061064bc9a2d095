"""Short texts that tell a player what each action would bring.

They use only what that player can know: the public position and the immediate consequences of the action. Nothing is
played further than that.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from olb_env.core.game import State
from olb_env.old_london_bridge.components import (
    CARD_VALUES,
    CENTRE_COST,
    CHAPEL,
    CHAPEL_TILE,
    FREE,
    GATE,
    GATE_TILE,
    GUILD,
    INN,
    KINDS,
    MERCER,
    SHARE,
    TILES,
    TRACK_TILE_STEPS,
)
from olb_env.old_london_bridge.mechanics import bonus_spaces, build, fits_after_last, take_building, track_pays
from olb_env.old_london_bridge.notation import (
    BOOST_LOW,
    DONE,
    HIRE_CARD,
    REPLACE_SPACE,
    TAKE_BONUS,
    TO_CENTRE,
    TO_RONDEL,
    USE_TILE,
)
from olb_env.old_london_bridge.state import AFTER, BOOST_PHASE, HIRE, LADY_PHASE
from olb_env.old_london_bridge.text import building_name, face_up, hides_possessions, pounds

USES: Final = (
    "takes a 2 into hand",
    "adds 1 to the higher card as played",
    "opens spaces with another pawn",
    "opens the centre without paying",
    "opens the X",
    "takes the card just played back into hand",
    "",
    "",
)


def explain(game: State, action: int) -> str:
    """Return what an action would bring the acting seat, or an empty text."""
    seat = int(game.actor)
    if action < TO_RONDEL:
        player = game.seats[seat]
        held = int(player.hand[action]) - int(player.pick[0] == action + 1)  # without the first of two picks
        return f"{held} in hand" if held > 1 else "the only one in hand"
    if action < TO_CENTRE:
        kind = action - TO_RONDEL
        return _joined(_gain(int(game.table.coin[kind])), _building_from(game, kind))
    if action < REPLACE_SPACE:
        cost = "free" if game.table.used[FREE - SHARE] else f"pay {pounds(CENTRE_COST)}"
        return _joined(cost, _building_from(game, action - TO_CENTRE))
    if action <= HIRE_CARD:
        return _replacement(game, action - REPLACE_SPACE)
    if action < TAKE_BONUS:
        left = int(game.table.hire_power) - (action - HIRE_CARD)
        return f"leaves {left} to hire with" if left else "uses all that is left to hire with"
    if action < USE_TILE:
        tile = face_up(game, action - TAKE_BONUS)
        return "" if tile is None else _joined(TILES[tile], _use(game, tile), "from the next round on")
    if action < BOOST_LOW:
        return _use(game, action - USE_TILE)
    if action == BOOST_LOW:
        return "adds 1 to the lower card as played"
    return _done(game) if action == DONE else ""


def private(game: State, seat: int) -> str:
    """Return what only a seat knows: the cards picked face down and, if nobody remembers them, its money and hand."""
    player = game.seats[seat]
    picked = [str(int(card) - 1) for card in player.pick if card]
    parts = [f"Only you know that you have picked {' and '.join(picked)}."] if picked else []
    if hides_possessions(game):
        hand = [str(value) for value in range(CARD_VALUES) for _ in range(int(player.hand[value]))]
        parts.append(f"You have {pounds(int(game.money[seat]))} and the cards {', '.join(hand) or 'none'}.")
    return " ".join(parts)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _gain(amount: int) -> str:
    return f"gain {pounds(amount)}" if amount else ""


def _copy(game: State) -> State:
    copy = np.zeros(1, game.dtype)
    copy[0] = game
    return copy[0]


def _building_from(game: State, kind: int) -> str:
    """Return what the top building of a stack would bring the acting seat."""
    after, seat = _copy(game), int(game.actor)
    take_building(after, kind)
    name = building_name(KINDS[kind], int(after.table.tile_number), int(after.tile_crest))
    if not fits_after_last(after, seat):
        return f"{name}, to replace one on the bridge"
    return _joined(name, _effect(after, int(after.seats[seat].built)))


def _replacement(game: State, space: int) -> str:
    player = game.seats[int(game.actor)]
    kind, number, crest = (int(part[space]) for part in (player.bridge_kind, player.bridge_number, player.bridge_crest))
    return _joined(f"{building_name(KINDS[kind - 1], number, crest)} leaves", _effect(_copy(game), space))


def _effect(after: State, space: int) -> str:
    """Return what the new building brings on a space; this changes the game, so pass a copy."""
    seat, kind = int(after.actor), int(after.tile_kind)
    power = int(build(after, seat, space))
    player = after.seats[seat]
    if kind == CHAPEL:
        return _steps("chapel", after.board.chapel, int(player.chapel), power)
    if kind == GATE:
        return _steps("gate", after.board.gate, int(player.gate), power)
    if kind == INN:
        return f"hire cards worth up to {power}"
    if kind == MERCER:
        return _gain(power)
    return "every crest counts one more" if kind == GUILD else ""


def _steps(name: str, track: State, start: int, steps: int) -> str:
    length = int(track.length)
    if start == length:
        return f"the {name} track is at its end"
    goal, tiles = min(start + steps, length), int(bonus_spaces(track, start, steps))
    gained = f"{tiles} bonus tile{'s' if tiles > 1 else ''}" if tiles else ""
    return _joined(f"{name} track to {goal}", gained, _gain(int(track_pays(track, start, steps))))


def _use(game: State, tile: int) -> str:
    player = game.seats[int(game.actor)]
    if tile == CHAPEL_TILE:
        return _steps("chapel", game.board.chapel, int(player.chapel), TRACK_TILE_STEPS)
    if tile == GATE_TILE:
        return _steps("gate", game.board.gate, int(player.gate), TRACK_TILE_STEPS)
    return USES[tile]


def _done(game: State) -> str:
    phase = int(game.phase)
    if phase == HIRE:
        return "hires no more"
    if phase in (LADY_PHASE, BOOST_PHASE):
        return "keeps the tiles"
    return "ends the turn" if phase == AFTER else "passes without building"
