"""Scalars for TensorBoard, written at once.

TensorBoard's own writer has a thread, whose errors end in a traceback. Here a full disk is an OSError where it happens.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # type: ignore[import-untyped]
from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]
from tensorboard.summary.writer.record_writer import RecordWriter  # type: ignore[import-untyped]

FOLDER: Final = "tensorboard"  # in that of a run
_numbers = itertools.count()


class ScalarWriter:
    """A file of events in the folder of a run; those of earlier sessions from `first_step` on no longer count."""

    def __init__(self, folder: Path, first_step: int) -> None:
        (folder / FOLDER).mkdir(exist_ok=True)
        name = f"events.out.tfevents.{int(time.time()):010d}.{os.getpid()}.{next(_numbers)}"
        self._file = (folder / FOLDER / name).open("wb")
        self._records: Any = RecordWriter(self._file)
        try:
            self._write(Event(file_version="brain.Event:2"))
            self._write(Event(step=first_step, session_log=SessionLog(status=SessionLog.START)))
            self._file.flush()
        except OSError:
            self.close()
            raise

    def add(self, values: Mapping[str, float], step: int) -> None:
        """Write some numbers by name, all of one step."""
        summary = Summary(value=[Summary.Value(tag=name, simple_value=value) for name, value in values.items()])
        self._write(Event(step=step, summary=summary))
        self._file.flush()

    def _write(self, event: Any) -> None:
        event.wall_time = time.time()
        self._records.write(event.SerializeToString())

    def close(self) -> None:
        """Close the file; everything that `add` wrote is in it already."""
        with contextlib.suppress(OSError):  # the disk is full, which `add` has said
            self._file.close()
