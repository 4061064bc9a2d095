"""The pieces in the picture: stalls, customers, tokens and the Bobby, recognisable by shape or number, not only colour.

Each piece is centred on the point at which it is drawn.
"""

from __future__ import annotations

from typing import Any, Final

from olb_env.core.svg import CARD, FAINT, GOLD, INK, PAPER, SEATS, at, box, centred, disc, element, path, tooltip
from olb_env.portobello_market.components import BURGHER, CUSTOMERS, LORD, SERVANT

WIDTH, EDGE = 1000, 16  # width of the picture and of its margin
STREET, STREET_EDGE, STREET_DONE = "#d9cfbc", "#8c8270", "#efd79a"
GROUND, GROUND_BOBBY = "#eef0e2", "#d5e0ea"
COATS: Final = {SERVANT: "#5f6f5a", BURGHER: "#7a4f35", LORD: "#4a3a68"}
HATS: Final = {
    SERVANT: "M-6.5 -6 C-6.5 -13.5 6.5 -13.5 6.5 -6 Z",  # a cap
    BURGHER: "M-9 -8.5 H-5.5 V-18 H5.5 V-8.5 H9 V-6 H-9 Z",  # a top hat
    LORD: "M-7 -6.5 L-8.5 -15.5 L-3.5 -11 L0 -18 L3.5 -11 L8.5 -15.5 L7 -6.5 Z",  # a crown
}
BODY: Final = "M-10.5 14 C-10.5 4 -6 2 0 2 C6 2 10.5 4 10.5 14 Z"
LOT_SIZE: Final = 38  # side of a lot at scale 1


def customer(x: float, y: float, who: int, scale: float = 1.0) -> str:
    """Draw a customer, 21 wide and 32 high, recognisable by its hat and by the letter on its coat."""
    lines: dict[str, Any] = {"stroke": INK, "stroke_width": 1.1, "stroke_linejoin": "round"}
    hat = GOLD if who == LORD else CARD if who == SERVANT else INK
    parts = [
        path(BODY, COATS[who], **lines),
        disc(0, -3, 5.6, "#f0d9bf", stroke=INK, stroke_width=1.1),
        path(HATS[who], hat, **lines),
        centred(0, 9, CUSTOMERS[who][0].upper(), 9, fill=CARD),
    ]
    return at(x, y, tooltip(CUSTOMERS[who], *parts), scale=scale)


def bobby(x: float, y: float, scale: float = 1.0) -> str:
    """Draw the policeman with his helmet and a row of buttons."""
    coat = "#27374f"
    parts = [
        path("M-12 16 C-12 4 -7 1.5 0 1.5 C7 1.5 12 4 12 16 Z", coat, stroke=CARD, stroke_width=1.4),
        disc(0, -4, 6.4, "#f0d9bf", stroke=INK, stroke_width=1),
        path("M-8 -7 C-8 -20 -3 -21.5 0 -23.5 C3 -21.5 8 -20 8 -7 Z", coat, stroke=CARD, stroke_width=1.2),
        path("M-10.5 -7.5 H10.5 V-4.8 H-10.5 Z", coat, stroke=CARD, stroke_width=0.8),
        disc(0, -12.5, 2.4, GOLD),
        *(disc(0, down, 1.2, GOLD) for down in (6, 9.5, 13)),
    ]
    return at(x, y, tooltip("the Bobby", *parts), scale=scale)


def lot(x: float, y: float, value: int, owner: int | None, scale: float = 1.0) -> str:
    """Draw a lot with its value; a stall on it has the number of its owner on the awning."""
    half = LOT_SIZE / 2
    if owner is None:
        ground = box(-half, -half, LOT_SIZE, LOT_SIZE, CARD, 5, stroke=STREET_EDGE, stroke_width=1.2)
        return at(x, y, ground, centred(0, 0, value, 19, fill=INK), scale=scale)
    colour = SEATS[owner]
    ground = box(-half, -half, LOT_SIZE, LOT_SIZE, CARD, 5, stroke=colour, stroke_width=1.6)
    width = LOT_SIZE / 4
    corner = half - 4
    awning = f"M{-half} -4 V{-corner} Q{-half} {-half} {-corner} {-half} H{corner} Q{half} {-half} {half} {-corner} V-4"
    scallops = "".join(f" a{width / 2} 5 0 0 1 {-width} 0" for _ in range(4))
    roof = path(f"{awning}{scallops} Z", colour)
    counter = path(f"M{-half + 5} {half - 3} H{half - 5}", stroke=colour, stroke_width=2.4, stroke_linecap="round")
    words = centred(0, -11, owner, 13, fill=CARD) + centred(0, 8.5, value, 13, fill=INK)
    return at(x, y, ground, roof, counter, words, scale=scale)


def token(x: float, y: float, value: int, *, up: bool, own: bool, seat: int) -> str:
    """Draw a token: a disc if it is the player's own, a square if neutral; dark with a small number if face down."""
    edge = SEATS[seat] if own else FAINT
    fill = CARD if up else "#6b6470"
    shape = (
        disc(0, 0, 17, fill, stroke=edge, stroke_width=3)
        if own
        else box(-15.5, -15.5, 31, 31, fill, 4, stroke=edge, stroke_width=2, stroke_dasharray="4 2.5")
    )
    words = centred(0, 0, value, 19) if up else centred(0, 0, value, 13, fill=CARD, bold=False)
    name = f"{'own' if own else 'neutral'} {value}, face {'up' if up else 'down'}"
    return at(x, y, tooltip(name, shape, words))


def mark(x: float, y: float, seat: int, value: int) -> str:
    """Draw the token that marks a district, with the number of its owner in the corner."""
    coin = disc(0, 0, 14, SEATS[seat], stroke=CARD, stroke_width=2) + centred(0, 0, f"×{value}", 14, fill=CARD)
    corner = disc(12, -11, 8, CARD, stroke=SEATS[seat], stroke_width=1.6) + centred(12, -11, seat, 10.5)
    return at(x, y, tooltip(f"marked by seat {seat} with the {value}", coin, corner))


def small_stall(x: float, y: float, seat: int) -> str:
    """Draw a stall in hand."""
    return at(x, y, path("M-10 -8 H10 V-1 A2.5 3 0 0 1 5 -1 A2.5 3 0 0 1 0 -1 A2.5 3 0 0 1 -5 -1 A2.5 3 0 0 1 -10 -1 Z",
              SEATS[seat]), path("M-8 2 V9 H8 V2", stroke=SEATS[seat], stroke_width=2))  # fmt: skip


def tick(x: float, y: float) -> str:
    """Draw the tick of an alley that has been scored."""
    return at(x, y, path("M-4 0 L-1 4 L5 -4", stroke=INK, stroke_width=2.2, stroke_linecap="round"))


def polygon(corners: list[tuple[float, float]], fill: str, **more: Any) -> str:
    """Draw a closed shape through some points."""
    return element("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in corners), fill=fill, **more)


def chip(x: float, y: float, text: str) -> str:
    """Draw a small button with a text."""
    return box(x - 15, y - 9, 30, 18, PAPER, 9, stroke=INK, stroke_width=1) + centred(x, y, text, 11)
