"""Narrow phase: which points come near which edges.

A contact is a point p and an edge a-b, three rows into the space's joint arrays: particles first, then the
vertices of static colliders from `offset` on. A disc against a disc, or a static circle, is an edge with a = b.
Nothing has a side: the normal points from the closest point of the edge to the point, so that a body that was
turned inside out still pushes its neighbours away.

Every point meets the closest edge of another body's ring, every disc of a body without ring, and every static edge
within its margin.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

SELF_NEIGHBOURS = 1
"""In self-collision a point ignores the edges up to this many steps away along its own outline."""
FEWEST_PLUMP = 8
STEEPEST_TURN = -0.34
"""Four corners of a plump ring turn it by less than 110 degrees: this is the cosine."""


@lean
def squared_distance(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return the squared distance [m²] of a point from a segment."""
    ex, ey = bx - ax, by - ay
    dx, dy = px - ax, py - ay
    squared = ex * ex + ey * ey
    t = 0.0
    if squared > 0.0:
        t = min(max((dx * ex + dy * ey) / squared, 0.0), 1.0)
    dx -= t * ex
    dy -= t * ey
    return dx * dx + dy * dy


@lean
def is_outside(px: float, py: float, box: np.ndarray, item: int, far: float) -> bool:
    """Tell whether a point is further than `far` [m] from a box along x or y."""
    return px < box[item, 0] - far or px > box[item, 2] + far or py < box[item, 1] - far or py > box[item, 3] + far


@lean
def closest_edge(
    px: float,
    py: float,
    place: np.ndarray,
    points: np.ndarray,
    first: int,
    last: int,
    closed: bool,
    skip_from: int,
    skip_steps: int,
) -> tuple[int, float]:
    """Return the closest edge of the outline points[first:last] as the index of its start, and its squared distance.

    Edges within `skip_steps` of position `skip_from` of the outline are left out; -1 leaves out none.
    """
    best, nearest = -1, math.inf
    count = last - first
    previous = points[last - 1] if closed else points[first]
    ax, ay = place[previous, 0], place[previous, 1]
    for k in range(0 if closed else 1, count):
        row = points[first + k]
        bx, by = place[row, 0], place[row, 1]
        distance = squared_distance(px, py, ax, ay, bx, by)
        if distance < nearest:
            start = k - 1 if k > 0 else count - 1
            if skip_from < 0 or is_further(start - skip_from, skip_steps, count, closed):
                best, nearest = start, distance
        ax, ay = bx, by
    return best, nearest


@lean
def is_further(ahead: int, steps: int, count: int, closed: bool) -> bool:
    """Tell whether an edge that starts so many points ahead (or behind, < 0) is more than `steps` away."""
    if closed:
        ahead %= count
        return steps < ahead < count - 1 - steps
    return ahead > steps or ahead < -1 - steps


@lean
def is_plump(place: np.ndarray, reach: np.ndarray, points: np.ndarray, first: int, last: int, near: float) -> bool:
    """Tell whether a ring cannot touch itself, so that there is no need to look.

    It is seen whole from its middle, at least d from every edge and R from every corner, and no four corners in a row
    turn back. An arc of s then covers an angle of s d/R² or more, and its ends are 2/π d times that apart.
    """
    count, x, y = last - first, 0.0, 0.0
    if count < FEWEST_PLUMP:
        return False
    for k in range(first, last):
        x += place[points[k], 0] / count
        y += place[points[k], 1] / count
    least, furthest, shortest, thickest = math.inf, 0.0, math.inf, 0.0
    turning = 0.0
    for k in range(count):
        p, q = points[first + k], points[first + (k + 1) % count]
        r, s = points[first + (k + 4) % count], points[first + (k + 5) % count]
        ax, ay = place[p, 0] - x, place[p, 1] - y
        ex, ey = place[q, 0] - place[p, 0], place[q, 1] - place[p, 1]
        fx, fy = place[s, 0] - place[r, 0], place[s, 1] - place[r, 1]
        length = math.sqrt(ex * ex + ey * ey)
        twice_area = ax * ey - ay * ex
        if k == 0:
            turning = 1.0 if twice_area > 0.0 else -1.0
        if length == 0.0 or ex * fx + ey * fy < STEEPEST_TURN * length * math.sqrt(fx * fx + fy * fy):
            return False
        least = min(least, turning * twice_area / length)
        furthest = max(furthest, ax * ax + ay * ay)
        shortest = min(shortest, length)
        thickest = max(thickest, reach[p])
    far = 2.0 * thickest + near
    return bool(least > far and shortest > far and (10.0 / math.pi) * shortest * least * least > far * furthest)


@lean
def may_touch(category: np.ndarray, mask: np.ndarray, i: int, j: int) -> bool:
    """Tell whether each one's mask has a bit of the other's category."""
    return (category[i] & mask[j]) != 0 and (category[j] & mask[i]) != 0


@lean
def append(rows: np.ndarray, items: np.ndarray, count: int, p: int, a: int, b: int, item: int, other: int) -> int:
    """Write a contact if there is room, and return the new count."""
    if count < rows.shape[0]:
        rows[count, 0], rows[count, 1], rows[count, 2] = p, a, b
        items[count, 0], items[count, 1] = item, other
    return count + 1


@lean
def points_on_ring(
    i: int,
    j: int,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
    margin: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    count: int,
) -> int:
    """Contacts of the points of body i with the closest edge of outline j (i = j: with itself)."""
    near, start, stop, own, room = margin[i] + margin[j], first[j], last[j], first[i], rows.shape[0]
    for k in range(own, last[i]):
        p = points[k]
        px, py = place[p, 0], place[p, 1]
        if is_outside(px, py, box, j, reach[p] + margin[i]):
            continue
        skip = k - own if i == j else -1
        edge, squared = closest_edge(px, py, place, points, start, stop, closed[j], skip, SELF_NEIGHBOURS)
        if edge < 0:
            continue
        a = points[start + edge]
        b = points[start + edge + 1] if start + edge + 1 < stop else points[start]
        far = reach[p] + max(reach[a], reach[b]) + near
        if squared < far * far:
            if count < room:  # written out: a call would count references to both arrays
                rows[count, 0], rows[count, 1], rows[count, 2] = p, a, b
                items[count, 0], items[count, 1] = i, j
            count += 1
    return count


@lean
def discs_on_discs(
    i: int,
    j: int,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    box: np.ndarray,
    margin: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    count: int,
) -> int:
    """Contacts between the discs of two bodies without outlines."""
    near = margin[i] + margin[j]
    for k in range(first[i], last[i]):
        p = points[k]
        px, py = place[p, 0], place[p, 1]
        if is_outside(px, py, box, j, reach[p] + margin[i]):
            continue
        for m in range(first[j], last[j]):
            q = points[m]
            if i == j and (q <= p or m - k < 2):
                continue
            dx, dy = px - place[q, 0], py - place[q, 1]
            far = reach[p] + reach[q] + near
            if dx * dx + dy * dy < far * far:
                count = append(rows, items, count, p, q, q, i, j)
    return count


@lean
def find_contacts(
    pairs: np.ndarray,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
    margin: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    count: int,
) -> int:
    """Write rows (C, 3) = p, a, b and items (C, 2) of every contact of two bodies near enough; return how many.

    They are written from row `count` on. Where there are more contacts than rows, the number is right and the rest is
    not written.
    """
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        # A large disc leans on many points of a ring at once, a small one on the edge between two.
        if not ringed[i] or not ringed[j]:
            count = discs_on_discs(i, j, place, reach, points, first, last, box, margin, rows, items, count)
        if ringed[j]:
            count = points_on_ring(i, j, place, reach, points, first, last, closed, box, margin, rows, items, count)
        if ringed[i]:
            count = points_on_ring(j, i, place, reach, points, first, last, closed, box, margin, rows, items, count)
    return count


@lean
def find_own_contacts(
    self_collision: np.ndarray,
    still: np.ndarray,
    knotted: np.ndarray,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
    margin: np.ndarray,
    own_margin: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    count: int,
) -> int:
    """Write the contacts of bodies with themselves as `find_contacts` does; none of those that sleep or cross."""
    for i in range(self_collision.shape[0]):
        if not self_collision[i] or still[i] or knotted[i] or last[i] == first[i]:
            continue
        if not ringed[i]:
            count = discs_on_discs(i, i, place, reach, points, first, last, box, margin, rows, items, count)
        elif not closed[i] or not is_plump(place, reach, points, first[i], last[i], 2.0 * own_margin[i]):
            count = points_on_ring(i, i, place, reach, points, first, last, closed, box, own_margin, rows, items, count)
    return count
