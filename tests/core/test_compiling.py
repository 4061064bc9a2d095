"""The patched compilation of kernels: it makes fast code at once, and leaves functions of other packages intact."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import python_path

pytestmark = pytest.mark.compiled


# The processor time of decisions by Portobello Market's planner, whose kernel calls many functions without inlining.
PLANNER = """
import json, time
import numpy as np
import olb_agents
from olb_agents.scripted import decide_rows
from olb_agents.heuristics import default_style_weights
from olb_agents.scratch import new_scratch
from olb_env.core import batch
from olb_env.portobello_market import GAME

states = GAME.new_states(60)
batch.deal_rows(states, GAME.rules.configure(num_players=4), np.arange(60))
seats, actions = np.zeros(60, np.int64), np.zeros(60, np.int64)
batch.actor_rows(states, seats)
taken = []
for _ in range(60):
    began = time.process_time()
    decide_rows(states, seats, default_style_weights(GAME.name), new_scratch(GAME), actions)
    taken.append(time.process_time() - began)
print(json.dumps([min(taken[1:]), taken[0], actions.tolist()]))
"""

# A jitable function calls one that was compiled by numba alone, and then Python calls that one.
FOREIGN = """
import numba
import numpy as np
from olb_env.core.compiling import kernel, jitable

@numba.njit
def theirs(numbers):
    total = 0.0
    for number in numbers:
        total += np.sqrt(number)
    if total < 0:
        raise ValueError("less than nothing")
    return total

@jitable
def ours(numbers):
    return theirs(numbers) + np.sort(numbers)[0]

@kernel
def outermost(numbers):
    return ours(numbers)

numbers = np.array([1.0, 4.0, 9.0])
assert outermost(numbers) == 7.0
assert theirs(numbers) == 6.0
assert outermost(numbers[:2]) == 4.0
print("intact")
"""


def run(program: str, folder: Path) -> str:
    """Return the output of a program; it is written to a file, since numba caches only functions in files."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    variables = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": python_path()}
    done = subprocess.run([sys.executable, str(file)], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_new_machine_code_is_as_fast_as_cached_code_and_does_the_same(tmp_path: Path) -> None:
    """Only the first call takes much longer, since it compiles."""
    best, first, actions = json.loads(run(PLANNER, tmp_path))
    later = [json.loads(run(PLANNER, tmp_path)) for _ in range(2)]
    assert all(later_actions == actions for _, _, later_actions in later)
    assert best < 2 * max(best_later for best_later, _, _ in later)
    assert min(first_later for _, first_later, _ in later) < first / 3


def test_rules_and_python_can_both_call_a_function_compiled_by_numba_alone(tmp_path: Path) -> None:
    assert run(FOREIGN, tmp_path).strip() == "intact"
    assert run(FOREIGN, tmp_path).strip() == "intact"  # from the cache
