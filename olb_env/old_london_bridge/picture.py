"""A position as a picture: the board above, a bridge for every seat below.

Like the picture in text it is for everybody at the table and knows only what everybody knows (§9): it reads nothing of
`hidden` but the face-up tile of each bonus pile and the markers revealed, of a `pick` only that there is one, and
never `legal`.
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
from olb_env.old_london_bridge.drawing import ORDINALS, account, pounds, question
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
from olb_env.old_london_bridge.picture_seats import SEAT_HEIGHT, seat_panel, short
from olb_env.old_london_bridge.state import OVER
from olb_env.old_london_bridge.symbols import EDGE, WIDTH
from olb_env.old_london_bridge.writing import ranking

SEATS_TOP, SEAT_GAP = 512, 10


def picture(game: State, names: Sequence[str] = (), done: str = "") -> str:
    """The whole table as SVG; `names` say who sits where, `done` what was just done."""
    players = int(game.players)
    called = [names[seat] if seat < len(names) else f"seat {seat}" for seat in range(players)]
    over = int(game.phase) == OVER
    height = SEATS_TOP + players * (SEAT_HEIGHT + SEAT_GAP) + EDGE - SEAT_GAP
    parts = [
        box(0, 0, WIDTH, height, PAPER),
        _header(game, called, done),
        rondel(game),
        turns(game),
        chapel_spaces(game),
        gate_spaces(game),
        *([_account(game, called)] if over else [piles(game), supply(game), scoring_areas(game)]),
        *(seat_panel(game, seat, called[seat], SEATS_TOP + seat * (SEAT_HEIGHT + SEAT_GAP)) for seat in range(players)),
    ]
    return svg.document(WIDTH, height, f"Old London Bridge, {situation(game, called)}", *parts)


def situation(game: State, called: Sequence[str]) -> str:
    """Who is asked what, or who has won."""
    if int(game.phase) == OVER:
        first = ranking(game)[0]
        return f"the game is over: {called[first]} wins with {pounds(int(game.money[first]))}"
    return f"{called[int(game.actor)]} {question(game)}"


def _header(game: State, called: Sequence[str], done: str) -> str:
    """Title, round markers, what is being decided and what was just done."""
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
            words(EDGE + 32, 74, situation(game, called), 16, bold=True),
            words(EDGE + 32, 93, f"just done: {done}", 13, fill=FAINT) if done else "",
        ]
    )


def _account(game: State, called: Sequence[str]) -> str:
    """The ranking, and where everybody's money came from; it lies where piles, supply and scoring were."""
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
        parts.append(words(left + 64, line, short(called[seat], 13), 13, bold=best))
        parts += [
            words(first + step * column, line, amount, 13 if amount[-1].isdigit() else 11, anchor="end")
            for column, amount in enumerate(accounts[seat].values())
        ]
        parts.append(words(right - 12, line, pounds(int(game.money[seat])), 14, bold=True, anchor="end"))
    scored = [SCORINGS[area][int(chosen)] for area, chosen in zip(AREAS, game.scoring, strict=True)]
    parts.append(words(left + 12, top + 122, f"scored by {', '.join(scored)}", 11, fill=FAINT))
    return "".join(parts)
