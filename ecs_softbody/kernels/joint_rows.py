"""Rows of joints: each is one direction in which particles are held, C = u · d with d = Σ s_p x_p - goal.

Kinds: POINT, one axis of an attachment, u is fixed; DISTANCE, u = d/|d|; SOFT, one axis of a mouse joint, a damped
spring that is solved with the rest; BEND, a damper between two distances (joint_bends.py). An impulse λ of a row pushes
every particle with λ s_p u. Where an attachment's two anchors are apart by d, the pair λ, -λ has the torque d × λ. It is
given back as a rigid rotation of both bodies, -m_i (d × λ)/I perp(r_i) with I = Σ m r² about their common centre, so
that angular momentum stays the same.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.kernels.joint_arrays import Motion, Rows
from ecs_softbody.kernels.joint_contacts import moved

POINT, DISTANCE, SOFT, BEND = 0, 1, 2, 3
SHORTEST = 1e-12
"""Below this length [m] a pair has no direction of its own."""
PAIR = 2
ROUNDING = 1e-14
"""Anchors this near [m], or this many times their distance from the origin, are at the same place."""


@kernel
def predict_particles(
    used: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    force: np.ndarray,
    dt: float,
    predicted: np.ndarray,
) -> None:
    """Write the velocities (N, 2) that the forces will give to the particles `used`."""
    for p in used:
        predicted[p, 0] = velocity[p, 0] + dt * inverse_mass[p] * force[p, 0]
        predicted[p, 1] = velocity[p, 1] + dt * inverse_mass[p] * force[p, 1]


@kernel
def aim_rows(
    kind: np.ndarray,
    axis: np.ndarray,
    term_first: np.ndarray,
    particle: np.ndarray,
    weight: np.ndarray,
    goal: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    predicted: np.ndarray,
    alive: np.ndarray,
    gap: np.ndarray,
    direction: np.ndarray,
) -> None:
    """Write d (R, 2) and u (R, 2) at the start of the substep. Rows without finite numbers or anything to push die."""
    for r in range(len(kind)):
        direction[r, 0], direction[r, 1] = 0.0, 0.0
        if not alive[r] or kind[r] == BEND:
            continue
        dx, dy, vx, vy, free = -goal[r, 0], -goal[r, 1], 0.0, 0.0, 0.0
        for t in range(term_first[r], term_first[r + 1]):
            p, s = particle[t], weight[t]
            dx += s * position[p, 0]
            dy += s * position[p, 1]
            vx += s * predicted[p, 0]
            vy += s * predicted[p, 1]
            free += inverse_mass[p]
        gap[r, 0], gap[r, 1] = dx, dy
        if free == 0.0 or not (math.isfinite(dx + dy) and math.isfinite(vx + vy)):
            alive[r] = False
        elif kind[r] != DISTANCE:
            direction[r, axis[r]] = 1.0
        else:
            length = math.hypot(dx, dy)
            if length < SHORTEST:  # it opens where it is driven to
                dx, dy = vx, vy
                length = math.hypot(dx, dy)
            if length > 0.0:
                direction[r, 0], direction[r, 1] = dx / length, dy / length
            else:
                alive[r] = False


@kernel
def find_couples(
    partner: np.ndarray,
    term_first: np.ndarray,
    particle: np.ndarray,
    bodies: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    gap: np.ndarray,
    alive: np.ndarray,
    direction: np.ndarray,
    couple: np.ndarray,
) -> None:
    """Write (centre x, centre y, 1/I) of both bodies of each attachment, at its x row; 1/I = 0 needs no couple.

    partner: the y row of an x row, else -1; bodies (R, 2): slots of both, the second -1 for the world. Two lone
    particles have nobody who could take the couple: they are pulled along their line only, which has no torque.
    """
    for r in range(len(partner)):
        couple[r, 2] = 0.0
        if not alive[r] or partner[r] < 0 or bodies[r, 1] < 0:
            continue
        p = particle[term_first[r]]
        near = ROUNDING * (1.0 + abs(position[p, 0]) + abs(position[p, 1]))
        if abs(gap[r, 0]) + abs(gap[r, 1]) < near:
            continue
        fixed, count = False, 0
        for t in range(term_first[r], term_first[r + 1]):
            fixed |= inverse_mass[particle[t]] == 0.0
        for which in range(1 if bodies[r, 0] == bodies[r, 1] else 2):
            count += last[bodies[r, which]] - first[bodies[r, which]]
        if fixed:
            continue
        if count <= PAIR:
            length = math.hypot(gap[r, 0], gap[r, 1])
            direction[r, 0], direction[r, 1] = gap[r, 0] / length, gap[r, 1] / length
            alive[partner[r]] = False
            continue
        total, x, y = 0.0, 0.0, 0.0
        for which in range(1 if bodies[r, 0] == bodies[r, 1] else 2):
            for p in range(first[bodies[r, which]], last[bodies[r, which]]):
                if inverse_mass[p] > 0.0:
                    total += 1.0 / inverse_mass[p]
                    x += position[p, 0] / inverse_mass[p]
                    y += position[p, 1] / inverse_mass[p]
        x, y = x / total, y / total
        inertia = 0.0
        for which in range(1 if bodies[r, 0] == bodies[r, 1] else 2):
            for p in range(first[bodies[r, which]], last[bodies[r, which]]):
                if inverse_mass[p] > 0.0:
                    inertia += ((position[p, 0] - x) ** 2 + (position[p, 1] - y) ** 2) / inverse_mass[p]
        if inertia > 0.0:
            couple[r, 0], couple[r, 1], couple[r, 2] = x, y, 1.0 / inertia


@kernel
def push_velocities(begin: int, end: int, impulse: np.ndarray, rows: Rows, members: np.ndarray, motion: Motion) -> None:
    """Add what the impulses of the rows [begin, end) do to the velocities of the particles `members` of the group.

    Particles that lean on a contact go along it (joint_contacts.py).
    """
    position, velocity, inverse_mass, couple = motion.position, motion.velocity, motion.inverse_mass, rows.couple
    for r in range(begin, end):
        if impulse[r] != 0.0:
            for t in range(rows.term_first[r], rows.term_first[r + 1]):
                p = rows.particle[t]
                jx = impulse[r] * rows.weight[t] * rows.direction[r, 0]
                jy = impulse[r] * rows.weight[t] * rows.direction[r, 1]
                motion.kick[p, 0] += jx
                motion.kick[p, 1] += jy
                jx, jy = moved(p, jx, jy, motion)
                velocity[p, 0] += inverse_mass[p] * jx
                velocity[p, 1] += inverse_mass[p] * jy
        if couple[r, 2] != 0.0:
            turn = -couple[r, 2] * (rows.gap[r, 0] * impulse[rows.partner[r]] - rows.gap[r, 1] * impulse[r])
            for p in members:
                if inverse_mass[p] > 0.0 and (
                    motion.body[p] == rows.bodies[r, 0] or motion.body[p] == rows.bodies[r, 1]
                ):
                    velocity[p, 0] -= turn * (position[p, 1] - couple[r, 1])
                    velocity[p, 1] += turn * (position[p, 0] - couple[r, 0])


@kernel
def push_forces(
    impulse: np.ndarray,
    term_first: np.ndarray,
    particle: np.ndarray,
    weight: np.ndarray,
    direction: np.ndarray,
    gap: np.ndarray,
    partner: np.ndarray,
    bodies: np.ndarray,
    couple: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    dt: float,
    force: np.ndarray,
) -> None:
    """Add the impulses of all rows, over dt, to `force` (N, 2)."""
    for r in range(len(impulse)):
        if impulse[r] != 0.0:
            for t in range(term_first[r], term_first[r + 1]):
                p = particle[t]
                by = impulse[r] * weight[t] / dt
                force[p, 0] += by * direction[r, 0]
                force[p, 1] += by * direction[r, 1]
        if couple[r, 2] != 0.0:
            turn = -couple[r, 2] * (gap[r, 0] * impulse[partner[r]] - gap[r, 1] * impulse[r]) / dt
            for which in range(1 if bodies[r, 0] == bodies[r, 1] else 2):
                for p in range(first[bodies[r, which]], last[bodies[r, which]]):
                    if inverse_mass[p] > 0.0:
                        force[p, 0] -= turn / inverse_mass[p] * (position[p, 1] - couple[r, 1])
                        force[p, 1] += turn / inverse_mass[p] * (position[p, 0] - couple[r, 0])


@kernel
def gap_at_end(r: int, rows: Rows, velocity: np.ndarray, dt: float) -> tuple[float, float]:
    """Return d of a row after the substep."""
    dx, dy = rows.gap[r, 0], rows.gap[r, 1]
    for t in range(rows.term_first[r], rows.term_first[r + 1]):
        p = rows.particle[t]
        dx += dt * rows.weight[t] * velocity[p, 0]
        dy += dt * rows.weight[t] * velocity[p, 1]
    return dx, dy


@kernel
def soften_rows(
    rows: np.ndarray,
    bodies: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    inverse_mass: np.ndarray,
    frequency: np.ndarray,
    damping_ratio: np.ndarray,
    dt: float,
    softness: np.ndarray,
    pull: np.ndarray,
) -> None:
    """Write what makes SOFT rows damped springs for the mass m of the whole body, implicit Euler:

    λ = -h (k C' + c u·v'), k = m (2π f)², c = 2 ζ m 2π f; hence u·v' + softness λ + pull C = 0.
    frequency and damping_ratio are by place in `rows`.
    """
    for i in range(len(rows)):
        r = rows[i]
        mass = 0.0
        for p in range(first[bodies[r, 0]], last[bodies[r, 0]]):
            if inverse_mass[p] > 0.0:
                mass += 1.0 / inverse_mass[p]
        omega = 2.0 * math.pi * frequency[i]
        stiffness, damping = mass * omega * omega, 2.0 * damping_ratio[i] * mass * omega
        whole = dt * stiffness + damping
        softness[r] = 1.0 / (dt * whole) if whole > 0.0 else 0.0
        pull[r] = stiffness / whole if whole > 0.0 else 0.0
