"""A position as plain text, for people who follow a game in a terminal, a log or a test.

The text is for everybody at the table, so it shows only what everybody knows (§6): what is left in the bag, and its
order only if that is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from olb_env.core.game import State
from olb_env.core.ranking import ranks_of
from olb_env.core.rulings import rulings_text
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    BAG_SIZE,
    CUSTOMERS,
    DISTRICT_NAMES,
    NEUTRAL_TOKENS,
    PLAZA_NAMES,
    RULINGS,
    SIDES,
    SLOTS,
)
from olb_env.portobello_market.state import OVER, PHASES

MARGIN: Final = 10  # width of the column with the names of the rows
PLAZA_CELL, DISTRICT_CELL, LOTS_CELL, ALLEY_CELL = 9, 36, 26, 60
NOBODY: Final = "·"


def render_text(game: State) -> str:
    """Return the whole position as text, with the ranks if the game is over."""
    sections = (_headline(game), _seats(game), _plazas(game), _alleys(game), _districts(game))
    return "\n\n".join("\n".join(section) for section in sections)


def _row(name: str, cells: Iterable[str], width: int = 0) -> str:
    return (name.ljust(MARGIN) + "".join(cell.ljust(width) for cell in cells)).rstrip()


def round_of(game: State) -> int:
    """Return the number of the round, beginning with 1; 0 before the Bobby is placed."""
    return int(game.round_number)


def points(count: int) -> str:
    """Return a number of points as text."""
    return f"{count} point" if count == 1 else f"{count} points"


def decision(game: State) -> str:
    """Return what the acting seat decides, as a phrase that follows its name."""
    left = int(game.table.actions_left)
    return {
        "setup": "puts the Bobby into a district",
        "turn": "uses a token or marks a district",
        "act": f"has {left} action{'' if left == 1 else 's'} left" if left else "has taken its actions",
        "plaza": f"puts a {CUSTOMERS[int(game.drawn)]} on a plaza",
    }[PHASES[int(game.phase)]]


def situation(game: State, names: Sequence[str]) -> str:
    """Return who has to decide what, or who has won."""
    if int(game.phase) == OVER:
        winners = [names[seat] for seat, rank in enumerate(ranks_of(game)) if rank == 1]
        verb = "wins" if len(winners) == 1 else "share the first rank"
        best = max(int(score) for score in game.score[: int(game.players)])
        return f"the game is over: {' and '.join(winners)} {verb} with {points(best)}"
    return f"{names[int(game.actor)]} {decision(game)}"


def turn_order(game: State) -> list[int]:
    """Return the seats in the order of their turns in a round."""
    players = int(game.players)
    return [(int(game.start_player) + turn) % players for turn in range(players)]


def coming(game: State) -> list[str]:
    """Return the customers in the order they will be drawn; none if the bag is hidden."""
    left = int(game.table.bag.sum())
    return [CUSTOMERS[int(who)] for who in game.order[BAG_SIZE - left :]] if game.open else []


def bag_contents(game: State) -> str:
    """Return what is left in the bag, in order if the bag is open."""
    servants, burghers = (int(count) for count in game.table.bag)
    if not servants and not burghers:
        return "empty"
    if game.open:
        return "first " + ", ".join(coming(game))
    return f"{servants} servants, {burghers} burghers"


def neutral_left(game: State) -> list[int]:
    """Return the values of the neutral tokens left, top first."""
    return list(NEUTRAL_TOKENS[len(NEUTRAL_TOKENS) - int(game.table.neutral_left) :])


def _headline(game: State) -> list[str]:
    players, now = int(game.players), int(game.turn)
    names = [f"seat {seat}" for seat in range(players)]
    time = f"Portobello Market, round {round_of(game)}" if game.round_number else "Portobello Market"
    lines = [f"{time}: {situation(game, names)}"]
    if int(game.phase) != OVER:
        marks = [" (done)"] * now + [" (now)"] + [""] * (players - now - 1)
        turns = [names[seat] + mark for seat, mark in zip(turn_order(game), marks, strict=True)]
        lines.append(
            _row("In turn", [" → ".join(turns if game.round_number else map(names.__getitem__, turn_order(game)))])
        )
        if game.table.last_round:
            lines.append(_row("", ["the last round: somebody has placed its last stall"]))
    lines.append(_row("Bag", [bag_contents(game)]))
    lines.append(_row("Neutral", [" ".join(map(str, neutral_left(game))) or "none left"]))
    rulings = rulings_text(game.board.rulings, RULINGS)
    return [*lines, _row("Rulings", [rulings])] if rulings else lines


def tokens_of(player: State) -> list[tuple[int, bool, bool]]:
    """Return for each token its value, whether it is face up, and whether it is the player's own."""
    return [
        (int(player.token_value[slot]), bool(player.token_up[slot]), bool(player.token_own[slot]))
        for slot in range(SLOTS)
    ]


def _seats(game: State) -> list[str]:
    """Return a line for each player."""
    ranks = ranks_of(game) if int(game.phase) == OVER else None
    head = "points  stalls   tokens (face down) neutral*   " + ("rank" if ranks else "")
    lines = [_row("Seats", [head])]
    for seat in range(int(game.players)):
        player = game.seats[seat]
        tokens = [(str(value) if up else f"({value})") + ("" if own else "*") for value, up, own in tokens_of(player)]
        line = f"{int(game.score[seat]):>6}{int(player.hand):>8}   " + "".join(token.ljust(6) for token in tokens)
        name = f"{'>' if seat == int(game.actor) else ' '} seat {seat}"
        lines.append(_row(name, [line.ljust(len(head)), str(ranks[seat]) if ranks else ""]))
    return lines


def _plazas(game: State) -> list[str]:
    standing = [CUSTOMERS[int(who)] or NOBODY for who in game.customer]
    return [_row("Plazas", PLAZA_NAMES, PLAZA_CELL), _row("", standing, PLAZA_CELL)]


def _progress(game: State, alley: int) -> str:
    """Return the direction in which an alley fills, or that it is full or scored."""
    if game.table.alley_scored[alley]:
        return "scored"
    if not game.table.alley_free[alley]:
        return "full"
    first, second = game.table.alley_offer[alley]
    return "" if first and second else "→" if first else "←"


def _alleys(game: State) -> list[str]:
    """Return the value and owner of every lot, from the first plaza to the second; two alleys in a line."""
    cells = []
    for alley, name in enumerate(ALLEY_NAMES):
        lots = [
            f"{int(game.board.values[alley, lot])}:{int(owner) - 1 if owner else NOBODY}"
            for lot, owner in enumerate(game.lot[alley, : int(game.length[alley])])
        ]
        first, second = (PLAZA_NAMES[plaza] for plaza in game.board.ends[alley])
        cells.append(f"{name:<4}{first:>3}  {' '.join(lots).ljust(LOTS_CELL)}{second:<5}{_progress(game, alley)}")
    half = len(cells) // 2
    pairs = zip(cells[:half], cells[half:], strict=True)
    return [_row("" if row else "Alleys", pair, ALLEY_CELL) for row, pair in enumerate(pairs)]


def mark_on(game: State, district: int) -> tuple[int, int] | None:
    """Return the seat and the token that mark a district, or None."""
    for seat in range(int(game.players)):
        token = int(game.seats[seat].mark[district])
        if token:
            return seat, token
    return None


def _districts(game: State) -> list[str]:
    """Return the alleys around each district, its mark, and where the Bobby is; three districts in a line."""
    cells = []
    for district, name in enumerate(DISTRICT_NAMES):
        around = " ".join(ALLEY_NAMES[int(game.board.around[district, side])] for side in range(SIDES))
        mark = mark_on(game, district)
        notes = [f"seat {mark[0]} marked {mark[1]}"] if mark else []
        if int(game.bobby) == district:
            notes.insert(0, "BOBBY")
        cells.append(f"{name:<4}{around:<12}{', '.join(notes)}")
    rows = [cells[first : first + 3] for first in range(0, len(cells), 3)]
    return [_row("" if number else "Districts", row, DISTRICT_CELL) for number, row in enumerate(rows)]
