"""A position as an SVG picture: the board above, a bridge for every seat below.

Like the text, it is for everybody at the table and shows only what everybody knows (§9). It reads nothing of `hidden`
but the face-up tile of each bonus pile and the revealed markers, only the presence of a `pick`, and never `legal`.
"""

from __future__ import annotations

from collections.abc import Sequence

from olb_env.core import svg
from olb_env.core.game import State
from olb_env.core.svg import (
    ACCENT,
    CARD,
    FAINT,
    INK,
    LINE,
    PAPER,
    badge,
    box,
    centred,
    disc,
    heading,
    panel,
    words,
)
from olb_env.old_london_bridge.components import (
    AREAS,
    ROUNDS,
    SCORINGS,
)
from olb_env.old_london_bridge.picture_board import (
    BOARD_LEFT,
    BOARD_TOP,
    chapel_spaces,
    gate_spaces,
    piles,
    rondel,
    scoring_areas,
    supply,
    turns,
)
from olb_env.old_london_bridge.picture_pieces import EDGE, WIDTH
from olb_env.old_london_bridge.picture_seats import SEAT_HEIGHT, seat_panel, short
from olb_env.old_london_bridge.record_format import ranking
from olb_env.old_london_bridge.state import OVER
from olb_env.old_london_bridge.text import ORDINALS, account, decision, pounds

SEATS_TOP, SEAT_GAP = 512, 10


def render_svg(game: State, names: Sequence[str] = (), last_action: str = "") -> str:
    """Return the whole position as SVG, with the names of the seats and the last action if they are given."""
    players = int(game.players)
    names = [names[seat] if seat < len(names) else f"seat {seat}" for seat in range(players)]
    over = int(game.phase) == OVER
    height = SEATS_TOP + players * (SEAT_HEIGHT + SEAT_GAP) + EDGE - SEAT_GAP
    parts = [
        box(0, 0, WIDTH, height, PAPER),
        _header(game, names, last_action),
        rondel(game),
        turns(game),
        chapel_spaces(game),
        gate_spaces(game),
        *([_account(game, names)] if over else [piles(game), supply(game), scoring_areas(game)]),
        *(seat_panel(game, seat, names[seat], SEATS_TOP + seat * (SEAT_HEIGHT + SEAT_GAP)) for seat in range(players)),
    ]
    return svg.document(WIDTH, height, f"Old London Bridge, {situation(game, names)}", *parts)


def situation(game: State, names: Sequence[str]) -> str:
    """Return who has to decide what, or who has won."""
    if int(game.phase) == OVER:
        first = ranking(game)[0]
        return f"the game is over: {names[first]} wins with {pounds(int(game.money[first]))}"
    return f"{names[int(game.actor)]} {decision(game)}"


def _header(game: State, names: Sequence[str], last_action: str) -> str:
    """Draw the title, the round markers, the decision to make and the last action."""
    rounds, now = ROUNDS[int(game.players)], int(game.round_number)
    step = 29
    left = WIDTH - EDGE - rounds * step + step / 2
    markers = []
    for number in range(1, rounds + 1):
        x, shown = left + (number - 1) * step, number <= now
        edge = {"stroke": ACCENT, "stroke_width": 3} if number == now else {"stroke": LINE, "stroke_width": 1.2}
        markers.append(disc(x, 32, 12, CARD if shown else "none", **edge))
        if shown:
            markers.append(centred(x, 32, int(game.hidden.marker[number - 1]), 13))
    seat = ranking(game)[0] if int(game.phase) == OVER else int(game.actor)
    return "".join(
        [
            words(EDGE, 40, "Old London Bridge", 27, bold=True),
            words(left - 22, 37, f"round {now} of {rounds}", 14, fill=FAINT, anchor="end"),
            *markers,
            badge(EDGE + 12, 69, seat, 12),
            words(EDGE + 32, 74, situation(game, names), 16, bold=True),
            words(EDGE + 32, 93, f"just done: {last_action}", 13, fill=FAINT) if last_action else "",
        ]
    )


def _account(game: State, names: Sequence[str]) -> str:
    """Draw the ranking and where everybody's money came from, in place of the piles, the supply and the scoring."""
    left, top, right = BOARD_LEFT, BOARD_TOP + 262, WIDTH - EDGE
    first, step = left + 208, 57
    accounts = account(game)
    columns = [name.removeprefix("empty ").removeprefix("bonus ") for name in accounts[0]]
    parts = [panel(left, top, right - left, 130, INK, 1.2), heading(left + 12, top + 20, "Final account")]
    parts += [
        words(first + step * place, top + 20, name, 12, fill=FAINT, anchor="end") for place, name in enumerate(columns)
    ]
    parts.append(words(right - 12, top + 20, "money", 13, bold=True, anchor="end"))
    for place, seat in enumerate(ranking(game)):
        line, best = top + 44 + 20 * place, place == 0
        parts += [words(left + 12, line, ORDINALS[place], 13, bold=best), badge(left + 50, line - 4.5, seat, 8)]
        parts.append(words(left + 64, line, short(names[seat], 13), 13, bold=best))
        parts += [
            words(first + step * column, line, amount, 13 if amount[-1].isdigit() else 11, anchor="end")
            for column, amount in enumerate(accounts[seat].values())
        ]
        parts.append(words(right - 12, line, pounds(int(game.money[seat])), 14, bold=True, anchor="end"))
    scored = [SCORINGS[area][int(chosen)] for area, chosen in zip(AREAS, game.scoring, strict=True)]
    parts.append(words(left + 12, top + 122, f"scored by {', '.join(scored)}", 11, fill=FAINT))
    return "".join(parts)
