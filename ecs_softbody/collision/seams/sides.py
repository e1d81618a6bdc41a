"""Sides: which of two joined static edges pushes a point that lies beyond the end of one of them.

Only one of both may, or a body that slides over a floor of several walls would catch on their ends.
Preparing contacts asks this for every contact of a point and a static edge.
"""

import numpy as np

from ecs_softbody.collision.contacts.contact import Walls
from ecs_softbody.geometry.segment import from_segment
from ecs_softbody.parallel.compiling import inline


@inline
def belongs_to_neighbour(px: float, py: float, t: float, a: int, b: int, walls: Walls) -> bool:
    """True if a point beyond the end of static edge a-b belongs to the next edge, in the same wall
    or a joined one: it is beside that edge, or this end gives all points away.

    t: position of the point along a-b, 0 at a, 1 at b. a, b: numbers of vertices, from 0.
    """
    vertices = walls.vertices
    seams = walls.seams
    if 0.0 <= t <= 1.0:
        return False
    v, end = (a, 0) if t < 0.0 else (b, 1)
    # The edge that goes on here runs from `begin` to `far`; -1: points beyond belong elsewhere.
    begin = seams[v, end, 0]
    far = seams[v, end, 1]
    if begin < 0:
        return True
    ex = vertices[far, 0] - vertices[begin, 0]
    ey = vertices[far, 1] - vertices[begin, 1]
    return (px - vertices[begin, 0]) * ex + (py - vertices[begin, 1]) * ey > 0.0


@inline
def off_gap(px: float, py: float, v: int, begin: int, vertices: np.ndarray) -> tuple[float, float]:
    """Return the vector [m] to a point from the closest point of the gap between two joined ends,
    vertex v and vertex `begin` of the next edge: the gap pushes as an edge would.
    """
    return from_segment(
        px, py, vertices[v, 0], vertices[v, 1], vertices[begin, 0], vertices[begin, 1]
    )
