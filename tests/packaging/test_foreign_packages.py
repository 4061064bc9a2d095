"""Modules of the user or of another distribution that are named like our folders: nothing of ours imports them."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiled  # games as plain Python would take minutes

NAMES = ("agents", "training")  # folders of the project, and the top-level packages of others
COMMANDS = sorted(importlib.metadata.entry_points(group="olb_env.commands").names)
WOBBLY = ("--game", "wobbly_bridge", "--players", "3")

# Commands with their exit codes: every help, small runs, and errors that come after all modules are imported.
RUNS: list[tuple[int, list[str]]] = [
    *((0, [command, "--help"]) for command in COMMANDS),
    (0, ["record", *WOBBLY, "--agents", "planner", "--games", "2", "--out", "games.jsonl"]),
    (0, ["arena", *WOBBLY, "--agents", "planner", "random", "random", "--deals", "2", "--workers", "2"]),
    (0, ["bench", *WOBBLY, "--seconds", "0.01", "--batch", "8"]),
    (2, ["play", "--agents", "nobody"]),
    (2, ["replay", "missing.jsonl"]),
    (2, ["train", "--resume", "missing"]),
]

# One process runs all of them as the installed script does, to import torch only once.
RUN_ALL = """
import importlib.metadata, json, sys
(script,) = importlib.metadata.entry_points(group="console_scripts", name="olb")
olb, codes = script.load(), []
for words in json.loads(sys.argv[1]):
    try:
        codes.append(olb(words))
    except SystemExit as stopped:
        codes.append(stopped.code)
print(json.dumps({"codes": codes, "foreign": sorted({"agents", "training"} & set(sys.modules))}))
"""


def run_python(folder: Path, *words: str, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with another folder in front of those that packages are imported from."""
    path = [str(folder) for folder in (site, os.environ.get("PYTHONPATH")) if folder]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def run_all_commands(folder: Path, site: Path | None = None) -> None:
    """Run the commands in a folder: they end as they should and import neither `agents` nor `training`."""
    done = run_python(folder, "-c", RUN_ALL, json.dumps([words for _, words in RUNS]), site=site)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    ended = list(zip(result["codes"], (words for _, words in RUNS), strict=True))
    assert ended == RUNS, done.stderr
    assert result["foreign"] == []
    assert "foreign" not in done.stderr
    assert len((folder / "games.jsonl").read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize("form", ["{}.py", "{}/__init__.py"], ids=["module", "package"])
def test_commands_run_beside_modules_of_the_user(form: str, tmp_path: Path) -> None:
    for name in NAMES:
        module = tmp_path / form.format(name)
        module.parent.mkdir(exist_ok=True)
        module.write_text('raise ImportError("foreign")\n')
    run_all_commands(tmp_path)


def test_environments_find_our_agents_beside_a_module_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "agents.py").write_text('OWNER = "the user"\n')
    (tmp_path / "script.py").write_text(
        "import gymnasium\n"
        "import olb_env\n"
        'env = gymnasium.make("olb_env/WobblyBridge-v0", num_players=3, opponents="planner")\n'
        "observation, info = env.reset(seed=1)\n"
        'env.step(info["action_mask"].argmax())\n'
        "import agents\n"
        "print(agents.OWNER)\n"
    )
    done = run_python(tmp_path, "script.py")
    assert done.stdout == "the user\n", done.stderr


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder into which a distribution was installed that provides the packages `agents` and `training`."""
    site = tmp_path / "site"
    info = site / "foreign_agents-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign-agents\nVersion: 1.0\n")
    (info / "top_level.txt").write_text("\n".join(NAMES) + "\n")
    for name in NAMES:
        (site / name).mkdir()
        (site / name / "__init__.py").write_text('OWNER = "a distribution"\n')
    return site


def test_commands_run_beside_another_distribution(tmp_path: Path, site: Path) -> None:
    run_all_commands(tmp_path, site)


def test_the_packages_of_another_distribution_are_not_hidden(tmp_path: Path, site: Path) -> None:
    program = (
        "import olb_agents, olb_training, agents, training, importlib.metadata; "
        "print(agents.OWNER, training.OWNER, importlib.metadata.version('foreign-agents'), sep=', ')"
    )
    done = run_python(tmp_path, "-c", program, site=site)
    assert done.stdout == "a distribution, a distribution, 1.0\n", done.stderr
