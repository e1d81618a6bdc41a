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

    near: room for as many rows as a body has points. Where there are more contacts than rows, see `find_contacts`.
    """
    room = rows.shape[0]
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        ahead, begin, end = margin[i] + margin[j], first[j], last[j]
        if end - begin == 1:
            near[0] = points[begin]
            q_count = 1
        else:
            q_count = points_near_box(begin, end, place, reach, points, box, i, margin[j], near)
        low_x, low_y = box[j, 0] - margin[i], box[j, 1] - margin[i]
        high_x, high_y = box[j, 2] + margin[i], box[j, 3] + margin[i]
        for n in range(first[i], last[i]):
            p = points[n]
            px, py, r = place[p, 0], place[p, 1], reach[p]
            if px + r < low_x or px - r > high_x or py + r < low_y or py - r > high_y:
                continue
            for m in range(q_count):
                q = near[m]
                dx, dy, far = px - place[q, 0], py - place[q, 1], r + reach[q] + ahead
                if dx * dx + dy * dy < far * far:
                    if count < room:
                        rows[count, 0], rows[count, 1], rows[count, 2] = p, q, q
                        items[count, 0], items[count, 1] = i, j
                    count += 1
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
