"""A position as an SVG picture: the rope bridge above, a row for every seat below.

Like the text, it is for everybody at the table and shows only what everybody knows (§4): a special card that has not
been played and a card that has been chosen are drawn face down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from olb_env.core import svg
from olb_env.core.game import State
from olb_env.core.ranking import ranks_of
from olb_env.core.rulings import rulings_text
from olb_env.core.svg import (
    ACCENT,
    CARD,
    FAINT,
    GOLD_EDGE,
    INK,
    LINE,
    PAPER,
    at,
    badge,
    box,
    centred,
    choice,
    disc,
    heading,
    panel,
    path,
    pawn,
    tooltip,
    words,
)
from olb_env.wobbly_bridge.components import (
    CALM,
    CARDS,
    EAST_END,
    EAST_WIND,
    GREENS,
    HEAVY,
    IDEA,
    MATCHES,
    NORMALS,
    ORDER,
    REDS,
    RULINGS,
    START,
    WEST_END,
)
from olb_env.wobbly_bridge.notation import ACTIONS, SPECIAL_ACTIONS
from olb_env.wobbly_bridge.state import OVER
from olb_env.wobbly_bridge.text import (
    EVENT_NAMES,
    decision,
    deck_contents,
    outcome,
    played_in,
    revealed_events,
    standing_on,
)

WIDTH, EDGE = 1000, 16  # width of the picture and of its margin
CLIFF, PLANK = 46, 42  # widths
BRIDGE_TOP, DECK, SAG = 104, 214, 14
EVENTS_TOP: Final = 282
SEATS_TOP, SEAT_HEIGHT, SEAT_GAP = 340, 82, 8
CARD_WIDTH, CARD_HEIGHT, CARD_STEP = 56, 58, 60
HAND_LEFT, PLAYED_LEFT, PLAYED_STEP = 152, 548, 69
WOOD, WOOD_EDGE, ROPE, ROCK, BACK = "#d9b98a", "#8a6a3f", "#8a7350", "#b8ad9c", "#6b6470"
GREEN, RED = "#2f6b4f", ACCENT
ARROW: Final = {"west": "M4 -5 L-5 0 L4 5 Z", "east": "M-4 -5 L5 0 L-4 5 Z"}
ORDINALS: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th")


def render_svg(game: State, names: Sequence[str] = (), last_action: str = "") -> str:
    """Return the whole position as SVG, with the names of the seats and the last action if they are given."""
    players = int(game.players)
    names = [names[seat] if seat < len(names) else f"seat {seat}" for seat in range(players)]
    height = SEATS_TOP + players * (SEAT_HEIGHT + SEAT_GAP) + EDGE - SEAT_GAP
    parts = [
        box(0, 0, WIDTH, height, PAPER),
        _header(game, names, last_action),
        _bridge(game),
        _events(game),
        *(_seat(game, seat, names[seat], SEATS_TOP + seat * (SEAT_HEIGHT + SEAT_GAP)) for seat in range(players)),
    ]
    return svg.document(WIDTH, height, f"The Wobbly Bridge, {situation(game, names)}", *parts)


def situation(game: State, names: Sequence[str]) -> str:
    """Return who has to decide what, or who has won."""
    if int(game.phase) == OVER:
        return f"the game is over: {outcome(game, names)}"
    return f"{names[int(game.actor)]} {decision(game)}"


def _header(game: State, names: Sequence[str], last_action: str) -> str:
    """Draw the title, the matches, the decision to make and the last action."""
    now, step, rulings = int(game.match_number), 29, rulings_text(game.rulings, RULINGS)
    left = WIDTH - EDGE - MATCHES * step + step / 2
    matches = []
    for number in range(1, MATCHES + 1):
        x, begun = left + (number - 1) * step, number <= now
        edge = {"stroke": ACCENT, "stroke_width": 3} if number == now else {"stroke": LINE, "stroke_width": 1.2}
        matches.append(disc(x, 32, 12, CARD if begun else "none", **edge))
        matches.append(centred(x, 32, number, 13, fill=INK if begun else FAINT, bold=begun))
    seat = ranks_of(game).index(1) if int(game.phase) == OVER else int(game.actor)
    return "".join(
        [
            words(EDGE, 40, "The Wobbly Bridge", 27, bold=True),
            words(left - 22, 37, f"match {now} of {MATCHES}", 14, fill=FAINT, anchor="end"),
            *matches,
            badge(EDGE + 12, 69, seat, 12),
            words(EDGE + 32, 74, situation(game, names), 16, bold=True),
            words(EDGE + 32, 93, f"just done: {last_action}", 13, fill=FAINT) if last_action else "",
            words(WIDTH - EDGE, 93, rulings, 11, fill=FAINT, anchor="end") if rulings else "",
        ]
    )


# The bridge.


def _hanging(space: float) -> float:
    """Return how far the bridge hangs down at a space."""
    half = (EAST_END - WEST_END) / 2
    return SAG * (1 - ((space - START) / half) ** 2)


def _bridge(game: State) -> str:
    """Draw the planks between two cliffs, and the explorers on them."""
    left = (WIDTH - PLANK * EAST_END) / 2
    middle = left + PLANK * EAST_END / 2
    right = WIDTH - left
    cliff = f"M0 0 H{CLIFF} C{CLIFF - 8} 22 {CLIFF + 2} 34 {CLIFF - 12} 56 H0 Z"
    parts = [
        heading(EDGE, BRIDGE_TOP + 22, "West: safety"),
        words(WIDTH - EDGE, BRIDGE_TOP + 22, "EAST: THE PURSUERS", 10.5, fill=FAINT, bold=True, anchor="end",
              letter_spacing="1.2"),
        at(left - CLIFF, DECK, path(cliff, ROCK, stroke=INK, stroke_width=1.2)),
        svg.element("g", path(cliff, ROCK, stroke=INK, stroke_width=1.2),
                    transform=f"translate({svg.number(right + CLIFF)} {DECK}) scale(-1 1)"),
        *(box(x - 3, DECK - 46, 6, 48, WOOD, 2, stroke=WOOD_EDGE) for x in (left - 6, right + 6)),
    ]  # fmt: skip
    for height, thick in ((-42, 2.4), (4, 3)):
        rope = f"M{left - 6} {DECK + height} Q{middle} {DECK + height + 2 * SAG} {right + 6} {DECK + height}"
        parts.append(path(rope, stroke=ROPE, stroke_width=thick))
    explorers = []
    for space in range(WEST_END, EAST_END + 1):
        x, y = left + PLANK * (space - WEST_END + 0.5), DECK + _hanging(space)
        end = space in (WEST_END, EAST_END)
        knot = f"M{svg.number(x - PLANK / 2)} {svg.number(y)} v-44"
        parts.append(path(knot, stroke=ROPE, stroke_width=1) if space > WEST_END else "")
        plank = box(x - PLANK / 2 + 2, y - 2, PLANK - 4, 19, "#f3dfa6" if end else WOOD, 3, stroke=WOOD_EDGE)
        parts.append(plank + centred(x, y + 7.5, space, 12, bold=end or space == START))
        explorers.append(_explorers(standing_on(game, space), x, y - 1))
    return "".join([*parts, *explorers])


def _explorers(seats: Sequence[int], x: float, y: float) -> str:
    """Draw the explorers on one space, in rows of two."""
    pairs = [seats[first : first + 2] for first in range(0, len(seats), 2)]
    size = 1.45 if len(seats) == 1 else 1.15
    return "".join(
        at(x - 10 * (len(pair) - 1) + 20 * place, y - 29 * row, pawn(0, 0, seat), scale=size)
        for row, pair in reversed(list(enumerate(pairs)))
        for place, seat in enumerate(pair)
    )


def _events(game: State) -> str:
    """Draw the event of each match so far, and what is still in the deck."""
    shown, parts = revealed_events(game), [heading(EDGE, EVENTS_TOP + 22, "Events")]
    for match in range(1, MATCHES + 1):
        x = EDGE + 66 + (match - 1) * 96
        if match > len(shown):
            parts.append(box(x, EVENTS_TOP, 90, 36, "none", 6, stroke=LINE, stroke_width=1.2, stroke_dasharray="4 3"))
            parts.append(centred(x + 45, EVENTS_TOP + 18, match, 13, fill=FAINT, bold=False))
            continue
        event = shown[match - 1]
        sign = "M-8 -2 h16 M-8 3 h16"
        if event != CALM:
            # A wind is named after where it comes from; the arrow shows where it drives explorers.
            tip = "M-8 0 l6 -5 M-8 0 l6 5" if event == EAST_WIND else "M8 0 l-6 -5 M8 0 l-6 5"
            sign = f"M-8 0 h16 {tip}"
        parts.append(box(x, EVENTS_TOP, 90, 36, CARD, 6, stroke=INK, stroke_width=1.1))
        parts.append(at(x + 14, EVENTS_TOP + 18, path(sign, stroke=INK, stroke_width=2, stroke_linecap="round")))
        parts.append(words(x + 27, EVENTS_TOP + 22.5, EVENT_NAMES[event], 12.5, bold=event != CALM))
    left = EDGE + 66 + MATCHES * 96 + 12
    parts.append(words(left, EVENTS_TOP + 15, "still in the deck:", 12, fill=FAINT))
    parts.append(words(left, EVENTS_TOP + 31, deck_contents(game), 13, bold=True))
    return "".join(parts)


# The seats.


def _seat(game: State, seat: int, name: str, y: float) -> str:
    """Draw a seat: its name and space, its hand, and what it has played in each match."""
    player, acts, over = game.seats[seat], seat == int(game.actor), int(game.phase) == OVER
    rank = ranks_of(game)[seat]
    won = over and rank == 1
    edge, stroke = (ACCENT, 2.5) if acts else (GOLD_EDGE, 2.5) if won else (LINE, 1.0)
    where = f"{ORDINALS[rank - 1]}, on {int(player.space)}" if over else f"on {int(player.space)}"
    parts = [
        panel(0, 0, WIDTH - 2 * EDGE, SEAT_HEIGHT, edge, stroke),
        badge(24, 28, seat, 13),
        words(44, 33, _short(name, 13), 15, bold=True),
        words(44, 58, where, 17, bold=True, fill=INK),
    ]
    for kind in range(NORMALS):
        held = _card(HAND_LEFT + CARD_STEP * kind, 12, kind, int(player.hand[kind]))
        parts.append(choice([ACTIONS[kind]], held) if acts else held)
    x = HAND_LEFT + CARD_STEP * NORMALS + 8
    if player.holds_special:
        back = tooltip("a special card, not yet played", _back(x, 12))
        parts.append(choice(SPECIAL_ACTIONS, back) if acts else back)
    else:
        parts.append(_card(x, 12, int(game.special[seat]), 0))
    parts.append(path(f"M{PLAYED_LEFT - 22} 10 V{SEAT_HEIGHT - 10}", stroke=LINE, stroke_width=1.2))
    parts += [_played(game, match, seat) for match in range(1, MATCHES + 1)]
    return at(EDGE, y, *parts)


def _short(name: str, most: int) -> str:
    """Return a name cut to a length."""
    return name if len(name) <= most else name[: most - 1] + "…"


def _played(game: State, match: int, seat: int) -> str:
    """Draw what a seat showed in a match; in the current one, also that it has chosen a card."""
    x, cards = PLAYED_LEFT - 8 + PLAYED_STEP * (match - 1), played_in(game, match, seat)
    now = match == int(game.match_number)
    parts = []
    if now and int(game.phase) != OVER:
        parts.append(box(x - 4, 8, CARD_WIDTH + 8, CARD_HEIGHT + 8, "none", 7, stroke=ACCENT, stroke_width=1.4))
    if int(game.pick[seat]) and now:
        parts.append(tooltip("a card chosen face down", _back(x, 12)))
    elif cards:
        parts.append(_card(x, 12, cards[-1], 1))
    else:
        parts.append(box(x, 12, CARD_WIDTH, CARD_HEIGHT, "none", 5, stroke=LINE, stroke_dasharray="2.5 2.5"))
        parts.append(centred(x + CARD_WIDTH / 2, 12 + CARD_HEIGHT / 2, match, 13, fill=FAINT, bold=False))
    if IDEA in cards[:1] and (len(cards) > 1 or int(game.pick[seat])):
        parts.append(box(x + 8, 62, CARD_WIDTH - 16, 15, INK, 7.5))
        parts.append(centred(x + CARD_WIDTH / 2, 69.5, CARDS[IDEA], 11, fill=CARD))
    return "".join(parts)


def _back(x: float, y: float) -> str:
    """Draw a card face down."""
    inside = box(x + 5, y + 5, CARD_WIDTH - 10, CARD_HEIGHT - 10, "none", 3, stroke=CARD, stroke_width=1)
    face = box(x, y, CARD_WIDTH, CARD_HEIGHT, BACK, 5, stroke=INK, stroke_width=1.1)
    return face + inside + centred(x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2, "?", 22, fill=CARD)


def _card(x: float, y: float, card: int, count: int) -> str:
    """Draw a card with its name and numbers; with a badge for two, as a faint outline for none."""
    middle = x + CARD_WIDTH / 2
    if count == 0:
        outline: dict[str, Any] = {"stroke": LINE, "stroke_width": 1, "stroke_dasharray": "2.5 2.5"}
        empty = box(x, y, CARD_WIDTH, CARD_HEIGHT, "none", 5, **outline)
        return empty + centred(middle, y + CARD_HEIGHT / 2, CARDS[card], 12.5, fill=FAINT, bold=False)
    parts = [box(x + 3, y - 3, CARD_WIDTH, CARD_HEIGHT, CARD, 5, stroke=FAINT)] if count > 1 else []
    parts.append(box(x, y, CARD_WIDTH, CARD_HEIGHT, CARD, 5, stroke=INK, stroke_width=1.1))
    parts.append(centred(middle, y + 14, CARDS[card], 13))
    if card < NORMALS:
        parts += [
            at(x + 9, y + 40, path(ARROW["west"], GREEN)),
            centred(x + 20, y + 40, GREENS[card], 19, fill=GREEN),
            centred(x + 36, y + 40, REDS[card], 19, fill=RED),
            at(x + 47, y + 40, path(ARROW["east"], RED)),
        ]
    else:
        signs = {
            IDEA: "M0 -11 A8 8 0 0 1 4 4 V8 H-4 V4 A8 8 0 0 1 0 -11 Z M-3 11 H3",
            ORDER: "M-11 -3 L8 -10 V10 L-11 3 Z M-7 4 V11 H-2 V6",
            HEAVY: "M-6 -7 H6 L12 11 H-12 Z M-3 -7 A3.5 3.5 0 1 1 3 -7",
        }
        sign = path(signs[card], PAPER, stroke=INK, stroke_width=1.8, stroke_linejoin="round")
        parts.append(at(middle, y + 38, sign))
    if count > 1:
        corner_x, corner_y = x + CARD_WIDTH - 2, y + CARD_HEIGHT - 2
        parts.append(disc(corner_x, corner_y, 8, INK) + centred(corner_x, corner_y, count, 11, fill=CARD))
    return "".join(parts)
