"""The keys of game records and of infos that are specific to this game."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from olb_env.core.checking import check_setup, shown
from olb_env.core.game import State, States, zeros_of
from olb_env.core.rulings import describe_rulings
from olb_env.old_london_bridge.board import NAME_OF_NO_CREST, configure, read_piles, read_tiles
from olb_env.old_london_bridge.components import (
    AREAS,
    CRESTS,
    CROSSED_OUT,
    END_OF_TRACK,
    KINDS,
    LEDGER,
    MARKERS,
    ROUNDS,
    RULINGS,
    SCORINGS,
    STAIRS,
    TILES,
)
from olb_env.old_london_bridge.dealing import begin_games
from olb_env.old_london_bridge.state import BOARD_COLUMNS, CODE_BASE, STATE, TRACKS

SETUP_KEYS = (
    "stacks",
    "stack_order",
    "markers",
    "bonus",
    "chapel_start",
    "rondel",
    "chapel_track",
    "gate_track",
)
TRACK_KEYS = {"chapel_track": ("length", "coins"), "gate_track": ("length", "bonus")}  # that every record has
END_KEYS = ("money", "ranking", "breakdown")


def describe_setup(game: State) -> dict[str, Any]:
    """Return the keys `players`, `scoring` and `setup` of a record, from any state of the game."""
    players = int(game.players)
    markers = [int(marker) for marker in game.hidden.marker[: ROUNDS[players]]]
    rulings = describe_rulings(game.board.rulings, RULINGS)
    return {
        "players": players,
        "scoring": {area: SCORINGS[area][chosen] for area, chosen in zip(AREAS, game.scoring.tolist(), strict=True)},
        **({"rulings": rulings} if rulings else {}),
        "setup": {
            "stacks": {name: _describe_tiles(game.hidden.stack[kind]) for kind, name in enumerate(KINDS)},
            "stack_order": [KINDS[kind] for kind in game.stack_order],
            "markers": markers,
            "bonus": [[TILES[tile] for tile in pile] for pile in game.hidden.pile],
            "chapel_start": game.stairs[:players].tolist(),
            "rondel": {
                "coins": _describe_coins(game),
                "turn": (int(game.rotation) - sum(markers[: game.round_number])) % len(KINDS),
            },
            **{f"{name}_track": _usual_parts(name, _describe_track(game.board[name])) for name in TRACKS},
        },
    }


def describe_board(game: State) -> dict[str, Any]:
    """Return the whole board, from any state of the game; tiles and bonus piles are sorted."""
    return {
        "coins": _describe_coins(game),
        "stack_order": [KINDS[kind] for kind in game.stack_order],
        "bonus_piles": [[TILES[tile] for tile in sorted(pile.tolist())] for pile in game.hidden.pile],
        **{f"{name}_track": _describe_track(game.board[name]) for name in TRACKS},
        "tiles": {name: sorted(_describe_tiles(game.hidden.stack[kind])) for kind, name in enumerate(KINDS)},
    }


def remarks(game: State) -> list[str]:
    """Return what looks like a mistake on a board that can be played."""
    crossed = all(coin == CROSSED_OUT for coin in game.rondel.tolist())
    return ["Every outer space of the rondel is an X, so pawns go to the centre or need a tile."] if crossed else []


def _describe_tiles(codes: Any) -> list[list[Any]]:
    return [[code // CODE_BASE, CRESTS[code % CODE_BASE] or NAME_OF_NO_CREST] for code in codes.tolist()]


def _describe_coins(game: State) -> list[Any]:
    return ["X" if coin == CROSSED_OUT else coin for coin in game.rondel.tolist()]


def _describe_track(track: State) -> dict[str, Any]:
    return {
        "length": int(track.length),
        "coins": {str(space): coin for space, coin in enumerate(track.coins.tolist(), start=1) if coin},
        "bonus": [space for space, bonus in enumerate(track.bonus.tolist(), start=1) if bonus],
        "end": int(track.end),
    }


def _usual_parts(name: str, track: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a track that records have, without those that are as they are on tracks of that name."""
    usual: dict[str, Any] = {"coins": {}, "bonus": [], "end": END_OF_TRACK}
    needed = TRACK_KEYS[f"{name}_track"]
    return {key: part for key, part in track.items() if key in needed or part != usual[key]}


def starts(game: State) -> list[str]:
    """Return the stair that each seat began on."""
    stairs = game.stairs[: int(game.players)].tolist()
    return [STAIRS[stairs.index(seat)] for seat in range(len(stairs))]


def read_setup(record: Mapping[str, Any]) -> States:
    """Return the game [1] that a record begins with, or raise a ValueError that says what is wrong."""
    if "scoring" not in record:
        raise ValueError("the record has no 'scoring'")
    players, setup = record["players"], record["setup"]
    check_setup(setup, SETUP_KEYS)
    rondel = setup["rondel"]
    if not isinstance(rondel, Mapping) or set(rondel) != {"coins", "turn"}:
        raise ValueError(f"rondel is {shown(rondel)}: expected a mapping with 'coins' and 'turn'")
    scoring = record["scoring"]
    if not isinstance(scoring, Mapping) or set(scoring) != set(AREAS):
        raise ValueError(f"scoring is {shown(scoring)}: expected a mapping of {', '.join(AREAS)} to names")
    for name, needed in TRACK_KEYS.items():
        track = setup[name]
        if isinstance(track, Mapping) and (missing := [key for key in needed if key not in track]):
            raise ValueError(f"{name} has no {missing[0]}: expected {' and '.join(needed)}")
    board = {
        "coins": rondel["coins"],
        "stack_order": setup["stack_order"],
        "chapel_track": setup["chapel_track"],
        "gate_track": setup["gate_track"],
    }
    rulings = record.get("rulings")
    chosen = _configured({"num_players": players, "scoring": scoring, "board": board, "rulings": rulings})
    states = zeros_of(1, STATE)
    states["players"], states["perfect"] = players, 1
    for name in ("scoring", *BOARD_COLUMNS):
        states[name] = chosen[name]
    hidden = states["hidden"]
    hidden["stack"] = read_tiles(setup["stacks"])
    hidden["marker"][0, : ROUNDS[players]] = _read_markers(setup["markers"], players)
    hidden["pile"] = read_piles(setup["bonus"])
    states["stairs"][0, :players] = _read_stairs(setup["chapel_start"], players)
    if not _is_one_of(rondel["turn"], range(len(KINDS))):
        raise ValueError(f"rondel turn is {shown(rondel['turn'])}: expected 0 to {len(KINDS) - 1}")
    states["rotation"] = rondel["turn"]
    begin_games(states)
    return states


def _configured(options: Mapping[str, Any]) -> Any:
    """Return a setup of one row without the tiles; it is shared and must not be changed."""
    try:
        return _configured_once(json.dumps(options))
    except TypeError:  # a value that JSON cannot hold
        return configure(**options)


@functools.lru_cache(maxsize=1024)
def _configured_once(options: str) -> Any:
    """Return the setup of options given as JSON; cached, since nearly all records of a file share a board."""
    return configure(**json.loads(options))


def _is_one_of(value: Any, allowed: Sequence[int]) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in allowed


def _read_markers(markers: Any, players: int) -> list[int]:
    rounds = ROUNDS[players]
    if not isinstance(markers, list) or len(markers) != rounds:
        count = len(markers) if isinstance(markers, list) else shown(markers)
        raise ValueError(f"setup has {count} markers: expected {rounds} with {players} players")
    for marker in markers:
        if not _is_one_of(marker, range(1, len(MARKERS) + 1)):
            raise ValueError(f"setup has the marker {shown(marker)}: expected 1, 2 or 3")
    for value, most in enumerate(MARKERS, start=1):
        if markers.count(value) > most:
            raise ValueError(f"setup has the marker {value} {markers.count(value)} times: there are {most}")
    return markers


def _read_stairs(seats: Any, players: int) -> list[int]:
    expected = list(range(players))
    if not isinstance(seats, list) or not all(_is_one_of(seat, expected) for seat in seats):
        raise ValueError(f"chapel_start is {shown(seats)}: expected each seat from 0 to {players - 1} once")
    if sorted(seats) != expected:
        raise ValueError(f"chapel_start is {shown(seats)}: expected each seat from 0 to {players - 1} once")
    return seats


def ranking(game: State) -> list[int]:
    """Return the seats, best first: by money, then by chapel order."""
    money, standing = game["money"].tolist(), game["seats"]["standing"].tolist()
    return sorted(range(int(game["players"])), key=lambda seat: (-money[seat], standing[seat]))


def describe_end(game: State) -> dict[str, Any]:
    """Return the end keys of a finished game."""
    players = int(game["players"])
    breakdown = [dict(zip(LEDGER, row, strict=True)) for row in game["ledger"][:players].tolist()]
    return dict(zip(END_KEYS, (game["money"][:players].tolist(), ranking(game), breakdown), strict=True))


def final_infos(game: State) -> list[dict[str, Any]]:
    """Return the final `info` of each seat: the money and ranking of all, and the seat's own breakdown."""
    end = describe_end(game)
    return [{**end, "breakdown": breakdown} for breakdown in end["breakdown"]]
