"""Kernels: functions of arrays and numbers that run as machine code. The decorators here, `entry`,
`kernel`, `inline` and `template`, declare them and find their machine code.

It comes from the library that was built with the package (library.py). If the library has no code
for a kernel, or its sources have changed since, numba compiles it (jit.py), if it is installed.
ECS_SOFTBODY_KERNELS=numba asks for numba in any case, ECS_SOFTBODY_KERNELS=python, or
NUMBA_DISABLE_JIT=1, for plain Python, which is some hundred times slower.

A kernel makes no arrays, raises nothing and takes no keywords.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType
from typing import Any, ParamSpec, TypeVar, cast

from ecs_softbody.parallel.library import KERNEL_OF, Library, Unusable

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

WAYS = ("library", "numba", "python")
ASKED = (
    "python"
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    else os.environ.get("ECS_SOFTBODY_KERNELS", "library")
)
if ASKED not in WAYS:
    raise ValueError(
        f"the environment variable ECS_SOFTBODY_KERNELS is {ASKED!r}; it can be {', '.join(WAYS)}"
    )
IS_PYTHON = ASKED == "python"
"""Whether kernels are plain Python."""
LIBRARY: Library | None = None
"""None if it cannot be used, or something else is asked for."""
WHY_NOT = ""
"""Why the library cannot be used, for messages."""
if ASKED == "library":
    try:
        LIBRARY = Library()
    except Unusable as problem:
        WHY_NOT = f"there is no usable library of kernels: {problem}"
ENTRIES: dict[str, Callable[..., Any]] = {}
"""The Python functions of all kernels that Python calls, by "module:function"."""
MISSING: list[str] = []
"""Names of entries without machine code in the library."""
TOLD = "ECS_SOFTBODY_TOLD"
"""Environment variable that tells child processes that the message was printed."""


class Kernel:
    """A kernel that numba compiles when it is first used: each that has no machine code of its own
    in the library. In Python it is called like a function.
    """

    def __init__(self, function: Callable[..., Any], **options: bool) -> None:
        self.function = function
        self.options = options
        self._compiled: Any = None

    @property
    def compiled(self) -> Any:
        """The kernel as compiled by numba."""
        if self._compiled is None:
            self._compiled = compile_with_numba(self)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """Its numba type, which numba reads when it compiles a kernel that calls this one."""
        from numba import typeof

        return typeof(self.compiled)

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        return self.compiled(*arguments)


def entry(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Declare a kernel that Python calls; return it from the library, or to be compiled by numba.

    Its annotations are the signature for which the library is built: see `arrays.Layout`.
    """
    name = f"{function.__module__}:{function.__qualname__}"
    ENTRIES[name] = function
    found = LIBRARY.find(name) if LIBRARY else None
    if found is None:
        MISSING.append(name)
        return kernel(function)
    KERNEL_OF[found] = Kernel(function)
    return found


def kernel(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Declare a kernel that only kernels call.

    It borrows the arrays that it is given and does not count references to them: counting costs 10
    ns for each array that one kernel hands to another.
    """
    return _kernel(function)


def inline(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Declare a kernel that is compiled into the kernels that call it, without a call at run time:
    for the work on each element of an array.
    """
    return _kernel(function, forceinline=True)


def template(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Declare a kernel that takes other kernels as arguments. It is compiled into each caller
    separately, together with these.
    """
    return _kernel(function, forceinline=True, is_template=True)


def _kernel(
    function: Callable[Parameters, Result], **options: bool
) -> Callable[Parameters, Result]:
    return (
        function if IS_PYTHON else cast(Callable[Parameters, Result], Kernel(function, **options))
    )


def bind(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return a function that calls a kernel with these arguments, followed by the arguments that
    the function is given.
    """
    if isinstance(kernel, BuiltinFunctionType) and LIBRARY is not None:
        return LIBRARY.bind(kernel, *arguments)
    return partial(kernel, *arguments)


def needs_compiler() -> bool:
    """Return whether any kernel that Python calls is still to be compiled by numba."""
    return bool(MISSING) and not IS_PYTHON


def check_kernels() -> None:
    """Raise RuntimeError where there is no library, and no numba to compile kernels with."""
    if LIBRARY is None and not IS_PYTHON:
        load_compiler(WHY_NOT)


def compile_with_numba(kernel: Kernel) -> Any:
    """Return a kernel as compiled by numba; raise RuntimeError if numba cannot be loaded."""
    name = f"{kernel.function.__module__}.{kernel.function.__qualname__}"
    compiler = load_compiler(
        WHY_NOT or f"{name} is not in the library of kernels, or has changed since that was built"
    )
    tell_of_compiling()
    return compiler.compile_kernel(kernel.function, **kernel.options)


def load_compiler(why: str) -> Any:
    """Return the module that compiles with numba (jit.py). Without numba, raise RuntimeError with a
    message that begins with `why`, the reason why it is needed.
    """
    try:
        from ecs_softbody.parallel import jit
    except ImportError as missing:
        if getattr(sys, "frozen", False):
            raise RuntimeError(f"{why}. Unpack or copy this program again") from None
        raise RuntimeError(
            f"{why}; and numba, which would compile, cannot be loaded ({missing}). Install "
            "ecs_softbody again, or: "
            'pip install "ecs-softbody[kernels]"'
        ) from None
    return jit


def tell_of_compiling() -> None:
    """Print once why the user has to wait, unless numba was asked for."""
    if ASKED == "library" and MISSING and TOLD not in os.environ:
        os.environ[TOLD] = "1"
        why = WHY_NOT or f"{len(MISSING)} kernels have changed since they were built"
        print(
            f"ecs_softbody: {why}. numba compiles what is called, which takes a minute or "
            "more the first time; "
            "`python -m ecs_softbody.building` builds the library",
            file=sys.stderr,
        )
