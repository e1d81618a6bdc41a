"""Gas and area springs of the solver XPBD: the pressure at the end of the substep.

With the gradients g = dA/dx of the start of the substep, r = Σ g·u from the velocities u that all
forces so far will give and W = Σ w |g|², the pressure P has to fulfil

    P = P0 - (s h + d) r',     r' = r + h W (P' - P)
    =>  P' = P + (P0 - (s h + d) r - P) / (1 + (s h² + d h) W)

Gas: P0 = nRT/A - ambient, s = nRT/A², d = 0. Area: P0 = k (A0 - A)/A0, s = k/A0, d = c/A0. P starts
from the last substep. The gradients do not turn within a substep: their forces have neither a sum
nor a torque. The part left explicit, the rotation of edges under pressure, is stable while |P| h²
<= share × m_min; beyond it the pressure is cut.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Integers1, Layout, Uint32s1
from ecs_softbody.kernels.forces.area_constraint import SMALLEST_AREA, AreaRings
from ecs_softbody.kernels.forces.pressure import GasRings, gas_law
from ecs_softbody.kernels.forces.rings import RingMeasure, area_rate, measure_ring, push_outwards
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry, kernel

SLOPE_SHARE = 100.0
"""The gas law goes on as its tangent where s h² W is larger: it has to be finite for a ring without
area.
"""
LEVEL_SHARE = 1.0
"""No pressure moves the lightest particle by more than this times its edge in a substep."""

LAW = np.dtype(
    [
        ("pressure", np.float64),  # [Pa] P0
        ("slope", np.float64),  # [Pa·s/m²] s h
        ("share", np.float64),  # 1/(1 + s h² W)
        ("most", np.float64),  # [Pa] the largest pressure
    ]
)
"""The pressure of a ring in a substep, P0 - s h A' at a rate A' of its area."""
Laws = Annotated[np.ndarray, Layout(LAW, 1)]


class Rings(NamedTuple):
    """Common columns of gas and area springs, (B,) each; ring b has the rows [first[b], last[b]) of
    the outline.
    """

    first: Uint32s1
    last: Uint32s1
    orientation: Floats1  # +1 for a ring that runs counter-clockwise at rest, else -1
    pressure: Floats1  # [Pa], from one substep to the next


@entry
def begin_gas(
    active: Integers1, outline: Uint32s1, gas: GasRings, motion: Motion, dt: float, law: Laws
) -> None:
    """Write `law` (B,) of the bodies in `active`. Start from the last pressure."""
    first = gas.first
    last = gas.last
    area = gas.area
    for b in active:
        if last[b] <= first[b]:
            continue
        ring = measure_ring(motion, outline, first[b], last[b])
        area[b] = ring.signed_area * gas.orientation[b]
        steepest = SLOPE_SHARE / max(dt * dt * ring.mobility, 1e-300)
        amount = gas.nRT[b] * gas.gas_share[b]
        law[b]["pressure"] = gas_law(area[b], amount, steepest)
        law[b]["slope"] = dt * min(
            amount / (area[b] * area[b]) if area[b] > 0.0 else steepest, steepest
        )
        if gas.ambient_pressure[b] > 0.0:
            law[b]["pressure"] -= gas_law(gas.nRT[b] / gas.ambient_pressure[b], amount, steepest)
        start_ring(
            b, outline, Rings(first, last, gas.orientation, gas.pressure), ring, motion, dt, law
        )


@entry
def begin_areas(
    active: Integers1, outline: Uint32s1, areas: AreaRings, motion: Motion, dt: float, law: Laws
) -> None:
    """Write `law` (B,) of the rings in `active`; damping d adds to the slope."""
    first = areas.first
    last = areas.last
    area = areas.area
    for b in active:
        if last[b] <= first[b]:
            continue
        ring = measure_ring(motion, outline, first[b], last[b])
        area[b] = ring.signed_area * areas.orientation[b]
        law[b]["pressure"] = 0.0
        law[b]["slope"] = 0.0
        if areas.rest_area[b] >= SMALLEST_AREA:
            law[b]["pressure"] = (
                areas.stiffness[b] * (areas.rest_area[b] - area[b]) / areas.rest_area[b]
            )
            law[b]["slope"] = (areas.stiffness[b] * dt + areas.damping[b]) / areas.rest_area[b]
        start_ring(
            b, outline, Rings(first, last, areas.orientation, areas.pressure), ring, motion, dt, law
        )


@kernel
def start_ring(
    b: int,
    outline: np.ndarray,
    rings: Rings,
    ring: RingMeasure,
    motion: Motion,
    dt: float,
    law: np.ndarray,
) -> None:
    """Finish the law of ring b, and add the force of the pressure that it had."""
    pressure = rings.pressure
    law[b]["share"] = 1.0 / (1.0 + law[b]["slope"] * dt * ring.mobility)
    law[b]["most"] = LEVEL_SHARE / max(dt * dt * ring.inverse_mass, 1e-300)
    start = pressure[b] if math.isfinite(pressure[b]) else 0.0
    pressure[b] = min(max(start, -law[b]["most"]), law[b]["most"])
    push_outwards(
        motion, outline, rings.first[b], rings.last[b], pressure[b] * rings.orientation[b]
    )


@entry
def sweep_rings(
    active: Integers1, outline: Uint32s1, rings: Rings, motion: Motion, dt: float, law: Laws
) -> None:
    """Solve the rings in `active`, one after another."""
    pressure = rings.pressure
    for b in active:
        first = rings.first[b]
        last = rings.last[b]
        orientation = rings.orientation[b]
        if last <= first:
            continue
        rate = area_rate(motion, outline, first, last, dt) * orientation
        asked = (
            pressure[b]
            + (law[b]["pressure"] - law[b]["slope"] * rate - pressure[b]) * law[b]["share"]
        )
        asked = min(max(asked, -law[b]["most"]), law[b]["most"])
        push_outwards(motion, outline, first, last, (asked - pressure[b]) * orientation)
        pressure[b] = asked
