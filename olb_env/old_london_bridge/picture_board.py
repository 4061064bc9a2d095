"""The board in the picture: rondel and stacks, turns, tracks, piles, supply and scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from olb_env.core import svg
from olb_env.core.game import State
from olb_env.core.rulings import rulings_text
from olb_env.core.svg import (
    ACCENT,
    CARD,
    FAINT,
    INK,
    LINE,
    PAPER,
    around,
    at,
    badge,
    box,
    centred,
    choice,
    coin,
    disc,
    heading,
    panel,
    path,
    pawn,
    playing_card,
    ring_part,
    tooltip,
    words,
)
from olb_env.old_london_bridge.components import (
    AREAS,
    CARD_VALUES,
    CENTRE,
    CENTRE_COST,
    KINDS,
    PILES,
    RULINGS,
    SCORINGS,
    TURNS,
)
from olb_env.old_london_bridge.picture_pieces import (
    EDGE,
    STONE,
    STONE_EDGE,
    WIDTH,
    bonus_tile,
    building,
    small_building,
)
from olb_env.old_london_bridge.state import OVER, PLACE
from olb_env.old_london_bridge.text import chapel_track, face_up, gate_track, pounds

BOARD_TOP: Final = 104
BOARD_LEFT: Final = 366  # right of the rondel
TRACK_CELLS: Final = 20  # spaces in a row; a longer track continues below


def rondel(game: State) -> str:
    """Draw the rondel with its coins and pawns, and the stacks around it."""
    table = game.table
    x, y = 186, BOARD_TOP + 198
    parts = [disc(x, y, 105, STONE, stroke=STONE_EDGE, stroke_width=1.5)]
    for place, kind in enumerate(map(int, game.stack_order)):
        middle = 60.0 * place
        crossed = bool(table.crossed[kind])
        space = path(
            ring_part(x, y, 40, 99, middle - 28, middle + 28), "#bdb19c" if crossed else CARD,
            stroke=STONE_EDGE, stroke_width=1.2,
        )  # fmt: skip
        mark_x, mark_y = around(x, y, 83, middle)
        if crossed:
            bars = "M-7 -7 L7 7 M7 -7 L-7 7"
            mark = at(mark_x, mark_y, path(bars, stroke=INK, stroke_width=4, stroke_linecap="round"))
        else:
            mark = coin(mark_x, mark_y, pounds(int(table.coin[kind])), 12)
        name = KINDS[kind]
        parts.append(choice([f"rondel {name}"], tooltip(f"rondel {name}", space, mark)))
        parts.append(_pawns(game, kind, *around(x, y, 57, middle)))
        parts.append(_stack(game, kind, *around(x, y, 152, middle)))
    centre = disc(x, y, 35, CARD, stroke=STONE_EDGE, stroke_width=1.2) + centred(
        x, y + 24, f"pay {pounds(CENTRE_COST)}", 10
    )
    parts += [tooltip("the centre", centre), _pawns(game, CENTRE, x, y)]
    turning = "M-12 0 A44 44 0 0 1 12 0"
    parts.append(at(x + 128, y - 150, path(turning, stroke=FAINT, stroke_width=2), path("M9 -5 L17 3 L7 5 Z", FAINT)))
    return "".join(parts)


def _pawns(game: State, space: int, x: float, y: float) -> str:
    seats = [seat for seat in range(int(game.players)) if game.seats[seat].pawn[space]]
    first = x - 8 * (len(seats) - 1)
    return "".join(pawn(first + 16 * place, y + 9, seat) for place, seat in enumerate(seats))


def _stack(game: State, kind: int, x: float, y: float) -> str:
    """Draw the top tile of a stack, and how many are left."""
    name, left = KINDS[kind], int(game.table.stack_left[kind])
    if not left:
        bare = box(-31, -42, 62, 84, "none", 6, stroke=LINE, stroke_width=1.2, stroke_dasharray="4 3")
        return at(
            x, y, bare, centred(0, -4, name, 12, fill=FAINT), centred(0, 12, "none left", 10, fill=FAINT, bold=False)
        )
    below = "".join(
        box(-31 + 2.0 * depth, -42 - 2.0 * depth, 62, 84, CARD, 6, stroke=LINE, stroke_width=1)
        for depth in range(min(3, (left - 1 + 3) // 4), 0, -1)
    )
    face = box(-31, -42, 62, 84, CARD, 6, stroke=INK, stroke_width=1.2)
    front = at(0, 24, building(kind, int(game.table.top_number[kind]), int(game.top_crest[kind])), scale=0.62)
    label = centred(0, 34, name, 12) + box(8, -48, 27, 15, INK, 7.5) + centred(21.5, -40.5, f"×{left}", 10.5, fill=CARD)
    return at(x, y, choice([f"centre {name}"], below, face, front, label))


def turns(game: State) -> str:
    """Draw who decides after whom: in chapel order until the cards are shown, then in the order of turns."""
    players, now = int(game.players), int(game.turn)
    if int(game.phase) == OVER:
        return ""
    shown = int(game.phase) >= PLACE
    seats = game.turn_seat[: TURNS[players]] if shown else game.order[:players]
    parts = [heading(BOARD_LEFT, BOARD_TOP + 17, "Turns" if shown else "In chapel order")]
    left = BOARD_LEFT + (62 if shown else 130)
    for place, seat in enumerate(map(int, seats)):
        x, step = left + place * (84 if shown else 34), []
        step.append(badge(x + 10, BOARD_TOP + 13, seat, 10))
        if shown:
            player, card = game.seats[seat], int(game.turn_card[place])
            step.append(playing_card(x + 26, BOARD_TOP, int(player.card[card]) - 1, 20, 26))
            if player.boost[card]:
                step.append(words(x + 49, BOARD_TOP + 18, f"+{int(player.boost[card])}", 13, bold=True))
        if place == now:
            step.append(box(x - 4, BOARD_TOP + 30, 52 if shown else 28, 3, ACCENT, 1.5))
        parts.append(svg.element("g", *step, opacity=0.6 if place < now else None))
    return "".join(parts)


def chapel_spaces(game: State) -> str:
    """Draw the chapel track with its markers."""
    return _track(BOARD_TOP + 44, "Chapel track", *chapel_track(game), int(game.players))


def gate_spaces(game: State) -> str:
    """Draw the gate track with its markers."""
    return _track(BOARD_TOP + 152, "Gate track", *gate_track(game), 1)


def _track(
    top: float, name: str, spaces: Sequence[str], prints: Sequence[str], stacks: Sequence[Sequence[int]], before: int
) -> str:
    """Draw a track as rows of spaces with the markers above; `before` spaces come before the first step."""
    width = WIDTH - EDGE - BOARD_LEFT
    rows = -(-len(spaces) // TRACK_CELLS)
    cell = width / -(-len(spaces) // rows)
    tall, deep = 96.0 / rows, 30 if rows == 1 else 22
    beside = cell if len(stacks[0]) > (3 if rows == 1 else 1) else 0  # the highest stack
    parts = [heading(BOARD_LEFT + beside, top + (11 if rows == 1 else 4), name)]
    for place, (space, printed, markers) in enumerate(zip(spaces, prints, stacks, strict=True)):
        row, column = divmod(place, -(-len(spaces) // rows))
        x, y = BOARD_LEFT + column * cell, top + (row + 1) * tall - deep
        last = place == len(spaces) - 1
        fill = STONE if place < before else "#f3dfa6" if last else CARD
        parts.append(box(x + 1, y, cell - 2, deep, fill, 4, stroke=STONE_EDGE, stroke_width=1))
        small = f"{space} {printed}" if rows > 1 and printed else space
        if "+" in printed:
            parts.append(words(x + 3, y + deep / 3, space, deep / 3.3, fill=FAINT))
            parts.append(centred(x + cell / 2, y + 0.7 * deep, printed, min(deep / 3, 1.4 * cell / len(printed))))
        elif rows > 1:
            parts.append(centred(x + cell / 2, y + deep / 2, small, 9.5, bold=bool(printed)))
        elif printed.startswith("£"):
            radius = min(11.0, cell / 3.1)  # leaves the number beside it readable
            parts.append(words(x + 3, y + 10, space, 9, fill=FAINT))
            parts.append(coin(x + cell - radius - 2, y + deep - radius - 2, printed, radius))
        elif printed:
            parts.append(words(x + 4, y + 11, space, 9.5, fill=FAINT))
            parts.append(box(x + cell / 2 - 11, y + 12, 24, 15, PAPER, 4, stroke=INK, stroke_width=1))
            parts.append(centred(x + cell / 2 + 1, y + 19.5, printed, 10))
        else:
            parts.append(centred(x + cell / 2, y + deep / 2, space, 12.5, fill=FAINT, bold=False))
        rise = 15 if rows == 1 else 6
        for height, seat in enumerate(reversed(markers)):
            parts.append(badge(x + cell / 2, y - 9 - rise * height, seat, 9.5 if rows == 1 else 7))
    return "".join(parts)


def piles(game: State) -> str:
    """Draw the face-up bonus tile of each pile, and how many are left in it."""
    x, y = BOARD_LEFT, BOARD_TOP + 266
    parts = [heading(x, y + 11, "Bonus piles")]
    for pile in range(PILES):
        left, top = int(game.table.pile_left[pile]), face_up(game, pile)
        middle = x + 30 + pile * 66
        if top is not None:
            below = box(middle - 24, y + 23, 54, 38, CARD, 7, stroke=LINE, stroke_width=1) if left > 1 else ""
            tile = bonus_tile(middle, y + 44, top)
        else:
            below, tile = "", box(middle - 27, y + 25, 54, 38, "none", 7, stroke=LINE, stroke_dasharray="4 3")
        count = centred(middle, y + 74, f"{left} left" if left else "empty", 11, fill=FAINT, bold=False)
        parts.append(choice([f"bonus {pile + 1}"], below, tile, count))
    return "".join(parts)


def supply(game: State) -> str:
    """Draw the cards in the supply, by value."""
    x, y = BOARD_LEFT, BOARD_TOP + 356
    parts = [heading(x, y + 11, "Supply")]
    for value in range(1, CARD_VALUES):
        left = x + 68 + (value - 1) * 33
        count = int(game.table.supply[value])
        card = playing_card(left, y - 4, value, 22, 28, min(count, 1))
        parts.append(
            choice([f"hire {value}"], card, centred(left + 11, y + 34, f"×{count}", 11, fill=FAINT, bold=False))
        )
    return "".join(parts)


def scoring_areas(game: State) -> str:
    """Draw how each area is scored, and the rulings that are not as by default."""
    x, y = BOARD_LEFT + 236, BOARD_TOP + 266
    parts = [heading(x, y + 11, "Scoring")]
    rulings = rulings_text(game.board.rulings, RULINGS)
    if rulings:
        parts.append(words(WIDTH - EDGE, y + 11, rulings, 10, fill=FAINT, anchor="end"))
    for place, (area, chosen) in enumerate(zip(AREAS, game.scoring, strict=True)):
        top = y + 20 + place * 27
        parts.append(panel(x, top, WIDTH - EDGE - x, 23))
        sign = small_building(place) if place < len(AREAS) - 1 else _small_bridge()
        parts.append(at(x + 18, top + 19, sign, scale=0.16))
        parts.append(words(x + 36, top + 16, area, 13, bold=True))
        parts.append(words(x + 88, top + 16, SCORINGS[area][int(chosen)], 13))
    lowest = int(game.table.lowest)
    if lowest > 0 and SCORINGS["bridge"][int(game.scoring[-1])] == "lowest number each round":
        parts.append(
            words(
                WIDTH - EDGE - 8,
                top + 16,
                f"now {lowest} by seat {int(game.lowest_seat)}",
                12,
                fill=FAINT,
                anchor="end",
            )
        )
    return "".join(parts)


def _small_bridge() -> str:
    return path("M-62 -76 H62 V0 H44 A44 44 0 0 0 -44 0 H-62 Z", INK)
