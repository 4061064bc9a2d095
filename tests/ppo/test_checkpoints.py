"""Checkpoints: a damaged one is refused, and the error says how to go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from olb_env.commands.olb import main
from olb_training.ppo.checkpoint import (
    CHECKPOINTS,
    CheckpointError,
    find_checkpoint,
    list_checkpoints,
    read_checkpoint,
    write_checkpoint,
)
from olb_training.ppo.run import Run


def flip_a_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def test_a_damaged_checkpoint_is_refused_and_an_older_one_named(
    run_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, older, newest = list_checkpoints(run_copy / CHECKPOINTS)
    flip_a_bit(newest)
    assert main(["train", "--resume", str(run_copy)]) == 2
    error = capsys.readouterr().err
    assert "is damaged" in error
    assert f"resume from an older one with --resume {older}" in error
    assert find_checkpoint(older)[0] == older


def test_if_every_checkpoint_is_damaged_a_new_run_is_advised(run_copy: Path) -> None:
    for file in list_checkpoints(run_copy / CHECKPOINTS):
        flip_a_bit(file)
    with pytest.raises(CheckpointError, match="there is no older good one, so start a new run"):
        find_checkpoint(run_copy)


def test_the_newest_three_are_kept(run_copy: Path) -> None:
    assert [file.stem for file in list_checkpoints(run_copy / CHECKPOINTS)] == ["000002", "000004", "000005"]


def test_a_changed_digit_in_the_settings_is_damage(run_copy: Path) -> None:
    file = list_checkpoints(run_copy / CHECKPOINTS)[-1]
    content = file.read_bytes()
    changed = content.replace(b'\\"seed\\": 1,', b'\\"seed\\": 2,')
    assert changed != content
    file.write_bytes(changed)
    with pytest.raises(CheckpointError, match="its digest differs"):
        read_checkpoint(file)


@pytest.mark.parametrize("content", [b"", b"roses are red", b"\x80\x04N."])
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "000001.safetensors"
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged, or not a checkpoint"):
        read_checkpoint(file)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot read"):
        read_checkpoint(tmp_path / "000001.safetensors")


def test_a_network_is_not_a_checkpoint(run_copy: Path) -> None:
    with pytest.raises(CheckpointError, match=r"is not a checkpoint of this version of olb train .*, but unmarked"):
        read_checkpoint(run_copy / "network.safetensors")


@pytest.mark.parametrize("about", [[], {}, {"settings": []}, {"settings": {"game": 3}}])
def test_a_checkpoint_without_the_settings_of_a_run_is_refused(about: Any, tmp_path: Path) -> None:
    write_checkpoint(tmp_path / CHECKPOINTS, 99, {}, about)
    with pytest.raises(ValueError, match=r"not a checkpoint of a run|different settings"):
        Run.resume(tmp_path)


def test_a_checkpoint_outside_a_run_is_refused(run_copy: Path) -> None:
    file = list_checkpoints(run_copy / CHECKPOINTS)[-1]
    moved = run_copy / file.name
    file.replace(moved)
    with pytest.raises(CheckpointError, match="is not in the folder checkpoints of a run"):
        Run.resume(moved)
