"""The folder of machine code: where it is, and whether what lies in it can be trusted.

numba compares a cached function only with its own file, not with the functions it calls. The folder is therefore named
by a hash of this package's sources and of the versions that compiled them.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.metadata
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import platformdirs

from olb_env.core.private_folders import make_folder, objection

PACKAGE = Path(__file__).resolve().parent.parent
INTERPRETED = ("commands", "page", "playing")  # folders of the package in which nothing is compiled
FOLDER_NAME = re.compile(r"[0-9a-f]{16}(-[0-9][0-9a-z.+]*){4}")  # sources, Python, numba, llvmlite, numpy
KEPT_FOLDERS = 8
KEPT_SECONDS = 24 * 3600


def source_hash(folder: Path, *excluded: str) -> str:
    """Return a digest of every Python source below a folder, except in the excluded folders."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder).parts[0] in excluded:
            continue
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


_folder: Path | None = None


def cache_folder() -> Path:
    """Return the folder of machine code: in `NUMBA_CACHE_DIR` if set, or the user's cache, or a temporary folder.

    The first two are only used if nobody else can write to them.
    """
    global _folder
    if _folder is None:
        versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
        name = "-".join([source_hash(PACKAGE, *INTERPRETED)[:16], platform.python_version(), *versions])
        set_by_user = os.environ.get("NUMBA_CACHE_DIR")
        roots = [Path(set_by_user)] if set_by_user else []
        roots.append(Path(platformdirs.user_cache_dir("olb_env")))
        used = next((root for root in map(Path.absolute, roots) if _usable(root, root / name)), None)
        if used is None:
            _folder = _temporary_folder()
        else:
            _folder = used / name
            _drop_oldest(used)
    return _folder


def _usable(*folders: Path) -> bool:
    """Return whether the last of these folders, which are created in turn, can be written, by the user alone."""
    try:
        for folder in folders:
            make_folder(folder)
            reason = objection(folder)
            if reason:
                print(f"olb_env: machine code is kept elsewhere, since {reason}", file=sys.stderr, flush=True)
                return False
        os.utime(folders[-1])
        with tempfile.TemporaryFile(dir=folders[-1]):
            return True
    except OSError:
        return False


def _temporary_folder() -> Path:
    """Return a private folder that is deleted when this process ends; without one, a folder that cannot exist."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="olb_env-"))
    except OSError:
        return Path(os.devnull)
    atexit.register(_delete_temporary, folder, os.getpid())
    return folder


def _delete_temporary(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # forked processes use the folder too
        shutil.rmtree(folder, ignore_errors=True)


def lasts(folder: Path) -> bool:
    """Return whether a folder of machine code outlives this process: a temporary one is not named after the sources."""
    return FOLDER_NAME.fullmatch(folder.name) is not None


def _drop_oldest(root: Path) -> None:
    """Delete all but a few of the folders unused for a day: every edit of the sources starts a new one."""
    with contextlib.suppress(OSError):
        folders = [path for path in root.iterdir() if FOLDER_NAME.fullmatch(path.name) and path.is_dir()]
        for path in sorted(folders, key=lambda path: path.stat().st_mtime)[:-KEPT_FOLDERS]:
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
