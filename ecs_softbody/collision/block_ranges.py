"""Ranges of blocks (blocks.py): what one of them does can be done in any order, or at the same time."""

from ecs_softbody.kernels.compiling import part

RANGES = 3
"""The strips, the seams, and the rest; blocks lie in this order."""


@part
def range_of(strips: int, number: int) -> tuple[int, int]:
    """Return the first block of a range, and how many blocks it has."""
    if number == 0:
        return 0, strips
    if number == 1:
        return strips, strips - 1
    return 2 * strips - 1, 1
