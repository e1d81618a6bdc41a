"""Rows of joints: the scalar constraints that all joints are taken apart into, and how their
impulses move particles.

A row holds particles along one direction u: C = u · d, d = Σ s_p x_p - goal, with a coefficient s_p
for each particle p that takes part (a *term* of the row). Its impulse λ pushes every such particle
by λ s_p u. The kinds: POINT, one axis of an attachment, so that an attachment is an x row and a y
row, its *partner*; DISTANCE, a rope or rod, u = d/|d|; SOFT, one axis of a mouse joint, a damped
spring that is solved with the rest; BEND, a damper between two distances (bends.py).

Where the two anchors of an attachment are apart by d, the opposite impulses λ and -λ at them have
the torque d × λ. It is given back as a rigid rotation of both bodies, the impulses -m_i (d × λ)/I
perp(r_i) with I = Σ m r² about their common centre, so that angular momentum stays the same.
"""

import math

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.joints.arrays import BodySpans, JointMotion, Rows
from ecs_softbody.kernels.joints.contacts import allowed_impulse
from ecs_softbody.parallel.compiling import entry, kernel

# Kinds of rows, as above.
POINT = 0
DISTANCE = 1
SOFT = 2
BEND = 3
SHORTEST = 1e-12
"""Two particles closer than this [m] have no direction from one to the other."""
PAIR = 2
"""An attachment between bodies of no more than this many particles in all joins single particles.
"""
ROUNDING = 1e-14
"""Anchors closer than this [m], or than this times their distance from the origin, coincide."""


@entry
def predict_particles(used: Integers1, predicted: Floats2, before: Motion, dt: float) -> None:
    """Write v + h w F [m/s] to `predicted` (N, 2), for the particles `used` that joints hold: the
    velocities at the end of the substep without joints and contacts.
    """
    velocity = before.velocity
    inverse_mass = before.inverse_mass
    force = before.force
    for p in used:
        predicted[p, 0] = velocity[p, 0] + dt * inverse_mass[p] * force[p, 0]
        predicted[p, 1] = velocity[p, 1] + dt * inverse_mass[p] * force[p, 1]


@entry
def prepare_rows(rows: Rows, motion: JointMotion) -> None:
    """Write `offset` d and `direction` u of all rows at the start of the substep. Set `alive` of a
    row to False where a number is not finite, or none of its particles is free.
    """
    kind = rows.kind
    axis = rows.axis
    alive = rows.alive
    offset = rows.offset
    direction = rows.direction
    goal = rows.goal
    term_first = rows.term_first
    particle = rows.particle
    coefficient = rows.coefficient
    position = motion.position
    inverse_mass = motion.inverse_mass
    predicted = motion.predicted
    for r in range(len(kind)):
        direction[r, 0] = 0.0
        direction[r, 1] = 0.0
        if not alive[r] or kind[r] == BEND:
            continue
        dx = -goal[r, 0]
        dy = -goal[r, 1]
        vx = 0.0
        vy = 0.0
        free = 0.0
        for t in range(term_first[r], term_first[r + 1]):
            p = particle[t]
            s = coefficient[t]
            dx += s * position[p, 0]
            dy += s * position[p, 1]
            vx += s * predicted[p, 0]
            vy += s * predicted[p, 1]
            free += inverse_mass[p]
        offset[r, 0] = dx
        offset[r, 1] = dy
        if free == 0.0 or not (math.isfinite(dx + dy) and math.isfinite(vx + vy)):
            alive[r] = False
        elif kind[r] != DISTANCE:
            direction[r, axis[r]] = 1.0
        else:
            length = hypot(dx, dy)
            if length < SHORTEST:
                # The ends coincide: they will part along their relative velocity.
                dx = vx
                dy = vy
                length = hypot(dx, dy)
            if length > 0.0:
                direction[r, 0] = dx / length
                direction[r, 1] = dy / length
            else:
                alive[r] = False


@entry
def find_reactions(  # noqa: C901 - a branch for each reason to have none
    rows: Rows, spans: BodySpans, motion: JointMotion
) -> None:
    """Write `reaction`, (centre x, centre y, 1/I) of both bodies of an attachment, at its x row:
    how the torque d × λ of its two anchors is given back. 1/I = 0 where there is none.

    Two single particles have no other mass that could take the torque. They are pulled along their
    line only, which has no torque: the x row gets this direction, the y row is dropped.
    """
    partner = rows.partner
    term_first = rows.term_first
    particle = rows.particle
    bodies = rows.bodies
    offset = rows.offset
    alive = rows.alive
    direction = rows.direction
    reaction = rows.reaction
    first = spans.first
    last = spans.last
    position = motion.position
    inverse_mass = motion.inverse_mass
    for r in range(len(partner)):
        reaction[r, 2] = 0.0
        if not alive[r] or partner[r] < 0 or bodies[r, 1] < 0:
            continue
        p = particle[term_first[r]]
        near = ROUNDING * (1.0 + abs(position[p, 0]) + abs(position[p, 1]))
        if abs(offset[r, 0]) + abs(offset[r, 1]) < near:
            continue
        fixed = False
        count = 0
        for t in range(term_first[r], term_first[r + 1]):
            fixed |= inverse_mass[particle[t]] == 0.0
        for which in range(1 if bodies[r, 0] == bodies[r, 1] else 2):
            count += last[bodies[r, which]] - first[bodies[r, which]]
        if fixed:
            continue
        if count <= PAIR:
            length = hypot(offset[r, 0], offset[r, 1])
            direction[r, 0] = offset[r, 0] / length
            direction[r, 1] = offset[r, 1] / length
            alive[partner[r]] = False
            continue
        total = 0.0
        x = 0.0
        y = 0.0
        for which in range(1 if bodies[r, 0] == bodies[r, 1] else 2):
            for p in range(first[bodies[r, which]], last[bodies[r, which]]):
                if inverse_mass[p] > 0.0:
                    total += 1.0 / inverse_mass[p]
                    x += position[p, 0] / inverse_mass[p]
                    y += position[p, 1] / inverse_mass[p]
        x = x / total
        y = y / total
        inertia = 0.0
        for which in range(1 if bodies[r, 0] == bodies[r, 1] else 2):
            for p in range(first[bodies[r, which]], last[bodies[r, which]]):
                if inverse_mass[p] > 0.0:
                    inertia += (
                        (position[p, 0] - x) ** 2 + (position[p, 1] - y) ** 2
                    ) / inverse_mass[p]
        if inertia > 0.0:
            reaction[r, 0] = x
            reaction[r, 1] = y
            reaction[r, 2] = 1.0 / inertia


@kernel
def push_velocities(
    begin: int, end: int, impulse: np.ndarray, rows: Rows, members: np.ndarray, motion: JointMotion
) -> None:
    """Apply the impulses (R,) [N·s] of the rows [begin, end) to the velocities of the particles
    `members` of their group, and add them up per particle in `motion.impulse`.

    Particles that a contact supports move only along it (contacts.py).
    """
    position = motion.position
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    reaction = rows.reaction
    for r in range(begin, end):
        if impulse[r] != 0.0:
            for t in range(rows.term_first[r], rows.term_first[r + 1]):
                p = rows.particle[t]
                jx = impulse[r] * rows.coefficient[t] * rows.direction[r, 0]
                jy = impulse[r] * rows.coefficient[t] * rows.direction[r, 1]
                motion.impulse[p, 0] += jx
                motion.impulse[p, 1] += jy
                jx, jy = allowed_impulse(p, jx, jy, motion)
                velocity[p, 0] += inverse_mass[p] * jx
                velocity[p, 1] += inverse_mass[p] * jy
        if reaction[r, 2] != 0.0:
            turn = -reaction[r, 2] * (
                rows.offset[r, 0] * impulse[rows.partner[r]] - rows.offset[r, 1] * impulse[r]
            )
            for p in members:
                if inverse_mass[p] > 0.0 and (
                    motion.body[p] == rows.bodies[r, 0] or motion.body[p] == rows.bodies[r, 1]
                ):
                    velocity[p, 0] -= turn * (position[p, 1] - reaction[r, 1])
                    velocity[p, 1] += turn * (position[p, 0] - reaction[r, 0])


@entry
def push_forces(
    rows: Rows, spans: BodySpans, motion: JointMotion, before: Motion, dt: float
) -> None:
    """Turn the solved impulses of all rows into forces λ s_p u / dt, and add them to
    `before.force`, which moves the particles later in the substep.

    Drag takes a share of a force: `motion.inverse_mass` is less than the real `before.inverse_mass`
    by it, and forces are scaled by their ratio.
    """
    force = before.force
    whole = before.inverse_mass
    impulse = rows.impulse
    term_first = rows.term_first
    particle = rows.particle
    coefficient = rows.coefficient
    direction = rows.direction
    offset = rows.offset
    partner = rows.partner
    bodies = rows.bodies
    reaction = rows.reaction
    first = spans.first
    last = spans.last
    position = motion.position
    inverse_mass = motion.inverse_mass
    for r in range(len(impulse)):
        if impulse[r] != 0.0:
            for t in range(term_first[r], term_first[r + 1]):
                p = particle[t]
                by = impulse[r] * coefficient[t] / dt
                by *= inverse_mass[p] / whole[p] if whole[p] > 0.0 else 1.0
                force[p, 0] += by * direction[r, 0]
                force[p, 1] += by * direction[r, 1]
        if reaction[r, 2] != 0.0:
            turn = (
                -reaction[r, 2]
                * (offset[r, 0] * impulse[partner[r]] - offset[r, 1] * impulse[r])
                / dt
            )
            for which in range(1 if bodies[r, 0] == bodies[r, 1] else 2):
                for p in range(first[bodies[r, which]], last[bodies[r, which]]):
                    if whole[p] > 0.0:
                        force[p, 0] -= turn / whole[p] * (position[p, 1] - reaction[r, 1])
                        force[p, 1] += turn / whole[p] * (position[p, 0] - reaction[r, 0])


@kernel
def offset_at_end(r: int, rows: Rows, velocity: np.ndarray, dt: float) -> tuple[float, float]:
    """Return d [m] of a row at the end of the substep, with these velocities (N, 2)."""
    dx = rows.offset[r, 0]
    dy = rows.offset[r, 1]
    for t in range(rows.term_first[r], rows.term_first[r + 1]):
        p = rows.particle[t]
        dx += dt * rows.coefficient[t] * velocity[p, 0]
        dy += dt * rows.coefficient[t] * velocity[p, 1]
    return dx, dy


@entry
def soften_rows(
    chosen: Integers1,
    rows: Rows,
    spans: BodySpans,
    inverse_mass: Floats1,
    frequency: Floats1,
    damping_ratio: Floats1,
    dt: float,
) -> None:
    """Write `softness` and `bias_rate` of the SOFT rows `chosen`: implicit Euler of a damped spring
    on the mass m of the whole body. With C' and v' at the end of the substep h,

    λ = -h (k C' + c u·v'), k = m (2π f)², c = 2 ζ m 2π f, C' = C + h u·v'. Divided by h (h k + c):
    u·v' + softness λ + bias_rate C = 0, softness = 1/(h (h k + c)), bias_rate = k/(h k + c).
    frequency f [Hz] and damping_ratio ζ: one for each of the rows `chosen`.
    """
    bodies = rows.bodies
    softness = rows.softness
    bias_rate = rows.bias_rate
    first = spans.first
    last = spans.last
    for i in range(len(chosen)):
        r = chosen[i]
        mass = 0.0
        for p in range(first[bodies[r, 0]], last[bodies[r, 0]]):
            if inverse_mass[p] > 0.0:
                mass += 1.0 / inverse_mass[p]
        omega = 2.0 * math.pi * frequency[i]
        stiffness = mass * omega * omega
        damping = 2.0 * damping_ratio[i] * mass * omega
        whole = dt * stiffness + damping
        softness[r] = 1.0 / (dt * whole) if whole > 0.0 else 0.0
        bias_rate[r] = stiffness / whole if whole > 0.0 else 0.0
