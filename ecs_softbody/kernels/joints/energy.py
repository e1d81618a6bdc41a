"""The energy guard of the joints: the sums from which `solve_group` (solve.py) decides whether the
impulses of a group add energy that they may not add, and two ways to scale impulses down.
"""

import math

import numpy as np

from ecs_softbody.kernels.joints.arrays import JointMotion, Matrix, Rows
from ecs_softbody.kernels.joints.contacts import allowed_impulse
from ecs_softbody.kernels.joints.rows import SOFT
from ecs_softbody.kernels.joints.skyline import solve_factored
from ecs_softbody.parallel.compiling import kernel


@kernel
def energy_of(members: np.ndarray, inverse_mass: np.ndarray, velocity: np.ndarray) -> float:
    """Return the kinetic energy [J] of the particles `members` that can be pushed."""
    total = 0.0
    for p in members:
        if inverse_mass[p] > 0.0:
            total += 0.5 * (velocity[p, 0] ** 2 + velocity[p, 1] ** 2) / inverse_mass[p]
    return total


@kernel
def work_from_outside(
    begin: int, end: int, members: np.ndarray, rows: Rows, motion: JointMotion
) -> float:
    """Return the work done on a group from outside [J]: by mouse joints, and by particles without
    inverse mass that move, e.g. a kinematic one. The guard subtracts it: it is no error.

    The work of an impulse is j times the mean of the velocities before and after; before is v - w
    times the whole impulse that the particle got.
    """
    work = 0.0
    for p in members:
        if motion.inverse_mass[p] == 0.0:
            work -= motion.impulse[p, 0] * motion.predicted[p, 0]
            work -= motion.impulse[p, 1] * motion.predicted[p, 1]
    for r in range(begin, end):
        if rows.kind[r] != SOFT or rows.impulse[r] == 0.0:
            continue
        for t in range(rows.term_first[r], rows.term_first[r + 1]):
            p = rows.particle[t]
            half = 0.5 * motion.inverse_mass[p]
            ax, ay = allowed_impulse(p, motion.impulse[p, 0], motion.impulse[p, 1], motion)
            by = rows.impulse[r] * rows.coefficient[t]
            jx, jy = allowed_impulse(
                p, by * rows.direction[r, 0], by * rows.direction[r, 1], motion
            )
            work += jx * (motion.velocity[p, 0] - half * ax)
            work += jy * (motion.velocity[p, 1] - half * ay)
    return work


@kernel
def mass_of(members: np.ndarray, inverse_mass: np.ndarray) -> float:
    """Return the mass [kg] of the particles `members` that can be pushed."""
    total = 0.0
    for p in members:
        if inverse_mass[p] > 0.0:
            total += 1.0 / inverse_mass[p]
    return total


@kernel
def correct_gently(begin: int, end: int, rows: Rows, matrix: Matrix, most: float) -> None:
    """Replace the errors in `step` [m/s] by the impulses [N·s] that correct them, scaled down so
    that their energy Σ error λ / 2 is at most `most` [J].
    """
    for r in range(begin, end):
        rows.errors[r] = rows.step[r]
    solve_factored(matrix.first, matrix.start, begin, end, matrix.low, matrix.high, rows.step)
    spent = 0.0
    for r in range(begin, end):
        if rows.side[r] == 0:
            rows.step[r] = 0.0
        spent += 0.5 * rows.errors[r] * rows.step[r]
    share = min(1.0, math.sqrt(most / spent)) if spent > 0.0 else 0.0
    for r in range(begin, end):
        rows.step[r] *= share


@kernel
def shorten(
    begin: int, end: int, members: np.ndarray, motion: JointMotion, impulse: np.ndarray
) -> None:
    """Scale the impulses of a group by the share in [0, 1] that leaves the least kinetic energy: 0
    if even small impulses would add some. With the velocity changes d by the whole impulses, the
    energy Σ m |v + share d|² / 2 is least at share = -Σ m v·d / Σ m d².
    """
    work = 0.0
    spent = 0.0
    for p in members:
        if motion.inverse_mass[p] > 0.0:
            ox = motion.predicted[p, 0]
            oy = motion.predicted[p, 1]
            dx = motion.velocity[p, 0] - ox
            dy = motion.velocity[p, 1] - oy
            work += (ox * dx + oy * dy) / motion.inverse_mass[p]
            spent += (dx * dx + dy * dy) / motion.inverse_mass[p]
    share = min(max(-work / spent, 0.0), 1.0) if spent > 0.0 and math.isfinite(spent) else 0.0
    for r in range(begin, end):
        impulse[r] *= share
