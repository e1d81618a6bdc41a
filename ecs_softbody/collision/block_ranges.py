"""Ranges of blocks (blocks.py): what one of them does can be done in any order, or at the same time."""

from ecs_softbody.kernels.compiling import part

STRIPS, SEAMS, REST = 0, 1, 2
RANGES = 3
"""Blocks lie in this order. The rest is one block."""


@part
def range_of(strips: int, number: int) -> tuple[int, int]:
    """Return the first block of a range, and how many blocks it has."""
    if number == STRIPS:
        return 0, strips
    if number == SEAMS:
        return strips, strips - 1
    return 2 * strips - 1, 1
