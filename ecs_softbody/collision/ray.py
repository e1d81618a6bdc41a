"""Ray: where a moving point or disc first meets a shape.

A disc of radius r meets a shape where a point meets one whose surface is r further out. In the frame of a thick edge,
u along it and v across, the surface is the lines v = ±(r_a + m u) with m = (r_b - r_a) / length, closed by half a
circle at each end.
"""

import math

import numpy as np

from ecs_softbody.collision.shapes import Geometry, edge_gap, next_point
from ecs_softbody.kernels.compiling import lean

SEAM = 1e-9
"""Lines and circles overlap by this share of the edge, so that no ray passes between them."""


@lean
def way_to_circle(x: float, y: float, dx: float, dy: float, radius: float) -> float:
    """Return how far a point at (x, y) from the middle of a circle goes along (dx, dy) until it enters; inf: never."""
    along = x * dx + y * dy
    rest = along * along - (x * x + y * y - radius * radius)
    if rest < 0.0:
        return math.inf
    way = -along - math.sqrt(rest)
    return way if way >= 0.0 else math.inf


@lean
def way_to_edge(
    x: float,
    y: float,
    dx: float,
    dy: float,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    ra: float,
    rb: float,
) -> float:
    """Return how far a point goes along the unit vector (dx, dy) until it enters the thick edge a-b; inf: never."""
    distance, thickness, _ = edge_gap(x, y, ax, ay, bx, by, ra, rb)
    if distance <= thickness:
        return 0.0
    ex, ey = bx - ax, by - ay
    length = math.sqrt(ex * ex + ey * ey)
    if length == 0.0:
        return way_to_circle(x - ax, y - ay, dx, dy, ra)
    ex, ey = ex / length, ey / length
    u, v = (x - ax) * ex + (y - ay) * ey, (y - ay) * ex - (x - ax) * ey
    du, dv = dx * ex + dy * ey, dy * ex - dx * ey
    nearest = math.inf
    way = way_to_circle(u, v, du, dv, ra)
    if way < nearest and u + way * du <= SEAM * length:
        nearest = way
    way = way_to_circle(u - length, v, du, dv, rb)
    if way < nearest and u + way * du >= (1.0 - SEAM) * length:
        nearest = way
    slope = (rb - ra) / length
    for side in (-1.0, 1.0):
        closing = dv - side * slope * du
        if closing * side >= 0.0:
            continue  # it leaves this line, or goes along it
        way = (side * (ra + slope * u) - v) / closing
        if 0.0 <= way < nearest and -SEAM * length <= u + way * du <= (1.0 + SEAM) * length:
            nearest = way
    return nearest


@lean
def passes_by(
    x: float,
    y: float,
    dx: float,
    dy: float,
    limit: float,
    radius: float,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: int,
    last: int,
) -> bool:
    """Tell quickly that a ray misses a shape: all of it is behind, beyond `limit`, or on one side."""
    low_u, high_u, low_v, high_v, widest = math.inf, -math.inf, math.inf, -math.inf, 0.0
    for k in range(first, last):
        p = points[k]
        px, py = place[p, 0] - x, place[p, 1] - y
        u, v = px * dx + py * dy, py * dx - px * dy
        # Plain comparisons: min and max, which care for NaN, cost several times as much here.
        low_u = u if u < low_u else low_u
        high_u = u if u > high_u else high_u
        low_v = v if v < low_v else low_v
        high_v = v if v > high_v else high_v
        widest = reach[p] if reach[p] > widest else widest
    widest += radius
    return not (low_u <= limit + widest and high_u >= -widest and low_v <= widest and high_v >= -widest)


@lean
def cast_ray(
    geometry: Geometry,
    wanted: np.ndarray,
    x: float,
    y: float,
    dx: float,
    dy: float,
    limit: float,
    radius: float,
    nearest_only: bool,
    edge: np.ndarray,
    found: np.ndarray,
) -> float:
    """Write edge (S, 2), the rows of the edge that a ray meets first in each shape, and found (S, 3): distance, normal.

    The ray goes from (x, y) along the unit vector (dx, dy), as a disc of `radius`, at most `limit` [m]. Distance inf:
    not met, or not `wanted` (S,). With `nearest_only` shapes further away than another one count as not met. Returns
    the least distance, or `limit`.
    """
    place, reach, points, first, last, kind = geometry
    for s in range(first.shape[0]):
        found[s, 0] = math.inf
        if not wanted[s]:
            continue
        if passes_by(x, y, dx, dy, limit, radius, place, reach, points, first[s], last[s]):
            continue
        nearest, start = math.inf, first[s]
        for k in range(first[s], last[s]):
            p, q = points[k], next_point(points, first[s], last[s], kind[s], k)
            if q < 0:
                break
            way = way_to_edge(
                x, y, dx, dy, place[p, 0], place[p, 1], place[q, 0], place[q, 1], reach[p] + radius, reach[q] + radius
            )
            if way < nearest and way <= limit:
                nearest, start = way, k
        if nearest == math.inf:
            continue
        p, q = points[start], next_point(points, first[s], last[s], kind[s], start)
        cx, cy = x + nearest * dx, y + nearest * dy
        _, _, t = edge_gap(cx, cy, place[p, 0], place[p, 1], place[q, 0], place[q, 1], reach[p], reach[q])
        nx = cx - (1.0 - t) * place[p, 0] - t * place[q, 0]
        ny = cy - (1.0 - t) * place[p, 1] - t * place[q, 1]
        length = math.hypot(nx, ny)
        found[s, 0] = nearest
        found[s, 1], found[s, 2] = (nx / length, ny / length) if length > 0.0 else (-dx, -dy)
        edge[s, 0], edge[s, 1] = p, q
        if nearest_only:
            limit = nearest
    return limit
