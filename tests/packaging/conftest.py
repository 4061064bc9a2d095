"""The distributions of the project, built once for all tests of a process."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.paths import ROOT


@dataclass(frozen=True)
class Distributions:
    """The files that a build leaves."""

    sdist: Path
    wheel: Path  # built from the sdist, as `python -m build` does
    wheel_of_checkout: Path  # built without it


def build(out: Path, *options: str) -> None:
    """Build the project with the build requirements that are installed here."""
    words = [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(out), str(ROOT)]
    done = subprocess.run(words, cwd=out.parent, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    folder = tmp_path_factory.mktemp("dist")
    both, alone = folder / "both", folder / "alone"
    build(both)
    build(alone, "--wheel")
    (sdist,), (wheel,), (wheel_of_checkout,) = both.glob("*.tar.gz"), both.glob("*.whl"), alone.glob("*.whl")
    return Distributions(sdist, wheel, wheel_of_checkout)
