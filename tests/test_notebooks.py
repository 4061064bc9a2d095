"""Every notebook runs from top to bottom on small settings, in a real kernel; outputs are those of one whole run."""

from __future__ import annotations

import os
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
LONGEST = 300  # seconds for a whole notebook on small settings
WITHOUT_OUTPUTS = {  # still to be run in full
    "benchmark_bots",
    "game_balance",
    "quickstart",
    "train_your_first_agent",
    "what_the_champion_learned",
}

of_each = pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)


@pytest.mark.compiled
@of_each
def test_a_notebook_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(Path(__file__).parent.parent)
    monkeypatch.setenv("OLB_SMALL", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(file, as_version=4)
    began = time.monotonic()
    NotebookClient(
        notebook, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    assert time.monotonic() - began < LONGEST


@of_each
def test_outputs_are_those_of_one_whole_run(file: Path) -> None:
    cells = [cell for cell in nbformat.read(file, as_version=4).cells if cell.cell_type == "code"]
    if any(cell.outputs for cell in cells):
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    else:
        assert file.stem in WITHOUT_OUTPUTS
