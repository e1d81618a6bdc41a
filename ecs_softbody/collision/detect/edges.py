"""Narrow phase of outlines: contacts between two bodies, one of which has edges, or of a body with
itself.

A contact is a point p and an edge a-b, as rows: particles first, then the vertices of static
colliders. A disc is an edge with a = b. Edges have no inner side: the normal points from the
closest point of the edge to the point, so that a body that was turned inside out still pushes its
neighbours away.

Every point gets a contact with the closest edge of the other body's outline, and with every disc of
a body without outline, if they are closer than the sum of both margins. Where a body is so fast
that it may pass the other one within a substep, a point gets one with every edge that its path
relative to the edge hits, too: such a speculative contact lets it come as far as the edge, with an
equal and opposite impulse.
"""

import math

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Integers2
from ecs_softbody.collision.detect.candidates import Candidates, append
from ecs_softbody.collision.detect.margins import Bounds
from ecs_softbody.geometry.box import is_beyond
from ecs_softbody.geometry.outlines import CHAIN, DISCS, LOOP, Outlines, Shapes
from ecs_softbody.geometry.segment import squared_distance, squared_gap
from ecs_softbody.parallel.compiling import entry, kernel

SELF_NEIGHBOURS = 1
"""In self-collision a point ignores the edges up to this many steps away along its own outline."""
FEWEST_POINTS = 8
"""A ring with fewer points is always searched for contacts with itself, see `cannot_self_touch`."""
STEEPEST_TURN = -0.34
"""Cosine of 110 degrees: where four corners in a row turn a ring by more, it may touch itself."""


@kernel
def closest_edge(
    px: float,
    py: float,
    position: np.ndarray,
    outlines: Outlines,
    i: int,
    skip_from: int,
    skip_steps: int,
) -> tuple[int, float]:
    """Return the closest edge of outline i as the index of its start in the outline, and its
    squared distance [m²].

    Edges within `skip_steps` steps of point `skip_from` of the outline are left out, for a body's
    contacts with itself; -1 leaves out none. The index is -1 if no edge is left.
    """
    points = outlines.points
    first = outlines.first[i]
    last = outlines.last[i]
    closed = outlines.kind[i] >= LOOP
    best = -1
    nearest = math.inf
    count = last - first
    previous = points[last - 1] if closed else points[first]
    ax = position[previous, 0]
    ay = position[previous, 1]
    for k in range(0 if closed else 1, count):
        row = points[first + k]
        bx = position[row, 0]
        by = position[row, 1]
        distance = squared_distance(px, py, ax, ay, bx, by)
        # Neighbours are ruled out only for closer edges: the test needs a remainder, which is slow.
        if distance < nearest:
            start = k - 1 if k > 0 else count - 1
            if skip_from < 0 or is_further(start - skip_from, skip_steps, count, closed):
                best = start
                nearest = distance
        ax = bx
        ay = by
    return best, nearest


@kernel
def is_further(ahead: int, steps: int, count: int, closed: bool) -> bool:
    """True if an edge is more than `steps` edges away from a point of the same outline.

    ahead: points from that point to the edge's start, negative for backwards. count: of points.
    """
    if closed:
        ahead %= count
        return steps < ahead < count - 1 - steps
    return ahead > steps or ahead < -1 - steps


@kernel
def cannot_self_touch(shapes: Shapes, i: int, margin: float) -> bool:
    """True if the shape of ring i rules out contacts with itself within a margin [m], so that there
    is no need to look.

    It does where the whole ring is visible from its centre, with every edge at least d and no
    corner more than R away, and no four corners in a row turn back. An arc of length s then covers
    an angle of at least s d/R², and its ends are at least 2/π d times that angle apart. With five
    edges of the shortest length l between them, that is 10/π l d²/R², which has to exceed the
    distance at which two surfaces touch.
    """
    position = shapes.position
    points = shapes.outlines.points
    first = shapes.outlines.first
    last = shapes.outlines.last
    begin = first[i]
    count = last[i] - first[i]
    x = 0.0
    y = 0.0
    if count < FEWEST_POINTS:
        return False
    for k in range(begin, last[i]):
        x += position[points[k], 0] / count
        y += position[points[k], 1] / count
    least = math.inf  # d [m]
    furthest = 0.0  # R² [m²]
    shortest = math.inf  # l [m]
    thickest = 0.0
    orientation = 0.0
    for k in range(count):
        p = points[begin + k]
        q = points[begin + (k + 1) % count]
        r = points[begin + (k + 4) % count]
        s = points[begin + (k + 5) % count]
        ax = position[p, 0] - x
        ay = position[p, 1] - y
        ex = position[q, 0] - position[p, 0]
        ey = position[q, 1] - position[p, 1]
        fx = position[s, 0] - position[r, 0]
        fy = position[s, 1] - position[r, 1]
        length = math.sqrt(ex * ex + ey * ey)
        twice_area = ax * ey - ay * ex
        if k == 0:
            orientation = 1.0 if twice_area > 0.0 else -1.0
        if length == 0.0 or ex * fx + ey * fy < STEEPEST_TURN * length * math.sqrt(
            fx * fx + fy * fy
        ):
            return False
        least = min(least, orientation * twice_area / length)
        furthest = max(furthest, ax * ax + ay * ay)
        shortest = min(shortest, length)
        thickest = max(thickest, shapes.radius[p])
    far = 2.0 * thickest + margin
    return bool(
        least > far
        and shortest > far
        and (10.0 / math.pi) * shortest * least * least > far * furthest
    )


@kernel
def points_on_outline(
    i: int,
    j: int,
    shapes: Shapes,
    box: np.ndarray,
    margin: np.ndarray,
    found: Candidates,
    count: int,
) -> int:
    """Write the contacts of the points of body i with the closest edge of outline j; return the new
    count. i = j finds contacts of a body with itself. box, margin: of all proxies, see Bounds.
    """
    position = shapes.position
    radius = shapes.radius
    outlines = shapes.outlines
    points = outlines.points
    start = outlines.first[j]
    stop = outlines.last[j]
    own = outlines.first[i]
    both_margins = margin[i] + margin[j]
    for k in range(own, outlines.last[i]):
        p = points[k]
        px = position[p, 0]
        py = position[p, 1]
        if is_beyond(px, py, box, j, radius[p] + margin[i]):
            continue
        edge, squared = closest_edge(
            px, py, position, outlines, j, k - own if i == j else -1, SELF_NEIGHBOURS
        )
        if edge < 0:
            continue
        a = points[start + edge]
        b = points[start + edge + 1] if start + edge + 1 < stop else points[start]
        far = radius[p] + max(radius[a], radius[b]) + both_margins
        if squared < far * far:
            count = append(found, count, p, a, b, i, j)
    return count


@kernel
def paths_on_outline(
    i: int,
    j: int,
    shapes: Shapes,
    bounds: Bounds,
    velocity: np.ndarray,
    found: Candidates,
    seconds: float,
    count: int,
) -> int:
    """Write the contacts of the points of body i with the edges of outline j that their paths hit;
    return the new count. The closest edge is left out if `points_on_outline` has found it.

    A path is straight, as seen from the edge's midpoint, and as long as the given seconds last.
    """
    position = shapes.position
    radius = shapes.radius
    outlines = shapes.outlines
    margin = bounds.margin
    points = outlines.points
    start = outlines.first[j]
    stop = outlines.last[j]
    both_margins = margin[i] + margin[j]
    edges = stop - start if outlines.kind[j] >= LOOP else stop - start - 1
    for k in range(outlines.first[i], outlines.last[i]):
        p = points[k]
        px = position[p, 0]
        py = position[p, 1]
        if is_beyond(px, py, bounds.box, j, radius[p] + bounds.reach[i]):
            continue
        closest, squared = closest_edge(px, py, position, outlines, j, -1, SELF_NEIGHBOURS)
        for edge in range(edges):
            a = points[start + edge]
            b = points[start + edge + 1] if start + edge + 1 < stop else points[start]
            far = radius[p] + max(radius[a], radius[b]) + both_margins
            # Twice in the list, the contact would push twice.
            if edge == closest and squared < far * far:
                continue  # it is a contact already
            x = px + seconds * (velocity[p, 0] - 0.5 * (velocity[a, 0] + velocity[b, 0]))
            y = py + seconds * (velocity[p, 1] - 0.5 * (velocity[a, 1] + velocity[b, 1]))
            ax = position[a, 0]
            ay = position[a, 1]
            bx = position[b, 0]
            by = position[b, 1]
            if squared_gap(px, py, x, y, ax, ay, bx, by) < far * far:
                count = append(found, count, p, a, b, i, j)
    return count


@kernel
def discs_on_discs(
    i: int, j: int, shapes: Shapes, bounds: Bounds, found: Candidates, count: int
) -> int:
    """Write the contacts of the points of body i with the points of body j, as discs; return the
    new count. i = j finds contacts of a body with itself, between discs at least two steps apart.
    """
    position = shapes.position
    radius = shapes.radius
    points = shapes.outlines.points
    margin = bounds.margin
    first = shapes.outlines.first
    last = shapes.outlines.last
    both_margins = margin[i] + margin[j]
    for k in range(first[i], last[i]):
        p = points[k]
        px = position[p, 0]
        py = position[p, 1]
        if is_beyond(px, py, bounds.box, j, radius[p] + margin[i]):
            continue
        for m in range(first[j], last[j]):
            q = points[m]
            if i == j and (q <= p or m - k < 2):
                continue
            dx = px - position[q, 0]
            dy = py - position[q, 1]
            far = radius[p] + radius[q] + both_margins
            if dx * dx + dy * dy < far * far:
                count = append(found, count, p, q, q, i, j)
    return count


@entry
def find_contacts(
    pairs: Integers2,
    shapes: Shapes,
    bounds: Bounds,
    velocity: Floats2,
    found: Candidates,
    seconds: float,
    count: int,
) -> int:
    """Write the contacts of pairs of bodies, one of them with an outline, from row `count` on;
    return the new count.

    velocity (N, 2) [m/s]: of the particles, taken as constant over the given seconds, for which
    paths are looked ahead.
    """
    kind = shapes.outlines.kind
    margin = bounds.margin
    reach = bounds.reach
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        j = pairs[k, 1]
        # A large disc leans on many points of a ring at once, a small one on the edge between two.
        if kind[i] == DISCS or kind[j] == DISCS:
            count = discs_on_discs(i, j, shapes, bounds, found, count)
        if kind[j] != DISCS:
            count = points_on_outline(i, j, shapes, bounds.box, bounds.margin, found, count)
        if kind[i] != DISCS:
            count = points_on_outline(j, i, shapes, bounds.box, bounds.margin, found, count)
        if reach[i] > margin[i] or reach[j] > margin[j]:
            if kind[j] != DISCS:
                count = paths_on_outline(i, j, shapes, bounds, velocity, found, seconds, count)
            if kind[i] != DISCS:
                count = paths_on_outline(j, i, shapes, bounds, velocity, found, seconds, count)
    return count


@entry
def find_own_contacts(
    wanted: Flags1, shapes: Shapes, bounds: Bounds, found: Candidates, count: int
) -> int:
    """Write the contacts of the bodies `wanted` (B,) with themselves, from row `count` on; return
    the new count.
    """
    outlines = shapes.outlines
    own_margin = bounds.own_margin
    for i in range(wanted.shape[0]):
        if not wanted[i] or outlines.last[i] == outlines.first[i]:
            continue
        kind = outlines.kind[i]
        if kind == DISCS:
            count = discs_on_discs(i, i, shapes, bounds, found, count)
        elif kind == CHAIN or not cannot_self_touch(shapes, i, 2.0 * own_margin[i]):
            count = points_on_outline(i, i, shapes, bounds.box, own_margin, found, count)
    return count
