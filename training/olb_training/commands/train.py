"""`olb train`: train a network by self-play, with PPO or with stable-baselines3."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from olb_env.commands.arguments import add_game_options
from olb_env.commands.olb import INTERRUPTED, UsageError
from olb_env.core.checking import shortened, shown
from olb_env.core.game import Game
from olb_env.playing import AgentError

HELP = "Train a network by self-play with PPO; ends with an arena report. A run can be stopped at any time and resumed."
EXAMPLE = "olb train --preset quick --out runs/first\n  olb train --resume runs/first"
METAVARS = {int: "INT", float: "FLOAT", str: "TEXT"}
KINDS = {int: "a whole number", float: "a number"}
MAX_MINUTES = 1e6
MOST_SHOWN = 200  # characters of what the user typed that an error shows
ALGORITHMS = ("ppo", "sb3")


def add_arguments(parser: argparse.ArgumentParser, game: Game) -> None:
    """Add the options of `olb train`, in the groups of the settings; defaults are those of the default preset."""
    from olb_training.ppo.presets import DEFAULT_PRESET, WITHOUT_FLAG, preset_of
    from olb_training.ppo.settings import EXPERIMENT, Settings, bounds_of_settings

    groups: dict[str, Any] = {}
    bounds, preset = bounds_of_settings(), preset_of(DEFAULT_PRESET, game.name)
    for field in dataclasses.fields(Settings):
        name = field.metadata["group"]
        if name not in groups:
            groups[name] = parser.add_argument_group(name)
            if name == EXPERIMENT:
                _add_run_arguments(groups[name], game)
        if field.name == "options":
            add_game_options(groups[name], game)
        if field.name in WITHOUT_FLAG:
            continue
        many, kind = bool(bounds[field.name].most_values), bounds[field.name].kind
        default = preset.get(field.name, field.default)
        shown = " ".join(map(str, default)) if many else default
        groups[name].add_argument(
            _flag(field.name),
            type=_reader(kind),
            nargs="*" if many else None,
            metavar=METAVARS[kind],
            help=f"{field.metadata['help']} (default: {shown if shown != '' else 'none'})",
        )


def _add_run_arguments(group: Any, game: Game) -> None:
    """Add the options that are not settings: which run, which preset, which algorithm."""
    from olb_training.ppo.presets import DEFAULT_PRESET, PRESETS

    group.add_argument("--out", metavar="DIR", help="folder of a new run")
    group.add_argument("--resume", metavar="DIR", help="resume the run in this folder, or from a checkpoint in it")
    group.add_argument(
        "--minutes",
        type=_reader(float),
        metavar="FLOAT",
        help="stop after this many minutes; the run can be resumed later",
    )
    group.add_argument(
        "--preset",
        type=_one_of(sorted(PRESETS)),
        metavar="PRESET",
        help="settings that the flags below change: quick takes about ten minutes on two cores, champion an hour or "
        f"so (default: {DEFAULT_PRESET}; the defaults below are its own, those of --exploit and --algo sb3 differ)",
    )
    group.add_argument(
        "--algo",
        type=_one_of(ALGORITHMS),
        metavar="ALGO",
        help="ppo: PPO of this package, or sb3: MaskablePPO of stable-baselines3 (default: ppo)",
    )
    group.add_argument(
        "--exploit",
        metavar="AGENT",
        help="train an approximate best response to this agent and report how much it wins",
    )
    group.add_argument(
        "--players",
        type=_reader(int),
        metavar="INT",
        help=f"table size of --algo sb3 or --exploit (default: {game.players[0]})",
    )


def _reader(kind: type) -> Callable[[str], Any]:
    """Return a type for argparse whose error shows only the beginning of a long text; bounds are checked later."""

    def read(text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{shown(text)} given, expected {KINDS[kind]}") from None

    return read


def _one_of(words: Sequence[str]) -> Callable[[str], str]:
    """Return a type for argparse: one of some words."""

    def read(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(f"{shown(text)} given, expected {' or '.join(words)}")
        return text

    return read


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def run(options: argparse.Namespace, game: Game) -> int:
    """Begin or resume a run, train, and report."""
    try:
        return _run(options, game)
    except UsageError as error:
        raise UsageError(_with_short_words(str(error), options)) from None


def _run(options: argparse.Namespace, game: Game) -> int:
    try:
        from olb_training.ppo.distributed import WorkerError
        from olb_training.ppo.run import DivergedError
    except ImportError as error:
        raise UsageError(f"training needs more than playing ({error}): pip install olb-env[train]") from None
    if (options.out is None) == (options.resume is None):
        raise UsageError("name a folder: --out DIR for a new run, or --resume DIR to continue one")
    if options.out == "":
        raise UsageError("--out is empty: name a folder")
    if options.minutes is not None and not 0 < options.minutes < MAX_MINUTES:
        raise UsageError(f"--minutes is {options.minutes:g}: expected more than 0 and less than {MAX_MINUTES:,.0f}")
    try:
        training = _resume(options, game) if options.resume is not None else _begin(options, game)
    except OSError as error:
        name = error.filename or options.resume or options.out
        raise UsageError(f"cannot use {shortened(name, MOST_SHOWN)}: {error.strerror or shortened(error)}") from None
    except (ValueError, WorkerError) as error:
        raise UsageError(str(error)) from None
    _warn_of_no_ppo(training.settings)
    resume = f"olb train --resume {training.folder} continues from the last checkpoint"
    try:
        finished = _train(training, None if options.minutes is None else 60 * options.minutes)
    except KeyboardInterrupt:
        print(f"olb train: interrupted; {resume}", file=sys.stderr)
        return INTERRUPTED
    except DivergedError as error:
        raise UsageError(str(error)) from None
    except (WorkerError, AgentError) as error:
        raise UsageError(f"{error}; {resume}") from None
    except BrokenProcessPool:
        raise UsageError(f"a process that played games died; {resume}") from None
    except OSError as error:
        reason = error.strerror or shortened(error)
        raise UsageError(f"cannot write {error.filename or training.folder}: {reason}; {resume}") from None
    if not finished:
        print(f"olb train: stopped; {resume}", file=sys.stderr)
    return 0


def _with_short_words(message: str, options: argparse.Namespace) -> str:
    """Return an error in which words that the user typed are cut short where they are long."""
    for word in _typed_words(options):
        start = word[:MOST_SHOWN]
        while len(word) > MOST_SHOWN and start in message:
            first = message.index(start)
            length = next(
                (number for number, sign in enumerate(word) if message[first + number : first + number + 1] != sign),
                len(word),
            )
            cut = shortened(message[first : first + length], MOST_SHOWN - 1)  # no longer has the whole start in it
            message = message[:first] + cut + message[first + length :]
    return message


def _typed_words(options: argparse.Namespace) -> Iterator[str]:
    for value in vars(options).values():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str):
                yield word


def _warn_of_no_ppo(settings: Any) -> None:
    """Say so if a run is too short to get beyond imitation and the warm-up of values."""
    warmup = 0 if settings.init_from else settings.value_warmup_timesteps  # a network that has learned needs none
    per_iteration = settings.timesteps_per_iteration()
    last_iteration = (settings.total_timesteps - 1) // per_iteration * per_iteration  # the timestep it begins at
    if last_iteration < settings.imitation_timesteps + warmup:
        before = f"--imitation-timesteps {settings.imitation_timesteps}"
        if warmup:
            before += f" and --value-warmup-timesteps {warmup}"
        why = f"{before} leave no iteration of --total-timesteps {settings.total_timesteps}"
        print(f"olb train: warning: the run ends before PPO begins: {why}", file=sys.stderr)


def _train(training: Any, limit: float | None) -> bool:
    """Train with a display, draw the curve and report; return whether the end was reached."""
    from olb_training.ppo.curve import draw_curve
    from olb_training.ppo.final_report import print_arena, print_exploitability
    from olb_training.ppo.progress import ProgressDisplay
    from olb_training.ppo.run import Run

    settings = training.settings
    finished = ProgressDisplay(training).train(limit)
    training.close()
    draw_curve(training.folder)
    if settings.best_response_to:
        print_exploitability(training.folder, settings, training.seconds)
    elif finished:
        sizes = settings.table_sizes() if isinstance(training, Run) else [training.players]
        print_arena(training.folder, settings, sorted({sizes[0], sizes[-1]}))
    return finished


def _given_settings(options: argparse.Namespace, game: Game) -> dict[str, Any]:
    """Return the settings given on the command line."""
    from olb_env.core.typed_options import read_option
    from olb_training.ppo.presets import WITHOUT_FLAG
    from olb_training.ppo.settings import Settings

    typed = {name: getattr(options, name) for name in game.commands.help}
    names = [field.name for field in dataclasses.fields(Settings) if field.name not in WITHOUT_FLAG]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    chosen = {name: read_option(game, name, text) for name, text in typed.items() if text is not None}
    return {**given, "options": chosen} if chosen else given


def _begin(options: argparse.Namespace, game: Game) -> Any:
    from olb_training.ppo.presets import DEFAULT_PRESET, INHERITED_FROM_INIT, at_all_tables, preset_of

    players = game.players[0] if options.players is None else options.players
    if players not in game.players:
        raise UsageError(
            f"--players is {shown(players)}: expected one of {', '.join(map(str, game.players))} for {game.name}"
        )
    given, folder = {"game": game.name, **_given_settings(options, game)}, Path(options.out)
    if len(count := given.get("num_envs", ())) == 1:
        one_size = options.algo == "sb3" or options.exploit
        given["num_envs"] = tuple(count[0] if size == players or not one_size else 0 for size in game.players)
    if options.algo == "sb3":
        return _begin_sb3(options, given, folder, players)
    from olb_training.ppo.learner import initial_network
    from olb_training.ppo.run import Run
    from olb_training.ppo.settings import Settings

    if given.get("init_from") and not set(INHERITED_FROM_INIT) <= set(given):
        shape = initial_network(given["init_from"], game.name).shape
        given = {**dict(zip(INHERITED_FROM_INIT, (shape.hidden_sizes, shape.features), strict=True)), **given}
    if options.exploit:
        return Run.begin(folder, Settings(**_exploit_settings(options, given, players)))
    if options.players is not None:
        raise UsageError("--players is for --algo sb3 and --exploit: use --num-envs instead")
    preset = at_all_tables(preset_of(options.preset or DEFAULT_PRESET, game.name), given.get("options", {}))
    return Run.begin(folder, Settings(**{**preset, **given}))


def _begin_sb3(options: argparse.Namespace, given: dict[str, Any], folder: Path, players: int) -> Any:
    from olb_training.ppo.presets import SB3, SB3_SETTINGS, training_settings_of
    from olb_training.ppo.sb3_run import Sb3Run
    from olb_training.ppo.settings import Settings

    if options.exploit or options.preset or options.minutes:
        raise UsageError("--algo sb3 has no --preset, no --exploit and no --minutes: leave them out")
    if unused := sorted(set(given) - SB3_SETTINGS):
        raise UsageError(f"{_flag(unused[0])} is not for --algo sb3: leave it out")
    num_envs = training_settings_of(given["game"])["num_envs"]
    return Sb3Run.begin(folder, Settings(**{**SB3, "num_envs": num_envs, **given}), players)


def _exploit_settings(options: argparse.Namespace, given: dict[str, Any], players: int) -> dict[str, Any]:
    from olb_env.core.game import find
    from olb_training.ppo.presets import BEST_RESPONSE_TABLES, best_response_of

    if options.preset:
        raise UsageError("--exploit is a preset of its own: leave out --preset")
    if options.opponents is not None:
        raise UsageError("--exploit names the only opponent: leave out --opponents")
    if options.players is not None and options.num_envs is not None and len(options.num_envs) > 1:
        raise UsageError("--players and --num-envs both give the table sizes: leave one out")
    game, agent = given["game"], options.exploit
    num_envs = tuple(BEST_RESPONSE_TABLES if size == players else 0 for size in find(game).players)
    return {**best_response_of(agent, game), "num_envs": num_envs, **given, "best_response_to": agent}


def _resume(options: argparse.Namespace, game: Game) -> Any:
    if (
        _given_settings(options, game)
        or options.exploit
        or options.players is not None
        or options.preset
        or options.algo
    ):
        raise UsageError("--resume continues with the settings of the run: leave out all settings")
    from olb_training.ppo.run import Run
    from olb_training.ppo.run_folder import read_settings

    folder = Path(options.resume)
    settings = read_settings(folder)
    if options.game is not None and options.game != settings.get("game", options.game):
        raise UsageError(f"{folder} is a run of {shortened(settings['game'])}: leave out --game")
    if settings.get("algo") == "sb3":
        from olb_training.ppo.sb3_run import Sb3Run

        if options.minutes:
            raise UsageError("a run of --algo sb3 has no --minutes: leave it out")
        return Sb3Run.resume(folder)
    return Run.resume(folder)
