"""Compilation of plain functions to machine code, once per machine, with a message when it takes long.

`jitable` marks a function that other compiled functions call. `implements` marks one that selects such a function by
the types of a call. `kernel` marks a function that Python calls, and keeps its machine code on disk. With
``NUMBA_DISABLE_JIT=1`` all three leave the function as it is.

When numba compiles a function, it optimises it and makes machine code of it, and does both again inside every caller.
A kernel calls hundreds of functions, so here they are only prepared, and optimised once inside it.

numba compares a cached function only with its own file, not with the functions it calls. The cache is therefore in a
folder whose name is a hash of this package's sources and of the versions that compiled them. Each entry carries a stamp
of the game it was compiled for, since games may be outside this package.

A cached kernel is a pickle: who can write one can run any code. So it is only loaded if nobody but the user can have
written it, and if it is still as it was saved.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import importlib.metadata
import os
import pickle
import platform
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs
from numba.core import codegen, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator, _SourceFileBackedLocatorMixin
from numba.core.serialize import dumps
from numba.extending import overload, register_jitable

from olb_env.core.private_folders import make_folder, objection

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
INTERPRETED = ("commands", "page", "playing")  # folders of the package in which nothing is compiled
QUIET_SECONDS = 2.0
FOLDER_NAME = re.compile(r"[0-9a-f]{16}(-[0-9][0-9a-z.+]*){4}")  # sources, Python, numba, llvmlite, numpy
PATCHED_NUMBA = "0.68."  # `_compile_once` was tested with these versions; others take longer to compile
KEPT_FOLDERS = 8
KEPT_SECONDS = 24 * 3600
DIGEST_SIZE = hashlib.sha256().digest_size
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


class _Locator(_SourceFileBackedLocatorMixin, _CacheLocator):  # type: ignore[misc]  # numba has no types
    """What numba asks for a kernel's place on disk: a folder for its source file below `cache_folder()`."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno
        self._cache_path: Path = cache_folder() / self.get_suitable_cache_subpath(file)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator:
        return cls(function, file)

    def get_cache_path(self) -> Path:
        return self._cache_path

    def ensure_cache_path(self) -> None:
        make_folder(self._cache_path)
        _refuse_what_others_can_change(self._cache_path)

    def get_source_stamp(self) -> Any:
        """Return a digest of the source file, or None for a function written in a notebook or made by a program."""
        return super().get_source_stamp() if Path(self._py_file).exists() else None


class _Results(CompileResultCacheImpl):  # type: ignore[misc]  # numba has no types
    """How numba takes a kernel apart before it is saved; kernels are nowhere but where `_Locator` says."""

    _locator_classes = (_Locator,)


class _Entries:
    """The files of one kernel: one for each combination of types and processor, behind a digest of its content.

    A file is replaced in one step, so processes can compile the same kernel at the same time. Whatever is wrong with a
    file, the kernel is compiled anew.
    """

    def __init__(self, base: Path, source_stamp: Any, sources: str) -> None:
        self._base = base
        self._source_stamp = source_stamp
        self._sources = sources

    def _path(self, key: Any) -> Path:
        text = f"{key} {self._sources} {[stamp(key[0]) for stamp in stamps]}"
        return self._base.with_name(f"{self._base.name}.{hashlib.sha256(text.encode()).hexdigest()[:16]}.nbc")

    def load(self, key: Any) -> Any:
        """Return what was saved for a key of numba's, or None."""
        path = self._path(key)
        try:
            for part in (path.parent, path):
                _refuse_what_others_can_change(part)
            content = path.read_bytes()
        except OSError:
            return None
        digest, pickled = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
        if hashlib.sha256(pickled).digest() != digest:
            return None
        try:
            source_stamp, saved_key, result = pickle.loads(pickled)  # noqa: S301  # only the user can have written it
        except Exception:  # noqa: BLE001  # a module that the pickle names may be gone, or fail in any way
            return None
        return result if (source_stamp, saved_key) == (self._source_stamp, key) else None

    def save(self, key: Any, result: Any) -> None:
        """Save a result for a key of numba's; an OSError says that it cannot be saved."""
        pickled = dumps((self._source_stamp, key, result))
        path = self._path(key)
        handle, name = tempfile.mkstemp(dir=path.parent)
        part = Path(name)
        try:
            with open(handle, "wb") as file:
                file.write(hashlib.sha256(pickled).digest() + pickled)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def flush(self) -> None:
        """Forget everything that was saved."""
        for path in self._base.parent.glob(f"{self._base.name}.*.nbc"):
            path.unlink(missing_ok=True)


class _GameCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache on disk, with files of its own that can be trusted."""

    _impl_class = _Results

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Entries(self._cache_path / self._impl.filename_base, stamp, _package_hash(function))
        if stamp is None:
            self.disable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with _interrupts.noticed():
            return super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        _interrupts.raise_lost()
        with contextlib.suppress(OSError):  # the kernel is ready all the same
            super().save_overload(sig, data)


def _open_cache(function: Callable[..., Any]) -> FunctionCache:
    """Return a cache for a function below `cache_folder()`, even if numba is told to keep its own caches elsewhere."""
    before = getattr(numba.config, "CACHE_LOCATOR_CLASSES", "")
    numba.config.CACHE_LOCATOR_CLASSES = ""
    try:
        return _GameCache(function)
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = before


def _refuse_what_others_can_change(path: Path) -> None:
    reason = objection(path)
    if reason:
        raise PermissionError(reason)


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


def _lasts(folder: Path) -> bool:
    """Return whether a folder of machine code outlives this process: a temporary one is not named after the sources."""
    return FOLDER_NAME.fullmatch(folder.name) is not None


def _drop_oldest(root: Path) -> None:
    """Delete all but a few of the folders unused for a day: every edit of the sources starts a new one."""
    with contextlib.suppress(OSError):
        folders = [path for path in root.iterdir() if FOLDER_NAME.fullmatch(path.name) and path.is_dir()]
        for path in sorted(folders, key=lambda path: path.stat().st_mtime)[:-KEPT_FOLDERS]:
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _ours(compilation: Any) -> bool:
    """Return whether a kernel is being compiled, and not a function of another user of numba."""
    return isinstance(compilation.data["dispatcher"]._cache, _GameCache)


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no types
    """A listener that says on stderr when a kernel takes long to compile; it ignores other users of numba."""

    def __init__(self) -> None:
        self.depth = 0
        self.began = 0.0
        self.announced = False
        self.timer: threading.Timer | None = None

    def on_start(self, compilation: Any) -> None:
        if not _ours(compilation):
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
        once = " (only once)" if _lasts(cache_folder()) else ""
        print(f"olb_env: compiling the rules for this machine{once} ...", file=sys.stderr, flush=True)

    def on_end(self, compilation: Any) -> None:
        if not _ours(compilation) or self.depth == 0:
            return
        self.depth -= 1
        if self.depth == 0:
            if self.timer is not None:
                self.timer.cancel()
            if self.announced and tuple(compilation.data["args"]) in compilation.data["dispatcher"].overloads:
                seconds, folder = time.monotonic() - self.began, cache_folder()
                where = f"in {folder}" if _lasts(folder) else "until this process ends (see NUMBA_CACHE_DIR)"
                print(f"olb_env: compiled in {seconds:.1f} s, kept {where}", file=sys.stderr, flush=True)


class _Interrupts(event.Listener):  # type: ignore[misc]  # numba has no types
    """A listener that notices Ctrl-C where LLVM calls Python: there the exception would be printed and forgotten."""

    def __init__(self) -> None:
        self.lost = False
        self.hooks: list[Any] = []  # what to do with other exceptions that cannot be raised

    def _notice(self, forgotten: Any) -> None:
        if issubclass(forgotten.exc_type, KeyboardInterrupt):
            self.lost = True
        else:
            self.hooks[0](forgotten)

    def on_start(self, compilation: Any) -> None:
        if _ours(compilation):
            self._listen()

    def on_end(self, compilation: Any) -> None:
        if _ours(compilation):
            self._stop_listening()

    def _listen(self) -> None:
        if not self.hooks:
            self.lost = False  # an earlier compilation may have failed before it was raised
        self.hooks.append(sys.unraisablehook)
        sys.unraisablehook = self._notice

    def _stop_listening(self) -> None:
        if self.hooks:
            sys.unraisablehook = self.hooks.pop()

    def raise_lost(self) -> None:
        """Raise KeyboardInterrupt if one was forgotten."""
        if self.lost:
            self.lost = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def noticed(self) -> Iterator[None]:
        """Listen while a kernel is loaded, and raise then what was forgotten."""
        self._listen()
        try:
            yield
        finally:
            self._stop_listening()
        self.raise_lost()


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
        if self.stack or _ours(compilation):
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


_interrupts = _Interrupts()
event.register("numba:compile", _Announcer())
event.register("numba:compile", _interrupts)
if numba.__version__.startswith(PATCHED_NUMBA):
    _inside = _Inside()
    event.register("numba:compile", _inside)
    _compile_once(_inside)
