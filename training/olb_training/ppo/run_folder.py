"""The folder of a run of any algorithm, and the check of its settings before anything is written to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from olb_env.core.checking import shortened, shown
from olb_env.core.files import FolderLock, write_atomically
from olb_env.core.game import find
from olb_env.playing import agent_for
from olb_training.ppo.bounds import MOST_SHOWN
from olb_training.ppo.checkpoint import CHECKPOINTS, list_checkpoints
from olb_training.ppo.memory import check_memory
from olb_training.ppo.metrics import METRICS_FILE
from olb_training.ppo.settings import Settings

NETWORK_FILE = "network.safetensors"
SETTINGS_FILE = "settings.json"
SB3_FILE = "sb3.zip"  # what a run of stable-baselines3 is resumed from
EVALUATED = "evaluated-"  # how the names of networks begin while they are evaluated
MOST_SETTINGS_BYTES = 4_000_000


def claim_new_folder(folder: Path) -> FolderLock:
    """Make a folder for a new run and lock it; raise ValueError if it holds a run already."""
    folder.mkdir(parents=True, exist_ok=True)
    lock, name = FolderLock(folder), shortened(folder, MOST_SHOWN)
    try:
        if list_checkpoints(folder / CHECKPOINTS) or (folder / SB3_FILE).exists():
            raise ValueError(f"{name} holds a run already: continue it with --resume {name}, or name another --out")
        if (folder / NETWORK_FILE).exists():
            raise ValueError(f"{name} holds the network of a run already: name another --out")
    except BaseException:
        lock.release()
        raise
    return lock


def remove_leftovers(folder: Path) -> None:
    """Remove the files that a killed process may have left behind: half written ones, and networks while they play."""
    for pattern in ("*.part", f"{CHECKPOINTS}/*.part", f"{EVALUATED}*"):
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write the settings of a new run, and begin its metrics."""
    write_atomically(folder / SETTINGS_FILE, (json.dumps(settings, indent=2) + "\n").encode())
    (folder / METRICS_FILE).write_bytes(b"")


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of the run in a folder, as they were written; none if there is no file."""
    file = folder / SETTINGS_FILE
    if not file.exists():
        return {}
    name = shortened(file, MOST_SHOWN)
    if not file.is_file() or file.stat().st_size > MOST_SETTINGS_BYTES:
        raise ValueError(f"{name} does not hold the settings of a run: expected a file of at most 4,000,000 bytes")
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} is not JSON: {shortened(error)}") from None
    if not isinstance(settings, dict):
        raise ValueError(f"{name} does not hold the settings of a run")
    return settings


def check_settings(settings: Settings) -> None:
    """Raise ValueError if an agent does not play the game, an option cannot be as it is, or memory is too small."""
    game = find(settings.game)
    for spec in settings.table_specs():
        try:
            game.rules.configure(num_players=spec.num_players, **spec.options)
        except (TypeError, OverflowError) as error:  # of a game that checks less than it should
            raise ValueError(f"options are {shown(spec.options)}: {shortened(error)}") from None
    check_memory(settings)
    for name in filter(None, (*settings.opponents, settings.teacher, settings.best_response_to)):
        agent_for(name, game)
