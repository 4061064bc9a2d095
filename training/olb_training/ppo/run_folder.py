"""The folder of a run of any algorithm, and the check of its agents and options before anything is written to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from olb_env.core.files import FolderLock, write_atomically
from olb_env.core.game import find
from olb_env.playing import agent_for
from olb_training.ppo.checkpoint import CHECKPOINTS, list_checkpoints
from olb_training.ppo.metrics import METRICS_FILE
from olb_training.ppo.settings import Settings

NETWORK_FILE = "network.safetensors"
SETTINGS_FILE = "settings.json"
SB3_FILE = "sb3.zip"  # what a run of stable-baselines3 is resumed from


def claim_new_folder(folder: Path) -> FolderLock:
    """Make a folder for a new run and lock it; raise ValueError if it holds a run already."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FolderLock(folder)
    if list_checkpoints(folder / CHECKPOINTS) or (folder / SB3_FILE).exists():
        raise ValueError(f"{folder} holds a run already: continue it with --resume {folder}, or name another --out")
    if (folder / NETWORK_FILE).exists():
        raise ValueError(f"{folder} holds the network of a run already: name another --out")
    return lock


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write the settings of a new run, and begin its metrics."""
    write_atomically(folder / SETTINGS_FILE, (json.dumps(settings, indent=2) + "\n").encode())
    (folder / METRICS_FILE).write_bytes(b"")


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of the run in a folder, as they were written; none if there is no file."""
    file = folder / SETTINGS_FILE
    if not file.exists():
        return {}
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not JSON: {error}") from None
    if not isinstance(settings, dict):
        raise ValueError(f"{file} does not hold the settings of a run")
    return settings


def check_agents_and_options(settings: Settings) -> None:
    """Raise ValueError if an agent does not play the game, or an option has a value that it cannot have."""
    game = find(settings.game)
    for name in filter(None, (*settings.opponents, settings.teacher)):
        agent_for(name, game)
    for spec in settings.table_specs():
        game.rules.configure(num_players=spec.num_players, **spec.options)
