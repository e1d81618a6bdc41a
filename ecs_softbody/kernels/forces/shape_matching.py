"""Shape matching: a force that keeps the shape of a body, or of groups of its particles. The rest
shape r_i, turned by R and moved to the centre of mass, attracts every particle of a group.

    F_i = -(m_i/m̄) (k (x_i - x_c - R (r_i - r_c)) + c (v_i - v_c - ω × (x_i - x_c)))

m̄ is the mean mass; x_c and r_c are the centres of mass now and of the rest shape, v_c the velocity
of the centre. R is the rotation that fits best, angle = atan2(Σ m r × d, Σ m r · d) with d = x -
x_c and r from r_c (M. Müller et al., "Meshless Deformations Based on Shape Matching", 2005, in two
dimensions: never a mirror image); ω is the angular momentum over the moment of inertia. With
weights in proportion to mass the forces sum to zero, and so do their torques. A particle of
infinite mass counts with the mean of the others.

Stability: with the velocity u of a particle after all forces before this one, relative to the rigid
motion, and its deviation x from its place, a substep h gives

    u' = (1 - γ) u - κ x/h,      κ = k h²/m̄ / (1 + c h/m̄),      γ = c h/m̄ / (1 + c h/m̄)

so the damping acts at the end of the substep, and any c is stable. This takes κ + 2 γ of the
stability bound (motion/saturation.py), while all other elements count 1 - γ of their demand. Up to
κ = EXACT the stiffness is as asked. Beyond, a damping γ is added that keeps it stable, until at κ =
STIFFEST a deviation falls to a third in a substep. κ is not raised further: the group is as rigid
as a substep can hold it. Of particles that are in n groups, each group uses an n-th of κ and γ.

The solver XPBD takes the same force: at the end of the substep it would be softer, k/(1 + k h²/m̄)
against a load.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Int32s1, Integers1, Uint32s1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, inline, kernel

EXACT = 0.4
"""κ up to which a group gets only the damping that was asked for."""
STIFFEST = 1.6
"""Largest κ that a substep carries; more stiffness changes nothing. With at most 0.5, ten boxes of
6 × 6 particles buckled under their own weight; beyond 1.6 (2.6 with γ = 0.5) a tower is thrown
apart.
"""
DEADBEAT = 0.9
"""γ that comes with STIFFEST: u' = (1 - γ) u - κ x/h, x' = x + h u' has the roots z² + 0.5 z + 0.1
= 0, |z| = 0.32, nearly the fastest decay there is for that κ.
"""


class Matched(NamedTuple):
    """Inputs and outputs of shape matching and mending, for all particles, N rows."""

    # (N, 2) [m]
    position: Floats2
    # (N, 2) [m/s]: for shape matching, with the change by all forces before it
    velocity: Floats2
    # (N,) [kg]
    mass: Floats1
    # (N, 2) [m]: position in the rest shape
    rest_offset: Floats2
    # (N, 2) [N]
    force: Floats2


class Members(NamedTuple):
    """The members of all groups, (M,) each, one group after another."""

    packed_members: Uint32s1  # Row of the particle
    group: Int32s1  # Number of the group: a run of equal numbers is one group
    share: Floats1  # Stiffness of the group over the stiffness of the body
    valence: Floats1  # n, the largest number of groups that a particle of this group is in


class Shapes(NamedTuple):
    """Values of the bodies that keep their shape, (B,) each.

    Body b has the members [first[b], last[b]) and the particles [particle_first[b],
    particle_last[b]).
    """

    first: Uint32s1
    last: Uint32s1
    particle_first: Uint32s1
    particle_last: Uint32s1
    stiffness: Floats1  # k [N/m]
    damping: Floats1  # c [N·s/m]


class Fit(NamedTuple):
    """How the particles of a group move as a whole, and where their rest shape fits best."""

    mean: float  # m̄, mean of the finite masses [kg]; an infinite mass counts as that
    total: float  # Sum of the masses [kg]
    x: float
    y: float  # Centre of mass [m]
    vx: float
    vy: float  # Its velocity [m/s]
    rest_x: float
    rest_y: float  # Centre of mass of the rest shape [m]
    cosine: float
    sine: float  # Of the angle of R
    inertia: float  # Moment of inertia [kg·m²]
    omega: float  # Angular velocity ω [rad/s]


class GroupLaw(NamedTuple):
    """Strength that was asked for one group."""

    stiffness: float  # k [N/m]
    damping: float  # c [N·s/m]
    valence: float  # n, number of groups that share a particle


@entry
def accumulate_shape_matching_force(
    active: Integers1,
    shapes: Shapes,
    members: Members,
    every_row: Uint32s1,
    particles: Matched,
    dt: float,
) -> None:
    """Add the force of the bodies in `active` (slots) to `particles.force`. A body without groups
    is a single group of all its particles.

    every_row: 0, 1, 2, ... for all packed rows. dt: substep h [s].
    """
    first = shapes.first
    last = shapes.last
    group = members.group
    for b in active:
        k = shapes.stiffness[b]
        c = shapes.damping[b]
        if last[b] == first[b]:
            law = GroupLaw(k, c, 1.0)
            attract_group(
                particles, every_row, shapes.particle_first[b], shapes.particle_last[b], law, dt
            )
        start = first[b]
        while start < last[b]:
            stop = start + 1
            while stop < last[b] and group[stop] == group[start]:
                stop += 1
            law = GroupLaw(k * members.share[start], c, members.valence[start])
            attract_group(particles, members.packed_members, start, stop, law, dt)
            start = stop


@entry
def carried_shares(stiff: float, damp: float) -> tuple[float, float]:
    """Return κ and γ, as far as a substep can carry them, for stiff = k h²/m̄ and damp = c h/m̄."""
    kept = 1.0 / (1.0 + damp)
    kappa = min(stiff * kept, STIFFEST)
    return kappa, max(damp * kept, DEADBEAT * (kappa - EXACT) / (STIFFEST - EXACT))


@kernel
def saturated_strength(law: GroupLaw, mean: float, dt: float) -> tuple[float, float]:
    """Return k/m̄ [1/s²] and c/m̄ [1/s] of a group as far as a substep can carry them. With n
    groups at a particle, all together are limited and each gets an n-th.
    """
    light = law.valence * dt / mean
    kappa, gamma = carried_shares(law.stiffness * dt * light, law.damping * light)
    return kappa / (law.valence * dt * dt), gamma / (law.valence * dt)


@kernel
def mean_mass(rows: np.ndarray, first: int, last: int, mass: np.ndarray) -> float:
    """Return the mean of the finite masses of the particles rows[first:last], 0 without any."""
    finite = 0.0
    count = 0.0
    for r in range(first, last):
        if mass[rows[r]] < math.inf:
            finite += mass[rows[r]]
            count += 1.0
    return finite / count if count > 0.0 else 0.0


@kernel
def attract_group(
    particles: Matched, rows: np.ndarray, first: int, last: int, law: GroupLaw, dt: float
) -> None:
    """Add the forces that draw the particles rows[first:last] to their rest shape."""
    mean = mean_mass(rows, first, last, particles.mass)
    if mean > 0.0:
        stiff, damp = saturated_strength(law, mean, dt)
        pull_to_fit(
            particles, rows, first, last, find_fit(particles, rows, first, last, mean), stiff, damp
        )


@kernel
def find_fit(particles: Matched, rows: np.ndarray, first: int, last: int, mean: float) -> Fit:
    """Return the fit of the particles rows[first:last]: their rigid motion, and where their rest
    shape fits best. mean: mass that counts for an infinite one [kg].
    """
    position = particles.position
    velocity = particles.velocity
    mass = particles.mass
    rest_offset = particles.rest_offset
    total = 0.0
    x = 0.0
    y = 0.0
    vx = 0.0
    vy = 0.0
    rest_x = 0.0
    rest_y = 0.0
    for r in range(first, last):
        p = rows[r]
        m = mass[p] if mass[p] < math.inf else mean
        total += m
        x += m * position[p, 0]
        y += m * position[p, 1]
        vx += m * velocity[p, 0]
        vy += m * velocity[p, 1]
        rest_x += m * rest_offset[p, 0]
        rest_y += m * rest_offset[p, 1]
    x = x / total
    y = y / total
    vx = vx / total
    vy = vy / total
    rest_x = rest_x / total
    rest_y = rest_y / total
    cross = 0.0
    dot = 0.0
    angular_momentum = 0.0
    inertia = 0.0
    for r in range(first, last):
        p = rows[r]
        m = mass[p] if mass[p] < math.inf else mean
        dx = position[p, 0] - x
        dy = position[p, 1] - y
        ox = rest_offset[p, 0] - rest_x
        oy = rest_offset[p, 1] - rest_y
        cross += m * (ox * dy - oy * dx)
        dot += m * (ox * dx + oy * dy)
        angular_momentum += m * (dx * (velocity[p, 1] - vy) - dy * (velocity[p, 0] - vx))
        inertia += m * (dx * dx + dy * dy)
    length = hypot(cross, dot)
    cosine, sine = (dot / length, cross / length) if length > 0.0 else (1.0, 0.0)
    omega = angular_momentum / inertia if inertia > 0.0 else 0.0
    return Fit(mean, total, x, y, vx, vy, rest_x, rest_y, cosine, sine, inertia, omega)


@inline
def way_from_place(p: int, fit: Fit, particles: Matched) -> tuple[float, float]:
    """Return x - x_c - R (r - r_c) of particle p, the vector from its place in the fitted rest
    shape to where it is [m].
    """
    ox = particles.rest_offset[p, 0] - fit.rest_x
    oy = particles.rest_offset[p, 1] - fit.rest_y
    away_x = particles.position[p, 0] - fit.x - fit.cosine * ox + fit.sine * oy
    return away_x, particles.position[p, 1] - fit.y - fit.sine * ox - fit.cosine * oy


@kernel
def pull_to_fit(
    particles: Matched, rows: np.ndarray, first: int, last: int, fit: Fit, stiff: float, damp: float
) -> None:
    """Add the forces F_i to the particles rows[first:last]; stiff: k/m̄ [1/s²], damp: c/m̄
    [1/s].
    """
    position = particles.position
    velocity = particles.velocity
    mass = particles.mass
    force = particles.force
    net_x = 0.0
    net_y = 0.0
    torque = 0.0
    for r in range(first, last):
        p = rows[r]
        m = mass[p] if mass[p] < math.inf else fit.mean
        dx = position[p, 0] - fit.x
        dy = position[p, 1] - fit.y
        away_x, away_y = way_from_place(p, fit, particles)
        fx = -m * (stiff * away_x + damp * (velocity[p, 0] - fit.vx + fit.omega * dy))
        fy = -m * (stiff * away_y + damp * (velocity[p, 1] - fit.vy - fit.omega * dx))
        force[p, 0] += fx
        force[p, 1] += fy
        net_x += fx
        net_y += fy
        torque += dx * fy - dy * fx
    # Rounding of the positions, times a stiffness of 1e6, leaves a net force and torque: these are
    # taken back.
    turn = torque / fit.inertia if fit.inertia > 0.0 else 0.0
    for r in range(first, last):
        p = rows[r]
        m = mass[p] if mass[p] < math.inf else fit.mean
        force[p, 0] -= m * (net_x / fit.total - turn * (position[p, 1] - fit.y))
        force[p, 1] -= m * (net_y / fit.total + turn * (position[p, 0] - fit.x))
