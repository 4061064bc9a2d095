"""Run the notebooks in full and save their outputs: `python -m tests.tools.notebooks [NAME ...]` (default: all).

Progress and messages about compiling, which go to standard error, are not kept.
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


def execute(notebook: nbformat.NotebookNode, folder: Path, longest: float | None) -> None:
    """Run all cells in a folder, each for some seconds at most; their outputs are in the notebook afterwards."""
    where = {"metadata": {"path": folder}}
    NotebookClient(notebook, timeout=longest, kernel_name="python3", resources=where).execute()


def without_progress(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The same without what was written to standard error."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            cell.metadata.pop("execution", None)  # when each cell ran
    return notebook


def main(names: list[str]) -> None:
    """Run them one after the other."""
    for file in NOTEBOOKS:
        if file.stem in names or not names:
            began, notebook = time.monotonic(), nbformat.read(file, as_version=4)
            execute(notebook, FOLDER, None)
            nbformat.write(without_progress(notebook), file)
            print(f"{file.stem}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
