"""The seats in the picture: the points, the stalls in hand and the tokens of each."""

from __future__ import annotations

from typing import Final

from olb_env.core.game import State
from olb_env.core.ranking import ranks_of
from olb_env.core.svg import ACCENT, FAINT, LINE, at, badge, choice, coin, panel, tooltip, words
from olb_env.portobello_market.picture_pieces import EDGE, WIDTH, small_stall, token
from olb_env.portobello_market.state import OVER
from olb_env.portobello_market.text import tokens_of, turn_order

SEAT_HEIGHT, SEAT_GAP = 62, 10
COLUMNS: Final = 2
SEAT_WIDTH: Final = (WIDTH - 2 * EDGE - SEAT_GAP) / COLUMNS
ORDINALS: Final = ("1st", "2nd", "3rd", "4th")


def rows_of_seats(players: int) -> int:
    """Return the number of rows that the panels of the seats take."""
    return -(-players // COLUMNS)


def seat_panel(game: State, seat: int, name: str, top: float) -> str:
    """Draw a seat: its name and its possessions."""
    player, acts = game.seats[seat], seat == int(game.actor)
    row, column = divmod(seat, COLUMNS)
    edge, stroke = (ACCENT, 2.5) if acts else (LINE, 1.0)
    hand = int(player.hand)
    parts = [
        panel(0, 0, SEAT_WIDTH, SEAT_HEIGHT, edge, stroke),
        badge(24, 31, seat, 14),
        words(46, 28, short(name, 17), 16, bold=True),
        words(46, 47, _standing(game, seat), 12, fill=FAINT),
        coin(212, 31, "P", 10),
        words(228, 38, int(game.score[seat]), 22, bold=True),
        tooltip(f"{hand} stalls in hand", small_stall(292, 31, seat), words(308, 37, f"×{hand}", 17, bold=True)),
    ]
    for slot, (value, up, own) in enumerate(tokens_of(player)):
        drawn = token(368 + 42 * slot, 31, value, up=up, own=own, seat=seat)
        parts.append(choice([f"token {slot + 1}"], drawn) if acts else drawn)
    return at(EDGE + column * (SEAT_WIDTH + SEAT_GAP), top + row * (SEAT_HEIGHT + SEAT_GAP), *parts)


def _standing(game: State, seat: int) -> str:
    if int(game.phase) == OVER:
        return f"ends {ORDINALS[ranks_of(game)[seat] - 1]}"
    place = turn_order(game).index(seat)
    return f"{ORDINALS[place]} in turn"


def short(name: str, most: int) -> str:
    """Return a name cut to a length."""
    return name if len(name) <= most else name[: most - 1] + "…"
