"""Tests that need fresh processes: determinism, what is compiled again, and the cost of imports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from olb_env.core import cache_folders
from tests.support.paths import TESTS, python_path

pytestmark = pytest.mark.compiled

PLAY = """
    import hashlib, json
    from olb_env.old_london_bridge import GAME
    from olb_env.playing import play_game
    for players in (2, 3, 4):
        setup = GAME.rules.configure(num_players=players, scoring="random")
        record = play_game(GAME, setup, 77, ["random"] * players, legal=True)
        print(players, hashlib.sha256(json.dumps(record).encode()).hexdigest())
"""


def run(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh process, with some environment variables set."""
    environment = {**os.environ, "PYTHONPATH": python_path(), **variables}
    words = [sys.executable, "-W", "error", "-c", textwrap.dedent(program)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True, timeout=600)


@pytest.mark.compiled
def test_games_are_the_same_in_every_process_compiled_or_not() -> None:
    first = run(PLAY, PYTHONHASHSEED="1").stdout
    assert run(PLAY, PYTHONHASHSEED="2").stdout == first
    assert run(PLAY, NUMBA_DISABLE_JIT="1").stdout == first
    assert len(first.splitlines()) == 3


@pytest.mark.compiled
def test_import_and_first_step_take_little_longer_than_importing_numba_and_pettingzoo() -> None:
    """numba counts as imported when it can call compiled code, since it loads half of its modules only then."""
    ready = """
        import numba, pettingzoo
        from numba.core.registry import cpu_target
        cpu_target.target_context.refresh()
    """
    step = """
        from olb_env import old_london_bridge_v0
        env = old_london_bridge_v0.env()
        env.reset(seed=1)
        env.last()
        env.step(1)
    """
    run(step)

    def seconds(program: str) -> float:
        began = time.perf_counter()
        run(program)
        return time.perf_counter() - began

    times = [(seconds(step), seconds(ready)) for _ in range(4)]  # alternating, so that a busy machine slows down both
    assert min(ours for ours, _ in times) < 1.75 * min(theirs for _, theirs in times)


def test_importing_the_package_imports_no_optional_dependency() -> None:
    program = """
        import sys
        import olb_env, olb_env.old_london_bridge_v0, olb_env.playing
        heavy = {"torch", "stable_baselines3", "sb3_contrib", "ray", "pygame", "rich"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert run(program).stdout.strip() == "[]"


@pytest.mark.compiled
def test_compiling_is_announced_and_its_result_is_kept_on_disk(tmp_path: Path) -> None:
    program = """
        from olb_env.core import batch, compile_events
        compile_events.QUIET_SECONDS = 0.02
        from tests.support.toy_game import PEBBLES
        import numpy as np
        states = PEBBLES.new_states(2)
        batch.deal_rows(states, PEBBLES.rules.configure(), np.arange(2))
    """
    first = run(program, NUMBA_CACHE_DIR=str(tmp_path)).stderr.splitlines()
    assert first[0] == "olb_env: compiling the rules for this machine (only once) ..."
    assert first[1].startswith("olb_env: compiled in ")
    assert str(tmp_path) in first[1]
    assert run(program, NUMBA_CACHE_DIR=str(tmp_path)).stderr == ""


@pytest.mark.compiled
def test_a_changed_game_is_compiled_again(tmp_path: Path) -> None:
    """Both where a kernel takes states as they are, and where it takes them inside a named tuple."""
    source = (TESTS / "support" / "toy_game.py").read_text(encoding="utf-8")
    program = """
        import numpy as np
        from olb_env.core import batch
        from olb_env.envs.selfplay import SelfPlay
        from changing_game import PEBBLES
        states = PEBBLES.new_states(1)
        batch.deal_rows(states, PEBBLES.rules.configure(), np.arange(1))
        print(states["actor"][0], SelfPlay("pebbles", 1).reset(seed=1).seats[0])
    """
    variables = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": f"{tmp_path}{os.pathsep}{python_path()}"}
    game = tmp_path / "changing_game.py"
    game.write_text(source, encoding="utf-8")
    assert run(program, **variables).stdout.split() == ["0", "0"]
    game.write_text(source.replace("game.actor = 0", "game.actor = 1"), encoding="utf-8")
    assert run(program, **variables).stdout.split() == ["1", "1"]


def test_folders_left_out_of_the_hash_compile_nothing() -> None:
    for folder in cache_folders.INTERPRETED:
        files = list((cache_folders.PACKAGE / folder).glob("*.py"))
        assert files
        for file in files:
            assert not re.search(r"core\.compiling|^@(jitable|kernel)", file.read_text("utf-8"), re.MULTILINE), file
