"""Every notebook runs from top to bottom on small settings, in a real kernel."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
LONGEST = 300  # seconds for a cell

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(Path(__file__).parent.parent)
    monkeypatch.setenv("OLB_SMALL", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(
        notebook, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
