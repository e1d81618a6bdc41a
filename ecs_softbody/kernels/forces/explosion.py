"""Explosion: a blow away from a center, at its full at the center and 0 at the radius R: f(d) = 1 -
d / R.

By `speed`: every particle is given v f(d) outwards. By `impulse` J [N·s/m²]: an edge of length L
whose outward normal n looks at the center takes J f(d) L |n·r|, along the way r from the center to
its middle; each end takes half of it. From inside of a ring all edges are met. A disc of radius a
takes J f(d) 2 a.
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Uint32s1
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines
from ecs_softbody.geometry.polygon import is_inside, orientation
from ecs_softbody.geometry.ring import grown_corner
from ecs_softbody.parallel.compiling import entry, kernel


class Blast(NamedTuple):
    """An explosion: center and radius [m], speed [m/s], impulse [N·s/m²], and the limit of all
    speeds [m/s].
    """

    x: float
    y: float
    radius: float
    speed: float
    impulse: float
    speed_limit: float


class Blown(NamedTuple):
    """Columns (N,) or (N, 2) of the particles; width: of a disc [m], open_to: whether the blast can
    reach it.
    """

    position: Floats2
    velocity: Floats2
    inverse_mass: Floats1
    width: Floats1
    open_to: Flags1
    moved: Flags1


class BlownBodies(NamedTuple):
    """Columns (S,) of the bodies; body s has the particles [particle_first[s],
    particle_last[s]).
    """

    wanted: Flags1
    skin: Floats1
    particle_first: Uint32s1
    particle_last: Uint32s1


@kernel
def add_velocity(p: int, dvx: float, dvy: float, speed_limit: float, particles: Blown) -> None:
    """Add to the velocity of a particle, up to the speed limit, and note that it has changed."""
    velocity = particles.velocity
    vx = velocity[p, 0] + dvx
    vy = velocity[p, 1] + dvy
    size = hypot(vx, vy)
    kept = speed_limit / size if size > speed_limit else 1.0
    velocity[p, 0] = kept * vx
    velocity[p, 1] = kept * vy
    particles.moved[p] = True


@kernel
def push_particle(p: int, blast: Blast, impulse: float, particles: Blown) -> None:
    """Push a particle by the speed of the blast, and by an impulse on its width."""
    rx = particles.position[p, 0] - blast.x
    ry = particles.position[p, 1] - blast.y
    inverse_mass = particles.inverse_mass[p]
    d = math.sqrt(rx * rx + ry * ry)
    if 0.0 < d < blast.radius and particles.open_to[p] and inverse_mass > 0.0:
        blow = (1.0 - d / blast.radius) * (
            blast.speed + impulse * particles.width[p] * inverse_mass
        )
        if blow != 0.0:
            add_velocity(p, blow * (rx / d), blow * (ry / d), blast.speed_limit, particles)


@kernel
def push_edges(s: int, blast: Blast, particles: Blown, outlines: Outlines, skin: float) -> None:
    """Push the ends of the edges of outline s."""
    position = particles.position
    points = outlines.points
    first = outlines.first[s]
    last = outlines.last[s]
    closed = outlines.kind[s] >= LOOP
    turn = orientation(position, points, first, last) if closed else 1.0
    both_sides = not closed or is_inside(blast.x, blast.y, position, points, first, last)
    grown = turn * skin if closed else 0.0
    ax, ay = grown_corner(position, points, first, last, first, grown)
    for k in range(first, last if closed else last - 1):
        after = k + 1 if k + 1 < last else first
        bx, by = grown_corner(position, points, first, last, after, grown)
        rx = 0.5 * (ax + bx) - blast.x
        ry = 0.5 * (ay + by) - blast.y
        d = math.sqrt(rx * rx + ry * ry)
        if 0.0 < d < blast.radius:
            # `facing` is the length of the edge times n·r / d, above 0 where it faces the centre.
            facing = -turn * ((by - ay) * rx - (bx - ax) * ry) / d
            if both_sides:
                facing = abs(facing)
            blow = 0.5 * blast.impulse * (1.0 - d / blast.radius) * max(facing, 0.0)
            for p in (points[k], points[after]):
                inverse_mass = particles.inverse_mass[p]
                if blow > 0.0 and particles.open_to[p] and inverse_mass > 0.0:
                    size = blow * inverse_mass
                    add_velocity(p, size * (rx / d), size * (ry / d), blast.speed_limit, particles)
        ax = bx
        ay = by


@entry
def explode(blast: Blast, particles: Blown, outlines: Outlines, bodies: BlownBodies) -> None:
    """Push the wanted bodies."""
    for s in range(outlines.first.shape[0]):
        if not bodies.wanted[s] or outlines.first[s] == outlines.last[s]:
            continue
        has_edges = outlines.kind[s] != DISCS
        if has_edges and blast.impulse != 0.0:
            push_edges(s, blast, particles, outlines, bodies.skin[s])
        for p in range(bodies.particle_first[s], bodies.particle_last[s]):
            push_particle(p, blast, 0.0 if has_edges else blast.impulse, particles)
