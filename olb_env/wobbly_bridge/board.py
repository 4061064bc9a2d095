"""The options of a deal, checked: the number of players and the rulings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from olb_env.core.checking import is_int, shown
from olb_env.core.game import Choices, zeros_of
from olb_env.core.rulings import DEFAULT, parse_rulings, read_rulings, rulings_help
from olb_env.wobbly_bridge.components import MAX_PLAYERS, PLAYERS, RULINGS
from olb_env.wobbly_bridge.state import SETUP

OPTIONS: Mapping[str, Any] = {"num_players": 4, "rulings": None}
COMMAND_OPTIONS: Mapping[str, str] = {"rulings": rulings_help(RULINGS)}
OPTION_VALUES: Mapping[str, Choices] = {
    "rulings": Choices((DEFAULT,), {name: ruling.values for name, ruling in RULINGS.items()}),
}


def configure(num_players: int = 4, rulings: str | Mapping[str, str] | None = None) -> Any:
    """Return a setup of one row for `deal`."""
    if not is_int(num_players) or num_players not in PLAYERS:
        raise ValueError(f"num_players is {shown(num_players)}: expected {PLAYERS[0]} to {MAX_PLAYERS}")
    setups = zeros_of(1, SETUP)
    setups["players"] = num_players
    setups["rulings"] = read_rulings(rulings, RULINGS)
    return setups


def parse_option(option: str, text: str) -> Any:
    """Return the value of an option typed in a command."""
    return parse_rulings(text) if option == "rulings" else text
