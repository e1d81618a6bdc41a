"""GasBalance: how much gas, and how much tension of the skin around it, a substep h can carry.

For SaturationProcessor and StrengthProcessor, which compute it when a body with a PressureBody came
or changed. The skin are the Springs of the same body.

A ring that is its rest shape, scaled by λ, is in balance where the virtual work of scaling
vanishes. With the rest area A, the lengths L of the body's springs in the rest shape and their rest
lengths L0:

    2 nRT - 2 p_ambient A λ² = Σ k (λ L - L0) λ L + S λ (λ - 1)    S = Σ k m/m̄ r² of shape matching

a quadratic in λ, (2 p_ambient A + Σ k L² + S) λ² - (Σ k L L0 + S) λ - 2 nRT = 0; in the code the
first bracket is `holding`, the second `slack`. A spring whose stiffness is cut from k to k' keeps
its tension T there, by a constant tension besides, which is the same as the rest length
L0' = l - (l - L0) k/k' with l = λ L. So the gas need not be cut with the skin, and the body stays
as large as it was made.

A line of length l under the tension T resists being turned with T/l, which counts as a stiffness: a
substep carries T <= k' l, and no rest length L0' below 0. So springs in balance first get k' = T/l
(kernels/motion/saturation.py). Of the stability bound (saturation.py) the gas takes two shares: its
level, P h²/m, and its slope, nRT/A² h² max(√w |g|) Σ √w |g|, with the inverse masses w = 1/m and
the gradients g of the area. Any excess is cut: the gas and all tensions by the same factor, so the
balance stays.
"""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Particles, PressureBody, ShapeMatching, Springs
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.elementary.sums import dot
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.indices import repeat, sums_at
from ecs_softbody.kernels.forces.pressure import LARGEST_LEVEL, LEVEL_SHARE, SLOPE_SHARE
from ecs_softbody.storage import PackedBuffers, packed_rows

LARGEST_SCALE = 1e15
"""A skin so weak that the body would be this much larger counts as none."""
MARGIN = 2.0
"""When something falls on the body, the pressure may rise to this multiple of the pressure in
balance before it is limited.
"""


class GasBalance:
    """A ring of gas in balance with its skin, and its stable fraction in a substep."""

    def __init__(self, buffers: PackedBuffers, gas: PressureBody, entity: int) -> None:
        particles = buffers[Particles].rows
        rest = particles["rest_offset"]
        ring = packed_rows(gas, "outline")
        self._gas = gas
        self._count = len(ring)
        self.area = abs(signed_area(rest[ring]))
        """Area of the rest shape [m²]."""
        inverse_mass = particles["inverse_mass"][ring]
        self._inverse_mass = float(inverse_mass.max())
        self._coupling = coupling_of(rest[ring], inverse_mass)
        skin = buffers[Springs].bound.get(entity)
        self._skin = (
            skin if isinstance(skin, Springs) and skin.between is None and skin.row_count else None
        )
        # The coefficients of the quadratic in λ at the top [J].
        holding = 2.0 * gas.ambient_pressure * self.area
        slack = 0.0
        if self._skin is not None:
            ends = packed_rows(self._skin, "pairs")
            length = lengths(rest[ends[:, 1]] - rest[ends[:, 0]])
            own = slice(self._skin.row_start, self._skin.row_stop)
            stiffness, rest_length = (
                self._skin.row_arrays[name][own] for name in ("stiffness", "rest_length")
            )
            holding += float(dot(stiffness, length**2))
            slack = float(dot(stiffness, length * rest_length))
        shape = buffers[ShapeMatching].bound.get(entity)
        body = buffers[Particles].bound.get(entity)
        if isinstance(shape, ShapeMatching) and isinstance(body, Particles):
            held = shape_stiffness(shape, body)
            holding = holding + held
            slack = slack + held
        root = math.sqrt(max(slack * slack + 8.0 * holding * gas.nRT, 0.0))
        self.scale = 0.5 * (slack + root) / holding if holding > 0.0 else 0.0
        if not 0.0 < self.scale < LARGEST_SCALE:
            self.scale = 0.0
        """λ; 0 if nothing holds the gas."""
        if self._skin is not None:
            # For each spring of the skin: length [m] and tension [N] in balance, and the stiffness
            # T/l [N/m] that it needs at least to bear that tension.
            self._length = self.scale * length
            self._tension = stiffness * (self._length - rest_length)
            self._needed = np.divide(
                self._tension,
                self._length,
                out=np.zeros(len(length)),
                where=(self._length > 0) & (self._tension > 0),
            )

    def level(self, dt: float) -> float:
        """Return the level of the pressure in balance, |P| h²/m of the lightest particle: its share
        of the stability bound.
        """
        if not (self.scale > 0.0 and self.area > 0.0):
            return 0.0
        excess = self._gas.nRT / (self.scale**2 * self.area) - self._gas.ambient_pressure
        return float(abs(excess)) * dt * dt * self._inverse_mass

    def slope(self, dt: float) -> float:
        """Return nRT/A² h² max(√w |g|) Σ √w |g| in balance: the stiffness of the gas."""
        area = self.scale * self.area
        return float(self._gas.nRT) * (dt / area) ** 2 * self._coupling if area > 0.0 else 0.0

    def load(self) -> float:
        """Return the share of the bound, over P h² [1/kg], that the pressure P takes together with
        the lines under tension that balance it, at the particle where it is largest.

        Each line of length l under the tension T counts 2 T/l w at both ends, as a spring of that
        stiffness does. w is the largest inverse mass of the ring.
        """
        pressure = self.level(1.0) / self._inverse_mass if self._inverse_mass > 0.0 else 0.0
        if self._skin is None or pressure == 0.0:
            # Without springs to ask: a circle of n lines has T = P r and l = 2 π r/n, so
            # T/l = P n/(2 π), and two lines end at each particle.
            return self._inverse_mass * (1.0 + 2.0 * self._count / math.pi)
        ends = packed_rows(self._skin, "pairs").astype(np.int64).ravel()
        both = sums_at(ends - ends.min(), weights=repeat(2.0 * self._needed, 2))
        return self._inverse_mass * (1.0 + float(both.max()) / pressure)

    def ask(self, dt: float) -> None:
        """Before springs are cut: write the share of the stability bound that the pressure gets
        (`level_share`), and the stiffness that springs of the skin need (`needed_stiffness`).
        """
        share = min(max(MARGIN * self.level(dt), LEVEL_SHARE), LARGEST_LEVEL)
        self._gas.value_arrays["level_share"][self._gas.slot] = share
        if self._skin is not None:
            self._skin.stage_column("needed_stiffness")[:] = self._needed

    def carry(self, dt: float) -> None:
        """After springs are cut: write the fraction of the gas that is kept (`gas_share`), and the
        constant tension that makes up for the stiffness that springs have lost (`kept_tension`).

        The fraction is 1 or less: where the level or the slope of the pressure is beyond its share
        of the bound, or a spring got less stiffness than its tension needs, gas and tensions are
        cut alike.
        """
        skin = self._skin
        share = 1.0 / max(self.level(dt) / LARGEST_LEVEL, self.slope(dt) / SLOPE_SHARE, 1.0)
        if skin is not None:
            kept = skin.effective_stiffness
            lacking = self._needed > kept * (1.0 + 1e-9)
            if lacking.any():
                share = min(share, float((kept[lacking] / self._needed[lacking]).min()))
            if share < 1.0 or (kept < skin.stiffness).any():
                # Tension wanted in balance, minus the tension that the cut spring has there.
                stretch = self._length - skin.rest_length
                skin.stage_column("kept_tension")[:] = share * self._tension - kept * stretch
        self._gas.value_arrays["gas_share"][self._gas.slot] = share


def shape_stiffness(shape: ShapeMatching, body: Particles) -> float:
    """Return S = Σ k m/m̄ r² [N·m], the resistance of shape matching to scaling a body, summed over
    its groups: m̄ is the mean mass of a group, r the distance from its centre of mass at rest.
    """
    total = 0.0
    start = 0
    for rows in shape.groups or [np.arange(body.row_count, dtype=np.int32)]:
        mass = body.mass[rows]
        mean = float(mass[np.isfinite(mass)].mean()) if np.isfinite(mass).any() else 1.0
        weight = np.where(np.isfinite(mass), mass, mean) / mean
        offset = body.rest_offset[rows]
        away = offset - dot(weight, offset) / weight.sum()
        share = shape.share[start] if shape.row_count else 1.0
        total += float(shape.stiffness * share * dot(weight, (away**2).sum(axis=1)))
        start += len(rows)
    return total


def coupling_of(ring: Floats, inverse_mass: Floats) -> float:
    """Return max(√w |g|) Σ √w |g| of a polygon (K, 2) [m²/kg]: w are inverse masses (K,).

    g is the gradient of its area at a corner, half the line between both neighbors, turned by 90
    degrees. The share of a force P g of a ring in the stability bound goes with this product.
    """
    around = np.concatenate((ring[-1:], ring, ring[:1]))
    coupling = 0.5 * np.sqrt(inverse_mass) * lengths(around[2:] - around[:-2])
    return float(coupling.max() * coupling.sum())
