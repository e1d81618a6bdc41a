"""Atomic reads and writes of an array of int64, for kernels that several threads run at the same
time (thread_team.py).

A thread that loads a value that another one stored sees everything that the other had written
before. The bodies here are for plain Python, which has one thread only; compiled kernels use
machine instructions instead (intrinsics.py).
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.parallel.instructions import instruction


@instruction
def load(array: np.ndarray, index: int) -> int:
    """Return array[index] (acquire)."""
    return int(array[index])


@instruction
def store(array: np.ndarray, index: int, value: int) -> None:
    """Write array[index] (release)."""
    array[index] = value


@instruction
def replace(array: np.ndarray, index: int, old: int, new: int) -> bool:
    """Write `new` to array[index] if it is `old`; return whether it was (compare and swap)."""
    array[index] = new
    return True


@instruction
def relax() -> None:
    """Wait for a moment in a loop that looks at a number, without giving the core away."""


@instruction
def give_way() -> None:
    """Let another thread have this core."""
