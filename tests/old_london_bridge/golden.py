"""The golden games of Old London Bridge: for each the number that selects its action weights, and its options."""

from __future__ import annotations

from typing import Any

EAGER = 1  # favours bonus tiles, see `compare.action_weights`

GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "two_players_board": (EAGER, {"num_players": 2}),
    "three_players_random_scoring": (EAGER, {"num_players": 3, "scoring": "random"}),
    "four_players_board": (EAGER, {"num_players": 4}),
    "four_players_own_board": (
        EAGER,
        {
            "num_players": 4,
            "scoring": {"chapel": "coins again", "gate": "unused tiles", "inn": "highest card", "bridge": "full sets"},
            "board": {
                "coins": [3, "X", 0, 2, 2, 1],
                "stack_order": ["park", "gate", "mercer", "guild", "inn", "chapel"],
                "chapel_track": {"length": 6, "coins": {1: 2, 5: 4}},
                "gate_track": {"length": 24, "bonus": list(range(1, 24, 2))},
            },
        },
    ),
}
