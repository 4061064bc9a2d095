"""Runs that several tests look at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from olb_training.ppo.run import Run
from tests.support.small_runs import SHORT, quiet


@pytest.fixture(scope="session")
def ended_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that has ended; tests must not change it."""
    folder = tmp_path_factory.mktemp("ended") / "run"
    run = Run.begin(folder, SHORT)
    assert run.train(quiet)
    run.close()
    return folder


@pytest.fixture
def run_copy(ended_run: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to be changed."""
    return shutil.copytree(ended_run, tmp_path / "run")
