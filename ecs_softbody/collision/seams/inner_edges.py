"""Inner edges: edges between two closed walls that lie side by side.

Between two tiles of a floor, for example. They act on bodies inside one of the walls, e.g. in a
room; bodies outside cannot reach them and never collide with them. The search for contacts and the
sweep leave out such pairs.
"""

import numpy as np

from ecs_softbody.arrays import Flags1, Integers2
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.geometry.outlines import Shapes
from ecs_softbody.parallel.compiling import entry, kernel


@kernel
def is_within_wall(
    x: float, y: float, wall: int, vertices: np.ndarray, offset: int, edges: WallEdges
) -> bool:
    """True if a point (x, y) [m] is inside a closed wall: a ray from it crosses an odd number of
    edges. offset: row of the first of the `vertices` (V, 2) [m]; 0 if they count as rows do.
    """
    inside = False
    for e in range(edges.chain[wall, 0], edges.chain[wall, 1]):
        a = edges.ends[e, 0] - offset
        b = edges.ends[e, 1] - offset
        ax = vertices[a, 0]
        ay = vertices[a, 1]
        bx = vertices[b, 0]
        by = vertices[b, 1]
        if (ay <= y) != (by <= y) and ((bx - ax) * (y - ay) - (x - ax) * (by - ay) > 0.0) == (
            by > ay
        ):
            inside = not inside
    return inside


@kernel
def is_behind_wall(
    i: int, e: int, shapes: Shapes, vertices: np.ndarray, offset: int, edges: WallEdges
) -> bool:
    """True if body i cannot reach static edge e: that is an inner one, and no point of the body is
    inside its wall. vertices, offset: see `is_within_wall`.
    """
    if not edges.inner[e]:
        return False
    position = shapes.position
    points = shapes.outlines.points
    for k in range(shapes.outlines.first[i], shapes.outlines.last[i]):
        p = points[k]
        if is_within_wall(position[p, 0], position[p, 1], edges.wall[e], vertices, offset, edges):
            return False
    return True


@entry
def keep_reachable(
    pairs: Integers2, body_count: int, shapes: Shapes, edges: WallEdges, kept: Flags1
) -> bool:
    """Mark in `kept` (P,) all pairs of proxies except pairs of a body and an inner edge that it
    cannot reach; true if any is excepted. Proxies from body_count on are static edges.
    """
    dropped = False
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        e = pairs[k, 1] - body_count
        kept[k] = e < 0 or not is_behind_wall(i, e, shapes, shapes.position, 0, edges)
        dropped |= not kept[k]
    return dropped
