"""Rings: the area that a closed chain of particles encloses, its gradient and its rate, for the
forces of gas (pressure.py) and of area springs (area_constraint.py). With the signed area A:

    g_i = dA/dx_i = 1/2 (y_{i+1} - y_{i-1}, -(x_{i+1} - x_{i-1})),    A' = Σ g_i · v_i

A ring is outline[first:last], rows of particles in order. For the stability of a force along g,
each particle with the inverse mass w counts √w |g| (motion/saturation.py).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import kernel


class RingMeasure(NamedTuple):
    """Measures of a ring for the force laws of rings."""

    signed_area: float  # [m²], > 0 where it runs counter-clockwise
    mobility: float  # W = Σ w |g|² [m²/kg]
    total: float  # Σ √w |g| [m/√kg]
    largest: float  # The largest √w |g| [m/√kg]
    inverse_mass: float  # Of the lightest particle [1/kg]


@kernel
def measure_ring(motion: Motion, outline: np.ndarray, first: int, last: int) -> RingMeasure:
    """Return the measures of the ring outline[first:last] at the present positions."""
    position = motion.position
    inverse_mass = motion.inverse_mass
    twice_area = 0.0
    mobility = 0.0
    total = 0.0
    largest = 0.0
    lightest = 0.0
    before = outline[last - 1]
    here = outline[first]
    for row in range(first, last):
        after = outline[row + 1] if row + 1 < last else outline[first]
        twice_area += (
            position[here, 0] * position[after, 1] - position[here, 1] * position[after, 0]
        )
        ex = position[after, 0] - position[before, 0]
        ey = position[after, 1] - position[before, 1]
        mobility += 0.25 * inverse_mass[here] * (ex * ex + ey * ey)
        root = 0.5 * math.sqrt(inverse_mass[here] * (ex * ex + ey * ey))
        total += root
        largest = max(largest, root)
        lightest = max(lightest, inverse_mass[here])
        before = here
        here = after
    return RingMeasure(0.5 * twice_area, mobility, total, largest, lightest)


@kernel
def area_rate(motion: Motion, outline: np.ndarray, first: int, last: int, ahead: float) -> float:
    """Return the rate A' of the signed area [m²/s], at the velocities after the forces have acted
    for `ahead` seconds (0: the present velocities).
    """
    position = motion.position
    velocity = motion.velocity
    force = motion.force
    twice_rate = 0.0
    before = outline[last - 1]
    here = outline[first]
    for row in range(first, last):
        after = outline[row + 1] if row + 1 < last else outline[first]
        ex = position[after, 0] - position[before, 0]
        ey = position[after, 1] - position[before, 1]
        w = ahead * motion.inverse_mass[here]
        twice_rate += (velocity[here, 0] + w * force[here, 0]) * ey - (
            velocity[here, 1] + w * force[here, 1]
        ) * ex
        before = here
        here = after
    return 0.5 * twice_rate


@kernel
def push_outwards(
    motion: Motion, outline: np.ndarray, first: int, last: int, pressure: float
) -> None:
    """Add pressure × dA/dx to the force of every particle of a ring. pressure [Pa]: above 0 it
    raises the signed area.
    """
    position = motion.position
    force = motion.force
    before = outline[last - 1]
    here = outline[first]
    for row in range(first, last):
        after = outline[row + 1] if row + 1 < last else outline[first]
        force[here, 0] += 0.5 * pressure * (position[after, 1] - position[before, 1])
        force[here, 1] -= 0.5 * pressure * (position[after, 0] - position[before, 0])
        before = here
        here = after
