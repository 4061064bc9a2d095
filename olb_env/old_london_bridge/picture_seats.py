"""The seats in the picture: money, cards and tiles of each, and its bridge over the river."""

from __future__ import annotations

from typing import Final

from olb_env.core.game import State
from olb_env.core.svg import (
    ACCENT,
    CARD,
    FAINT,
    INK,
    LINE,
    PAPER,
    at,
    badge,
    box,
    centred,
    choice,
    coin,
    panel,
    path,
    playing_card,
    tooltip,
    words,
)
from olb_env.old_london_bridge.components import (
    CARD_VALUES,
    COLOURS,
    CRESTS,
    SPACES,
    TILES,
)
from olb_env.old_london_bridge.picture_pieces import EDGE, STONE, STONE_EDGE, WIDTH, building, crest
from olb_env.old_london_bridge.state import PLAY
from olb_env.old_london_bridge.text import ORDINALS, hidden_hand, hides_possessions, picked

SEAT_HEIGHT: Final = 152
BRIDGE_LEFT, SPACE = 250, 61
WATER, WAVE, CARD_BACK = "#cfe0e4", "#8fb0ba", "#6b6470"


def seat_panel(game: State, seat: int, name: str, y: float) -> str:
    """Draw a seat: its name, its possessions and its bridge."""
    player, acts = game.seats[seat], seat == int(game.actor)
    edge, stroke = (ACCENT, 2.5) if acts else (LINE, 1.0)
    chapel = ORDINALS[int(player.standing)]
    parts = [
        panel(0, 0, WIDTH - 2 * EDGE, SEAT_HEIGHT, edge, stroke),
        badge(24, 24, seat, 13),
        words(44, 29, short(name, 15), 16, bold=True),
        coin(176, 23, "£", 9),
        words(190, 30, "?" if hides_possessions(game) else int(game.money[seat]), 21, bold=True),
        _hand(game, seat, acts=acts),
    ]
    for colour in range(COLOURS):
        x = 22 + colour * 37
        count = int(player.power[colour])
        sign = crest(x, 95, colour + 1, 0.8) + words(x + 11, 100, count, 14, bold=True)
        parts.append(tooltip(f"{CRESTS[colour + 1]}: power {count}", sign))
    parts.append(words(226, 100, f"chapel {chapel}", 11.5, fill=FAINT, anchor="end"))
    parts.append(_tiles(game, seat, acts=acts))
    parts.append(at(BRIDGE_LEFT - EDGE, 0, _bridge(game, seat, acts=acts)))
    return at(EDGE, y, *parts)


def short(name: str, most: int) -> str:
    """Return a name cut to a length."""
    return name if len(name) <= most else name[: most - 1] + "…"


def _hand(game: State, seat: int, *, acts: bool) -> str:
    """Draw the cards in hand by value, and the cards of this round."""
    player, parts = game.seats[seat], []
    if hides_possessions(game):
        parts.append(_card_back(12) + words(42, 65, hidden_hand(player), 14, bold=True))
    else:
        held = [
            playing_card(12 + 33 * value, 46, value, 22, 29, int(player.hand[value])) for value in range(CARD_VALUES)
        ]
        parts += [choice([f"play {value}"], card) if acts else card for value, card in enumerate(held)]
    if int(game.phase) == PLAY:
        for card in range(picked(game, seat)):
            parts.append(_card_back(182 + card * 26))
        return "".join(parts)
    for card in range(2):
        if player.card[card]:
            x = 182 + card * 26
            parts.append(box(x - 2, 42, 26, 37, "none", 5, stroke=ACCENT, stroke_width=1.2))
            parts.append(playing_card(x, 46, int(player.card[card]) - 1, 22, 29))
    return "".join(parts)


def _card_back(x: float) -> str:
    return box(x, 46, 22, 29, CARD_BACK, 3.5, stroke=INK) + centred(x + 11, 60.5, "?", 15, fill=CARD)


def _tiles(game: State, seat: int, *, acts: bool) -> str:
    """Draw the bonus tiles held; dashed if gained in this round, since they are usable only from the next one on."""
    player, chips, x, y = game.seats[seat], [], 10.0, 112.0
    for tile, name in enumerate(TILES):
        fresh = int(player.fresh[tile])
        for count, new in ((int(player.tiles[tile]) - fresh, False), (fresh, True)):
            if not count:
                continue
            text = f"{name} ×{count}" if count > 1 else name
            wide = 5.9 * len(text) + 12
            if x + wide > BRIDGE_LEFT - EDGE - 8:
                x, y = 10.0, y + 19
            dashes = {"stroke_dasharray": "3 2"} if new else {}
            chip = box(x, y, wide, 16, PAPER, 8, stroke=INK, stroke_width=1, **dashes) + centred(
                x + wide / 2, y + 8, text, 11, bold=not new
            )
            names = [f"use {name}", *(["boost low"] if name == "boost" else [])]
            if new:
                chip = tooltip(f"{name}, usable next round", chip)
            chips.append(choice(names, chip) if acts and not new else chip)
            x += wide + 5
    return "".join(chips)


def _bridge(game: State, seat: int, *, acts: bool) -> str:
    """Draw twelve spaces over the river: houses on arches, and only the piers where nothing is built yet."""
    player, parts = game.seats[seat], []
    wide = SPACE * SPACES
    parts.append(box(0, 122, wide, 28, WATER, 4))
    parts += [
        path(f"M{x} {y} q6 -4 12 0 t12 0", stroke=WAVE, stroke_width=1.2)
        for y, first in ((134, 6), (144, 30))
        for x in range(first, wide - 24, 61)
    ]
    for space in range(SPACES):
        kind = int(player.bridge_kind[space])
        x = space * SPACE
        if not kind:
            pier = f"M{x + 4} 150 V112 M{x + SPACE - 4} 150 V112"
            parts.append(path(pier, stroke=LINE, stroke_width=3))
            parts.append(
                box(x + 5, 40, SPACE - 10, 68, "none", 5, stroke=LINE, stroke_width=1.2, stroke_dasharray="4 4")
            )
            parts.append(centred(x + SPACE / 2, 76, space + 1, 14, fill=FAINT, bold=False))
            continue
        arch = f"M{x} 108 H{x + SPACE} V150 H{x + SPACE - 7} V140 A{SPACE / 2 - 7} 20 0 0 0 {x + 7} 140 V150 H{x} Z"
        stone = path(arch, STONE, stroke=STONE_EDGE, stroke_width=1.1, stroke_linejoin="round")
        house = at(
            x + SPACE / 2, 108, building(kind - 1, int(player.bridge_number[space]), int(player.bridge_crest[space]))
        )
        parts.append(choice([f"replace {space + 1}"], stone, house) if acts else stone + house)
    return "".join(parts)
