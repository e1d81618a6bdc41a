"""Segments: the closest point of a segment, the distance from it, and whether two segments cross;
for contacts, queries and sweeps.

A thick edge is a segment a-b with a thickness, interpolated linearly from a to b: its surface is at
that distance from the segment.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.parallel.compiling import inline, kernel


class ThickEdge(NamedTuple):
    """The segment from a to b, with a thickness."""

    ax: float
    ay: float
    bx: float
    by: float  # Both ends [m]
    ra: float
    rb: float  # Thickness at a and b: distance from the segment to the surface [m]


@inline
def closest_fraction(px: float, py: float, ex: float, ey: float) -> float:
    """Return the fraction (0 to 1) of the way along a segment at which its point closest to p lies.
    p and the end e of the segment are given relative to its start.
    """
    squared = ex * ex + ey * ey
    return min(max((px * ex + py * ey) / squared, 0.0), 1.0) if squared > 0.0 else 0.0


@inline
def from_segment(
    px: float, py: float, ax: float, ay: float, bx: float, by: float
) -> tuple[float, float]:
    """Return the vector [m] from the closest point of the segment a-b to the point p."""
    ex = bx - ax
    ey = by - ay
    t = closest_fraction(px - ax, py - ay, ex, ey)
    return px - ax - t * ex, py - ay - t * ey


@kernel
def squared_distance(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return the squared distance [m²] of a point from a segment."""
    dx, dy = from_segment(px, py, ax, ay, bx, by)
    return dx * dx + dy * dy


@kernel
def squared_gap(
    px: float, py: float, qx: float, qy: float, ax: float, ay: float, bx: float, by: float
) -> float:
    """Return the squared distance [m²] of two segments p-q and a-b, 0 where they cross."""
    if path_fraction(px, py, qx, qy, ax, ay, bx, by) <= 1.0:
        return 0.0
    near = min(squared_distance(px, py, ax, ay, bx, by), squared_distance(qx, qy, ax, ay, bx, by))
    return min(
        near, squared_distance(ax, ay, px, py, qx, qy), squared_distance(bx, by, px, py, qx, qy)
    )


@inline
def thick_edge(position: np.ndarray, radius: np.ndarray, p: int, q: int) -> ThickEdge:
    """Return the thick edge between the points p and q, by their positions (N, 2) and radii
    (N,).
    """
    return ThickEdge(
        position[p, 0], position[p, 1], position[q, 0], position[q, 1], radius[p], radius[q]
    )


@kernel
def distance_to_thick_edge(px: float, py: float, edge: ThickEdge) -> tuple[float, float, float]:
    """Return the distance [m] of a point from the segment of a thick edge, the thickness [m] at the
    closest point of the segment, and the fraction (0 to 1) at which that is.

    The distance from the surface is the first minus the second.
    """
    ax = edge.ax
    ay = edge.ay
    ex = edge.bx - ax
    ey = edge.by - ay
    t = closest_fraction(px - ax, py - ay, ex, ey)
    dx = px - ax - t * ex
    dy = py - ay - t * ey
    return math.sqrt(dx * dx + dy * dy), edge.ra + t * (edge.rb - edge.ra), t


@inline
def path_fraction(
    x0: float, y0: float, x1: float, y1: float, ax: float, ay: float, bx: float, by: float
) -> float:
    """Return the fraction (0 to 1) of the path (x0, y0)-(x1, y1) at which it crosses the segment
    a-b, or 2 if it does not. The segment counts as 1e-9 of its length longer at both ends, so that
    nothing slips through between two edges that meet.
    """
    ex = bx - ax
    ey = by - ay
    mx = x1 - x0
    my = y1 - y0
    side0 = ex * (y0 - ay) - ey * (x0 - ax)
    side1 = ex * (y1 - ay) - ey * (x1 - ax)
    if (side0 > 0.0) == (side1 > 0.0) or side0 == side1:
        return 2.0
    share = side0 / (side0 - side1)
    along = (x0 + share * mx - ax) * ex + (y0 + share * my - ay) * ey
    squared = ex * ex + ey * ey
    if along < -1e-9 * squared or along > (1.0 + 1e-9) * squared:
        return 2.0
    return share


@kernel
def edges_cross(one: ThickEdge, other: ThickEdge) -> bool:
    """True if the segments of two thick edges, a-b and c-d, cross; their thickness is left out."""
    ax = one.ax
    ay = one.ay
    bx = one.bx
    by = one.by
    cx = other.ax
    cy = other.ay
    dx = other.bx
    dy = other.by
    side_c = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    side_d = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    side_a = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    side_b = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    return (side_c > 0.0) != (side_d > 0.0) and (side_a > 0.0) != (side_b > 0.0)
