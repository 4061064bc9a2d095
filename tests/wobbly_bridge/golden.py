"""The golden games of The Wobbly Bridge: for each the number that selects its action weights, and its options."""

from __future__ import annotations

from typing import Any

from olb_env.wobbly_bridge.components import PLAYERS

# Numbers for `compare.action_weights`, by when special cards are played.
ANY_TIME, LATE, EARLY = (style * len(PLAYERS) for style in range(3))

GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "three_players": (ANY_TIME, {"num_players": 3}),
    "four_players": (LATE, {"num_players": 4}),
    "six_players": (EARLY, {"num_players": 6}),
}
