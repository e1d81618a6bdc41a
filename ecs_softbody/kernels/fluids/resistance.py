"""Resistance of fluids: wind, water and drag add up how they resist the motion of each particle;
`add_resistance` then turns the sums into forces, once a substep h. They are implicit, so that any
strength is stable: with the velocity v' at the end of the substep,

    F = D (u - v'),    v' = v + h (F_sum + F)/m

The tensor D (2 x 2, symmetric, >= 0) [N·s/m] is summed up per particle from edges, d n nᵀ with
their normals n, and from parts that resist in every direction, d I; `flow_force` is the sum of D u
with the velocities u of the fluids. Along each principal axis q of D, with the eigenvalue λ, the
inverse mass w and v* = v + h F_sum/m, the solution is

    F_q = (flow_force_q - λ v*_q) / (1 + h w λ)

so v' lies between v* and the fluid's velocity for any λ: resistance takes nothing of the stability
bound, and no fluid makes a particle faster than itself. Drag, air and water act in one sum: one
after the other, the product of both inverses would not be symmetric, and a stiff body between a
storm and the sea could gain energy.

F_sum lacks the impulses J of joints and contacts, which come later. By the same law they give the
velocity w J / (1 + h w λ): resistance takes the share `drag_share` = h w λ / (1 + h w λ) of w J.
Solved with the inverse mass w (1 - drag_share), the impulse on a particle that is held at rest
balances its whole weight, J = -h (F_sum + D u), for any λ. But joints and contacts know only one
inverse mass of each particle, not a tensor. So a particle that one of them has pushed takes the
larger λ in all directions, and the rest of D explicitly, at the present velocity: F = D (u - v) - λ
(v' - v), which has the same state of rest and the same bounds.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers2, Uint32s1
from ecs_softbody.parallel.compiling import entry, kernel

STRONGEST = 1e60
"""Limit of each part of D [N·s/m], so that sums and products stay finite."""
SMALLEST_SHARE = 1e-10
"""An eigenvalue below this share of the other one is a rounding error."""
ROUND = 8.0 / 3.0
"""Width over radius with which a disc resists, as a circle of small edges would: the integral of
|cos θ|³ over the whole circle.
"""


class FluidParticles(NamedTuple):
    """Inputs and outputs of air and water, for all particles, N rows."""

    # (N, 2) [m]
    position: Floats2
    # (N, 2) [m]: position in the rest shape
    rest_offset: Floats2
    # (N, 2) [m/s]
    velocity: Floats2
    # (N,) [rad/s]: spin of discs
    angular_velocity: Floats1
    # (N,) [m]
    radius: Floats1
    # (N,) w [1/kg]
    inverse_mass: Floats1
    # (N, 2) [N], F_sum before; resistance is added
    force: Floats2
    # (N,) written: share of the velocity by joints and contacts that resistance takes
    drag_share: Floats1


class FluidBodies(NamedTuple):
    """Values of the bodies with a Collider, (B,) each; body s has the particles [particle_first,
    particle_last).
    """

    particle_first: Uint32s1
    particle_last: Uint32s1
    skin: Floats1  # Distance from the outline to the surface that fluids act on [m]
    category: Uint32s1  # Bits, compared with the masks of winds and waters
    submerged_area: Floats1  # [m²], written by buoyancy


class Resistance(NamedTuple):
    """Effect of fluids on each particle, N rows: summed up by wind, water and drag, applied
    together by `add_resistance`, and 0 again after that.
    """

    tensor: Floats2  # (N, 3): D as xx, xy, yy [N·s/m]
    flow_force: Floats2  # (N, 2): sum of D u, the force on a particle at rest [N]
    stiffness: Floats1  # (N,): K of the lift [N/m], see water.py
    pushed: Flags1  # (N,): whether a joint or a contact pushed it in the last substep


@kernel
def resist_along(
    p: int, strength: float, nx: float, ny: float, u: tuple[float, float], resistance: Resistance
) -> None:
    """Add the resistance of particle p along the unit vector n, relative to a fluid of velocity u
    [m/s]: D += d n nᵀ. strength: d [N·s/m].
    """
    d = min(strength, STRONGEST)
    resistance.tensor[p, 0] += d * nx * nx
    resistance.tensor[p, 1] += d * nx * ny
    resistance.tensor[p, 2] += d * ny * ny
    along = d * (nx * u[0] + ny * u[1])
    resistance.flow_force[p, 0] += along * nx
    resistance.flow_force[p, 1] += along * ny


@kernel
def resist_all_round(
    p: int, strength: float, u: tuple[float, float], resistance: Resistance
) -> None:
    """Add the resistance of particle p in every direction, relative to a fluid of velocity u [m/s]:
    D += d I. strength: d [N·s/m].
    """
    d = min(strength, STRONGEST)
    resistance.tensor[p, 0] += d
    resistance.tensor[p, 2] += d
    resistance.flow_force[p, 0] += d * u[0]
    resistance.flow_force[p, 1] += d * u[1]


@kernel
def normal_speed(
    i: int, j: int, nx: float, ny: float, u: tuple[float, float], velocity: np.ndarray
) -> float:
    """Return |u·n| [m/s]: the speed along the normal n at which a fluid of velocity u meets the
    edge between the particles i and j, relative to the mean of their velocities.
    """
    ux = u[0] - 0.5 * (velocity[i, 0] + velocity[j, 0])
    uy = u[1] - 0.5 * (velocity[i, 1] + velocity[j, 1])
    return abs(ux * nx + uy * ny)


@entry
def add_resistance(
    active: Integers2, particles: FluidParticles, resistance: Resistance, dt: float
) -> None:
    """Turn the sums of `resistance` of the particles in the spans `active` (S, 2) of awake rows
    into forces, and set the sums to 0 for the next substep. Runs after all other forces, before
    joints and contacts.
    """
    tensor = resistance.tensor
    flow_force = resistance.flow_force
    pushed = resistance.pushed
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            particles.drag_share[p] = 0.0
            if tensor[p, 0] + tensor[p, 2] > 0.0 and particles.inverse_mass[p] > 0.0:
                resist(p, particles, resistance, dt)
            tensor[p, 0] = 0.0
            tensor[p, 1] = 0.0
            tensor[p, 2] = 0.0
            flow_force[p, 0] = 0.0
            flow_force[p, 1] = 0.0
            pushed[p] = False


@kernel
def resist(p: int, particles: FluidParticles, resistance: Resistance, dt: float) -> None:
    """Add F of particle p, by the formulas at the top, to its force; write its drag_share, and slow
    its spin.
    """
    velocity = particles.velocity
    w = particles.inverse_mass[p]
    force = particles.force
    flow_x = resistance.flow_force[p, 0]
    flow_y = resistance.flow_force[p, 1]
    xx = resistance.tensor[p, 0]
    xy = resistance.tensor[p, 1]
    yy = resistance.tensor[p, 2]
    mean = 0.5 * (xx + yy)
    half = 0.5 * (xx - yy)
    spread = math.sqrt(half * half + xy * xy)
    most = mean + spread
    least = max(mean - spread, 0.0)
    kept = 1.0 / (1.0 + dt * w * most)
    particles.drag_share[p] = 1.0 - kept
    # The spin slows as the velocity does, so a disc that rolls through a fluid goes on rolling.
    particles.angular_velocity[p] *= kept
    if spread == 0.0 or resistance.pushed[p]:
        vx = velocity[p, 0]
        vy = velocity[p, 1]
        rest = (kept - 1.0) / (dt * w)
        if spread > 0.0:
            flow_x += (most - xx) * vx - xy * vy
            flow_y += (most - yy) * vy - xy * vx
        force[p, 0] = kept * (force[p, 0] + flow_x) + rest * vx
        force[p, 1] = kept * (force[p, 1] + flow_y) + rest * vy
        return
    # (qx, qy) is the axis of the larger eigenvalue, by the formulas of the half angle.
    qx = 1.0
    qy = 0.0
    if half >= 0.0:
        qx = math.sqrt(0.5 + 0.5 * half / spread)
        qy = 0.5 * xy / (spread * qx)
    else:
        qy = math.copysign(math.sqrt(0.5 - 0.5 * half / spread), xy)
        qx = 0.5 * xy / (spread * qy)
    vx = velocity[p, 0] + dt * w * force[p, 0]
    vy = velocity[p, 1] + dt * w * force[p, 1]
    along = kept * (qx * flow_x + qy * flow_y - most * (qx * vx + qy * vy))
    across = 0.0
    if least > SMALLEST_SHARE * most:
        across = (qx * flow_y - qy * flow_x - least * (qx * vy - qy * vx)) / (1.0 + dt * w * least)
    force[p, 0] += qx * along - qy * across
    force[p, 1] += qy * along + qx * across
