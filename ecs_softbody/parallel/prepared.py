"""Prepared calls: quick calls of kernels that Python calls in every substep, with arrays that are
seldom replaced by others.

A usual call checks the type of each argument. For named groups of arrays that takes longer than a
small kernel runs. A prepared call checks them once, keeps the pointers, and then calls the machine
code itself, until arrays are replaced by other objects.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, Protocol

from ecs_softbody.parallel.compiling import bind


class Counted(Protocol):
    """A counter of how often arrays were replaced by other objects."""

    count: int


class Never:
    """The counter of arrays that are replaced only by calling `bind`."""

    count = 0


class Binding:
    """The arrays that a kernel is bound to, and the function that runs it on them."""

    __slots__ = ("arrays", "run")

    def __init__(self, run: Callable[..., Any], arrays: tuple[Any, ...] = ()) -> None:
        self.arrays = arrays
        self.run = run


class PreparedCall:
    """A kernel with the arrays of its first parameters. Calling it with the other arguments runs
    the kernel on the arrays and these.

    Args:
        kernel: a kernel that Python calls (`entry`).
        arrays: returns the arrays and groups of arrays; without it, they are given to `bind`.
        changes: counts how often the arrays were replaced. When it has changed, `arrays` is called
            again.
    """

    __slots__ = ("_arrays", "_changes", "_kernel", "_seen", "binding")

    def __init__(
        self,
        kernel: Callable[..., Any],
        arrays: Callable[[], tuple[Any, ...]] | None = None,
        changes: Counted = Never,
    ) -> None:
        self._kernel = kernel
        self._arrays = arrays or tuple
        self._changes = changes
        self._seen = -1
        self.binding = Binding(kernel)

    def bind(self, *arrays: Any) -> Callable[..., Any]:
        """Use these arrays and groups from now on; return the function that runs the kernel."""
        known = self.binding
        if len(arrays) != len(known.arrays) or not all(map(is_, arrays, known.arrays)):
            known = self.binding = Binding(bind(self._kernel, *arrays), arrays)
        self._seen = self._changes.count
        return known.run

    def __call__(self, *others: Any) -> Any:
        """Run the kernel on the arrays and on these arguments."""
        if self._seen != self._changes.count:
            self.bind(*self._arrays())
        return self.binding.run(*others)
