"""Every notebook runs from top to bottom with small settings in a real kernel, and holds the outputs of a full run."""

from __future__ import annotations

import copy
import os
from pathlib import Path

import nbformat
import pytest

from tests.support.paths import python_path
from tests.tools.notebooks import NOTEBOOKS, execute, without_progress

pytestmark = pytest.mark.compiled

TIMEOUT = 900  # seconds for a cell

every_notebook = pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)


@pytest.mark.compiled
@every_notebook
def test_a_notebook_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLB_SMALL", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([python_path(), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(file, as_version=4)
    execute(notebook, tmp_path, TIMEOUT)


@every_notebook
def test_outputs_come_from_one_complete_run(file: Path) -> None:
    notebook = nbformat.read(file, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert any(cell.outputs for cell in cells)
    assert notebook == without_progress(copy.deepcopy(notebook))
