"""Prepared calls: kernels that Python calls in every substep, with arrays that seldom change.

A call looks at the type of each argument. For named groups of arrays that takes longer than a small
kernel runs. A prepared call looks only at arrays that are other objects than before, and then calls
the machine code itself.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, Protocol

from ecs_softbody.parallel.compiling import bind


class Counted(Protocol):
    """Counts the times that arrays were replaced."""

    count: int


class Never:
    """Arrays that are not replaced until the next `bind`."""

    count = 0


class Binding:
    """The arrays that a kernel is bound to, and the function that runs it on them."""

    __slots__ = ("arrays", "run")

    def __init__(self, run: Callable[..., Any], arrays: tuple[Any, ...] = ()) -> None:
        self.arrays = arrays
        self.run = run


class PreparedCall:
    """A kernel and the arrays of its first parameters; `call(*others)` runs it on these arrays and
    the others.

    Args:
        kernel: a kernel that Python calls.
        arrays: returns the arrays and groups; without it, `bind` takes them.
        changes: counts how often the arrays were replaced; `arrays` is called after each.
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
