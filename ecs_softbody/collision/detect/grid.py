"""Broad phase: which boxes overlap, by a uniform grid whose cells are sorted (cell list).

It runs in every search for contacts; the pairs that it finds go to the narrow phase. Proxies are
the bodies, [0, body_count), followed by the static edges, each with a box. A small proxy, no larger
than a cell, lies in the cell of its lower left corner, so proxies that overlap it lie in that cell
or in the eight around it. The grid repeats: cells a whole grid apart share one entry, and comparing
boxes tells their proxies apart. Large proxies (long walls) search all cells that they cover, or all
proxies. A box that is not finite is left out.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats2, Integers1, Integers2
from ecs_softbody.collision.detect.filters import Filters, may_touch
from ecs_softbody.geometry.box import is_finite_box, overlaps
from ecs_softbody.geometry.outlines import DISCS
from ecs_softbody.parallel.compiling import entry, inline, kernel

CELL = 2.0
"""Largest side of a cell, over the mean of the bodies' longer sides; if all bodies fit into a
smaller cell, it is smaller.
"""
SMALL = 0.99
"""A proxy is small if its longer side is at most this fraction of a cell: then not even rounding
makes it reach further than into the next cell.
"""
FARTHEST_CELL = 1e12
"""Cells along an axis end here: a quotient beyond it would not fit into 64 bits."""
NO_CELL = -1
"""Instead of the cell of a proxy: it has no finite box."""
LARGE = -2
"""Instead of the cell of a proxy: it is larger than a cell."""


class Grid(NamedTuple):
    """A workspace for I proxies: width x width cells, the width a power of two."""

    width: int
    # (I,) cell of each proxy, NO_CELL or LARGE
    cell: Integers1
    # (width² + 1,) the small proxies of cell c are order[start[c]:start[c + 1]]
    start: Integers1
    # (I,) the small proxies by cell; the large ones fill it from its end
    order: Integers1
    # (I, 4) the boxes of the small proxies in this order
    box: Floats2


@kernel
def cell_size(box: np.ndarray, body_count: int) -> float:
    """Return the side of a cell [m]; box (I, 4): low x, low y, high x, high y."""
    total = 0.0
    largest = 0.0
    count = 0
    for b in range(body_count):
        if is_finite_box(box, b):
            side = max(box[b, 2] - box[b, 0], box[b, 3] - box[b, 1])
            total += side
            largest = max(largest, side)
            count += 1
    return max(min(largest / SMALL, CELL * total / max(count, 1)) * (1.0 + 1e-9), 1e-6)


@inline
def cell_number(position: float, size: float) -> int:
    """Return the number along one axis of the cell that a coordinate [m] lies in, unwrapped."""
    return math.floor(min(max(position / size, -FARTHEST_CELL), FARTHEST_CELL))


@kernel
def sort_into_cells(box: np.ndarray, size: float, grid: Grid) -> tuple[int, int]:
    """Fill the grid: sort the small proxies by cell; return how many are small, and how many large.

    A counting sort: count per cell, sum up to the end of each cell, then fill cells from their
    ends, which leaves `start` at the first proxy of each.
    """
    width = grid.width
    cell = grid.cell
    start = grid.start
    order = grid.order
    start[:] = 0
    small = 0
    large = 0
    for i in range(box.shape[0]):
        cell[i] = NO_CELL
        if not is_finite_box(box, i):
            continue
        if max(box[i, 2] - box[i, 0], box[i, 3] - box[i, 1]) > SMALL * size:
            cell[i] = LARGE
            large += 1
            order[box.shape[0] - large] = i
            continue
        x = cell_number(box[i, 0], size) & (width - 1)
        y = cell_number(box[i, 1], size) & (width - 1)
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
                grid.box[k, side] = box[i, side]
    return small, large


@entry
def find_pairs(
    box: Floats2, body_count: int, filters: Filters, asleep: Flags1, grid: Grid, pairs: Integers2
) -> int:
    """Write the pairs of proxies whose boxes overlap and that may touch, lower proxy first; return
    how many.

    At least one of the two is a body. asleep (B,): sleeping bodies are paired with awake bodies
    only. If `pairs` (P, 2) has too few rows, the number of rows needed is returned and the written
    pairs are invalid.
    """
    size = cell_size(box, body_count)
    small, large = sort_into_cells(box, size, grid)
    found: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for row in range(grid.width if small else 0):
        found = pairs_of_row(row, body_count, grid, pairs, found)
    for k in range(box.shape[0] - large, box.shape[0]):
        found = pairs_of_large(k, body_count, box, size, small, grid, pairs, found)
    return (
        found if found > pairs.shape[0] else select_pairs(pairs, found, body_count, filters, asleep)
    )


@kernel
def pairs_of_row(row: int, body_count: int, grid: Grid, pairs: np.ndarray, found: int) -> int:
    """Write the pairs of small proxies in a row of cells with each other and with the row above.

    So each pair of cells is visited once: from a cell to the next one and to the three above.
    """
    width = grid.width
    start = grid.start
    here = row * width
    # The grid repeats itself at its edges: a width that is a power of two wraps with one bit mask,
    # and proxies far away need no cells of their own.
    above = ((row + 1) & (width - 1)) * width
    for x in range(width):
        first = start[here + x]
        last = start[here + x + 1]
        if first == last:
            continue
        # Partners lie in the cells above, one of which may be at the other end of its row, in the
        # rest of this cell, and in the next one.
        left = max(x - 1, 0)
        right = min(x + 2, width)
        begin = start[above + left]
        end = start[above + right]
        next_end = start[here + right]
        far = above + (width - 1 if x == 0 else 0)
        for k in range(first, last):
            limit = partner_limit(grid.order[k], body_count, grid)
            found = pairs_among(k, k + 1, next_end, limit, grid, pairs, found)
            found = pairs_among(k, begin, end, limit, grid, pairs, found)
            if right - left < 3:
                found = pairs_among(k, start[far], start[far + 1], limit, grid, pairs, found)
            if x == width - 1:
                found = pairs_among(k, start[here], start[here + 1], limit, grid, pairs, found)
    return found


@inline
def partner_limit(i: int, body_count: int, grid: Grid) -> int:
    """Return the exclusive upper bound of the partners of proxy i: an edge pairs with bodies only.

    Pairs of two edges are of no use, and took 2.3 GB and 8 s where 3000 lines of a drawing lay in
    one place.
    """
    limit: int = body_count if i >= body_count else grid.order.shape[0]
    return limit


@inline
def pairs_among(
    k: int, begin: int, end: int, limit: int, grid: Grid, pairs: np.ndarray, found: int
) -> int:
    """Write the overlapping pairs of small proxy order[k] with proxies in order[begin:end] whose
    number is below `limit`, see `partner_limit`; return the new number of pairs.
    """
    box = grid.box
    order = grid.order
    low_x = box[k, 0]
    low_y = box[k, 1]
    high_x = box[k, 2]
    high_y = box[k, 3]
    m = begin
    while m < end:
        if order[m] >= limit:
            # Numbers rise within a cell: the search goes on in the next one.
            m = grid.start[grid.cell[order[m]] + 1]
            continue
        # No branch tests the overlap, as it would be mispredicted: the next pair overwrites one
        # that does not overlap.
        overlap_x = (low_x <= box[m, 2]) & (box[m, 0] <= high_x)
        if found < pairs.shape[0]:
            pairs[found, 0] = order[k]
            pairs[found, 1] = order[m]
        found += overlap_x & (low_y <= box[m, 3]) & (box[m, 1] <= high_y)
        m += 1
    return found


@kernel
def select_pairs(
    pairs: np.ndarray, count: int, body_count: int, filters: Filters, asleep: np.ndarray
) -> int:
    """Keep the pairs with a body that may touch, lower proxy first; return how many are left.

    Of two sleeping bodies, and of a sleeping body and a static edge, no contact is needed.
    """
    kept: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for k in range(count):
        i = min(pairs[k, 0], pairs[k, 1])
        j = max(pairs[k, 0], pairs[k, 1])
        if i >= body_count or (asleep[i] and (j >= body_count or asleep[j])):
            continue
        if may_touch(filters, i, j):
            pairs[kept, 0] = i
            pairs[kept, 1] = j
            kept += 1
    return kept


@kernel
def pairs_of_large(
    k: int,
    body_count: int,
    box: np.ndarray,
    size: float,
    small: int,
    grid: Grid,
    pairs: np.ndarray,
    found: int,
) -> int:
    """Write the pairs of large proxy order[k] with the small proxies, and with the large ones that
    follow in `order`; return the new number of pairs.
    """
    width = grid.width
    start = grid.start
    order = grid.order
    i = grid.order[k]
    low_x = box[i, 0]
    low_y = box[i, 1]
    high_x = box[i, 2]
    high_y = box[i, 3]
    limit = partner_limit(i, body_count, grid)
    for n in range(k + 1, box.shape[0]):
        if order[n] < limit and overlaps(box, i, order[n]):
            if found < pairs.shape[0]:
                pairs[found, 0] = i
                pairs[found, 1] = order[n]
            found += 1
    left = cell_number(low_x, size) - 1
    below = cell_number(low_y, size) - 1
    columns = cell_number(high_x, size) - left + 1
    rows = cell_number(high_y, size) - below + 1
    # A proxy larger than the grid would visit cells twice: it is compared with all small ones, as
    # is one that covers more cells than there are small proxies.
    whole = columns > width or rows > width or columns * rows > small
    if whole:
        columns = rows = 1
    for y in range(below, below + rows):
        for x in range(left, left + columns):
            c = (y & (width - 1)) * width + (x & (width - 1))
            for m in range(0 if whole else start[c], small if whole else start[c + 1]):
                overlap_x = (low_x <= grid.box[m, 2]) & (grid.box[m, 0] <= high_x)
                if (
                    (order[m] < limit)
                    & overlap_x
                    & (low_y <= grid.box[m, 3])
                    & (grid.box[m, 1] <= high_y)
                ):
                    if found < pairs.shape[0]:
                        pairs[found, 0] = i
                        pairs[found, 1] = order[m]
                    found += 1
    return found


@entry
def sort_pairs(
    pairs: Integers2, body_count: int, kind: Integers1, counts: Integers1, ordered: Integers2
) -> None:
    """Write the pairs (P, 2) to `ordered` in three groups, since each has a narrow phase of its
    own.

    First pairs of two bodies without outlines, then the other pairs of bodies, then pairs of a body
    and a static edge. kind (B,): of the bodies' outlines. counts (3,): written, pairs in each
    group.
    """
    counts[:] = 0
    for sweep in range(2):
        disc = 0
        outline = counts[0]
        wall = counts[0] + counts[1]
        for k in range(pairs.shape[0]):
            i = pairs[k, 0]
            j = pairs[k, 1]
            if j >= body_count:
                group = 2
                at = wall
                wall += 1
            elif kind[i] != DISCS or kind[j] != DISCS:
                group = 1
                at = outline
                outline += 1
            else:
                group = 0
                at = disc
                disc += 1
            if sweep == 0:
                counts[group] += 1
            else:
                ordered[at, 0] = i
                ordered[at, 1] = j
