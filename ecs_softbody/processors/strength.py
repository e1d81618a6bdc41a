"""StrengthProcessor: with the solver XPBD everything acts in full, but for gas that presses too hard for a substep."""

from __future__ import annotations

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import AngularSprings, AreaConstraint, Particles, PressureBody, Springs
from ecs_softbody.storage import PackedBuffers, grown, packed_rows

GAS_SHARE = 0.1
"""Gas that moves the lightest particle of its ring by more than this times the edge, in a substep, is held to it."""


class StrengthProcessor(esper.Processor):
    """Writes the columns `effective_...` for the solver XPBD. Runs at Order.SATURATION.

    Gas that presses too hard is scaled together with the springs of its body: the balance stays the same.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._dt = 0.0
        self._shape = np.zeros((2, 0))
        """Of each slot of PressureBody: area of the rest shape, smallest mass of its ring (infinite: held)."""
        self.substeps = 1
        """Substeps of a frame now; they change nothing here."""

    def process(self, dt: float) -> None:
        """Copy what games may write, once a frame and when anything came."""
        buffers = self._buffers
        if not (buffers.frame_start or buffers.changed_entities or dt != self._dt):
            return
        self._dt = dt
        self._measure(buffers.changed_entities)
        buffers.changed_entities = set()
        springs, angles = buffers[Springs].rows, buffers[AngularSprings].rows
        springs["effective_stiffness"][:] = springs["stiffness"]
        springs["effective_damping"][:] = springs["damping"]
        angles["effective_stiffness"][:] = angles["carried_stiffness"][:] = angles["stiffness"]
        areas = buffers[AreaConstraint].values
        areas["effective_stiffness"][:] = areas["stiffness"]
        self._hold_gas(dt)

    def _measure(self, entities: set[int]) -> None:
        """Find the shapes of the rings of gas that came or changed."""
        table, particles = self._buffers[PressureBody], self._buffers[Particles].rows
        if self._shape.shape[1] < table.values.capacity:
            self._shape = np.vstack([grown(row, table.values.capacity) for row in self._shape])
        for entity in entities & table.entities:
            gas = table.bound[entity]
            ring = packed_rows(gas, "outline")
            self._shape[0, gas.slot] = area_of(particles["rest_offset"][ring])
            lightest = float(particles["inverse_mass"][ring].max())
            self._shape[1, gas.slot] = 1.0 / lightest if lightest > 0.0 else np.inf

    def _hold_gas(self, dt: float) -> None:
        table = self._buffers[PressureBody]
        values, count = table.values, table.values.count
        area, mass = self._shape[:, :count]
        inside = np.divide(values["nRT"], area, out=np.zeros(count), where=area > 0.0)
        level = np.abs(inside - values["ambient_pressure"]) * dt * dt
        held = np.flatnonzero((level > GAS_SHARE * mass) & (values["last"] > values["first"]))
        values["gas_share"][:] = 1.0
        for slot in held:
            share = GAS_SHARE * mass[slot] / level[slot]
            values["gas_share"][slot] = share
            skin = self._buffers[Springs].bound.get(int(values["entity"][slot]))
            if isinstance(skin, Springs) and skin.between is None:
                skin.effective_stiffness[:] *= share


def area_of(ring: NDArray[np.float64]) -> float:
    """Return the area of a polygon (K, 2)."""
    after = np.roll(ring, -1, axis=0)
    return 0.5 * abs(float((ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]).sum()))
