"""Prepared calls: kernels that Python calls in every substep, with arrays that seldom change.

numba looks at the type of each argument at each call. For named groups of arrays that takes longer than a small kernel
runs: 40 µs for 40 arrays. A prepared call looks once, and then calls the machine code itself: 0.5 µs, and 5 µs after
other arrays took the place of the first. The three classes differ in who says that the arrays are others: the caller
(BoundKernel), a counter (PreparedCall), the arrays themselves (RepeatedCall).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import is_
from typing import Any, Protocol

import numpy as np
from numba import typeof
from numba.core import config

TYPED_FLAGS = 0x1 | 0x2 | 0x100 | 0x400
"""C and Fortran order, aligned, writeable: the flags of an array that belong to its type (bits of `flags.num`)."""


class Counted(Protocol):
    """Counts the times that arrays were replaced."""

    count: int


class BoundKernel:
    """A kernel and the arrays of its first parameters; a call adds the others, of the same types in each call."""

    __slots__ = ("_arrays", "_compiled", "_kernel", "run")

    def __init__(self, kernel: Callable[..., Any], *arrays: Any) -> None:
        self._kernel, self._arrays = kernel, arrays
        self._compiled: Callable[..., Any] | None = None
        self.run: Callable[..., Any] = self._run_first
        """What a call runs."""

    def bind(self, *arrays: Any) -> None:
        """Use other arrays and groups from now on."""
        if self._compiled is not None and are_alike(arrays, self._arrays):
            self.run = partial(self._compiled, *arrays)
        else:
            self.run = self._run_first
        self._arrays = arrays

    def __call__(self, *others: Any) -> Any:
        """Run the kernel on the arrays and on these arguments."""
        return self.run(*others)

    def _run_first(self, *others: Any) -> Any:
        arrays, compiled = self._arrays, self._kernel
        if not config.DISABLE_JIT:
            compiled = self._kernel.compile(tuple(typeof(value) for value in (*arrays, *others)))  # type: ignore[attr-defined]
        self._compiled, self.run = compiled, partial(compiled, *arrays)
        return compiled(*arrays, *others)


class PreparedCall:
    """A kernel, and a function that returns its arrays; `call(*numbers)` runs it on these arrays and the numbers."""

    __slots__ = ("_arrays", "_bound", "_changes", "_seen")

    def __init__(self, kernel: Callable[..., Any], arrays: Callable[[], tuple[Any, ...]], changes: Counted) -> None:
        self._bound, self._arrays, self._changes = BoundKernel(kernel), arrays, changes
        self._seen = -1

    def __call__(self, *numbers: float) -> Any:
        """Run the kernel. The numbers must be of the same types at each call."""
        if self._seen != self._changes.count:
            self._bound.bind(*self._arrays())
            self._seen = self._changes.count
        return self._bound.run(*numbers)


class RepeatedCall:
    """A kernel that is called with the same arrays many times: they stay bound until one is another object."""

    __slots__ = ("_arrays", "_bound")

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._bound = BoundKernel(kernel)
        self._arrays: tuple[Any, ...] = ()

    def __call__(self, arrays: tuple[Any, ...], *numbers: float) -> Any:
        """Run the kernel on the arrays and groups, then the numbers."""
        if len(arrays) != len(self._arrays) or not all(map(is_, arrays, self._arrays)):
            self._arrays = arrays
            self._bound.bind(*arrays)
        return self._bound.run(*numbers)


def are_alike(one: Any, other: Any) -> bool:
    """Return whether numba takes two values, or groups of them, for the same type."""
    if one is other or type(one) is not type(other):
        return one is other
    if isinstance(one, np.ndarray):
        differ = (one.flags.num ^ other.flags.num) & TYPED_FLAGS
        return not differ and one.ndim == other.ndim and (one.dtype is other.dtype or one.dtype == other.dtype)
    return not isinstance(one, tuple) or (len(one) == len(other) and all(map(are_alike, one, other)))
