"""Golden games of The Wobbly Bridge: the number that says how each is played (`comparing.weigh`), and its options."""

from __future__ import annotations

from typing import Any

from olb_env.wobbly_bridge.components import PLAYERS

# When special cards are played.
ANY_TIME, LATE, EARLY = (style * len(PLAYERS) for style in range(3))

GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "three_players": (ANY_TIME, {"num_players": 3}),
    "four_players": (LATE, {"num_players": 4}),
    "six_players": (EARLY, {"num_players": 6}),
}
