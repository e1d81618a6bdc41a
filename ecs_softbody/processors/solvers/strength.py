"""StrengthProcessor: writes the columns `effective_...` for the solver `xpbd`.

The counterpart of SaturationProcessor, which the solver `saturated` has. With `xpbd` stiffness and
damping act in full, so the effective ones are copies. The exception is gas: XPBD takes the
directions of lines from the start of the substep, and a line under high tension turns too far in
one.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.components import AngularSprings, AreaConstraint, PressureBody, Springs
from ecs_softbody.indices import flatnonzero
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.solvers.gas import GasBalance
from ecs_softbody.processors.solvers.stability import StabilityAdviser
from ecs_softbody.processors.stage import Stage, StageContext
from ecs_softbody.storage import grown
from ecs_softbody.storage.resource import Array, Number, Part
from ecs_softbody.storage.saved import Saved
from ecs_softbody.validation import LONGEST_FRAME

LARGEST_LOAD = 1.7
"""Largest load of a substep at one particle: |P| h² × `GasBalance.load`, the stiffness, over m/h²,
of the gas and of the lines that balance it. At 1.9 a line would move its ends by its own length,
which is the limit (kernels/xpbd/springs.py). At this load, sweeps leave the area of a ring whose
outline alone holds it, without a net of springs inside, an eighth too large.
"""


class StrengthProcessor(Stage):
    """Writes the columns `effective_...` for the solver XPBD. Runs at Order.SATURATION.

    Gas whose load is beyond LARGEST_LOAD is scaled down, together with the springs of its body by
    the same factor, with a warning: the body keeps its size.
    """

    resource = "strength"
    saved = (
        Number(
            "dt",
            "Length of the substep for which strengths were found.",
            least=0.0,
            most=LONGEST_FRAME,
            unit="s",
        ),
        Array(
            "shape",
            (2, "rings"),
            "Area in balance [m²] of each PressureBody, and its load of a substep [1/kg].",
        ),
        Part("adviser", "Warnings.", StabilityAdviser),
    )
    order = Order.SATURATION
    reads = ("AngularSprings", "AreaConstraint", "Frame", "Particles", "PressureBody", "Springs")
    writes = (
        "AngularSprings.carried_stiffness",
        "AngularSprings.effective_stiffness",
        "AreaConstraint.effective_stiffness",
        "PressureBody.gas_share",
        "Springs.effective_damping",
        "Springs.effective_stiffness",
    )

    def __init__(self, context: StageContext) -> None:
        self._buffers = context.buffers
        self._frame = context.frame
        self.adviser = StabilityAdviser(context.buffers)
        self.dt = 0.0
        """Length of the substep for which strengths were found last [s]."""
        self.shape = np.zeros((2, 0))
        """For each slot of PressureBody: area in balance [m²], and the load of its pressure on a
        substep [1/kg].
        """

    def load(self, saved: Saved) -> None:
        """Load the original shapes of rings of gas, and the entities that have been warned
        about.
        """
        super().load(saved)
        capacity = self._buffers[PressureBody].values.capacity
        self.shape = np.vstack([grown(row[:capacity], capacity) for row in self.shape])

    def process(self, dt: float) -> None:
        """Copy values that games may write, once a frame and after additions."""
        buffers = self._buffers
        if not (buffers.frame_start or buffers.changed_entities or dt != self.dt):
            return
        self.dt = dt
        self._measure(buffers.changed_entities)
        buffers.changed_entities = set()
        springs = buffers[Springs].rows
        angles = buffers[AngularSprings].rows
        springs["effective_stiffness"][:] = springs["stiffness"]
        springs["effective_damping"][:] = springs["damping"]
        angles["effective_stiffness"][:] = angles["carried_stiffness"][:] = angles["stiffness"]
        areas = buffers[AreaConstraint].values
        areas["effective_stiffness"][:] = areas["stiffness"]
        self._hold_gas(dt)

    def _measure(self, entities: set[int]) -> None:
        """Find the shapes of the rings of gas that came or changed."""
        table = self._buffers[PressureBody]
        if self.shape.shape[1] < table.values.capacity:
            self.shape = np.vstack([grown(row, table.values.capacity) for row in self.shape])
        for entity in entities & table.entities:
            gas = table.bound[entity]
            assert isinstance(gas, PressureBody)
            balance = GasBalance(self._buffers, gas, entity)
            self.shape[:, gas.slot] = balance.scale**2 * balance.area, balance.load()

    def _hold_gas(self, dt: float) -> None:
        """Scale gas with too much pressure for a substep, and the springs of its body."""
        table = self._buffers[PressureBody]
        values = table.values
        count = table.values.count
        area, load = self.shape[:, :count]
        # Pressure in balance, nRT/A [Pa]; then the load of each ring over the largest one allowed.
        inside = np.divide(values["nRT"], area, out=np.zeros(count), where=area > 0.0)
        level = np.abs(inside - values["ambient_pressure"]) * load * dt * dt / LARGEST_LOAD
        held = flatnonzero((level > 1.0) & (values["last"] > values["first"]))
        values["gas_share"][:] = 1.0
        for slot in held:
            values["gas_share"][slot] = share = 1.0 / level[slot]
            entity = int(values["entity"][slot])
            self.adviser.advise_gas(entity, dt, self._frame.substeps)
            skin = self._buffers[Springs].bound.get(entity)
            if isinstance(skin, Springs) and skin.between is None:
                skin.stage_column("effective_stiffness")[:] *= share
        self.adviser.speak()
