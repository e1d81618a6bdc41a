"""Polygons: area, orientation, inside and shape of a ring, a closed chain of points.

Some kernels take a ring as rows points[first:last] of positions (N, 2), the other functions as its
points (K, 2) [m]. A point is inside where the winding number of the ring around it is not 0: also
where a ring that crosses itself goes around it twice.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Floats1, Floats2, Uint32s1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.elementary.sums import total
from ecs_softbody.indices import arange, searchsorted
from ecs_softbody.parallel.compiling import entry, kernel

STRAIGHT = 1e-12
"""A point counts as on the line of an edge if the cross product of both is less than this times the
square of the ring's size.
"""
BENT = 1e-7
"""A ring that turns the wrong way at a point by less than this [rad] is still convex: it is
rounding, as in circles and at points on a straight side.
"""
DEEP = 3.0
"""Least ratio of the way along the ring to the way across, at a gap that counts as deep. Along a
gap as deep as wide (down, across, up) it is three times as far as across.
"""
PLACES, FEWEST_PLACES, MOST_PLACES = 4, 100, 600
"""`has_deep_gap` compares PLACES places for each point of a ring with each other, in all
FEWEST_PLACES to MOST_PLACES of them.
"""


@kernel
def orientation(position: np.ndarray, points: np.ndarray, first: int, last: int) -> float:
    """Return +1 if the ring points[first:last] runs counter-clockwise at the present positions,
    else -1: the sign of its signed area.
    """
    twice_area = 0.0
    before = points[last - 1]
    for k in range(first, last):
        here = points[k]
        twice_area += (
            position[before, 0] * position[here, 1] - position[here, 0] * position[before, 1]
        )
        before = here
    return 1.0 if twice_area >= 0.0 else -1.0


@entry
def is_inside(
    px: float, py: float, position: Floats2, points: Uint32s1, first: int, last: int
) -> bool:
    """True if the point (px, py) is inside the ring points[first:last]: its winding number is not
    0.

    The edges that cross the horizontal line of the point are counted to the right of it: +1 for one
    that goes up, -1 for one that goes down.
    """
    turns = 0
    previous = points[last - 1]
    ax = position[previous, 0]
    ay = position[previous, 1]
    for k in range(first, last):
        row = points[k]
        bx = position[row, 0]
        by = position[row, 1]
        if (ay <= py) != (by <= py):
            side = (bx - ax) * (py - ay) - (px - ax) * (by - ay)
            if by > ay and side > 0.0:
                turns += 1
            elif by < ay and side < 0.0:
                turns -= 1
        ax = bx
        ay = by
    return turns != 0


@entry
def fill_shoelaces(ring: Floats2, twice: Floats1) -> None:
    """Write twice the signed area (K,) [m²] of the triangle of each edge of a ring (K, 2) and its
    first point: their sum is twice the area of the ring.
    """
    count = len(ring)
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        x = ring[k, 0] - ring[0, 0]
        y = ring[k, 1] - ring[0, 1]
        twice[k] = x * (ring[after, 1] - ring[0, 1]) - y * (ring[after, 0] - ring[0, 0])


@entry
def fill_edges(ring: Floats2, size: Floats1) -> None:
    """Write the length (K,) [m] of the edge from every point of a ring (K, 2) to the next."""
    count = len(ring)
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        size[k] = hypot(ring[after, 0] - ring[k, 0], ring[after, 1] - ring[k, 1])


def signed_area(ring: Floats) -> float:
    """Return the area [m²] inside a ring of points (K, 2), negative when it runs clockwise."""
    twice = np.empty(len(ring))
    fill_shoelaces(np.ascontiguousarray(ring, dtype=np.float64), twice)
    return 0.5 * total(twice)


def has_deep_gap(ring: Floats) -> bool:
    """Return whether a ring of points (K, 2), K >= 3, has a gap that is deeper than wide, as a slit
    or a C has.

    Two places on the ring face each other across a gap if the straight way between them begins and
    ends outside, and the way along the ring is more than DEEP times as long. Places at even
    distances along the ring are compared, each with each.
    """
    ring = np.ascontiguousarray(ring, dtype=np.float64)
    edges = np.roll(ring, -1, axis=0) - ring
    inward = np.column_stack((-edges[:, 1], edges[:, 0])) * (
        1.0 if signed_area(ring) > 0.0 else -1.0
    )
    size = lengths(edges)
    after = np.roll(edges, -1, axis=0)
    turn = (inward * after).sum(axis=1)
    bent = BENT * size * np.roll(size, -1)
    if ((turn >= bent) | (turn >= -bent) & ((edges * after).sum(axis=1) >= 0.0)).all():
        return False  # convex
    # Places along the ring: their edge, point, distance along the ring from each other, and the
    # vector from each to each.
    start = np.concatenate(([0.0], np.cumsum(size, dtype=np.float64)))
    count = min(max(PLACES * len(ring), FEWEST_PLACES), MOST_PLACES)
    place = (arange(count) + 0.5) * (start[-1] / count)
    edge = searchsorted(start[1:], place, side="right")
    point = ring[edge] + ((place - start[edge]) / size[edge])[:, None] * edges[edge]
    along = np.abs(place - place[:, None])
    along = np.minimum(along, start[-1] - along)
    way = point - point[:, None]
    x, y = inward[edge].T
    # A sum along the last axis would take six times as long.
    is_outside = way[..., 0] * x[:, None] + way[..., 1] * y[:, None] < 0.0
    return bool((is_outside & is_outside.T & (along > DEEP * lengths(way))).any())


def mean_edge(ring: Floats) -> float:
    """Return the mean length of the edges of a ring (K, 2) [m]."""
    size = np.empty(len(ring))
    fill_edges(np.ascontiguousarray(ring, dtype=np.float64), size)
    return total(size) / len(size)


@entry
def is_convex(ring: Floats2) -> bool:
    """True if a ring (K, 2) turns one way only, and goes round once. Points that coincide are
    skipped.

    A ring that goes round once changes its direction in x, left or right, twice.
    """
    last = len(ring) - 1
    x = ring[last, 0]
    y = ring[last, 1]
    before = last - 1
    while before >= 0 and ring[before, 0] == x and ring[before, 1] == y:
        before -= 1
    if before < 0:
        return False
    along_x = x - ring[before, 0]
    along_y = y - ring[before, 1]
    turned = 0.0
    reversals = 0
    for k in range(last + 1):
        next_x = ring[k, 0] - x
        next_y = ring[k, 1] - y
        if next_x == 0.0 and next_y == 0.0:
            continue
        turn = along_x * next_y - along_y * next_x
        if turn * turned < 0.0 or (turn == 0.0 and along_x * next_x + along_y * next_y < 0.0):
            return False
        if turn != 0.0:
            turned = turn
        if (next_x < 0.0) != (along_x < 0.0):
            reversals += 1
        x = ring[k, 0]
        y = ring[k, 1]
        along_x = next_x
        along_y = next_y
    return turned != 0.0 and reversals <= 2


@entry
def is_self_intersecting(ring: Floats2) -> bool:
    """True if two edges of a ring (K, 2) that are not neighbours cross."""
    count = len(ring)
    left, bottom = right, top = ring[0, 0], ring[0, 1]
    for k in range(1, count):
        left = min(left, ring[k, 0])
        right = max(right, ring[k, 0])
        bottom = min(bottom, ring[k, 1])
        top = max(top, ring[k, 1])
    size = max(right - left, top - bottom)
    slack = STRAIGHT * (size * size)
    for k in range(count - 2):
        for other in range(k + 2, count - 1 if k == 0 else count):
            if parts_ends(ring, k, other, slack) and parts_ends(ring, other, k, slack):
                return True
    return False


@kernel
def parts_ends(ring: np.ndarray, k: int, other: int, slack: float) -> bool:
    """True if the ends of edge `other` lie on different sides of the line of edge k. slack [m²]: an
    end whose cross product with edge k is smaller lies on the line.
    """
    after = (k + 1) % len(ring)
    end = (other + 1) % len(ring)
    along_x = ring[after, 0] - ring[k, 0]
    along_y = ring[after, 1] - ring[k, 1]
    one = along_x * (ring[other, 1] - ring[k, 1]) - along_y * (ring[other, 0] - ring[k, 0])
    two = along_x * (ring[end, 1] - ring[k, 1]) - along_y * (ring[end, 0] - ring[k, 0])
    if abs(one) < slack or abs(two) < slack:
        return False
    return one * two < 0.0


def contains(ring: Floats, points: Floats) -> Flags:
    """Return which points (P, 2) lie inside a ring (K, 2)."""
    rows = np.arange(len(ring), dtype=np.uint32)
    return np.array(
        [is_inside(x, y, ring, rows, 0, len(ring)) for x, y in points.tolist()], np.bool_
    )


def distance_to(ring: Floats, points: Floats) -> Floats:
    """Return the distance of each point (P, 2) to the nearest corner of a ring, shape (P,)."""
    away = points[:, None, :] - ring[None, :, :]
    nearest: Floats = lengths(away).min(axis=1)
    return nearest
