"""Angular springs of the solver XPBD: the torque at the end of the substep.

With the gradients g of the angle at the start of the substep (forces/angular_springs.py), r = Σ g·u from the velocities
u that all forces so far will give, W = Σ w |g|² and κ = K L1 L2, the torque M has to fulfil

    M = -κ (sin(angle - rest) + h r') - c r',     r' = r + h W (M' - M)

    =>  M' = M - (κ sin(angle - rest) + (κ h + c) r + M) / (1 + (κ h² + c h) W)

As for springs (springs.py), M starts from the last substep. The gradients do not turn within a substep, so the three
forces have neither a sum nor a torque. A torque is cut where it would turn the arms by more than a radian, and κ where
κ h² W is above `STIFFEST` with the arms at rest.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers2, Uint32s2
from ecs_softbody.kernels.forces.angular_springs import SHORTEST
from ecs_softbody.kernels.forces.rest_directions import RestDirections, rest_direction
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.xpbd.springs import MEMORY
from ecs_softbody.parallel.compiling import entry, kernel

TURNING_SHARE = 1.0
"""No angular spring turns its arms by more than this in a substep [rad]."""
STIFFEST = 4.0
"""Largest κ h² W with the arms at rest. A stiffer spring would throw out arms that have grown long ever
faster: turned by the same angle in a substep, long arms grow by more."""


class ImplicitAngles(NamedTuple):
    """What the solver reads and writes of all angular springs, T rows."""

    packed_triples: Uint32s2  # (T, 3): rows (i, pivot j, k)
    rest_angle: Floats1  # (T,) [rad]
    arms: Floats2  # (T, 2): lengths of both arms at rest [m]
    stiffness: Floats1  # (T,) [N/m]
    damping: Floats1  # (T,) [N·m·s/rad]
    torque: Floats1  # (T,) [N·m], from one substep to the next


@entry
def begin_angular_springs(
    active: Integers2, springs: ImplicitAngles, motion: Motion, known: RestDirections, dt: float, bend: Floats2
) -> None:
    """Write `bend` (T, 8): g_i, g_k, κ, κ sin, 1/(1 + (κ h² + c h) W), largest torque. Start from the last torque."""
    position, inverse_mass, force = motion.position, motion.inverse_mass, motion.force
    triples, rest_angle, arms = springs.packed_triples, springs.rest_angle, springs.arms
    stiffness, damping, torque = springs.stiffness, springs.damping, springs.torque
    for span in range(active.shape[0]):
        for t in range(active[span, 0], active[span, 1]):
            i, j, k = triples[t, 0], triples[t, 1], triples[t, 2]
            ax, ay = position[i, 0] - position[j, 0], position[i, 1] - position[j, 1]
            bx, by = position[k, 0] - position[j, 0], position[k, 1] - position[j, 1]
            a2, b2 = ax * ax + ay * ay, bx * bx + by * by
            bend[t] = 0.0
            if not (a2 > SHORTEST * SHORTEST and b2 > SHORTEST * SHORTEST):
                torque[t] = 0.0
                continue
            gix, giy, gkx, gky = ay / a2, -ax / a2, -by / b2, bx / b2
            mobility = inverse_mass[i] / a2 + inverse_mass[k] / b2
            mobility += inverse_mass[j] * ((gix + gkx) ** 2 + (giy + gky) ** 2)
            product = math.sqrt(a2 * b2)
            sine, cosine = (ax * by - ay * bx) / product, (ax * bx + ay * by) / product
            stiff = stiffness[t] * arms[t, 0] * arms[t, 1]
            at_rest = inverse_mass[i] / arms[t, 0] ** 2 + inverse_mass[k] / arms[t, 1] ** 2
            at_rest += inverse_mass[j] * (1.0 / arms[t, 0] + 1.0 / arms[t, 1]) ** 2
            if stiff * dt * dt * at_rest > STIFFEST:
                stiff = STIFFEST / (dt * dt * at_rest)
            bend[t, 0], bend[t, 1], bend[t, 2], bend[t, 3] = gix, giy, gkx, gky
            bend[t, 4] = stiff
            rest_cosine, rest_sine = rest_direction(known, t, rest_angle[t])
            bend[t, 5] = stiff * (rest_cosine * sine - rest_sine * cosine)
            bend[t, 6] = 1.0 / (1.0 + (stiff * dt * dt + damping[t] * dt) * mobility)
            bend[t, 7] = TURNING_SHARE / (dt * dt * mobility) if mobility > 0.0 else 0.0
            start = MEMORY * torque[t] if math.isfinite(torque[t]) else 0.0
            torque[t] = min(max(start, -bend[t, 7]), bend[t, 7])
            add_torque(force, i, j, k, bend[t], torque[t])


@kernel
def add_torque(force: np.ndarray, i: int, j: int, k: int, gradient: np.ndarray, torque: float) -> None:
    """Add the three forces of a torque."""
    ix, iy = torque * gradient[0], torque * gradient[1]
    kx, ky = torque * gradient[2], torque * gradient[3]
    force[i, 0] += ix
    force[i, 1] += iy
    force[k, 0] += kx
    force[k, 1] += ky
    force[j, 0] -= ix + kx
    force[j, 1] -= iy + ky


@entry
def sweep_angular_springs(
    active: Integers2, backwards: bool, springs: ImplicitAngles, motion: Motion, dt: float, bend: Floats2
) -> None:
    """Solve the springs in the spans `active` one after another, from the first or from the last."""
    velocity, inverse_mass, force = motion.velocity, motion.inverse_mass, motion.force
    triples, damping, torque = springs.packed_triples, springs.damping, springs.torque
    spans = active.shape[0]
    for n in range(spans):
        span = spans - 1 - n if backwards else n
        first, last = active[span, 0], active[span, 1]
        for step in range(last - first):
            t = last - 1 - step if backwards else first + step
            i, j, k = triples[t, 0], triples[t, 1], triples[t, 2]
            wi, wj, wk = dt * inverse_mass[i], dt * inverse_mass[j], dt * inverse_mass[k]
            jx, jy = velocity[j, 0] + wj * force[j, 0], velocity[j, 1] + wj * force[j, 1]
            rate = bend[t, 0] * (velocity[i, 0] + wi * force[i, 0] - jx)
            rate += bend[t, 1] * (velocity[i, 1] + wi * force[i, 1] - jy)
            rate += bend[t, 2] * (velocity[k, 0] + wk * force[k, 0] - jx)
            rate += bend[t, 3] * (velocity[k, 1] + wk * force[k, 1] - jy)
            asked = torque[t] - (bend[t, 5] + (bend[t, 4] * dt + damping[t]) * rate + torque[t]) * bend[t, 6]
            asked = min(max(asked, -bend[t, 7]), bend[t, 7])
            add_torque(force, i, j, k, bend[t], asked - torque[t])
            torque[t] = asked
