"""Sums of products for plain Python: those of BLAS, behind numpy's `@`, round as the processor pleases."""

import math

import numpy as np

from ecs_softbody.arrays import Floats

FLAT = 1e-9
"""Ratio of the squares across and along a line."""


def dot(weights: Floats, values: Floats) -> Floats:
    """Return the sums over k of weights[..., k] values[k]; values are numbers (N,) or vectors (N, D)."""
    if values.ndim == 1:
        sums: Floats = (weights * values).sum(axis=-1)
    else:
        sums = (weights[..., None] * values).sum(axis=-2)
    return sums


def solve_spread(weights: Floats, offset: Floats, target: Floats) -> Floats:
    """Return the shortest vector s whose sum of w r (r · s) is nearest to the target.

    It goes over weights w (N,) and offsets r (N, 2). Where these lie on a line, but for FLAT of it, s has nothing
    across it.
    """
    x, y = offset.T
    xx, xy, yy = (float(dot(weights, part)) for part in (x * x, x * y, y * y))
    half = 0.5 * (xx - yy)
    spread = math.sqrt(half * half + xy * xy)
    larger = 0.5 * (xx + yy) + spread
    if not larger > 0.0:
        return np.zeros(2)
    along = np.array((half + spread, xy) if half >= 0.0 else (xy, spread - half))
    size = math.sqrt(along[0] * along[0] + along[1] * along[1])
    along = along / size if size > 0.0 else np.array((1.0, 0.0))
    across = np.array((-along[1], along[0]))
    smaller = (xx * yy - xy * xy) / larger
    found: Floats = along * (float(dot(along, target)) / larger)
    if smaller > FLAT * larger:
        found += across * (float(dot(across, target)) / smaller)
    return found
