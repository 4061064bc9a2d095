"""A position as a picture in plain text, for people who follow a game in a terminal, a log or a test.

The picture is for everybody at the table, so it may know only what everybody knows (§4): no special card before it is
played, no `pick` but that there is one, no `legal`, no event to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from olb_env.core.game import State
from olb_env.core.ranking import ranks_of
from olb_env.wobbly_bridge.components import (
    CARDS,
    EAST_END,
    EVENTS,
    MATCHES,
    NORMALS,
    WEST_END,
)
from olb_env.wobbly_bridge.state import OVER, PICK

MARGIN: Final = 10  # names of rows stand here
BRIDGE_CELL, HAND_CELL, PLAYED_CELL = 4, 9, 14
EVENT_NAMES: Final = tuple(event if event == "calm" else f"{event} wind" for event in EVENTS)


def draw(game: State) -> str:
    """The whole table; a finished game with its ranks."""
    sections = (_headline(game), _bridge(game), _events(game), _hands(game), _played(game))
    return "\n\n".join("\n".join(section) for section in sections)


def _row(name: str, cells: Iterable[str], width: int = 0) -> str:
    return (name.ljust(MARGIN) + "".join(cell.ljust(width) for cell in cells)).rstrip()


def round_of(game: State) -> int:
    """Which match it is, from 1 on."""
    return int(game.match_number)


def question(game: State) -> str:
    """What the acting seat decides, after its name."""
    if int(game.phase) == PICK:
        return "picks a card face down"
    if int(game.ideas) == 1:
        return "alone has an idea and plays another card openly"
    return "has an idea and picks another card face down"


def outcome(game: State, called: Sequence[str]) -> str:
    """Who has won, and where it stands; several on one space share it."""
    first = [seat for seat, rank in enumerate(ranks_of(game)) if rank == 1]
    names = " and ".join(called[seat] for seat in first)
    space = int(game.seats[first[0]].space)
    return f"{names} {'wins' if len(first) == 1 else 'share the win'} on space {space}"


def _headline(game: State) -> list[str]:
    time = f"The Wobbly Bridge, match {round_of(game)} of {MATCHES}"
    if int(game.phase) == OVER:
        called = [f"seat {seat}" for seat in range(int(game.players))]
        return [f"{time}: the game is over, {outcome(game, called)}"]
    return [f"{time}: seat {int(game.actor)} {question(game)}"]


def standing_on(game: State, space: int) -> list[int]:
    """Whose explorers stand on a space."""
    return [seat for seat in range(int(game.players)) if int(game.seats[seat].space) == space]


def _bridge(game: State) -> list[str]:
    """The explorers stand on a line of spaces, west on the left."""
    spaces = range(WEST_END, EAST_END + 1)
    stacks = [standing_on(game, space) for space in spaces]
    lines = []
    for level in range(max(map(len, stacks)), 0, -1):
        on_level = [str(stack[level - 1]) if len(stack) >= level else "" for stack in stacks]
        lines.append(_row("  seats" if level == 1 else "", [cell.rjust(BRIDGE_CELL) for cell in on_level]))
    lines.append(_row("Bridge", [str(space).rjust(BRIDGE_CELL, "─") for space in spaces]))
    lines.append(_row("", [" safety", "pursuers".rjust(BRIDGE_CELL * EAST_END - len(" safety"))]))
    return lines


def deck_words(game: State) -> str:
    """What is still in the event deck."""
    left = [(int(count), name) for count, name in zip(game.deck, EVENT_NAMES, strict=True)]
    return ", ".join(f"{count} {name}" for count, name in left if count)


def revealed_events(game: State) -> list[int]:
    """The events of the matches so far."""
    return [int(event) for event in game.event[: int(game.revealed)]]


def _events(game: State) -> list[str]:
    shown = [f"{match}: {EVENT_NAMES[event]}" for match, event in enumerate(revealed_events(game), start=1)]
    return [_row("Events", ["   ".join(shown) or "none yet"]), _row("  deck", [deck_words(game)])]


def played_in(game: State, match: int, seat: int) -> list[int]:
    """The cards that a seat showed in a match, an idea before what replaced it."""
    cards = [int(game.played[match - 1, seat]), int(game.instead[match - 1, seat])]
    return [card - 1 for card in cards if card]


def _name(game: State, seat: int) -> str:
    return f"{'>' if seat == int(game.actor) else ' '} seat {seat}"


def _hands(game: State) -> list[str]:
    """What everybody holds, as far as all know."""
    lines = [_row("Hands", (*CARDS[:NORMALS], "special"), HAND_CELL)]
    for seat in range(int(game.players)):
        player = game.seats[seat]
        hand = [str(int(count) or "·") for count in player.hand]
        special = "hidden" if player.holds_special else f"{CARDS[int(game.special[seat])]}, played"
        lines.append(_row(_name(game, seat), [*hand, special], HAND_CELL))
    return lines


def _played(game: State) -> list[str]:
    """What everybody has shown in each match, and who has chosen a card in this one."""
    shown = range(1, round_of(game) + 1)
    lines = [_row("Played", [f"match {match}" for match in shown], PLAYED_CELL)]
    for seat in range(int(game.players)):
        cells = ["+".join(CARDS[card] for card in played_in(game, match, seat)) for match in shown]
        if int(game.pick[seat]):
            cells[-1] = f"{cells[-1]}+chosen".removeprefix("+")
        lines.append(_row(_name(game, seat), [cell or "·" for cell in cells], PLAYED_CELL))
    return lines
