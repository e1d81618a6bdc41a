"""Healing: for half a second after a cut, the deformation of a new fragment is braked, so that it
eases into its new shape instead of bursting apart. Runs once a substep, after all forces.

With the velocity u = v - V - ω × (x - x_c) of a particle after this substep's forces, relative to
the rigid motion of its body, and s = time left / HEALING_TIME, at most 1,

    u <- u min(exp(-h STRENGTH s), max(CALM sqrt(g R), WEIGHT g h) / (s U))

The first limit is a damping, the second one a largest deformation speed; both fade out with s. V is
momentum over mass and ω angular momentum over moment of inertia, so both momenta stay as they are.
U is the root mean square of |u|, R the root mean square of |x - x_c|, and g the gravity on Earth:
at any gas pressure, a fragment takes its time to find its shape, small or large. The brake is a
force before contacts: particles that were braked after them would have moved already, in a small
body by a good part of its size.

Meanwhile the contact radius of the particles along the cut grows evenly to its final value.
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Uint32s1
from ecs_softbody.elementary.exponential import exp
from ecs_softbody.parallel.compiling import entry, kernel

HEALING_TIME = 0.5
"""How long a cut takes to heal [s]. Without healing, fragments separated at 4 to 9 m/s: half a blob
is far from its balance.
"""
STRENGTH = 150.0
"""Rate of the damping at first [1/s]."""
CALM = 0.15
"""Largest deformation speed U at first, over sqrt(g R), the order of the speed of a fall by the
fragment's radius of gyration R: the gas of half a blob pushes with 25 g, and damping alone is too
weak.
"""
WEIGHT = 4.0
"""The largest deformation speed is at least this times g h. The ground bears a body by a few
particles, and within a substep this speed spreads the load to the others: with less, bodies of 10
cm sink into the ground.
"""
GRAVITY = 9.81
"""g [m/s²]: bodies of gas are made firm enough for it, in worlds of any gravity."""
LAST = 1e-3
"""Least s, since the limit of the speed is divided by it."""


class Heals(NamedTuple):
    """Values of the bodies that heal, (B,) each."""

    # Body b has the particles [particle_first[b], particle_last[b])
    particle_first: Uint32s1
    particle_last: Uint32s1
    # Body b has the rows [first[b], last[b]) of `CutRows`
    first: Uint32s1
    last: Uint32s1
    # Until the cut is healed [s]
    time_left: Floats1


class CutRows(NamedTuple):
    """The particles along all cuts, (C,) each."""

    packed_rows: Uint32s1  # Row of the particle
    full_radius: Floats1  # Contact radius that it gets in the end [m]


class Healed(NamedTuple):
    """Inputs and outputs of healing, for all particles, N rows."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]
    mass: Floats1  # (N,) [kg]
    inverse_mass: Floats1  # (N,) [1/kg]
    radius: Floats1  # (N,) contact radius, written [m]
    force: Floats2  # (N, 2) [N], written


@entry
def heal(active: Integers1, healing: Heals, cuts: CutRows, particles: Healed, dt: float) -> int:
    """Brake the deformation of the bodies in `active`, let the radius of the particles along their
    cuts grow, and count their time down; return how many have healed with this substep.
    """
    rows = cuts.packed_rows
    full_radius = cuts.full_radius
    time_left = healing.time_left
    radius = particles.radius
    healed = 0
    for b in active:
        left = max(min(time_left[b] / HEALING_TIME, 1.0), LAST)
        # The brake is a force ahead of contacts. After the move it came too late: in one substep
        # the gas gives the skin 0.5 m/s, in ten frames the size of a blob of 10 cm.
        brake_deformation(healing.particle_first[b], healing.particle_last[b], particles, left, dt)
        share = min(dt / time_left[b], 1.0) if time_left[b] > 0.0 else 1.0
        for row in range(healing.first[b], healing.last[b]):
            radius[rows[row]] += share * (full_radius[row] - radius[rows[row]])
        time_left[b] = max(time_left[b] - dt, 0.0)
        if time_left[b] == 0.0:
            healed += 1
    return healed


@kernel
def velocity_to_be(particles: Healed, p: int, dt: float) -> tuple[float, float]:
    """Return v + h F/m [m/s], the velocity that this substep's forces will give particle p."""
    gain = dt * particles.inverse_mass[p]
    return (
        particles.velocity[p, 0] + gain * particles.force[p, 0],
        particles.velocity[p, 1] + gain * particles.force[p, 1],
    )


@kernel
def brake_deformation(start: int, stop: int, particles: Healed, left: float, dt: float) -> None:
    """Add the forces that brake u of the free particles [start, stop), by the formula at the top;
    left: s.
    """
    position = particles.position
    mass = particles.mass
    inverse_mass = particles.inverse_mass
    total = 0.0
    x = 0.0
    y = 0.0
    vx = 0.0
    vy = 0.0
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            to_x, to_y = velocity_to_be(particles, p, dt)
            total += mass[p]
            x += mass[p] * position[p, 0]
            y += mass[p] * position[p, 1]
            vx += mass[p] * to_x
            vy += mass[p] * to_y
    if total == 0.0:
        return
    x = x / total
    y = y / total
    vx = vx / total
    vy = vy / total
    angular_momentum = 0.0
    inertia = 0.0
    energy = 0.0
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            dx = position[p, 0] - x
            dy = position[p, 1] - y
            to_x, to_y = velocity_to_be(particles, p, dt)
            ux = to_x - vx
            uy = to_y - vy
            angular_momentum += mass[p] * (dx * uy - dy * ux)
            inertia += mass[p] * (dx * dx + dy * dy)
            energy += mass[p] * (ux * ux + uy * uy)
    omega = angular_momentum / inertia if inertia > 0.0 else 0.0
    energy = max(energy - omega * angular_momentum, 0.0)
    kept = exp(-dt * STRENGTH * left)
    speed = math.sqrt(energy / total)
    most = max(CALM * math.sqrt(GRAVITY * math.sqrt(inertia / total)), WEIGHT * GRAVITY * dt) / left
    if speed > most:
        kept = min(kept, most / speed)
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            to_x, to_y = velocity_to_be(particles, p, dt)
            lost = (kept - 1.0) * mass[p] / dt
            particles.force[p, 0] += lost * (to_x - vx + omega * (position[p, 1] - y))
            particles.force[p, 1] += lost * (to_y - vy - omega * (position[p, 0] - x))
