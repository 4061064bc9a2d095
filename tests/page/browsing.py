"""What tests in a real browser share: when they run, how to start a game and to wait for its next decision."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NEEDS_BROWSER = [
    pytest.mark.compiled,
    pytest.mark.skipif(
        CHROMIUM is None and os.environ.get("CI") != "true", reason="needs a browser: apt-get install chromium"
    ),
]


def start_game(page: Any, home: str, players: int = 2, opponent: str = "random") -> None:
    page.goto(home)
    page.get_by_label(str(players), exact=True).check()
    for number in range(1, players):
        page.get_by_label(f"Opponent {number}").select_option(opponent)
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("#table[aria-busy=false]")


def revision_of(page: Any) -> str:
    revision: str = page.get_attribute("#table", "data-revision")
    return revision


def wait_for_change(page: Any, before: str) -> None:
    page.wait_for_selector(f'#table[aria-busy=false]:not([data-revision="{before}"])')
