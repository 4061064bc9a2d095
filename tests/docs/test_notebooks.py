"""Every notebook runs from top to bottom on small settings, in a real kernel; outputs are those of one whole run."""

from __future__ import annotations

import copy
import os
from pathlib import Path

import nbformat
import pytest

from tests.support.paths import python_path
from tests.tools.notebooks import NOTEBOOKS, execute, without_progress

pytestmark = pytest.mark.compiled

LONGEST = 900  # seconds for a cell: something hangs

of_each = pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)


@pytest.mark.compiled
@of_each
def test_a_notebook_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLB_SMALL", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([python_path(), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(file, as_version=4)
    execute(notebook, tmp_path, LONGEST)


@of_each
def test_outputs_are_those_of_one_whole_run(file: Path) -> None:
    notebook = nbformat.read(file, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert any(cell.outputs for cell in cells)
    assert notebook == without_progress(copy.deepcopy(notebook))
