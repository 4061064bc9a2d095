"""Settings that go together, by name; and back: the command that gives some settings."""

from __future__ import annotations

import dataclasses
import shlex
from typing import Any

from training.learning.settings import Settings

STYLES = ("planner", "greedy", "chapel", "guilds", "merchant", "hoarder", "gate", "gardener")
SEARCH = "mcts:16"
LEAGUE: dict[str, Any] = {"options": ("scoring=random",), "agents": STYLES, "teacher": "planner"}
PRESETS: dict[str, dict[str, Any]] = {
    "quick": {"decisions": 15_000_000, **LEAGUE, "taught": 500_000, "epochs": 1},
    "champion": {
        "decisions": 45_000_000,
        **LEAGUE,
        "agents": (*STYLES, SEARCH),
        "taught": 1_000_000,
        "hidden": (384, 256),
        "insight": 3,
        "rate": 2.5e-3,
        "entropy": (0.07, 0.015),
        "self_share": 0.85,
        "snapshot_every": 40,
        "checkpoint_every": 40,
        "evaluate_every": 100,
    },
}
EXPLOIT: dict[str, Any] = {"decisions": 30_000_000, "self_share": 0.0, "past_share": 0.0, "rate": 3e-4}
EXPLOIT_TABLES = 768
SB3: dict[str, Any] = {
    "decisions": 2_000_000,
    "minibatch": 2048,
    "epochs": 4,
    "rate": 2e-3,
    "entropy": (0.03, 0.005),
    "agents": ("planner", "greedy", "random"),
}
SB3_USES = {
    "game", "seed", "decisions", "hidden", "tables", "steps", "epochs", "minibatch", "rate", "clip", "entropy", "trust",
    "value_weight", "gradient", "divergence", "past", "snapshot_every", "agents", "workers", "checkpoint_every",
    "evaluate_every",
}  # fmt: skip
TAKEN_FROM_START = ("hidden", "insight")  # where not typed, those of the network to begin with
NOT_TYPED = ("game", "exploit")  # settings that have options of their own


def command_of(settings: Settings) -> str:
    """What to type for these settings: the shortest there is, but for where the run is kept."""
    if settings.exploit:
        begun = {f"--exploit {shlex.quote(settings.exploit)}": {**EXPLOIT, "agents": settings.agents}}
    else:
        begun = {f"--preset {name}": preset for name, preset in PRESETS.items()}
    told = [f"olb train --game {settings.game} {how}{_flags(settings, preset)}" for how, preset in begun.items()]
    return min(told, key=len)


def _flags(settings: Settings, preset: dict[str, Any]) -> str:
    """The settings that differ from what they would be if they were not typed, as they are typed."""
    told = ""
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        by_start = settings.start and field.name in TAKEN_FROM_START
        if field.name not in NOT_TYPED and (by_start or value != preset.get(field.name, field.default)):
            words = value if isinstance(value, tuple) else (value,)
            told += f" --{field.name.replace('_', '-')} {shlex.join(map(str, words))}".rstrip()
    return told
