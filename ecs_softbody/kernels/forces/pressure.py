"""Gas: the pressure of an ideal gas inside a ring of particles, e.g. of a balloon.

    F_i = P dA/dx_i,    P = nRT/A - ambient    with the signed area A (rings.py)

Pushing along the area gradient is equal to sharing pressure × edge × normal between both ends of
every edge (M. Matyka, "How To Implement a Pressure Soft Body Model", 2004), and finite for an edge
of zero length.

Stability (motion/saturation.py), in a substep h: the slope -dP/dA is held below s = SLOPE_SHARE /
(h² max_p(√w_p|g_p|) Σ√w_q|g_q|). Below the area A_c = √(nRT/s), where the law would be steeper, it
goes on as its tangent, P = nRT/A_c + s (A_c - A): finite for A <= 0, and it always pushes the area
up, so that a ring turned inside out recovers. The ambient pressure is taken from the same law at
the area nRT/ambient, so that the equilibrium does not move. The level |P|, which turns and bends
the ring, is held below level_share × m_min / h² (m_min: mass of the lightest particle).
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Integers1, Uint32s1
from ecs_softbody.kernels.forces.rings import measure_ring, push_outwards
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry, kernel

SLOPE_SHARE = 0.125
"""Share of the stability bound that the slope of the gas law may take; where the law is steeper it
goes on as its tangent.
"""
LEVEL_SHARE = 0.125
"""Least level_share, the share of the bound that the level of a ring's pressure may take; a ring
that needs more gets more, up to LARGEST_LEVEL.
"""
LARGEST_LEVEL = 1.0
"""Largest level_share."""


class GasRings(NamedTuple):
    """Values of the bodies with gas, (B,) each; body b has the rows [first[b], last[b]) of the
    outline.
    """

    first: Uint32s1
    last: Uint32s1
    # +1 for a ring that runs counter-clockwise at rest, else -1
    orientation: Floats1
    # [J]
    nRT: Floats1
    # [Pa]
    ambient_pressure: Floats1
    # Share of nRT that a substep can carry, and that acts
    gas_share: Floats1
    # Share of the stability bound that the level of the pressure may take
    level_share: Floats1
    # [m²], written: < 0 inside out
    area: Floats1
    # [Pa], written: inside minus outside
    pressure: Floats1


@entry
def accumulate_pressure_force(
    active: Integers1, outline: Uint32s1, gas: GasRings, motion: Motion, dt: float
) -> None:
    """Add the forces of the gas of the bodies in `active` (slots); write area and pressure."""
    first = gas.first
    last = gas.last
    area = gas.area
    pressure = gas.pressure
    for b in active:
        if last[b] <= first[b]:
            continue
        ring = measure_ring(motion, outline, first[b], last[b])
        area[b] = ring.signed_area * gas.orientation[b]
        # The largest -dP/dA [Pa/m²] and |P| [Pa] that the substep carries; 1e-300: nothing is free.
        steepest = SLOPE_SHARE / max(dt * dt * ring.largest * ring.total, 1e-300)
        amount = gas.nRT[b] * gas.gas_share[b]
        excess = gas_law(area[b], amount, steepest)
        if gas.ambient_pressure[b] > 0.0:
            excess -= gas_law(gas.nRT[b] / gas.ambient_pressure[b], amount, steepest)
        limit = gas.level_share[b] / max(dt * dt * ring.inverse_mass, 1e-300)
        pressure[b] = min(max(excess, -limit), limit)
        push_outwards(motion, outline, first[b], last[b], pressure[b] * gas.orientation[b])


@kernel
def gas_law(area: float, gas: float, steepest: float) -> float:
    """Return gas/area [Pa] for gas = nRT [J]; where this would fall more steeply than `steepest`
    [Pa/m²], its tangent at that slope.
    """
    smallest = math.sqrt(gas / steepest)
    if area > smallest:
        return gas / area
    if smallest == 0.0:
        return 0.0
    return gas / smallest + steepest * (smallest - area)
