"""The presets of `olb train`, for PPO, best responses and stable-baselines3, and the way back.

`command_for` turns settings into the shortest command that gives them.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from typing import Any

from olb_agents.heuristics import PLANNER, heuristics_of
from olb_training.ppo.options import option_text
from olb_training.ppo.settings import Settings, even_num_envs

DEFAULT_PRESET = "quick"
PRESETS: dict[str, dict[str, Any]] = {
    "quick": {"total_timesteps": 15_000_000, "imitation_timesteps": 500_000, "update_epochs": 1},
    "champion": {
        "total_timesteps": 45_000_000,
        "opponents": ("mcts:16",),  # besides the styles of the game
        "imitation_timesteps": 1_000_000,
        "hidden_sizes": (384, 256),
        "features": "afterstates",
        "learning_rate": 2.5e-3,
        "ent_coef": (0.07, 0.015),
        "self_play_fraction": 0.85,
        "snapshot_interval": 40,
        "checkpoint_interval": 40,
        "eval_interval": 100,
    },
}
BEST_RESPONSE: dict[str, Any] = {
    "total_timesteps": 9_000_000,
    "self_play_fraction": 0.0,
    "past_self_fraction": 0.0,
    "learning_rate": 3e-4,
}
BEST_RESPONSE_TABLES = 768
BEST_RESPONSE_GAME_SETTINGS = ("ent_coef", "margin_coef")  # taken from the game's training settings, if it has them
SB3: dict[str, Any] = {
    "total_timesteps": 2_000_000,
    "minibatch_size": 2048,
    "update_epochs": 4,
    "learning_rate": 2e-3,
    "ent_coef": (0.03, 0.005),
    "opponents": (PLANNER, "greedy", "random"),
}
# The names of the settings that `--algo sb3` uses.
SB3_SETTINGS = {
    "game", "seed", "total_timesteps", "workers", "num_envs", "num_steps", "update_epochs", "minibatch_size",
    "learning_rate", "clip_coef", "ent_coef", "vf_coef", "gae_lambda", "max_grad_norm", "target_kl", "hidden_sizes",
    "pool_size", "snapshot_interval", "opponents", "options", "checkpoint_interval", "eval_interval", "eval_deals",
}  # fmt: skip
INHERITED_FROM_INIT = ("hidden_sizes", "features")  # unless they are given, those of the network of `init_from`
WITHOUT_FLAG = ("game", "best_response_to", "options")  # settings that --game, --exploit and the game's flags give


def preset_of(name: str, game: str) -> dict[str, Any]:
    """Return a preset for a game: its styles are among the opponents, and one of them is the teacher."""
    heuristics, preset = heuristics_of(game), PRESETS[name]
    if heuristics is None:
        return {**preset, "game": game, "imitation_timesteps": 0}
    opponents = (*heuristics.styles, *preset.get("opponents", ()))
    return {**preset, **training_settings_of(game), "opponents": opponents, "teacher": PLANNER}


def training_settings_of(game: str) -> dict[str, Any]:
    """Return the settings that suit a game, its tables among them."""
    heuristics = heuristics_of(game)
    own = heuristics.training_settings if heuristics is not None else {}
    return {"game": game, "num_envs": even_num_envs(game), **own}


def best_response_of(agent: str, game: str) -> dict[str, Any]:
    """Return the settings that train a best response to an agent."""
    own = training_settings_of(game)
    taken = {name: own[name] for name in BEST_RESPONSE_GAME_SETTINGS if name in own}
    return {**BEST_RESPONSE, **taken, "opponents": (agent,)}


def at_all_tables(preset: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a preset for a run with options at all tables: then none of its tables has another value of them."""
    pairs = preset.get("env_kwargs", ())
    return {**preset, "env_kwargs": tuple(pair for pair in pairs if pair.partition("=")[0] not in options)}


def command_for(settings: Settings) -> str:
    """Return the shortest command that gives some settings; where the run is kept is left out."""
    if settings.best_response_to:
        agent = settings.best_response_to
        bases = {f"--exploit {shlex.quote(agent)}": best_response_of(agent, settings.game)}
    else:
        bases = {f"--preset {name}": preset_of(name, settings.game) for name in PRESETS}
    commands = [
        f"olb train --game {settings.game} {flag}{_flags(settings, at_all_tables(base, settings.options))}"
        for flag, base in bases.items()
    ]
    return min(commands, key=len)


def _flags(settings: Settings, base: dict[str, Any]) -> str:
    """Return the flags for the settings that differ from what they are without a flag."""
    flags = ""
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        from_network = settings.init_from and field.name in INHERITED_FROM_INIT
        if field.name == "options":
            flags += "".join(
                f" --{name.replace('_', '-')} {shlex.quote(option_text(one))}" for name, one in value.items()
            )
        elif field.name not in WITHOUT_FLAG and (from_network or value != base.get(field.name, field.default)):
            words = value if isinstance(value, tuple) else (value,)
            flags += f" --{field.name.replace('_', '-')} {shlex.join(map(str, words))}".rstrip()
    return flags
