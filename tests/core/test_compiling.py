"""Compiling on behalf of kernels: what comes of it is as fast at once as later, and others' functions stay whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.compiled


# How long the planner of Portobello Market thinks: its kernel calls many functions that are not put into it.
THINKING = """
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
for _ in range(8):
    began = time.perf_counter()
    decide_rows(states, seats, default_style_weights(GAME.name), new_scratch(GAME), actions)
    taken.append(time.perf_counter() - began)
print(json.dumps([min(taken[1:]), taken[0], actions.tolist()]))
"""

# A function that somebody compiled with numba alone is called by a rule first, and then from Python.
OF_OTHERS = """
import numba
import numpy as np
from olb_env.core.compiling import kernel, rule

@numba.njit
def theirs(numbers):
    total = 0.0
    for number in numbers:
        total += np.sqrt(number)
    if total < 0:
        raise ValueError("less than nothing")
    return total

@rule
def ours(numbers):
    return theirs(numbers) + np.sort(numbers)[0]

@kernel
def outermost(numbers):
    return ours(numbers)

numbers = np.array([1.0, 4.0, 9.0])
assert outermost(numbers) == 7.0
assert theirs(numbers) == 6.0
assert outermost(numbers[:2]) == 4.0
print("whole")
"""


def run(program: str, folder: Path) -> str:
    """What a program prints; machine code of its own functions is kept only if they stand in a file."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    told = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(file)], env=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_was_just_compiled_is_as_fast_as_what_is_read_from_disk(tmp_path: Path) -> None:
    """And answers the same; the second time it is there much sooner."""
    best, first, answers = json.loads(run(THINKING, tmp_path))
    later = [json.loads(run(THINKING, tmp_path)) for _ in range(2)]
    assert all(same == answers for _, _, same in later)
    assert best < 1.8 * max(best_later for best_later, _, _ in later)
    assert min(first_later for _, first_later, _ in later) < first / 3


def test_functions_of_others_can_be_called_by_rules_and_from_python(tmp_path: Path) -> None:
    assert run(OF_OTHERS, tmp_path).strip() == "whole"
    assert run(OF_OTHERS, tmp_path).strip() == "whole"  # read from disk
