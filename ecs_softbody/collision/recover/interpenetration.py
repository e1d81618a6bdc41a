"""Interpenetrations: kernels that find bodies whose outlines cross, or one inside the other.

They run in each search for contacts. Contacts have no inner side, so they would hold such a pair
together for ever. Its contacts are left out, and a motor (depenetration.py) separates the two as if
both were rigid and touched in one point x with normal n, until nothing crosses any more. With
masses M, moments of inertia I, arms r from the centres to x and the substep h:

    K = 1/M_i + 1/M_j + (r_i × n)²/I_i + (r_j × n)²/I_j
    J = clamp((speed - v_n) / K, 0, acceleration h / K)

J acts on every particle in proportion to its mass, in the same line on both bodies: momentum and
angular momentum are conserved.

A body that crosses itself is left without contacts of its own until it is mended (damage.py).

Where an arc of a ring lies inside another ring, the overlap shrinks fastest along the normal of the
chord between the points where it enters and leaves (the gradient of the area of overlap).
"""

import math
from typing import Annotated

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Integers2, Layout
from ecs_softbody.collision.detect.filters import Filters, may_touch
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines, Shapes, next_point
from ecs_softbody.geometry.polygon import is_inside
from ecs_softbody.parallel.compiling import entry, kernel

LOOK_EVERY = 8
"""A pair whose boxes overlap is tested when one body is new, and then in its turn: once in this
many searches, since a test visits every pair of edges.
"""
LOCAL = 3
"""Edges fewer steps than this apart along an outline may cross: such a kink has no contacts to
leave out.
"""

SUMS = np.dtype(
    [
        ("sum_x", np.float64),  # [m] Σ position of the crossings: over their number, the mean
        ("sum_y", np.float64),
        ("chord_x", np.float64),  # [m] Σ ± position: from where i enters j to where it leaves it
        ("chord_y", np.float64),
        ("low_x", np.float64),  # [m] box around all crossings
        ("low_y", np.float64),
        ("high_x", np.float64),
        ("high_y", np.float64),
        ("edge_i", np.int64),  # edges of both outlines that meet at the last crossing found
        ("edge_j", np.int64),
    ]
)
"""Sums over the points where two outlines cross, from which the axis of separation follows."""
Sums = Annotated[np.ndarray, Layout(SUMS, 1)]


@kernel
def crossing_fraction(position: np.ndarray, a: int, b: int, c: int, d: int) -> tuple[float, float]:
    """Return where segment c-d crosses a-b, from 0 at a to 1 at b, or 2 if it does not; and the
    cross product of a-b and c-d [m²]. All are rows of `position`.

    Starts count and ends do not (0 <= s < 1): a crossing at a corner is found once, not twice.
    """
    ex = position[b, 0] - position[a, 0]
    ey = position[b, 1] - position[a, 1]
    fx = position[d, 0] - position[c, 0]
    fy = position[d, 1] - position[c, 1]
    gx = position[c, 0] - position[a, 0]
    gy = position[c, 1] - position[a, 1]
    cross = ex * fy - ey * fx
    if cross == 0.0:
        return 2.0, 0.0
    s = (gx * fy - gy * fx) / cross
    t = (gx * ey - gy * ex) / cross
    if 0.0 <= s < 1.0 and 0.0 <= t < 1.0:
        return s, cross
    return 2.0, cross


@kernel
def is_beside_box(
    position: np.ndarray, a: int, b: int, low_x: float, low_y: float, high_x: float, high_y: float
) -> bool:
    """True if both ends of segment a-b lie beyond the same side of a box: it cannot cross it."""
    return bool(
        (position[a, 0] < low_x and position[b, 0] < low_x)
        or (position[a, 0] > high_x and position[b, 0] > high_x)
        or (position[a, 1] < low_y and position[b, 1] < low_y)
        or (position[a, 1] > high_y and position[b, 1] > high_y)
    )


@kernel
def clear_sums(sums: np.ndarray) -> None:
    """Set the sums (SUMS) to their values without any crossing."""
    sums["sum_x"] = 0.0
    sums["sum_y"] = 0.0
    sums["chord_x"] = 0.0
    sums["chord_y"] = 0.0
    sums["low_x"] = math.inf
    sums["low_y"] = math.inf
    sums["high_x"] = -math.inf
    sums["high_y"] = -math.inf
    sums["edge_i"] = 0
    sums["edge_j"] = 0


@kernel
def add_crossing(position: np.ndarray, a: int, b: int, c: int, d: int, sums: np.ndarray) -> bool:
    """Add the point where segments a-b and c-d cross to the sums; true if they cross.

    For the chord it counts as positive if the cross product of a-b and c-d is.
    """
    s, cross = crossing_fraction(position, a, b, c, d)
    if s > 1.0:
        return False
    x = position[a, 0] + s * (position[b, 0] - position[a, 0])
    y = position[a, 1] + s * (position[b, 1] - position[a, 1])
    sign = 1.0 if cross > 0.0 else -1.0
    sums["sum_x"] += x
    sums["sum_y"] += y
    sums["chord_x"] += sign * x
    sums["chord_y"] += sign * y
    sums["low_x"] = min(sums["low_x"], x)
    sums["low_y"] = min(sums["low_y"], y)
    sums["high_x"] = max(sums["high_x"], x)
    sums["high_y"] = max(sums["high_y"], y)
    return True


@kernel
def edge_count(outlines: Outlines, i: int) -> int:
    """Return the number of edges of an outline that has edges."""
    count: int = outlines.last[i] - outlines.first[i]
    return count if outlines.kind[i] >= LOOP else count - 1


@kernel
def add_crossings(i: int, j: int, shapes: Shapes, box: np.ndarray, sums: np.ndarray) -> int:
    """Return how many edges of the outlines i and j cross; write the sums over their crossings.

    box (I, 4): of all proxies; edges beside the other outline's box are skipped.
    """
    position = shapes.position
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first
    last = outlines.last
    clear_sums(sums)
    found = 0
    for k in range(first[i], first[i] + edge_count(outlines, i)):
        a = points[k]
        b = next_point(points, first[i], last[i], LOOP, k)
        if is_beside_box(position, a, b, box[j, 0], box[j, 1], box[j, 2], box[j, 3]):
            continue
        low_x = min(position[a, 0], position[b, 0])
        high_x = max(position[a, 0], position[b, 0])
        low_y = min(position[a, 1], position[b, 1])
        high_y = max(position[a, 1], position[b, 1])
        for m in range(first[j], first[j] + edge_count(outlines, j)):
            c = points[m]
            d = next_point(points, first[j], last[j], LOOP, m)
            if is_beside_box(position, c, d, low_x, low_y, high_x, high_y):
                continue
            if not add_crossing(position, a, b, c, d, sums):
                continue
            found += 1
            sums["edge_i"] = k - first[i]
            sums["edge_j"] = m - first[j]
    return found


@kernel
def holds_point_of(j: int, i: int, shapes: Shapes, box: np.ndarray) -> bool:
    """True if ring j has a point of body i inside: any disc, or the first point of an outline."""
    position = shapes.position
    outlines = shapes.outlines
    points = outlines.points
    first = outlines.first[i]
    last = outlines.last[i]
    if outlines.kind[j] < LOOP:
        return False
    for k in range(first, first + 1 if outlines.kind[i] != DISCS else last):
        x = position[points[k], 0]
        y = position[points[k], 1]
        within = box[j, 0] < x < box[j, 2] and box[j, 1] < y < box[j, 3]
        if within and is_inside(x, y, position, points, outlines.first[j], outlines.last[j]):
            return True
    return False


@kernel
def is_self_intersecting(position: np.ndarray, outlines: Outlines, i: int, steps: int) -> bool:
    """True if two edges of an outline cross that are at least `steps` steps apart."""
    points = outlines.points
    first = outlines.first[i]
    last = outlines.last[i]
    closed = outlines.kind[i] >= LOOP
    count = edge_count(outlines, i)
    for k in range(count):
        a = points[first + k]
        b = next_point(points, first, last, LOOP, first + k)
        low_x = min(position[a, 0], position[b, 0])
        high_x = max(position[a, 0], position[b, 0])
        low_y = min(position[a, 1], position[b, 1])
        high_y = max(position[a, 1], position[b, 1])
        for m in range(k + steps, min(count, count + k + 1 - steps) if closed else count):
            c = points[first + m]
            d = next_point(points, first, last, LOOP, first + m)
            beside = is_beside_box(position, c, d, low_x, low_y, high_x, high_y)
            if not beside and crossing_fraction(position, a, b, c, d)[0] <= 1.0:
                return True
    return False


@entry
def find_interpenetrations(
    pairs: Integers2, shapes: Shapes, box: Floats2, filters: Filters, search: int, new: Flags1,
    known: Integers2, sums: Sums, found: Flags1,
) -> int:  # fmt: skip
    """Mark the `pairs` (P, 2) of bodies that interpenetrate in `found` (P,); return how many do.

    A pair is tested in one of LOOK_EVERY searches, in its turn; the `known` pairs (W, 2), which did
    so at the last search, and pairs with a `new` body (B,) are tested in each. search: its number.
    sums: workspace (1,).
    """
    count = 0
    body_count = shapes.outlines.first.shape[0]
    kind = shapes.outlines.kind
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        j = pairs[k, 1]
        found[k] = False
        if j >= body_count or (kind[i] == DISCS and kind[j] == DISCS):
            continue
        # 7 and 13 are odd: the pairs of one body are spread evenly over the turns.
        due = new[i] or new[j] or (7 * i + 13 * j + search) % LOOK_EVERY == 0
        for row in range(known.shape[0]):
            due = due or (known[row, 0] == i and known[row, 1] == j)
        if not due or not may_touch(filters, i, j):
            continue
        both_outlines = kind[i] != DISCS and kind[j] != DISCS
        if (
            (both_outlines and add_crossings(i, j, shapes, box, sums[0]) > 0)
            or holds_point_of(j, i, shapes, box)
            or holds_point_of(i, j, shapes, box)
        ):
            found[k] = True
            count += 1
    return count
