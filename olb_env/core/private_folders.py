"""Folders that only the user can change, so that what lies in them can be trusted.

On Windows a folder has no owner and no mode that Python could examine, so every folder is taken for the user's own.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from olb_env.core.checking import shortened

ROOT = 0  # this user may change every folder anyway


def make_folder(folder: Path) -> None:
    """Create a folder and the folders above it, unless they exist; nobody but the user may enter the new ones."""
    if not folder.parent.exists():
        make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def objection(path: Path) -> str:
    """Return who else can change a folder or a file and what to do about it, or nothing if only the user can.

    It must belong to the user, who alone may write to it, and so must a link to it. A folder above it must belong to
    the user or to root. It may be open to its group, as home folders are on many systems, but not to everybody, unless
    it is sticky as /tmp is.
    """
    if not hasattr(os, "geteuid"):
        return ""
    user, status = os.geteuid(), path.stat()
    if status.st_uid != user or path.lstat().st_uid not in (user, ROOT):
        return f"{shortened(path)} belongs to another user: use a folder of your own"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to {shortened(path)}: close it with chmod go-w"
    for above in (*path.parents, *path.resolve().parents):
        status = above.stat()
        if status.st_uid not in (user, ROOT):  # who could put another folder in its place
            return f"{shortened(above)} belongs to another user: use a folder of your own"
        if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
            return f"others may write to {shortened(above)}: close it with chmod o-w"
    return ""
