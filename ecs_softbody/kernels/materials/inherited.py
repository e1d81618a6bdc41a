"""Inheritance of fragments: when a body is cut, its fragments get masses that keep its centre of
mass, and velocities that keep its momentum and angular momentum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2
from ecs_softbody.elementary.sums import dot_numbers, spread_solution, sum_of
from ecs_softbody.parallel.compiling import entry, kernel


class Moving(NamedTuple):
    """N particles that move freely."""

    mass: Floats1  # (N,) [kg]
    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]


@kernel
def sum_of_vectors(weights: np.ndarray, vectors: np.ndarray) -> tuple[float, float]:
    """Return the sum (x, y) of vectors (N, 2), each times its weight (N,)."""
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
    """Change the masses of particles so that their sum is `total` and their centre of mass is at
    the origin. Each is multiplied by 1 + tilt · r, r from the present centre: the smallest relative
    change that moves the centre. Return False if a mass would get too small.

    Args:
        given: (N,) masses [kg], in any scale.
        position: (N, 2) relative to the wanted centre [m].
        least: smallest factor that the tilt may give a mass.
        offset, room: scratch (N, 2) and (2, N).
        balanced: (N,) the new masses are written here [kg].
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
    """Return the momentum (x, y) [kg·m/s] and the angular momentum about the point (x, y)
    [kg·m²/s]; room: scratch (2, N).
    """
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
    """Give the particles `after` a cut the momentum and angular momentum of those `before` it: the
    difference is added to their velocities as a rigid motion.

    room: scratch (2, N), N the larger of both counts.
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
