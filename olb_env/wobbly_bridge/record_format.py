"""The keys of game records and of infos that are specific to this game (§6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from olb_env.core.checking import check_setup, shown
from olb_env.core.game import State, States, zeros_of
from olb_env.core.ranking import ranks_of
from olb_env.core.rulings import describe_rulings
from olb_env.wobbly_bridge.board import configure
from olb_env.wobbly_bridge.components import (
    CARDS,
    EAST_WIND,
    EVENT_DECK,
    EVENTS,
    LONE_SPECIALS,
    MATCHES,
    NORMALS,
    ORDER,
    RULINGS,
    WEST_WIND,
)
from olb_env.wobbly_bridge.dealing import begin_games
from olb_env.wobbly_bridge.state import STATE

SETUP_KEYS = ("specials", "events")
END_KEYS = ("positions", "rank")


def describe_setup(game: State) -> dict[str, Any]:
    """Return the keys `players`, `rulings` and `setup` of a record, from any state of the game."""
    players, rulings = int(game["players"]), describe_rulings(game["rulings"], RULINGS)
    return {
        "players": players,
        **({"rulings": rulings} if rulings else {}),
        "setup": {
            "specials": [CARDS[card] for card in game["special"][:players].tolist()],
            "events": [EVENTS[event] for event in game["event"].tolist()],
        },
    }


def starts(game: State) -> list[str]:
    """Return the special card dealt to each seat, the only difference between seats."""
    specials: list[str] = describe_setup(game)["setup"]["specials"]
    return specials


def read_setup(record: Mapping[str, Any]) -> States:
    """Return the game [1] that a record begins with, or raise a ValueError that says what is wrong."""
    players, setup = record["players"], record["setup"]
    chosen = configure(num_players=players, rulings=record.get("rulings"))
    check_setup(setup, SETUP_KEYS)
    states = zeros_of(1, STATE)
    states["players"], states["rulings"] = players, chosen["rulings"]
    states["special"][0, :players] = _read_specials(setup["specials"], players)
    states["event"] = _read_events(setup["events"])
    begin_games(states)
    return states


def _read_names(name: str, given: Any, count: int, allowed: tuple[str, ...]) -> list[str]:
    if not isinstance(given, list) or len(given) != count:
        number = len(given) if isinstance(given, list) else shown(given)
        raise ValueError(f"setup has {number} {name}: expected {count}")
    for word in given:
        if word not in allowed:
            raise ValueError(f"setup has {shown(word)} among the {name}: expected {', '.join(allowed)}")
    return given


def _read_specials(given: Any, players: int) -> list[int]:
    specials = _read_names("specials", given, players, CARDS[NORMALS:])
    for card in CARDS[ORDER:]:
        if specials.count(card) != 1:
            ideas = players - LONE_SPECIALS
            raise ValueError(
                f"setup has {card} {specials.count(card)} times among the specials: "
                f"expected one order, one heavy and {ideas} idea with {players} players"
            )
    return [CARDS.index(card) for card in specials]


def _read_events(given: Any) -> list[int]:
    """Return the events if some shuffle reveals them in this order; the deck is full again after both winds (§2.5)."""
    events = [EVENTS.index(name) for name in _read_names("events", given, MATCHES, EVENTS)]
    deck = list(EVENT_DECK)
    for place, event in enumerate(events, start=1):
        if not deck[event]:
            raise ValueError(f"setup has {EVENTS[event]} as event {place}, but none is left in the deck then")
        deck[event] -= 1
        if not deck[EAST_WIND] and not deck[WEST_WIND]:
            deck = list(EVENT_DECK)
    return events


def describe_end(game: State) -> dict[str, Any]:
    """Return the end keys of a finished game."""
    positions = game["seats"]["space"][: int(game["players"])].tolist()
    return dict(zip(END_KEYS, (positions, ranks_of(game)), strict=True))


def final_infos(game: State) -> list[dict[str, Any]]:
    """Return the final `info` of each seat: the positions and ranks of all."""
    return [describe_end(game) for _ in range(int(game["players"]))]
