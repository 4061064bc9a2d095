"""The golden games of Portobello Market: for each the number that selects its action weights, and its options."""

from __future__ import annotations

from typing import Any

from olb_env.portobello_market.components import PLAYERS
from tests.portobello_market.positions import OTHER_PLAN, SHORT_BOARD

# Numbers for `compare.action_weights`: together the games show marks, customers, the Lord, tolls and scored alleys.
ANYHOW, DRAWING, WANDERING, HURRYING = (place * len(PLAYERS) for place in (0, 1, 2, 4))

GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "two_players": (ANYHOW, {"num_players": 2}),
    "three_players": (DRAWING, {"num_players": 3}),
    "four_players_open_bag": (WANDERING, {"num_players": 4, "customers": "open"}),
    "three_players_own_board": (
        HURRYING,
        {"num_players": 3, "start_score": 0, "customers": "open", "board": SHORT_BOARD},
    ),
    "four_players_other_plan": (DRAWING, {"num_players": 4, "board": OTHER_PLAN}),
}
