"""StrengthProcessor: with the solver XPBD everything acts in full, but for gas that presses too hard for a substep."""

from __future__ import annotations

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import AngularSprings, AreaConstraint, Particles, PressureBody, Springs
from ecs_softbody.storage import PackedBuffers, packed_rows

GAS_SHARE = 0.1
"""Gas that moves the lightest particle of its ring by more than this times the edge, in a substep, is held to it."""


class StrengthProcessor(esper.Processor):
    """Writes the columns `effective_...` for the solver XPBD. Runs at Order.SATURATION.

    Gas that presses too hard is scaled together with the springs of its body: the balance stays the same.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._dt = 0.0
        self._gas_bodies: list[tuple[int, PressureBody, float, float]] = []
        self._version = -1
        self.substeps = 1
        """Substeps of a frame now; they change nothing here."""

    def process(self, dt: float) -> None:
        """Copy what games may write, once a frame and when anything came."""
        buffers = self._buffers
        if not (buffers.frame_start or buffers.changed_entities or dt != self._dt):
            return
        self._dt = dt
        if buffers.changed_entities or self._version != buffers.version:
            self._version = buffers.version
            self._gas_bodies = self._find_gas_bodies()
        buffers.changed_entities = set()
        springs, angles = buffers[Springs].rows, buffers[AngularSprings].rows
        springs["effective_stiffness"][:] = springs["stiffness"]
        springs["effective_damping"][:] = springs["damping"]
        angles["effective_stiffness"][:] = angles["carried_stiffness"][:] = angles["stiffness"]
        areas = buffers[AreaConstraint].values
        areas["effective_stiffness"][:] = areas["stiffness"]
        for entity, gas, rest_area, mass in self._gas_bodies:
            self._hold_gas(entity, gas, rest_area, mass)

    def _find_gas_bodies(self) -> list[tuple[int, PressureBody, float, float]]:
        """Return entity, gas, area of the rest shape and smallest mass of each ring."""
        particles = self._buffers[Particles].rows
        found = []
        for entity, gas in self._buffers[PressureBody].bound.items():
            assert isinstance(gas, PressureBody)
            ring = packed_rows(gas, "outline")
            inverse_mass = float(particles["inverse_mass"][ring].max())
            if inverse_mass > 0.0:
                found.append((entity, gas, area_of(particles["rest_offset"][ring]), 1.0 / inverse_mass))
        return found

    def _hold_gas(self, entity: int, gas: PressureBody, rest_area: float, mass: float) -> None:
        dt, share = self._dt, 1.0
        excess = abs(gas.nRT / rest_area - gas.ambient_pressure) if rest_area > 0.0 else 0.0
        if excess * dt * dt > GAS_SHARE * mass:
            share = GAS_SHARE * mass / (excess * dt * dt)
            skin = self._buffers[Springs].bound.get(entity)
            if isinstance(skin, Springs) and skin.between is None:
                skin.effective_stiffness[:] *= share
        gas.value_arrays["gas_share"][gas.slot] = share


def area_of(ring: NDArray[np.float64]) -> float:
    """Return the area of a polygon (K, 2)."""
    after = np.roll(ring, -1, axis=0)
    return 0.5 * abs(float((ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]).sum()))
