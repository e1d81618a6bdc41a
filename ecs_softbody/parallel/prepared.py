"""Prepared calls: kernels that Python calls in every substep, with arrays that seldom change.

A call looks at the type of each argument. For named groups of arrays that takes longer than a small
kernel runs. A prepared call looks once, and then calls the machine code itself. The three classes
differ in how they notice other arrays: by the caller (BoundKernel), a counter (PreparedCall), or
the arrays themselves (RepeatedCall).
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, Protocol

from ecs_softbody.parallel.compiling import bind


class Counted(Protocol):
    """Counts the times that arrays were replaced."""

    count: int


class BoundKernel:
    """A kernel and the arrays of its first parameters; a call adds the others."""

    __slots__ = ("_kernel", "run")

    def __init__(self, kernel: Callable[..., Any], *arrays: Any) -> None:
        self._kernel = kernel
        self.run: Callable[..., Any] = bind(kernel, *arrays) if arrays else kernel
        """The function that a call runs."""

    def bind(self, *arrays: Any) -> None:
        """Use other arrays and groups from now on."""
        self.run = bind(self._kernel, *arrays)

    def __call__(self, *others: Any) -> Any:
        """Run the kernel on the arrays and on these arguments."""
        return self.run(*others)


class PreparedCall:
    """A kernel, and a function that returns its arrays; `call(*others)` runs it on these arrays and
    the others.
    """

    __slots__ = ("_arrays", "_bound", "_changes", "_seen")

    def __init__(
        self, kernel: Callable[..., Any], arrays: Callable[[], tuple[Any, ...]], changes: Counted
    ) -> None:
        self._bound = BoundKernel(kernel)
        self._arrays = arrays
        self._changes = changes
        self._seen = -1

    def __call__(self, *others: Any) -> Any:
        """Run the kernel on the arrays and on these arguments."""
        if self._seen != self._changes.count:
            self._bound.bind(*self._arrays())
            self._seen = self._changes.count
        return self._bound.run(*others)


class RepeatedCall:
    """A kernel that is called with the same arrays many times: they stay bound until one is another
    object.
    """

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
