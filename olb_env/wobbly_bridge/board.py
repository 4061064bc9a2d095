"""The options of a deal: the number of players, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from olb_env.core.checking import is_int
from olb_env.core.game import zeros_of
from olb_env.wobbly_bridge.components import MAX_PLAYERS, PLAYERS
from olb_env.wobbly_bridge.state import SETUP

OPTIONS: Mapping[str, Any] = {"num_players": 4}
COMMAND_OPTIONS: Mapping[str, str] = {}


def configure(num_players: int = 4) -> Any:
    """Return a setup of one row for `deal`."""
    if not is_int(num_players) or num_players not in PLAYERS:
        raise ValueError(f"num_players is {num_players!r}: expected {PLAYERS[0]} to {MAX_PLAYERS}")
    setups = zeros_of(1, SETUP)
    setups["players"] = num_players
    return setups


def parse_option(option: str, text: str) -> Any:
    """Refuse every option typed in a command: the game has none."""
    raise ValueError(f"{option} is {text!r}: the game has no options")
