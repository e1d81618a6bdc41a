"""Motor: the torque that brings the relative angular velocity of two bodies, a chassis a and a
wheel b, to a wanted one. It runs once a substep, h long, before the joints and contacts.

    e = s - (ω_b - ω_a),   s = speed, at most TURN / h either way,   ω = L/I of the free particles,
    w = e / (h (n_a/I_a + n_b/I_b))
    load += SUMMED w,   τ = clamp(load + PROPORTIONAL w, ±T),   F_i = ± τ m_i perp(r_i) / I

e is the error of the speed and w the torque that removes it in one substep. n motors at one body
each take an n-th of its error. `load` sums the errors up: it learns the torque that a car needs to
stand on a slope. The forces F_i act like a rigid rotation: their sum is zero, their torque τ. Other
forces of the substep are left out of e: contacts and joints, which are solved after the motor, may
hold most of them, and a brake that answered them too would let a wheel roll.

    T = min(max_torque, max(T_0, q min(K / (h² (n_a/I_a + n_b/I_b)), T_0 Ω / |ω_b - ω_a|)))
    T_0 = (m_a + m_b) g R,   Ω = FAST √(g/R)

T_0 carries both bodies at the rim of the wheel, R from its centre. It is the default of
`max_torque`, and allowed for any motor at any speed. More would tear soft bodies, or throw them. So
beyond T_0 a motor changes the angular velocity by at most K / h in a substep, has at most the power
T_0 Ω, and lets go of bodies that have lost their form: q falls from 1 to 0 (`soundness`).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Integers2
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.joints.arrays import BodySpans
from ecs_softbody.parallel.compiling import entry, kernel

PROPORTIONAL = 0.95
"""Share of the torque w that acts in this substep only."""
SUMMED = 0.05
"""Share of w that is added to `load` and stays. Together 1: without a load, the torque is w."""
TURN = math.pi / 8.0
"""The largest angle by which a motor turns its bodies against each other in a substep [rad]."""
KICK = 0.05
"""K: a motor stronger than T_0 changes the angle per substep by at most this, from one substep to
the next [rad].
"""
FAST = 10.0
"""Ω / √(g/R): up to the relative angular velocity Ω a motor may be stronger than T_0."""
SOUND, TORN = 0.1, 0.2
"""A motor stronger than T_0 begins to let go at the first deviation of a body from its rest shape,
and has let go at the second. Both are root mean squares over the size, see `deviation_of`.
"""
STANDARD_GRAVITY = 9.81
"""g of T_0 and Ω in a world without gravity [m/s²]."""
POINT_SIZE = 1e-12
"""A body whose radius of gyration is less than this times its distance from the origin, plus 1 m,
counts as a point: its moment of inertia would be rounding.
"""


class Discs(NamedTuple):
    """Discs that turn by themselves: single particles with an angle of their own, see
    collision/solve/spin.py. Of the R rows the first N are the particles, the others vertices of
    walls.
    """

    angular_velocity: Floats1  # (N,) [rad/s]
    radius: Floats1  # (R,) [m]
    surface_yield: Floats1  # (R,) [1/kg] r²/I of these discs, 0 of all other rows


class Motors(NamedTuple):
    """Values of all motors, (M,) each."""

    speed: Floats1  # s, wanted ω_b - ω_a [rad/s]
    max_torque: Floats1  # [N·m]; NaN: T_0 of the first substep is written here
    load: Floats1  # Written: torque that it has learned to hold against [N·m]
    torque: Floats1  # Written: τ of this substep [N·m]


@entry
def drive_motors(
    active: Integers1,
    bodies: Integers2,
    count: Integers1,
    spans: BodySpans,
    motion: Motion,
    rest_offset: Floats2,
    discs: Discs,
    drag_share: Floats1,
    motors: Motors,
    gravity: float,
    dt: float,
) -> None:
    """Add the forces F_i of the motors `active` (their rows) to `motion.force`, and write their
    loads and torques.

    bodies (M, 2): slots of chassis and wheel, a chassis of -1 is the world. count (B,): motors at
    each body. rest_offset (N, 2) [m]: places of the particles in the rest shape. drag_share (N,):
    share of a force that drag takes from a particle in this substep. gravity [m/s²]: its strength.
    """
    first = spans.first
    last = spans.last
    load = motors.load
    torque = motors.torque
    for m in active:
        torque[m] = 0.0
        speed = min(max(motors.speed[m], -TURN / dt), TURN / dt)
        mobility = 0.0  # n_a/I_a + n_b/I_b [1/(kg·m²)]
        error = speed
        for which in range(2):
            b = bodies[m, which]
            if b >= 0:
                inertia, angular_velocity = find_rotation(first[b], last[b], motion, discs)
                if inertia > 0.0:
                    mobility += count[b] / inertia
                    error += angular_velocity if which == 0 else -angular_velocity
                elif which == 1 or inertia < 0.0:
                    # Nothing can turn this body: there is no torque, and no reaction.
                    mobility = -np.inf
        if not mobility > 0.0 or not np.isfinite(error) or not np.isfinite(motors.speed[m]):
            continue
        ordinary, radius = ordinary_torque(bodies[m], spans, motion, discs, gravity)
        if np.isnan(motors.max_torque[m]):
            motors.max_torque[m] = ordinary
        wanted = error / (dt * mobility)
        most = motors.max_torque[m]
        if most > ordinary:
            fast = FAST * math.sqrt((gravity if gravity > 0.0 else STANDARD_GRAVITY) / radius)
            strong = min(
                KICK / (dt * dt * mobility), ordinary * fast / max(abs(speed - error), 1e-9)
            )
            most = min(
                most, max(ordinary, soundness(bodies[m], spans, motion, rest_offset) * strong)
            )
        load[m] = min(max(load[m] + SUMMED * wanted, -most), most)
        torque[m] = min(max(load[m] + PROPORTIONAL * wanted, -most), most)
        add_torques(bodies[m], torque[m], spans, motion, discs, drag_share, dt)


@kernel
def ordinary_torque(
    bodies: np.ndarray, spans: BodySpans, motion: Motion, discs: Discs, gravity: float
) -> tuple[float, float]:
    """Return T_0 [N·m], the torque that carries the free particles of both bodies at the rim of the
    second one, and R [m], the distance of its farthest free particle from its centre.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    total = 0.0
    squared = 0.0
    for which in range(2):
        b = bodies[which]
        if b >= 0:
            x, y, _ = inertia_of(spans.first[b], spans.last[b], motion)
            for p in range(spans.first[b], spans.last[b]):
                if inverse_mass[p] > 0.0:
                    total += 1.0 / inverse_mass[p]
                    if which == 1:
                        squared = max(
                            squared, (position[p, 0] - x) ** 2 + (position[p, 1] - y) ** 2
                        )
                        if disc_inertia(spans.first[b], spans.last[b], discs) > 0.0:
                            squared = discs.radius[p] * discs.radius[p]
    radius = math.sqrt(squared)
    return total * (gravity if gravity > 0.0 else STANDARD_GRAVITY) * radius, radius


@kernel
def soundness(
    bodies: np.ndarray, spans: BodySpans, motion: Motion, rest_offset: np.ndarray
) -> float:
    """Return q: 1 while both bodies are within SOUND of their rest shapes, falling linearly to 0
    where the more deformed one reaches TORN.
    """
    sound = 1.0
    for which in range(2):
        if bodies[which] >= 0:
            deviation = deviation_of(
                spans.first[bodies[which]], spans.last[bodies[which]], motion, rest_offset
            )
            sound = min(sound, (TORN - deviation) / (TORN - SOUND))
    return max(sound, 0.0)


@kernel
def deviation_of(first: int, last: int, motion: Motion, rest_offset: np.ndarray) -> float:
    """Return how far the free particles are from the best fit of their rest shape, moved and
    turned: √(Σ m |d - Q r|² / Σ m r²).

    d and r: places from the centre of mass, now and in the rest shape. The best rotation Q leaves
    Σ m d² + Σ m r² - 2 |(Σ m r·d, Σ m r×d)|.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    x, y, inertia = inertia_of(first, last, motion)
    total = 0.0
    rest_x = 0.0
    rest_y = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            total += 1.0 / inverse_mass[p]
            rest_x += rest_offset[p, 0] / inverse_mass[p]
            rest_y += rest_offset[p, 1] / inverse_mass[p]
    if inertia <= 0.0:
        return 0.0
    rest_x = rest_x / total
    rest_y = rest_y / total
    size = 0.0
    along = 0.0
    across = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            m = 1.0 / inverse_mass[p]
            dx = position[p, 0] - x
            dy = position[p, 1] - y
            rx = rest_offset[p, 0] - rest_x
            ry = rest_offset[p, 1] - rest_y
            size += m * (rx * rx + ry * ry)
            along += m * (rx * dx + ry * dy)
            across += m * (rx * dy - ry * dx)
    if size <= 0.0:
        return 0.0
    return math.sqrt(max(inertia + size - 2.0 * hypot(along, across), 0.0) / size)


@kernel
def disc_inertia(first: int, last: int, discs: Discs) -> float:
    """Return the moment of inertia [kg·m²] of a body that is one disc that turns by itself, of any
    other body 0.
    """
    if last - first != 1 or discs.surface_yield[first] == 0.0:
        return 0.0
    return discs.radius[first] * discs.radius[first] / discs.surface_yield[first]


@kernel
def add_torques(
    bodies: np.ndarray,
    torque: float,
    spans: BodySpans,
    motion: Motion,
    discs: Discs,
    drag_share: np.ndarray,
    dt: float,
) -> None:
    """Add the forces of a torque [N·m] on the second of two bodies, and of the opposite torque on
    the first. A disc that turns by itself has no forces to add: its angular velocity changes here.
    """
    first = spans.first
    last = spans.last
    position = motion.position
    inverse_mass = motion.inverse_mass
    force = motion.force
    for which in range(2):
        b = bodies[which]
        if b >= 0:
            x, y, inertia = inertia_of(first[b], last[b], motion)
            of_disc = disc_inertia(first[b], last[b], discs)
            if of_disc > 0.0:
                discs.angular_velocity[first[b]] += (
                    (torque if which == 1 else -torque) * dt / of_disc
                )
            elif inertia > 0.0:
                turn = (torque if which == 1 else -torque) / inertia
                for p in range(first[b], last[b]):
                    if inverse_mass[p] > 0.0:
                        push = (1.0 - drag_share[p]) * turn / inverse_mass[p]
                        force[p, 0] -= push * (position[p, 1] - y)
                        force[p, 1] += push * (position[p, 0] - x)


@kernel
def inertia_of(first: int, last: int, motion: Motion) -> tuple[float, float, float]:
    """Return the centre of mass (x, y) [m] and the moment of inertia [kg·m²] of the free particles
    of a body: 0 without any, -1 if all are at one point.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    total = 0.0
    x = 0.0
    y = 0.0
    inertia = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            total += 1.0 / inverse_mass[p]
            x += position[p, 0] / inverse_mass[p]
            y += position[p, 1] / inverse_mass[p]
    if total == 0.0:
        return 0.0, 0.0, 0.0
    x = x / total
    y = y / total
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            inertia += ((position[p, 0] - x) ** 2 + (position[p, 1] - y) ** 2) / inverse_mass[p]
    return x, y, inertia if inertia > total * POINT_SIZE**2 * (1.0 + x * x + y * y) else -1.0


@kernel
def find_rotation(first: int, last: int, motion: Motion, discs: Discs) -> tuple[float, float]:
    """Return the moment of inertia I [kg·m²] and the angular velocity L/I [rad/s] of a body's free
    particles, or of its disc. I is 0 or -1 where nothing can turn, as in `inertia_of`.
    """
    of_disc = disc_inertia(first, last, discs)
    if of_disc > 0.0:
        return of_disc, discs.angular_velocity[first]
    position = motion.position
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    x, y, inertia = inertia_of(first, last, motion)
    turn = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            dx = position[p, 0] - x
            dy = position[p, 1] - y
            turn += (dx * velocity[p, 1] - dy * velocity[p, 0]) / inverse_mass[p]
    return inertia, turn / inertia if inertia > 0.0 else 0.0
