"""The pieces in the picture: crests, buildings and bonus tiles, each recognisable by its shape and not only by colour.

A building stands on the point at which it is drawn; a crest or tile is centred on it.
"""

from __future__ import annotations

from typing import Any, Final

from olb_env.core.svg import CARD, INK, PAPER, at, box, centred, disc, path, tooltip, words
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    BLUE,
    BOOST,
    CHAPEL,
    CHAPEL_TILE,
    CRESTS,
    CROSS,
    FREE,
    GATE,
    GATE_TILE,
    GREEN,
    GREY,
    GUILD,
    INN,
    KINDS,
    LADY,
    MERCER,
    NO_CREST,
    ORANGE,
    PARK,
    RECALL,
    SHARE,
    TILES,
    TRACK_TILE_STEPS,
)

WIDTH, EDGE = 1000, 16  # width of the picture and of its margin
STONE, STONE_EDGE = "#d9cfbc", "#8c8270"
CREST_COLOURS: Final = {BLUE: "#2a6aa3", ORANGE: "#d0771f", GREY: "#777b82", GREEN: "#38804c"}
ROOFS: Final = {
    CHAPEL: "#6d5a86",
    GATE: "#5a5148",
    INN: "#9c4a36",
    MERCER: "#a5812f",
    GUILD: "#34445c",
    PARK: "#5d8a50",
}
WALLS: Final = {
    CHAPEL: "#f3eef8",
    GATE: "#efe9df",
    INN: "#fbeee6",
    MERCER: "#fbf3dc",
    GUILD: "#e9eef5",
    PARK: "#eef5e6",
}
SHIELD: Final = "M-9 -11 H9 V0 C9 6 5 10 0 12 C-5 10 -9 6 -9 0 Z"
QUARTERS: Final = {
    BLUE: "M-9 -11 H0 V0 H-9 Z",
    ORANGE: "M0 -11 H9 V0 H0 Z",
    GREY: "M-9 0 H0 V12 C-5 10 -9 6 -9 0 Z",
    GREEN: "M0 0 H9 C9 6 5 10 0 12 Z",
}
CHARGES: Final = {  # the figures on the shields: two bars, a sun, a cross, a chevron
    BLUE: "M-6 -6.5 H6 V-3.2 H-6 Z M-6 -0.4 H6 V2.9 H-6 Z",
    ORANGE: "M0 -5.6 A4.8 4.8 0 1 0 0.01 -5.6 Z",
    GREY: "M-1.7 -8 H1.7 V-2.8 H6 V0.6 H1.7 V7 H-1.7 V0.6 H-6 V-2.8 H-1.7 Z",
    GREEN: "M-6.4 2 L0 -6.5 L6.4 2 V6.4 L0 -2 L-6.4 6.4 Z",
}
SMALL_CHARGES: Final = {BLUE: (-4.5, -5.5), ORANGE: (4.5, -5.5), GREY: (-4, 4.4), GREEN: (4, 4.4)}


def crest(x: float, y: float, which: int, scale: float = 1.0) -> str:
    """Draw a shield, if there is one; that of a guild has all four crests in its quarters."""
    if which == NO_CREST:
        return ""
    edge = path(SHIELD, stroke=INK, stroke_width=1)
    if which == ALL_CRESTS:
        parts = [path(QUARTERS[colour], CREST_COLOURS[colour]) for colour in QUARTERS]
        parts += [at(*SMALL_CHARGES[colour], path(CHARGES[colour], CARD), scale=0.5) for colour in QUARTERS]
    else:
        parts = [path(SHIELD, CREST_COLOURS[which]), path(CHARGES[which], CARD)]
    return at(x, y, *parts, edge, scale=scale)


def building(kind: int, number: int, which: int) -> str:
    """Draw a house front, 56 wide and at most 96 high; its outline shows the kind, its wall the number and crest."""
    roof, wall = ROOFS[kind], WALLS[kind]
    lines: dict[str, Any] = {"stroke": INK, "stroke_width": 1.3, "stroke_linejoin": "round"}
    body = box(-24, -58, 48, 58, wall, **lines)
    fronts = {
        CHAPEL: [
            path("M0 -88 V-98 M-4 -94.5 H4", stroke=INK, stroke_width=2),
            body,
            path("M-28 -56 L0 -88 L28 -56 Z", roof, **lines),
            disc(0, -66, 4.5, wall, stroke=INK, stroke_width=1),
        ],
        GATE: [
            box(-17, -62, 34, 62, wall, **lines),
            *(path(f"M{x} 0 V-84 h4 v6 h4 v-6 h4 V0 Z", roof, **lines) for x in (-28, 16)),
            path("M-16 -60 v-10 h6.4 v5 h6.4 v-5 h6.4 v5 h6.4 v-5 h6.4 v10 Z", roof, **lines),
        ],
        INN: [
            box(9, -92, 8, 20, roof, **lines),
            body,
            path("M-29 -56 L-19 -80 H19 L29 -56 Z", roof, **lines),
            path("M-7 -73 h10 v12 h-10 Z M3 -70 h4 v6 h-4", wall, stroke=INK, stroke_width=1),
        ],
        MERCER: [
            path("M-26 0 V-60 H-18 V-70 H-10 V-80 H-4 V-88 H4 V-80 H10 V-70 H18 V-60 H26 V0 Z", wall, **lines),
            path("M-26 -60 H-18 V-70 H-10 V-80 H-4 V-88 H4 V-80 H10 V-70 H18 V-60 H26 V-56 H-26 Z", roof, **lines),
        ],
        GUILD: [
            path("M0 -78 V-98", stroke=INK, stroke_width=1.6),
            path("M0 -98 L15 -94 L0 -89 Z", roof, stroke=INK, stroke_width=1),
            body,
            path("M-24 -58 V0 M-17 -58 V0 M17 -58 V0 M24 -58 V0", stroke=INK, stroke_width=1.3),
            path("M-30 -56 L0 -78 L30 -56 Z", roof, **lines),
        ],
        PARK: [
            path("M-28 0 C-26 -12 -14 -16 0 -16 S26 -12 28 0 Z", wall, **lines),
            box(-3, -44, 6, 30, "#7a5a3c", stroke=INK, stroke_width=1),
            path("M0 -88 C10 -92 18 -84 16 -76 C26 -72 24 -56 14 -55 C12 -46 -12 -46 -14 -55 C-24 -56 -26 -72 -16 -76"
                 " C-18 -84 -10 -92 0 -88 Z", roof, **lines),
        ],
    }  # fmt: skip
    name = " ".join(
        part for part in (KINDS[kind], str(number or ""), CRESTS[which] if which < ALL_CRESTS else "") if part
    )
    inside = crest(0, -14, which) if kind == PARK else centred(0, -42, number, 21) + crest(0, -15, which, 0.95)
    return tooltip(name, *fronts[kind], inside)


def bonus_tile(x: float, y: float, tile: int) -> str:
    """Draw a bonus tile, 54 by 38, with a sign for its effect and its name."""
    arrow = "M-5 4 L0 -5 L5 4 Z"
    signs = {
        LADY: centred(0, -5, "+2", 15),
        BOOST: at(-8, -5, path(arrow, INK)) + centred(5, -5, "+1", 15),
        SHARE: at(-6, 3, pawn_shape(), scale=0.8) + at(6, 3, pawn_shape(), scale=0.8),
        FREE: centred(0, -5, "£0", 15),
        CROSS: path("M-6 -11 L6 1 M6 -11 L-6 1", stroke=INK, stroke_width=3.2, stroke_linecap="round"),
        RECALL: path("M-6 -5 A6 6 0 1 1 -2 0.6", stroke=INK, stroke_width=2.4)
        + at(-6, -3, path("M-4.5 -2 H4.5 L0 4 Z", INK)),
        CHAPEL_TILE: at(-8, 3, small_building(CHAPEL), scale=0.2) + centred(6, -5, f"+{TRACK_TILE_STEPS}", 13),
        GATE_TILE: at(-8, 3, small_building(GATE), scale=0.2) + centred(6, -5, f"+{TRACK_TILE_STEPS}", 13),
    }
    face = box(-27, -19, 54, 38, PAPER, 7, stroke=INK, stroke_width=1.1)
    return at(x, y, face, signs[tile], words(0, 14, TILES[tile], 10.5, anchor="middle"))


def pawn_shape() -> str:
    """Draw a pawn that belongs to no seat."""
    return path("M-7 0 C-7 -8 -3.5 -8 -3.5 -11 A5 5 0 1 1 3.5 -11 C3.5 -8 7 -8 7 0 Z", INK)


def small_building(kind: int) -> str:
    """Draw the outline of a kind of building."""
    outlines = {
        CHAPEL: "M-28 0 V-56 L-4 -84 V-98 H4 V-84 L28 -56 V0 Z",
        GATE: "M-28 0 V-82 H-12 V-62 H12 V-82 H28 V0 H10 V-24 A10 10 0 0 0 -10 -24 V0 Z",
        INN: "M-24 0 V-56 H-29 L-19 -80 H9 V-92 H17 V-80 H19 L29 -56 H24 V0 Z",
    }
    return path(outlines[kind], INK)
