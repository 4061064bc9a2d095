"""Turning plain functions into machine code: once per machine, said aloud when it takes long.

`rule` marks a function that other compiled functions call, and `implements` one that finds such a function by the
types it is called with; `kernel` marks one that Python calls, and keeps its machine code on disk. With
``NUMBA_DISABLE_JIT=1`` they leave the function as it is.

numba optimises a function and makes machine code of it when it is compiled, and again inside everything that calls it.
A kernel calls hundreds, so what is compiled on its behalf is only made ready to be put into it.

numba checks a cached function against its own file only, not against what it calls. So the cache lies in a
folder named by a hash of this package's sources and of the versions it was compiled with, and each entry
carries a stamp of the game it was compiled for (games may live outside this package).
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
INTERPRETED = ("commands", "page")  # folders of the package where nothing is compiled
QUIET_SECONDS = 2.0
FOLDER_NAME = re.compile(r"[0-9a-f]{16}(-[0-9][0-9a-z.+]*){4}")  # sources, Python, numba, llvmlite, numpy
PATCHED_NUMBA = "0.68."  # versions whose inner workings `_compile_once` was tested with; others compile for longer
KEPT_FOLDERS = 8
KEPT_SECONDS = 24 * 3600
OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
INNER: dict[str, Any] = {"no_cfunc_wrapper": True}  # only compiled code calls it: C never does

# What game a compiled signature is for: filled by `olb_env.core.game`, asked by the cache.
stamps: list[Callable[[Any], str]] = []


def rule(function: F) -> F:
    """A function that compiled code calls; compiled together with its callers, interpreted when Python calls it."""
    marked: F = register_jitable(**OPTIONS, **INNER)(function)
    return marked


def implements(verb: Callable[..., Any]) -> Callable[[F], F]:
    """The function below it is given types, and answers the function that does the verb for them."""
    marked: Callable[[F], F] = overload(verb, strict=False, jit_options=INNER)
    return marked


def kernel(function: F) -> F:
    """A function that Python calls: compiled at its first use and kept on disk."""
    compiled: Any = numba.njit(**OPTIONS)(function)
    if not numba.config.DISABLE_JIT:
        compiled._cache = _open_cache(function)
    result: F = compiled
    return result


def entry_point(compiled: F, *arguments: Any) -> F:
    """The machine code of a kernel for arguments like these, to be called many times with exactly such types.

    A kernel looks at the types of its arguments at each call, which costs more than a small game's step.
    """
    if numba.config.DISABLE_JIT:
        return compiled
    code: Any = compiled
    found: F = code.compile(tuple(numba.typeof(argument) for argument in arguments))
    return found


class _GameCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache on disk with one index per signature, so that processes that compile at once never mix."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._sources = _package_hash(function)

    def _turn_to(self, sig: Any) -> None:
        text = f"{sig} {self._sources} {[stamp(sig) for stamp in stamps]}"
        name = f"{self._impl.filename_base}.{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=name,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._turn_to(sig)
        return super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        self._turn_to(sig)
        super().save_overload(sig, data)


def _open_cache(function: Callable[..., Any]) -> FunctionCache:
    """A cache for this function below `cache_folder()`; other users of numba keep their own folder."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return _GameCache(function)
    finally:
        numba.config.CACHE_DIR = before


def source_hash(folder: Path, *without: str) -> str:
    """A digest of every Python source below a folder, but for some of the folders in it."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder).parts[0] in without:
            continue
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _package_hash(function: Callable[..., Any]) -> str:
    """A digest of the sources of a package that a function belongs to, if it is not this one."""
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
    """Where machine code is kept: `NUMBA_CACHE_DIR` if set, else the user's cache, else a temporary folder."""
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
    """Every edit of the sources begins a new folder: of those not used for a day keep only a few."""
    with contextlib.suppress(OSError):
        folders = [path for path in root.iterdir() if FOLDER_NAME.fullmatch(path.name) and path.is_dir()]
        for path in sorted(folders, key=lambda path: path.stat().st_mtime)[:-KEPT_FOLDERS]:
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no types
    """Says on stderr that something of ours compiles, if it lasts; other users of numba pass unheard."""

    def __init__(self) -> None:
        self.depth = 0
        self.began = 0.0
        self.spoke = False
        self.timer: threading.Timer | None = None

    def _ours(self, happening: Any) -> bool:
        return isinstance(happening.data["dispatcher"]._cache, _GameCache)

    def on_start(self, happening: Any) -> None:
        if not self._ours(happening):
            return
        if self.depth == 0:
            self.began = time.monotonic()
            self.spoke = False
            self.timer = threading.Timer(QUIET_SECONDS, self._speak)
            self.timer.daemon = True
            self.timer.start()
        self.depth += 1

    def _speak(self) -> None:
        self.spoke = True
        print("olb_env: compiling the rules for this machine (only once) ...", file=sys.stderr, flush=True)

    def on_end(self, happening: Any) -> None:
        if not self._ours(happening):
            return
        self.depth -= 1
        if self.depth == 0:
            if self.timer is not None:
                self.timer.cancel()
            if self.spoke:
                seconds = time.monotonic() - self.began
                print(f"olb_env: compiled in {seconds:.1f} s, kept in {cache_folder()}", file=sys.stderr, flush=True)


class _Inside(event.Listener):  # type: ignore[misc]  # numba has no types  # pragma: no cover  # of plain Python
    """What is being compiled on behalf of a kernel of ours, and on whose: whether only compiled code will call it."""

    def __init__(self) -> None:
        self.stack: list[bool] = []

    @property
    def inner(self) -> bool:
        """Whether what is compiled now goes into the kernel and nowhere else."""
        return bool(self.stack) and self.stack[-1]

    def on_start(self, happening: Any) -> None:
        dispatcher = happening.data["dispatcher"]
        if self.stack or isinstance(dispatcher._cache, _GameCache):
            self.stack.append(bool(dispatcher.targetoptions.get("no_cpython_wrapper")))

    def on_end(self, happening: Any) -> None:
        if self.stack:
            self.stack.pop()


def _compile_once(inside: _Inside) -> None:
    """Let numba only prepare what goes into a kernel: it runs the cheap passes, which put functions into their callers.

    No machine code is made of it: it would be slow, and the kernel would call it instead of its own copies. What
    belongs to its functions (their environments) is told to the kernel when that is ready.
    """
    library, jit = codegen.CPUCodeLibrary, codegen.JITCPUCodegen
    optimise, finalise, set_env = library._optimize_final_module, library._finalize_final_module, jit.set_env
    waiting: dict[str, Any] = {}

    def optimise_in_part(self: Any) -> None:  # pragma: no cover  # of plain Python
        if not inside.inner:
            optimise(self)
            return
        of = self._codegen
        manager, builder = of._module_pass_manager(
            loop_vectorize=of._loopvect, slp_vectorize=False, opt=of._opt_level, cost="cheap"
        )
        manager.run(self._final_module, builder)

    def finalise_in_part(self: Any) -> None:  # pragma: no cover  # of plain Python
        if not inside.inner:
            finalise(self)
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def set_env_in_time(self: Any, name: str, env: Any) -> None:  # pragma: no cover  # of plain Python
        waiting[name] = env
        if not inside.inner:
            for known in [known for known in waiting if self._engine.get_global_value_address(known)]:
                set_env(self, known, waiting.pop(known))

    library._optimize_final_module = optimise_in_part
    library._finalize_final_module = finalise_in_part
    jit.set_env = set_env_in_time


event.register("numba:compile", _Announcer())
if numba.__version__.startswith(PATCHED_NUMBA):
    _inside = _Inside()
    event.register("numba:compile", _inside)
    _compile_once(_inside)
