"""What the caller chooses before a deal: how many play, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from olb_env.core.checking import is_int
from olb_env.core.game import zeros_of
from olb_env.wobbly_bridge.components import MOST_PLAYERS, PLAYERS
from olb_env.wobbly_bridge.state import SETUP

OPTIONS: Mapping[str, Any] = {"num_players": 4}
COMMAND_OPTIONS: Mapping[str, str] = {}


def configure(num_players: int = 4) -> Any:
    """A setup of one row, for `deal`."""
    if not is_int(num_players) or num_players not in PLAYERS:
        raise ValueError(f"num_players is {num_players!r}: expected {PLAYERS[0]} to {MOST_PLAYERS}")
    setups = zeros_of(1, SETUP)
    setups["players"] = num_players
    return setups


def parse_option(option: str, text: str) -> Any:
    """An option as typed in a command: there is none to type."""
    raise ValueError(f"{option} is {text!r}: the game has no options")
