"""Explosion: changes the velocities of particles once, when a game sets off a blast. The blow is
directed away from a center and falls linearly from 1 there to 0 at the radius R: f(d) = 1 - d / R.

It is given by a speed, by an impulse, or by both. By `speed` v: every particle gets v f(d)
outwards, at any mass. By `impulse` J [N·s/m, on each metre of an outline]: an edge of length L
whose outward normal n looks at the center takes J f(d) L |n·r|, along the unit vector r from the
center to its middle; each end takes half of it. If the center is inside of a ring, all edges are
met. A disc of radius a takes J f(d) 2 a.
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
    """An explosion."""

    x: float
    y: float  # Center [m]
    radius: float  # R [m]
    speed: float  # v [m/s]
    impulse: float  # J [N·s/m]
    speed_limit: float  # No particle gets faster [m/s]


class Blown(NamedTuple):
    """Inputs and outputs of a blast, for all particles, N rows."""

    position: Floats2  # (N, 2) [m]
    velocity: Floats2  # (N, 2) [m/s], written
    inverse_mass: Floats1  # (N,) [1/kg]
    width: Floats1  # (N,) diameter of a disc [m]
    open_to: Flags1  # (N,) whether the blast can reach it: no wall is between
    moved: Flags1  # (N,) written: whether the blast has moved it


class BlownBodies(NamedTuple):
    """Columns (S,) of the bodies; body s has the particles [particle_first[s],
    particle_last[s]).
    """

    wanted: Flags1  # Whether the blast acts on the body
    skin: Floats1  # Distance from the outline to the surface [m]
    particle_first: Uint32s1
    particle_last: Uint32s1


@kernel
def add_velocity(p: int, dvx: float, dvy: float, speed_limit: float, particles: Blown) -> None:
    """Add (dvx, dvy) [m/s] to the velocity of particle p, up to the speed limit; mark it in
    `moved`.
    """
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
    """Push particle p by the speed of the blast, and by an impulse [N·s/m] on its width."""
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
    """Push the ends of all edges of outline s by the impulse of the blast; skin [m]."""
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
    """Give the bodies that are `wanted` the velocities of the blast. A body with edges takes the
    impulse at its edges, a body of discs at each disc; the speed acts on every particle.
    """
    for s in range(outlines.first.shape[0]):
        if not bodies.wanted[s] or outlines.first[s] == outlines.last[s]:
            continue
        has_edges = outlines.kind[s] != DISCS
        if has_edges and blast.impulse != 0.0:
            push_edges(s, blast, particles, outlines, bodies.skin[s])
        for p in range(bodies.particle_first[s], bodies.particle_last[s]):
            push_particle(p, blast, 0.0 if has_edges else blast.impulse, particles)
