"""Gravity of points: planets and attractors. A point pulls all particles within its reach with the
acceleration a = s S / d^n, S: strength of the point, n: exponent, d: distance, s: gravity scale of
the pulled body. A point may be a body itself; it takes the opposite force.

Nearer than the core radius ℓ the pull shrinks in proportion to d, a = s S d / ℓ^(n+1). ℓ is the
least distance that a game sets, or more if a substep of length h requires it: with the mass M of
the body that is the point and the mass m of all that it pulls, |s S| h² (1 + m/M) / ℓ^(n+1) <=
CORE_SHARE. Outside of the core the law is exact.

Where two bodies are both points, each one's law describes the same pull between them. So each law
counts by its share of the sum of both pulls: stars of strengths G M attract each other once, not
twice, and a moon that has next to no pull feels all of its planet's.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Integers2, Uint32s1
from ecs_softbody.elementary.exponential import power_of
from ecs_softbody.parallel.compiling import entry, kernel

CORE_SHARE = 0.1
"""Part of the stability bound 4 (motion/saturation.py) that a point takes: springs use 3.8 of it at
most, and leave 0.2 to other forces.
"""


class PointFields(NamedTuple):
    """Values of the points, P of them."""

    position: Floats2  # (P, 2) [m]
    strength: Floats1  # (P,) S [m^(1+n)/s²]
    exponent: Floats1  # (P,) n
    least_distance: Floats1  # (P,) [m]
    reach: Floats1  # (P,) [m]: beyond it there is no force


class Sources(NamedTuple):
    """Which points are bodies; both masses are written here in every substep."""

    body: Integers1  # (P,) number (slot) of the body that is the point, or -1
    point: Integers1  # (B,) number of the point that is this body, or -1
    mass: Floats1  # (P,) finite mass of the body [kg]
    movable: Floats1  # (P,) mass of its particles that can move [kg]


class Attracted(NamedTuple):
    """Inputs and outputs of point gravity, for all particles, N rows."""

    position: Floats2  # (N, 2) [m]
    mass: Floats1  # (N,) [kg]
    inverse_mass: Floats1  # (N,) [1/kg]
    body: Uint32s1  # (N,): number (slot) of the body
    force: Floats2  # (N, 2) [N]


class AttractedBodies(NamedTuple):
    """Values of all bodies, (B,) each; body b has the particles [first[b], last[b])."""

    first: Uint32s1
    last: Uint32s1
    gravity_scale: Floats1  # s


@kernel
def find_center(first: int, last: int, particles: Attracted, center: np.ndarray) -> float:
    """Write the centre of mass of the particles [first, last) to `center` (2,) [m]; return the sum
    of their finite masses [kg].
    """
    position = particles.position
    mass = particles.mass
    total = 0.0
    x = 0.0
    y = 0.0
    for p in range(first, last):
        if mass[p] < math.inf:
            total += mass[p]
            x += mass[p] * position[p, 0]
            y += mass[p] * position[p, 1]
    if total > 0.0:
        center[0] = x / total
        center[1] = y / total
    else:
        center[0] = position[first, 0]
        center[1] = position[first, 1]
    return total


@kernel
def free_mass(active: np.ndarray, inverse_mass: np.ndarray) -> float:
    """Return the mass [kg] of the free particles in the spans `active` (S, 2) of awake rows."""
    total = 0.0
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            if inverse_mass[p] > 0.0:
                total += 1.0 / inverse_mass[p]
    return total


@kernel
def find_sources(
    points: PointFields, sources: Sources, particles: Attracted, bodies: AttractedBodies
) -> None:
    """Write the position of each point that is a body, its centre of mass, and both masses of
    `sources`.
    """
    for b in range(sources.body.shape[0]):
        own = sources.body[b]
        sources.movable[b] = sources.mass[b] = 0.0
        if own >= 0:
            first = bodies.first[own]
            last = bodies.last[own]
            sources.mass[b] = find_center(first, last, particles, points.position[b])
            for p in range(first, last):
                if particles.inverse_mass[p] > 0.0:
                    sources.movable[b] += 1.0 / particles.inverse_mass[p]


@kernel
def pull_of(
    b: int, other: int, distance: float, points: PointFields, sources: Sources, scale: float
) -> float:
    """Return the pull of point b on the body that is point `other`, over their distance [N/m].
    scale: gravity scale of that body.
    """
    if distance > points.reach[b]:
        return 0.0
    strength = abs(scale * points.strength[b]) * sources.movable[other]
    return strength / power_of(
        max(distance, points.least_distance[b], 1e-30), points.exponent[b] + 1.0
    )


@kernel
def share_of_law(
    b: int, other: int, points: PointFields, sources: Sources, gravity_scale: np.ndarray
) -> float:
    """Return the share, 0 to 1, by which the law of point b counts for the body that is point
    `other`: the pull by b over the sum of both pulls, 1 where `other` has no pull.
    """
    dx = points.position[b, 0] - points.position[other, 0]
    dy = points.position[b, 1] - points.position[other, 1]
    distance = math.sqrt(dx * dx + dy * dy)
    own = pull_of(b, other, distance, points, sources, gravity_scale[sources.body[other]])
    opposite = pull_of(other, b, distance, points, sources, gravity_scale[sources.body[b]])
    return own / (own + opposite) if opposite > 0.0 else 1.0


@entry
def accumulate_point_gravity(
    active: Integers2,
    points: PointFields,
    sources: Sources,
    particles: Attracted,
    bodies: AttractedBodies,
    dt: float,
) -> None:
    """Add the gravity of all points to the particles in the spans `active` (S, 2) of awake rows,
    and the opposite force to the bodies that are points, whose positions are written here.
    """
    find_sources(points, sources, particles, bodies)
    position = particles.position
    mass = particles.mass
    inverse_mass = particles.inverse_mass
    force = particles.force
    first = bodies.first
    last = bodies.last
    body = particles.body
    center = points.position
    strength = points.strength
    exponent = points.exponent
    for b in range(strength.shape[0]):
        own = sources.body[b]
        total = sources.mass[b]
        heavier = 1.0
        if total > 0.0:
            heavier += free_mass(active, inverse_mass) / total
        cx = center[b, 0]
        cy = center[b, 1]
        power = exponent[b] + 1.0
        if strength[b] == 0.0 or not abs(cx) + abs(cy) < math.inf:
            continue
        # Core radius that the substep requires, for a gravity scale of 1.
        carried = power_of(abs(strength[b]) * dt * dt * heavier / CORE_SHARE, 1.0 / power)
        taken_x = 0.0
        taken_y = 0.0
        pulled = -1
        share = 1.0
        for span in range(active.shape[0]):
            for p in range(active[span, 0], active[span, 1]):
                dx = cx - position[p, 0]
                dy = cy - position[p, 1]
                d = math.sqrt(dx * dx + dy * dy)
                if inverse_mass[p] == 0.0 or body[p] == own or d > points.reach[b]:
                    continue
                scale = bodies.gravity_scale[body[p]]
                if body[p] != pulled:
                    pulled = body[p]
                    other = sources.point[body[p]]
                    share = 1.0
                    if own >= 0 and other >= 0:
                        share = share_of_law(b, other, points, sources, bodies.gravity_scale)
                core = max(points.least_distance[b], carried * power_of(abs(scale), 1.0 / power))
                per_length = (
                    mass[p] * scale * share * strength[b] / power_of(max(d, core, 1e-30), power)
                )
                force[p, 0] += per_length * dx
                force[p, 1] += per_length * dy
                taken_x += per_length * dx
                taken_y += per_length * dy
        if total > 0.0:
            for p in range(first[own], last[own]):
                if mass[p] < math.inf:
                    force[p, 0] -= mass[p] / total * taken_x
                    force[p, 1] -= mass[p] / total * taken_y
