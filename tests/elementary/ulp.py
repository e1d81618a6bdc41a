"""How far a number is from the exact one."""

import math

import mpmath

mpmath.mp.prec = 200
SHARP = 1400
"""Bits with which mpmath reduces the largest angles."""


def ulps(found: float, exact: mpmath.mpf) -> float:
    """Return the error of `found` in units in the last place of the exact value."""
    if math.isinf(found):
        return (
            0.0 if abs(exact) > mpmath.mpf(1.797e308) and (found > 0.0) == (exact > 0) else math.inf
        )
    nearest = float(exact)
    return float(abs(mpmath.mpf(found) - exact) / mpmath.mpf(math.ulp(nearest)))
