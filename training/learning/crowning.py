"""Make the network of a run the champion that comes with the package: `python -m training.learning.crowning DIR`.

Beside its weights it leaves how they came to be: in the JSON file the commands of all stages of its training, how many
decisions and minutes they took; in `GAME.metrics.jsonl` every evaluation on the way, and in `GAME.png` the last curve.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from agents.network import load_network
from agents.policy import CHAMPIONS
from training.learning.progress import read_metrics

CURVE = "curve.png"


def crown(folder: Path, throne: Path = CHAMPIONS) -> Path:
    """The network of a finished run becomes champion; a run that began with the champion goes on with its story."""
    network = load_network(folder / "network.safetensors")
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    about = network.about
    about["stages"][-1]["settings"] = settings  # whatever presets become
    if about["stages"][-1]["decisions"] < settings["decisions"]:
        raise ValueError("its training has not ended: go on with it first")
    throne.mkdir(exist_ok=True)
    path = throne / f"{network.shape.game}.safetensors"
    story = path.with_suffix(".metrics.jsonl")
    stage = len(about["stages"])
    told = [entry for entry in _lines(story) if entry["stage"] < stage]
    told += [{"stage": stage, **entry} for entry in read_metrics(folder) if "rates" in entry]
    network.save(path, about)
    story.write_text("".join(json.dumps(entry) + "\n" for entry in told), encoding="utf-8")
    shutil.copyfile(folder / CURVE, path.with_suffix(".png"))
    return path


def _lines(story: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in story.read_text("utf-8").splitlines()] if story.exists() else []


def main() -> int:
    """Crown, from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a run that has ended")
    folder = parser.parse_args().run
    try:
        print(crown(folder))
    except (OSError, ValueError, KeyError) as error:
        print(f"{folder} cannot be crowned: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
