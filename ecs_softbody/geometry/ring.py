"""Grown rings: the outline that wind, water and explosions act on. It is the ring of a body's
particles, moved out by its skin, the distance s from the particles to the surface.

A corner of a ring moves out by m = s (n₁ + n₂) / (1 + n₁·n₂) with the outward normals of both of
its edges, so edges stay parallel to themselves at the distance s. Where the ring turns by more than
120 degrees, where corners would move out too far, the denominator stays at 1/2.
"""

import math

import numpy as np

from ecs_softbody.parallel.compiling import kernel

BLUNTEST = 0.5
"""Least value of 1 + n₁·n₂: that at a turn of 120 degrees."""
MOST_STRETCHED = 2.0
"""An edge catches wind and currents with no more than this times its length in the rest shape."""


@kernel
def grown_corner(
    position: np.ndarray, points: np.ndarray, first: int, last: int, k: int, skin: float
) -> tuple[float, float]:
    """Return the place (x, y) [m] of corner k of the ring points[first:last], moved out by `skin`
    [m]; skin has to be below 0 for a ring that runs clockwise.
    """
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
    """Return the share (0 to 1) of an edge's present length `size` [m] that catches wind or water:
    no more than `MOST_STRETCHED` times its length in the rest shape (rest, (N, 2)) counts. i, j:
    its particles.

    The longer a stream has stretched an edge, the harder it pulls: without this limit a light skin
    in a storm is stretched without end.
    """
    dx = rest[j, 0] - rest[i, 0]
    dy = rest[j, 1] - rest[i, 1]
    most = MOST_STRETCHED * math.sqrt(dx * dx + dy * dy)
    return most / size if 0.0 < most < size else 1.0
