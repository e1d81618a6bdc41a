"""Astride: bodies that are made across a wall, half on each side, and the way off it.

No particle passes a wall, so such a body would stay across it for ever. Between it and the wall there is nothing until
a motor has driven it off, to the side where its middle is; out of a closed wall in which it has no room.
"""

import math

import numpy as np

from ecs_softbody.collision.narrow_phase import may_touch
from ecs_softbody.collision.shapes import LOOP, next_point
from ecs_softbody.collision.tangles import FASTEST, SLOWEST, add_crossing, clear_sums, misses
from ecs_softbody.collision.untangling import CHORD_SHARE, middle_of, turning_of
from ecs_softbody.kernels.compiling import lean


@lean
def add_wall_crossings(
    i: int,
    edges: np.ndarray,
    begin: int,
    end: int,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    closed: np.ndarray,
    sums: np.ndarray,
) -> int:
    """Return how often the outline of body i crosses the static edges [begin, end), and write the sums."""
    clear_sums(sums)
    found = 0
    for k in range(first[i], last[i] if closed[i] else last[i] - 1):
        a, b = points[k], next_point(points, first[i], last[i], LOOP, k)
        low_x, high_x = min(place[a, 0], place[b, 0]), max(place[a, 0], place[b, 0])
        low_y, high_y = min(place[a, 1], place[b, 1]), max(place[a, 1], place[b, 1])
        for e in range(begin, end):
            if misses(place, edges[e, 0], edges[e, 1], low_x, low_y, high_x, high_y):
                continue
            found += add_crossing(place, a, b, edges[e, 0], edges[e, 1], sums)
    return found


@lean
def find_astride(
    pairs: np.ndarray,
    body_count: int,
    due: np.ndarray,
    slot: np.ndarray,
    edges: np.ndarray,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    category: np.ndarray,
    mask: np.ndarray,
    sums: np.ndarray,
    found: np.ndarray,
) -> int:
    """Write (body, wall) of the `pairs` (P, 2) of a body that is `due` (B,) and a static edge that crosses it."""
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        if j < body_count or not due[i] or not ringed[i] or not may_touch(category, mask, i, j):
            continue
        e = j - body_count
        if add_wall_crossings(i, edges, e, e + 1, place, points, first, last, closed, sums) > 0:
            found[count, 0], found[count, 1] = i, slot[e]
            count += 1
    return count


@lean
def find_ways_off(
    members: np.ndarray,
    chain: np.ndarray,
    edges: np.ndarray,
    outward: np.ndarray,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    closed: np.ndarray,
    sums: np.ndarray,
    ways: np.ndarray,
) -> None:
    """Write for each (body, wall) of `members` (T, 2): x, y, n_x, n_y and the speed [m/s] of the motor, (T, 5)."""
    for k in range(members.shape[0]):
        i, begin, end = members[k, 0], chain[members[k, 1], 0], chain[members[k, 1], 1]
        crossings = add_wall_crossings(i, edges, begin, end, place, points, first, last, closed, sums)
        x, y = sums[0] / crossings, sums[1] / crossings
        middle_x, middle_y = middle_of(place, points, first[i], last[i])
        size = size_of(place, points, first[i], last[i])
        nx, ny = middle_x - x, middle_y - y
        chord, spread = math.hypot(sums[2], sums[3]), math.hypot(sums[6] - sums[4], sums[7] - sums[5])
        if crossings % 2 == 0 and chord > CHORD_SHARE * spread:
            sign = 1.0 if nx * -sums[3] + ny * sums[2] >= 0.0 else -1.0
            if outward[begin] != 0.0 and narrowest(edges, begin, end, place) < size:
                sign = turning_of(place, points, first[i], last[i]) * outward[begin]
            nx, ny = -sign * sums[3], sign * sums[2]
        length = math.hypot(nx, ny)
        ways[k, 0], ways[k, 1] = x, y
        ways[k, 2], ways[k, 3] = (nx / length, ny / length) if length > 1e-9 else (0.0, 1.0)
        ways[k, 4] = min(max(size, SLOWEST), FASTEST)


@lean
def size_of(place: np.ndarray, points: np.ndarray, first: int, last: int) -> float:
    """Return the larger side of the box around a body's points [m]."""
    low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
    for k in range(first, last):
        x, y = place[points[k], 0], place[points[k], 1]
        low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
    return float(max(high_x - low_x, high_y - low_y))


@lean
def narrowest(edges: np.ndarray, begin: int, end: int, place: np.ndarray) -> float:
    """Return the smaller side of the box around the static edges [begin, end) [m]."""
    low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
    for e in range(begin, end):
        x, y = place[edges[e, 0], 0], place[edges[e, 0], 1]
        low_x, high_x, low_y, high_y = min(low_x, x), max(high_x, x), min(low_y, y), max(high_y, y)
    return float(min(high_x - low_x, high_y - low_y))
