"""Correct: after the move, overlap is taken back, by moving positions and not by velocities.

So the push adds no energy, as one by velocities (Baumgarte) would. Overlap beyond the slop decays
by exp(-PUSH_RATE dt) in a substep, at most at FASTEST_PUSH. Moving a pair apart makes it wider: its
tangential velocity is reduced so that its angular momentum stays.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.collision.contacts.contact import ParticleArrays, Rows, Walls
from ecs_softbody.collision.contacts.materials import LEAST_SLOP
from ecs_softbody.elementary.exponential import exp
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.geometry.segment import closest_fraction
from ecs_softbody.parallel.compiling import inline

PUSH_RATE = 50.0
"""Rate [1/s] at which overlap beyond the slop decays. It is a rate and not a share of a substep, so
that balls, which have no springs, need only 1 or 2 substeps. With a share of 0.2 in each substep
pressed piles never rested: every correction was pressed back.
"""
FASTEST_PUSH = 1.0
"""Largest speed [m/s] at which overlap is taken back."""
NEXT_TO_AN_END = 1e-9
"""A contact so near the immovable end of an edge that its inverse effective mass is below this
fraction of the free end's inverse mass counts as one with that end, which cannot move: its torque
arm is 3e-5 of the edge, and its impulses grew without bound.
"""


class Correction(NamedTuple):
    """Numbers of the pass after the move, the same for all contacts of a substep."""

    fraction: float  # of an overlap, taken back in this substep
    longest: float  # most that is taken back [m]
    speed_limit: float  # of particles [m/s]


@inline
def correction_of(dt: float, speed_limit: float) -> Correction:
    """Return the numbers of a substep of dt [s]."""
    return Correction(1.0 - exp(-PUSH_RATE * dt), FASTEST_PUSH * dt, speed_limit)


@inline
def correct_discs(discs: np.ndarray, motion: ParticleArrays, rows: Rows, step: Correction) -> None:
    """Correct the active contacts of two discs: take back overlap, and keep the angular momentum
    of each pair.
    """
    position = motion.position
    velocity = motion.velocity
    radius = rows.radius
    for k in range(discs.shape[0]):
        disc = discs[k]
        p = disc["particle"]
        a = disc["other"]
        nx = disc["normal_x"]
        ny = disc["normal_y"]
        x = position[p, 0] - position[a, 0]
        y = position[p, 1] - position[a, 1]
        # Discs closer than this [m] overlap by more than the slop.
        close = radius[p] + radius[a] - LEAST_SLOP
        squared = x * x + y * y
        # Discs that passed each other in the move are pushed back to the sides of the substep's
        # normal, not apart on the wrong ones.
        side = 1.0 if x * nx + y * ny >= 0.0 else -1.0
        if squared >= close * close and side > 0.0:
            continue
        wp = disc["inverse_mass"]
        wa = disc["inverse_mass_other"]
        mass = disc["effective_mass"]
        distance = math.sqrt(squared)
        if distance > 1e-9:
            nx = side * x / distance
            ny = side * y / distance
        distance *= side
        vx = velocity[p, 0] - velocity[a, 0]
        vy = velocity[p, 1] - velocity[a, 1]
        ix = 0.0
        iy = 0.0
        push = mass * min(step.fraction * (close - distance), step.longest)
        position[p, 0] += wp * push * nx
        position[p, 1] += wp * push * ny
        position[a, 0] -= wa * push * nx
        position[a, 1] -= wa * push * ny
        if distance > 0.0:
            # The pair is wider now: its angular momentum stays if it turns more slowly.
            slower = (vx * ny - vy * nx) * push / (distance + push / mass)
            ix = -slower * ny
            iy = slower * nx
        velocity[p, 0] += wp * ix
        velocity[p, 1] += wp * iy
        velocity[a, 0] -= wa * ix
        velocity[a, 1] -= wa * iy
        limit_speed(velocity, p, step.speed_limit)
        limit_speed(velocity, a, step.speed_limit)


@inline
def correct_edges(
    edges: np.ndarray,
    records: np.ndarray,
    motion: ParticleArrays,
    walls: Walls,
    rows: Rows,
    step: Correction,
) -> None:
    """Correct the active contacts of a particle and an edge; overlap is split by inverse mass.

    records: of the contacts of the batch, CONTACT.
    """
    position = motion.position
    velocity = motion.velocity
    vertices = walls.vertices
    offset = rows.offset
    radius = rows.radius
    inverse_mass = rows.inverse_mass
    for k in range(edges.shape[0]):
        p = edges[k]["particle"]
        a = edges[k]["edge_a"]
        b = edges[k]["edge_b"]
        c = edges[k]["contact"]
        contact = records[c]
        if contact["normal_impulse"] == 0.0 and contact["separation"] > 0.0:
            continue  # it needed no impulse and has not met yet
        nx = contact["normal_x"]
        ny = contact["normal_y"]
        mass = contact["effective_mass"]
        t = contact["edge_fraction"]
        slop = contact["slop"]
        # A first test with the closest point of the substep's start; then that of now.
        x, y = difference(position, vertices, offset, p, a, b, t)
        if x * nx + y * ny > radius[p] + (1.0 - t) * radius[a] + t * radius[b] - slop:
            continue
        if a != b:
            ex, ey = difference(position, vertices, offset, b, a, a, 0.0)
            dx, dy = difference(position, vertices, offset, p, a, a, 0.0)
            t = closest_fraction(dx, dy, ex, ey)
            inverse = (
                inverse_mass[p] + (1.0 - t) * (1.0 - t) * inverse_mass[a] + t * t * inverse_mass[b]
            )
            if not inverse > NEXT_TO_AN_END * max(inverse_mass[a], inverse_mass[b]):
                continue
            mass = 1.0 / inverse
            x, y = difference(position, vertices, offset, p, a, b, t)
        distance = math.sqrt(x * x + y * y)
        side = 1.0 if x * nx + y * ny >= 0.0 else -1.0
        if distance > 1e-9:
            nx = side * x / distance
            ny = side * y / distance
        distance *= side
        overlap = radius[p] + (1.0 - t) * radius[a] + t * radius[b] - slop - distance
        vx, vy = difference(velocity, walls.vertex_velocity, offset, p, a, b, t)
        ix = 0.0
        iy = 0.0
        if overlap > 0.0 and (distance >= 0.0 or a == b or a >= offset):
            # Near an end that cannot move, the other one is moved by 1 / t of the overlap: a rope
            # that was pinned in a wall was flung metres away in a substep, and its springs turned
            # this into 800 m/s.
            farthest = mass * max(inverse_mass[p], (1.0 - t) * inverse_mass[a], t * inverse_mass[b])
            push = min(step.fraction * overlap, step.longest / max(farthest, 1.0))
            add_split(position, rows, p, a, b, t, mass * push * nx, mass * push * ny)
            if p < offset and a < offset and distance > 0.0:
                slower = mass * (vx * ny - vy * nx) * push / (distance + push)
                ix = -slower * ny
                iy = slower * nx
        if ix != 0.0 or iy != 0.0:
            add_split(velocity, rows, p, a, b, t, ix, iy)
            for row in (p, a, b):
                if row < offset:
                    limit_speed(velocity, row, step.speed_limit)


@inline
def difference(
    values: np.ndarray, of_vertices: np.ndarray, offset: int, p: int, a: int, b: int, t: float
) -> tuple[float, float]:
    """Return the value (x, y) at p minus that at the fraction t of the edge a-b.

    values (N, 2): of particles, positions or velocities; of_vertices (V, 2): of walls, whose rows
    follow from `offset` on.
    """
    if p >= offset:
        x = of_vertices[p - offset, 0]
        y = of_vertices[p - offset, 1]
    else:
        x = values[p, 0]
        y = values[p, 1]
    if a >= offset:
        x -= (1.0 - t) * of_vertices[a - offset, 0] + t * of_vertices[b - offset, 0]
        y -= (1.0 - t) * of_vertices[a - offset, 1] + t * of_vertices[b - offset, 1]
    else:
        x -= (1.0 - t) * values[a, 0] + t * values[b, 0]
        y -= (1.0 - t) * values[a, 1] + t * values[b, 1]
    return x, y


@inline
def limit_speed(velocity: np.ndarray, row: int, speed_limit: float) -> None:
    """Shorten a velocity that is above the limit [m/s]."""
    vx = velocity[row, 0]
    vy = velocity[row, 1]
    if vx * vx + vy * vy > speed_limit * speed_limit:
        speed = hypot(vx, vy)
        velocity[row, 0] *= speed_limit / speed
        velocity[row, 1] *= speed_limit / speed


@inline
def add_split(
    values: np.ndarray, rows: Rows, p: int, a: int, b: int, t: float, x: float, y: float
) -> None:
    """Add an impulse (x, y) on p, and its reaction split over a and b by 1-t and t, to the values
    (N, 2) of the rows that are particles: each changes by impulse × inverse mass.
    """
    inverse_mass = rows.inverse_mass
    if p < rows.offset:
        values[p, 0] += inverse_mass[p] * x
        values[p, 1] += inverse_mass[p] * y
    if a < rows.offset:
        values[a, 0] -= inverse_mass[a] * (1.0 - t) * x
        values[a, 1] -= inverse_mass[a] * (1.0 - t) * y
        values[b, 0] -= inverse_mass[b] * t * x
        values[b, 1] -= inverse_mass[b] * t * y
