"""Files of a run that are damaged, or are not what they should be: refused in one line, left out, or written again."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from olb_agents.network import load_network
from olb_env.commands.olb import main
from olb_training.ppo.checkpoint import CHECKPOINTS, list_checkpoints, write_checkpoint
from olb_training.ppo.curve import draw_curve
from olb_training.ppo.metrics import read_metrics
from olb_training.ppo.run import Run
from tests.agents.test_networks import Bomb
from tests.support.small_runs import network_bytes


def test_pieces_of_files_are_refused(
    ended_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], trials: Callable[[int, int], int]
) -> None:
    """Bytes are changed, cut off and added, without a new digest."""
    rng, folder = random.Random(5), shutil.copytree(ended_run, tmp_path / "run")
    file = list_checkpoints(folder / CHECKPOINTS)[-1]
    for other in list_checkpoints(folder / CHECKPOINTS)[:-1]:
        other.unlink()
    whole = file.read_bytes()
    for _ in range(trials(40, 3000)):
        spoilt_bytes = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            kind, place = rng.randrange(4), int(len(spoilt_bytes) * rng.random() ** 4)
            if kind == 0:
                del spoilt_bytes[place:]
            elif kind == 1:
                spoilt_bytes[place:place] = rng.randbytes(rng.choice([1, 8, 1000]))
            else:
                spoilt_bytes[place : place + 1] = rng.randbytes(1)
        if bytes(spoilt_bytes) == whole:
            continue
        file.write_bytes(bytes(spoilt_bytes))
        assert main(["train", "--resume", str(folder)]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "start a new run" in error


DAMAGED = (
    b"", b"\xff\xfe", b"[" * 100_000, b"null", b'"x"', b"{", b'{"game": 5, "algo": []}', b"3" * 5000,
    b'{"iteration": "x"}\n[]\n{"iteration": 1e400}\nnull\n',
)  # fmt: skip


@pytest.mark.parametrize("name", ["network.json", "network.safetensors", "metrics.jsonl"])
def test_damaged_files_beside_the_checkpoint_are_written_again(name: str, run_copy: Path, tmp_path: Path) -> None:
    trace, expected = tmp_path / "trace", network_bytes(run_copy)
    for content in (*DAMAGED, pickle.dumps(Bomb(trace))):
        (run_copy / name).write_bytes(content)
        run = Run.resume(run_copy)
        run.close()
        draw_curve(run_copy)
        assert network_bytes(run_copy) == expected
        assert load_network(run_copy / "network.safetensors").about["stages"]
    assert not trace.exists()


def test_damaged_settings_are_refused_in_one_line(
    run_copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "trace"
    for content in (*DAMAGED, pickle.dumps(Bomb(trace)), b" " * 5_000_000):
        (run_copy / "settings.json").write_bytes(content)
        assert main(["train", "--game", "pebbles", "--resume", str(run_copy)]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "settings of a run" in error or "is not JSON" in error or "is a run of 5" in error
    assert not trace.exists()


def test_special_files_are_refused_instead_of_waiting_for_ever(
    run_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run_copy / "settings.json").unlink()
    os.mkfifo(run_copy / "settings.json")
    assert main(["train", "--resume", str(run_copy)]) == 2
    assert "does not hold the settings of a run" in capsys.readouterr().err
    (run_copy / "settings.json").unlink()
    os.mkfifo(run_copy / CHECKPOINTS / "000999.safetensors")
    (run_copy / CHECKPOINTS / "001000.safetensors").mkdir()
    assert main(["train", "--resume", str(run_copy)]) == 0


def entry(iteration: Any, **more: Any) -> bytes:
    whole = {"iteration": iteration, "timesteps": 1, "seconds": 1.0, "entropy": 0.1, "explained_variance": 0, **more}
    return json.dumps(whole).encode() + b"\n"


def damaged_lines() -> Iterator[bytes]:
    yield from (b"{}\n", b"[]\n", b"null\n", b"\xff\n", b'{"iteration": 2\n', b"[" * 10_000 + b"\n", b"\n")
    yield from (entry("2"), entry(2.5), entry(None), entry(True), entry(-5), entry(10**400), entry([]))
    yield from (entry(2, seconds="1"), entry(2, entropy=None), entry(2, win_rates=[]))
    yield from (entry(2, win_rates={"a": 1}), entry(2, win_rates={"a": {"value": 1}}))


def test_damaged_lines_of_metrics_are_left_out_and_the_others_kept(run_copy: Path) -> None:
    file = run_copy / "metrics.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    rate = {"value": 0.5, "low": 0.4, "high": 0.6}
    whole = lines[:3]
    file.write_bytes(b"".join([whole[0], *damaged_lines(), *whole[1:], entry(4, win_rates={"$x$_2p": rate})]))
    draw_curve(run_copy)  # with a name that would be a formula
    assert [line["iteration"] for line in read_metrics(run_copy)] == [1, 2, 3, 4]
    Run.resume(list_checkpoints(run_copy / CHECKPOINTS)[0])
    assert [line["iteration"] for line in read_metrics(run_copy)] == [1, 2]
    assert file.read_bytes() == b"".join(whole[:2])


def test_checkpoints_after_a_million_iterations_are_the_newest(tmp_path: Path) -> None:
    for iteration in (999_998, 999_999, 1_000_000, 1_000_001):
        write_checkpoint(tmp_path, iteration, {}, {})
    (tmp_path / "12ab.safetensors").touch()
    assert [file.stem for file in list_checkpoints(tmp_path)] == ["999999", "1000000", "1000001"]
