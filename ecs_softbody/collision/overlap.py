"""Overlap: which shapes share a point, for sensors and for region queries."""

import numpy as np

from ecs_softbody.collision.shapes import DISCS, FILLED, Geometry, edge_gap, is_inside, next_point
from ecs_softbody.kernels.compiling import lean


@lean
def edges_cross(ax: float, ay: float, bx: float, by: float, cx: float, cy: float, dx: float, dy: float) -> bool:
    """Tell whether the segments a-b and c-d cross."""
    side_c = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    side_d = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    side_a = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    side_b = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    return (side_c > 0.0) != (side_d > 0.0) and (side_a > 0.0) != (side_b > 0.0)


@lean
def goes_around(outer: Geometry, i: int, inner: Geometry, j: int) -> bool:
    """Tell whether the inside of shape i holds shape j, or of a shape of discs any of their middles.

    One point tells it for all of a connected shape, unless their edges cross.
    """
    place, _, points, first, last, kind = outer
    other, _, other_points, other_first, other_last, other_kind = inner
    if kind[i] != FILLED:
        return False
    stop = other_last[j] if other_kind[j] == DISCS else other_first[j] + 1
    for k in range(other_first[j], stop):
        p = other_points[k]
        if is_inside(other[p, 0], other[p, 1], place, points, first[i], last[i]):
            return True
    return False


@lean
def shapes_overlap(a: Geometry, i: int, b: Geometry, j: int, box: np.ndarray, near: float) -> bool:
    """Tell whether shape i of a and shape j of b, whose box is box[j], come within `near` [m]."""
    place, reach, points, first, last, kind = a
    other, other_reach, other_points, other_first, other_last, other_kind = b
    if goes_around(a, i, b, j) or goes_around(b, j, a, i):
        return True
    for k in range(first[i], last[i]):
        p, q = points[k], next_point(points, first[i], last[i], kind[i], k)
        if q < 0:
            break
        ax, ay, bx, by = place[p, 0], place[p, 1], place[q, 0], place[q, 1]
        rp, rq = reach[p], reach[q]
        far = max(rp, rq) + near
        if min(ax, bx) > box[j, 2] + far or max(ax, bx) < box[j, 0] - far:
            continue
        if min(ay, by) > box[j, 3] + far or max(ay, by) < box[j, 1] - far:
            continue
        for m in range(other_first[j], other_last[j]):
            v, w = other_points[m], next_point(other_points, other_first[j], other_last[j], other_kind[j], m)
            if w < 0:
                break
            cx, cy, dx, dy = other[v, 0], other[v, 1], other[w, 0], other[w, 1]
            rv, rw = other_reach[v], other_reach[w]
            if edges_cross(ax, ay, bx, by, cx, cy, dx, dy):
                return True
            if ends_touch(ax, ay, rp, bx, by, rq, cx, cy, dx, dy, rv, rw, near) or ends_touch(
                cx, cy, rv, dx, dy, rw, ax, ay, bx, by, rp, rq, near
            ):
                return True
    return False


@lean
def ends_touch(
    ax: float,
    ay: float,
    ra: float,
    bx: float,
    by: float,
    rb: float,
    cx: float,
    cy: float,
    dx: float,
    dy: float,
    rc: float,
    rd: float,
    near: float,
) -> bool:
    """Tell whether the discs at a or b come within `near` of the thick edge c-d."""
    distance, thickness, _ = edge_gap(ax, ay, cx, cy, dx, dy, rc, rd)
    if distance <= ra + thickness + near:
        return True
    distance, thickness, _ = edge_gap(bx, by, cx, cy, dx, dy, rc, rd)
    return distance <= rb + thickness + near


@lean
def find_sensed(
    sensors: np.ndarray,
    a: Geometry,
    box_a: np.ndarray,
    category_a: np.ndarray,
    mask_a: np.ndarray,
    b: Geometry,
    box_b: np.ndarray,
    category_b: np.ndarray,
    mask_b: np.ndarray,
    sensor_b: np.ndarray,
    begin: float,
    end: float,
    found: np.ndarray,
) -> int:
    """Write found (F, 3) = sensor of a, shape of b that is no sensor, 1 where within `begin`, 0 where within `end` [m].

    Return how many there are; where there are more than `found` has rows for, the rest is not written.
    """
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for k in range(sensors.shape[0]):
        i = sensors[k]
        for j in range(box_b.shape[0]):
            if sensor_b[j] or (category_a[i] & mask_b[j]) == 0 or (category_b[j] & mask_a[i]) == 0:
                continue
            if not boxes_near(box_a, i, box_b, j, end):
                continue
            touches = shapes_overlap(a, i, b, j, box_b, begin)
            if touches or shapes_overlap(a, i, b, j, box_b, end):
                if count < found.shape[0]:
                    found[count, 0], found[count, 1], found[count, 2] = i, j, 1 if touches else 0
                count += 1
    return count


@lean
def boxes_near(a: np.ndarray, i: int, b: np.ndarray, j: int, near: float) -> bool:
    """Tell whether box i of a and box j of b come within `near` [m] along both axes."""
    return bool(
        a[i, 0] <= b[j, 2] + near
        and b[j, 0] <= a[i, 2] + near
        and a[i, 1] <= b[j, 3] + near
        and b[j, 1] <= a[i, 3] + near
    )
