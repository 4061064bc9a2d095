"""Several processes that learn as one: each plays at its own tables, and all take the same steps of learning.

Every process holds the whole learner. They exchange gradients, so their networks stay the same to the last bit; only
what is at the tables differs. The first one is the process that asks.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from olb_training.ppo.exchange import FORK, Exchange, GoneError
from olb_training.ppo.learner import Learner, Report, room_needed
from olb_training.ppo.mixed_tables import MixedTables
from olb_training.ppo.settings import Settings


class CrewError(Exception):
    """Another process could not go on."""


class Crew:
    """A learner of as many processes as its settings say; the others are gone when nobody wants it any more."""

    def __init__(self, settings: Settings, hall: type[MixedTables] = MixedTables) -> None:
        exchange = Exchange(settings.workers, room_needed(settings))
        self.learner = Learner(settings, exchange, 0, hall)  # first, as it finds out what cannot be
        self._pipes: list[multiprocessing.connection.Connection] = []
        processes = []
        for number in range(1, settings.workers):
            ours, theirs = FORK.Pipe()
            process = FORK.Process(
                target=_serve, args=(settings, exchange, number, hall, os.getpid(), theirs), daemon=True
            )
            process.start()
            theirs.close()
            threading.Thread(target=_watch, args=(process, exchange), daemon=True).start()
            self._pipes.append(ours)
            processes.append(process)
        self.close = weakref.finalize(self, _end, processes)

    def iterate(self) -> Report:
        """Play, look back, learn."""
        report: Report = self.together("iterate")[0]
        return report

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Everything that changes while they learn."""
        kept = self.learner.save()
        for tables in self.together("save_tables"):
            kept |= tables
        return kept

    def restore(self, saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on where another crew of the same settings was saved."""
        self.together("restore", saved)

    def together(self, method: str, *arguments: Any) -> list[Any]:
        """What a method of the learner answers in each process."""
        try:
            for pipe in self._pipes:
                pipe.send((method, arguments))
            own = getattr(self.learner, method)(*arguments)
            answers = [own, *(pipe.recv() for pipe in self._pipes)]
        except (GoneError, EOFError, ConnectionError):
            raise CrewError(self._why()) from None
        except BaseException:
            self.close()  # nobody is to wait for this process
            raise
        for answer in answers:
            if isinstance(answer, CrewError):
                raise answer
        return answers

    def _why(self) -> str:
        for pipe in self._pipes:
            try:
                while pipe.poll():
                    if isinstance(answer := pipe.recv(), CrewError):
                        return str(answer)
            except (EOFError, OSError):
                continue
        return "one of the processes that learn was killed"


def _end(processes: list[Any]) -> None:
    for process in processes:
        process.terminate()
        process.join()


def _watch(process: multiprocessing.process.BaseProcess, exchange: Exchange) -> None:
    """Nobody waits for one who is gone."""
    multiprocessing.connection.wait([process.sentinel])
    exchange.give_up()


def _serve(
    settings: Settings, exchange: Exchange, number: int, hall: type[MixedTables], parent: int, pipe: Any
) -> None:
    """What another process does: as it is told, while the first one is there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one decides what it means
    threading.Thread(target=_leave_with_parent, args=(parent,), daemon=True).start()
    exchange.become(number)
    try:
        learner = Learner(settings, exchange, number, hall)
        while True:
            method, arguments = pipe.recv()
            pipe.send(getattr(learner, method)(*arguments))
    except GoneError:
        return
    except Exception as error:  # noqa: BLE001  # told to the one who asked, who raises it
        pipe.send(CrewError(f"{type(error).__name__}: {error}"))


def _leave_with_parent(parent: int) -> None:
    """A process that outlives the first one is of no use; whoever takes it over is another parent."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
