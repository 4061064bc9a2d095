"""Where things are in the project."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"


def python_path(root: Path = ROOT) -> str:
    """Return the PYTHONPATH that finds every package of a copy of the project."""
    return os.pathsep.join(str(folder) for folder in (root, root / "agents", root / "training"))
