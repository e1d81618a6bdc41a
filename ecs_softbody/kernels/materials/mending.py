"""Mending: a wounded body goes back to its rest shape r_i, moved to its centre of mass and turned by R to fit best.

    F_i = m_i β (v_i - u_i) / (1 + β h),    v_i = -α s (x_i - x_c - R (r_i - r_c)),    β = 4 α

u_i is what the velocity has beyond the motion of the whole, s ≤ 1 lets no particle go faster than the pace. This is a
critically damped pull of stiffness 4 α² m: there is one state of rest, the rest shape in any turn, which is whole. No
other elastic force acts meanwhile, since springs, angles and gas can hold a knot.

    α = sqrt(g / (4 SAG size)),   at most 0.5 / h

with g on Earth and the size of the rest shape: under its own weight the body sags by the share SAG of its size, and
small and large bodies take the same time in units of sqrt(size / g). The pace is the speed of a fall by the size: with
less, the limit would hold a body down that has to lift itself off its tips. R is never a reflection. The net force and
torque are zero, as those of shape matching (kernels/forces/shape_matching.py).
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.parallel.compiling import kernel

EARTH = 9.81
SAG = 0.0005
"""Mean give of a body under its own weight, over its size. The tips that carry it give way by that times the number of
rows over those that stand: one in fifty by a fortieth of the size, which folds no tip."""
LARGEST_STEP = 0.5
"""Largest share of the way to the rest shape that a substep goes."""


class Mended(NamedTuple):
    """What mending reads and writes of all particles, N rows."""

    position: np.ndarray  # (N, 2) [m]
    velocity: np.ndarray  # (N, 2) [m/s]
    mass: np.ndarray  # (N,) [kg]
    rest_offset: np.ndarray  # (N, 2) [m]: position in the rest shape
    force: np.ndarray  # (N, 2) [N]


class MendedBodies(NamedTuple):
    """Values of all bodies, (B,) each; body b has the particles [first[b], last[b])."""

    first: np.ndarray
    last: np.ndarray
    unmended: np.ndarray  # Written: how far a particle is from its place, over the size of the body


class Fit(NamedTuple):
    """How a body moves as a whole, and where its rest shape fits best."""

    mass: float  # Mean of the finite ones [kg]; an infinite mass counts as that
    total: float  # [kg]
    x: float
    y: float  # Centre of mass [m]
    vx: float
    vy: float  # [m/s]
    rest_x: float
    rest_y: float  # Centre of mass of the rest shape [m]
    cosine: float
    sine: float
    inertia: float  # [kg m²]
    omega: float  # [rad/s]


@kernel
def mend(active: np.ndarray, mending: np.ndarray, bodies: MendedBodies, particles: Mended, dt: float) -> None:
    """Add the force of every body in `active` that is `mending` (B,)."""
    for b in active:
        if mending[b]:
            bodies.unmended[b] = mend_body(bodies.first[b], bodies.last[b], particles, dt)


@kernel
def size_of(first: int, last: int, rest_offset: np.ndarray) -> float:
    """Return the diagonal of the box around the rest shape of the particles [first, last) [m]."""
    low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
    for p in range(first, last):
        low_x, high_x = min(low_x, rest_offset[p, 0]), max(high_x, rest_offset[p, 0])
        low_y, high_y = min(low_y, rest_offset[p, 1]), max(high_y, rest_offset[p, 1])
    return max(math.hypot(high_x - low_x, high_y - low_y), 1e-9)


@kernel
def rate_of(size: float) -> float:
    """Return α [1/s] of a body of a size [m]."""
    return math.sqrt(EARTH / (4.0 * SAG * size))


@kernel
def pace_of(size: float) -> float:
    """Return the greatest speed at which the particles of a body of a size [m] go to their places [m/s]."""
    return math.sqrt(2.0 * EARTH * size)


@kernel
def find_fit(first: int, last: int, particles: Mended) -> Fit:
    """Return how the particles [first, last) move as a whole, and where their rest shape fits best."""
    position, velocity, rest_offset = particles.position, particles.velocity, particles.rest_offset
    finite, count = 0.0, 0.0
    for p in range(first, last):
        if particles.mass[p] < math.inf:
            finite += particles.mass[p]
            count += 1.0
    mean = finite / count if count > 0.0 else 1.0
    total, x, y, vx, vy, rest_x, rest_y = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(first, last):
        m = particles.mass[p] if particles.mass[p] < math.inf else mean
        total += m
        x += m * position[p, 0]
        y += m * position[p, 1]
        vx += m * velocity[p, 0]
        vy += m * velocity[p, 1]
        rest_x += m * rest_offset[p, 0]
        rest_y += m * rest_offset[p, 1]
    x, y, vx, vy, rest_x, rest_y = x / total, y / total, vx / total, vy / total, rest_x / total, rest_y / total
    cross, dot, angular_momentum, inertia = 0.0, 0.0, 0.0, 0.0
    for p in range(first, last):
        m = particles.mass[p] if particles.mass[p] < math.inf else mean
        dx, dy = position[p, 0] - x, position[p, 1] - y
        ox, oy = rest_offset[p, 0] - rest_x, rest_offset[p, 1] - rest_y
        cross += m * (ox * dy - oy * dx)
        dot += m * (ox * dx + oy * dy)
        angular_momentum += m * (dx * (velocity[p, 1] - vy) - dy * (velocity[p, 0] - vx))
        inertia += m * (dx * dx + dy * dy)
    length = math.hypot(cross, dot)
    cosine, sine = (dot / length, cross / length) if length > 0.0 else (1.0, 0.0)
    omega = angular_momentum / inertia if inertia > 0.0 else 0.0
    return Fit(mean, total, x, y, vx, vy, rest_x, rest_y, cosine, sine, inertia, omega)


@kernel
def way_from_place(p: int, fit: Fit, particles: Mended) -> tuple[float, float]:
    """Return how far particle p is from its place in the rest shape, (x, y) [m]."""
    ox, oy = particles.rest_offset[p, 0] - fit.rest_x, particles.rest_offset[p, 1] - fit.rest_y
    away_x = particles.position[p, 0] - fit.x - fit.cosine * ox + fit.sine * oy
    return away_x, particles.position[p, 1] - fit.y - fit.sine * ox - fit.cosine * oy


@kernel
def mend_body(first: int, last: int, particles: Mended, dt: float) -> float:
    """Add the forces that bring the particles [first, last) to their rest shape; return how far off they are."""
    position, velocity, mass, force = particles.position, particles.velocity, particles.mass, particles.force
    fit, size = find_fit(first, last, particles), size_of(first, last, particles.rest_offset)
    rate = min(rate_of(size), LARGEST_STEP / dt)
    furthest = 0.0
    for p in range(first, last):
        away_x, away_y = way_from_place(p, fit, particles)
        furthest = max(furthest, math.hypot(away_x, away_y))
    share = min(1.0, pace_of(size) / (rate * furthest)) if furthest > 0.0 else 1.0
    strength = 4.0 * rate / (1.0 + 4.0 * rate * dt)
    net_x, net_y, torque = 0.0, 0.0, 0.0
    for p in range(first, last):
        m = mass[p] if mass[p] < math.inf else fit.mass
        away_x, away_y = way_from_place(p, fit, particles)
        dx, dy = position[p, 0] - fit.x, position[p, 1] - fit.y
        fx = -m * strength * (rate * share * away_x + velocity[p, 0] - fit.vx + fit.omega * dy)
        fy = -m * strength * (rate * share * away_y + velocity[p, 1] - fit.vy - fit.omega * dx)
        force[p, 0] += fx
        force[p, 1] += fy
        net_x += fx
        net_y += fy
        torque += dx * fy - dy * fx
    # Take back the net force and torque that rounding leaves.
    turn = torque / fit.inertia if fit.inertia > 0.0 else 0.0
    for p in range(first, last):
        m = mass[p] if mass[p] < math.inf else fit.mass
        force[p, 0] -= m * (net_x / fit.total - turn * (position[p, 1] - fit.y))
        force[p, 1] -= m * (net_y / fit.total + turn * (position[p, 0] - fit.x))
    return furthest / size
