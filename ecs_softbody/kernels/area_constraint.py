"""Area spring of a ring of particles: F_i = P dA/dx_i with P = (k (A₀ - A) - c A') / A₀ and the signed area A.

    dA/dx_i = 1/2 (y_{i+1} - y_{i-1}, -(x_{i+1} - x_{i-1})),   A' = Σ dA/dx_i · v_i

The energy is k (A₀ - A)² / (2 A₀). A ring turned inside out has A < 0 and is pressed right side out again.

Saturation: with g = max_p(√w_p|g_p|) Σ√w_q|g_q| the element takes (k h² + 2 c h) g / A₀ of the stability bound. g is
the larger one of now and at rest: a cut by the present ring alone would grow as the ring shrinks, and the law would
feed energy in. The level |P| is held below share × m_min / h², since it turns and bends the ring.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.pressure_force import push_outwards

STIFFNESS_SHARE = 0.125
DAMPING_SHARE = 0.125
LEVEL_SHARE = 0.125
SATURATED_DAMPING = 0.25
"""A constraint cut to the share x of its stiffness k is damped by at least this times (1 - x) k h."""
SMALLEST_AREA = 1e-12
"""A rest area below this [m²] has no shape to keep."""


@lean
def accumulate_area_force(
    active: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    outline: np.ndarray,
    chord: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    rest_area: np.ndarray,
    orientation: np.ndarray,
    dt: float,
    force: np.ndarray,
    area: np.ndarray,
    pressure: np.ndarray,
    effective_stiffness: np.ndarray,
) -> None:
    """Add the forces of the rings b in `active`, rows [first[b], last[b]); write area, pressure and stiffness."""
    for b in active:
        if last[b] <= first[b]:
            continue
        twice_area, twice_rate, total, largest = 0.0, 0.0, 0.0, 0.0
        rest_total, rest_largest, lightest = 0.0, 0.0, 0.0
        before, here = outline[last[b] - 1], outline[first[b]]
        for row in range(first[b], last[b]):
            after = outline[row + 1] if row + 1 < last[b] else outline[first[b]]
            ex, ey = position[after, 0] - position[before, 0], position[after, 1] - position[before, 1]
            twice_area += position[here, 0] * position[after, 1] - position[here, 1] * position[after, 0]
            twice_rate += velocity[here, 0] * ey - velocity[here, 1] * ex
            root = 0.5 * math.sqrt(inverse_mass[here])
            reach, rest_reach = root * math.sqrt(ex * ex + ey * ey), root * chord[row]
            total += reach
            largest = max(largest, reach)
            rest_total += rest_reach
            rest_largest = max(rest_largest, rest_reach)
            lightest = max(lightest, inverse_mass[here])
            before, here = here, after
        area[b] = 0.5 * twice_area * orientation[b]
        if rest_area[b] < SMALLEST_AREA:
            continue
        weight = max(dt * max(largest * total, rest_largest * rest_total), 1e-300)
        stiff = min(stiffness[b], STIFFNESS_SHARE * rest_area[b] / (dt * weight))
        damp = damping[b]
        if stiff < stiffness[b]:
            damp = max(damp, SATURATED_DAMPING * (1.0 - stiff / stiffness[b]) * stiff * dt)
        damp = min(damp, DAMPING_SHARE * rest_area[b] / (2.0 * weight))
        excess = stiff * (rest_area[b] - area[b]) - damp * 0.5 * twice_rate * orientation[b]
        limit = LEVEL_SHARE / max(dt * dt * lightest, 1e-300)
        pressure[b] = min(max(excess / rest_area[b], -limit), limit)
        effective_stiffness[b] = stiff
        push_outwards(position, outline, first[b], last[b], pressure[b] * orientation[b], force)
