"""Every example in docs/clients.md runs, each in its own process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.compiled

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)


def test_every_interface_on_the_page_has_an_example() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert [title for title, _ in EXAMPLES] == [title for title in headings if title != "Whose reward is it?"]
    assert len(EXAMPLES) == 8


@pytest.mark.compiled
@pytest.mark.parametrize(("title", "code"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_the_example_runs(title: str, code: str, tmp_path: Path) -> None:
    assert "assert " in code, title
    file = tmp_path / "example.py"
    file.write_text(code, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, cwd=tmp_path, check=False, timeout=900
    )
    assert run.returncode == 0, run.stdout + run.stderr
