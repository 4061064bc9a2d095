"""Folders that only the user can change: what is made so, and what is found to be otherwise."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from olb_env.core.private_folders import make_folder, objection


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_folders_are_closed_to_others_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_folder(tmp_path / "above" / "folder")
    finally:
        os.umask(before)
    assert mode(tmp_path / "above") == mode(tmp_path / "above" / "folder") == 0o700
    assert objection(tmp_path / "above" / "folder") == ""


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_folder(tmp_path)
    assert mode(tmp_path) == 0o755
    assert objection(tmp_path) == ""


@pytest.mark.parametrize("bits", [0o770, 0o702, 0o1777])
def test_a_folder_that_others_may_write_to_is_not_private(tmp_path: Path, bits: int) -> None:
    tmp_path.chmod(bits)
    assert objection(tmp_path) == f"others may write to {tmp_path}: close it with chmod go-w"


def test_a_folder_that_everybody_could_replace_is_not_private(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    make_folder(folder)
    tmp_path.chmod(0o777)
    assert objection(folder) == f"others may write to {tmp_path}: close it with chmod o-w"
    tmp_path.chmod(0o1777)  # as /tmp is: only the owner of a folder may replace it
    assert objection(folder) == ""
    tmp_path.chmod(0o770)  # as homes are where every user has a group
    assert objection(folder) == ""


def test_a_folder_of_another_user_is_not_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    assert objection(tmp_path) == f"{tmp_path} belongs to another user: use a folder of your own"


def test_a_folder_below_one_of_another_user_is_not_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever owns the folder above can put another one in its place."""
    folder, status = tmp_path / "folder", Path.stat
    make_folder(folder)

    def of_somebody(path: Path, **options: bool) -> os.stat_result:
        fields = list(status(path, **options))
        if path == tmp_path:
            fields[stat.ST_UID] = os.geteuid() + 1
        return os.stat_result(fields)

    monkeypatch.setattr(Path, "stat", of_somebody)
    assert objection(folder) == f"{tmp_path} belongs to another user: use a folder of your own"


def test_a_link_is_as_private_as_its_target_and_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    make_folder(folder)
    link.symlink_to(folder)
    assert objection(link) == ""
    fields = list(link.lstat())
    fields[stat.ST_UID] = os.geteuid() + 1
    monkeypatch.setattr(Path, "lstat", lambda _: os.stat_result(fields))
    assert objection(link) == f"{link} belongs to another user: use a folder of your own"
    monkeypatch.undo()
    folder.chmod(0o777)
    assert objection(link) == f"others may write to {link}: close it with chmod go-w"


def test_the_folders_above_the_target_of_a_link_count_too(tmp_path: Path) -> None:
    target, link = tmp_path / "open" / "target", tmp_path / "link"
    make_folder(target)
    link.symlink_to(target)
    (tmp_path / "open").chmod(0o777)
    assert f"others may write to {tmp_path / 'open'}" in objection(link)


def test_where_folders_have_no_owners_all_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "geteuid")
    tmp_path.chmod(0o777)
    assert objection(tmp_path) == ""
