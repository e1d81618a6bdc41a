"""Severed springs: where a spring that a cut crosses ends from now on."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel

MISSED = 2.0
"""Where a line is crossed that is not."""


@kernel
def side_of(position: np.ndarray, first: int, last: int, row: int) -> float:
    """Return on which side of the line from `first` to `last` a row lies: below 0 on the right."""
    ax = position[first, 0]
    ay = position[first, 1]
    along_x = position[last, 0] - ax
    along_y = position[last, 1] - ay
    side: float = along_x * (position[row, 1] - ay) - along_y * (position[row, 0] - ax)
    return side


@kernel
def crossing_share(position: np.ndarray, ends: np.ndarray, near: int, far: int) -> float:
    """Return where a spring crosses the first of the lines through both ends of each cut; its
    middle, where none.
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
    """Write (row of the part, point of its cut, spring) for springs of which one end is in a part;
    return how many.

    Args:
        pairs: both ends of all springs.
        rows: the springs that no part has whole.
        within: which points the part has; `is_cut`: which of them are on its cuts, `cut`: their
            numbers.
        ends: first and last point of each of its cuts.
        position, rest: of all points [m].
        reach: how far the point may be from where the spring is cut, and how short the rest of it,
            at rest [m].
        found: room for as many as there are rows.
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
