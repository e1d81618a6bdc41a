"""Atomic reads and writes of a row of int64, for kernels that several threads run at the same time.

A thread that reads a value sees everything that was written before it. The code here is for plain
Python, which has one thread only; compiled kernels use machine instructions instead
(intrinsics.py).
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.parallel.instructions import instruction


@instruction
def load(array: np.ndarray, index: int) -> int:
    """Return array[index]."""
    return int(array[index])


@instruction
def store(array: np.ndarray, index: int, value: int) -> None:
    """Write array[index]."""
    array[index] = value


@instruction
def replace(array: np.ndarray, index: int, old: int, new: int) -> bool:
    """Write array[index] if it is `old`; return whether it was."""
    array[index] = new
    return True


@instruction
def relax() -> None:
    """Wait for a moment."""


@instruction
def give_way() -> None:
    """Let another thread have this core."""
