"""Gravity: the weight of every particle that is free to move, F = s m g, with the gravity g of the
world and the gravity scale s of the particle's body.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers2, Uint32s1
from ecs_softbody.parallel.compiling import entry, kernel


class Weighed(NamedTuple):
    """Inputs and outputs of gravity, for all particles, N rows."""

    mass: Floats1  # (N,) [kg]
    inverse_mass: Floats1  # (N,) [1/kg]
    body: Uint32s1  # (N,): number (slot) of the body
    force: Floats2  # (N, 2) [N]


@entry
def accumulate_gravity(
    active: Integers2,
    particles: Weighed,
    gravity_scale: Floats1,
    gravity_x: float,
    gravity_y: float,
) -> None:
    """Add the weight of every free particle in the spans `active` (S, 2) of awake rows to
    `particles.force`.

    gravity_scale (B,): s of each body. gravity_x, gravity_y: g [m/s²]. Where all scales are equal,
    the usual case, a loop without branches does it.
    """
    mass = particles.mass
    inverse_mass = particles.inverse_mass
    total = particles.force.reshape(-1)
    bodies = len(gravity_scale)
    equal = 0
    for slot in range(bodies):
        equal += gravity_scale[slot] == gravity_scale[0]
    for span in range(active.shape[0]):
        first = active[span, 0]
        last = active[span, 1]
        if equal == bodies and first < last:
            x = gravity_scale[0] * gravity_x
            y = gravity_scale[0] * gravity_y
            add_uniform_weight(
                mass[first:last], inverse_mass[first:last], x, y, total[2 * first : 2 * last]
            )
            continue
        for p in range(first, last):
            if inverse_mass[p] > 0.0:
                scale = gravity_scale[particles.body[p]]
                total[2 * p] += mass[p] * (scale * gravity_x)
                total[2 * p + 1] += mass[p] * (scale * gravity_y)


@kernel
def add_uniform_weight(
    mass: np.ndarray, inverse_mass: np.ndarray, x: float, y: float, total: np.ndarray
) -> None:
    """Add the weight of particles with the same acceleration (x, y) [m/s²]. total: the forces (2
    N,) [N], x and y alternating.
    """
    for p in range(len(mass)):
        weighed = mass[p] if inverse_mass[p] > 0.0 else 0.0
        total[2 * p] += weighed * x
        total[2 * p + 1] += weighed * y
