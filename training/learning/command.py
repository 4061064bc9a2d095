"""`olb train`: a network learns by playing itself, its past selves and other agents."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import Any

from olb_env.commands.olb import INTERRUPTED, UsageError
from olb_env.core.game import Game

HELP = "Train a network by self-play; ends with an arena table. A run can be stopped at any time and gone on with."
EXAMPLE = "olb train --preset quick --out runs/first\n  olb train --resume runs/first"

STYLES = ("planner", "greedy", "chapel", "guilds", "merchant", "hoarder", "gate", "gardener")
PRESETS: dict[str, dict[str, Any]] = {
    "quick": {"decisions": 15_000_000, "options": ("scoring=random",), "agents": STYLES},
    "champion": {
        "decisions": 400_000_000,
        "options": ("scoring=random",),
        "agents": STYLES,
        "past_share": 0.3,
        "self_share": 0.6,
        "rate": 5e-4,
        "snapshot_every": 60,
        "checkpoint_every": 60,
        "evaluate_every": 120,
    },
}


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """The options of `olb train`."""
    from training.learning.settings import Settings

    parser.add_argument(
        "--preset",
        choices=sorted(PRESETS),
        default="quick",
        help="quick takes about ten minutes on two cores, champion hours (default: quick)",
    )
    parser.add_argument("--out", metavar="DIR", help="the folder of a new run")
    parser.add_argument("--resume", metavar="DIR", help="go on with the run in this folder, or from a checkpoint in it")
    parser.add_argument("--minutes", type=float, help="stop after so long, to be gone on with later")
    group = parser.add_argument_group("settings, which replace those of the preset")
    for field in dataclasses.fields(Settings):
        if field.name == "game":
            continue
        many = isinstance(field.default, tuple)
        kind = type(field.default[0]) if many and field.default else str if many else type(field.default)
        shown = " ".join(map(str, field.default)) if many else field.default
        group.add_argument(
            f"--{field.name.replace('_', '-')}",
            type=kind,
            nargs="*" if many else None,
            metavar=field.name.upper(),
            help=f"{field.metadata['meaning']} (default: {shown if shown != '' else 'none'})",
        )


def run(options: argparse.Namespace, game: Game) -> int:
    """Train, and show what came of it."""
    from training.learning.progress import show
    from training.learning.run import Run
    from training.learning.settings import Settings

    if (options.out is None) == (options.resume is None):
        raise UsageError("say where: --out DIR for a new run, or --resume DIR to go on with one")
    names = [field.name for field in dataclasses.fields(Settings) if field.name != "game"]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    try:
        if options.resume is not None:
            if given:
                raise UsageError(f"--resume goes on with the settings of the run: leave out --{next(iter(given))}")
            training = Run.resume(Path(options.resume))
        else:
            training = Run.begin(Path(options.out), Settings(**{"game": game.name, **PRESETS[options.preset], **given}))
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from None
    try:
        finished = show(training, None if options.minutes is None else 60 * options.minutes)
    except KeyboardInterrupt:
        print(
            f"olb train: interrupted; olb train --resume {training.folder} goes on from the last checkpoint",
            file=sys.stderr,
        )
        return INTERRUPTED
    if not finished:
        print(f"olb train: stopped; olb train --resume {training.folder} goes on", file=sys.stderr)
    return 0
