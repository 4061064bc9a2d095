"""A position as plain text, for people who follow a game in a terminal, a log or a test.

The text is for everybody at the table, so it shows only what everybody knows (§9). It reads nothing of `hidden` but the
face-up tile of each bonus pile, only the presence of a `pick`, and never `legal`, which depends on the picks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Final

from olb_env.core.game import State
from olb_env.core.rulings import rulings_text
from olb_env.old_london_bridge.components import (
    AREAS,
    CARD_VALUES,
    CENTRE,
    CENTRE_COST,
    CRESTS,
    KINDS,
    LEDGER,
    LOWEST_NUMBER,
    PAID_IN_PLAY,
    PICKS,
    PILES,
    ROUNDS,
    RULINGS,
    SCORINGS,
    SHARE,
    SPACES,
    STAIRS,
    TILES,
    TURNS,
    UNUSED_TILES,
)
from olb_env.old_london_bridge.record_format import ranking, starts
from olb_env.old_london_bridge.scoring import BRIDGE_RULE, GATE_RULE
from olb_env.old_london_bridge.state import OVER, PHASES, PLACE, PLAY

WIDTH: Final = 100
MARGIN: Final = 10  # width of the column with the names of the rows
RONDEL_CELL, BRIDGE_CELL, TRACK_CELL, PLAYED_CELL = 13, 7, 5, 10
TRACK_CELLS: Final = 18  # spaces in a row at most; a longer track continues below
ORDINALS: Final = ("1st", "2nd", "3rd", "4th")
GAP: Final = "   "
HAND: Final = f"{GAP}hand"


def render_text(game: State) -> str:
    """Return the whole position as text, with the ranking if the game is over."""
    tracks = [*_track("Chapel", *chapel_track(game)), *_track("Gate", *gate_track(game))]
    sections = (_headline(game), _rondel(game), tracks, _seats(game), _bridges(game))
    return "\n\n".join("\n".join(section) for section in sections)


def _row(name: str, cells: Iterable[str], width: int = 0) -> str:
    return (name.ljust(MARGIN) + "".join(cell.ljust(width) for cell in cells)).rstrip()


def building_name(kind: str, number: int, crest: int) -> str:
    """Return the kind, number and crest of a building as text; a park has no number."""
    return " ".join(part for part in (kind, str(number or ""), CRESTS[crest]) if part)


def _headline(game: State) -> list[str]:
    time = f"Old London Bridge, round {int(game.round_number)} of {ROUNDS[int(game.players)]}"
    if int(game.phase) == OVER:
        return [f"{time}: the game is over", *_ranking(game), *_scoring(game)]
    return [f"{time}: seat {int(game.actor)} {decision(game)}", _turns(game), *_scoring(game)]


def round_of(game: State) -> int:
    """Return the number of the round, beginning with 1."""
    return int(game.round_number)


def decision(game: State) -> str:
    """Return what the acting seat decides, as a phrase that follows its name."""
    table = game.table
    tile = building_name(KINDS[int(game.tile_kind)], int(table.tile_number), int(game.tile_crest))
    used = " and ".join(TILES[SHARE + i] for i, flag in enumerate(table.used) if flag)
    two_cards = PICKS[int(game.players)] == 2
    cards = "two cards face down, one after the other" if two_cards else "a card face down"
    return {
        "lady": "may use a lady to take a 2",
        "play": f"picks {'its second card face down' if picked(game, int(game.actor)) else cards}",
        "boost": "may boost its cards" if two_cards else "may boost its card",
        "place": f"places its pawn, having used {used}" if used else "places its pawn",
        "replace": f"chooses the building that {tile} replaces",
        "hire": f"hires at the inn: {int(table.hire_power)} to spend, no card above {int(table.hire_highest)}",
        "bonus": f"takes a bonus tile, {int(table.bonus_due)} due",
        "after": "has built and may use tiles",
    }[PHASES[int(game.phase)]]


def picked(game: State, seat: int) -> int:
    """Return how many cards a seat has picked in this round."""
    return sum(int(card) > 0 for card in game.seats[seat].pick)


def _turns(game: State) -> str:
    """Return who decides after whom: in chapel order until the cards are shown, then in the order of turns."""
    players, now = int(game.players), int(game.turn)
    if int(game.phase) < PLACE:
        turns = [f"seat {int(seat)}" for seat in game.order[:players]]
    else:
        pairs = zip(map(int, game.turn_seat), map(int, game.turn_card), strict=True)
        turns = [f"seat {seat}: {_card(game.seats[seat], card)}" for seat, card in pairs][: TURNS[players]]
    marks = [" (done)"] * now + [" (now)"] + [""] * (len(turns) - now - 1)
    return _row("In turn", [" → ".join(turn + mark for turn, mark in zip(turns, marks, strict=True))])


def _scoring(game: State) -> list[str]:
    """Return how each area is scored, who has the lowest number of the round if that is paid, and unusual rulings."""
    widths = [max(map(len, SCORINGS[area])) + 2 for area in AREAS]
    names = [SCORINGS[area][int(chosen)] for area, chosen in zip(AREAS, game.scoring, strict=True)]
    if int(game.scoring[BRIDGE_RULE]) == LOWEST_NUMBER and int(game.table.lowest) > 0:
        names[BRIDGE_RULE] += f": {int(game.table.lowest)} by seat {int(game.lowest_seat)}"
    lines = [_row(name, map(str.ljust, cells, widths)) for name, cells in (("Scoring", AREAS), ("", names))]
    rulings = rulings_text(game.board.rulings, RULINGS)
    return [*lines, _row("Rulings", [rulings])] if rulings else lines


def _ranking(game: State) -> list[str]:
    """Return the final money of each seat and where it came from."""
    columns = [name.replace("_", " ") for name in LEDGER]
    lines = [_row("Ranking", ["   money  =  ", GAP.join(columns)])]
    for place, seat in enumerate(ranking(game)):
        parts = [pounds(int(part)).rjust(len(name)) for name, part in zip(columns, game.ledger[seat], strict=True)]
        money = pounds(int(game.money[seat])).rjust(8)
        lines.append(_row(f"{ORDINALS[place]} seat {seat}", [f"{money}  =  ", GAP.join(parts)]))
    return lines


def account(game: State) -> list[dict[str, str]]:
    """Return where the money of each seat came from; for an area not paid at the end, where it was paid instead."""
    elsewhere = {
        area: "in play" for area, chosen, paid in zip(AREAS, game.scoring, PAID_IN_PLAY, strict=True) if chosen == paid
    }
    if int(game.scoring[GATE_RULE]) == UNUSED_TILES:
        elsewhere["gate"] = "with tiles"
    return [
        {name.replace("_", " "): elsewhere.get(name, pounds(int(part))) for name, part in zip(LEDGER, row, strict=True)}
        for row in game.ledger[: int(game.players)]
    ]


def pounds(amount: int) -> str:
    """Return an amount of money as text."""
    return f"-£{-amount}" if amount < 0 else f"£{amount}"


# The middle of the table.


def _rondel(game: State) -> list[str]:
    """Return the stacks, clockwise from left to right, with the space of the rondel beside each."""
    table = game.table
    kinds = [int(kind) for kind in game.stack_order]
    stacks = [f"{KINDS[kind]} ({int(table.stack_left[kind])})" for kind in kinds]
    coins = ["X" if table.crossed[kind] else pounds(int(table.coin[kind])) for kind in kinds]
    tops = [building_name("", int(table.top_number[kind]), int(game.top_crest[kind])) or "empty" for kind in kinds]
    return [
        _row("Rondel →", [*stacks, "centre"], RONDEL_CELL),
        _row("  top", tops, RONDEL_CELL),
        _row("  space", [*coins, f"pay {pounds(CENTRE_COST)}"], RONDEL_CELL),
        _row("  pawns", [_pawns(game, space) for space in (*kinds, CENTRE)], RONDEL_CELL),
        _bonus_piles(game),
    ]


def _pawns(game: State, space: int) -> str:
    seats = [str(seat) for seat in range(int(game.players)) if game.seats[seat].pawn[space]]
    return f"seat {','.join(seats)}" if seats else "·"


def _bonus_piles(game: State) -> str:
    piles = []
    for pile in range(PILES):
        left, tile = int(game.table.pile_left[pile]), face_up(game, pile)
        top = "empty" if tile is None else TILES[tile]
        piles.append(f"pile {pile + 1}: {top} ({left} left)")
    return _row("Bonus", [GAP.join(piles)])


Track = tuple[list[str], list[str], list[list[int]]]  # for each space: its name, what is printed on it, the seats there


def chapel_track(game: State) -> Track:
    """Return the stairs, the spaces with what is printed on them, and the markers as they are stacked, best first."""
    players, length = int(game.players), int(game.board.chapel.length)
    stacks: list[list[int]] = [[] for _ in range(players + length)]
    for seat in map(int, game.order[:players]):
        space = int(game.seats[seat].chapel)
        stacks[players + space - 1 if space else STAIRS.index(starts(game)[seat])].append(seat)
    names = [*STAIRS[:players], *map(str, range(1, length + 1))]
    return names, [*[""] * players, *_prints(game.board.chapel)], stacks


def gate_track(game: State) -> Track:
    """Return the start, the spaces with what is printed on them, and the markers, the best in chapel order first."""
    length = int(game.board.gate.length)
    stacks: list[list[int]] = [[] for _ in range(length + 1)]
    for seat in map(int, game.order[: int(game.players)]):
        stacks[int(game.seats[seat].gate)].append(seat)
    return ["start", *map(str, range(1, length + 1))], ["", *_prints(game.board.gate)], stacks


def _prints(track: State) -> list[str]:
    """Return what is printed on each space of a track: coins, a bonus tile, and the reward at the end."""
    length = int(track.length)
    prints = []
    for space in range(length):
        parts = [pounds(int(track.coins[space]))] if track.coins[space] else []
        if space == length - 1 and (track.end or not parts):
            parts.append(pounds(int(track.end)))
        if track.bonus[space]:
            parts.append("tile")
        prints.append("+".join(parts))
    return prints


def face_up(game: State, pile: int) -> int | None:
    """Return the face-up bonus tile of a pile, or None if the pile is empty."""
    left = int(game.table.pile_left[pile])
    return int(game.hidden.pile[pile, len(TILES) - left]) if left else None


def _track(name: str, spaces: Sequence[str], prints: Sequence[str], stacks: Sequence[Sequence[int]]) -> list[str]:
    """Return a track as a row of spaces, with the markers above it and what is printed on the spaces below."""
    lines = []
    cell = max(TRACK_CELL, 1 + max(map(len, prints)))
    cells = TRACK_CELLS * TRACK_CELL // cell
    for first in range(0, len(spaces), cells):
        part = slice(first, first + cells)
        for level in range(max(map(len, stacks[part])), 0, -1):
            on_level = [str(stack[-level]) if len(stack) >= level else "" for stack in stacks[part]]
            lines.append(_row("  seats" if level == 1 else "", [seat.rjust(cell) for seat in on_level]))
        lines.append(_row("" if first else name, [space.rjust(cell, "─") for space in spaces[part]]))
        lines.append(_row("", [printed.rjust(cell) for printed in prints[part]]))
    return lines


# The players.


def _name(game: State, seat: int) -> str:
    return f"{'>' if seat == int(game.actor) else ' '} seat {seat}"


def _seats(game: State) -> list[str]:
    """Return a line for each player, and one for the supply below the hands."""
    values = "".join(f"{value:3}s" for value in range(CARD_VALUES))
    played = "played".ljust(PLAYED_CELL)
    lines = [_row("Seats", [f" money    chapel  gate{HAND}{values}{GAP}{played}bonus tiles (* next round)"])]
    for seat in range(int(game.players)):
        player = game.seats[seat]
        chapel = f"{int(player.chapel) or starts(game)[seat]} ({ORDINALS[int(player.standing)]})"
        money, hand = pounds(int(game.money[seat])), _counts(player.hand)
        if hides_possessions(game):
            money, hand = "£?", hidden_hand(player).center(len(values))
        where = f"{money:>6}{chapel:>10}{int(player.gate):>6}"
        played = _played(game, seat).ljust(PLAYED_CELL)
        line = "".join([_name(game, seat).ljust(MARGIN), where, " " * len(HAND), hand, GAP, played])
        lines.append(fill(line + _tiles(player), WIDTH, subsequent_indent=" " * len(line)))
    return [*lines, _row("  supply", [" " * len(where), " " * len(HAND), _counts(game.table.supply)])]


def hides_possessions(game: State) -> bool:
    """Return whether the money and hands are not shown: while nobody remembers them, until the end (§9)."""
    return not game.perfect and game.phase != OVER


def hidden_hand(player: State) -> str:
    """Return how many cards a hand has, for people who may not see which."""
    count = int(player.hand.sum())
    return f"{count} card" if count == 1 else f"{count} cards"


def _counts(cards: Iterable[int]) -> str:
    return "".join(f"{int(count) or '·':>4}" for count in cards)


def _card(player: State, card: int) -> str:
    value, boost = int(player.card[card]) - 1, int(player.boost[card])
    return f"{value}+{boost}" if boost else str(value)


def _played(game: State, seat: int) -> str:
    """Return the cards that a seat has shown in this round; before that, only whether it has picked."""
    player = game.seats[seat]
    if int(game.phase) == PLAY:
        return "picked" if int(player.standing) < int(game.turn) else "·"
    return ", ".join(_card(player, card) for card in range(2) if player.card[card]) or "·"


def _tiles(player: State) -> str:
    names = []
    for tile, name in enumerate(TILES):
        fresh = int(player.fresh[tile])
        usable = int(player.tiles[tile]) - fresh
        for count, text in ((usable, name), (fresh, f"{name}*")):
            names += [f"{count} {text}" if count > 1 else text] if count else []
    return ", ".join(names) or "·"


def _bridges(game: State) -> list[str]:
    """Return the number, kind and crest on each space of every bridge, and the power of each colour."""
    lines = [_row("Bridges", map(str, range(1, SPACES + 1)), BRIDGE_CELL)]
    for seat in range(int(game.players)):
        player = game.seats[seat]
        kinds = [int(kind) for kind in player.bridge_kind]
        numbers = [str(int(n) or "-") if kind else "·" for n, kind in zip(player.bridge_number, kinds, strict=True)]
        power = [f"{CRESTS[colour]} {int(count)}" for colour, count in enumerate(player.power, start=1)]
        lines += [
            _row(_name(game, seat), [f"power: {GAP.join(power)} ".ljust(BRIDGE_CELL * SPACES, "─")]),
            _row("", numbers, BRIDGE_CELL),
        ]
        if player.built:
            lines.append(_row("", [KINDS[kind - 1] if kind else "" for kind in kinds], BRIDGE_CELL))
            lines.append(_row("", [CRESTS[int(crest)] for crest in player.bridge_crest], BRIDGE_CELL))
    return lines
