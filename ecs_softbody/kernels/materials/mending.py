"""Mending: a damaged body (its outline crosses itself, for example) is pulled back to its rest
shape. The rest shape r_i is moved to the centre of mass x_c and turned by R to fit best:

    F_i = m_i β (v_i - u_i) / (1 + β h),    v_i = -α s (x_i - x_c - R (r_i - r_c)),    β = 4 α

v_i is the wanted velocity, u_i the present one, both relative to the rigid motion, and s ≤ 1 limits
all particles to a largest speed, the *pace*. This is a critically damped pull of stiffness 4 α² m:
there is one state of rest, the rest shape in any turn, which is whole. No other elastic force acts
meanwhile, since springs, angles and gas can hold a knot.

    α = sqrt(g / (4 SAG size)),   at most 0.5 / h

with g on Earth and the size of the rest shape: under its own weight the body sags by the share SAG
of its size, and small and large bodies take the same time in units of sqrt(size / g). The pace is
the speed of a fall by the size: with less, the limit would hold a body down that has to lift itself
off its tips. But a body that stands up that fast leaves the ground, and one that its own weight
damages again would jump for ever: the n-th time in a row the pace is 1/n² of that. R is never a
reflection. The net force and torque are zero, as in shape matching
(kernels/forces/shape_matching.py).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Uint32s1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.forces.shape_matching import (
    Matched,
    find_fit,
    mean_mass,
    pull_to_fit,
    way_from_place,
)
from ecs_softbody.parallel.compiling import entry, kernel

EARTH = 9.81
"""g [m/s²] of α and the pace: bodies take the same time in worlds of any gravity."""
SAG = 0.0005
"""Mean give of a body under its own weight, over its size. The tips that carry it yield by SAG
times the number of particles over the number of particles that stand on something: where one in
fifty stands, by a fortieth of the size, which folds no tip.
"""
LARGEST_STEP = 0.5
"""Largest α h, the share of the way to the rest shape that a substep goes."""


class MendedBodies(NamedTuple):
    """Values of all bodies, (B,) each; body b has the particles [first[b], last[b])."""

    first: Uint32s1
    last: Uint32s1
    # n: how often a body that had been mended was damaged again lately
    relapses: Floats1
    # Written: largest distance of a particle from its place, over the size of the body
    unmended: Floats1


@entry
def mend(
    active: Integers1,
    mending: Flags1,
    bodies: MendedBodies,
    every_row: Uint32s1,
    particles: Matched,
    dt: float,
) -> None:
    """Add the forces of every body in `active` that is `mending` (B,), and write how far off it is.

    every_row: 0, 1, 2, ... for all rows of particles, as `find_fit` takes lists of rows.
    """
    for b in active:
        if mending[b]:
            slower = 1.0 / max(bodies.relapses[b], 1.0) ** 2
            bodies.unmended[b] = mend_body(
                every_row, bodies.first[b], bodies.last[b], particles, slower, dt
            )


@entry
def size_of(first: int, last: int, rest_offset: Floats2) -> float:
    """Return the diagonal of the box around the rest shape of the particles [first, last) [m]."""
    low_x = math.inf
    low_y = math.inf
    high_x = -math.inf
    high_y = -math.inf
    for p in range(first, last):
        low_x = min(low_x, rest_offset[p, 0])
        high_x = max(high_x, rest_offset[p, 0])
        low_y = min(low_y, rest_offset[p, 1])
        high_y = max(high_y, rest_offset[p, 1])
    return max(hypot(high_x - low_x, high_y - low_y), 1e-9)


@entry
def rate_of(size: float) -> float:
    """Return α = sqrt(g / (4 SAG size)) [1/s] of a body of this size [m]."""
    return math.sqrt(EARTH / (4.0 * SAG * size))


@entry
def pace_of(size: float) -> float:
    """Return the pace [m/s] of a body of this size [m], the largest speed at which its particles go
    to their places: sqrt(2 g size), the speed of a fall by the size.
    """
    return math.sqrt(2.0 * EARTH * size)


@kernel
def mend_body(
    rows: np.ndarray, first: int, last: int, particles: Matched, slower: float, dt: float
) -> float:
    """Add the mending forces of the particles [first, last) of a body; return the largest distance
    of one from its place, over the size of the body.

    rows: 0, 1, 2, ... slower: factor 1/n² on the pace.
    """
    mean = mean_mass(rows, first, last, particles.mass)
    size = size_of(first, last, particles.rest_offset)
    fit = find_fit(particles, rows, first, last, mean if mean > 0.0 else 1.0)
    rate = min(rate_of(size), LARGEST_STEP / dt)
    furthest = 0.0
    for p in range(first, last):
        away_x, away_y = way_from_place(p, fit, particles)
        furthest = max(furthest, hypot(away_x, away_y))
    share = min(1.0, slower * pace_of(size) / (rate * furthest)) if furthest > 0.0 else 1.0
    strength = 4.0 * rate / (1.0 + 4.0 * rate * dt)
    pull_to_fit(particles, rows, first, last, fit, strength * rate * share, strength)
    return furthest / size
