"""Sides: which of two joined edges a point belongs to that lies beyond the end of one, and how far
off it is.
"""

import numpy as np

from ecs_softbody.collision.contacts.contact import Walls
from ecs_softbody.geometry.segment import from_segment
from ecs_softbody.parallel.compiling import inline


@inline
def belongs_to_neighbour(px: float, py: float, t: float, a: int, b: int, walls: Walls) -> bool:
    """True if a point beyond the end of static edge a-b is nearer to the next edge, of its chain or
    another one.
    """
    vertices = walls.vertices
    seams = walls.seams
    if 0.0 <= t <= 1.0:
        return False
    v, end = (a, 0) if t < 0.0 else (b, 1)
    begin = seams[v, end, 0]
    far = seams[v, end, 1]
    if begin < 0:
        return True
    ex = vertices[far, 0] - vertices[begin, 0]
    ey = vertices[far, 1] - vertices[begin, 1]
    return (px - vertices[begin, 0]) * ex + (py - vertices[begin, 1]) * ey > 0.0


@inline
def off_gap(px: float, py: float, v: int, begin: int, vertices: np.ndarray) -> tuple[float, float]:
    """Return the vector to a point from the gap between vertex v and where the next edge begins."""
    return from_segment(
        px, py, vertices[v, 0], vertices[v, 1], vertices[begin, 0], vertices[begin, 1]
    )
