"""SVG drawing: the few shapes that pictures of positions are made of, and the colours they share.

Every function returns a piece of SVG as text, and a picture is put together from pieces. A shape that stands for
actions carries their names (`choice`), so that the page can make it clickable. This module is independent of any game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

FONT: Final = "'Source Sans Pro', 'Source Sans 3', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

# Ink on warm paper, and few colours. Seats have numbers too, so that nobody needs colours to tell them apart.
INK, PAPER, CARD, LINE, FAINT = "#2c2a33", "#f4eee1", "#fffdf8", "#cfc4ae", "#5a554d"
ACCENT, GOLD, GOLD_EDGE = "#a8362e", "#e7bf58", "#a97f1f"
SEATS: Final = ("#a8362e", "#245a86", "#8a6410", "#65437f", "#2f6b4f", "#5a5a5a")


def style_sheet() -> str:
    """Return the colours and the font as CSS variables, for a page around the pictures."""
    names = {"ink": INK, "paper": PAPER, "card": CARD, "line": LINE, "faint": FAINT, "accent": ACCENT, "gold": GOLD}
    seats = {f"seat-{seat}": colour for seat, colour in enumerate(SEATS)}
    variables = "".join(f"--{name}:{value};" for name, value in {**names, **seats, "font": FONT}.items())
    return f":root{{{variables}}}"


def number(value: float) -> str:
    """Return a number with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, *inside: str, **attributes: object) -> str:
    """Return any element; `stroke_width` becomes stroke-width, and attributes that are None are left out."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(number(value) if isinstance(value, float) else str(value))}"
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def document(width: float, height: float, title: str, *inside: str) -> str:
    """Return a whole picture with a title; it scales to the width of its container."""
    return element(
        "svg",
        element("title", escape(title)),
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=number(width),
        height=number(height),
        role="img",
        font_family=FONT,
        style="max-width:100%;height:auto",
    )


def at(x: float, y: float, *inside: str, scale: float = 1.0) -> str:
    """Return pieces moved to a point, and scaled."""
    scaling = "" if scale == 1 else f" scale({number(scale)})"
    return element("g", *inside, transform=f"translate({number(x)} {number(y)}){scaling}")


def choice(actions: Iterable[str], *inside: str) -> str:
    """Return pieces that stand for some actions."""
    return element("g", *inside, data_actions="|".join(actions))


def tooltip(text: str, *inside: str) -> str:
    """Return pieces with a text that appears beside the pointer and that screen readers read."""
    return element("g", element("title", escape(text)), *inside)


def box(x: float, y: float, width: float, height: float, fill: str, round_: float = 0, **more: Any) -> str:
    """Return a rectangle."""
    return element("rect", x=x * 1.0, y=y * 1.0, width=width * 1.0, height=height * 1.0, rx=round_ or None,
                   fill=fill, **more)  # fmt: skip


def disc(x: float, y: float, radius: float, fill: str, **more: Any) -> str:
    """Return a circle."""
    return element("circle", cx=x * 1.0, cy=y * 1.0, r=radius * 1.0, fill=fill, **more)


def path(way: str, fill: str = "none", **more: Any) -> str:
    """Return an outline; `way` is the attribute `d` of SVG."""
    return element("path", d=way, fill=fill, **more)


def words(
    x: float, y: float, text: object, size: float = 13, *, fill: str = INK, bold: bool = False, anchor: str = "start",
    **more: Any,
) -> str:  # fmt: skip
    """Return a line of text; y is its baseline."""
    return element(
        "text", escape(str(text)), x=x * 1.0, y=y * 1.0, font_size=size * 1.0, fill=fill,
        font_weight="700" if bold else None, text_anchor=None if anchor == "start" else anchor, **more,
    )  # fmt: skip


def centred(x: float, y: float, text: object, size: float = 13, *, fill: str = INK, bold: bool = True) -> str:
    """Return a text centred on a point."""
    return words(x, y + size * 0.34, text, size, fill=fill, bold=bold, anchor="middle")


def heading(x: float, y: float, text: str) -> str:
    """Return the heading of a part of the picture."""
    return words(x, y, text.upper(), 10.5, fill=FAINT, bold=True, letter_spacing="1.2")


def coin(x: float, y: float, amount: object, radius: float = 11) -> str:
    """Return a coin with an amount."""
    return disc(x, y, radius, GOLD, stroke=GOLD_EDGE, stroke_width=1.2) + centred(x, y, amount, radius * 1.05)


def badge(x: float, y: float, seat: int, radius: float = 9) -> str:
    """Return the marker of a seat: its number on its colour."""
    ring = disc(x, y, radius, SEATS[seat], stroke=CARD, stroke_width=1.5)
    return ring + centred(x, y, seat, radius * 1.3, fill=CARD)


def pawn(x: float, y: float, seat: int) -> str:
    """Return the pawn of a seat, standing on a point."""
    body = "M-8 0 C-8 -9 -4 -9 -4 -14 A6 6 0 1 1 4 -14 C4 -9 8 -9 8 0 Z"
    figure = path(body, SEATS[seat], stroke=CARD, stroke_width=1.4, stroke_linejoin="round")
    return at(x, y, figure, centred(0, -5, seat, 9.5, fill=CARD))


def playing_card(x: float, y: float, value: object, width: float = 24, height: float = 32, count: int = 1) -> str:
    """Return a card; several of a kind show a second card and their number, none is a faint outline."""
    if count == 0:
        empty = box(x, y, width, height, "none", 3.5, stroke=LINE, stroke_width=1, stroke_dasharray="2.5 2.5")
        return empty + centred(x + width / 2, y + height / 2, value, 13, fill=FAINT, bold=False)
    behind = box(x + 3, y - 2.5, width, height, CARD, 3.5, stroke=FAINT, stroke_width=1) if count > 1 else ""
    face = box(x, y, width, height, CARD, 3.5, stroke=INK, stroke_width=1.1)
    tally = (
        disc(x + width, y + height - 1, 7.5, INK) + centred(x + width, y + height - 1, count, 10, fill=CARD)
        if count > 1
        else ""
    )
    return behind + face + centred(x + width / 2, y + height / 2, value, 16) + tally


def panel(x: float, y: float, width: float, height: float, edge: str = LINE, stroke: float = 1) -> str:
    """Return a sheet of lighter paper."""
    return box(x, y, width, height, CARD, 8, stroke=edge, stroke_width=stroke)


def around(x: float, y: float, radius: float, degrees: float) -> tuple[float, float]:
    """Return a point on a circle; angles run clockwise from the top."""
    turn = math.radians(degrees)
    return x + radius * math.sin(turn), y - radius * math.cos(turn)


def ring_part(x: float, y: float, inner: float, outer: float, first: float, last: float) -> str:
    """Return the outline of a sector of a ring, clockwise from one angle to another."""
    corners = [
        around(x, y, outer, first),
        around(x, y, outer, last),
        around(x, y, inner, last),
        around(x, y, inner, first),
    ]
    (a, b), (c, d), (e, f), (g, h) = corners
    outside, inside = number(outer), number(inner)
    return (
        f"M{number(a)} {number(b)} A{outside} {outside} 0 0 1 {number(c)} {number(d)} "
        f"L{number(e)} {number(f)} A{inside} {inside} 0 0 0 {number(g)} {number(h)} Z"
    )
