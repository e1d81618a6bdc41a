"""Hyperbolic sine and cosine, from e^|x| - 1 where that is exact for small numbers.

Errors are below 3 units.
"""

import math

from ecs_softbody.elementary.exponential import exp, expm1
from ecs_softbody.parallel.compiling import entry

MOST = 709.0
"""The exponential of a little more has no room in a double, half of it has."""


@entry
def sinh(x: float) -> float:
    """Return (e^x - e^-x) / 2."""
    size = abs(x)
    if size > MOST:
        root = exp(0.5 * size)
        return math.copysign(0.5 * root * root, x)
    less_one = expm1(size)
    return math.copysign(0.5 * (less_one + less_one / (less_one + 1.0)), x)


@entry
def cosh(x: float) -> float:
    """Return (e^x + e^-x) / 2."""
    size = abs(x)
    if size > MOST:
        root = exp(0.5 * size)
        return 0.5 * root * root
    whole = exp(size)
    return 0.5 * (whole + 1.0 / whole)
