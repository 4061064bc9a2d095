"""What a checkpoint says about its run besides its arrays, and the check of it when a run is resumed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from olb_agents.network import Shape
from olb_env.core.checking import shortened, shown
from olb_training.arena.statistics import Estimate
from olb_training.ppo.bounds import MOST_SHOWN, read_number
from olb_training.ppo.checkpoint import CheckpointError
from olb_training.ppo.metrics import ENDS
from olb_training.ppo.settings import Settings
from olb_training.ppo.win_rates import WinRates

MOST_SECONDS = 1e10
KEYS = ("settings", "shape", "seconds", "earlier_stages", "win_rates")


@dataclass(frozen=True)
class Notes:
    """The notes of a checkpoint, checked."""

    settings: Settings
    seconds: float  # of training, all sessions together
    earlier_stages: list[dict[str, Any]]  # of the network that the run started from
    win_rates: WinRates  # of the last evaluation


def notes_of(
    settings: Settings, seconds: float, earlier_stages: list[dict[str, Any]], win_rates: WinRates
) -> dict[str, Any]:
    """Return the notes to write."""
    return {
        "settings": asdict(settings),
        "shape": _as_json(settings.network_shape()),
        "seconds": seconds,
        "earlier_stages": earlier_stages,
        "win_rates": {name: asdict(rate) for name, rate in win_rates.items()},
    }


def read_notes(file: Path, about: Mapping[str, Any]) -> Notes:
    """Return the notes of a checkpoint; a CheckpointError says what is wrong with them."""
    name = shortened(file, MOST_SHOWN)
    try:
        if set(about) != set(KEYS):
            raise ValueError(f"it has {shown(list(about))}: expected {', '.join(KEYS)}")
        settings = Settings.from_dict(about["settings"])
        seconds = read_number("seconds", about["seconds"], MOST_SECONDS)
        stages = stages_of({"stages": about["earlier_stages"]})
        if stages != about["earlier_stages"]:
            raise ValueError(f"earlier_stages is {shown(about['earlier_stages'])}: expected a list of mappings")
        win_rates = _read_win_rates(about["win_rates"])
    except ValueError as error:
        raise CheckpointError(f"{name} is not a checkpoint of a run: {error}") from None
    if about["shape"] != _as_json(settings.network_shape()):
        raise CheckpointError(f"{name} is for other inputs or actions than the game has now: start a new run")
    return Notes(settings, seconds, stages, win_rates)


def stages_of(about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stages of a network's training, if it names them."""
    stages = about.get("stages")
    return stages if isinstance(stages, list) and all(isinstance(stage, dict) for stage in stages) else []


def _read_win_rates(given: Any) -> WinRates:
    if not isinstance(given, dict):
        raise ValueError(f"win_rates is {shown(given)}: expected estimates by name")
    return {name: _read_estimate(rate) for name, rate in given.items()}


def _read_estimate(given: Any) -> Estimate:
    known = {field.name for field in fields(Estimate)}
    if not isinstance(given, dict) or not set(ENDS) <= set(given) <= known:
        raise ValueError(f"win_rates have {shown(given)}: expected a value and its interval")
    value, low, high = (read_number("win_rates", given[name], 1e6, -1e6) for name in ENDS)
    rest: dict[str, Any] = {name: value for name, value in given.items() if name not in ENDS}
    if not all(one is None or one in ENDS for one in rest.values()):
        raise ValueError(f"win_rates have {shown(given)}: expected a value and its interval")
    return Estimate(value, low, high, **rest)


def _as_json(shape: Shape) -> dict[str, Any]:
    """Return a shape as it comes back from JSON."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(shape)))
    return values
