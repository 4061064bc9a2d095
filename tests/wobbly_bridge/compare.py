"""The comparison of The Wobbly Bridge with its reference: which games, how they are played, and what is compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from olb_env.core.game import States
from olb_env.wobbly_bridge import GAME
from olb_env.wobbly_bridge.components import CARDS, EVENTS, MATCHES, PLAYERS, RULINGS
from olb_env.wobbly_bridge.notation import SPECIAL_ACTIONS
from tests.wobbly_bridge.reference import NAMES, ReferenceGame

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
    spaces, hands, holds = (states["seats"][name].tolist() for name in ("space", "hand", "holds_special"))
    specials, events = states["special"].tolist(), states["event"].tolist()
    shown = np.stack([states["played"], states["instead"]], axis=2)  # [B, matches, 2, seats]
    shown = shown.reshape(len(states), 2 * MATCHES, -1).swapaxes(1, 2).tolist()
    matches, revealed = states["match_number"].tolist(), states["revealed"].tolist()
    for row, players in enumerate(states["players"].tolist()):
        held = [
            [
                *(card for card, count in enumerate(hands[row][seat]) for _ in range(count)),
                *[special] * holds[row][seat],
            ]
            for seat, special in enumerate(specials[row][:players])
        ]
        yield {
            "positions": spaces[row][:players],
            "hands": [[CARDS[card] for card in hand] for hand in held],
            "shown": [[CARDS[card - 1] for card in cards if card] for cards in shown[row][:players]],
            "match": matches[row],
            "revealed": [EVENTS[event] for event in events[row][: revealed[row]]],
        }


def reference_view(game: ReferenceGame) -> dict[str, Any]:
    """Return the same view of the reference."""
    return {
        "positions": game.positions,
        "hands": [sorted(one.hand, key=NAMES.index) for one in game.explorers],
        "shown": [list(one.shown) for one in game.explorers],
        "match": game.match,
        "revealed": list(game.revealed),
    }


def reference_end(game: ReferenceGame) -> dict[str, Any]:
    """Return the end keys of a record."""
    return {"positions": game.positions, "rank": game.rank}


def random_rulings(rng: random.Random) -> dict[str, str]:
    """Return random rulings in half of the games."""
    if rng.random() < 0.5:
        return {}
    return {name: rng.choice(ruling.values) for name, ruling in RULINGS.items()}


def random_options(number: int, rng: random.Random) -> dict[str, Any]:
    """Return the number of players and the rulings of the n-th game."""
    return {"num_players": PLAYERS[number % len(PLAYERS)], "rulings": random_rulings(rng)}


def action_weights(names: list[str], number: int) -> list[float]:
    """Return the weights of random actions: special cards are played at any time, late or early, game by game."""
    style = number // len(PLAYERS) % 3
    if style == 0:
        return [1.0] * len(names)
    special = 0.05 if style == 1 else 4.0
    return [special if name in SPECIAL_ACTIONS else 1.0 for name in names]
