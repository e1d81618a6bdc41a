"""Buoyancy: every body in every water; what water does to an outline is in water.py.

The resistance of water adds to that of air, which wind.py has written, and both act here.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.outline import turn_of_ring
from ecs_softbody.kernels.resistance import add_resistance, resist_all_round
from ecs_softbody.kernels.water import EXPLICIT_SHARE, press_disc, press_ring


@lean
def is_near(
    place: np.ndarray, points: np.ndarray, first: int, last: int, reach: float, level: float, left: float, right: float
) -> bool:
    """Tell whether the box around points[first:last] is less than `reach` [m] away from the water."""
    low_x, high_x, low_y = math.inf, -math.inf, math.inf
    for k in range(first, last):
        x, y = place[points[k], 0], place[points[k], 1]
        low_x, high_x, low_y = min(low_x, x), max(high_x, x), min(low_y, y)
    return low_y < level + reach and high_x > left - reach and low_x < right + reach


@lean
def largest_reach(radius: np.ndarray, points: np.ndarray, first: int, last: int) -> float:
    """Return the largest radius of points[first:last]."""
    largest = 0.0
    for k in range(first, last):
        largest = max(largest, radius[points[k]])
    return largest


@lean
def length_of_rope(place: np.ndarray, points: np.ndarray, first: int, last: int, k: int) -> float:
    """Return the half of both neighbouring edges of an open chain [m]."""
    here, length = points[k], 0.0
    for other in (k - 1, k + 1):
        if first <= other < last:
            dx, dy = place[points[other], 0] - place[here, 0], place[points[other], 1] - place[here, 1]
            length += 0.5 * math.sqrt(dx * dx + dy * dy)
    return length


@lean
def take_off(first: int, last: int, inverse_mass: np.ndarray, astray: float, force: np.ndarray) -> None:
    """Take a force in x off the particles [first, last), in proportion to their masses."""
    total = 0.0
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            total += 1.0 / inverse_mass[p]
    for p in range(first, last):
        if inverse_mass[p] > 0.0:
            force[p, 0] -= astray / (inverse_mass[p] * total)


@lean
def accumulate_buoyancy(
    active: np.ndarray,
    position: np.ndarray,
    rest: np.ndarray,
    velocity: np.ndarray,
    radius: np.ndarray,
    inverse_mass: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    skin: np.ndarray,
    category: np.ndarray,
    particle_first: np.ndarray,
    particle_last: np.ndarray,
    level: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    bottom: np.ndarray,
    density: np.ndarray,
    drag: np.ndarray,
    linear_drag: np.ndarray,
    flow: np.ndarray,
    mask: np.ndarray,
    gravity_y: float,
    dt: float,
    resistance: np.ndarray,
    carried: np.ndarray,
    stiffness: np.ndarray,
    force: np.ndarray,
    submerged_area: np.ndarray,
) -> None:
    """Add lift and drag of the waters (W,), and the drag of air, to `force`; write the area of each body under water.

    Body s, of those in `active`, goes through points[first[s]:last[s]]. resistance (N, 3) and carried (N, 2) hold what
    air has written; stiffness (N,) is room to work in.
    """
    for s in active:
        submerged_area[s] = 0.0
        stiffness[particle_first[s] : particle_last[s]] = 0.0
        solid, wet = ringed[s] and closed[s], False
        for b in range(level.shape[0]):
            if density[b] == 0.0 or category[s] & mask[b] == 0 or first[s] == last[s]:
                continue
            if not abs(flow[b, 0]) + abs(flow[b, 1]) < math.inf:
                continue
            reach = 3.0 * skin[s] if solid else largest_reach(radius, points, first[s], last[s])
            if not is_near(position, points, first[s], last[s], reach, level[b], left[b], right[b]):
                continue
            wet, weight, astray = True, -density[b] * gravity_y, 0.0
            if solid:
                turn = turn_of_ring(position, points, first[s], last[s])
                area, astray = press_ring(
                    position, rest, velocity, points, first[s], last[s], turn * skin[s], turn, level[b], left[b],
                    right[b], bottom[b], weight, density[b], drag[b], linear_drag[b], flow[b, 0], flow[b, 1],
                    resistance, carried, stiffness, force,
                )  # fmt: skip
                submerged_area[s] += area
            else:
                for k in range(first[s], last[s]):
                    length = length_of_rope(position, points, first[s], last[s], k) if ringed[s] else 0.0
                    submerged_area[s] += press_disc(
                        points[k], position, velocity, radius, length, level[b], left[b], right[b], bottom[b], weight,
                        density[b], drag[b], linear_drag[b], flow[b, 0], flow[b, 1], resistance, carried, stiffness,
                        force,
                    )  # fmt: skip
            if astray != 0.0:
                take_off(particle_first[s], particle_last[s], inverse_mass, astray, force)
        if wet:
            for p in range(particle_first[s], particle_last[s]):
                if inverse_mass[p] > 0.0:
                    over = stiffness[p] - EXPLICIT_SHARE / (dt * dt * inverse_mass[p])
                    resist_all_round(p, dt * max(over, 0.0), 0.0, 0.0, resistance, carried)
        add_resistance(particle_first[s], particle_last[s], velocity, inverse_mass, resistance, carried, dt, force)
