"""Settings that go together, by name and game; and back: the command that gives some settings."""

from __future__ import annotations

import dataclasses
import shlex
from typing import Any

from olb_agents.heuristics import DEFAULT_STYLE, heuristics_of
from olb_training.ppo.settings import Settings, evenly

DEFAULT_PRESET = "quick"
PRESETS: dict[str, dict[str, Any]] = {
    "quick": {"decisions": 15_000_000, "taught": 500_000, "epochs": 1},
    "champion": {
        "decisions": 45_000_000,
        "agents": ("mcts:16",),  # besides the styles of the game
        "taught": 1_000_000,
        "hidden": (384, 256),
        "features": "afterstates",
        "rate": 2.5e-3,
        "entropy": (0.07, 0.015),
        "self_share": 0.85,
        "snapshot_every": 40,
        "checkpoint_every": 40,
        "evaluate_every": 100,
    },
}
EXPLOIT: dict[str, Any] = {"decisions": 9_000_000, "self_share": 0.0, "past_share": 0.0, "rate": 3e-4}
EXPLOIT_TABLES = 768
TAKEN_BY_EXPLOIT = ("entropy", "margin")  # where the game's mind has them
SB3: dict[str, Any] = {
    "decisions": 2_000_000,
    "minibatch": 2048,
    "epochs": 4,
    "rate": 2e-3,
    "entropy": (0.03, 0.005),
    "agents": (DEFAULT_STYLE, "greedy", "random"),
}
SB3_USES = {
    "game", "seed", "decisions", "hidden", "tables", "steps", "epochs", "minibatch", "rate", "clip", "entropy", "trust",
    "value_weight", "gradient", "divergence", "past", "snapshot_every", "agents", "workers", "checkpoint_every",
    "evaluate_every", "deals",
}  # fmt: skip
TAKEN_FROM_START = ("hidden", "features")  # where not typed, those of the network to begin with
NOT_TYPED = ("game", "exploit")  # settings that have options of their own


def preset_of(name: str, game: str) -> dict[str, Any]:
    """A preset for a game: with the styles that its mind has among the opponents, and one of them as teacher."""
    mind, preset = heuristics_of(game), PRESETS[name]
    if mind is None:
        return {**preset, "game": game, "taught": 0}
    agents = (*mind.styles, *preset.get("agents", ()))
    return {**preset, **training_settings_of(game), "agents": agents, "teacher": DEFAULT_STYLE}


def training_settings_of(game: str) -> dict[str, Any]:
    """At which tables to learn a game, and what else suits it."""
    mind = heuristics_of(game)
    return {"game": game, "tables": evenly(game), **(mind.training_settings if mind is not None else {})}


def exploit_of(agent: str, game: str) -> dict[str, Any]:
    """How to learn to beat one agent: what results count and how undecided to stay as elsewhere in this game."""
    training_settings = training_settings_of(game)
    return {
        **EXPLOIT,
        **{name: training_settings[name] for name in TAKEN_BY_EXPLOIT if name in training_settings},
        "agents": (agent,),
    }


def command_of(settings: Settings) -> str:
    """What to type for these settings: the shortest there is, but for where the run is kept."""
    if settings.exploit:
        begun = {f"--exploit {shlex.quote(settings.exploit)}": exploit_of(settings.exploit, settings.game)}
    else:
        begun = {f"--preset {name}": preset_of(name, settings.game) for name in PRESETS}
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
