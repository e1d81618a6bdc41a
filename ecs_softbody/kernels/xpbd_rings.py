"""Gas and area springs of the solver XPBD: the pressure that the end of the substep will ask for.

With the gradients g = dA/dx of the start of the substep, r = Σ g·u from the velocities u that all forces so far will
give and W = Σ w |g|², the pressure P has to fulfil

    P = P0 - (s h + d) r',     r' = r + h W (P' - P)    =>    P' = P + (P0 - (s h + d) r - P) / (1 + (s h² + d h) W)

Gas: P0 = nRT/A - ambient, s = nRT/A², d = 0. Area: P0 = k (A0 - A)/A0, s = k/A0, d = c/A0. P starts from the substep
before. The gradients do not turn within a substep: their forces have neither a sum nor a torque. What this leaves
explicit, the turning of edges under pressure, is stable while |P| h² <= share × m_min; beyond it the pressure is cut.
"""

import math

import numpy as np

from ecs_softbody.kernels.area_constraint import SMALLEST_AREA
from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.pressure_force import gas_law, push_outwards

SLOPE_SHARE = 100.0
"""The gas law goes on as its tangent where s h² W is larger: it has to be finite for a ring without area."""
LEVEL_SHARE = 0.5
"""No pressure moves the lightest particle by more than this times its edge in a substep."""


@lean
def measure_ring(
    position: np.ndarray, inverse_mass: np.ndarray, outline: np.ndarray, first: int, last: int
) -> tuple[float, float, float]:
    """Return the signed area of the ring outline[first:last], W, and the largest inverse mass."""
    twice_area, weight, lightest = 0.0, 0.0, 0.0
    before, here = outline[last - 1], outline[first]
    for row in range(first, last):
        after = outline[row + 1] if row + 1 < last else outline[first]
        twice_area += position[here, 0] * position[after, 1] - position[here, 1] * position[after, 0]
        ex, ey = position[after, 0] - position[before, 0], position[after, 1] - position[before, 1]
        weight += 0.25 * inverse_mass[here] * (ex * ex + ey * ey)
        lightest = max(lightest, inverse_mass[here])
        before, here = here, after
    return 0.5 * twice_area, weight, lightest


@lean
def begin_gas(
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
    law: np.ndarray,
    force: np.ndarray,
    area: np.ndarray,
    pressure: np.ndarray,
) -> None:
    """Write `law` (S, 4) of the bodies in `active`: P0, s h, 1/(1 + s h² W), largest P. Start from the last P."""
    for b in active:
        if last[b] <= first[b]:
            continue
        signed, weight, lightest = measure_ring(position, inverse_mass, outline, first[b], last[b])
        area[b] = signed * orientation[b]
        steepest = SLOPE_SHARE / max(dt * dt * weight, 1e-300)
        amount = gas[b] * gas_share[b]
        law[b, 0] = gas_law(area[b], amount, steepest)
        law[b, 1] = dt * min(amount / (area[b] * area[b]) if area[b] > 0.0 else steepest, steepest)
        if ambient_pressure[b] > 0.0:
            law[b, 0] -= gas_law(gas[b] / ambient_pressure[b], amount, steepest)
        start_ring(position, outline, first[b], last[b], orientation[b], weight, lightest, dt, law, b, pressure, force)


@lean
def begin_areas(
    active: np.ndarray,
    position: np.ndarray,
    inverse_mass: np.ndarray,
    outline: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    rest_area: np.ndarray,
    orientation: np.ndarray,
    dt: float,
    law: np.ndarray,
    force: np.ndarray,
    area: np.ndarray,
    pressure: np.ndarray,
) -> None:
    """Write `law` (S, 4) of the rings in `active`: P0, s h + d, 1/(1 + (s h² + d h) W), largest P."""
    for b in active:
        if last[b] <= first[b]:
            continue
        signed, weight, lightest = measure_ring(position, inverse_mass, outline, first[b], last[b])
        area[b] = signed * orientation[b]
        law[b, 0] = law[b, 1] = 0.0
        if rest_area[b] >= SMALLEST_AREA:
            law[b, 0] = stiffness[b] * (rest_area[b] - area[b]) / rest_area[b]
            law[b, 1] = (stiffness[b] * dt + damping[b]) / rest_area[b]
        start_ring(position, outline, first[b], last[b], orientation[b], weight, lightest, dt, law, b, pressure, force)


@lean
def start_ring(
    position: np.ndarray,
    outline: np.ndarray,
    first: int,
    last: int,
    orientation: float,
    weight: float,
    lightest: float,
    dt: float,
    law: np.ndarray,
    b: int,
    pressure: np.ndarray,
    force: np.ndarray,
) -> None:
    """Finish the law of ring b, and add the force of the pressure that it had."""
    law[b, 2] = 1.0 / (1.0 + law[b, 1] * dt * weight)
    law[b, 3] = LEVEL_SHARE / max(dt * dt * lightest, 1e-300)
    start = pressure[b] if math.isfinite(pressure[b]) else 0.0
    pressure[b] = min(max(start, -law[b, 3]), law[b, 3])
    push_outwards(position, outline, first, last, pressure[b] * orientation, force)


@lean
def sweep_rings(
    active: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    inverse_mass: np.ndarray,
    outline: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    orientation: np.ndarray,
    law: np.ndarray,
    dt: float,
    force: np.ndarray,
    pressure: np.ndarray,
) -> None:
    """Solve the rings in `active`, one after another."""
    for b in active:
        if last[b] <= first[b]:
            continue
        rate = 0.0
        before, here = outline[last[b] - 1], outline[first[b]]
        for row in range(first[b], last[b]):
            after = outline[row + 1] if row + 1 < last[b] else outline[first[b]]
            ex, ey = position[after, 0] - position[before, 0], position[after, 1] - position[before, 1]
            w = dt * inverse_mass[here]
            rate += (velocity[here, 0] + w * force[here, 0]) * ey - (velocity[here, 1] + w * force[here, 1]) * ex
            before, here = here, after
        asked = pressure[b] + (law[b, 0] - law[b, 1] * 0.5 * rate * orientation[b] - pressure[b]) * law[b, 2]
        asked = min(max(asked, -law[b, 3]), law[b, 3])
        push_outwards(position, outline, first[b], last[b], (asked - pressure[b]) * orientation[b], force)
        pressure[b] = asked
