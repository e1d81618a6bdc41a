"""Broad phase: which boxes overlap, by cells in sorted order.

Items are the boxes of bodies [0, body_count) and after them those of static edges. A small one lies in the one cell
that holds its lower left corner, so what overlaps it lies there or in the eight cells around. Cells that are as far
apart as the grid is wide share their place in it; the boxes tell their items apart. Large items (long walls) look
through all the cells that they reach, or through all items. A box that is not finite is left out.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean, part

CELL = 2.0
"""Side of a cell over the mean side of the bodies' boxes, where the largest one is larger than that."""
SMALL = 0.99
"""An item is small up to this share of a cell: rounding cannot put it further than into the next one."""
FARTHEST_CELL = 1e12
NO_CELL, LARGE = -1, -2
"""In the place of the cell of an item: it has no box; it is large."""


@part
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


@part
def overlaps(box: np.ndarray, i: int, j: int) -> bool:
    """Tell whether two boxes share a point."""
    return box[i, 0] <= box[j, 2] and box[j, 0] <= box[i, 2] and box[i, 1] <= box[j, 3] and box[j, 1] <= box[i, 3]


@lean
def cell_size(box: np.ndarray, body_count: int) -> float:
    """Return the side of a cell [m]."""
    total, largest, count = 0.0, 0.0, 0
    for b in range(body_count):
        if is_finite_box(box, b):
            side = max(box[b, 2] - box[b, 0], box[b, 3] - box[b, 1])
            total += side
            largest = max(largest, side)
            count += 1
    return max(min(largest / SMALL, CELL * total / max(count, 1)) * (1.0 + 1e-9), 1e-6)


@part
def cell_number(place: float, size: float) -> int:
    """Return the number of the cell along one axis."""
    return math.floor(min(max(place / size, -FARTHEST_CELL), FARTHEST_CELL))


@lean
def sort_into_cells(
    box: np.ndarray,
    size: float,
    width: int,
    cell: np.ndarray,
    start: np.ndarray,
    order: np.ndarray,
    sorted_box: np.ndarray,
) -> tuple[int, int]:
    """Counting sort: small items of cell c are order[start[c]:start[c + 1]]; return how many are small, and large.

    The large ones fill `order` from its end. sorted_box: the boxes in this order. width: cells along each axis, a
    power of two.
    """
    start[:] = 0
    small, large = 0, 0
    for i in range(box.shape[0]):
        cell[i] = NO_CELL
        if not is_finite_box(box, i):
            continue
        if max(box[i, 2] - box[i, 0], box[i, 3] - box[i, 1]) > SMALL * size:
            cell[i] = LARGE
            large += 1
            order[box.shape[0] - large] = i
            continue
        x, y = cell_number(box[i, 0], size) & (width - 1), cell_number(box[i, 1], size) & (width - 1)
        cell[i] = y * width + x
        start[cell[i]] += 1
        small += 1
    total = 0
    for c in range(width * width):
        total += start[c]
        start[c] = total
    start[width * width] = total
    for i in range(box.shape[0] - 1, -1, -1):
        if cell[i] >= 0:
            start[cell[i]] -= 1
            k = start[cell[i]]
            order[k] = i
            for side in range(4):
                sorted_box[k, side] = box[i, side]
    return small, large


@lean
def find_pairs(
    box: np.ndarray,
    body_count: int,
    category: np.ndarray,
    mask: np.ndarray,
    still: np.ndarray,
    width: int,
    cell: np.ndarray,
    start: np.ndarray,
    order: np.ndarray,
    sorted_box: np.ndarray,
    pairs: np.ndarray,
) -> int:
    """Write the overlapping pairs of a body and a body or an edge that may touch, lower item first; return how many.

    still (B,): bodies that are looked for by others only. Where `pairs` (P, 2) has too few rows, this returns how many
    it needs, and what is written is of no use. The others are room: see `sort_into_cells`.
    """
    size = cell_size(box, body_count)
    small, large = sort_into_cells(box, size, width, cell, start, order, sorted_box)
    found: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for row in range(width if small else 0):
        found = pairs_of_row(row, width, start, order, sorted_box, pairs, found)
    for k in range(box.shape[0] - large, box.shape[0]):
        found = pairs_of_large(k, box, size, width, small, start, order, sorted_box, pairs, found)
    return found if found > pairs.shape[0] else select_pairs(pairs, found, body_count, category, mask, still)


@lean
def pairs_of_row(
    row: int, width: int, start: np.ndarray, order: np.ndarray, sorted_box: np.ndarray, pairs: np.ndarray, found: int
) -> int:
    """Write the pairs of the small items in a row of cells with each other and with those in the row above."""
    here, above = row * width, ((row + 1) & (width - 1)) * width
    for x in range(width):
        first, last = start[here + x], start[here + x + 1]
        if first == last:
            continue
        # The cells above, and what of them lies at the other end of their row; the rest of this cell and the next one.
        left, right = max(x - 1, 0), min(x + 2, width)
        begin, end, next_end = start[above + left], start[above + right], start[here + right]
        far = above + (width - 1 if x == 0 else 0)
        for k in range(first, last):
            found = pairs_among(k, k + 1, next_end, order, sorted_box, pairs, found)
            found = pairs_among(k, begin, end, order, sorted_box, pairs, found)
            if right - left < 3:
                found = pairs_among(k, start[far], start[far + 1], order, sorted_box, pairs, found)
            if x == width - 1:
                found = pairs_among(k, start[here], start[here + 1], order, sorted_box, pairs, found)
    return found


@part
def pairs_among(
    k: int, begin: int, end: int, order: np.ndarray, sorted_box: np.ndarray, pairs: np.ndarray, found: int
) -> int:
    """Write the pairs of small item order[k] with order[begin:end]."""
    low_x, low_y, high_x, high_y = sorted_box[k, 0], sorted_box[k, 1], sorted_box[k, 2], sorted_box[k, 3]
    for m in range(begin, end):
        # Without branches, which would be guessed wrongly: what does not overlap is overwritten.
        near_x = (low_x <= sorted_box[m, 2]) & (sorted_box[m, 0] <= high_x)
        if found < pairs.shape[0]:
            pairs[found, 0], pairs[found, 1] = order[k], order[m]
        found += near_x & (low_y <= sorted_box[m, 3]) & (sorted_box[m, 1] <= high_y)
    return found


@lean
def select_pairs(
    pairs: np.ndarray, count: int, body_count: int, category: np.ndarray, mask: np.ndarray, still: np.ndarray
) -> int:
    """Keep the pairs of a body and a body or an edge that may touch, lower item first; return how many are left."""
    kept: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for k in range(count):
        i, j = min(pairs[k, 0], pairs[k, 1]), max(pairs[k, 0], pairs[k, 1])
        if i >= body_count or (still[i] and (j >= body_count or still[j])):
            continue
        if category[i] & mask[j] != 0 and category[j] & mask[i] != 0:
            pairs[kept, 0], pairs[kept, 1] = i, j
            kept += 1
    return kept


@lean
def pairs_of_large(
    k: int,
    box: np.ndarray,
    size: float,
    width: int,
    small: int,
    start: np.ndarray,
    order: np.ndarray,
    sorted_box: np.ndarray,
    pairs: np.ndarray,
    found: int,
) -> int:
    """Write the pairs of large item order[k] with the small ones, and with the large ones behind it."""
    i = order[k]
    low_x, low_y, high_x, high_y = box[i, 0], box[i, 1], box[i, 2], box[i, 3]
    for n in range(k + 1, box.shape[0]):
        if overlaps(box, i, order[n]):
            if found < pairs.shape[0]:
                pairs[found, 0], pairs[found, 1] = i, order[n]
            found += 1
    left, below = cell_number(low_x, size) - 1, cell_number(low_y, size) - 1
    columns, rows = cell_number(high_x, size) - left + 1, cell_number(high_y, size) - below + 1
    whole = columns > width or rows > width or columns * rows > small
    if whole:
        columns = rows = 1
    for y in range(below, below + rows):
        for x in range(left, left + columns):
            c = (y & (width - 1)) * width + (x & (width - 1))
            for m in range(0 if whole else start[c], small if whole else start[c + 1]):
                near_x = (low_x <= sorted_box[m, 2]) & (sorted_box[m, 0] <= high_x)
                if near_x & (low_y <= sorted_box[m, 3]) & (sorted_box[m, 1] <= high_y):
                    if found < pairs.shape[0]:
                        pairs[found, 0], pairs[found, 1] = i, order[m]
                    found += 1
    return found


@lean
def sort_pairs(pairs: np.ndarray, body_count: int, ringed: np.ndarray, counts: np.ndarray, ordered: np.ndarray) -> None:
    """Write pairs of bodies without outlines first, then the other pairs of bodies, then those with walls.

    counts (3,): how many there are of each.
    """
    counts[:] = 0
    for sweep in range(2):
        disc, ring, wall = 0, counts[0], counts[0] + counts[1]
        for k in range(pairs.shape[0]):
            i, j = pairs[k, 0], pairs[k, 1]
            if j >= body_count:
                group, at = 2, wall
                wall += 1
            elif ringed[i] or ringed[j]:
                group, at = 1, ring
                ring += 1
            else:
                group, at = 0, disc
                disc += 1
            if sweep == 0:
                counts[group] += 1
            else:
                ordered[at, 0], ordered[at, 1] = i, j
