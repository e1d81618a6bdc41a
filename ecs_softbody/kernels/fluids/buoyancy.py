"""Buoyancy: the lift and drag of all waters on all bodies, once a substep. This file finds which
bodies are near which water; the forces of one water on one outline are in water.py.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Uint32s1
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines
from ecs_softbody.kernels.fluids.resistance import (
    FluidBodies,
    FluidParticles,
    Resistance,
    resist_all_round,
)
from ecs_softbody.kernels.fluids.water import EXPLICIT_SHARE, Pool, press_disc, press_ring
from ecs_softbody.parallel.compiling import entry, kernel


class Waters(NamedTuple):
    """Values of all waters, W of them; each is a box from left to right, from bottom to level."""

    level: Floats1
    left: Floats1
    right: Floats1
    bottom: Floats1  # (W,) [m]
    density: Floats1  # (W,) [kg/m³]
    drag: Floats1  # (W,) coefficient c of quadratic drag
    linear_drag: Floats1  # (W,) s [m/s]
    flow: Floats2  # (W, 2) velocity of the water [m/s]
    mask: Uint32s1  # (W,): bits of the categories that feel it


@kernel
def is_near(
    position: np.ndarray, points: np.ndarray, first: int, last: int, margin: float, pool: Pool
) -> bool:
    """True if the box around points[first:last] is less than `margin` [m] from the level or the
    sides of the water; the bottom is not looked at.
    """
    low_x = math.inf
    high_x = -math.inf
    low_y = math.inf
    for k in range(first, last):
        x = position[points[k], 0]
        y = position[points[k], 1]
        low_x = min(low_x, x)
        high_x = max(high_x, x)
        low_y = min(low_y, y)
    return (
        low_y < pool.level + margin and high_x > pool.left - margin and low_x < pool.right + margin
    )


@kernel
def largest_radius(radius: np.ndarray, points: np.ndarray, first: int, last: int) -> float:
    """Return the largest radius of points[first:last] [m]."""
    largest = 0.0
    for k in range(first, last):
        largest = max(largest, radius[points[k]])
    return largest


@kernel
def length_of_rope(
    position: np.ndarray, points: np.ndarray, first: int, last: int, k: int
) -> float:
    """Return the length of rope that the particle points[k] of an open chain stands for: half of
    the edges on both of its sides [m].
    """
    here = points[k]
    length = 0.0
    for other in (k - 1, k + 1):
        if first <= other < last:
            dx = position[points[other], 0] - position[here, 0]
            dy = position[points[other], 1] - position[here, 1]
            length += 0.5 * math.sqrt(dx * dx + dy * dy)
    return length


@kernel
def remove_sideways_force(
    first: int, last: int, inverse_mass: np.ndarray, sideways: float, force: np.ndarray
) -> None:
    """Subtract a force in x [N] from the free particles [first, last), in proportion to their
    masses, so that it turns nothing.
    """
    total = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            total += 1.0 / inverse_mass[p]
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            force[p, 0] -= sideways / (inverse_mass[p] * total)


@kernel
def press_body(
    s: int,
    pool: Pool,
    particles: FluidParticles,
    outlines: Outlines,
    bodies: FluidBodies,
    resistance: Resistance,
) -> bool:
    """Add the lift and drag of one water to body s, and the part under water to its submerged area;
    return whether the body is near the water.
    """
    position = particles.position
    points = outlines.points
    first = outlines.first[s]
    last = outlines.last[s]
    solid = outlines.kind[s] >= LOOP
    margin = (
        3.0 * bodies.skin[s] if solid else largest_radius(particles.radius, points, first, last)
    )
    if not is_near(position, points, first, last, margin, pool):
        return False
    if solid:
        area, sideways = press_ring(
            points, first, last, bodies.skin[s], pool, particles, resistance
        )
        bodies.submerged_area[s] += area
        if sideways != 0.0:
            start = bodies.particle_first[s]
            stop = bodies.particle_last[s]
            remove_sideways_force(start, stop, particles.inverse_mass, sideways, particles.force)
    else:
        for k in range(first, last):
            length = (
                length_of_rope(position, points, first, last, k)
                if outlines.kind[s] != DISCS
                else 0.0
            )
            bodies.submerged_area[s] += press_disc(points[k], length, pool, particles, resistance)
    return True


@entry
def accumulate_buoyancy(
    active: Integers1,
    particles: FluidParticles,
    outlines: Outlines,
    bodies: FluidBodies,
    waters: Waters,
    resistance: Resistance,
    gravity_y: float,
    dt: float,
) -> None:
    """Add the lift of all waters to the forces of the bodies in `active`, and their drag to
    `resistance`; write `submerged_area`. gravity_y [m/s²].
    """
    inverse_mass = particles.inverse_mass
    stiffness = resistance.stiffness
    for s in active:
        start = bodies.particle_first[s]
        stop = bodies.particle_last[s]
        wet = False
        bodies.submerged_area[s] = 0.0
        stiffness[start:stop] = 0.0
        for b in range(waters.level.shape[0]):
            density = waters.density[b]
            flow = (waters.flow[b, 0], waters.flow[b, 1])
            if (
                density == 0.0
                or bodies.category[s] & waters.mask[b] == 0
                or outlines.first[s] == outlines.last[s]
            ):
                continue
            if not abs(flow[0]) + abs(flow[1]) < math.inf:
                continue
            pool = Pool(
                waters.level[b],
                waters.left[b],
                waters.right[b],
                waters.bottom[b],
                -density * gravity_y,
                density,
                waters.drag[b],
                waters.linear_drag[b],
                flow,
            )
            wet = press_body(s, pool, particles, outlines, bodies, resistance) or wet
        # This follows all waters: the explicit share is for the sum of their stiffness.
        if wet:
            for p in range(start, stop):
                if inverse_mass[p] > 0.0:
                    over = stiffness[p] - EXPLICIT_SHARE / (dt * dt * inverse_mass[p])
                    resist_all_round(p, dt * max(over, 0.0), (0.0, 0.0), resistance)
