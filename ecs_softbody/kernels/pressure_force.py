"""Gas inside a ring of particles: F_i = P dA/dx_i with the signed area A and P = nRT/A - ambient.

    dA/dx_i = 1/2 (y_{i+1} - y_{i-1}, -(x_{i+1} - x_{i-1}))

the area gradient, equal to sharing pressure × edge × normal between both ends of every edge (M. Matyka, "How To
Implement a Pressure Soft Body Model", 2004), and finite for an edge of zero length.

Saturation: the slope -dP/dA is held below s = share / (h² max_p(√w_p|g_p|) Σ√w_q|g_q|). Below the area
A_c = √(nRT/s) the law goes on as its tangent, P = nRT/A_c + s (A_c - A): finite for A <= 0, and it always pushes
the area up, so that a ring turned inside out recovers. The ambient pressure is taken from the same law at the
area nRT/ambient, so that the equilibrium does not move. The level |P| is held below share × m_min / h².
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

SLOPE_SHARE = 0.125
LEVEL_SHARE = 0.125


@lean
def accumulate_pressure_force(
    active: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    outline: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    gas: np.ndarray,
    ambient_pressure: np.ndarray,
    orientation: np.ndarray,
    gas_share: np.ndarray,
    dt: float,
    force: np.ndarray,
    area: np.ndarray,
    pressure: np.ndarray,
) -> None:
    """Add the gas force of the bodies b in `active`, outline rows [first[b], last[b]); write area and pressure."""
    for b in active:
        if last[b] <= first[b]:
            continue
        twice_area, total, largest, lightest = 0.0, 0.0, 0.0, 0.0
        before, here = outline[last[b] - 1], outline[first[b]]
        for row in range(first[b], last[b]):
            after = outline[row + 1] if row + 1 < last[b] else outline[first[b]]
            twice_area += position[here, 0] * position[after, 1] - position[here, 1] * position[after, 0]
            ex, ey = position[after, 0] - position[before, 0], position[after, 1] - position[before, 1]
            reach = 0.5 * math.sqrt(inverse_mass[here] * (ex * ex + ey * ey))
            total += reach
            largest = max(largest, reach)
            lightest = max(lightest, inverse_mass[here])
            before, here = here, after
        area[b] = 0.5 * twice_area * orientation[b]
        steepest = SLOPE_SHARE / max(dt * dt * largest * total, 1e-300)
        excess = gas_law(area[b], gas[b] * gas_share[b], steepest)
        if ambient_pressure[b] > 0.0:
            excess -= gas_law(gas[b] / ambient_pressure[b], gas[b] * gas_share[b], steepest)
        limit = LEVEL_SHARE / max(dt * dt * lightest, 1e-300)
        pressure[b] = min(max(excess, -limit), limit)
        push_outwards(position, outline, first[b], last[b], pressure[b] * orientation[b], force)


@lean
def push_outwards(
    position: np.ndarray, outline: np.ndarray, first: int, last: int, pressure: float, force: np.ndarray
) -> None:
    """Add pressure × dA/dx to `force` at every row of the ring outline[first:last]."""
    before, here = outline[last - 1], outline[first]
    for row in range(first, last):
        after = outline[row + 1] if row + 1 < last else outline[first]
        force[here, 0] += 0.5 * pressure * (position[after, 1] - position[before, 1])
        force[here, 1] -= 0.5 * pressure * (position[after, 0] - position[before, 0])
        before, here = here, after


@lean
def gas_law(area: float, gas: float, steepest: float) -> float:
    """Return nRT/area, continued by its tangent where it would fall more steeply than `steepest` [Pa/m²]."""
    smallest = math.sqrt(gas / steepest)
    if area > smallest:
        return gas / area
    if smallest == 0.0:
        return 0.0
    return gas / smallest + steepest * (smallest - area)
