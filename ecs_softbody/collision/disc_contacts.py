"""Contacts of discs: the narrow phase between two bodies without outlines.

They come first in a list of contacts: every one is between two particles, and its edge has both ends in one.
"""

import numpy as np

from ecs_softbody.kernels.compiling import lean


@lean
def find_disc_contacts(
    pairs: np.ndarray,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    box: np.ndarray,
    margin: np.ndarray,
    near: np.ndarray,
    rows: np.ndarray,
    items: np.ndarray,
    count: int,
) -> int:
    """Write the contacts of pairs of bodies without outlines from row `count` on; return how many there are then.

    near: room for twice as many rows as a body has points. Where contacts are more than rows, see `find_contacts`.
    """
    near_j = near[near.shape[0] // 2 :]
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        ahead, p_count, q_count = margin[i] + margin[j], 1, 1
        if last[i] - first[i] == 1:
            near[0] = points[first[i]]
        else:
            p_count = points_near_box(first[i], last[i], place, reach, points, box, j, margin[i], near)
        if last[j] - first[j] == 1:
            near_j[0] = points[first[j]]
        else:
            q_count = points_near_box(first[j], last[j], place, reach, points, box, i, margin[j], near_j)
        for n in range(p_count):
            p = near[n]
            px, py, r = place[p, 0], place[p, 1], reach[p]
            for m in range(q_count):
                q = near_j[m]
                dx, dy, far = px - place[q, 0], py - place[q, 1], r + reach[q] + ahead
                # Without a branch, which would be guessed wrongly: what is too far is overwritten.
                if count < rows.shape[0]:
                    rows[count, 0], rows[count, 1], rows[count, 2] = p, q, q
                    items[count, 0], items[count, 1] = i, j
                count += dx * dx + dy * dy < far * far
    return count


@lean
def points_near_box(
    begin: int,
    end: int,
    place: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    box: np.ndarray,
    i: int,
    margin: float,
    near: np.ndarray,
) -> int:
    """Write which of points[begin:end] come near box i; return how many."""
    low_x, low_y, high_x, high_y = box[i, 0] - margin, box[i, 1] - margin, box[i, 2] + margin, box[i, 3] + margin
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for m in range(begin, end):
        q = points[m]
        x, y, r = place[q, 0], place[q, 1], reach[q]
        near[count] = q
        count += (x + r >= low_x) & (x - r <= high_x) & (y + r >= low_y) & (y - r <= high_y)
    return count
