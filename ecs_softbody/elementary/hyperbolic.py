"""Hyperbolic sine and cosine, with the same bits on every machine (why: __init__.py). sinh is
computed from e^|x| - 1, which keeps all digits for small numbers. Errors are below 3 units in the
last place.
"""

import math

from ecs_softbody.elementary.exponential import exp, expm1
from ecs_softbody.parallel.compiling import entry

MOST = 709.0
"""The exponential of a little more (709.78) is too large for a double, while half of it may fit:
beyond this, it is computed as the square of e^(|x|/2).
"""


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
