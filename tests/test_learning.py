"""Learning: every seat from its own end, leagues that send the hard ones, runs that go on as if never stopped."""

from __future__ import annotations

import contextlib
import itertools
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from olb_env.commands.olb import main
from olb_env.core import batch
from olb_env.playing import Views
from tests.conftest import INTERPRETED
from tests.toy_game import PEBBLES
from training.learning.advantages import look_back
from training.learning.checkpoint import CheckpointError, checkpoints, newest_good, read_checkpoint
from training.learning.collector import Collector
from training.learning.crew import Crew, CrewError
from training.learning.league import League, sample
from training.learning.learner import FIGURES, Learner
from training.learning.run import Run, win_rate
from training.learning.settings import Settings
from training.learning.tables import utilities

# Pebbles, for speed: two sizes of table, a league, checkpoints at odd moments.
SMALL = Settings(
    game=PEBBLES.name, decisions=3000, hidden=(16, 16), tables=(12, 8), steps=10, minibatch=64, past=3,
    snapshot_every=2, agents=("random", "tests.some_agents:First"), workers=1, checkpoint_every=2, evaluate_every=6,
)  # fmt: skip
TWO = replace(SMALL, workers=2)


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pebbles has no planner; evaluations are short."""
    monkeypatch.setattr("training.learning.run.JUDGES", ("random",))
    monkeypatch.setattr("training.learning.run.EVALUATION_DEALS", 4)


def quiet(*_: Any) -> None:
    """Tells nobody."""


@pytest.mark.parametrize("players", [2, 3, 4])
def test_utilities_sum_to_nothing_and_follow_the_ranks(players: int) -> None:
    orders = np.array(list(itertools.permutations(range(1, players + 1))))
    found = utilities(orders, -3.0 * orders, margin=0.2)
    assert np.abs(found.sum(axis=1)).max() < 0.2  # what the score adds is cut off, the rest sums to zero
    for row, order in zip(found, orders, strict=True):
        assert (np.diff(row[order.argsort()]) < 0).all()
    np.testing.assert_allclose(utilities(orders, -3.0 * orders, margin=0).sum(axis=1), 0, atol=1e-12)
    level = utilities(np.ones((1, players), np.int64), np.ones((1, players)), margin=0.3)
    np.testing.assert_allclose(level, 0, atol=1e-12)


def slow_look_back(seats: Any, learns: Any, over: Any, ends: Any, values: Any, after: Any, trust: float) -> Any:
    """The same for one table, decision by decision, looking ahead."""
    steps = len(seats)
    advantages, targets = np.zeros(steps), np.zeros((steps, after.shape[0]))
    for step in range(steps - 1, -1, -1):
        if not learns[step]:
            continue
        seat, factor, expected = seats[step], 1.0, values[step, 0]
        total, now = 0.0, step
        while True:  # along the seat's own decisions
            following = next(
                (t for t in range(now, steps) if over[t] or (t > now and seats[t] == seat and learns[t])), None
            )
            if following is None:
                total += factor * (after[seat] - values[now, 0])
                break
            if following == now or seats[following] != seat or not learns[following]:  # the game ended first
                total += factor * (ends[following, seat] - values[now, 0])
                break
            total += factor * (values[following, 0] - values[now, 0])
            factor *= trust
            now = following
        advantages[step] = total
        targets[step, 0] = expected + total
        end = next((ends[t] for t in range(step, steps) if over[t]), after)
        for on in range(1, after.shape[0]):
            targets[step, on] = end[(seat + on) % after.shape[0]]
    return advantages, targets


@pytest.mark.parametrize("players", [2, 3])
def test_looking_back_goes_along_the_decisions_of_each_seat(players: int) -> None:
    chance, steps, tables = np.random.default_rng(4), 40, 6
    seats = chance.integers(players, size=(steps, tables))
    learns, over = chance.random((steps, tables)) < 0.7, chance.random((steps, tables)) < 0.1
    ends, values = chance.normal(size=(2, steps, tables, players)).astype(np.float32)
    after = chance.normal(size=(tables, players)).astype(np.float32)
    advantages, targets = np.zeros((steps, tables), np.float32), np.zeros((steps, tables, players), np.float32)
    look_back(seats, learns, over, ends, values, after, np.full(tables, players), 0.9, advantages, targets)
    for row in range(tables):
        expected = slow_look_back(
            seats[:, row], learns[:, row], over[:, row], ends[:, row], values[:, row], after[row], 0.9
        )
        np.testing.assert_allclose(advantages[:, row], expected[0], atol=1e-5)
        np.testing.assert_allclose(targets[:, row], expected[1], atol=1e-5)


def test_actions_are_drawn_as_often_as_they_are_preferred() -> None:
    chances = np.array([0.5, 0.3, 0.2, 0.0])
    preferences = np.tile(np.log(np.maximum(chances, 1e-9)), (20_000, 1)).astype(np.float32)
    masks = np.tile([1, 1, 1, 0], (20_000, 1))
    preferences[:, 3] = 50  # much preferred, but not legal
    drawn = np.bincount(sample(preferences, masks, np.random.default_rng(2)), minlength=4) / 20_000
    np.testing.assert_allclose(drawn, chances, atol=0.015)


def test_harder_members_come_oftener() -> None:
    league, chance = League(2, 2, Learner(SMALL).shape), np.random.default_rng(1)
    for _ in range(20):  # the first is easily beaten
        league.note(np.array([7, 100, 100, 0, 0]), np.array([3, 90, -50, 0, 0]))
    drawn = np.array([league.draw(np.array([1, 2]), chance) for _ in range(1000)])
    assert (drawn == 2).mean() > 0.9
    assert (drawn == 1).any()


def test_the_oldest_self_makes_room() -> None:
    learner = Learner(SMALL)
    for _ in range(5):
        learner.league.add(learner.network())
    assert learner.league.taken == 6  # one is there from the first
    assert learner.league.past.tolist() == [3, 4, 5]


def test_it_learns() -> None:
    """Pebbles with a coin under each: whoever takes more wins. Better than chance after a little practice."""
    changed = {"decisions": 8000 if INTERPRETED else 40_000, "rate": 3e-3, "agents": ()}
    learner = Learner(Settings(**{**asdict(SMALL), **changed}))
    before = _utility(learner)
    while learner.done < 1:
        learner.iterate()
    assert _utility(learner) > before + 0.1


def _utility(learner: Learner) -> float:
    """How the learner does against chance, on average over many games."""
    chance, network = np.random.default_rng(8), learner.network()
    states = PEBBLES.new_states(200)
    batch.deal_rows(states, PEBBLES.configure(num_players=2, coins=12), np.arange(200))
    own, actors, done = np.arange(200) % 2, np.zeros(200, np.int64), np.zeros(200, np.bool_)
    for step in range(12):
        batch.actor_rows(states, actors)
        actions = np.zeros(200, np.int64)
        for preferring in (False, True):
            rows = np.flatnonzero((actors >= 0) & ((actors == own) == preferring))
            if len(rows):
                views = Views(PEBBLES, states, rows * 100 + step, rows)
                actions[rows] = sample(network(views.observations)[0] * preferring, views.masks, chance)
        batch.apply_rows(states, actions, done)
    ranks, scores = np.zeros((200, 2), np.int64), np.zeros((200, 2))
    batch.return_rows(states, ranks, scores)
    return float(utilities(ranks, scores, 0.0)[np.arange(200), own].mean())


def test_it_does_as_its_teacher_does() -> None:
    """Of one that always takes the first choice everything can be learned."""
    changed = {"teacher": "tests.some_agents:First", "taught": 100_000, "decisions": 100_000, "rate": 3e-3}
    learner = Learner(Settings(**{**asdict(SMALL), **changed}))
    for _ in range(8):
        learner.iterate()
    states = PEBBLES.new_states(50)
    batch.deal_rows(states, PEBBLES.configure(num_players=3), np.arange(50))
    views = Views(PEBBLES, states, range(50))
    assert (learner.network()(views.observations)[0].argmax(axis=1) == 0).all()


def finish(folder: Path) -> bytes:
    return (folder / "network.safetensors").read_bytes()


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_run_goes_on_exactly_as_if_never_stopped(workers: int, tmp_path: Path) -> None:
    settings = replace(SMALL, workers=workers)
    whole = Run.begin(tmp_path / "whole", settings)
    assert whole.train(quiet)
    parts = Run.begin(tmp_path / "parts", settings)
    for _ in range(100):
        if parts.train(quiet, limit=0.0):  # one iteration each time, kept
            break
        parts = Run.resume(tmp_path / "parts")
    assert finish(tmp_path / "parts") == finish(tmp_path / "whole")
    told = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()]
    again = [json.loads(line) for line in (tmp_path / "parts" / "metrics.jsonl").read_text().splitlines()]
    for entry in (*told, *again):
        del entry["seconds"]
    assert told == again
    assert [entry["iteration"] for entry in told] == list(range(1, 16))


@pytest.mark.compiled
def test_processes_that_learn_together_agree_and_learn_from_all_tables() -> None:
    """Each has its share of the tables; the networks of all are the same to the last bit."""
    crew = Crew(TWO)
    sizes = {name: len(part) for name, part in crew.save().items() if name.endswith("seating")}
    assert sizes == {"tables.0.seating": 10, "tables.1.seating": 10}
    for _ in range(3):
        report = crew.iterate()
    assert report.decisions == 3 * 10 * 20
    first, second = (one.weights["head.weight"] for one in crew.together("network"))
    assert (first == second).all()


@pytest.mark.compiled
@pytest.mark.parametrize("shares", [(10, 0), (3, 7)])
def test_gradients_of_all_count_by_their_decisions(shares: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """One process's decisions pull the weights up, the other's down, each as much as it has decisions."""

    def step(self: Learner) -> float:
        slope = -1.0 if self._number == 0 else 1.0
        slopes = [torch.full_like(part, slope) for part in self.model.parameters()]
        self.settings = replace(self.settings, gradient=1e9)
        lesson: Any = SimpleNamespace(gradient=lambda rows: (slopes, torch.zeros(FIGURES)))
        self._step(lesson, torch.arange(shares[self._number]))
        return float(next(self.model.parameters()).grad.mean())  # type: ignore[union-attr]

    monkeypatch.setattr(Learner, "one_step", step, raising=False)
    crew = Crew(TWO)
    expected = (shares[1] - shares[0]) / sum(shares)
    assert crew.together("one_step") == [pytest.approx(expected)] * 2


@pytest.mark.compiled
def test_a_process_that_dies_is_missed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(multiprocessing.active_children())
    run = Run.begin(tmp_path / "run", TWO)
    (other,) = set(multiprocessing.active_children()) - before
    collect = Collector.collect

    def killing(*arguments: Any, **named: Any) -> Any:
        time.sleep(0.5)  # the other one waits for what this one brings
        other.kill()
        return collect(*arguments, **named)

    monkeypatch.setattr(Collector, "collect", killing)
    with pytest.raises(CrewError, match="one of the processes that learn was killed"):
        run.train(quiet)
    assert read_checkpoint(checkpoints(tmp_path / "run" / "checkpoints")[-1])


KILLED = """
import sys
from pathlib import Path
import tests.toy_game
import training.learning.run as module
module.JUDGES, module.EVALUATION_DEALS = ("random",), 4
from tests.test_learning import TWO
folder = Path(sys.argv[1])
from training.learning.checkpoint import checkpoints
run = module.Run.resume(folder) if checkpoints(folder / "checkpoints") else module.Run.begin(folder, TWO)
print("begun", flush=True)
run.train(lambda *_: None)
"""


@pytest.mark.compiled
def test_a_run_that_is_killed_at_any_moment_ends_the_same(tmp_path: Path) -> None:
    whole = Run.begin(tmp_path / "whole", TWO)
    assert whole.train(quiet)
    folder, chance, killed = tmp_path / "killed", random.Random(5), 0
    for attempt in range(30):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        if attempt < 6:
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.4))
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=300)
        killed += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, err.decode()
    assert killed >= 2
    assert finish(folder) == finish(tmp_path / "whole")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    run = Run.begin(tmp_path / "run", SMALL)
    run.train(quiet)
    return tmp_path / "run"


def test_a_damaged_checkpoint_is_refused_and_an_older_one_offered(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, older, newest = checkpoints(kept / "checkpoints")
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1  # a single bit
    newest.write_bytes(content)
    assert main(["train", "--resume", str(kept)]) == 2
    said = capsys.readouterr().err
    assert "is damaged" in said
    assert f"go on from an older one with --resume {older}" in said
    assert newest_good(older)[0] == older


def test_a_wrong_digit_in_the_settings_is_damage(kept: Path) -> None:
    file = checkpoints(kept / "checkpoints")[-1]
    content = file.read_bytes()
    changed = content.replace(b'\\"seed\\": 1,', b'\\"seed\\": 2,')
    assert changed != content
    file.write_bytes(changed)
    with pytest.raises(CheckpointError, match="its digest differs"):
        read_checkpoint(file)


def test_settings_that_are_not_known_any_more_are_refused() -> None:
    told = json.loads(json.dumps(asdict(SMALL)))
    assert Settings.read(told) == SMALL
    with pytest.raises(ValueError, match=r"other settings than there are now \(old, rate\): begin anew"):
        Settings.read({**{name: value for name, value in told.items() if name != "rate"}, "old": 3})


def test_a_line_of_metrics_that_was_torn_is_cut_off(kept: Path) -> None:
    file = kept / "metrics.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:9]) + lines[9][:20])
    Run.resume(kept)
    assert file.read_bytes() == b"".join(lines[:9])


@pytest.mark.parametrize("content", [b"", b"roses are red", b"\x80\x04N."])
def test_what_is_no_checkpoint_is_refused(content: bytes, kept: Path) -> None:
    file = checkpoints(kept / "checkpoints")[-1]
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged, or no checkpoint"):
        read_checkpoint(file)


def test_a_network_is_no_checkpoint(kept: Path) -> None:
    with pytest.raises(CheckpointError, match="is no checkpoint of olb train"):
        read_checkpoint(kept / "network.safetensors")


def test_a_full_disk_leaves_the_last_checkpoint(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {file: file.read_bytes() for file in checkpoints(kept / "checkpoints")}
    run = Run.resume(kept)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run.keep()
    assert {file: file.read_bytes() for file in checkpoints(kept / "checkpoints")} == before


FULL = """
import resource, sys
import tests.toy_game
import training.learning.run as module
module.JUDGES, module.EVALUATION_DEALS = ("random",), 4
from olb_env.commands.olb import main
write = module.write_checkpoint
def filling(folder, iteration, *more):
    if iteration:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # as if the disk were full: writes end in the middle
    return write(folder, iteration, *more)
module.write_checkpoint = filling
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.compiled
def test_a_disk_that_becomes_full_is_said_in_a_line_and_the_run_goes_on_later(tmp_path: Path) -> None:
    words = ["train", "--game", "pebbles", "--out", str(tmp_path / "run"), "--decisions", "3000", "--tables", "12", "8",
             "--hidden", "16", "--steps", "10", "--workers", "1", "--agents", "random", "--options", "--teacher", "",
             "--taught", "0", "--checkpoint-every", "2"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", FULL, *words], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert f"olb train --resume {tmp_path / 'run'} goes on from the last checkpoint" in done.stderr
    assert not list((tmp_path / "run" / "checkpoints").glob("*.part"))
    assert Run.resume(tmp_path / "run").learner.iteration == 0


def test_the_network_of_a_run_that_ended_is_there_whenever_it_was_killed(kept: Path) -> None:
    file = kept / "network.safetensors"
    whole = file.read_bytes()
    file.unlink()
    Run.resume(kept)
    assert file.read_bytes() == whole


def test_who_goes_on_from_an_older_checkpoint_does_not_come_back_to_newer_ones(kept: Path) -> None:
    *_, older, newest = checkpoints(kept / "checkpoints")
    assert Run.resume(older).learner.iteration == int(older.stem)
    assert not newest.exists()
    assert Run.resume(kept).learner.iteration == int(older.stem)
    moved = kept / older.name
    older.replace(moved)
    with pytest.raises(CheckpointError, match="does not lie in the checkpoints of a run"):
        Run.resume(moved)


def test_a_network_of_other_inputs_cannot_be_gone_on_with(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.learning.run._told", lambda shape: {"observation": -1})
    with pytest.raises(CheckpointError, match="has changed since: begin anew"):
        Run.resume(kept)


def test_training_is_measured_beside_single_environments(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {"tables": (4, 2, 2), "steps": 3, "minibatch": 16, "hidden": (8,), "workers": 1, "agents": ("random",)}
    monkeypatch.setattr("training.learning.measuring.PRESETS", {"quick": small})
    assert main(["bench", "--train", "--seconds", "0.01", "--json", "-"]) == 0
    figures = json.loads(capsys.readouterr().out)["decisions_per_second"]
    assert len(figures) == 4
    assert min(figures.values()) > 0


def test_win_rates_come_with_intervals() -> None:
    rate = win_rate(PEBBLES.name, "tests.some_agents:First", "random", 2, 6)
    assert rate.low <= rate.value <= rate.high


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "say where"),
        (("--out", "x", "--resume", "y"), "say where"),
        (("--out", "x", "--tables", "1", "2", "3", "4"), "expected how many of 2, 3, 4 players each"),
        (("--out", "x", "--hidden", "0"), "expected one width or more"),
        (("--out", "x", "--agents", "nobody"), "unknown agent 'nobody'"),
        (("--out", "x", "--start", "nowhere.safetensors"), "cannot read"),
        (("--out", "x", "--self-share", "2"), "expected at most 1 together"),
        (("--out", "x", "--minutes", "0"), "--minutes is 0"),
        (("--out", "x", "--rate", "nan"), "rate is nan: expected a number from 0 on"),
        (("--out", "x", "--seed", "-1"), "seed is -1"),
        (("--out", "x", "--hidden", "9999"), "each at most 8192"),
        (("--out", "x", "--options", "num_players=3"), "option 'num_players=3': expected NAME=VALUE"),
        (("--out", "x", "--workers", "1", "--agents", "policy:nowhere.safetensors"), "cannot read"),
        (("--out", "x", "--algo", "sb3", "--minutes", "3"), "no --minutes"),
        (("--out", "x", "--algo", "sb3", "--taught", "3"), "--taught is not for --algo sb3"),
        (("--out", "x", "--algo", "sb3", "--self-share", "0.5"), "--self-share is not for --algo sb3"),
        (("--out", "x", "--trust", "2"), "trust is 2.0: expected at most 1"),
        (("--out", "x", "--exploit", "planner", "--agents", "greedy"), "leave out --agents"),
        (("--out", "x", "--insight", "2"), "insight is 2: expected 0 or 1"),
        (("--out", "x", "--teacher", "", "--taught", "9"), "taught without a teacher"),
        (("--out", "x", "--players", "2"), "--players is for --algo sb3 and --exploit"),
        (("--out", "x", "--algo", "sb3", "--preset", "quick"), "has no --preset"),
        (("--resume", "nowhere"), "holds no checkpoints"),
        (("--resume", "nowhere", "--seed", "3"), "leave out all settings"),
    ],
)
def test_what_cannot_be_trained_is_said_in_a_line(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", *words]) == 2
    assert message in capsys.readouterr().err
