"""The active set of the joints: which rows take part in the solution of a group.

A row with two limits (DISTANCE: at least `lower`, at most `upper`) only acts at a limit. `side`
says at which: 1 the upper one, where it may only pull (impulse < 0), -1 the lower one, where it may
only push, BOTH held either way, 0 it does not take part. `solve_group` guesses the sides, solves,
and changes them until all impulses have the right sign.
"""

import math

import numpy as np

from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import Rows
from ecs_softbody.kernels.joints.rows import DISTANCE, SOFT, offset_at_end
from ecs_softbody.parallel.compiling import kernel

TAUT = 1e-9
"""Tolerance of a limit, as a share of its length: nearer than this is at the limit."""
BOTH = 2
"""`side` of a rod, a hinge or a spring."""


@kernel
def begin_sides(begin: int, end: int, rows: Rows, predicted: np.ndarray, dt: float) -> bool:
    """Choose the sides of a group that are tried first: limits that are reached at the start of the
    substep, or would be at its end without joints. Return whether any row takes part.
    """
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
    """Change the sides of a group after it was solved; return whether any changed.

    Rows whose impulse has the wrong sign are released, mouse joints are limited to their largest
    force, and, with `early`, rows that pass a limit are added. Late rounds only release, so that
    the rounds end.
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
    """Limit the x and y rows of a mouse joint to its maximum impulse if they exceed it: they get it
    as a fixed initial impulse, and take no further part. Return whether they exceed it.
    """
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
    """Where no consistent set of rows was found, set the impulses of limits with the wrong sign to
    0; all impulses of the group if any is not finite.
    """
    finite = True
    for r in range(begin, end):
        finite &= math.isfinite(rows.impulse[r])
    for r in range(begin, end):
        limit = rows.kind[r] == DISTANCE and rows.lower[r] != rows.upper[r]
        if not finite or (limit and rows.side[r] * rows.impulse[r] > 0.0):
            rows.impulse[r] = 0.0
            rows.side[r] = 0
