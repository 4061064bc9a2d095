"""Compilation of plain functions to machine code, once per machine, with a message when it takes long.

`jitable` marks a function that other compiled functions call. `implements` marks one that selects such a function by
the types of a call. `kernel` marks a function that Python calls, and keeps its machine code on disk. With
``NUMBA_DISABLE_JIT=1`` all three leave the function as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import event
from numba.extending import overload, register_jitable

from olb_env.core.code_cache import open_cache
from olb_env.core.compile_events import Announcer, InterruptListener
from olb_env.core.numba_patch import TESTED_NUMBA, InsideKernels, optimise_once

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
INNER: dict[str, Any] = {"no_cfunc_wrapper": True}  # only compiled code calls it, never C


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
        compiled._cache = open_cache(function)
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


event.register("numba:compile", Announcer())
if numba.__version__.startswith(TESTED_NUMBA):
    _inside = InsideKernels()
    event.register("numba:compile", _inside)
    optimise_once(_inside)
event.register("numba:compile", InterruptListener())  # the last, since it may raise KeyboardInterrupt
