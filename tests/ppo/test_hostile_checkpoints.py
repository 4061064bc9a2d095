"""Checkpoints that somebody spoilt on purpose: refused in one line, or a run like any other.

The digest is always right. Whoever can write a file can compute it.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from olb_env.commands.olb import main
from olb_env.envs.step_kernels import TABLE
from olb_training.ppo.checkpoint import CHECKPOINTS, Arrays, list_checkpoints, read_checkpoint, write_checkpoint
from olb_training.ppo.run import DivergedError, Run
from tests.support.small_runs import SHORT, TWO_WORKERS, quiet
from tests.support.toy_game import STATE

Content = tuple[Arrays, dict[str, Any]]
ITERATION = 4
OTHER_DTYPES = ("float32", "float64", "int64", "int32", "uint8", "bool", "float16", "uint64")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """A checkpoint in the middle of a run, with past selves and opponents at the tables."""
    folder = tmp_path_factory.mktemp("middle") / "run"
    settings = replace(SHORT, self_play_fraction=0.4, past_self_fraction=0.3, total_timesteps=3000, eval_interval=1000)
    run = Run.begin(folder, settings)
    for _ in range(ITERATION):
        run.train(quiet, limit=0.0)
    run.close()
    return read_checkpoint(list_checkpoints(folder / CHECKPOINTS)[-1])


def resume(folder: Path, arrays: Arrays, about: Any, iteration: int = ITERATION) -> Run:
    shutil.rmtree(folder, ignore_errors=True)
    write_checkpoint(folder / CHECKPOINTS, iteration, arrays, about)
    return Run.resume(folder)


def check_that_it_goes_on(folder: Path, arrays: Arrays, about: Any) -> bool:
    """Return whether a run goes on from a checkpoint; if not, it must be refused in one line."""
    try:
        run = resume(folder, arrays, about)
    except ValueError as error:
        message = str(error)
    else:
        try:
            run.train(quiet, limit=0.0)
        except DivergedError as error:
            message = str(error)
        else:
            assert run.learner.iteration == ITERATION + 1
            return True
        finally:
            run.close()
    assert "\n" not in message
    assert 0 < len(message) < 900
    return False


def test_the_checkpoint_that_is_spoilt_is_good(content: Content, tmp_path: Path) -> None:
    arrays, about = content
    seating = arrays["tables.0.seating"]
    assert len(np.unique(seating)) > 3
    assert check_that_it_goes_on(tmp_path / "run", arrays, about)


def changed(arrays: Arrays, name: str, change: Callable[[Any], Any]) -> Arrays:
    return {**arrays, name: change(arrays[name].copy())}


def put(index: Any, value: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array[index] = value
        return array

    return change


def put_in_table(field: str, value: int) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        tables = np.frombuffer(bytearray(array.tobytes()), TABLE)
        tables[field][1] = value
        return np.frombuffer(tables.tobytes(), np.uint8)

    return change


def put_in_state(field: str, value: int) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        states = np.frombuffer(bytearray(array.tobytes()), STATE)
        states[field][2] = value
        return np.frombuffer(states.tobytes(), np.uint8)

    return change


def rng_of(**changes: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        state = {**json.loads(array.tobytes()), **changes}
        return np.frombuffer(json.dumps(state).encode(), np.uint8)

    return change


TABLES = "tables.0.0.tables"
STATES = "tables.0.0.states"
RNG = "tables.0.rng_state"


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("iteration", put(0, -1), "iteration is -1"),
        ("iteration", put(0, 2**62), "iteration is 4611686018427387904"),
        ("iteration", put(0, 3), "timesteps is 800: expected 600"),
        ("iteration", lambda part: part.astype(float), r"iteration is float64 \[1\]: expected int64"),
        ("timesteps", put(0, 801), "timesteps is 801: expected 800"),
        ("model.head.bias", put(0, np.nan), "numbers that are not finite"),
        ("model.head.bias", lambda part: part[:-1], "head.bias is float32"),
        ("model.linear.0.weight", lambda part: part.T, r"expected float32 \[16, 5\]"),
        ("optimizer.0.exp_avg", lambda part: part.T, "optimizer|exp_avg is float32"),
        ("optimizer.0.exp_avg_sq", lambda part: -1 - part, "means of squares that are negative"),
        ("optimizer.0.step", put(0, 1e6), "the optimizer has taken"),
        ("optimizer.0.step", put(0, 0.5), "the optimizer has taken 0.5 steps"),
        ("opponent_pool.utilities", put(1, 7.0), "utilities are beyond those of any game"),
        ("opponent_pool.utilities", put(1, np.inf), "not finite"),
        ("opponent_pool.num_snapshots", put(0, 10**9), "num_snapshots is 1000000000: expected 3"),
        ("opponent_pool.past_selves.0.head.bias", lambda part: part.astype("f8"), "expected float32"),
        ("tables.0.seating", put((0, 0), 99), "seating of table 0 is"),
        ("tables.0.seating", put((0, 0), -1), "seating of table 0 is"),
        ("tables.0.seating", put(3, [1, 2, 0]), "seating of table 3 is"),
        ("tables.0.seating", put(2, [1, 1, 0]), "seating of table 2 is"),
        ("tables.0.seating", put((1, 2), 1), "seating of table 1 is"),
        ("tables.0.seating", lambda part: part[:3], r"expected int64 \[20, 3\]"),
        (RNG, rng_of(bit_generator="MT19937"), "expected the state of a generator"),
        (RNG, rng_of(state={"state": 2**128, "inc": 1}), "expected the state of a generator"),
        (RNG, rng_of(state={"state": 1, "inc": 2}), "expected the state of a generator"),
        (RNG, rng_of(uinteger=-1), "expected the state of a generator"),
        (RNG, rng_of(state=[]), "expected the state of a generator"),
        (RNG, lambda part: part[:40], "rng_state is not JSON"),
        (RNG, lambda _: np.full(900, ord("["), np.uint8), "rng_state is not JSON"),
        (RNG, lambda part: np.resize(part, 10**6), "expected bytes of JSON"),
        (STATES, put_in_state("taken", 100), "state 2 is impossible"),
        (STATES, put_in_state("actor", 2), "state 2 is impossible"),
        (STATES, put_in_state("players", 3), "impossible"),
        (STATES, lambda part: part[:-1], "states is uint8"),
        (TABLES, put_in_table("decisions", 2**62), "other numbers of decisions or games"),
        (TABLES, put_in_table("games_dealt", 2**62), "other numbers of decisions or games"),
        (TABLES, put_in_table("games_dealt", -1), "table 1 is impossible"),
        (TABLES, put_in_table("learner", 3), "table 1 is impossible"),
        (TABLES, put_in_table("waiting_for", 1), "table 1 is impossible"),
        (TABLES, put_in_table("base_seed", 2**60), "table 1 is impossible"),
    ],
)
def test_arrays_that_no_run_has_are_refused(
    name: str, change: Callable[[Any], Any], message: str, content: Content, tmp_path: Path
) -> None:
    arrays, about = content
    with pytest.raises(ValueError, match=rf"000004\.safetensors is not a checkpoint of a run: .*({message})"):
        resume(tmp_path / "run", changed(arrays, name, change), about)


def test_arrays_that_are_missing_or_do_not_belong_are_refused(content: Content, tmp_path: Path) -> None:
    arrays, about = content
    for name in arrays:
        with pytest.raises(ValueError, match=r"is not a checkpoint of a run: .*(is missing|other|expected)"):
            resume(tmp_path / "run", {other: part for other, part in arrays.items() if other != name}, about)
    for name in (
        "x" * 5000, "model.more", "optimizer.99.step", "optimizer.x.step", "opponent_pool.past_selves.9.head.bias",
        "tables.0.9.states", "tables.1.seating", "tables.0.", "iteration2",
    ):  # fmt: skip
        with pytest.raises(ValueError, match="does not belong to this run") as caught:
            resume(tmp_path / "run", {**arrays, name: np.zeros(3, np.float32)}, about)
        assert len(str(caught.value)) < 600


def test_the_name_of_a_checkpoint_is_its_iteration(content: Content, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="iteration is 4, unlike its name"):
        resume(tmp_path / "run", *content, iteration=9)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("settings", None, "settings are None"),
        ("settings", {"game": 3}, "have different settings"),
        ("settings", {**asdict(SHORT), "pool_size": 10**12}, "pool_size is 1000000000000: expected"),
        ("settings", {**asdict(SHORT), "options": {"coins": 10**9}}, "options are .*coins"),
        ("settings", {**asdict(SHORT), "hidden_sizes": [32, 16]}, "other inputs or actions"),
        ("settings", {**asdict(SHORT), "workers": 2}, "missing|does not belong|expected"),
        ("settings", {**asdict(SHORT), "opponents": ["nobody"] * 2}, "unknown agent 'nobody'"),
        ("settings", {**asdict(SHORT), "pool_size": 1000, "hidden_sizes": [8192] * 16}, "other inputs|memory"),
        ("shape", {}, "other inputs or actions"),
        ("seconds", -1, "seconds is -1"),
        ("seconds", "1", "seconds is '1'"),
        ("seconds", 1e300, "seconds is 1e"),
        ("earlier_stages", [1], r"earlier_stages is \[1\]"),
        ("earlier_stages", "long" * 1000, "earlier_stages is 'long"),
        ("win_rates", [], r"win_rates is \[\]"),
        ("win_rates", {"a": {"value": 1}}, "win_rates have"),
        ("win_rates", {"a": {"value": "1", "low": 0, "high": 1}}, "win_rates is '1'"),
        ("win_rates", {"a": {"value": 1, "low": 0, "high": 1, "more": 2}}, "win_rates have"),
        ("more", 1, "it has"),
    ],
)
def test_notes_that_no_run_has_are_refused(
    key: str, value: Any, message: str, content: Content, tmp_path: Path
) -> None:
    arrays, about = content
    with pytest.raises(ValueError, match=message) as caught:
        resume(tmp_path / "run", arrays, {**about, key: value})
    assert len(str(caught.value)) < 900


@pytest.mark.compiled
def test_what_belongs_to_another_process_is_checked_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run.begin(tmp_path / "run", TWO_WORKERS)
    run.train(quiet, limit=0.0)
    run.close()
    arrays, about = read_checkpoint(list_checkpoints(tmp_path / "run" / CHECKPOINTS)[-1])
    write_checkpoint(tmp_path / "run" / CHECKPOINTS, 1, changed(arrays, "tables.1.seating", put((0, 0), 99)), about)
    assert main(["train", "--resume", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert "000001.safetensors is not a checkpoint of a run: tables of process 1: seating of table 0 is [99" in error
    assert error.count("\n") == 1


def test_a_refused_checkpoint_changes_nothing_in_the_folder(run_copy: Path) -> None:
    *_, older, newest = list_checkpoints(run_copy / CHECKPOINTS)
    arrays, about = read_checkpoint(older)
    number = int(older.stem)
    write_checkpoint(run_copy / CHECKPOINTS, number, changed(arrays, "tables.0.seating", put((0, 0), 99)), about)
    before = {file: file.read_bytes() for file in run_copy.rglob("*") if file.is_file()}
    with pytest.raises(ValueError, match="seating"):
        Run.resume(older)
    assert {file: file.read_bytes() for file in run_copy.rglob("*") if file.is_file()} == before
    assert newest.exists()
    assert Run.resume(run_copy).learner.iteration == int(newest.stem)


def spoilt(content: Content, rng: random.Random) -> Content:
    """Return a checkpoint that is changed in one to three places."""
    arrays, about = dict(content[0]), copy.deepcopy(content[1])
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.75:
            _spoil_arrays(arrays, rng)
        else:
            _spoil_notes(about, rng)
    return arrays, about


def _spoil_arrays(arrays: Arrays, rng: random.Random) -> None:
    name = rng.choice(sorted(arrays))
    array = arrays[name].copy()
    kind = rng.randrange(9)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[rng.choice([name + "x", name[1:], "x" + name, name.replace("0", "1")])] = array
    elif kind == 2:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(rng.choice(OTHER_DTYPES))
    elif kind == 3:
        arrays[name] = array.reshape(-1)[: rng.randrange(array.size + 1)]
    elif kind == 4:
        other = arrays[rng.choice(sorted(arrays))]
        arrays[name] = other.copy()
    elif kind == 5:
        arrays[name] = array[None] if rng.random() < 0.5 else np.concatenate([array, array])
    elif array.dtype.kind == "f":
        array.flat[rng.randrange(array.size)] = rng.choice([0, -1, 1, 1e3, -1e3, 1e38, -1e38, np.nan, np.inf, 1e-40])
        arrays[name] = array
    else:
        low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
        index = rng.randrange(array.size)
        near = min(max(int(array.flat[index]) + rng.choice([-1, 1]), low), high)
        array.flat[index] = rng.choice([0, 1, low, high, near, near, rng.randint(low, high)])
        arrays[name] = array


def _spoil_notes(about: dict[str, Any], rng: random.Random) -> None:
    values: list[Any] = [None, -1, 0, 1, 3, 10**30, 1e300, "x", "random", [], [0], {}, {"a": {}}, True, [[]], 0.5]
    target = about
    while rng.random() < 0.6:
        inside = [value for value in target.values() if isinstance(value, dict) and value]
        if not inside:
            break
        target = rng.choice(inside)
    key = rng.choice([*target, "new"])
    if rng.random() < 0.2:
        target.pop(key, None)
    else:
        target[key] = rng.choice(values)


@pytest.mark.compiled
def test_any_spoilt_checkpoint_is_refused_or_goes_on(
    content: Content, tmp_path: Path, trials: Callable[[int, int], int]
) -> None:
    rng, count = random.Random(11), trials(60, 2500)
    went_on = sum(check_that_it_goes_on(tmp_path / "run", *spoilt(content, rng)) for _ in range(count))
    assert 0 < went_on < count / 2
