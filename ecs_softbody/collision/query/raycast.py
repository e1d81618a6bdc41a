"""Ray casts: where a moving point or disc first meets a shape; kernels of the query `raycast`.

A disc of radius r meets a shape where a point meets one whose surface is r further out. In the
frame of a thick edge, u along it and v across, the surface is the lines v = ±(r_a + m u) with m =
(r_b - r_a) / length, closed by half a circle at each end.
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Flags1
from ecs_softbody.collision.query.targets import Hits
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.outlines import Shapes, next_point
from ecs_softbody.geometry.segment import ThickEdge, distance_to_thick_edge, thick_edge
from ecs_softbody.parallel.compiling import entry, kernel

SEAM = 1e-9
"""Lines and circles overlap by this fraction of the edge's length, so that no ray passes between
them.
"""


class Ray(NamedTuple):
    """A disc of a radius [m] that goes from (x, y) [m] along the unit vector (dx, dy)."""

    x: float
    y: float
    dx: float
    dy: float
    radius: float


@kernel
def distance_to_circle(x: float, y: float, dx: float, dy: float, radius: float) -> float:
    """Return how far a point at (x, y) from the middle of a circle goes along (dx, dy) until it
    enters; inf: never.
    """
    along = x * dx + y * dy
    rest = along * along - (x * x + y * y - radius * radius)
    if rest < 0.0:
        return math.inf
    distance = -along - math.sqrt(rest)
    return distance if distance >= 0.0 else math.inf


@kernel
def distance_to_edge(ray: Ray, edge: ThickEdge) -> float:
    """Return how far the centre of a ray goes until it enters the thick edge a-b; inf: never."""
    x = ray.x
    y = ray.y
    dx = ray.dx
    dy = ray.dy
    ra = edge.ra
    rb = edge.rb
    distance, thickness, _ = distance_to_thick_edge(x, y, edge)
    if distance <= thickness:
        return 0.0
    ex = edge.bx - edge.ax
    ey = edge.by - edge.ay
    length = math.sqrt(ex * ex + ey * ey)
    if length == 0.0:
        return distance_to_circle(x - edge.ax, y - edge.ay, dx, dy, ra)
    ex = ex / length
    ey = ey / length
    # The start and the direction of the ray in the frame of the edge, u along it and v across.
    u = (x - edge.ax) * ex + (y - edge.ay) * ey
    v = (y - edge.ay) * ex - (x - edge.ax) * ey
    du = dx * ex + dy * ey
    dv = dy * ex - dx * ey
    # The circles count only beyond the ends of the edge, the lines only between them.
    nearest = math.inf
    distance = distance_to_circle(u, v, du, dv, ra)
    if distance < nearest and u + distance * du <= SEAM * length:
        nearest = distance
    distance = distance_to_circle(u - length, v, du, dv, rb)
    if distance < nearest and u + distance * du >= (1.0 - SEAM) * length:
        nearest = distance
    slope = (rb - ra) / length
    for side in (-1.0, 1.0):
        closing = dv - side * slope * du
        if closing * side >= 0.0:
            continue  # it leaves this line, or goes along it
        distance = (side * (ra + slope * u) - v) / closing
        if (
            0.0 <= distance < nearest
            and -SEAM * length <= u + distance * du <= (1.0 + SEAM) * length
        ):
            nearest = distance
    return nearest


@kernel
def misses_shape(ray: Ray, limit: float, shapes: Shapes, s: int) -> bool:
    """True if all of shape s is behind a ray, beyond `limit` [m], or on one side of it.

    A quick test, by the box of the shape in the frame of the ray: u along it, v across.
    """
    position = shapes.position
    radius = shapes.radius
    points = shapes.outlines.points
    low_u = math.inf
    high_u = -math.inf
    low_v = math.inf
    high_v = -math.inf
    widest = 0.0
    for k in range(shapes.outlines.first[s], shapes.outlines.last[s]):
        p = points[k]
        px = position[p, 0] - ray.x
        py = position[p, 1] - ray.y
        u = px * ray.dx + py * ray.dy
        v = py * ray.dx - px * ray.dy
        # min and max, which care for NaN, would cost several times as much here.
        low_u = u if u < low_u else low_u
        high_u = u if u > high_u else high_u
        low_v = v if v < low_v else low_v
        high_v = v if v > high_v else high_v
        widest = radius[p] if radius[p] > widest else widest
    widest += ray.radius
    return not (
        low_u <= limit + widest and high_u >= -widest and low_v <= widest and high_v >= -widest
    )


@entry
def cast_ray(
    ray: Ray, limit: float, shapes: Shapes, wanted: Flags1, nearest_only: bool, hits: Hits
) -> float:
    """Find the edge that a ray meets first in each wanted shape, at most `limit` [m] away.

    With `nearest_only` shapes further away than one before them may count as not met. wanted (S,):
    shapes that count. Returns the least distance with `nearest_only`, else `limit`.
    """
    position = shapes.position
    radius = shapes.radius
    edge = hits.edge
    found = hits.surface
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first
    last = outlines.last
    kind = outlines.kind
    for s in range(first.shape[0]):
        found[s, 0] = math.inf
        if not wanted[s] or misses_shape(ray, limit, shapes, s):
            continue
        nearest = math.inf
        start = first[s]
        for k in range(first[s], last[s]):
            p = points[k]
            q = next_point(points, first[s], last[s], kind[s], k)
            if q < 0:
                break
            bare = thick_edge(position, radius, p, q)
            grown = ThickEdge(
                bare.ax, bare.ay, bare.bx, bare.by, bare.ra + ray.radius, bare.rb + ray.radius
            )
            distance = distance_to_edge(ray, grown)
            if distance < nearest and distance <= limit:
                nearest = distance
                start = k
        if nearest == math.inf:
            continue
        p = points[start]
        q = next_point(points, first[s], last[s], kind[s], start)
        cx = ray.x + nearest * ray.dx
        cy = ray.y + nearest * ray.dy
        _, _, t = distance_to_thick_edge(cx, cy, thick_edge(position, radius, p, q))
        nx = cx - (1.0 - t) * position[p, 0] - t * position[q, 0]
        ny = cy - (1.0 - t) * position[p, 1] - t * position[q, 1]
        length = hypot(nx, ny)
        found[s, 0] = nearest
        found[s, 1], found[s, 2] = (
            (nx / length, ny / length) if length > 0.0 else (-ray.dx, -ray.dy)
        )
        edge[s, 0] = p
        edge[s, 1] = q
        if nearest_only:
            limit = nearest
    return limit
