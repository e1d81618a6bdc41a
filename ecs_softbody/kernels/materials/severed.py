"""Severed springs: when a body is cut, a spring that crosses the cut is shortened to end at the
nearest point (particle) of the cut, so that a fragment keeps its stiffness near the cut.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel

MISSED = 2.0
"""Fraction, beyond any between 0 and 1, of a spring that crosses no line."""


@kernel
def side_of(position: np.ndarray, first: int, last: int, row: int) -> float:
    """Return on which side of the line from point `first` to point `last` the point `row` lies: a
    cross product [m²], above 0 on the left, below 0 on the right.
    """
    ax = position[first, 0]
    ay = position[first, 1]
    along_x = position[last, 0] - ax
    along_y = position[last, 1] - ay
    side: float = along_x * (position[row, 1] - ay) - along_y * (position[row, 0] - ax)
    return side


@kernel
def crossing_share(position: np.ndarray, ends: np.ndarray, near: int, far: int) -> float:
    """Return where a spring is cut, as a fraction (0 to 1) of the way from point `near` to point
    `far`: where it first crosses the line through both ends of a cut; 0.5 if it crosses none.

    ends (K, 2): first and last point of each cut.
    """
    best = MISSED
    for k in range(len(ends)):
        one = side_of(position, ends[k, 0], ends[k, 1], near)
        two = side_of(position, ends[k, 0], ends[k, 1], far)
        if (one > 0.0) != (two > 0.0):
            best = min(best, one / (one - two))
    return best if best <= 1.0 else 0.5


@entry
def join_severed(
    pairs: Integers2,
    rows: Integers1,
    within: Flags1,
    is_cut: Flags1,
    cut: Integers1,
    ends: Integers2,
    position: Floats2,
    rest: Floats2,
    reach: Floats1,
    found: Integers2,
) -> int:
    """Write (end in the part, point of the cut where it now ends, spring) for each crossing spring
    with an end in one part of a cut body to `found`; return how many.

    Args:
        pairs: (M, 2) both ends of all springs.
        rows: the springs that no part has whole.
        within: (P,) which points the part has; `is_cut` (P,): which of them are on its cuts; `cut`:
            the numbers of these.
        ends: (K, 2) first and last point of each of the part's cuts.
        position, rest: (P, 2) present places, and places in the rest shape, of all points [m].
        reach: (2,) [m]: largest distance of the point from where the spring is cut, and least
            length of the shortened spring in the rest shape; other springs are dropped.
        found: room for as many as there are rows, (len(rows), 3).
    """
    count = 0
    for row in rows:
        near = pairs[row, 0]
        far = pairs[row, 1]
        if not within[near]:
            near, far = far, near
        if not within[near] or is_cut[near]:
            continue
        share = crossing_share(position, ends, near, far)
        x = (1.0 - share) * position[near, 0] + share * position[far, 0]
        y = (1.0 - share) * position[near, 1] + share * position[far, 1]
        point = cut[0]
        away = hypot(position[cut[0], 0] - x, position[cut[0], 1] - y)
        for k in range(1, len(cut)):
            here = hypot(position[cut[k], 0] - x, position[cut[k], 1] - y)
            if here < away:
                point = cut[k]
                away = here
        long = hypot(rest[near, 0] - rest[point, 0], rest[near, 1] - rest[point, 1])
        if away <= reach[0] and long > reach[1]:
            found[count, 0] = near
            found[count, 1] = point
            found[count, 2] = row
            count += 1
    return count
