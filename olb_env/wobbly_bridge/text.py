"""A position as plain text, for people who follow a game in a terminal, a log or a test.

The text is for everybody at the table, so it shows only what everybody knows (§4): no special card before it is
played, only the presence of a `pick`, no `legal` and no event to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from olb_env.core.game import State
from olb_env.core.ranking import ranks_of
from olb_env.core.rulings import rulings_text
from olb_env.wobbly_bridge.components import (
    CARDS,
    EAST_END,
    EVENTS,
    MATCHES,
    NORMALS,
    RULINGS,
    WEST_END,
)
from olb_env.wobbly_bridge.state import OVER, PICK

MARGIN: Final = 10  # width of the column with the names of the rows
BRIDGE_CELL, HAND_CELL, PLAYED_CELL = 4, 9, 14
EVENT_NAMES: Final = tuple(event if event == "calm" else f"{event} wind" for event in EVENTS)


def render_text(game: State) -> str:
    """Return the whole position as text, with the ranks if the game is over."""
    sections = (_headline(game), _bridge(game), _events(game), _hands(game), _played(game))
    return "\n\n".join("\n".join(section) for section in sections)


def _row(name: str, cells: Iterable[str], width: int = 0) -> str:
    return (name.ljust(MARGIN) + "".join(cell.ljust(width) for cell in cells)).rstrip()


def round_of(game: State) -> int:
    """Return the number of the match, beginning with 1."""
    return int(game.match_number)


def decision(game: State) -> str:
    """Return what the acting seat decides, as a phrase that follows its name."""
    if int(game.phase) == PICK:
        return "picks a card face down"
    if int(game.ideas) == 1:
        return "alone has an idea and plays another card openly"
    return "has an idea and picks another card face down"


def outcome(game: State, names: Sequence[str]) -> str:
    """Return who has won and on which space; several players on one space share the win."""
    first = [seat for seat, rank in enumerate(ranks_of(game)) if rank == 1]
    winners = " and ".join(names[seat] for seat in first)
    space = int(game.seats[first[0]].space)
    return f"{winners} {'wins' if len(first) == 1 else 'share the win'} on space {space}"


def _headline(game: State) -> list[str]:
    time = f"The Wobbly Bridge, match {round_of(game)} of {MATCHES}"
    if int(game.phase) == OVER:
        names = [f"seat {seat}" for seat in range(int(game.players))]
        return [f"{time}: the game is over, {outcome(game, names)}"]
    return [f"{time}: seat {int(game.actor)} {decision(game)}"]


def standing_on(game: State, space: int) -> list[int]:
    """Return the seats whose explorers stand on a space."""
    return [seat for seat in range(int(game.players)) if int(game.seats[seat].space) == space]


def _bridge(game: State) -> list[str]:
    """Return the bridge as a row of spaces, west on the left, with the explorers above it."""
    spaces = range(WEST_END, EAST_END + 1)
    stacks = [standing_on(game, space) for space in spaces]
    lines = []
    for level in range(max(map(len, stacks)), 0, -1):
        on_level = [str(stack[level - 1]) if len(stack) >= level else "" for stack in stacks]
        lines.append(_row("  seats" if level == 1 else "", [cell.rjust(BRIDGE_CELL) for cell in on_level]))
    lines.append(_row("Bridge", [str(space).rjust(BRIDGE_CELL, "─") for space in spaces]))
    lines.append(_row("", [" safety", "pursuers".rjust(BRIDGE_CELL * EAST_END - len(" safety"))]))
    return lines


def deck_contents(game: State) -> str:
    """Return what is still in the event deck."""
    left = [(int(count), name) for count, name in zip(game.deck, EVENT_NAMES, strict=True)]
    return ", ".join(f"{count} {name}" for count, name in left if count)


def revealed_events(game: State) -> list[int]:
    """Return the events of the matches so far."""
    return [int(event) for event in game.event[: int(game.revealed)]]


def _events(game: State) -> list[str]:
    shown = [f"{match}: {EVENT_NAMES[event]}" for match, event in enumerate(revealed_events(game), start=1)]
    lines = [_row("Events", ["   ".join(shown) or "none yet"]), _row("  deck", [deck_contents(game)])]
    rulings = rulings_text(game.rulings, RULINGS)
    return [*lines, _row("Rulings", [rulings])] if rulings else lines


def played_in(game: State, match: int, seat: int) -> list[int]:
    """Return the cards that a seat showed in a match, an idea before the card that replaced it."""
    cards = [int(game.played[match - 1, seat]), int(game.instead[match - 1, seat])]
    return [card - 1 for card in cards if card]


def _name(game: State, seat: int) -> str:
    return f"{'>' if seat == int(game.actor) else ' '} seat {seat}"


def _hands(game: State) -> list[str]:
    """Return the public part of every hand."""
    lines = [_row("Hands", (*CARDS[:NORMALS], "special"), HAND_CELL)]
    for seat in range(int(game.players)):
        player = game.seats[seat]
        hand = [str(int(count) or "·") for count in player.hand]
        special = "hidden" if player.holds_special else f"{CARDS[int(game.special[seat])]}, played"
        lines.append(_row(_name(game, seat), [*hand, special], HAND_CELL))
    return lines


def _played(game: State) -> list[str]:
    """Return what everybody has shown in each match, and who has already chosen a card in this one."""
    shown = range(1, round_of(game) + 1)
    lines = [_row("Played", [f"match {match}" for match in shown], PLAYED_CELL)]
    for seat in range(int(game.players)):
        cells = ["+".join(CARDS[card] for card in played_in(game, match, seat)) for match in shown]
        if int(game.pick[seat]):
            cells[-1] = f"{cells[-1]}+chosen".removeprefix("+")
        lines.append(_row(_name(game, seat), [cell or "·" for cell in cells], PLAYED_CELL))
    return lines
