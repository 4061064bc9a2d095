"""The page about adding a game, followed to the letter in a copy of the project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT, python_path

pytestmark = pytest.mark.compiled

PAGE = ROOT / "docs" / "adding_a_game.md"
GAME = "keep_or_swap"
PETTINGZOO_TESTS = """
import warnings
import pettingzoo
from pettingzoo.test import api_test, seed_test

import olb_agents, olb_env

warnings.simplefilter("ignore", UserWarning)
for players in (2, 3, 4):
    api_test(pettingzoo.make("aec", "olb_env/keep_or_swap-v0", num_players=players), num_cycles=60)
seed_test(lambda: pettingzoo.make("aec", "olb_env/keep_or_swap-v0"))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with the files and the changed line of the page."""
    copy = tmp_path_factory.mktemp("project")
    for package in ("olb_env", "agents", "training"):
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    page = PAGE.read_text(encoding="utf-8")
    files = re.findall(r"^`(\w+/[\w/]+\.py)`:.*?^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    for name, text in files:
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")
    lines = re.findall(r"in `(\w+/__init__\.py)`:\n\n```python\n(.*?)\n```", page)
    for name, line in lines:
        old = (copy / name).read_text(encoding="utf-8")
        without = line.replace(f"{GAME}, ", "")
        assert without in old, f"{name} has no line {without!r}"
        (copy / name).write_text(old.replace(without, line), encoding="utf-8")
    assert (len(files), len(lines)) == (7, 1)
    return copy


def run(project: Path, *arguments: str, compiled: bool = False) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    environment |= {"PYTHONPATH": python_path(project), "NUMBA_DISABLE_JIT": str(int(not compiled))}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def olb(project: Path, command: str, *arguments: str, compiled: bool = False) -> str:
    return run(project, "-m", "olb_env", command, "--game", GAME, *arguments, compiled=compiled)


def test_the_environment_passes_pettingzoos_tests(project: Path) -> None:
    assert "Passed API test" in run(project, "-c", PETTINGZOO_TESTS)


def test_games_are_recorded(project: Path) -> None:
    olb(project, "record", "--games", "30", "--players", "4", "--agents", "random", "--legal", "--out", "games.jsonl")
    records = [json.loads(line) for line in (project / "games.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [len(record["moves"]) for record in records] == [4] * 30


def test_the_planner_beats_random_play_in_the_arena(project: Path) -> None:
    report = json.loads(
        olb(project, "arena", "--agents", "planner", "random", "--deals", "150", "--workers", "1", "--json", "-")
    )
    rates = {row["agent"]: row["win_rate"] for row in report["rows"]}
    assert rates["planner"]["low"] > 0.5


@pytest.mark.compiled
def test_rules_and_heuristics_play_the_same_compiled_and_as_plain_python(project: Path) -> None:
    agents = ("planner", "mcts:4", "random", "flat:4")
    arguments = ("record", "--games", "4", "--players", "4", "--agents", *agents, "--seed", "1")
    olb(project, *arguments, "--out", "compiled.jsonl", compiled=True)
    olb(project, *arguments, "--out", "plain.jsonl")
    assert (project / "compiled.jsonl").read_bytes() == (project / "plain.jsonl").read_bytes()


def test_an_agent_can_be_trained(project: Path) -> None:
    few = ["--total-timesteps", "4000", "--num-envs", "32", "0", "16", "--num-steps", "8", "--minibatch-size", "128"]
    small = ["--hidden-sizes", "16", "--imitation-timesteps", "1000", "--workers", "1"]
    output = olb(project, "train", *few, *small, "--eval-interval", "1000", "--eval-deals", "2", "--out", "run")
    assert "policy:run/network.safetensors" in re.sub(r"\s", "", output)
