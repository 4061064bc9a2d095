"""numba's cache on disk, for kernels: with files that can be trusted, and compiled anew where they cannot.

A cached kernel is a pickle: who can write one can run any code. So it is only loaded if nobody but the user can have
written it, and if it is still as it was saved. Each entry carries a stamp of the game it was compiled for, since games
may be outside this package.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator, _SourceFileBackedLocatorMixin
from numba.core.serialize import dumps

from olb_env.core.cache_folders import PACKAGE, cache_folder, source_hash
from olb_env.core.held_interrupts import held_interrupts
from olb_env.core.private_folders import make_folder, objection

DIGEST_SIZE = hashlib.sha256().digest_size

# Functions that return the stamp of a signature, for the key of its cache entry; `olb_env.core.game` adds its own.
stamps: list[Callable[[Any], str]] = []


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
            if not path.is_file():  # nobody may ever write into a pipe
                return None
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


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache on disk, with files of its own that can be trusted."""

    _impl_class = _Results

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Entries(self._cache_path / self._impl.filename_base, stamp, _package_hash(function))
        if stamp is None:
            self.disable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for some types, or None."""
        held_interrupts.hold()
        try:
            return super().load_overload(sig, target_context)
        finally:
            held_interrupts.release()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the machine code for some types, if it can be saved, and end the wait that began with compiling it."""
        try:
            with contextlib.suppress(OSError):  # the kernel is ready all the same
                super().save_overload(sig, data)
        finally:
            held_interrupts.release()


def open_cache(function: Callable[..., Any]) -> FunctionCache:
    """Return a cache for a function below `cache_folder()`, even if numba is told to keep its own caches elsewhere."""
    before = getattr(numba.config, "CACHE_LOCATOR_CLASSES", "")
    numba.config.CACHE_LOCATOR_CLASSES = ""
    try:
        return KernelCache(function)
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = before


def _refuse_what_others_can_change(path: Path) -> None:
    reason = objection(path)
    if reason:
        raise PermissionError(reason)


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
