"""The active set of the joints: which rows are at a limit, and which of the two."""

import math

import numpy as np

from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import Rows
from ecs_softbody.kernels.joints.rows import DISTANCE, SOFT, offset_at_end
from ecs_softbody.parallel.compiling import kernel

TAUT = 1e-9
"""A limit is tried when the pair is this near to it, as a share of its length."""
BOTH = 2


@kernel
def begin_sides(begin: int, end: int, rows: Rows, predicted: np.ndarray, dt: float) -> bool:
    """Choose the rows that are tried first; return whether there are any."""
    found = False
    side = rows.side
    lower = rows.lower
    upper = rows.upper
    for r in range(begin, end):
        rows.initial_impulse[r] = 0.0
        if not rows.alive[r]:
            side[r] = 0
        elif rows.kind[r] != DISTANCE or lower[r] == upper[r]:
            side[r] = BOTH
        else:
            length = hypot(rows.offset[r, 0], rows.offset[r, 1])
            ahead = hypot(*offset_at_end(r, rows, predicted, dt))
            if max(length, ahead) >= upper[r] * (1.0 - TAUT):
                side[r] = 1
            elif min(length, ahead) <= lower[r] * (1.0 + TAUT):
                side[r] = -1 if lower[r] > 0.0 else 0
            elif side[r] == BOTH:
                side[r] = 0
        found |= side[r] != 0
    return found


@kernel
def change_sides(
    begin: int, end: int, rows: Rows, velocity: np.ndarray, dt: float, early: bool
) -> bool:
    """Release rows that push although they can only pull, add rows beyond their limit; return
    whether any changed.
    """
    changed = False
    side = rows.side
    impulse = rows.impulse
    for r in range(begin, end):
        if not rows.alive[r]:
            continue
        if rows.kind[r] == SOFT and rows.partner[r] >= 0 and side[r] != 0:
            changed |= hold_at_most(r, rows)
        if rows.kind[r] != DISTANCE or side[r] == BOTH:
            continue
        if side[r] != 0:
            if side[r] * impulse[r] > 0.0:
                side[r] = 0
                changed = True
        elif early:
            lower = rows.lower[r]
            upper = rows.upper[r]
            length = hypot(*offset_at_end(r, rows, velocity, dt))
            now = hypot(rows.offset[r, 0], rows.offset[r, 1])
            slack = TAUT * upper if upper < math.inf else TAUT * lower
            if length > max(upper, now) + slack:
                side[r] = 1
                changed = True
            elif length < min(lower, now) - slack:
                side[r] = -1
                changed = True
    return changed


@kernel
def hold_at_most(r: int, rows: Rows) -> bool:
    """Limit a pair of SOFT rows to its maximum impulse; return whether it would exceed that."""
    other = rows.partner[r]
    size = hypot(rows.impulse[r], rows.impulse[other])
    if not size > rows.max_impulse[r]:
        return False
    for row in (r, other):
        rows.initial_impulse[row] = rows.impulse[row] * rows.max_impulse[r] / size
        rows.side[row] = 0
    return True


@kernel
def calm(begin: int, end: int, rows: Rows) -> None:
    """Without a consistent set of rows, keep the impulses of the right sign; none if any is not
    finite.
    """
    finite = True
    for r in range(begin, end):
        finite &= math.isfinite(rows.impulse[r])
    for r in range(begin, end):
        limit = rows.kind[r] == DISTANCE and rows.lower[r] != rows.upper[r]
        if not finite or (limit and rows.side[r] * rows.impulse[r] > 0.0):
            rows.impulse[r] = 0.0
            rows.side[r] = 0
