"""Narrow phase of walls: contacts of bodies with static edges, the segments of StaticCollider.

Every point of a body gets a contact with each static edge within the sum of their margins, and
every corner of a wall with each edge of an outline within it. A contact is a point p and an edge
a-b, as rows: particles first, then the vertices of walls.
"""

import numpy as np

from ecs_softbody.arrays import Integers2
from ecs_softbody.collision.detect.candidates import Candidates, append
from ecs_softbody.collision.detect.margins import Bounds
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.geometry.outlines import DISCS, Shapes, next_point
from ecs_softbody.geometry.segment import squared_distance
from ecs_softbody.parallel.compiling import entry, kernel


@kernel
def corners_on_outline(
    i: int,
    j: int,
    edge: int,
    shapes: Shapes,
    margin: np.ndarray,
    walls: WallEdges,
    found: Candidates,
    count: int,
) -> int:
    """Write the contacts of the corners of a static edge, proxy j, with the edges of body i's
    outline; return the new count.

    All edges within the margins count, not only the closest: preparing the contacts (prepare.py)
    takes back contacts with edges that the corner does not lie beside. edge: number of the static
    edge.
    """
    position = shapes.position
    radius = shapes.radius
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first[i]
    last = outlines.last[i]
    for end in range(2):
        if not walls.corner[edge, end]:
            continue
        v = walls.ends[edge, end]
        x = position[v, 0]
        y = position[v, 1]
        for k in range(first, last):
            p = points[k]
            q = next_point(points, first, last, outlines.kind[i], k)
            if q < 0:
                continue
            far = radius[v] + max(radius[p], radius[q]) + (margin[i] + margin[j])
            if (
                squared_distance(
                    x, y, position[p, 0], position[p, 1], position[q, 0], position[q, 1]
                )
                < far * far
            ):
                count = append(found, count, v, p, q, i, j)
    return count


@entry
def find_wall_contacts(
    pairs: Integers2,
    shapes: Shapes,
    bounds: Bounds,
    walls: WallEdges,
    found: Candidates,
    count: int,
) -> int:
    """Write the contacts of pairs of a body and a static edge from row `count` on; return the new
    count.
    """
    position = shapes.position
    radius = shapes.radius
    box = bounds.box
    margin = bounds.margin
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first
    last = outlines.last
    kind = outlines.kind
    body_count = first.shape[0]
    for n in range(pairs.shape[0]):
        i = pairs[n, 0]
        j = pairs[n, 1]
        edge = j - body_count
        both_margins = margin[i] + margin[j]
        a = walls.ends[edge, 0]
        b = walls.ends[edge, 1]
        ax = position[a, 0]
        ay = position[a, 1]
        bx = position[b, 0]
        by = position[b, 1]
        low_x = box[j, 0] - margin[i]
        low_y = box[j, 1] - margin[i]
        high_x = box[j, 2] + margin[i]
        high_y = box[j, 3] + margin[i]
        for k in range(first[i], last[i]):
            p = points[k]
            px = position[p, 0]
            py = position[p, 1]
            r = radius[p]
            if px + r < low_x or px - r > high_x or py + r < low_y or py - r > high_y:
                continue
            far = r + radius[a] + both_margins
            if squared_distance(px, py, ax, ay, bx, by) < far * far:
                count = append(found, count, p, a, b, i, j)
        if kind[i] != DISCS and (walls.corner[edge, 0] or walls.corner[edge, 1]):
            count = corners_on_outline(i, j, edge, shapes, margin, walls, found, count)
    return count
