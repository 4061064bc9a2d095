"""Make the network of a run the champion that comes with the package: `python -m olb_training.ppo.promote DIR`.

Its training history goes with the weights: `GAME.json` has the commands of all stages with their settings, timesteps
and minutes, `GAME.metrics.jsonl` every evaluation of all stages, and `GAME.png` the curve of the last one.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from olb_agents.network import load_network
from olb_agents.policy_agent import CHAMPIONS
from olb_agents.tool_arguments import ToolParser
from olb_env.core.checking import shortened
from olb_env.core.files import write_atomically
from olb_training.ppo.bounds import MOST_SHOWN
from olb_training.ppo.curve import CURVE_FILE
from olb_training.ppo.metrics import read_metrics
from olb_training.ppo.notes import stages_of
from olb_training.ppo.options import options_text
from olb_training.ppo.presets import command_for
from olb_training.ppo.run_folder import NETWORK_FILE, SETTINGS_FILE, read_settings
from olb_training.ppo.settings import Settings

HISTORY = ".metrics.jsonl"


def promote(folder: Path, champions: Path = CHAMPIONS) -> Path:
    """Copy the network of a finished run to the champions, with its history and that of the network it started from."""
    network = load_network(folder / NETWORK_FILE)
    if "stages" not in network.about:
        raise ValueError("it was trained with --algo sb3, which keeps no history to promote")
    stages, settings = stages_of(network.about), Settings.from_dict(read_settings(folder))
    if not stages or stages[-1].get("timesteps", 0) < settings.total_timesteps:
        raise ValueError("its training has not ended: resume it first")
    if options := settings.main_options():
        raise ValueError(
            f"it was trained for games {options_text(options)}: a champion plays the game as it is by default"
        )
    champions.mkdir(exist_ok=True)
    path = champions / f"{network.shape.game}.safetensors"
    text = "".join(json.dumps(entry) + "\n" for entry in _history(folder, stages, path))
    for stage in stages:
        if "settings" in stage:
            stage["command"] = command_for(Settings.from_dict(stage["settings"]))  # with the presets of this version
    curve = (folder / CURVE_FILE).read_bytes()  # everything is read before anything is written
    write_atomically(path.with_suffix(HISTORY), text.encode())
    write_atomically(path.with_suffix(".png"), curve)
    network.save(path, network.about)
    return path


def _history(folder: Path, stages: list[dict[str, Any]], champion: Path) -> list[dict[str, Any]]:
    """Return the evaluations of a run, after those of the runs that led to the network it started from.

    The last stage is that of this run. Settings are added to it and to those before, as presets may change.
    """
    settings = stages[-1]["settings"] = read_settings(folder)
    own = [{"stage": len(stages), **entry} for entry in read_metrics(folder) if "win_rates" in entry]
    if len(stages) == 1:
        return own
    start = champion if settings["init_from"] == "champion" else Path(settings["init_from"])
    if (start.parent / SETTINGS_FILE).exists():  # the network of another run
        return _history(start.parent, stages[:-1], champion) + own
    history = start.with_suffix(HISTORY)
    earlier = [json.loads(line) for line in history.read_text("utf-8").splitlines()] if history.exists() else []
    return [entry for entry in earlier if entry["stage"] < len(stages)] + own


def main() -> int:
    """Promote the run that the command line names."""
    parser = ToolParser(
        prog="python -m olb_training.ppo.promote",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path, metavar="DIR", help="folder of a run that has ended")
    folder = parser.parse_args().run
    try:
        print(promote(folder))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{shortened(folder, MOST_SHOWN)} cannot be promoted: {shortened(error, MOST_SHOWN)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
