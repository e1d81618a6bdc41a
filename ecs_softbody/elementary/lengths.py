"""Lengths of vectors: hypot, with the same bits on every machine (why: __init__.py)."""

import math

from ecs_softbody.parallel.compiling import inline, kernel

LEAST, MOST = 1e-290, 1e300
"""A sum of squares between these has neither overflowed nor lost digits to underflow."""
FAR = 2.0**600
"""Factor that brings extreme numbers into this range; a power of two changes no digits."""


@kernel
def far_hypot(x: float, y: float) -> float:
    """Return sqrt(x^2 + y^2) where a square is too large or too small for a double."""
    x = abs(x)
    y = abs(y)
    if math.isinf(x) or math.isinf(y):
        return math.inf
    if x > 1.0 or y > 1.0:
        x = x / FAR
        y = y / FAR
        return math.sqrt(x * x + y * y) * FAR
    x = x * FAR
    y = y * FAR
    return math.sqrt(x * x + y * y) / FAR


@inline
def hypot(x: float, y: float) -> float:
    """Return sqrt(x^2 + y^2), for numbers of any size; infinite if one is infinite."""
    squares = x * x + y * y
    if LEAST < squares < MOST:
        return math.sqrt(squares)
    return far_hypot(x, y)
