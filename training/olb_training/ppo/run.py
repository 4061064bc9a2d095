"""A training run in a folder: learn, measure, keep, so that it can be stopped at any moment and go on.

The folder holds `settings.json`, `checkpoints/`, `metrics.jsonl` (a line an iteration), `tensorboard/`, and the network
as it is now: `network.safetensors` and `network.json`. Metrics that are newer than the checkpoint that is gone on from
are cut off: they come again.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from olb_agents.network import Shape
from olb_env.core.files import FolderLock, write_atomically
from olb_env.core.game import Game, find
from olb_env.playing import agent_for
from olb_training.arena.schedule import Plan
from olb_training.arena.statistics import Estimate
from olb_training.arena.tournament import Tournament
from olb_training.ppo.checkpoint import (
    CHECKPOINTS,
    CheckpointError,
    checkpoints,
    newest_good,
    set_aside_newer,
    write_checkpoint,
)
from olb_training.ppo.crew import Crew
from olb_training.ppo.learner import Learner, Report, network_for
from olb_training.ppo.presets import command_of
from olb_training.ppo.settings import Settings
from olb_training.ppo.widen import can_widen, widen

SB3_FILE = "sb3.zip"  # what a run of stable-baselines3 is gone on with from
EVALUATION_SEED = 77_000
JUDGES = ("random", "planner")  # whom every evaluation is against

Told = Callable[[Report, float, dict[str, Estimate]], None]


class DivergedError(Exception):
    """Weights that have widen beyond all numbers."""


class Run:
    """A learner and its folder."""

    def __init__(
        self, folder: Path, alone: FolderLock, crew: Crew, seconds: float, before: list[dict[str, Any]]
    ) -> None:
        self.folder = folder
        self._alone = alone
        self._crew = crew
        self.seconds = seconds  # spent so far, all sittings together
        self._before = before  # how the network came to be that it began with, stage by stage
        self.rates: dict[str, Estimate] = {}  # the last evaluation

    @property
    def learner(self) -> Learner:
        """What all processes of the run agree on."""
        return self._crew.learner

    @classmethod
    def begin(cls, folder: Path, settings: Settings) -> Run:
        """A new run in an empty folder."""
        refuse_strangers(settings)
        first = network_for(settings.start, settings.game) if settings.start else None
        if first is not None and not can_widen(first.shape, settings.shape()):
            why = "has layers that cannot become those asked for, or more insight"
            raise ValueError(f"{settings.start} {why}: leave out both to take its own")
        folder.mkdir(parents=True, exist_ok=True)
        alone = FolderLock(folder)
        refuse_old(folder)
        crew = Crew(settings)
        if first is not None:
            crew.together("begin_with", widen(first, settings.shape()))
        write_atomically(folder / "settings.json", (json.dumps(asdict(settings), indent=2) + "\n").encode())
        (folder / "metrics.jsonl").write_bytes(b"")
        run = cls(folder, alone, crew, 0.0, [] if first is None else _stages(first.about))
        run.keep()
        return run

    @classmethod
    def resume(cls, path: Path) -> Run:
        """Go on from the newest checkpoint of a folder, or from a checkpoint."""
        folder = path.resolve().parent.parent if path.is_file() else path
        alone = (
            FolderLock(folder) if checkpoints(folder / CHECKPOINTS) else None
        )  # before it is read: it might be written
        file, arrays, about = newest_good(path)
        assert alone is not None  # noqa: S101  # a checkpoint was found
        try:
            settings, shape = Settings.read(about["settings"]), about["shape"]
        except (KeyError, TypeError) as error:
            raise CheckpointError(f"{file} is no checkpoint of a run: {error!r}") from None
        if shape != _told(settings.shape()):
            raise CheckpointError(f"{file}: the game, or what networks are told of it, has changed since: begin anew")
        set_aside_newer(file)
        crew = Crew(settings)
        crew.restore(arrays)
        run = cls(folder, alone, crew, about["seconds"], about["before"])
        run.rates = {name: Estimate(**rate) for name, rate in about["rates"].items()}
        cut_metrics(folder, run.learner.iteration)
        run.export(folder / "network.safetensors")  # the checkpoint may have been the last thing that was written
        return run

    def keep(self) -> None:
        """Write a checkpoint, and the network as it is."""
        learner = self.learner
        about = {
            "settings": asdict(learner.settings),
            "shape": _told(learner.shape),
            "seconds": self.seconds,
            "before": self._before,
            "rates": {name: asdict(rate) for name, rate in self.rates.items()},
        }
        write_checkpoint(self.folder / CHECKPOINTS, learner.iteration, self._crew.save(), about)
        self.export(self.folder / "network.safetensors")

    def export(self, path: Path) -> Path:
        """Write the network for playing."""
        stage = {
            "command": command_of(self.learner.settings),
            "decisions": self.learner.decisions,
            "minutes": round(self.seconds / 60, 1),
        }
        about = {"stages": [*self._before, stage]}
        self.learner.network().save(path, about)
        return path

    def close(self) -> None:
        """Let the other processes go; it cannot train any more."""
        self._crew.close()
        self._alone.release()

    def train(self, tell: Told, limit: float | None = None) -> bool:
        """Learn to the end, or for some seconds; answers whether the end was reached."""
        learner, settings = self.learner, self.learner.settings
        board = SummaryWriter(str(self.folder / "tensorboard"), purge_step=learner.iteration + 1)
        stop_at = None if limit is None else time.monotonic() + limit
        try:
            while learner.done < 1:
                began = time.monotonic()
                report = self._crew.iterate()
                _refuse_diverged(report)
                if learner.iteration % settings.evaluate_every == 0 or learner.done >= 1:
                    self.rates = self.evaluate()
                self.seconds += time.monotonic() - began
                self._write(report, board)
                tell(report, self.seconds, self.rates)
                stopped = stop_at is not None and time.monotonic() >= stop_at
                if learner.iteration % settings.checkpoint_every == 0 or learner.done >= 1 or stopped:
                    board.flush()
                    self.keep()
                if stopped:
                    return False
        finally:
            board.close()
        return True

    def _write(self, report: Report, board: SummaryWriter) -> None:
        told: dict[str, Any] = {**asdict(report), "seconds": round(self.seconds, 2)}
        if report.iteration % self.learner.settings.evaluate_every == 0 or self.learner.done >= 1:
            told["rates"] = {name: asdict(rate) for name, rate in self.rates.items()}
            for name, rate in self.rates.items():
                board.add_scalar(f"wins/{name}", rate.value, report.iteration)
        with (self.folder / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")
            file.flush()
            os.fsync(file.fileno())  # no checkpoint is newer than the metrics
        for name in ("policy_loss", "value_loss", "entropy", "divergence", "clipped", "explained"):
            board.add_scalar(f"learning/{name}", getattr(report, name), report.iteration)
        for name, utility in report.utility.items():
            board.add_scalar(f"utility/{name}", utility, report.iteration)

    def evaluate(self) -> dict[str, Estimate]:
        """Win rates of the network as it is: against one judge, and against a table full of it.

        A run that is to beat one agent is judged by that agent, at the tables where it learns.
        """
        file = self.export(self.folder / f"evaluated-{self.learner.iteration:06d}.safetensors")  # a name is loaded once
        game, settings = self.learner.game, self.learner.settings
        sizes = sorted({settings.sizes()[0], settings.sizes()[-1]})
        found = {}
        for judge in [settings.exploit] if settings.exploit else judges_of(game):
            for players in sizes:
                found[f"{judge} {players}p"] = win_rate(game.name, f"policy:{file}", judge, players, settings.deals)
        file.unlink()
        file.with_suffix(".json").unlink()
        return found


def refuse_strangers(settings: Settings) -> None:
    """A ValueError if an agent does not play the game, or an option is none of it."""
    for name in filter(None, (*settings.agents, settings.teacher)):
        agent_for(name, find(settings.game))
    for kind in settings.kinds():
        find(settings.game).rules.configure(num_players=kind.players, **kind.options)


def refuse_old(folder: Path) -> None:
    """A ValueError if a folder holds a run of any kind that could be gone on with, or what one has learned."""
    if checkpoints(folder / CHECKPOINTS) or (folder / SB3_FILE).exists():
        raise ValueError(f"{folder} holds a run already: go on with --resume {folder}, or name another --out")
    if (folder / "network.safetensors").exists():
        raise ValueError(f"{folder} holds the network of a run already: name another --out")


def cut_metrics(folder: Path, last: int) -> None:
    """Keep what was written up to an iteration; a line that was torn by a power cut, and those behind it, go."""
    file, kept = folder / "metrics.jsonl", []
    for line in file.read_bytes().splitlines(keepends=True) if file.exists() else []:
        try:
            iteration = json.loads(line)["iteration"]
        except (ValueError, KeyError, TypeError):
            break
        if iteration > last or not line.endswith(b"\n"):
            break
        kept.append(line)
    write_atomically(file, b"".join(kept))


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings of the run in a folder, as they were written; empty if there are none."""
    file = folder / "settings.json"
    if not file.exists():
        return {}
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not JSON: {error}") from None
    if not isinstance(told, dict):
        raise ValueError(f"{file} does not hold the settings of a run")
    return told


def _refuse_diverged(report: Report) -> None:
    """A DivergedError if there is nothing left to keep."""
    if not math.isfinite(report.policy_loss + report.value_loss):
        why = f"learning has come apart in iteration {report.iteration}: its losses are no numbers"
        raise DivergedError(f"{why}; begin anew with a lower --rate")


def judges_of(game: Game) -> list[str]:
    """Those of the judges who play a game."""
    return [name for name in JUDGES if plays(name, game)]


def plays(name: str, game: Game) -> bool:
    """Whether an agent plays a game."""
    try:
        agent_for(name, game)
    except ValueError:
        return False
    return True


def _stages(about: dict[str, Any]) -> list[dict[str, Any]]:
    """How a network came to be, if it tells."""
    stages = about.get("stages")
    return stages if isinstance(stages, list) else []


def _told(shape: Shape) -> dict[str, Any]:
    """As it comes back from JSON."""
    told: dict[str, Any] = json.loads(json.dumps(asdict(shape)))
    return told


def win_rate(game: str, agent: str, others: str, players: int, deals: int, workers: int = 1) -> Estimate:
    """How often an agent wins against copies of another, with its interval."""
    plan = Plan(game, (agent, *[others] * (players - 1)), players, deals, EVALUATION_SEED)
    tournament = Tournament(plan, workers=workers)
    tournament.play()
    return tournament.tally.win_rates()[agent]
