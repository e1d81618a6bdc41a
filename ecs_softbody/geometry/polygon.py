"""Polygons: area, orientation and inside of a ring.

Kernels take a ring as rows points[first:last] of positions (N, 2), the other functions as its points (K, 2).
A point is inside where the winding number is not 0: also where a ring that crosses itself goes around it twice.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Floats2, Uint32s1
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.parallel.compiling import entry, kernel

STRAIGHT = 1e-12
"""Points off a line by this times the size of the ring lie on it."""


@kernel
def orientation(position: np.ndarray, points: np.ndarray, first: int, last: int) -> float:
    """Return +1 where the ring points[first:last] runs counter-clockwise now, else -1: the sign of its signed area."""
    twice_area = 0.0
    before = points[last - 1]
    for k in range(first, last):
        here = points[k]
        twice_area += position[before, 0] * position[here, 1] - position[here, 0] * position[before, 1]
        before = here
    return 1.0 if twice_area >= 0.0 else -1.0


@entry
def is_inside(px: float, py: float, position: Floats2, points: Uint32s1, first: int, last: int) -> bool:
    """True if the winding number of the ring points[first:last] around a point is not 0."""
    turns = 0
    previous = points[last - 1]
    ax, ay = position[previous, 0], position[previous, 1]
    for k in range(first, last):
        row = points[k]
        bx, by = position[row, 0], position[row, 1]
        if (ay <= py) != (by <= py):
            side = (bx - ax) * (py - ay) - (px - ax) * (by - ay)
            if by > ay and side > 0.0:
                turns += 1
            elif by < ay and side < 0.0:
                turns -= 1
        ax, ay = bx, by
    return turns != 0


def signed_area(ring: Floats) -> float:
    """Return the area [m²] inside a ring of points (K, 2), negative when it runs clockwise."""
    from_first = ring - ring[0]
    (x, y), (x_after, y_after) = from_first.T, following(from_first).T
    return 0.5 * float((x * y_after - y * x_after).sum())


def following(ring: Floats) -> Floats:
    """Return the next point of each point of a ring."""
    after: Floats = np.concatenate((ring[1:], ring[:1]))
    return after


def mean_edge(ring: Floats) -> float:
    """Return the mean length of the edges of a ring."""
    return float(lengths(following(ring) - ring).mean())


def is_self_intersecting(ring: Floats) -> bool:
    """True if two edges of a ring that are not neighbours cross."""
    count = len(ring)
    start_side = _sides(ring, following(ring), ring)
    slack = STRAIGHT * float(np.ptp(ring, axis=0).max()) ** 2
    start_side[np.abs(start_side) < slack] = 0.0
    end_side = np.concatenate((start_side[:, 1:], start_side[:, :1]), axis=1)
    apart = start_side * end_side < 0.0  # [k, l]: the ends of edge l lie on both sides of the line of edge k
    both = apart & apart.T
    index = np.arange(count)
    gap = np.abs(index[:, None] - index[None, :])
    both[(gap <= 1) | (gap == count - 1)] = False
    return bool(both.any())


def _sides(start: Floats, end: Floats, points: Floats) -> Floats:
    """Return on which side of each line k every point l is, shape (K, L)."""
    along = (end - start)[:, None, :]
    to = points[None, :, :] - start[:, None, :]
    sides: Floats = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
    return sides


def contains(ring: Floats, points: Floats) -> Flags:
    """Return which points (P, 2) lie inside a ring (K, 2)."""
    rows = np.arange(len(ring), dtype=np.uint32)
    return np.array([is_inside(x, y, ring, rows, 0, len(ring)) for x, y in points.tolist()], np.bool_)


def distance_to(ring: Floats, points: Floats) -> Floats:
    """Return the distance of each point (P, 2) to the nearest corner of a ring, shape (P,)."""
    away = points[:, None, :] - ring[None, :, :]
    nearest: Floats = lengths(away).min(axis=1)
    return nearest
