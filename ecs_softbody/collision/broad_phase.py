"""Broad phase: which boxes overlap, by a hash grid.

Items are the boxes of bodies [0, body_count) and after them those of static edges. Each is entered into every cell
that it covers; a pair is reported by one cell only, the one that holds the lower left corner of the overlap. Items
that cover many cells (long walls) are compared with every body instead. A box that is not finite is left out.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel

MOST_CELLS = 32
"""An item that covers more cells than this is compared with all bodies."""

LARGEST_MARGIN = 2.0
"""Largest margin of a ring, over the reach of its particles."""


@kernel
def find_bounds(
    position: np.ndarray,
    velocity: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    frame_dt: float,
    least_margin: float,
    box: np.ndarray,
    margin: np.ndarray,
    own_margin: np.ndarray,
) -> None:
    """Write box (B, 4) as low x, low y, high x, high y, grown by reach and margin, and both margins (B,) [m].

    The margin is the way that the fastest particle of the body goes in a frame, for a ring at most `LARGEST_MARGIN`
    times its thickness: which edge is closest has to be found again when it has gone that far. The own margin is what
    its particles go relative to each other.
    """
    for b in range(first.shape[0]):
        low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
        fastest, thickest, own, vx, vy = 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(first[b], last[b]):
            vx += velocity[points[k], 0] / (last[b] - first[b])
            vy += velocity[points[k], 1] / (last[b] - first[b])
        for k in range(first[b], last[b]):
            p = points[k]
            x, y, r = position[p, 0], position[p, 1], reach[p]
            low_x, high_x = min(low_x, x - r), max(high_x, x + r)
            low_y, high_y = min(low_y, y - r), max(high_y, y + r)
            thickest = max(thickest, r)
            fastest = max(fastest, velocity[p, 0] * velocity[p, 0] + velocity[p, 1] * velocity[p, 1])
            own = max(
                own, (velocity[p, 0] - vx) * (velocity[p, 0] - vx) + (velocity[p, 1] - vy) * (velocity[p, 1] - vy)
            )
        grown = math.sqrt(fastest) * frame_dt
        if ringed[b]:
            grown = min(grown, LARGEST_MARGIN * thickest)
        grown = max(least_margin, grown)
        margin[b] = grown
        own_margin[b] = max(least_margin, min(math.sqrt(own) * frame_dt, grown))
        box[b, 0], box[b, 1] = low_x - grown, low_y - grown
        box[b, 2], box[b, 3] = high_x + grown, high_y + grown


@kernel
def is_finite_box(box: np.ndarray, i: int) -> bool:
    """Tell whether a box is finite and not empty."""
    return bool(
        math.isfinite(box[i, 0])
        and math.isfinite(box[i, 1])
        and math.isfinite(box[i, 2])
        and math.isfinite(box[i, 3])
        and box[i, 0] <= box[i, 2]
        and box[i, 1] <= box[i, 3]
    )


@kernel
def overlaps(box: np.ndarray, i: int, j: int) -> bool:
    """Tell whether two boxes share a point."""
    return box[i, 0] <= box[j, 2] and box[j, 0] <= box[i, 2] and box[i, 1] <= box[j, 3] and box[j, 1] <= box[i, 3]


@kernel
def cell_size(box: np.ndarray, body_count: int) -> float:
    """Return the mean side of the bodies' boxes [m]."""
    total, count = 0.0, 0
    for b in range(body_count):
        if is_finite_box(box, b):
            total += max(box[b, 2] - box[b, 0], box[b, 3] - box[b, 1])
            count += 1
    return max(total / max(count, 1), 1e-6)


@kernel
def bucket_of(x: int, y: int, mask: int) -> int:
    """Hash a cell into a bucket."""
    return ((x * 73856093) ^ (y * 19349663)) & mask


@kernel
def covered_cells(box: np.ndarray, i: int, size: float) -> int:
    """Return how many cells an item covers: 0 for a box that is not finite, MOST_CELLS + 1 for too many."""
    if not is_finite_box(box, i):
        return 0
    across = math.floor(box[i, 2] / size) - math.floor(box[i, 0] / size) + 1.0
    along = math.floor(box[i, 3] / size) - math.floor(box[i, 1] / size) + 1.0
    if across * along > MOST_CELLS or abs(box[i, 0]) + abs(box[i, 1]) > 1e9 * size:
        return MOST_CELLS + 1
    return int(across * along)


@kernel
def find_pairs(box: np.ndarray, body_count: int, pairs: np.ndarray) -> int:
    """Write the overlapping pairs (body, body) and (body, edge), lower item first; return how many there are.

    Where there are more than `pairs` (P, 2) has rows for, the number is right and the rest is not written.
    """
    item_count = box.shape[0]
    size = cell_size(box, body_count)
    entry_count = 0
    large = np.empty(item_count, np.int64)
    large_count = 0
    for i in range(item_count):
        cells = covered_cells(box, i, size)
        if cells > MOST_CELLS:
            large[large_count] = i
            large_count += 1
        else:
            entry_count += cells
    bucket_count = 16
    while bucket_count < 2 * entry_count:
        bucket_count *= 2
    start = np.zeros(bucket_count + 1, np.int64)
    entries = np.empty((entry_count, 3), np.int64)
    _sort_into_buckets(box, size, start, entries)
    found = _pairs_in_buckets(box, body_count, size, start, entries, pairs)
    for k in range(large_count):
        i = large[k]
        for b in range(item_count if i < body_count else body_count):
            if b != i and is_finite_box(box, b) and overlaps(box, i, b):
                # Of two large items the pair is reported by the later one.
                if b > i and covered_cells(box, b, size) > MOST_CELLS:
                    continue
                if found < pairs.shape[0]:
                    pairs[found, 0], pairs[found, 1] = min(i, b), max(i, b)
                found += 1
    return found


@kernel
def _sort_into_buckets(box: np.ndarray, size: float, start: np.ndarray, entries: np.ndarray) -> None:
    """Counting sort: entries (item, cell x, cell y) of bucket k are [start[k], start[k + 1])."""
    mask = start.shape[0] - 2
    for counting in range(2):
        for i in range(box.shape[0]):
            cells = covered_cells(box, i, size)
            if cells == 0 or cells > MOST_CELLS:
                continue
            for x in range(math.floor(box[i, 0] / size), math.floor(box[i, 2] / size) + 1):
                for y in range(math.floor(box[i, 1] / size), math.floor(box[i, 3] / size) + 1):
                    bucket = bucket_of(x, y, mask)
                    if counting == 0:
                        start[bucket + 1] += 1
                    else:
                        start[bucket] -= 1
                        entries[start[bucket], 0] = i
                        entries[start[bucket], 1] = x
                        entries[start[bucket], 2] = y
        if counting == 0:
            # After this start[k] is the END of bucket k; placing the entries moves it back to the start.
            for bucket in range(mask + 1):
                start[bucket + 1] += start[bucket]
            for bucket in range(mask + 1):
                start[bucket] = start[bucket + 1]


@kernel
def _pairs_in_buckets(
    box: np.ndarray, body_count: int, size: float, start: np.ndarray, entries: np.ndarray, pairs: np.ndarray
) -> int:
    found: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for bucket in range(start.shape[0] - 1):
        for k in range(start[bucket], start[bucket + 1]):
            i, x, y = entries[k, 0], entries[k, 1], entries[k, 2]
            for m in range(k + 1, start[bucket + 1]):
                j = entries[m, 0]
                if entries[m, 1] != x or entries[m, 2] != y or (i >= body_count and j >= body_count):
                    continue
                if not overlaps(box, i, j):
                    continue
                corner_x = math.floor(max(box[i, 0], box[j, 0]) / size)
                corner_y = math.floor(max(box[i, 1], box[j, 1]) / size)
                if corner_x == x and corner_y == y:
                    if found < pairs.shape[0]:
                        pairs[found, 0], pairs[found, 1] = min(i, j), max(i, j)
                    found += 1
    return found
