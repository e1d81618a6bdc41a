"""Straddling: kernels that find bodies made across a wall, and in which direction they leave it.

No particle passes a wall, so a body that a game makes half on each side would stay across it for
ever. It has no contacts with the wall until a motor (depenetration.py) has driven it off, to the
side of its centre; or out of a closed wall in which it does not fit.
"""

import math

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Integers2
from ecs_softbody.collision.detect.filters import Filters, may_touch
from ecs_softbody.collision.detect.static_edges import WallEdges
from ecs_softbody.collision.recover.depenetration import (
    AXIS_X,
    AXIS_Y,
    FASTEST,
    SLOWEST,
    SPEED,
    X,
    Y,
    centre_of,
    chord_and_least,
    orientation_of,
)
from ecs_softbody.collision.recover.interpenetration import (
    Sums,
    add_crossing,
    clear_sums,
    edge_count,
    is_beside_box,
)
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines, Shapes, next_point
from ecs_softbody.parallel.compiling import entry, kernel


@kernel
def add_wall_crossings(
    i: int, shapes: Shapes, ends: np.ndarray, begin: int, end: int, sums: np.ndarray
) -> int:
    """Return how often the outline of body i crosses the static edges [begin, end), and write the
    sums over the crossings, see SUMS. ends (E, 2): rows of both ends of each static edge.
    """
    position = shapes.position
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first[i]
    last = outlines.last[i]
    clear_sums(sums)
    found = 0
    for k in range(first, first + edge_count(outlines, i)):
        a = points[k]
        b = next_point(points, first, last, LOOP, k)
        low_x = min(position[a, 0], position[b, 0])
        high_x = max(position[a, 0], position[b, 0])
        low_y = min(position[a, 1], position[b, 1])
        high_y = max(position[a, 1], position[b, 1])
        for e in range(begin, end):
            if is_beside_box(position, ends[e, 0], ends[e, 1], low_x, low_y, high_x, high_y):
                continue
            found += add_crossing(position, a, b, ends[e, 0], ends[e, 1], sums)
    return found


@entry
def find_straddling(
    pairs: Integers2, due: Flags1, shapes: Shapes, edges: WallEdges, filters: Filters, sums: Sums,
    found: Integers2,
) -> int:  # fmt: skip
    """Write to `found` (P, 2) the slots of bodies and walls that they straddle; return how many.

    Of the `pairs` (P, 2) of proxies, those with a body that is `due` (B,) are tested. A wall is
    named once for each of its edges that crosses the body. sums: workspace (1,).
    """
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    body_count = shapes.outlines.first.shape[0]
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        j = pairs[k, 1]
        if (
            j < body_count
            or not due[i]
            or shapes.outlines.kind[i] == DISCS
            or not may_touch(filters, i, j)
        ):
            continue
        e = j - body_count
        if add_wall_crossings(i, shapes, edges.ends, e, e + 1, sums[0]) > 0:
            found[count, 1] = edges.wall[e]
            found[count, 0] = i
            count += 1
    return count


@entry
def find_axes_off_walls(
    members: Integers2, shapes: Shapes, edges: WallEdges, sums: Sums, axes: Floats2
) -> None:
    """Write how each body leaves its wall, for `members` (T, 2) of slots (body, wall).

    An axis (T, 5) is a point, a direction and a speed, see depenetration.X. The point is the mean
    of the crossings. The direction is the normal of the chord between them, to the side of the
    body's centre; if the chord is too short or an end of the wall is inside of the body (an odd
    number of crossings), it goes from the point to that centre.
    """
    position = shapes.position
    outlines = shapes.outlines
    for k in range(members.shape[0]):
        i = members[k, 0]
        begin = edges.chain[members[k, 1], 0]
        end = edges.chain[members[k, 1], 1]
        found = sums[0]
        crossings = add_wall_crossings(i, shapes, edges.ends, begin, end, found)
        x = found["sum_x"] / crossings
        y = found["sum_y"] / crossings
        centre_x, centre_y = centre_of(position, outlines, i)
        size = size_of(position, outlines, i)
        nx = centre_x - x
        ny = centre_y - y
        chord, least = chord_and_least(found)
        if crossings % 2 == 0 and chord > least:
            sign = 1.0 if nx * -found["chord_y"] + ny * found["chord_x"] >= 0.0 else -1.0
            # Out of a closed wall in which the body does not fit: away from its inner side.
            if edges.outward[begin] != 0.0 and width_of(edges.ends, begin, end, position) < size:
                sign = orientation_of(position, outlines, i) * edges.outward[begin]
            nx = -sign * found["chord_y"]
            ny = sign * found["chord_x"]
        length = hypot(nx, ny)
        axes[k, X] = x
        axes[k, Y] = y
        axes[k, AXIS_X], axes[k, AXIS_Y] = (
            (nx / length, ny / length) if length > 1e-9 else (0.0, 1.0)
        )
        axes[k, SPEED] = min(max(size, SLOWEST), FASTEST)


@kernel
def size_of(position: np.ndarray, outlines: Outlines, i: int) -> float:
    """Return the larger side of the box around a body's points [m]."""
    low_x = math.inf
    low_y = math.inf
    high_x = -math.inf
    high_y = -math.inf
    for k in range(outlines.first[i], outlines.last[i]):
        x = position[outlines.points[k], 0]
        y = position[outlines.points[k], 1]
        low_x = min(low_x, x)
        high_x = max(high_x, x)
        low_y = min(low_y, y)
        high_y = max(high_y, y)
    return float(max(high_x - low_x, high_y - low_y))


@kernel
def width_of(ends: np.ndarray, begin: int, end: int, position: np.ndarray) -> float:
    """Return the smaller side of the box around the static edges [begin, end) [m]."""
    low_x = math.inf
    low_y = math.inf
    high_x = -math.inf
    high_y = -math.inf
    for e in range(begin, end):
        x = position[ends[e, 0], 0]
        y = position[ends[e, 0], 1]
        low_x = min(low_x, x)
        high_x = max(high_x, x)
        low_y = min(low_y, y)
        high_y = max(high_y, y)
    return float(min(high_x - low_x, high_y - low_y))
