"""What works without the optional dependencies, and what the other commands say that they lack."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.wrong_lines import check_one_line

pytestmark = pytest.mark.compiled

OPTIONAL = (
    "PIL", "choix", "font_source_sans_pro", "h11", "jax", "jupyterlab", "matplotlib", "moviepy", "pandas", "pgx",
    "pygame", "ray", "resvg_py", "sb3_contrib", "stable_baselines3", "starlette", "tensorboard", "torch", "torchrl",
    "uvicorn",
)  # fmt: skip

# One process hides the packages as if they were not installed, then runs all command lines.
RUN_ALL = """
import contextlib, io, json, sys
from importlib.machinery import PathFinder

hidden, lines, done = json.loads(sys.argv[1]), json.loads(sys.argv[2]), []
found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] in hidden else found(name, *rest)
from olb_env.commands.olb import main

for words in lines:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            code = main(words)
        except SystemExit as stopped:
            code = stopped.code
    done.append((code, out.getvalue(), err.getvalue()))
print(json.dumps({"done": done, "imported": sorted(set(hidden) & set(sys.modules))}))
"""

WOBBLY = ["--game", "wobbly_bridge", "--players", "3"]
WORKING = (
    ["--help"], ["arena", "--help"], ["train", "--help"], ["play", "--help"],
    ["record", *WOBBLY, "--games", "2", "--agents", "planner", "--out", "games.jsonl"],
    ["record", *WOBBLY, "--games", "1", "--agents", "champion", "mcts:2", "mixed:2", "--out", "more.jsonl"],
    ["bench", *WOBBLY, "--seconds", "0.01", "--batch", "4", "--json", "bench.json"],
    ["board", "new"],
    ["board", "check", "board.toml", "--svg", "board.svg"],
)  # fmt: skip
RATED = ["arena", *WOBBLY, "--agents", "random", "greedy", "planner", "--deals", "2", "--workers", "1"]
LACKING = {
    "--peer needs pygame, which connect_four_v3 imports: pip install pygame": ["bench", "--peer"],
    "pip install olb-env[train]": ["bench", "--train", "--seconds", "0.01"],
    "training needs more than playing": ["train", "--out", "run"],
    "the page needs more packages": ["play", "--no-browser"],
    "pip install olb-env[play]": ["replay", "games.jsonl", "--no-browser"],
}


def test_a_base_install_records_measures_and_draws_and_names_what_the_rest_needs(tmp_path: Path) -> None:
    (tmp_path / "board.toml").write_text('coins = ["X", 9, 9, 9, 9, 9]\n')
    lines = [*WORKING, *LACKING.values(), RATED]
    process = subprocess.run(
        [sys.executable, "-c", RUN_ALL, json.dumps(OPTIONAL), json.dumps(lines)],
        capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    result: dict[str, Any] = json.loads(process.stdout)
    assert result["imported"] == []
    for words, (code, _, err) in zip(WORKING, result["done"], strict=False):
        assert code == 0, (words, err)
    _, *rated = result["done"].pop()
    assert "atings need choix: pip install olb-env[train]" in "".join(rated)
    for (message, words), (code, out, err) in zip(LACKING.items(), result["done"][len(WORKING) :], strict=True):
        assert (code, out) == (2, ""), (words, err)
        assert message in err
        check_one_line(words, err)
    assert (tmp_path / "games.jsonl").read_text().count("\n") == 2
    assert json.loads((tmp_path / "bench.json").read_text())["decisions_per_second"][0]["sb3_vec_env"] is None
    assert (tmp_path / "board.svg").exists()
    assert not (tmp_path / "run").exists()
