"""Area springs: a force that brings the area A inside a ring of particles back to its rest area A₀.

    F_i = P dA/dx_i,    P = (k (A₀ - A) - c A') / A₀    with the signed area A (rings.py)

The energy is k (A₀ - A)² / (2 A₀). A ring turned inside out has A < 0 and is pressed right side out
again.

Stability (motion/saturation.py): with the response g = max_p(√w_p|g_p|) Σ√w_q|g_q| of the ring the
element takes (k h² + 2 c h) g / A₀ of the stability bound in a substep h; k and c are limited to
their shares of it. g is the larger one of now and at rest: by the present ring alone the limit of k
would grow as the ring shrinks, and the law would feed energy in. The level |P| is held below
LEVEL_SHARE × m_min / h² (m_min: mass of the lightest particle), since it turns and bends the ring.
"""

import math
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Integers1, Uint32s1
from ecs_softbody.kernels.forces.rings import area_rate, measure_ring, push_outwards
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.parallel.compiling import entry, kernel

STIFFNESS_SHARE = 0.125
"""Share of the stability bound that the stiffness of a ring may take."""
DAMPING_SHARE = 0.125
"""Share of the bound that its damping may take."""
LEVEL_SHARE = 0.125
"""Share of the bound that the level of its pressure may take."""
SATURATED_DAMPING = 0.25
"""A ring whose stiffness k is limited to x k gets a damping of at least this times (1 - x) x k h,
as springs do in motion/saturation.py: it would gain energy otherwise.
"""
SMALLEST_AREA = 1e-12
"""A rest area below this [m²] has no shape to keep."""


class AreaRings(NamedTuple):
    """Values of the area springs, (B,) each; ring b has the rows [first[b], last[b]) of the
    outline.
    """

    first: Uint32s1
    last: Uint32s1
    orientation: Floats1  # +1 for a ring that runs counter-clockwise at rest, else -1
    stiffness: Floats1  # [Pa]
    damping: Floats1  # [Pa·s]
    rest_area: Floats1  # [m²]
    area: Floats1  # [m²], written: < 0 inside out
    pressure: Floats1  # [Pa], written: outwards
    effective_stiffness: Floats1  # [Pa], written: limited for stability


@entry
def accumulate_area_force(
    active: Integers1,
    outline: Uint32s1,
    chord: Floats1,
    rings: AreaRings,
    motion: Motion,
    dt: float,
) -> None:
    """Add the forces of the rings in `active` (slots); write area, pressure and effective
    stiffness.

    outline (K,): particles of all rings. chord (K,): distance in the rest shape between the two
    neighbours of each of them [m], twice |dA/dx|.
    """
    first = rings.first
    last = rings.last
    area = rings.area
    pressure = rings.pressure
    for b in active:
        if last[b] <= first[b]:
            continue
        rest_area = rings.rest_area[b]
        stiffness = rings.stiffness[b]
        ring = measure_ring(motion, outline, first[b], last[b])
        area[b] = ring.signed_area * rings.orientation[b]
        if rest_area < SMALLEST_AREA:
            continue
        at_rest = response_at_rest(motion.inverse_mass, outline, chord, first[b], last[b])
        # The limit follows the ring, present or at rest, that carries less: by the present one
        # alone it would grow while the ring shrinks.
        response = max(dt * max(ring.largest * ring.total, at_rest), 1e-300)
        stiff = min(stiffness, STIFFNESS_SHARE * rest_area / (dt * response))
        damp = rings.damping[b]
        if stiff < stiffness:
            damp = max(damp, SATURATED_DAMPING * (1.0 - stiff / stiffness) * stiff * dt)
        damp = min(damp, DAMPING_SHARE * rest_area / (2.0 * response))
        rate = area_rate(motion, outline, first[b], last[b], 0.0) * rings.orientation[b]
        limit = LEVEL_SHARE / max(dt * dt * ring.inverse_mass, 1e-300)
        pressure[b] = min(
            max((stiff * (rest_area - area[b]) - damp * rate) / rest_area, -limit), limit
        )
        rings.effective_stiffness[b] = stiff
        push_outwards(motion, outline, first[b], last[b], pressure[b] * rings.orientation[b])


@kernel
def response_at_rest(
    inverse_mass: np.ndarray, outline: np.ndarray, chord: np.ndarray, first: int, last: int
) -> float:
    """Return the response max(√w |g|) Σ √w |g| of the ring outline[first:last] in its rest shape,
    where |g| is half the chord.
    """
    total = 0.0
    largest = 0.0
    for row in range(first, last):
        root = 0.5 * math.sqrt(inverse_mass[outline[row]]) * chord[row]
        total += root
        largest = max(largest, root)
    return largest * total
