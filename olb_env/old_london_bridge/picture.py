"""A position as a picture: the board above, a bridge for every seat below.

Like the picture in text it is for everybody at the table and knows only what everybody knows (§9): it reads nothing of
`hidden` but the face-up tile of each bonus pile and the markers revealed, and neither a `pick` nor `legal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from olb_env.core import svg
from olb_env.core.game import State
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
    told,
    words,
)
from olb_env.old_london_bridge.components import (
    AREAS,
    CARD_VALUES,
    CENTRE,
    CENTRE_COST,
    COLOURS,
    CRESTS,
    END_OF_TRACK,
    KINDS,
    LEDGER,
    PILES,
    ROUNDS,
    SCORINGS,
    SPACES,
    STAIRS,
    TILES,
    TURNS,
)
from olb_env.old_london_bridge.drawing import ORDINALS, pounds, question
from olb_env.old_london_bridge.state import OVER, PLACE, PLAY
from olb_env.old_london_bridge.symbols import bonus_tile, building, crest, small_building
from olb_env.old_london_bridge.writing import ranking, starts

WIDTH: Final = 1000
EDGE: Final = 16  # of the paper
BOARD_TOP, SEATS_TOP = 104, 512
BOARD_LEFT: Final = 366  # right of the rondel
SEAT_HEIGHT, SEAT_GAP = 152, 10
BRIDGE_LEFT, SPACE = 250, 61
TRACK_CELLS: Final = 20  # in a row; a longer track goes on below
WATER, WAVE, STONE, STONE_EDGE, CARD_BACK = "#cfe0e4", "#8fb0ba", "#d9cfbc", "#8c8270", "#6b6470"


def picture(game: State, names: Sequence[str] = (), done: str = "") -> str:
    """The whole table as SVG; `names` say who sits where, `done` what was just done."""
    players = int(game.players)
    called = [names[seat] if seat < len(names) else f"seat {seat}" for seat in range(players)]
    over = int(game.phase) == OVER
    height = SEATS_TOP + players * (SEAT_HEIGHT + SEAT_GAP) + EDGE - SEAT_GAP
    parts = [
        box(0, 0, WIDTH, height, PAPER),
        _header(game, called, done),
        _rondel(game),
        _turns(game),
        _chapel_track(game),
        _gate_track(game),
        *([_account(game, called)] if over else [_piles(game), _supply(game), _scoring(game)]),
        *(_seat(game, seat, called[seat], SEATS_TOP + seat * (SEAT_HEIGHT + SEAT_GAP)) for seat in range(players)),
    ]
    return svg.document(WIDTH, height, f"Old London Bridge, {_now(game, called)}", *parts)


def _now(game: State, called: Sequence[str]) -> str:
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
        value, ink = (int(game.hidden.marker[number - 1]), INK) if shown else (number, LINE)
        markers.append(centred(x, 32, value, 13, fill=ink, bold=shown))
    seat = ranking(game)[0] if int(game.phase) == OVER else int(game.actor)
    return "".join(
        [
            words(EDGE, 40, "Old London Bridge", 27, bold=True),
            words(left - 22, 37, f"round {now} of {rounds}", 14, fill=FAINT, anchor="end"),
            *markers,
            badge(EDGE + 12, 69, seat, 12),
            words(EDGE + 32, 74, _now(game, called), 16, bold=True),
            words(EDGE + 32, 93, f"just done: {done}", 13, fill=FAINT) if done else "",
        ]
    )


# The board.


def _rondel(game: State) -> str:
    """Six spaces and the centre, with coins and pawns; the stacks around it."""
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
        parts.append(choice([f"rondel {name}"], told(f"rondel {name}", space, mark)))
        parts.append(_pawns(game, kind, *around(x, y, 57, middle)))
        parts.append(_stack(game, kind, *around(x, y, 152, middle)))
    centre = disc(x, y, 35, CARD, stroke=STONE_EDGE, stroke_width=1.2) + centred(
        x, y + 24, f"pay {pounds(CENTRE_COST)}", 10
    )
    parts += [told("the centre", centre), _pawns(game, CENTRE, x, y)]
    turning = "M-12 0 A44 44 0 0 1 12 0"
    parts.append(at(x + 128, y - 150, path(turning, stroke=FAINT, stroke_width=2), path("M9 -5 L17 3 L7 5 Z", FAINT)))
    return "".join(parts)


def _pawns(game: State, space: int, x: float, y: float) -> str:
    seats = [seat for seat in range(int(game.players)) if game.seats[seat].pawn[space]]
    first = x - 8 * (len(seats) - 1)
    return "".join(pawn(first + 16 * place, y + 9, seat) for place, seat in enumerate(seats))


def _stack(game: State, kind: int, x: float, y: float) -> str:
    """The top tile of a stack, and how many are left."""
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


def _turns(game: State) -> str:
    """Who is asked after whom: in chapel order until the cards are shown, then in the order of the round."""
    players, now = int(game.players), int(game.turn)
    if int(game.phase) == OVER:
        return ""
    shown = int(game.phase) >= PLACE
    seats = game.turn_seat[: TURNS[players]] if shown else game.order[:players]
    parts = [heading(BOARD_LEFT, BOARD_TOP + 17, "Turns" if shown else "Asked in chapel order")]
    left = BOARD_LEFT + (62 if shown else 178)
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
        parts.append(svg.element("g", *step, opacity=0.35 if place < now else None))
    return "".join(parts)


def _chapel_track(game: State) -> str:
    """The stairs, the spaces with their coins, and the markers as they are stacked."""
    players, length = int(game.players), int(game.chapel_length)
    stacks: list[list[int]] = [[] for _ in range(players + length)]
    for seat in map(int, game.order[:players]):
        space = int(game.seats[seat].chapel)
        stacks[players + space - 1 if space else STAIRS.index(starts(game)[seat])].append(seat)
    coins = [pounds(int(amount)) if amount else "" for amount in game.chapel_coin[1:length]]
    prints = [*[""] * players, *coins, pounds(END_OF_TRACK)]
    return _track(
        BOARD_TOP + 44, "Chapel track", [*STAIRS[:players], *map(str, range(1, length + 1))], prints, stacks, players
    )


def _gate_track(game: State) -> str:
    """The start, the spaces with their bonus tiles, and the markers, the best in chapel order on top."""
    length = int(game.gate_length)
    stacks: list[list[int]] = [[] for _ in range(length + 1)]
    for seat in map(int, game.order[: int(game.players)]):
        stacks[int(game.seats[seat].gate)].append(seat)
    tiles = ["tile" if bonus else "" for bonus in game.gate_bonus[1:length]]
    names = ["start", *map(str, range(1, length + 1))]
    return _track(BOARD_TOP + 152, "Gate track", names, ["", *tiles, pounds(END_OF_TRACK)], stacks, 1)


def _track(
    top: float, name: str, spaces: Sequence[str], prints: Sequence[str], stacks: Sequence[Sequence[int]], before: int
) -> str:
    """Markers above a row of spaces; what is printed on these is inside. The first spaces are before the track."""
    width = WIDTH - EDGE - BOARD_LEFT
    rows = -(-len(spaces) // TRACK_CELLS)
    cell = width / -(-len(spaces) // rows)
    tall, deep = 96.0 / rows, 30 if rows == 1 else 22
    parts = [heading(BOARD_LEFT, top + 11, name)]
    for place, (space, printed, markers) in enumerate(zip(spaces, prints, stacks, strict=True)):
        row, column = divmod(place, -(-len(spaces) // rows))
        x, y = BOARD_LEFT + column * cell, top + (row + 1) * tall - deep
        last = place == len(spaces) - 1
        fill = STONE if place < before else "#f3dfa6" if last else CARD
        parts.append(box(x + 1, y, cell - 2, deep, fill, 4, stroke=STONE_EDGE, stroke_width=1))
        small = f"{space} {printed}" if rows > 1 and printed else space
        if rows > 1:
            parts.append(centred(x + cell / 2, y + deep / 2, small, 9.5, bold=bool(printed)))
        elif printed.startswith("£"):
            parts.append(words(x + 4, y + 11, space, 9.5, fill=FAINT))
            parts.append(coin(x + cell / 2 + 2, y + 18, printed, 10.5 if len(printed) < 3 else 11.5))
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


def _piles(game: State) -> str:
    """The face-up bonus tile of each pile, and how many are left in it."""
    x, y = BOARD_LEFT, BOARD_TOP + 266
    parts = [heading(x, y + 11, "Bonus piles")]
    for pile in range(PILES):
        left = int(game.table.pile_left[pile])
        middle = x + 30 + pile * 66
        if left:
            below = box(middle - 24, y + 23, 54, 38, CARD, 7, stroke=LINE, stroke_width=1) if left > 1 else ""
            tile = bonus_tile(middle, y + 44, int(game.hidden.pile[pile, len(TILES) - left]))
        else:
            below, tile = "", box(middle - 27, y + 25, 54, 38, "none", 7, stroke=LINE, stroke_dasharray="4 3")
        count = centred(middle, y + 74, f"{left} left" if left else "empty", 11, fill=FAINT, bold=False)
        parts.append(choice([f"bonus {pile + 1}"], below, tile, count))
    return "".join(parts)


def _supply(game: State) -> str:
    """Cards that inns can hire, by value."""
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


def _scoring(game: State) -> str:
    """What each area is scored by."""
    x, y = BOARD_LEFT + 236, BOARD_TOP + 266
    parts = [heading(x, y + 11, "Scoring")]
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


# The seats.


def _seat(game: State, seat: int, name: str, y: float) -> str:
    """Who sits there, what it has, and its bridge."""
    player, acts = game.seats[seat], seat == int(game.actor)
    edge, stroke = (ACCENT, 2.5) if acts else (LINE, 1.0)
    chapel = ORDINALS[int(player.standing)]
    parts = [
        panel(0, 0, WIDTH - 2 * EDGE, SEAT_HEIGHT, edge, stroke),
        badge(24, 24, seat, 13),
        words(44, 29, _short(name, 15), 16, bold=True),
        coin(176, 23, "£", 9),
        words(190, 30, int(game.money[seat]), 21, bold=True),
        _hand(game, seat, acts=acts),
    ]
    for colour in range(COLOURS):
        x = 22 + colour * 37
        count = int(player.power[colour])
        sign = crest(x, 95, colour + 1, 0.8) + words(x + 11, 100, count, 14, bold=True)
        parts.append(told(f"{CRESTS[colour + 1]}: power {count}", sign))
    parts.append(words(226, 100, f"chapel {chapel}", 11.5, fill=FAINT, anchor="end"))
    parts.append(_tiles(game, seat, acts=acts))
    parts.append(at(BRIDGE_LEFT - EDGE, 0, _bridge(game, seat, acts=acts)))
    return at(EDGE, y, *parts)


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _hand(game: State, seat: int, *, acts: bool) -> str:
    """Cards by value, and the cards of this round."""
    player, parts = game.seats[seat], []
    for value in range(CARD_VALUES):
        held = playing_card(12 + value * 33, 46, value, 22, 29, int(player.hand[value]))
        parts.append(choice([f"play {value}"], held) if acts else held)
    if int(game.phase) == PLAY:
        if int(player.standing) < int(game.turn):
            parts.append(box(186, 44, 22, 31, CARD_BACK, 3.5, stroke=INK) + centred(197, 60, "?", 15, fill=CARD))
        return "".join(parts)
    for card in range(2):
        if player.card[card]:
            x = 182 + card * 26
            parts.append(box(x - 2, 42, 26, 37, "none", 5, stroke=ACCENT, stroke_width=1.2))
            parts.append(playing_card(x, 46, int(player.card[card]) - 1, 22, 29))
    return "".join(parts)


def _tiles(game: State, seat: int, *, acts: bool) -> str:
    """Bonus tiles held as chips, those of this round dashed: they are usable from the next one on."""
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
            chips.append(
                choice(names, chip) if acts and not new else told(f"{name}, usable next round", chip) if new else chip
            )
            x += wide + 5
    return "".join(chips)


def _bridge(game: State, seat: int, *, acts: bool) -> str:
    """Twelve spaces over the river: houses on arches, and where nothing is built yet only the piles for it."""
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
            parts.append(centred(x + SPACE / 2, 76, space + 1, 14, fill=LINE, bold=False))
            continue
        arch = f"M{x} 108 H{x + SPACE} V150 H{x + SPACE - 7} V140 A{SPACE / 2 - 7} 20 0 0 0 {x + 7} 140 V150 H{x} Z"
        stone = path(arch, STONE, stroke=STONE_EDGE, stroke_width=1.1, stroke_linejoin="round")
        house = at(
            x + SPACE / 2, 108, building(kind - 1, int(player.bridge_number[space]), int(player.bridge_crest[space]))
        )
        parts.append(choice([f"replace {space + 1}"], stone, house) if acts else stone + house)
    return "".join(parts)


# The end.


def _account(game: State, called: Sequence[str]) -> str:
    """The ranking, and where everybody's money came from; it lies where piles, supply and scoring were."""
    left, top, right = BOARD_LEFT, BOARD_TOP + 262, WIDTH - EDGE
    first, step = left + 208, 57
    columns = [name.removeprefix("empty_").removeprefix("bonus_").replace("_", " ") for name in LEDGER]
    parts = [panel(left, top, right - left, 130, INK, 1.2), heading(left + 12, top + 20, "Final account")]
    parts += [
        words(first + step * place, top + 20, name, 12, fill=FAINT, anchor="end") for place, name in enumerate(columns)
    ]
    parts.append(words(right - 12, top + 20, "money", 13, bold=True, anchor="end"))
    for place, seat in enumerate(ranking(game)):
        line, best = top + 44 + 20 * place, place == 0
        parts += [words(left + 12, line, ORDINALS[place], 13, bold=best), badge(left + 50, line - 4.5, seat, 8)]
        parts.append(words(left + 64, line, _short(called[seat], 13), 13, bold=best))
        amounts = map(int, game.ledger[seat])
        parts += [
            words(first + step * column, line, pounds(amount), 13, anchor="end")
            for column, amount in enumerate(amounts)
        ]
        parts.append(words(right - 12, line, pounds(int(game.money[seat])), 14, bold=True, anchor="end"))
    scored = [SCORINGS[area][int(chosen)] for area, chosen in zip(AREAS, game.scoring, strict=True)]
    parts.append(words(left + 12, top + 122, f"scored by {', '.join(scored)}", 11, fill=FAINT))
    return "".join(parts)
