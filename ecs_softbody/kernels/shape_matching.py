"""Shape matching: the rest shape r_i, turned by R and moved to the centre of mass, attracts every particle of a group.

    F_i = -(m_i/m̄) (k (x_i - x_c - R (r_i - r_c)) + c (v_i - v_c - ω × (x_i - x_c)))

R is the rotation that fits best, angle = atan2(Σ m r × d, Σ m r · d) with d = x - x_c (M. Müller et al., "Meshless
Deformations Based on Shape Matching", 2005, in two dimensions: never a mirror image); ω is the angular momentum over
the moment of inertia. With weights in proportion to mass the forces sum to zero, and so do their torques. A particle of
infinite mass counts with the mean of the others.

Saturation: a group takes k h²/m̄ + 2 c h/m̄ of the stability bound at every particle; particles that are in n groups have
an n-th of the share for each.

The solver XPBD hands in the velocities u that all other forces will give; what the end of the substep asks for is then
the same formula with k/a and (k h + c)/a, a = 1 + n (k h² + c h)/m̄: finite for any k and c.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

STIFFNESS_SHARE = 1.6
DAMPING_SHARE = 0.4
SATURATED_DAMPING = 0.25
"""A group cut to the share x of its stiffness k is damped by at least this times (1 - x) k h: groups that overlap would
gain energy otherwise."""


@lean
def accumulate_shape_matching_force(
    active: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    rest_offset: np.ndarray,
    every_row: np.ndarray,
    particle_first: np.ndarray,
    particle_last: np.ndarray,
    members: np.ndarray,
    group: np.ndarray,
    share: np.ndarray,
    valence: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    dt: float,
    implicit: bool,
    force: np.ndarray,
) -> None:
    """Add the force of the bodies b in `active` to `force` (N, 2).

    Its groups are runs of equal numbers in group[first[b]:last[b]] over rows `members`; without any, all of its rows
    [particle_first[b], particle_last[b]) are one. every_row: 0, 1, 2, ... for all packed rows.
    """
    state = (position, velocity, mass, rest_offset)
    for b in active:
        k, c = stiffness[b], damping[b]
        if last[b] == first[b]:
            attract_group(*state, every_row, particle_first[b], particle_last[b], k, c, 1.0, dt, implicit, force)
        start = first[b]
        while start < last[b]:
            stop = start + 1
            while stop < last[b] and group[stop] == group[start]:
                stop += 1
            stiff, number = k * share[start], valence[start]
            attract_group(*state, members, start, stop, stiff, c, number, dt, implicit, force)
            start = stop


@lean
def saturated_strength(stiffness: float, damping: float, mean: float, valence: float, dt: float) -> tuple[float, float]:
    """Return k/m̄ and c/m̄ as far as a substep can carry them."""
    stiff = min(stiffness, STIFFNESS_SHARE * mean / (valence * dt * dt))
    damp = damping
    if stiff < stiffness:
        damp = max(damp, SATURATED_DAMPING * (1.0 - stiff / stiffness) * stiff * dt)
    return stiff / mean, min(damp, DAMPING_SHARE * mean / (valence * dt)) / mean


@lean
def implicit_strength(stiffness: float, damping: float, mean: float, valence: float, dt: float) -> tuple[float, float]:
    """Return k/m̄ and c/m̄ that act on the start of the substep as the full ones would at its end."""
    at_end = stiffness * dt + damping
    slower = mean + valence * at_end * dt
    return stiffness / slower, at_end / slower


@lean
def attract_group(
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    rest_offset: np.ndarray,
    rows: np.ndarray,
    first: int,
    last: int,
    stiffness: float,
    damping: float,
    valence: float,
    dt: float,
    implicit: bool,
    force: np.ndarray,
) -> None:
    """Add to `force` what draws the particles rows[first:last] to their rest shape."""
    finite, count = 0.0, 0.0
    for r in range(first, last):
        if mass[rows[r]] < math.inf:
            finite += mass[rows[r]]
            count += 1.0
    if count == 0.0 or finite == 0.0:
        return
    mean = finite / count
    total, x, y, vx, vy, rx, ry = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(first, last):
        p = rows[r]
        m = mass[p] if mass[p] < math.inf else mean
        total += m
        x += m * position[p, 0]
        y += m * position[p, 1]
        vx += m * velocity[p, 0]
        vy += m * velocity[p, 1]
        rx += m * rest_offset[p, 0]
        ry += m * rest_offset[p, 1]
    x, y, vx, vy, rx, ry = x / total, y / total, vx / total, vy / total, rx / total, ry / total
    cross, dot, spin, inertia = 0.0, 0.0, 0.0, 0.0
    for r in range(first, last):
        p = rows[r]
        m = mass[p] if mass[p] < math.inf else mean
        dx, dy = position[p, 0] - x, position[p, 1] - y
        ox, oy = rest_offset[p, 0] - rx, rest_offset[p, 1] - ry
        cross += m * (ox * dy - oy * dx)
        dot += m * (ox * dx + oy * dy)
        spin += m * (dx * (velocity[p, 1] - vy) - dy * (velocity[p, 0] - vx))
        inertia += m * (dx * dx + dy * dy)
    length = math.hypot(cross, dot)
    cosine, sine = (dot / length, cross / length) if length > 0.0 else (1.0, 0.0)
    omega = spin / inertia if inertia > 0.0 else 0.0
    if implicit:
        stiff, damp = implicit_strength(stiffness, damping, mean, valence, dt)
    else:
        stiff, damp = saturated_strength(stiffness, damping, mean, valence, dt)
    net_x, net_y, torque = 0.0, 0.0, 0.0
    for r in range(first, last):
        p = rows[r]
        m = mass[p] if mass[p] < math.inf else mean
        dx, dy = position[p, 0] - x, position[p, 1] - y
        ox, oy = rest_offset[p, 0] - rx, rest_offset[p, 1] - ry
        away_x, away_y = dx - cosine * ox + sine * oy, dy - sine * ox - cosine * oy
        fx = -m * (stiff * away_x + damp * (velocity[p, 0] - vx + omega * dy))
        fy = -m * (stiff * away_y + damp * (velocity[p, 1] - vy - omega * dx))
        force[p, 0] += fx
        force[p, 1] += fy
        net_x += fx
        net_y += fy
        torque += dx * fy - dy * fx
    # What rounding of the places has left, times a stiffness of 1e6, is taken back.
    turn = torque / inertia if inertia > 0.0 else 0.0
    for r in range(first, last):
        p = rows[r]
        m = mass[p] if mass[p] < math.inf else mean
        force[p, 0] -= m * (net_x / total - turn * (position[p, 1] - y))
        force[p, 1] -= m * (net_y / total + turn * (position[p, 0] - x))
