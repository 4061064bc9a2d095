"""Run the notebooks in full and save their outputs: `python -m tests.tools.notebooks [NAME ...]` (default: all).

Standard error, which holds progress and messages about compiling, is not saved.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tests.support.paths import ROOT

FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def execute(notebook: nbformat.NotebookNode, folder: Path, timeout: float | None) -> None:
    """Run all cells in a folder and store their outputs in the notebook; `timeout` is in seconds per cell."""
    resources = {"metadata": {"path": folder}}
    NotebookClient(notebook, timeout=timeout, kernel_name="python3", resources=resources).execute()


def without_progress(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Remove from the outputs everything that was written to standard error, and return the notebook."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            cell.metadata.pop("execution", None)  # the time at which each cell ran
    return notebook


def main(names: list[str]) -> None:
    """Run the notebooks of these names, or all, one after the other."""
    for file in NOTEBOOKS:
        if file.stem in names or not names:
            began, notebook = time.monotonic(), nbformat.read(file, as_version=4)
            execute(notebook, FOLDER, None)
            nbformat.write(without_progress(notebook), file)
            print(f"{file.stem}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
