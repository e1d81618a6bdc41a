"""Healing of a cut: with u = v - V - w × (x - x_c), what a particle's velocity has beyond the motion of the whole,

    u <- u exp(-h r),   r = STRENGTH · (time left / HEALING_TIME)

V is momentum over mass and w angular momentum over moment of inertia, so both momenta stay as they are. The radius of
the particles along the cut grows evenly to what it shall be.
"""

from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Uint32s1
from ecs_softbody.elementary.exponential import exp
from ecs_softbody.parallel.compiling import entry, kernel

HEALING_TIME = 0.5
"""How long a cut takes to heal [s]."""
STRENGTH = 150.0
"""How fast a fragment stops deforming at first [1/s]."""


class Heals(NamedTuple):
    """Values of the bodies that heal, (B,) each."""

    particle_first: Uint32s1
    particle_last: Uint32s1  # Body b has the particles [particle_first[b], particle_last[b])
    first: Uint32s1
    last: Uint32s1  # Body b has the rows [first[b], last[b]) of the cut
    time_left: Floats1  # [s]


class CutRows(NamedTuple):
    """The particles along all cuts."""

    packed_rows: Uint32s1
    full_radius: Floats1  # [m]


class Healed(NamedTuple):
    """What healing reads and writes of all particles, N rows."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s]
    mass: Floats1  # (N,) [kg]
    inverse_mass: Floats1  # (N,) [1/kg]
    radius: Floats1  # (N,) [m]


@entry
def heal(active: Integers1, healing: Heals, cuts: CutRows, particles: Healed, dt: float) -> int:
    """Damp the bodies in `active`, and let the radius of their cuts grow; return how many have healed."""
    rows, full_radius, time_left, radius = cuts.packed_rows, cuts.full_radius, healing.time_left, particles.radius
    healed = 0
    for b in active:
        kept = exp(-dt * STRENGTH * time_left[b] / HEALING_TIME)
        damp_deformation(healing.particle_first[b], healing.particle_last[b], particles, kept)
        share = min(dt / time_left[b], 1.0) if time_left[b] > 0.0 else 1.0
        for row in range(healing.first[b], healing.last[b]):
            radius[rows[row]] += share * (full_radius[row] - radius[rows[row]])
        time_left[b] = max(time_left[b] - dt, 0.0)
        if time_left[b] == 0.0:
            healed += 1
    return healed


@kernel
def damp_deformation(start: int, stop: int, particles: Healed, kept: float) -> None:
    """Keep this share of the velocity that the free particles [start, stop) have beyond the motion of the whole."""
    position, velocity = particles.position, particles.velocity
    mass, inverse_mass = particles.mass, particles.inverse_mass
    total, x, y, vx, vy = 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            total += mass[p]
            x += mass[p] * position[p, 0]
            y += mass[p] * position[p, 1]
            vx += mass[p] * velocity[p, 0]
            vy += mass[p] * velocity[p, 1]
    if total == 0.0:
        return
    x, y, vx, vy = x / total, y / total, vx / total, vy / total
    angular_momentum, inertia = 0.0, 0.0
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            dx, dy = position[p, 0] - x, position[p, 1] - y
            angular_momentum += mass[p] * (dx * (velocity[p, 1] - vy) - dy * (velocity[p, 0] - vx))
            inertia += mass[p] * (dx * dx + dy * dy)
    omega = angular_momentum / inertia if inertia > 0.0 else 0.0
    for p in range(start, stop):
        if inverse_mass[p] > 0.0:
            wx, wy = vx - omega * (position[p, 1] - y), vy + omega * (position[p, 0] - x)
            velocity[p, 0] = wx + kept * (velocity[p, 0] - wx)
            velocity[p, 1] = wy + kept * (velocity[p, 1] - wy)
