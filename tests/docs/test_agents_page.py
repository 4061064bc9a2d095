"""The page on agents names all of them, and its bot plays."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from olb_env import load_records
from olb_env.commands.olb import main
from olb_env.playing import agent_names
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")


def test_the_page_names_every_agent() -> None:
    agents = PAGE[: PAGE.index("play every game")]
    rows = re.findall(r"^\| (`.*?`) \|", agents, re.MULTILINE)
    named = {name.partition(":")[0] for row in rows for name in re.findall(r"`(.*?)`", row)}
    assert named == set(agent_names())


@pytest.mark.compiled
def test_the_bot_of_the_page_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    command = re.search(r"\$ (olb record .*)\n", PAGE)
    assert code is not None
    assert command is not None
    assert len(code[1].splitlines()) <= 20
    monkeypatch.chdir(tmp_path)
    Path("landlord.py").write_text(code[1], encoding="utf-8")
    assert main(shlex.split(command[1])[1:]) == 0
    records = load_records("games.jsonl")
    assert len(records) == 20
    assert records[0]["agents"] == ["landlord.py:Landlord", "random"]
    played = {move[1] for record in records for move in record["moves"]}
    assert "rondel guild" in played
    assert sum(record["ranking"][0] == 0 for record in records) > 14  # it wins 96% of many games
