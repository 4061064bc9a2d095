"""The comparison of Old London Bridge with its reference: which games, how they are played, and what is compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from olb_env.core.game import States
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.board import NAME_OF_NO_CREST, printed_board
from olb_env.old_london_bridge.components import BLUE, CRESTS, GREEN, KINDS, RULINGS, SCORINGS, TILES
from tests.old_london_bridge.reference import ReferenceGame

__all__ = [
    "GAME",
    "ReferenceGame",
    "action_weights",
    "engine_views",
    "random_options",
    "reference_end",
    "reference_view",
]


def engine_views(states: States) -> Iterator[dict[str, Any]]:
    """Yield the states of a batch in the terms of the reference."""
    names = ("chapel", "gate", "hand", "tiles", "built", "bridge_kind", "bridge_number", "bridge_crest")
    seats = {name: states["seats"][name].tolist() for name in names}
    money, order = states["money"].tolist(), states["order"].tolist()
    supply = states["table"]["supply"].tolist()
    for row, players in enumerate(states["players"].tolist()):
        seat = {name: values[row][:players] for name, values in seats.items()}
        yield {
            "money": money[row][:players],
            "chapel": seat["chapel"],
            "gate": seat["gate"],
            "chapel_order": order[row][:players],
            "hands": seat["hand"],
            "supply": supply[row],
            "tiles": [
                {tile: count for tile, count in zip(TILES, held, strict=True) if count} for held in seat["tiles"]
            ],
            "bridges": [
                [
                    (KINDS[kind - 1], number, CRESTS[crest] or NAME_OF_NO_CREST)
                    for kind, number, crest in zip(kinds[:built], numbers[:built], crests[:built], strict=True)
                ]
                for built, kinds, numbers, crests in zip(
                    seat["built"], seat["bridge_kind"], seat["bridge_number"], seat["bridge_crest"], strict=True
                )
            ],
        }


def reference_view(game: ReferenceGame) -> dict[str, Any]:
    """Return the same view of the reference."""
    return {
        "money": list(game.money),
        "chapel": list(game.chapel),
        "gate": list(game.gate),
        "chapel_order": list(game.chapel_order),
        "hands": [list(hand) for hand in game.hands],
        "supply": list(game.supply),
        "tiles": [{tile: count for tile, count in held.items() if count} for held in game.tiles],
        "bridges": [[tuple(building) for building in bridge] for bridge in game.bridges],
    }


def reference_end(game: ReferenceGame) -> dict[str, Any]:
    """Return the end keys of a record."""
    return {"money": game.money, "ranking": game.ranking, "breakdown": game.breakdown}


def random_board(rng: random.Random) -> dict[str, Any]:
    """Return a random board in some of the games, so that nothing relies on the printed one."""
    if rng.random() < 0.6:
        return {}
    crosses = rng.choice((0, 1, 1, 1, 2, 5))
    coins = ["X"] * crosses + [rng.choice((0, 1, 2, 3, 99)) for _ in range(6 - crosses)]
    rng.shuffle(coins)
    chapel = random_track(rng, rng.randint(0, 3), rng.choice((0, 0, 2)))
    gate = random_track(rng, rng.choice((0, 0, 2)), rng.randint(0, 20))
    tiles = printed_board()["tiles"]
    if rng.random() < 0.5:
        crests = [NAME_OF_NO_CREST, *CRESTS[BLUE : GREEN + 1]]
        tiles["park"] = [[0, rng.choice(crests)] for _ in tiles["park"]]
    bonus = list(TILES * 3)
    rng.shuffle(bonus)
    return {
        "coins": coins,
        "stack_order": rng.sample(KINDS, 6),
        "bonus_piles": [bonus[:8], bonus[8:16], bonus[16:]],
        "chapel_track": chapel,
        "gate_track": gate,
        "tiles": tiles,
    }


def random_track(rng: random.Random, coins: int, bonus: int) -> dict[str, Any]:
    """Return a track with at most so many spaces with coins, and so many bonus spaces."""
    length = rng.randint(1, 20)
    spaces = range(1, length + 1)
    return {
        "length": length,
        "coins": {space: rng.choice((1, 5, 99)) for space in rng.sample(spaces, min(coins, length))},
        "bonus": sorted(rng.sample(spaces, min(bonus, length))),
        "end": rng.choice((0, 10, 10, 99)),
    }


def random_rulings(rng: random.Random) -> dict[str, str]:
    """Return random rulings in some of the games."""
    if rng.random() < 0.5:
        return {}
    return {name: rng.choice(ruling.values) for name, ruling in RULINGS.items()}


def random_options(number: int, rng: random.Random) -> dict[str, Any]:
    """Return the players, scoring, board and rulings of the n-th game; the scoring options take turns."""
    scoring: Any = {area: names[(number // 5**i) % 5] for i, (area, names) in enumerate(SCORINGS.items())}
    board, rulings = random_board(rng), random_rulings(rng)
    return {"num_players": 2 + number % 3, "scoring": scoring, "board": board, "rulings": rulings}


def action_weights(names: list[str], number: int) -> list[float]:
    """Return the weights of random actions: every other game favours bonus tiles, so that their rules come up often."""
    if number % 2 == 0:
        return [1.0] * len(names)
    liked = ("use", "bonus", "boost", "rondel gate", "centre gate")
    return [6.0 if name.startswith(liked) else 1.0 for name in names]
