"""Outline: the edges of a body as air and water meet them, the ring of its particles grown by the body's skin.

A corner of a ring moves out along m = s (n₁ + n₂) / (1 + n₁·n₂) with the normals of both edges, so edges stay parallel
to themselves at the distance s; where the ring turns by more than 120 degrees, less far than that.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

BLUNTEST = 0.5
"""Smallest 1 + n₁·n₂ that counts."""
MOST_STRETCHED = 2.0
"""An edge catches wind and currents with no more than this times its length at rest."""


@lean
def turn_of_ring(place: np.ndarray, points: np.ndarray, first: int, last: int) -> float:
    """Return +1 where the ring points[first:last] runs counter-clockwise now, else -1."""
    twice_area = 0.0
    before = points[last - 1]
    for k in range(first, last):
        here = points[k]
        twice_area += place[before, 0] * place[here, 1] - place[here, 0] * place[before, 1]
        before = here
    return 1.0 if twice_area >= 0.0 else -1.0


@lean
def grown_corner(
    place: np.ndarray, points: np.ndarray, first: int, last: int, k: int, skin: float
) -> tuple[float, float]:
    """Return corner k of a ring moved out by `skin`, below 0 for a ring that runs clockwise."""
    here = points[k]
    x, y = place[here, 0], place[here, 1]
    if skin == 0.0:
        return x, y
    before, after = points[k - 1 if k > first else last - 1], points[k + 1 if k + 1 < last else first]
    ax, ay, bx, by = x - place[before, 0], y - place[before, 1], place[after, 0] - x, place[after, 1] - y
    a, b = math.sqrt(ax * ax + ay * ay), math.sqrt(bx * bx + by * by)
    ax, ay = (ay / a, -ax / a) if a > 0.0 else (0.0, 0.0)
    bx, by = (by / b, -bx / b) if b > 0.0 else (0.0, 0.0)
    share = skin / max(1.0 + ax * bx + ay * by, BLUNTEST)
    return x + share * (ax + bx), y + share * (ay + by)


@lean
def catching_share(size: float, rest: np.ndarray, i: int, j: int) -> float:
    """Return the share of an edge's size [m] that catches a stream: no more than `MOST_STRETCHED` of its size at rest.

    A stream pulls the more the more it has stretched an edge: without a bound a light skin in a storm runs away.
    """
    dx, dy = rest[j, 0] - rest[i, 0], rest[j, 1] - rest[i, 1]
    most = MOST_STRETCHED * math.sqrt(dx * dx + dy * dy)
    return most / size if 0.0 < most < size else 1.0
