"""Plasticity: rest lengths, rest angles and rest shapes of bodies that yield, like clay. Runs once
a substep, after the particles have moved.

A number u, the *play*, follows the strain e at a distance of at most the yield strain y, as a shaft
follows a gear with play between the teeth. Part of u is kept as the plastic strain p:

    e = l/L0 - 1,   u <- the number in [e - y, e + y] that is nearest to u
    p = rate u, |p| <= limit,   L = L0 (1 + p)

l is the present length, L the rest length, L0 the rest length before any yielding. Without creep,
nothing depends on the time step: u is a function of the largest and smallest strain since the
strain last turned round, as in kinematic hardening (W. Prager; M. A. Krasnosel'skii and A. V.
Pokrovskii, "Systems with Hysteresis"). With a creep time T, u goes only the share 1 - exp(-h/T) of
the way in a substep of length h.

Angles: e is the angle minus the original rest angle [rad]; it is counted on from the present rest
angle, so that it never jumps by a turn. Shapes: e is the vector from a particle's place in the
original rest shape, turned with the body, to its present place, over the body's root mean square
radius; u becomes the nearest vector within y of e. The rest shape keeps at least a quarter of its
area.

A rest length, rest angle or rest shape that something else (a game, a muscle) has written becomes
the original one.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Uint32s1, Uint32s2
from ecs_softbody.elementary.angles import atan2
from ecs_softbody.elementary.exponential import expm1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import entry, kernel

CREEPING = 1e-3
"""A body that has yet to creep by more than this strain stays awake."""
SMALLEST_AREA_SHARE = 0.25
"""Least share of its area that plastic deformation leaves to a rest shape (`area_share`)."""
HALVINGS = 20
"""A deformation that would leave less area is halved until it does not, this often at most."""


class Plastics(NamedTuple):
    """Values of the bodies that yield, (B,) each."""

    spring_first: Integers1
    spring_last: Integers1  # Body b has the springs [spring_first[b], spring_last[b])
    angular_first: Integers1
    angular_last: Integers1
    shape_first: Integers1
    shape_last: Integers1  # The particles of a rest shape that yields; empty where none does
    yield_strain: Floats1  # y of lengths and shapes; inf: does not yield
    rate: Floats1  # Share of the play that is kept
    limit: Floats1  # Largest plastic strain |p| of lengths and shapes
    creep_time: Floats1  # T [s]; 0: yields at once
    yield_angle: Floats1  # y of angles [rad]; inf: does not yield
    angle_limit: Floats1  # Largest plastic angle [rad]


class PlasticSprings(NamedTuple):
    """Inputs and outputs of yielding, for all springs, (M,) each."""

    packed_pairs: Uint32s2  # (M, 2): rows of both ends
    rest_length: Floats1  # L [m]
    original_length: Floats1  # L0 [m]
    # L as written here last [m]: if L differs from it, something else has written L
    set_length: Floats1
    play: Floats1  # u


class PlasticAngles(NamedTuple):
    """Inputs and outputs of yielding, for all angular springs, (T,) each."""

    packed_triples: Uint32s2  # (T, 3): rows (i, pivot j, k)
    rest_angle: Floats1  # [rad]
    original_angle: Floats1  # Before any yielding [rad]
    set_angle: Floats1  # As written here last [rad]
    play: Floats1  # u [rad]


class PlasticParticles(NamedTuple):
    """Inputs and outputs of yielding, for all particles, N rows."""

    position: Floats2  # (N, 2) [m]
    mass: Floats1  # (N,) [kg]
    body: Uint32s1  # (N,): number (slot) of the body
    rest_offset: Floats2  # (N, 2) place in the rest shape [m]
    original_offset: Floats2  # (N, 2) the same before any yielding [m]
    set_offset: Floats2  # (N, 2) the same as written here last [m]
    play: Floats2  # (N, 2) u


@kernel
def followed(play: float, strain: float, yield_at: float) -> float:
    """Return the new play: the number in [strain - yield_at, strain + yield_at] that is nearest to
    `play`.
    """
    if play < strain - yield_at:
        return strain - yield_at
    if play > strain + yield_at:
        return strain + yield_at
    return play


@kernel
def bounded(value: float, limit: float) -> float:
    """Return the number within ±`limit` that is nearest to `value`."""
    return min(max(value, -limit), limit)


@kernel
def crept_share(creep_time: float, dt: float) -> float:
    """Return 1 - exp(-dt / creep_time), the share of its way that the play goes in a substep."""
    return -expm1(-dt / creep_time) if creep_time > 0.0 else 1.0


@entry
def yield_lengths(
    active: Integers1,
    laws: Plastics,
    springs: PlasticSprings,
    particles: PlasticParticles,
    still_time: Floats1,
    dt: float,
) -> None:
    """Let the springs of the bodies in `active` yield: write their plays and rest lengths. Set
    still_time (B,) [s] of bodies that still creep to 0, so that they do not fall asleep.
    """
    position = particles.position
    body = particles.body
    pairs = springs.packed_pairs
    yield_strain = laws.yield_strain
    rate = laws.rate
    limit = laws.limit
    creep_time = laws.creep_time
    rest_length = springs.rest_length
    original_length = springs.original_length
    set_length = springs.set_length
    first = laws.spring_first
    last = laws.spring_last
    play = springs.play
    for b in active:
        if yield_strain[b] == math.inf or rate[b] == 0.0:
            continue
        share = crept_share(creep_time[b], dt)
        bound = limit[b] / rate[b]  # largest |u|, at which |p| = limit
        for s in range(first[b], last[b]):
            if rest_length[s] != set_length[s]:
                # A muscle or a game has written this length: the play begins again from there.
                original_length[s] = rest_length[s]
                play[s] = 0.0
            if original_length[s] > 0.0:
                i = pairs[s, 0]
                j = pairs[s, 1]
                length = hypot(position[j, 0] - position[i, 0], position[j, 1] - position[i, 1])
                goal = bounded(
                    followed(play[s], length / original_length[s] - 1.0, yield_strain[b]), bound
                )
                play[s] = goal if share == 1.0 else play[s] + share * (goal - play[s])
                if abs(goal - play[s]) * rate[b] > CREEPING:
                    still_time[body[i]] = 0.0
                rest_length[s] = original_length[s] * (1.0 + rate[b] * play[s])
            set_length[s] = rest_length[s]


@entry
def yield_angles(
    active: Integers1,
    laws: Plastics,
    springs: PlasticAngles,
    particles: PlasticParticles,
    still_time: Floats1,
    dt: float,
) -> None:
    """Let the angular springs of the bodies in `active` yield: write their plays and rest angles,
    as `yield_lengths` does for springs.
    """
    position = particles.position
    body = particles.body
    triples = springs.packed_triples
    yield_angle = laws.yield_angle
    rate = laws.rate
    limit = laws.angle_limit
    creep_time = laws.creep_time
    rest_angle = springs.rest_angle
    original_angle = springs.original_angle
    set_angle = springs.set_angle
    first = laws.angular_first
    last = laws.angular_last
    play = springs.play
    for b in active:
        if yield_angle[b] == math.inf or rate[b] == 0.0:
            continue
        share = crept_share(creep_time[b], dt)
        bound = limit[b] / rate[b]
        for s in range(first[b], last[b]):
            if rest_angle[s] != set_angle[s]:
                original_angle[s] = rest_angle[s]
                play[s] = 0.0
            i = triples[s, 0]
            j = triples[s, 1]
            k = triples[s, 2]
            ax = position[i, 0] - position[j, 0]
            ay = position[i, 1] - position[j, 1]
            bx = position[k, 0] - position[j, 0]
            by = position[k, 1] - position[j, 1]
            beyond = atan2(ax * by - ay * bx, ax * bx + ay * by) - rest_angle[s]
            beyond -= 2.0 * math.pi * math.floor(beyond / (2.0 * math.pi) + 0.5)
            goal = bounded(
                followed(play[s], beyond + rest_angle[s] - original_angle[s], yield_angle[b]), bound
            )
            play[s] = goal if share == 1.0 else play[s] + share * (goal - play[s])
            if abs(goal - play[s]) * rate[b] > CREEPING:
                still_time[body[i]] = 0.0
            rest_angle[s] = original_angle[s] + rate[b] * play[s]
            set_angle[s] = rest_angle[s]


@entry
def yield_shapes(
    active: Integers1, laws: Plastics, particles: PlasticParticles, still_time: Floats1, dt: float
) -> None:
    """Let the rest shapes of the bodies in `active` yield: write the plays of their particles and
    their rest offsets, as `yield_lengths` does for springs.
    """
    position = particles.position
    mass = particles.mass
    body = particles.body
    play = particles.play
    yield_strain = laws.yield_strain
    rate = laws.rate
    limit = laws.limit
    creep_time = laws.creep_time
    rest_offset = particles.rest_offset
    original_offset = particles.original_offset
    set_offset = particles.set_offset
    first = laws.shape_first
    last = laws.shape_last
    for b in active:
        if yield_strain[b] == math.inf or rate[b] == 0.0 or first[b] == last[b]:
            continue
        start = first[b]
        stop = last[b]
        restart_if_written(start, stop, particles)
        share = crept_share(creep_time[b], dt)
        x, y, ox, oy, cosine, sine, radius = fitted(start, stop, position, mass, original_offset)
        if not radius > 0.0:
            continue
        for p in range(start, stop):
            dx = position[p, 0] - x
            dy = position[p, 1] - y
            ex = (cosine * dx + sine * dy - original_offset[p, 0] + ox) / radius
            ey = (cosine * dy - sine * dx - original_offset[p, 1] + oy) / radius
            away = hypot(play[p, 0] - ex, play[p, 1] - ey)
            if away > yield_strain[b]:
                kept = yield_strain[b] / away
                gx = ex + kept * (play[p, 0] - ex)
                gy = ey + kept * (play[p, 1] - ey)
                size = rate[b] * hypot(gx, gy)
                if size > limit[b]:
                    gx = gx * limit[b] / size
                    gy = gy * limit[b] / size
                gx = gx - play[p, 0]
                gy = gy - play[p, 1]
                play[p, 0] += share * gx
                play[p, 1] += share * gy
                if (1.0 - share) * rate[b] * hypot(gx, gy) > CREEPING:
                    still_time[body[p]] = 0.0
        scale = rate[b] * radius
        for _ in range(HALVINGS):
            if area_share(start, stop, mass, original_offset, play, scale) >= SMALLEST_AREA_SHARE:
                break
            scale *= 0.5
        for p in range(start, stop):
            for axis in range(2):
                rest_offset[p, axis] = original_offset[p, axis] + scale * play[p, axis]
                set_offset[p, axis] = rest_offset[p, axis]


@kernel
def restart_if_written(start: int, stop: int, particles: PlasticParticles) -> None:
    """Make the rest shape of the particles [start, stop) the original one, with no play, if
    something else has written it.
    """
    rest_offset = particles.rest_offset
    original = particles.original_offset
    play = particles.play
    set_offset = particles.set_offset
    written = False
    for p in range(start, stop):
        written |= rest_offset[p, 0] != set_offset[p, 0] or rest_offset[p, 1] != set_offset[p, 1]
    if written:
        for p in range(start, stop):
            for axis in range(2):
                original[p, axis] = rest_offset[p, axis]
                play[p, axis] = 0.0


@kernel
def fitted(
    start: int, stop: int, position: np.ndarray, mass: np.ndarray, offset: np.ndarray
) -> tuple[float, float, float, float, float, float, float]:
    """Fit a rest shape (offset, (N, 2) [m]) to the particles [start, stop), moved and turned.

    Return the centre of mass (x, y) [m], the centre of the offsets [m], cosine and sine of the
    rotation, and the root mean square radius of the offsets [m]. A fixed particle (infinite mass)
    counts as 1 kg.
    """
    total = 0.0
    x = 0.0
    y = 0.0
    ox = 0.0
    oy = 0.0
    for p in range(start, stop):
        m = mass[p] if mass[p] < math.inf else 1.0
        total += m
        x += m * position[p, 0]
        y += m * position[p, 1]
        ox += m * offset[p, 0]
        oy += m * offset[p, 1]
    x = x / total
    y = y / total
    ox = ox / total
    oy = oy / total
    cross = 0.0
    dot = 0.0
    inertia = 0.0
    for p in range(start, stop):
        m = mass[p] if mass[p] < math.inf else 1.0
        dx = position[p, 0] - x
        dy = position[p, 1] - y
        rx = offset[p, 0] - ox
        ry = offset[p, 1] - oy
        cross += m * (rx * dy - ry * dx)
        dot += m * (rx * dx + ry * dy)
        inertia += m * (rx * rx + ry * ry)
    length = hypot(cross, dot)
    cosine, sine = (dot / length, cross / length) if length > 0.0 else (1.0, 0.0)
    return x, y, ox, oy, cosine, sine, math.sqrt(inertia / total)


@kernel
def area_share(
    start: int, stop: int, mass: np.ndarray, offset: np.ndarray, play: np.ndarray, scale: float
) -> float:
    """Return the area of the shape offset + scale · play over the area of the shape offset.

    The ratio is the determinant of the linear map M that takes the offsets r to the new places p
    best: M = (Σ m p rᵀ) (Σ m r rᵀ)⁻¹.
    """
    total = 0.0
    ox = 0.0
    oy = 0.0
    for p in range(start, stop):
        m = mass[p] if mass[p] < math.inf else 1.0
        total += m
        ox += m * offset[p, 0]
        oy += m * offset[p, 1]
    ox = ox / total
    oy = oy / total
    a = 0.0
    b = 0.0
    c = 0.0
    xx = 0.0
    xy = 0.0
    yx = 0.0
    yy = 0.0
    for p in range(start, stop):
        m = mass[p] if mass[p] < math.inf else 1.0
        rx = offset[p, 0] - ox
        ry = offset[p, 1] - oy
        px = rx + scale * play[p, 0]
        py = ry + scale * play[p, 1]
        a += m * rx * rx
        b += m * rx * ry
        c += m * ry * ry
        xx += m * px * rx
        xy += m * px * ry
        yx += m * py * rx
        yy += m * py * ry
    spread = a * c - b * b
    if spread <= 1e-12 * (a + c) * (a + c):
        return 1.0  # a line has no area to keep
    return (xx * yy - xy * yx) / spread
