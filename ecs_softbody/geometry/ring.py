"""Grown rings: the outline that wind and water act on, the ring of a body's particles moved out by
its skin.

A corner of a ring moves out along m = s (n₁ + n₂) / (1 + n₁·n₂) with the normals of both edges, so
edges stay parallel to themselves at the distance s; where the ring turns by more than 120 degrees,
less far than that.
"""

import math

import numpy as np

from ecs_softbody.parallel.compiling import kernel

BLUNTEST = 0.5
"""Smallest 1 + n₁·n₂ that counts."""
MOST_STRETCHED = 2.0
"""An edge catches wind and currents with no more than this times its length at rest."""


@kernel
def grown_corner(
    position: np.ndarray, points: np.ndarray, first: int, last: int, k: int, skin: float
) -> tuple[float, float]:
    """Return corner k of a ring moved out by `skin`, below 0 for a ring that runs clockwise."""
    here = points[k]
    x = position[here, 0]
    y = position[here, 1]
    if skin == 0.0:
        return x, y
    before = points[k - 1 if k > first else last - 1]
    after = points[k + 1 if k + 1 < last else first]
    ax = x - position[before, 0]
    ay = y - position[before, 1]
    bx = position[after, 0] - x
    by = position[after, 1] - y
    a = math.sqrt(ax * ax + ay * ay)
    b = math.sqrt(bx * bx + by * by)
    ax, ay = (ay / a, -ax / a) if a > 0.0 else (0.0, 0.0)
    bx, by = (by / b, -bx / b) if b > 0.0 else (0.0, 0.0)
    share = skin / max(1.0 + ax * bx + ay * by, BLUNTEST)
    return x + share * (ax + bx), y + share * (ay + by)


@kernel
def catching_share(size: float, rest: np.ndarray, i: int, j: int) -> float:
    """Return the share of an edge's length [m] that catches a stream: no more than `MOST_STRETCHED`
    of its length at rest.

    The longer a stream has stretched an edge, the harder it pulls: without a bound a light skin in
    a storm runs away.
    """
    dx = rest[j, 0] - rest[i, 0]
    dy = rest[j, 1] - rest[i, 1]
    most = MOST_STRETCHED * math.sqrt(dx * dx + dy * dy)
    return most / size if 0.0 < most < size else 1.0
