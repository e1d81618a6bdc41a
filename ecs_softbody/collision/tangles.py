"""Tangles: outlines of two bodies that cross, or one inside the other, and what drives them apart.

Contacts have no sides, so they would hold such a pair together for ever. Its contacts are left out, and a motor drives
the two apart as if both were rigid and touched in one place x with normal n, until nothing crosses any more:

    K = 1/M_i + 1/M_j + (r_i × n)²/I_i + (r_j × n)²/I_j,   J = clamp((speed - v_n) / K, 0, acceleration h / K)

J acts on every particle in proportion to its mass, in the same line on both bodies: momentum and angular momentum stay.

A body that crosses itself is left without contacts of its own, until its springs, angles and gas have undone the knot.

Where an arc of a ring lies inside another ring, the overlap shrinks fastest along the normal of the chord between the
places where it enters and leaves (the gradient of the area of overlap).
"""

import math

import numpy as np

from ecs_softbody.collision.narrow_phase import may_touch
from ecs_softbody.collision.shapes import LOOP, is_inside, next_point
from ecs_softbody.kernels.compiling import lean

LOOK_EVERY = 8
"""A pair of bodies that are near is looked at when one is new, and then once in so many searches."""
LOCAL = 3
"""Edges closer than so many along an outline may cross each other: a kink like this has no contacts to leave out."""
ACCELERATION = 40.0
"""The motor speeds up by no more than this [m/s²]: a pressed body yields."""
SLOWEST, FASTEST = 0.5, 3.0
"""Limits of its speed [m/s]; between them it is the diagonal of the smaller body, in a second."""


@lean
def cross_at(place: np.ndarray, a: int, b: int, c: int, d: int) -> tuple[float, float]:
    """Return where, 0 to 1 on a-b, segment c-d crosses it (2 for not at all) and the cross product of both."""
    ex, ey = place[b, 0] - place[a, 0], place[b, 1] - place[a, 1]
    fx, fy = place[d, 0] - place[c, 0], place[d, 1] - place[c, 1]
    gx, gy = place[c, 0] - place[a, 0], place[c, 1] - place[a, 1]
    turn = ex * fy - ey * fx
    if turn == 0.0:
        return 2.0, 0.0
    s, t = (gx * fy - gy * fx) / turn, (gx * ey - gy * ex) / turn
    if 0.0 <= s < 1.0 and 0.0 <= t < 1.0:
        return s, turn
    return 2.0, turn


@lean
def misses(place: np.ndarray, a: int, b: int, low_x: float, low_y: float, high_x: float, high_y: float) -> bool:
    """Tell whether segment a-b lies on one outer side of a box."""
    return bool(
        (place[a, 0] < low_x and place[b, 0] < low_x)
        or (place[a, 0] > high_x and place[b, 0] > high_x)
        or (place[a, 1] < low_y and place[b, 1] < low_y)
        or (place[a, 1] > high_y and place[b, 1] > high_y)
    )


@lean
def clear_sums(sums: np.ndarray) -> None:
    """Begin a sum over crossings: Σ place (2), Σ ± place (2), their low and high corner (4), and two numbers more."""
    sums[:] = 0.0
    sums[4], sums[5], sums[6], sums[7] = math.inf, math.inf, -math.inf, -math.inf


@lean
def add_crossing(place: np.ndarray, a: int, b: int, c: int, d: int, sums: np.ndarray) -> bool:
    """Add the place where segments a-b and c-d cross, + where a-b goes to the right of c-d; tell whether they do."""
    s, turn = cross_at(place, a, b, c, d)
    if s > 1.0:
        return False
    x, y = place[a, 0] + s * (place[b, 0] - place[a, 0]), place[a, 1] + s * (place[b, 1] - place[a, 1])
    sign = 1.0 if turn > 0.0 else -1.0
    sums[0] += x
    sums[1] += y
    sums[2] += sign * x
    sums[3] += sign * y
    sums[4], sums[5] = min(sums[4], x), min(sums[5], y)
    sums[6], sums[7] = max(sums[6], x), max(sums[7], y)
    return True


@lean
def add_crossings(
    i: int,
    j: int,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
    sums: np.ndarray,
) -> int:
    """Return how many edges of i and j cross; write their sums, and the places in i and j of the last one (2)."""
    clear_sums(sums)
    found = 0
    for k in range(first[i], last[i] if closed[i] else last[i] - 1):
        a, b = points[k], next_point(points, first[i], last[i], LOOP, k)
        if misses(place, a, b, box[j, 0], box[j, 1], box[j, 2], box[j, 3]):
            continue
        low_x, high_x = min(place[a, 0], place[b, 0]), max(place[a, 0], place[b, 0])
        low_y, high_y = min(place[a, 1], place[b, 1]), max(place[a, 1], place[b, 1])
        for m in range(first[j], last[j] if closed[j] else last[j] - 1):
            c, d = points[m], next_point(points, first[j], last[j], LOOP, m)
            if misses(place, c, d, low_x, low_y, high_x, high_y):
                continue
            if not add_crossing(place, a, b, c, d, sums):
                continue
            found += 1
            sums[8], sums[9] = k - first[i], m - first[j]
    return found


@lean
def holds_point_of(
    j: int,
    i: int,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
) -> bool:
    """Tell whether ring j has a point of body i inside: any disc, or the first point of an outline."""
    if not ringed[j] or not closed[j]:
        return False
    for k in range(first[i], first[i] + 1 if ringed[i] else last[i]):
        x, y = place[points[k], 0], place[points[k], 1]
        within = box[j, 0] < x < box[j, 2] and box[j, 1] < y < box[j, 3]
        if within and is_inside(x, y, place, points, first[j], last[j]):
            return True
    return False


@lean
def crosses_itself(place: np.ndarray, points: np.ndarray, first: int, last: int, closed: bool) -> bool:
    """Tell whether two edges of an outline cross that are `LOCAL` or more apart."""
    edge_count = last - first if closed else last - first - 1
    for k in range(edge_count):
        a, b = points[first + k], next_point(points, first, last, LOOP, first + k)
        low_x, high_x = min(place[a, 0], place[b, 0]), max(place[a, 0], place[b, 0])
        low_y, high_y = min(place[a, 1], place[b, 1]), max(place[a, 1], place[b, 1])
        for m in range(k + LOCAL, min(edge_count, edge_count + k + 1 - LOCAL) if closed else edge_count):
            c, d = points[first + m], next_point(points, first, last, LOOP, first + m)
            if not misses(place, c, d, low_x, low_y, high_x, high_y) and cross_at(place, a, b, c, d)[0] <= 1.0:
                return True
    return False


@lean
def find_knots(
    self_collision: np.ndarray,
    search: int,
    fresh: np.ndarray,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    knotted: np.ndarray,
) -> int:
    """Mark bodies whose outline crosses itself; return how many. Each is looked at in its turn, knotted ones always."""
    count = 0
    for i in range(self_collision.shape[0]):
        due = knotted[i] or fresh[i] or (i + search) % LOOK_EVERY == 0
        if not self_collision[i] or not ringed[i]:
            knotted[i] = False
        elif due:
            knotted[i] = crosses_itself(place, points, first[i], last[i], closed[i])
        count += knotted[i]
    return count


@lean
def find_tangles(
    pairs: np.ndarray,
    body_count: int,
    search: int,
    fresh: np.ndarray,
    known: np.ndarray,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    box: np.ndarray,
    category: np.ndarray,
    mask: np.ndarray,
    sums: np.ndarray,
    tangled: np.ndarray,
) -> int:
    """Mark the `pairs` (P, 2) of bodies that are tangled, among those whose turn it is, the `known` ones (W, 2) and
    those with a `fresh` body (B,); return how many there are.
    """
    count = 0
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        tangled[k] = False
        if j >= body_count or not (ringed[i] or ringed[j]):
            continue
        due = fresh[i] or fresh[j] or (7 * i + 13 * j + search) % LOOK_EVERY == 0
        for row in range(known.shape[0]):
            due = due or (known[row, 0] == i and known[row, 1] == j)
        if not due or not may_touch(category, mask, i, j):
            continue
        crossing = ringed[i] and ringed[j] and add_crossings(i, j, place, points, first, last, closed, box, sums) > 0
        if (
            crossing
            or holds_point_of(j, i, place, points, first, last, ringed, closed, box)
            or holds_point_of(i, j, place, points, first, last, ringed, closed, box)
        ):
            tangled[k] = True
            count += 1
    return count
