"""Atomic reads and writes of a row of int64, for kernels that several threads run at the same time.

A thread that reads a value sees everything that was written before it. What is written here is what plain Python does,
which has one thread only; compiled kernels get machine instructions in its place (intrinsics.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from ecs_softbody.parallel.compiling import IS_PYTHON

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Atomic:
    """A function that numba replaces by machine instructions."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        from ecs_softbody.parallel import intrinsics

        context = cpu_target.typing_context
        context.refresh()
        return context.resolve_value_type(getattr(intrinsics, self._name))


def atomic(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let compiled kernels use the instructions of the same name."""
    return function if IS_PYTHON else cast(Callable[Parameters, Result], Atomic(function.__name__))


@atomic
def load(array: np.ndarray, index: int) -> int:
    """Return array[index]."""
    return int(array[index])


@atomic
def store(array: np.ndarray, index: int, value: int) -> None:
    """Write array[index]."""
    array[index] = value


@atomic
def replace(array: np.ndarray, index: int, old: int, new: int) -> bool:
    """Write array[index] if it is `old`; return whether it was."""
    array[index] = new
    return True


@atomic
def relax() -> None:
    """Wait for a moment."""


@atomic
def give_way() -> None:
    """Let another thread have this core."""
