"""Explosion: a blow away from a center, at its full at the center and 0 at the radius R: f(d) = 1 - d / R.

By `speed`: every particle is given v f(d) outwards. By `impulse` J [N·s/m²]: an edge of length L whose outward normal n
looks at the center takes J f(d) L |n·r|, along the way r from the center to its middle; each end takes half of it. From
inside of a ring all edges are met. A disc of radius a takes J f(d) 2 a.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.outline import grown_corner, turn_of_ring


@lean
def push(
    p: int, blow: float, rx: float, ry: float, speed_limit: float, velocity: np.ndarray, moved: np.ndarray
) -> None:
    """Add a velocity to a particle, and note that it has changed."""
    vx, vy = velocity[p, 0] + blow * rx, velocity[p, 1] + blow * ry
    size = math.hypot(vx, vy)
    kept = speed_limit / size if size > speed_limit else 1.0
    velocity[p, 0], velocity[p, 1] = kept * vx, kept * vy
    moved[p] = True


@lean
def blow_at(
    p: int, x: float, y: float, radius: float, speed: float, impulse: float, width: np.ndarray, place: np.ndarray,
    inverse_mass: np.ndarray, open_to: np.ndarray, speed_limit: float, velocity: np.ndarray, moved: np.ndarray,
) -> None:  # fmt: skip
    """Push a particle by a speed, and by an impulse on its width (N,) [m]."""
    rx, ry = place[p, 0] - x, place[p, 1] - y
    d = math.sqrt(rx * rx + ry * ry)
    if 0.0 < d < radius and open_to[p] and inverse_mass[p] > 0.0:
        blow = (1.0 - d / radius) * (speed + impulse * width[p] * inverse_mass[p])
        if blow != 0.0:
            push(p, blow, rx / d, ry / d, speed_limit, velocity, moved)


@lean
def blow_on_edges(
    x: float, y: float, radius: float, impulse: float, place: np.ndarray, inverse_mass: np.ndarray,
    points: np.ndarray, first: int, last: int, closed: bool, inside: bool, skin: float, turn: float,
    open_to: np.ndarray, speed_limit: float, velocity: np.ndarray, moved: np.ndarray,
) -> None:  # fmt: skip
    """Push the ends of the edges of an outline."""
    ax, ay = grown_corner(place, points, first, last, first, skin)
    for k in range(first, last if closed else last - 1):
        after = k + 1 if k + 1 < last else first
        bx, by = grown_corner(place, points, first, last, after, skin)
        rx, ry = 0.5 * (ax + bx) - x, 0.5 * (ay + by) - y
        d = math.sqrt(rx * rx + ry * ry)
        if 0.0 < d < radius:
            facing = -turn * ((by - ay) * rx - (bx - ax) * ry) / d  # L n·r, towards the center above 0
            if not closed or inside:
                facing = abs(facing)
            blow = 0.5 * impulse * (1.0 - d / radius) * max(facing, 0.0)
            for p in (points[k], points[after]):
                if blow > 0.0 and open_to[p] and inverse_mass[p] > 0.0:
                    push(p, blow * inverse_mass[p], rx / d, ry / d, speed_limit, velocity, moved)
        ax, ay = bx, by


@lean
def encloses(x: float, y: float, place: np.ndarray, points: np.ndarray, first: int, last: int) -> bool:
    """Tell whether a point is inside a ring, by the even-odd rule."""
    inside = False
    before = points[last - 1]
    for k in range(first, last):
        here = points[k]
        if (place[before, 1] > y) != (place[here, 1] > y):
            share = (y - place[before, 1]) / (place[here, 1] - place[before, 1])
            if x < place[before, 0] + share * (place[here, 0] - place[before, 0]):
                inside = not inside
        before = here
    return inside


@lean
def explode(
    x: float,
    y: float,
    radius: float,
    speed: float,
    impulse: float,
    place: np.ndarray,
    inverse_mass: np.ndarray,
    width: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    skin: np.ndarray,
    particle_first: np.ndarray,
    particle_last: np.ndarray,
    wanted: np.ndarray,
    open_to: np.ndarray,
    speed_limit: float,
    velocity: np.ndarray,
    moved: np.ndarray,
) -> None:
    """Push the bodies s that are `wanted`, at the particles `open_to` (N,) it; width (N,): diameters of discs [m]."""
    for s in range(first.shape[0]):
        if not wanted[s] or first[s] == last[s]:
            continue
        if ringed[s] and impulse != 0.0:
            turn = turn_of_ring(place, points, first[s], last[s]) if closed[s] else 1.0
            inside = closed[s] and encloses(x, y, place, points, first[s], last[s])
            blow_on_edges(
                x, y, radius, impulse, place, inverse_mass, points, first[s], last[s], closed[s], inside,
                turn * skin[s] if closed[s] else 0.0, turn, open_to, speed_limit, velocity, moved,
            )  # fmt: skip
        for p in range(particle_first[s], particle_last[s]):
            blow_at(
                p, x, y, radius, speed, 0.0 if ringed[s] else impulse, width, place, inverse_mass, open_to, speed_limit,
                velocity, moved,
            )  # fmt: skip
