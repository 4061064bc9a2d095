"""`olb train`: a network learns by playing itself, its past selves and other agents."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import typing
from pathlib import Path
from typing import Any

from olb_env.commands.arguments import whole
from olb_env.commands.olb import INTERRUPTED, UsageError
from olb_env.core.game import Game
from olb_env.playing import AgentError

HELP = "Train a network by self-play; ends with an arena table. A run can be stopped at any time and gone on with."
EXAMPLE = "olb train --preset quick --out runs/first\n  olb train --resume runs/first"


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """The options of `olb train`."""
    from olb_training.ppo.presets import DEFAULT_PRESET, NOT_TYPED, PRESETS, preset_of
    from olb_training.ppo.settings import Settings

    parser.add_argument(
        "--preset",
        choices=sorted(PRESETS),
        help=f"quick takes about ten minutes on two cores, champion an hour or so (default: {DEFAULT_PRESET})",
    )
    parser.add_argument("--out", metavar="DIR", help="the folder of a new run")
    parser.add_argument("--resume", metavar="DIR", help="go on with the run in this folder, or from a checkpoint in it")
    parser.add_argument("--minutes", type=float, help="stop after so long, to be gone on with later")
    parser.add_argument(
        "--algo", choices=("ppo", "sb3"), help="our own learner (ppo, the default), or stable-baselines3's MaskablePPO"
    )
    parser.add_argument(
        "--exploit", metavar="AGENT", help="learn to beat this agent alone, and say how far that goes (best response)"
    )
    parser.add_argument(
        "--players",
        type=whole(min(game.players), max(game.players)),
        help=f"at the tables of --algo sb3 or --exploit (default: {game.players[0]})",
    )
    hints, preset = typing.get_type_hints(Settings), preset_of(DEFAULT_PRESET, game.name)
    group = parser.add_argument_group("settings, which replace those of the preset")
    for field in dataclasses.fields(Settings):
        if field.name in NOT_TYPED:
            continue
        many = isinstance(field.default, tuple)
        kind = typing.get_args(hints[field.name])[0] if many else type(field.default)
        default = preset.get(field.name, field.default)
        shown = " ".join(map(str, default)) if many else default
        group.add_argument(
            f"--{field.name.replace('_', '-')}",
            type=kind,
            nargs="*" if many else None,
            metavar=field.name.upper(),
            help=f"{field.metadata['meaning']} (default: {shown if shown != '' else 'none'})",
        )


def run(options: argparse.Namespace, game: Game) -> int:
    """Train, and show what came of it."""
    try:
        from olb_training.ppo import progress
        from olb_training.ppo.crew import CrewError
        from olb_training.ppo.run import DivergedError
    except ImportError as error:
        raise UsageError(f"training needs more than playing ({error}): pip install olb-env[train]") from None
    if (options.out is None) == (options.resume is None):
        raise UsageError("say where: --out DIR for a new run, or --resume DIR to go on with one")
    if options.out == "":
        raise UsageError("--out is empty: name a folder")
    if options.minutes is not None and not 0 < options.minutes < 1e6:
        raise UsageError(f"--minutes is {options.minutes:g}: expected more than 0")
    try:
        training = _resume(options) if options.resume is not None else _begin(options, game)
    except (ValueError, OSError, CrewError) as error:
        raise UsageError(str(error)) from None
    limit = None if options.minutes is None else 60 * options.minutes
    try:
        finished = progress.show(training, limit)
    except KeyboardInterrupt:
        why = f"interrupted; olb train --resume {training.folder} goes on from the last checkpoint"
        print(f"olb train: {why}", file=sys.stderr)
        return INTERRUPTED
    except DivergedError as error:
        raise UsageError(str(error)) from None
    except (CrewError, AgentError) as error:
        raise UsageError(f"{error}; olb train --resume {training.folder} goes on from the last checkpoint") from None
    except OSError as error:
        where = f"cannot write {error.filename or training.folder}: {error.strerror}"
        raise UsageError(f"{where}; olb train --resume {training.folder} goes on from the last checkpoint") from None
    if not finished:
        print(f"olb train: stopped; olb train --resume {training.folder} goes on", file=sys.stderr)
    return 0


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """The settings that were typed."""
    from olb_training.ppo.presets import NOT_TYPED
    from olb_training.ppo.settings import Settings

    names = [field.name for field in dataclasses.fields(Settings) if field.name not in NOT_TYPED]
    typed = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in typed.items()}


def _begin(options: argparse.Namespace, game: Game) -> Any:
    from olb_training.ppo.learner import network_for
    from olb_training.ppo.presets import (
        DEFAULT_PRESET,
        EXPLOIT_TABLES,
        SB3,
        SB3_USES,
        TAKEN_FROM_START,
        exploit_of,
        preset_of,
        training_settings_of,
    )
    from olb_training.ppo.settings import Settings

    players = options.players or game.players[0]
    if players not in game.players:
        raise UsageError(f"--players is {players}: {game.name} is for {', '.join(map(str, game.players))}")
    given, folder = {"game": game.name, **_given(options)}, Path(options.out)
    if options.algo == "sb3":
        from olb_training.ppo.sb3_run import Sb3Run

        if options.exploit or options.preset or options.minutes:
            raise UsageError("--algo sb3 has no --preset, no --exploit and no --minutes: leave them out")
        if unused := sorted(set(given) - SB3_USES):
            raise UsageError(f"--{unused[0].replace('_', '-')} is not for --algo sb3: leave it out")
        return Sb3Run.begin(
            folder, Settings(**{**SB3, "tables": training_settings_of(game.name)["tables"], **given}), players
        )
    from olb_training.ppo.run import Run

    if given.get("start") and not set(TAKEN_FROM_START) <= set(given):
        shape = network_for(given["start"], game.name).shape
        given = {**dict(zip(TAKEN_FROM_START, (shape.hidden_sizes, shape.features), strict=True)), **given}
    if options.exploit:
        if options.preset:
            raise UsageError("--exploit is a preset of its own: leave out --preset")
        if options.agents is not None:
            raise UsageError("--exploit names the only agent to learn against: leave out --agents")
        if options.players is not None and options.tables is not None:
            raise UsageError("--players and --tables both say at which tables to learn: leave one out")
        tables = tuple(EXPLOIT_TABLES if size == players else 0 for size in game.players)
        chosen = {**exploit_of(options.exploit, game.name), "tables": tables, **given, "exploit": options.exploit}
        return Run.begin(folder, Settings(**chosen))
    if options.players is not None:
        raise UsageError("--players is for --algo sb3 and --exploit: set --tables instead")
    return Run.begin(folder, Settings(**{**preset_of(options.preset or DEFAULT_PRESET, game.name), **given}))


def _resume(options: argparse.Namespace) -> Any:
    given = _given(options)
    if given or options.exploit or options.players or options.preset or options.algo:
        raise UsageError("--resume goes on with the settings of the run: leave out all settings")
    from olb_training.ppo.run import Run, read_settings

    folder = Path(options.resume)
    told = read_settings(folder)
    if options.game is not None and options.game != told.get("game", options.game):
        raise UsageError(f"{folder} is a run of {told['game']}: leave out --game")
    if told.get("algo") == "sb3":
        from olb_training.ppo.sb3_run import Sb3Run

        if options.minutes:
            raise UsageError("a run of --algo sb3 has no --minutes: leave it out")
        return Sb3Run.resume(folder)
    return Run.resume(folder)
