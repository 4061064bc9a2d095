"""The comparison of Old London Bridge with its reference: which games, how they are played, and what is compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from olb_env.core.game import States
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import CRESTS, KINDS, SCORINGS, TILES
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
                    (KINDS[kind - 1], number, CRESTS[crest])
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
    coins = ["X", *(rng.randint(0, 3) for _ in range(5))]
    rng.shuffle(coins)
    chapel, gate = rng.randint(3, 20), rng.randint(3, 20)
    chapel_spaces = rng.sample(range(1, chapel), rng.randint(0, 2))
    return {
        "coins": coins,
        "stack_order": rng.sample(KINDS, 6),
        "chapel_track": {"length": chapel, "coins": {space: rng.randint(1, 5) for space in chapel_spaces}},
        "gate_track": {"length": gate, "bonus": sorted(rng.sample(range(1, gate), rng.randint(1, gate - 1)))},
    }


def random_options(number: int, rng: random.Random) -> dict[str, Any]:
    """Return the players, scoring and board of the n-th game; the scoring options take turns."""
    scoring: Any = {area: names[(number // 5**i) % 5] for i, (area, names) in enumerate(SCORINGS.items())}
    return {"num_players": 2 + number % 3, "scoring": scoring, "board": random_board(rng)}


def action_weights(names: list[str], number: int) -> list[float]:
    """Return the weights of random actions: every other game favours bonus tiles, so that their rules come up often."""
    if number % 2 == 0:
        return [1.0] * len(names)
    liked = ("use", "bonus", "boost", "rondel gate", "centre gate")
    return [6.0 if name.startswith(liked) else 1.0 for name in names]
