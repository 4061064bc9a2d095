"""Modules of the user or of another distribution that are named like our folders: nothing of ours imports them."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.running import serve_page

pytestmark = pytest.mark.compiled  # games as plain Python would take minutes

NAMES = ("agents", "training")  # folders of the project, and the top-level packages of others
WOBBLY = ("--game", "wobbly_bridge", "--players", "3")
SMALL_RUN = (
    "--total-timesteps", "128", "--num-envs", "4", "0", "0", "0", "--num-steps", "16", "--minibatch-size", "32",
    "--hidden-sizes", "8", "--features", "observation", "--env-kwargs", "--opponents", "random", "--teacher", "",
    "--imitation-timesteps", "0", "--eval-deals", "1", "--workers", "2",
)  # fmt: skip

# What runs beside such modules, with exit codes. `-m` runs a module as `python -m` does.
RUNS: list[tuple[int, list[str]]] = [
    (0, ["record", *WOBBLY, "--agents", "planner", "--games", "2", "--out", "games.jsonl"]),
    (0, ["record", "--players", "2", "--games", "2", "--out", "bridges.jsonl"]),
    (0, ["arena", *WOBBLY, "--agents", "planner", "random", "random", "--deals", "2", "--workers", "2"]),
    (0, ["bench", *WOBBLY, "--seconds", "0.01", "--batch", "8"]),
    (0, ["board", "new"]),
    (0, ["train", "--game", "wobbly_bridge", "--out", "run", *SMALL_RUN]),
    (0, ["train", "--resume", "run"]),
    (0, ["-m", "olb_env", "--help"]),
    (0, ["-m", "olb_training.analysis", "bridges.jsonl"]),
    (0, ["-m", "olb_training.ppo.promote", "--help"]),
    (0, ["-m", "olb_agents.old_london_bridge.tune_planner", "--help"]),
    (0, ["-m", "olb_agents.wobbly_bridge.fit_evaluation", "--help"]),
]
SERVED = (["play", "--agents", "planner", "--adviser", "none"], ["replay", "bridges.jsonl", "--adviser", "none"])

# One process runs all of them as the installed script does, to import torch only once.
RUN_ALL = """
import importlib.metadata, json, runpy, sys

def run(words):
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        return olb(words)

if __name__ == "__main__":
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="olb")
    olb, codes = script.load(), []
    for words in json.loads(sys.argv[1]):
        try:
            code = run(words)
        except SystemExit as stopped:
            code = stopped.code
        codes.append(code or 0)
    print(json.dumps({"codes": codes, "foreign": sorted({"agents", "training"} & set(sys.modules))}))
"""


def surroundings(folder: Path, site: Path | None = None) -> dict[str, Any]:
    """Return options of a process in a folder; packages are imported from `site` first."""
    path = [str(found) for found in (site, os.environ.get("PYTHONPATH")) if found]
    return {"cwd": folder, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(path)}}


def run_python(folder: Path, *words: str, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python in such surroundings."""
    command = [sys.executable, *words]
    return subprocess.run(
        command, **surroundings(folder, site), capture_output=True, text=True, timeout=300, check=False
    )


def test_every_command_is_among_those_that_run() -> None:
    run = {words[0] for _, words in RUNS} | {words[0] for words in SERVED}
    assert run - {"-m"} == importlib.metadata.entry_points(group="olb_env.commands").names


PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "foreign-agents"
version = "1.0"

[tool.hatch.build.targets.wheel]
packages = ["agents", "training"]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed a distribution that provides the packages `agents` and `training`."""
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    (source / "pyproject.toml").write_text(PROJECT)
    for name in NAMES:
        (source / name).mkdir()
        (source / name / "__init__.py").write_text('OWNER = "a distribution"\n')
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(site), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return site


def test_commands_run_beside_modules_of_the_user_and_another_distribution(tmp_path: Path, site: Path) -> None:
    """Every command ends as it should and imports neither `agents` nor `training`."""
    (tmp_path / "training").mkdir()
    for module in ("agents.py", "training/__init__.py"):
        (tmp_path / module).write_text('raise ImportError("foreign")\n')
    (tmp_path / "run_all.py").write_text(RUN_ALL)
    done = run_python(tmp_path, "run_all.py", json.dumps([words for _, words in RUNS]), site=site)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    ended = list(zip(result["codes"], (words for _, words in RUNS), strict=True))
    assert ended == RUNS, done.stderr
    assert result["foreign"] == []
    assert "foreign" not in done.stderr
    assert len((tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    for words in SERVED:
        with contextmanager(serve_page)(*words, **surroundings(tmp_path, site)) as address:
            assert urllib.request.urlopen(address, timeout=60).status == 200  # noqa: S310  # on this machine


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


def test_the_packages_of_another_distribution_are_not_hidden(tmp_path: Path, site: Path) -> None:
    program = (
        "import olb_agents, olb_training, agents, training, importlib.metadata; "
        "print(agents.OWNER, training.OWNER, importlib.metadata.version('foreign-agents'), sep=', ')"
    )
    done = run_python(tmp_path, "-c", program, site=site)
    assert done.stdout == "a distribution, a distribution, 1.0\n", done.stderr
