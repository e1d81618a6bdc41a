"""Rolling resistance: a couple against the relative spin of two bodies that press on each other, or of body and wall.

    T = clamp(-share (ω_i - ω_j) / (1/I_i + 1/I_j), ± c λ r)

with the impulse λ that kept them apart during the frame, the smaller radius of gyration r of the two and the larger
coefficient c. It turns a body as a whole, in proportion to mass: its momentum stays, and what it turns less the other
one turns more. Without it a round body of springs and gas would rock and roll for minutes. It takes a share of the spin
only: to take all of it would press resting points into what they rest on, and the pile would never be still.
"""

import math

import numpy as np

from ecs_softbody.collision.correction import limit_speed
from ecs_softbody.collision.response import FRAME_IMPULSE
from ecs_softbody.kernels.compiling import lean

SHARE = 0.1
"""No more than this share of the spin is taken in a frame."""


@lean
def resist_rolling(
    items: np.ndarray,
    data: np.ndarray,
    body_count: int,
    rolls: np.ndarray,
    coefficient: np.ndarray,
    wall_spin: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    velocity: np.ndarray,
    spins: np.ndarray,
    speed_limit: float,
) -> None:
    """Slow down the relative spin of every pair of items whose contacts pushed in this frame.

    The contacts of a pair follow each other. rolls (B,): whether the resistance acts on a body; it has the particles
    [start, stop). wall_spin (E,) [rad/s] belongs to the static edges. spins: room for (2, 5).
    """
    c = 0
    while c < items.shape[0]:
        i, j = min(items[c, 0], items[c, 1]), max(items[c, 0], items[c, 1])
        pushed = 0.0
        while c < items.shape[0] and min(items[c, 0], items[c, 1]) == i and max(items[c, 0], items[c, 1]) == j:
            pushed += data[c, FRAME_IMPULSE]
            c += 1
        if pushed == 0.0 or i == j or not rolls[i] or (j < body_count and not rolls[j]):
            continue
        rough = coefficient[i] if j >= body_count else max(coefficient[i], coefficient[j])
        if rough == 0.0:
            continue
        find_spin(start[i], stop[i], position, velocity, inverse_mass, spins[0])
        if j < body_count:
            find_spin(start[j], stop[j], position, velocity, inverse_mass, spins[1])
        else:
            spins[1, 0], spins[1, 1] = wall_spin[j - body_count], 0.0
        softness = spins[0, 1] + spins[1, 1]
        if softness == 0.0:
            continue
        gyration = spins[0, 2] if j >= body_count else min(spins[0, 2], spins[1, 2])
        limit = rough * pushed * gyration
        couple = min(max(SHARE * (spins[1, 0] - spins[0, 0]) / softness, -limit), limit)
        turn(start[i], stop[i], position, spins[0], couple * spins[0, 1], velocity, speed_limit)
        if j < body_count:
            turn(start[j], stop[j], position, spins[1], -couple * spins[1, 1], velocity, speed_limit)


@lean
def find_spin(
    first: int, last: int, position: np.ndarray, velocity: np.ndarray, inverse_mass: np.ndarray, found: np.ndarray
) -> None:
    """Write spin, 1/inertia, radius of gyration and the centre (2) of free rows; none of a body that is held."""
    mass, x, y, vx, vy = 0.0, 0.0, 0.0, 0.0, 0.0
    found[:] = 0.0
    for p in range(first, last):
        if inverse_mass[p] == 0.0:
            return
        m = 1.0 / inverse_mass[p]
        mass += m
        x += m * position[p, 0]
        y += m * position[p, 1]
        vx += m * velocity[p, 0]
        vy += m * velocity[p, 1]
    if mass == 0.0:
        return
    x, y, vx, vy = x / mass, y / mass, vx / mass, vy / mass
    inertia, turning = 0.0, 0.0
    for p in range(first, last):
        m = 1.0 / inverse_mass[p]
        rx, ry = position[p, 0] - x, position[p, 1] - y
        inertia += m * (rx * rx + ry * ry)
        turning += m * (rx * (velocity[p, 1] - vy) - ry * (velocity[p, 0] - vx))
    found[3], found[4] = x, y
    if inertia > 0.0:
        found[0], found[1], found[2] = turning / inertia, 1.0 / inertia, math.sqrt(inertia / mass)


@lean
def turn(
    first: int,
    last: int,
    position: np.ndarray,
    body: np.ndarray,
    spin: float,
    velocity: np.ndarray,
    speed_limit: float,
) -> None:
    """Add a spin [rad/s] about the centre of mass to the rows [first, last)."""
    for p in range(first, last):
        velocity[p, 0] -= spin * (position[p, 1] - body[4])
        velocity[p, 1] += spin * (position[p, 0] - body[3])
        limit_speed(velocity, p, speed_limit)
