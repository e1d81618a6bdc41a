"""Overlap: which shapes share a point, for sensors and for region queries.

Two shapes do if one is inside the other or two of their thick edges touch: a thick edge is a
segment with a radius at each end, a disc where both ends are one.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats2, Integers1, Integers2
from ecs_softbody.collision.query.targets import FilterColumns
from ecs_softbody.geometry.box import boxes_within
from ecs_softbody.geometry.outlines import DISCS, FILLED, Shapes, next_point
from ecs_softbody.geometry.polygon import is_inside
from ecs_softbody.geometry.segment import ThickEdge, distance_to_thick_edge, edges_cross, thick_edge
from ecs_softbody.parallel.compiling import entry, kernel


class Sensed(NamedTuple):
    """S shapes with their boxes (S, 4) and filters."""

    shapes: Shapes
    box: Floats2
    filters: FilterColumns


@kernel
def is_around(outer: Shapes, i: int, inner: Shapes, j: int) -> bool:
    """True if shape j of `inner` lies inside shape i of `outer`; for a set of discs, if any centre
    does.

    Its first point tells it for all of a connected shape, unless their edges cross.
    """
    points = outer.outlines.points
    first = outer.outlines.first[i]
    last = outer.outlines.last[i]
    other = inner.position
    other_first = inner.outlines.first[j]
    if outer.outlines.kind[i] != FILLED:
        return False
    stop = inner.outlines.last[j] if inner.outlines.kind[j] == DISCS else other_first + 1
    for k in range(other_first, stop):
        p = inner.outlines.points[k]
        if is_inside(other[p, 0], other[p, 1], outer.position, points, first, last):
            return True
    return False


@kernel
def shapes_overlap(a: Shapes, i: int, b: Shapes, j: int, box: np.ndarray, distance: float) -> bool:
    """True if shape i of a and shape j of b, whose box is box[j], come within a distance [m]."""
    if is_around(a, i, b, j) or is_around(b, j, a, i):
        return True
    points = a.outlines.points
    first = a.outlines.first[i]
    last = a.outlines.last[i]
    kind = a.outlines.kind[i]
    others = b.outlines.points
    start = b.outlines.first[j]
    stop = b.outlines.last[j]
    other_kind = b.outlines.kind[j]
    for k in range(first, last):
        p = points[k]
        q = next_point(points, first, last, kind, k)
        if q < 0:
            break
        one = thick_edge(a.position, a.radius, p, q)
        far = max(one.ra, one.rb) + distance
        if min(one.ax, one.bx) > box[j, 2] + far or max(one.ax, one.bx) < box[j, 0] - far:
            continue
        if min(one.ay, one.by) > box[j, 3] + far or max(one.ay, one.by) < box[j, 1] - far:
            continue
        for m in range(start, stop):
            v = others[m]
            w = next_point(others, start, stop, other_kind, m)
            if w < 0:
                break
            other = thick_edge(b.position, b.radius, v, w)
            if (
                edges_cross(one, other)
                or ends_touch(one, other, distance)
                or ends_touch(other, one, distance)
            ):
                return True
    return False


@kernel
def ends_touch(one: ThickEdge, other: ThickEdge, within: float) -> bool:
    """True if the discs at the ends of one edge come within a distance [m] of the other edge."""
    distance, thickness, _ = distance_to_thick_edge(one.ax, one.ay, other)
    if distance <= one.ra + thickness + within:
        return True
    distance, thickness, _ = distance_to_thick_edge(one.bx, one.by, other)
    return distance <= one.rb + thickness + within


@entry
def find_sensed(
    sensors: Integers1, a: Sensed, b: Sensed, begin: float, end: float, found: Integers2
) -> int:
    """Find which shapes of b that are no sensors overlap the `sensors` (K,) of a; return how many.

    Written to each row of `found` (F, 3): sensor, shape, and 1 if they are within `begin` [m], 0 if
    only within `end` [m]. If there are more than F, the rest is counted but not written.
    """
    own = a.filters
    other = b.filters
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for k in range(sensors.shape[0]):
        i = sensors[k]
        for j in range(b.box.shape[0]):
            if (
                other.sensor[j]
                or (own.category[i] & other.mask[j]) == 0
                or (other.category[j] & own.mask[i]) == 0
            ):
                continue
            if not boxes_within(a.box, i, b.box, j, end):
                continue
            touches = shapes_overlap(a.shapes, i, b.shapes, j, b.box, begin)
            if touches or shapes_overlap(a.shapes, i, b.shapes, j, b.box, end):
                if count < found.shape[0]:
                    found[count, 0] = i
                    found[count, 1] = j
                    found[count, 2] = 1 if touches else 0
                count += 1
    return count
