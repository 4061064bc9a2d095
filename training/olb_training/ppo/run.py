"""A training run in a folder: learn, evaluate and save, so that it can be stopped at any moment and resumed.

The folder holds `settings.json`, `checkpoints/`, `metrics.jsonl`, `tensorboard/`, and the network of the last
checkpoint in `network.safetensors` and `network.json`. A run that is resumed drops the metrics after its checkpoint,
since those iterations are repeated.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from olb_env.core.checking import shortened
from olb_env.core.files import FolderLock
from olb_training.ppo.bounds import MOST_SHOWN
from olb_training.ppo.checkpoint import (
    CHECKPOINTS,
    CheckpointError,
    find_checkpoint,
    list_checkpoints,
    number_of,
    set_aside_newer,
    write_checkpoint,
)
from olb_training.ppo.distributed import DistributedLearner
from olb_training.ppo.learner import Learner, initial_network
from olb_training.ppo.metrics import IterationMetrics, append_metrics, truncate_metrics
from olb_training.ppo.notes import notes_of, read_notes, stages_of
from olb_training.ppo.presets import command_for
from olb_training.ppo.run_folder import (
    EVALUATED,
    NETWORK_FILE,
    check_settings,
    claim_new_folder,
    remove_leftovers,
    write_settings,
)
from olb_training.ppo.scalars import ScalarWriter
from olb_training.ppo.settings import Settings
from olb_training.ppo.widen import can_widen, widen
from olb_training.ppo.win_rates import WinRates, eval_opponents_of, evaluate

LOSSES = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "explained_variance")

OnIteration = Callable[[Mapping[str, Any]], None]  # given the entry of `metrics.jsonl`


class DivergedError(Exception):
    """Training whose losses are no longer finite."""


class Run:
    """A learner and its folder."""

    def __init__(
        self,
        folder: Path,
        lock: FolderLock,
        distributed: DistributedLearner,
        seconds: float,
        earlier_stages: list[dict[str, Any]],
    ) -> None:
        self.folder = folder
        self._lock = lock
        self._distributed = distributed
        self.seconds = seconds  # of training so far, all sessions together
        self._earlier_stages = earlier_stages  # of the network it started from
        self.win_rates: WinRates = {}  # of the last evaluation

    @property
    def learner(self) -> Learner:
        """The learner of this process; all processes have the same network."""
        return self._distributed.learner

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        return self.learner.settings

    @property
    def timesteps(self) -> int:
        """Decisions of all seats so far."""
        return self.learner.timesteps

    @classmethod
    def begin(cls, folder: Path, settings: Settings) -> Run:
        """Begin a new run in an empty folder."""
        check_settings(settings)
        network = initial_network(settings.init_from, settings.game) if settings.init_from else None
        if network is not None and not can_widen(network.shape, settings.network_shape()):
            name = shortened(settings.init_from, MOST_SHOWN)
            expected = "expected as many hidden_sizes as it has, each a multiple of its own, and at least its features"
            raise ValueError(f"{name} cannot be widened to the requested network: {expected}; leave both out")
        with contextlib.ExitStack() as undo:
            lock = claim_new_folder(folder)
            undo.callback(lock.release)
            distributed = DistributedLearner(settings)
            undo.callback(distributed.close)
            if network is not None:
                distributed.call("start_from", widen(network, settings.network_shape()))
            write_settings(folder, asdict(settings))
            run = cls(folder, lock, distributed, 0.0, [] if network is None else stages_of(network.about))
            run.save_checkpoint()
            undo.pop_all()
        return run

    @classmethod
    def resume(cls, path: Path) -> Run:
        """Resume from a checkpoint, or from the newest one in the folder of a run."""
        folder = path.resolve().parent.parent if path.is_file() else path
        with contextlib.ExitStack() as undo:
            # The lock comes before anything is read: another process might be writing.
            lock = FolderLock(folder) if list_checkpoints(folder / CHECKPOINTS) else None
            undo.callback(lambda: lock.release() if lock is not None else None)
            file, arrays, about = find_checkpoint(path)
            assert lock is not None  # noqa: S101  # a checkpoint was found
            notes = read_notes(file, about)
            check_settings(notes.settings)
            distributed = DistributedLearner(notes.settings)
            undo.callback(distributed.close)
            try:
                distributed.restore(arrays)
                if number_of(file) != distributed.learner.iteration:
                    raise CheckpointError(f"iteration is {distributed.learner.iteration}, unlike its name")
            except CheckpointError as error:
                name = shortened(file, MOST_SHOWN)
                raise CheckpointError(f"{name} is not a checkpoint of a run: {error}") from None
            run = cls(folder, lock, distributed, notes.seconds, notes.earlier_stages)
            run.win_rates = notes.win_rates
            set_aside_newer(file)  # nothing changes before it is known to be good
            remove_leftovers(folder)
            truncate_metrics(folder, run.learner.iteration)
            run.export_network(folder / NETWORK_FILE)  # the run may have been killed right after the checkpoint
            undo.pop_all()
        return run

    def save_checkpoint(self) -> None:
        """Write a checkpoint, and the network as it is now."""
        about = notes_of(self.settings, self.seconds, self._earlier_stages, self.win_rates)
        write_checkpoint(self.folder / CHECKPOINTS, self.learner.iteration, self._distributed.save(), about)
        self.export_network(self.folder / NETWORK_FILE)

    def export_network(self, path: Path) -> None:
        """Write the network for playing, with the stages of its training."""
        stage = {
            "command": command_for(self.settings),
            "timesteps": self.timesteps,
            "minutes": round(self.seconds / 60, 1),
        }
        self.learner.network().save(path, {"stages": [*self._earlier_stages, stage]})

    def close(self) -> None:
        """End the other processes and release the folder; the run cannot train any more."""
        self._distributed.close()
        self._lock.release()

    def train(self, on_iteration: OnIteration, limit: float | None = None) -> bool:
        """Train to the end, or for some seconds; return whether the end was reached."""
        learner, settings = self.learner, self.settings
        writer = ScalarWriter(self.folder, self.timesteps + 1)
        stop_at = None if limit is None else time.monotonic() + limit
        try:
            while learner.progress < 1:
                began = time.monotonic()
                metrics = self._distributed.iterate()
                sps = settings.timesteps_per_iteration() / (time.monotonic() - began)
                self._refuse_diverged(metrics)
                evaluated = learner.iteration % settings.eval_interval == 0 or learner.progress >= 1
                if evaluated:
                    self.win_rates = self.evaluate()
                self.seconds += time.monotonic() - began
                entry = {**asdict(metrics), "sps": round(sps), "seconds": round(self.seconds, 2)}
                if evaluated:
                    entry["win_rates"] = {name: asdict(rate) for name, rate in self.win_rates.items()}
                    entry["eval_options"] = settings.main_options()
                append_metrics(self.folder, entry)
                writer.add(scalars_of(entry), entry["timesteps"])
                on_iteration(entry)
                stopped = stop_at is not None and time.monotonic() >= stop_at
                if learner.iteration % settings.checkpoint_interval == 0 or learner.progress >= 1 or stopped:
                    self.save_checkpoint()
                if stopped:
                    return False
        finally:
            writer.close()
        return True

    def evaluate(self) -> WinRates:
        """Return the win rates of the network as it is now, at the smallest and the largest tables of the run.

        The opponents are those of all evaluations, or the agent that the run is a best response to. The options of the
        game are those at most tables.
        """
        settings, target = self.settings, self.settings.best_response_to
        sizes = sorted({settings.table_sizes()[0], settings.table_sizes()[-1]})
        opponents = [target] if target else eval_opponents_of(self.learner.game)
        file = self.folder / f"{EVALUATED}{self.learner.iteration:06d}.safetensors"
        options = settings.main_options()
        return evaluate(self.learner.network(), file, opponents, sizes, settings.eval_deals, options)

    def _refuse_diverged(self, metrics: IterationMetrics) -> None:
        """Raise DivergedError if a loss or a weight is not finite."""
        weights = self.learner.network().weights.values()
        if not math.isfinite(metrics.policy_loss + metrics.value_loss):
            what = "the losses are"
        elif not all(np.isfinite(weight).all() for weight in weights):
            what = "the weights are"
        else:
            return
        raise DivergedError(
            f"training diverged in iteration {metrics.iteration}: {what} no longer finite; "
            "start a new run with a lower --learning-rate"
        )


def scalars_of(entry: Mapping[str, Any]) -> dict[str, float]:
    """Return what TensorBoard shows of an entry of the metrics."""
    return {
        **{f"losses/{name}": entry[name] for name in LOSSES},
        "charts/learning_rate": entry["learning_rate"],
        "charts/SPS": entry["sps"],
        **{f"charts/utility_vs_{name}": utility for name, utility in entry["opponent_utilities"].items()},
        **{f"eval/win_rate_vs_{name}": rate["value"] for name, rate in entry.get("win_rates", {}).items()},
    }
