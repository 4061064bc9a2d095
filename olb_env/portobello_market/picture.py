"""A position as an SVG picture: the market as a map, a panel for every seat below.

Like the text, it is for everybody at the table and shows only what everybody knows (§6): the order of the bag is drawn
only if it is open.
"""

from __future__ import annotations

from collections.abc import Sequence

from olb_env.core import svg
from olb_env.core.game import State
from olb_env.core.ranking import ranks_of
from olb_env.core.rulings import rulings_text
from olb_env.core.svg import (
    ACCENT,
    CARD,
    FAINT,
    INK,
    PAPER,
    badge,
    box,
    centred,
    choice,
    heading,
    panel,
    words,
)
from olb_env.portobello_market.components import BURGHER, CUSTOMERS, LORD, RULINGS, SERVANT
from olb_env.portobello_market.picture_map import MAP_HEIGHT, MAP_TOP, market_map
from olb_env.portobello_market.picture_pieces import EDGE, WIDTH, customer
from olb_env.portobello_market.picture_seats import SEAT_GAP, SEAT_HEIGHT, rows_of_seats, seat_panel
from olb_env.portobello_market.state import OVER
from olb_env.portobello_market.text import coming, neutral_left, round_of, situation, turn_order

STRIP_TOP, STRIP_HEIGHT = 104, 54
SEATS_TOP = MAP_TOP + MAP_HEIGHT + SEAT_GAP


def render_svg(game: State, names: Sequence[str] = (), last_action: str = "") -> str:
    """Return the whole position as SVG, with the names of the seats and the last action if they are given."""
    players = int(game.players)
    names = [names[seat] if seat < len(names) else f"seat {seat}" for seat in range(players)]
    height = SEATS_TOP + rows_of_seats(players) * (SEAT_HEIGHT + SEAT_GAP) - SEAT_GAP + EDGE
    parts = [
        box(0, 0, WIDTH, height, PAPER),
        _header(game, names, last_action),
        _bag(game),
        _drawn(game),
        _neutral(game),
        market_map(game),
        *(seat_panel(game, seat, names[seat], SEATS_TOP) for seat in range(players)),
    ]
    return svg.document(WIDTH, height, f"Portobello Market, {situation(game, names)}", *parts)


def _header(game: State, names: Sequence[str], last_action: str) -> str:
    """Draw the title, the round, the order of turns, the decision to make and the last action."""
    over = int(game.phase) == OVER
    seat = ranks_of(game).index(1) if over else int(game.actor)
    now, rulings = round_of(game), rulings_text(game.board.rulings, RULINGS)
    time = "before the first round" if not now else f"round {now}"
    if game.table.last_round:
        time = f"{time}, the last"
    order, step = turn_order(game), 30
    left = WIDTH - EDGE - step * len(order) + step / 2
    turns = []
    for place, other in enumerate(order):
        gone = over or (now > 0 and place < int(game.turn))
        x = left + place * step
        turns.append(svg.element("g", badge(x, 32, other, 11), opacity=0.35 if gone else None))
        if not over and now and place == int(game.turn):
            turns.append(box(x - 12, 46, 24, 3, ACCENT, 1.5))
    return "".join(
        [
            words(EDGE, 40, "Portobello Market", 27, bold=True),
            words(left - 22, 37, time, 14, fill=FAINT, anchor="end"),
            *turns,
            badge(EDGE + 12, 69, seat, 12),
            words(EDGE + 32, 74, situation(game, names), 16, bold=True),
            words(EDGE + 32, 93, f"just done: {last_action}", 13, fill=FAINT) if last_action else "",
            words(WIDTH - EDGE, 93, rulings, 11, fill=FAINT, anchor="end") if rulings else "",
        ]
    )


def _bag(game: State) -> str:
    """Draw what is left in the bag, in order if the bag is open, and the Lord beside it until he is placed."""
    x, y = EDGE, STRIP_TOP
    servants, burghers = (int(count) for count in game.table.bag)
    known = [CUSTOMERS.index(name) for name in coming(game)]
    rest = known if game.open else [SERVANT] * servants + [BURGHER] * burghers
    parts = [panel(x, y, 470, STRIP_HEIGHT), heading(x + 12, y + 20, "Bag")]
    parts.append(words(x + 12, y + 38, "in order" if game.open else f"{len(rest)} left", 12, fill=FAINT))
    parts += [customer(x + 86 + 30 * place, y + 30, who) for place, who in enumerate(rest)]
    waiting = LORD not in game.customer
    lord = customer(x + 440, y + 30, LORD) if waiting else centred(x + 440, y + 27, "Lord out", 10.5, fill=FAINT)
    return choice(["draw"], *parts) + (choice(["lord"], lord) if waiting else lord)


def _drawn(game: State) -> str:
    """Draw the customer to be placed, or the number of actions left."""
    x, y, width = EDGE + 480, STRIP_TOP, 150
    who, left = int(game.drawn), int(game.table.actions_left)
    parts = [panel(x, y, width, STRIP_HEIGHT, ACCENT if who else svg.LINE, 2 if who else 1)]
    parts.append(heading(x + 12, y + 20, "Drawn" if who else "Actions left"))
    if who:
        parts.append(customer(x + width - 30, y + 30, who))
        parts.append(words(x + 12, y + 40, CUSTOMERS[who], 14, bold=True))
    else:
        parts.append(words(x + 12, y + 43, left or "none", 18, bold=True, fill=INK if left else FAINT))
    return "".join(parts)


def _neutral(game: State) -> str:
    """Draw the neutral tokens left, the top one first."""
    x, y, width = EDGE + 640, STRIP_TOP, WIDTH - 2 * EDGE - 640
    parts = [panel(x, y, width, STRIP_HEIGHT), heading(x + 12, y + 20, "Neutral tokens")]
    values = neutral_left(game)
    for place, value in enumerate(values):
        at_x = x + 150 + 23 * place
        edge = {"stroke": INK if place == 0 else FAINT, "stroke_width": 2.0 if place == 0 else 1.2}
        parts.append(box(at_x - 10, y + 16, 21, 21, CARD, 3, stroke_dasharray="4 2.5", **edge))
        parts.append(centred(at_x + 0.5, y + 26.5, value, 14, bold=place == 0))
    parts.append(words(x + 12, y + 38, "top first" if values else "none left", 12, fill=FAINT))
    return "".join(parts)
