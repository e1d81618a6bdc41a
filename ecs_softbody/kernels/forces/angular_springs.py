"""Angular springs: forces that bring the angle at a pivot j between two arms, to particle i and to
particle k, back to its rest angle. With the arms d1 = x_i - x_j and d2 = x_k - x_j:

    torque = -K L1 L2 sin(angle - rest) - c (angle)',   F_p = torque · g_p

with the arms' REST lengths L1, L2: the energy K L1 L2 (1 - cos(angle - rest)) is then bounded and
conserved. With the present lengths, as classic tutorials have it, the same torque is not the
derivative of any energy. The sine comes from cross and dot products, without an arc tangent. g are
the gradients of the angle:

    g_i = (d1y, -d1x)/l1²,   g_k = (-d2y, d2x)/l2²,   g_j = -g_i - g_k

Saturation (motion/saturation.py), in two steps. First the stiffness is limited to the value that a
substep h can carry with the arms at rest (`find_carried_stiffness`). A limit that followed the
present arms alone would grow with their length, and the law would not conserve energy again. Then
it is limited for the present arms, which may be shorter: with the response g = max_p(√w_p |g_p|) ·
Σ_q √w_q |g_q| the element takes (K L1 L2 h² + 2 c h) g of the stability bound, and it is kept below
the smallest budget of its three particles.
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Floats2, Integers2, Uint32s1, Uint32s2
from ecs_softbody.kernels.forces.rest_directions import RestDirections, rest_direction
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry, kernel

SHORTEST = 1e-12
"""Below this length [m] an arm has no direction, hence no torque."""
DAMPING_SHARE = 1.0 / 3.0
"""Share of the element's budget that damping may take before stiffness has to give way."""
STOPPING = 2.0
"""Largest 2 c h g: more damping would not stop a turn within a substep but reverse it."""
SATURATED_DAMPING = 0.1
"""An element with limited stiffness is damped by at least this times K L1 L2 h: it would gain
energy otherwise.
"""


class AngularLaw(NamedTuple):
    """Inputs and outputs of the angular spring force, for all angular springs, T rows."""

    # (T, 3): rows (i, pivot j, k)
    packed_triples: Uint32s2
    # (T,) [rad]
    rest_angle: Floats1
    # (T, 2): lengths of both arms at rest [m]
    arms: Floats2
    # (T,) K [N/m]
    stiffness: Floats1
    # (T,) c [N·m·s/rad]
    damping: Floats1
    # (T,) [N/m]: limited for stability with the arms at rest
    carried_stiffness: Floats1
    # (T,) [N/m]: limited for stability in this substep
    effective_stiffness: Floats1


@kernel
def limited_stiffness(stiffness: float, factor: float, from_damping: float, share: float) -> float:
    """Return the largest stiffness [N/m], at most the one asked for, that fits into the budget.

    stiffness · factor and from_damping are the parts of the stability bound that stiffness and
    damping ask for, share the part that there is. Where the stiffness is cut, room is left for
    SATURATED_DAMPING: its 2 c h is 2 SATURATED_DAMPING times the k h² of the stiffness.
    """
    if stiffness * factor + from_damping <= share:
        return stiffness
    left = share - min(from_damping, DAMPING_SHARE * share)
    if stiffness * factor <= left:
        return stiffness
    return left / (1.0 + 2.0 * SATURATED_DAMPING) / factor


@entry
def find_carried_stiffness(
    rows: Uint32s1, springs: AngularLaw, inverse_mass: Floats1, budget: Floats1, dt: float
) -> float:
    """Write carried_stiffness of the springs `rows`, limited for a substep with the arms at rest.
    Return how many times finer the substeps must be for all of them to get their full stiffness.

    budget (N,): part of the stability bound that each spring may take at a particle. The pivot's
    gradient is taken at its largest, 1/L1 + 1/L2.
    """
    triples = springs.packed_triples
    arms = springs.arms
    stiffness = springs.stiffness
    damping = springs.damping
    carried_stiffness = springs.carried_stiffness
    finest = 0.0
    for t in rows:
        carried_stiffness[t] = stiffness[t]
        if arms[t, 0] == 0.0 or arms[t, 1] == 0.0:
            continue
        i = triples[t, 0]
        j = triples[t, 1]
        k = triples[t, 2]
        wi = math.sqrt(inverse_mass[i]) / arms[t, 0]
        wk = math.sqrt(inverse_mass[k]) / arms[t, 1]
        wj = math.sqrt(inverse_mass[j]) * (1.0 / arms[t, 0] + 1.0 / arms[t, 1])
        response = max(wi, wj, wk) * (wi + wj + wk)
        share = min(budget[i], budget[j], budget[k])
        if response == 0.0 or share <= 0.0:
            continue
        factor = arms[t, 0] * arms[t, 1] * dt * dt * response
        from_damping = 2.0 * damping[t] * dt * response
        carried_stiffness[t] = limited_stiffness(stiffness[t], factor, from_damping, share)
        # n times finer substeps fit where stiffness factor / n² + from_damping / n = share.
        root = math.sqrt(from_damping * from_damping + 4.0 * share * stiffness[t] * factor)
        finest = max(finest, (from_damping + root) / (2.0 * share))
    return finest


@entry
def accumulate_angular_spring_force(
    active: Integers2,
    springs: AngularLaw,
    motion: Motion,
    budget: Floats1,
    known: RestDirections,
    dt: float,
) -> None:
    """Add the forces of the angular springs in the spans `active` (S, 2) of awake rows to
    `motion.force`; write their effective stiffness.

    budget (N,): part of the stability bound that each spring may take at a particle. known: cached
    cosine and sine of the rest angles.
    """
    position = motion.position
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    force = motion.force
    triples = springs.packed_triples
    arms = springs.arms
    rest_angle = springs.rest_angle
    damping = springs.damping
    stiffness = springs.stiffness
    carried_stiffness = springs.carried_stiffness
    for span in range(active.shape[0]):
        for t in range(active[span, 0], active[span, 1]):
            i = triples[t, 0]
            j = triples[t, 1]
            k = triples[t, 2]
            ax = position[i, 0] - position[j, 0]
            ay = position[i, 1] - position[j, 1]
            bx = position[k, 0] - position[j, 0]
            by = position[k, 1] - position[j, 1]
            a2 = ax * ax + ay * ay
            b2 = bx * bx + by * by
            if not (a2 > SHORTEST * SHORTEST and b2 > SHORTEST * SHORTEST):
                continue
            gix = ay / a2
            giy = -ax / a2
            gkx = -by / b2
            gky = bx / b2
            gjx = -gix - gkx
            gjy = -giy - gky
            wi = math.sqrt(inverse_mass[i] * (gix * gix + giy * giy))
            wj = math.sqrt(inverse_mass[j] * (gjx * gjx + gjy * gjy))
            wk = math.sqrt(inverse_mass[k] * (gkx * gkx + gky * gky))
            response = max(wi, wj, wk) * (wi + wj + wk)
            share = min(budget[i], budget[j], budget[k])
            scale = arms[t, 0] * arms[t, 1]
            asked = stiffness[t]
            # The stiffness that the arms at rest carry is limited further: a limit that followed
            # the present arms alone would grow with their length and add energy.
            stiff = limited_stiffness(
                carried_stiffness[t],
                scale * dt * dt * response,
                2.0 * damping[t] * dt * response,
                share,
            )
            damp = damping[t]
            if stiff < asked:
                damp = max(damp, SATURATED_DAMPING * stiff * scale * dt)
            left = min(share - stiff * scale * dt * dt * response, STOPPING)
            if 2.0 * damp * dt * response > left:
                damp = left / (2.0 * dt * response)
            springs.effective_stiffness[t] = stiff
            product = math.sqrt(a2 * b2)
            sine = (ax * by - ay * bx) / product
            cosine = (ax * bx + ay * by) / product
            turning = (
                gix * velocity[i, 0]
                + giy * velocity[i, 1]
                + gkx * velocity[k, 0]
                + gky * velocity[k, 1]
            )
            turning += gjx * velocity[j, 0] + gjy * velocity[j, 1]
            rest_cosine, rest_sine = rest_direction(known, t, rest_angle[t])
            deviation = rest_cosine * sine - rest_sine * cosine
            torque = -stiff * scale * deviation - damp * turning
            force[i, 0] += torque * gix
            force[i, 1] += torque * giy
            force[k, 0] += torque * gkx
            force[k, 1] += torque * gky
            force[j, 0] += torque * gjx
            force[j, 1] += torque * gjy
