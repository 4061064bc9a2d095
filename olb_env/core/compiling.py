"""Compilation of plain functions to machine code, once per machine, with a message when it takes long.

`jitable` marks a function that other compiled functions call. `implements` marks one that selects such a function by
the types of a call. `kernel` marks a function that Python calls, and keeps its machine code on disk. With
``NUMBA_DISABLE_JIT=1`` all three leave the function as it is.

When numba compiles a function, it optimises it and makes machine code of it, and does both again inside every caller.
A kernel calls hundreds of functions, so here they are only prepared, and optimised once inside it.

numba compares a cached function only with its own file, not with the functions it calls. The cache is therefore in a
folder whose name is a hash of this package's sources and of the versions that compiled them. Each entry carries a stamp
of the game it was compiled for, since games may be outside this package.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import platform
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs
from numba.core import codegen, event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import overload, register_jitable

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
INTERPRETED = ("commands", "page", "playing")  # folders of the package in which nothing is compiled
QUIET_SECONDS = 2.0
FOLDER_NAME = re.compile(r"[0-9a-f]{16}(-[0-9][0-9a-z.+]*){4}")  # sources, Python, numba, llvmlite, numpy
PATCHED_NUMBA = "0.68."  # `_compile_once` was tested with these versions; others take longer to compile
KEPT_FOLDERS = 8
KEPT_SECONDS = 24 * 3600
OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
INNER: dict[str, Any] = {"no_cfunc_wrapper": True}  # only compiled code calls it, never C

# Functions that return the stamp of a signature, for the key of its cache entry; `olb_env.core.game` adds its own.
stamps: list[Callable[[Any], str]] = []


def jitable(function: F) -> F:
    """Mark a function that compiled code calls: compiled with its callers, interpreted when Python calls it."""
    marked: F = register_jitable(**OPTIONS, **INNER)(function)
    return marked


def implements(verb: Callable[..., Any]) -> Callable[[F], F]:
    """Register a numba overload: a function that takes the types of a call of `verb` and returns what to compile."""
    marked: Callable[[F], F] = overload(verb, strict=False, jit_options=INNER)
    return marked


def kernel(function: F) -> F:
    """Mark a function that Python calls: compiled when first used, and kept on disk."""
    compiled: Any = numba.njit(**OPTIONS)(function)
    if not numba.config.DISABLE_JIT:
        compiled._cache = _open_cache(function)
    result: F = compiled
    return result


def specialize(compiled: F, *arguments: Any) -> F:
    """Return the machine code of a kernel for arguments of exactly these types.

    A kernel examines the types of its arguments at each call, which costs more than a step of a small game.
    """
    if numba.config.DISABLE_JIT:
        return compiled
    code: Any = compiled
    found: F = code.compile(tuple(numba.typeof(argument) for argument in arguments))
    return found


class _GameCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache on disk, with one index per signature, so that processes can compile at the same time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._sources = _package_hash(function)

    def _open_index(self, sig: Any) -> None:
        text = f"{sig} {self._sources} {[stamp(sig) for stamp in stamps]}"
        name = f"{self._impl.filename_base}.{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=name,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._open_index(sig)
        return super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        self._open_index(sig)
        super().save_overload(sig, data)


def _open_cache(function: Callable[..., Any]) -> FunctionCache:
    """Return a cache for a function below `cache_folder()`; the folder of other users of numba does not change."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return _GameCache(function)
    finally:
        numba.config.CACHE_DIR = before


def source_hash(folder: Path, *excluded: str) -> str:
    """Return a digest of every Python source below a folder, except in the excluded folders."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder).parts[0] in excluded:
            continue
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _package_hash(function: Callable[..., Any]) -> str:
    """Return a digest of the sources of a function's package, or nothing if it is this package."""
    module = sys.modules.get(function.__module__.partition(".")[0])
    file = getattr(module, "__file__", None)
    if file is None or Path(file).name != "__init__.py" or Path(file).resolve().parent == PACKAGE:
        return ""
    return _hash_once(Path(file).resolve().parent)


@functools.cache
def _hash_once(folder: Path) -> str:
    return source_hash(folder)


_folder: Path | None = None


def cache_folder() -> Path:
    """Return the folder of machine code: in `NUMBA_CACHE_DIR` if set, or the user's cache, or a temporary folder."""
    global _folder
    if _folder is None:
        versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
        name = "-".join([source_hash(PACKAGE, *INTERPRETED)[:16], platform.python_version(), *versions])
        set_by_user = os.environ.get("NUMBA_CACHE_DIR")
        roots = [Path(set_by_user)] if set_by_user else []
        roots.append(Path(platformdirs.user_cache_dir("olb_env")))
        roots.append(Path(tempfile.gettempdir()) / f"olb_env-{os.getuid() if hasattr(os, 'getuid') else 'user'}")
        _folder = next((root / name for root in roots if _usable(root / name)), roots[-1] / name)
        _drop_oldest(_folder.parent)
    return _folder


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _drop_oldest(root: Path) -> None:
    """Delete all but a few of the folders unused for a day: every edit of the sources starts a new one."""
    with contextlib.suppress(OSError):
        folders = [path for path in root.iterdir() if FOLDER_NAME.fullmatch(path.name) and path.is_dir()]
        for path in sorted(folders, key=lambda path: path.stat().st_mtime)[:-KEPT_FOLDERS]:
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no types
    """A listener that says on stderr when a kernel takes long to compile; it ignores other users of numba."""

    def __init__(self) -> None:
        self.depth = 0
        self.began = 0.0
        self.announced = False
        self.timer: threading.Timer | None = None

    def _ours(self, compilation: Any) -> bool:
        return isinstance(compilation.data["dispatcher"]._cache, _GameCache)

    def on_start(self, compilation: Any) -> None:
        if not self._ours(compilation):
            return
        if self.depth == 0:
            self.began = time.monotonic()
            self.announced = False
            self.timer = threading.Timer(QUIET_SECONDS, self._announce)
            self.timer.daemon = True
            self.timer.start()
        self.depth += 1

    def _announce(self) -> None:
        self.announced = True
        print("olb_env: compiling the rules for this machine (only once) ...", file=sys.stderr, flush=True)

    def on_end(self, compilation: Any) -> None:
        if not self._ours(compilation):
            return
        self.depth -= 1
        if self.depth == 0:
            if self.timer is not None:
                self.timer.cancel()
            if self.announced:
                seconds = time.monotonic() - self.began
                print(f"olb_env: compiled in {seconds:.1f} s, kept in {cache_folder()}", file=sys.stderr, flush=True)


class _Inside(event.Listener):  # type: ignore[misc]  # numba has no types  # pragma: no cover  # not run by plain Python
    """A listener that knows what is being compiled inside a kernel, so that only compiled code will call it."""

    def __init__(self) -> None:
        self.stack: list[bool] = []

    @property
    def inner(self) -> bool:
        """Whether what is compiled now becomes a part of a kernel and nothing else."""
        return bool(self.stack) and self.stack[-1]

    def on_start(self, compilation: Any) -> None:
        dispatcher = compilation.data["dispatcher"]
        if self.stack or isinstance(dispatcher._cache, _GameCache):
            self.stack.append(bool(dispatcher.targetoptions.get("no_cpython_wrapper")))

    def on_end(self, compilation: Any) -> None:
        if self.stack:
            self.stack.pop()


def _compile_once(inside: _Inside) -> None:
    """Let numba only prepare the functions inside a kernel: run the cheap passes, which inline functions.

    No machine code is made of them. It would be slow, and the kernel would call it instead of its own copies. Their
    environments are set when the kernel is ready.
    """
    library, jit = codegen.CPUCodeLibrary, codegen.JITCPUCodegen
    optimise, finalise, set_env = library._optimize_final_module, library._finalize_final_module, jit.set_env
    pending: dict[str, Any] = {}

    def optimise_in_part(self: Any) -> None:  # pragma: no cover  # not run by plain Python
        if not inside.inner:
            optimise(self)
            return
        owner = self._codegen
        manager, builder = owner._module_pass_manager(
            loop_vectorize=owner._loopvect, slp_vectorize=False, opt=owner._opt_level, cost="cheap"
        )
        manager.run(self._final_module, builder)

    def finalise_in_part(self: Any) -> None:  # pragma: no cover  # not run by plain Python
        if not inside.inner:
            finalise(self)
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def set_env_later(self: Any, name: str, env: Any) -> None:  # pragma: no cover  # not run by plain Python
        pending[name] = env
        if not inside.inner:
            for known in [known for known in pending if self._engine.get_global_value_address(known)]:
                set_env(self, known, pending.pop(known))

    library._optimize_final_module = optimise_in_part
    library._finalize_final_module = finalise_in_part
    jit.set_env = set_env_later


event.register("numba:compile", _Announcer())
if numba.__version__.startswith(PATCHED_NUMBA):
    _inside = _Inside()
    event.register("numba:compile", _inside)
    _compile_once(_inside)
