"""Inheritance of fragments: masses that keep the centre of mass, velocities that keep momentum and
angular momentum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2
from ecs_softbody.elementary.sums import dot_numbers, spread_solution, sum_of
from ecs_softbody.parallel.compiling import entry, kernel


class Moving(NamedTuple):
    """Particles that move freely."""

    mass: Floats1
    position: Floats2
    velocity: Floats2


@kernel
def sum_of_vectors(weights: np.ndarray, vectors: np.ndarray) -> tuple[float, float]:
    """Return the weighted sum of vectors (N, 2)."""
    x = 0.0
    y = 0.0
    for k in range(len(weights)):
        x += weights[k] * vectors[k, 0]
        y += weights[k] * vectors[k, 1]
    return x, y


@entry
def balance(
    given: Floats1,
    position: Floats2,
    total: float,
    least: float,
    offset: Floats2,
    room: Floats2,
    balanced: Floats1,
) -> bool:
    """Scale weights to a sum of `total`, and tilt them so that their centre comes to 0; False where
    one gets too light.

    Args:
        least: no weight is tilted to less than this share of it.
        offset: room (N, 2), and `room` (2, N).
        balanced: the weights come here.
    """
    count = len(given)
    scale = total / sum_of(given)
    for k in range(count):
        balanced[k] = given[k] * scale
    x, y = sum_of_vectors(balanced, position)
    x = x / total
    y = y / total
    for k in range(count):
        offset[k, 0] = position[k, 0] - x
        offset[k, 1] = position[k, 1] - y
    tilt_x, tilt_y = spread_solution(balanced, offset, -total * x, -total * y, room)
    for k in range(count):
        factor = 1.0 + (offset[k, 0] * tilt_x + offset[k, 1] * tilt_y)
        if balanced[k] > 0.0 and not factor >= least:
            return False
        balanced[k] *= factor
    scale = total / sum_of(balanced)
    for k in range(count):
        balanced[k] *= scale
    return True


@kernel
def motion_of(moving: Moving, x: float, y: float, room: np.ndarray) -> tuple[float, float, float]:
    """Return momentum, and spin about a point; `room` (2, N) is for products."""
    count = len(moving.mass)
    for k in range(count):
        rx = moving.position[k, 0] - x
        ry = moving.position[k, 1] - y
        room[0, k] = rx * moving.velocity[k, 1] - ry * moving.velocity[k, 0]
    spin = dot_numbers(moving.mass, room[0, :count], room[1, :count])
    along, up = sum_of_vectors(moving.mass, moving.velocity)
    return along, up, spin


@entry
def hand_motion(before: Moving, after: Moving, room: Floats2) -> None:
    """Give particles the momentum and angular momentum of their predecessors, by a rigid motion.

    room: (2, N) for the larger of both counts.
    """
    count = len(after.mass)
    total = sum_of(after.mass)
    x, y = sum_of_vectors(after.mass, after.position)
    x = x / total
    y = y / total
    had_along, had_up, had_spin = motion_of(before, x, y, room)
    along, up, spin = motion_of(after, x, y, room)
    for k in range(count):
        rx = after.position[k, 0] - x
        ry = after.position[k, 1] - y
        room[0, k] = rx * rx + ry * ry
    inertia = dot_numbers(after.mass, room[0, :count], room[1, :count])
    along = (had_along - along) / total
    up = (had_up - up) / total
    turn = (had_spin - spin) / inertia if inertia > 0.0 else 0.0
    for k in range(count):
        rx = after.position[k, 0] - x
        ry = after.position[k, 1] - y
        after.velocity[k, 0] += along + turn * -ry
        after.velocity[k, 1] += up + turn * rx
