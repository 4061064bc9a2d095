"""A patch of numba that halves the time to compile a kernel.

When numba compiles a function, it optimises it and makes machine code of it, and does both again inside every caller.
A kernel calls hundreds of functions. With the patch they are only prepared, and optimised once inside the kernel.
"""

from __future__ import annotations

from typing import Any

from numba.core import codegen, event

from olb_env.core.compile_events import of_kernel

TESTED_NUMBA = "0.68."  # the patch was tested with these versions; others take longer to compile


class InsideKernels(event.Listener):  # type: ignore[misc]  # numba has no types  # pragma: no cover  # not run by plain Python
    """A listener that knows what is being compiled inside a kernel, so that only compiled code will call it."""

    def __init__(self) -> None:
        self.stack: list[bool] = []

    @property
    def inner(self) -> bool:
        """Whether what is compiled now becomes a part of a kernel and nothing else."""
        return bool(self.stack) and self.stack[-1]

    def on_start(self, compilation: Any) -> None:
        """Note whether only compiled code will call what is compiled from here on."""
        dispatcher = compilation.data["dispatcher"]
        if self.stack or of_kernel(compilation):
            self.stack.append(bool(dispatcher.targetoptions.get("no_cpython_wrapper")))

    def on_end(self, compilation: Any) -> None:
        """Return to what was compiled before."""
        if self.stack:
            self.stack.pop()


def optimise_once(inside: InsideKernels) -> None:
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
