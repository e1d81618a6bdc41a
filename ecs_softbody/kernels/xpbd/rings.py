"""Gas and area springs of the solver XPBD: the pressure in a ring of particles at the end of the
substep h.

With the gradients g = dA/dx of the area A at the start of the substep, its rate r = Σ g·u from the
velocities u that all forces so far will give, and W = Σ w |g|², the pressure changes from P to P'
with

    P' = P0 - (s h + d) r',     r' = r + h W (P' - P)
    =>  P' = P + (P0 - (s h + d) r - P) / (1 + (s h² + d h) W)

P0 is the pressure at the present area, s = -dP0/dA its slope and d the damping. Gas: P0 = nRT/A -
ambient, s = nRT/A², d = 0. Area: P0 = k (A0 - A)/A0, s = k/A0, d = c/A0. P starts from the last
substep. The gradients do not turn within a substep: their forces have neither a sum nor a torque.
The part left explicit, the rotation of edges under pressure, is stable while |P| h² <= LEVEL_SHARE
× m_min, the mass of the lightest particle; beyond it the pressure is cut.
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
"""Largest s h² W of gas. Where the law is steeper it goes on as its tangent, since it has to be
finite for a ring without area.
"""
LEVEL_SHARE = 1.0
"""Largest |P| h² w of the lightest particle, w: its inverse mass. As the force on a particle is
about P times an edge, none is moved by more than this times its edge in a substep.
"""

LAW = np.dtype(
    [
        ("pressure", np.float64),  # [Pa] P0
        ("slope", np.float64),  # [Pa·s/m²] s h + d
        ("share", np.float64),  # 1/(1 + (s h² + d h) W)
        ("most", np.float64),  # [Pa] the largest pressure
    ]
)
"""The pressure of a ring in a substep, pressure - slope r' at the rate r' [m²/s] of its area."""
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
    """Begin a substep of the gas of the bodies in `active`: write `law` (B,) and `area`, and add
    the forces of the pressure of the last substep, with which they start.
    """
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
    """Begin a substep of the area springs in `active`, as `begin_gas` does for gas."""
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
    """Write share and most of the law of ring b, limit the pressure of the last substep to it, and
    add its forces. ring: measures of the ring now.
    """
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
    """Solve the rings in `active` one after another: change their pressures to P', and `force` with
    them.
    """
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
