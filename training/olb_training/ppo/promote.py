"""Make the network of a run the champion that comes with the package: `python -m olb_training.ppo.promote DIR`.

Beside its weights it leaves how they came to be: in the JSON file the commands of all stages of its training, how many
decisions and minutes they took; in `GAME.metrics.jsonl` every evaluation on the way, and in `GAME.png` the last curve.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from olb_agents.network import load_network
from olb_agents.policy import CHAMPIONS
from olb_env.core.files import write_atomically
from olb_training.ppo.presets import command_of
from olb_training.ppo.progress import read_metrics
from olb_training.ppo.settings import Settings

CURVE = "curve.png"
STORY = ".metrics.jsonl"


def promote(folder: Path, throne: Path = CHAMPIONS) -> Path:
    """The network of a finished run becomes champion; the story of a run that began with a network goes on with its."""
    network = load_network(folder / "network.safetensors")
    stages = network.about["stages"]
    if not stages or stages[-1]["decisions"] < _settings(folder)["decisions"]:
        raise ValueError("its training has not ended: go on with it first")
    throne.mkdir(exist_ok=True)
    path = throne / f"{network.shape.game}.safetensors"
    text = "".join(json.dumps(entry) + "\n" for entry in _story(folder, stages, path))
    for stage in stages:
        if "settings" in stage:
            stage["command"] = command_of(Settings.read(stage["settings"]))  # as presets are now
    curve = (folder / CURVE).read_bytes()  # everything is read before anything is written
    write_atomically(path.with_suffix(STORY), text.encode())
    write_atomically(path.with_suffix(".png"), curve)
    network.save(path, network.about)
    return path


def _story(folder: Path, stages: list[dict[str, Any]], champion: Path) -> list[dict[str, Any]]:
    """Every evaluation of a run, and before it of those that led to the network it began with.

    The last of the stages is the run's own; it and those before are told their settings, whatever presets become.
    """
    settings = stages[-1]["settings"] = _settings(folder)
    own = [{"stage": len(stages), **entry} for entry in read_metrics(folder) if "rates" in entry]
    if len(stages) == 1:
        return own
    start = champion if settings["start"] == "champion" else Path(settings["start"])
    if (start.parent / "settings.json").exists():  # the network of another run
        return _story(start.parent, stages[:-1], champion) + own
    story = start.with_suffix(STORY)
    before = [json.loads(line) for line in story.read_text("utf-8").splitlines()] if story.exists() else []
    return [entry for entry in before if entry["stage"] < len(stages)] + own


def _settings(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    return found


def main() -> int:
    """Crown, from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a run that has ended")
    folder = parser.parse_args().run
    try:
        print(promote(folder))
    except (OSError, ValueError, KeyError) as error:
        print(f"{folder} cannot be crowned: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
