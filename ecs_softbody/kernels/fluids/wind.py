"""Wind: the force of air on the outlines of bodies. An edge of length L and normal n feels F = ½ ρ
c L |u·n| (u·n) n, where u is the velocity of the wind relative to the edge, ρ the density of the
air and c the drag coefficient.

Each end of the edge carries half of it. It is added up as a resistance (resistance.py), implicit in
the velocity at the end of the substep, with the factor |u·n| at its start: still air exerts no
force on particles at rest. A disc of radius r feels ½ ρ c (8/3) r |u| u, as a circle of small edges
would.
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Uint32s1
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines
from ecs_softbody.geometry.polygon import orientation
from ecs_softbody.geometry.ring import catching_share, grown_corner
from ecs_softbody.kernels.fluids.resistance import (
    ROUND,
    FluidBodies,
    FluidParticles,
    Resistance,
    normal_speed,
    resist_all_round,
    resist_along,
)
from ecs_softbody.parallel.compiling import entry, kernel


class Winds(NamedTuple):
    """Values of all winds, W of them."""

    velocity: Floats2  # (W, 2) [m/s]
    density: Floats1  # (W,) ρ [kg/m³]
    drag: Floats1  # (W,) c
    low: Floats2  # (W, 2): lower left corner of the region [m]
    high: Floats2  # (W, 2): upper right corner [m]
    mask: Uint32s1  # (W,): bits of the categories that feel it


class Gust(NamedTuple):
    """One wind."""

    velocity: tuple[float, float]  # [m/s]
    pressure: float  # ½ ρ c [kg/m³], the pressure over the square of the speed
    left: float
    bottom: float
    right: float
    top: float  # Of the region in which it blows [m]


@kernel
def blow_on_disc(p: int, gust: Gust, particles: FluidParticles, resistance: Resistance) -> None:
    """Add the resistance of a particle that is a disc."""
    x = particles.position[p, 0]
    y = particles.position[p, 1]
    velocity = particles.velocity
    if gust.left <= x <= gust.right and gust.bottom <= y <= gust.top:
        ux = gust.velocity[0] - velocity[p, 0]
        uy = gust.velocity[1] - velocity[p, 1]
        strength = gust.pressure * ROUND * particles.radius[p] * math.sqrt(ux * ux + uy * uy)
        resist_all_round(p, strength, gust.velocity, resistance)


@kernel
def blow_on_edge(
    i: int,
    j: int,
    edge: tuple[float, float, float, float],
    gust: Gust,
    particles: FluidParticles,
    resistance: Resistance,
) -> None:
    """Add the resistance of the edge (ax, ay, bx, by) [m] between the particles i and j, if its
    middle is in the region. The edge is moved out from its particles by the skin.
    """
    ax, ay, bx, by = edge
    x = 0.5 * (ax + bx)
    y = 0.5 * (ay + by)
    length = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
    if length > 0.0 and gust.left <= x <= gust.right and gust.bottom <= y <= gust.top:
        nx = (by - ay) / length
        ny = (ax - bx) / length
        speed = normal_speed(i, j, nx, ny, gust.velocity, particles.velocity)
        strength = (
            0.5
            * gust.pressure
            * length
            * catching_share(length, particles.rest_offset, i, j)
            * speed
        )
        resist_along(i, strength, nx, ny, gust.velocity, resistance)
        resist_along(j, strength, nx, ny, gust.velocity, resistance)


@kernel
def blow_on_body(
    s: int,
    gust: Gust,
    particles: FluidParticles,
    outlines: Outlines,
    skin: float,
    resistance: Resistance,
) -> None:
    """Add the resistance of the discs or edges of body s to one wind. skin [m]."""
    position = particles.position
    points = outlines.points
    first = outlines.first[s]
    last = outlines.last[s]
    if outlines.kind[s] == DISCS:
        for k in range(first, last):
            blow_on_disc(points[k], gust, particles, resistance)
        return
    closed = outlines.kind[s] >= LOOP
    margin = skin * orientation(position, points, first, last) if closed else 0.0
    ax, ay = grown_corner(position, points, first, last, first, margin)
    for k in range(first, last if closed else last - 1):
        after = k + 1 if k + 1 < last else first
        bx, by = grown_corner(position, points, first, last, after, margin)
        blow_on_edge(points[k], points[after], (ax, ay, bx, by), gust, particles, resistance)
        ax = bx
        ay = by


@entry
def accumulate_wind(
    active: Integers1,
    particles: FluidParticles,
    outlines: Outlines,
    bodies: FluidBodies,
    winds: Winds,
    resistance: Resistance,
) -> None:
    """Add the resistance of the bodies in `active` to all winds to `resistance`. Water and drag add
    to it, too, and it is applied later.
    """
    wind = winds.velocity
    low = winds.low
    high = winds.high
    for s in active:
        for b in range(wind.shape[0]):
            wx = wind[b, 0]
            wy = wind[b, 1]
            half = 0.5 * winds.density[b] * winds.drag[b]
            if (
                half == 0.0
                or bodies.category[s] & winds.mask[b] == 0
                or not abs(wx) + abs(wy) < math.inf
            ):
                continue
            gust = Gust((wx, wy), half, low[b, 0], low[b, 1], high[b, 0], high[b, 1])
            blow_on_body(s, gust, particles, outlines, bodies.skin[s], resistance)
