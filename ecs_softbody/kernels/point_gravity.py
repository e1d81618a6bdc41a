"""Pull of points: a = s S / d^n towards the point, s the gravity scale of the body; -F at the body that is the point.

Nearer than the core ℓ the pull shrinks in proportion to d, s S d / ℓ^(n+1). ℓ is the least distance, or what a substep
of length h can carry: with the mass M of the body that is the point and the mass m of all that it pulls,
|s S| h² (1 + m/M) / ℓ^(n+1) <= CORE_SHARE. Outside of the core the law is exact.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

CORE_SHARE = 0.1
"""Of the stability bound 4; springs leave 0.2 of it to what is not an element of theirs."""


@lean
def find_center(first: int, last: int, position: np.ndarray, mass: np.ndarray, center: np.ndarray) -> float:
    """Write the centre of mass of the particles [first, last) into `center` (2,); return their finite mass."""
    total, x, y = 0.0, 0.0, 0.0
    for p in range(first, last):
        if mass[p] < math.inf:
            total += mass[p]
            x += mass[p] * position[p, 0]
            y += mass[p] * position[p, 1]
    if total > 0.0:
        center[0], center[1] = x / total, y / total
    else:
        center[0], center[1] = position[first, 0], position[first, 1]
    return total


@lean
def mass_in(active: np.ndarray, inverse_mass: np.ndarray) -> float:
    """Return the mass of all that can be pulled in the spans of rows `active` (S, 2)."""
    total = 0.0
    for span in range(active.shape[0]):
        for p in range(active[span, 0], active[span, 1]):
            if inverse_mass[p] > 0.0:
                total += 1.0 / inverse_mass[p]
    return total


@lean
def accumulate_point_gravity(
    active: np.ndarray,
    position: np.ndarray,
    mass: np.ndarray,
    inverse_mass: np.ndarray,
    body: np.ndarray,
    gravity_scale: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    center: np.ndarray,
    strength: np.ndarray,
    exponent: np.ndarray,
    least_distance: np.ndarray,
    reach: np.ndarray,
    source: np.ndarray,
    dt: float,
    force: np.ndarray,
) -> None:
    """Add the pull of the points (P,) to `force` (N, 2) of the rows in the spans `active` (S, 2).

    `center` (P, 2) is where they are; where source[b], a slot of `first` and `last`, is not -1, it is the centre of
    mass of that body, written here, and the body takes the opposite force.
    """
    for b in range(strength.shape[0]):
        own, heavier = source[b], 1.0
        total = 0.0
        if own >= 0:
            total = find_center(first[own], last[own], position, mass, center[b])
            heavier += mass_in(active, inverse_mass) / total if total > 0.0 else 0.0
        cx, cy, power = center[b, 0], center[b, 1], exponent[b] + 1.0
        if strength[b] == 0.0 or not abs(cx) + abs(cy) < math.inf:
            continue
        carried = (abs(strength[b]) * dt * dt * heavier / CORE_SHARE) ** (1.0 / power)
        taken_x, taken_y = 0.0, 0.0
        for span in range(active.shape[0]):
            for p in range(active[span, 0], active[span, 1]):
                dx, dy = cx - position[p, 0], cy - position[p, 1]
                d = math.sqrt(dx * dx + dy * dy)
                if inverse_mass[p] == 0.0 or body[p] == own or d > reach[b]:
                    continue
                scale = gravity_scale[body[p]]
                core = max(least_distance[b], carried * abs(scale) ** (1.0 / power))
                pull = mass[p] * scale * strength[b] / max(d, core, 1e-30) ** power
                force[p, 0] += pull * dx
                force[p, 1] += pull * dy
                taken_x += pull * dx
                taken_y += pull * dy
        if total > 0.0:
            for p in range(first[own], last[own]):
                if mass[p] < math.inf:
                    force[p, 0] -= mass[p] / total * taken_x
                    force[p, 1] -= mass[p] / total * taken_y
