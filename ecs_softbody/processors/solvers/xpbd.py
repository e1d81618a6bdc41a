"""XpbdProcessor: the elastic forces of the solver `xpbd`, implicit in the end of the substep.

Each element (a spring, an angular spring, a ring of gas or area) is one scalar law: from the
velocities that all forces so far will give it finds the tension, torque or pressure at the end of
the substep, and adds it to Particles.force at once, so that the next element sees it (Gauss-Seidel;
the formulas are in kernels/xpbd). This is finite for any stiffness. A sweep goes once through all
elements of a kind. Springs that are in no loop, the forest, are solved exactly instead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import (
    AngularSprings,
    AreaConstraint,
    Particles,
    PressureBody,
    ShapeMatching,
    Springs,
)
from ecs_softbody.kernels.forces.area_constraint import AreaRings
from ecs_softbody.kernels.forces.pressure import GasRings
from ecs_softbody.kernels.forces.rest_directions import unknown_directions
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.xpbd import angular_springs as xpbd_angular_springs
from ecs_softbody.kernels.xpbd import rings as xpbd_rings
from ecs_softbody.kernels.xpbd import springs as xpbd_springs
from ecs_softbody.kernels.xpbd.angular_springs import BEND
from ecs_softbody.kernels.xpbd.rings import LAW
from ecs_softbody.kernels.xpbd.springs import LINE
from ecs_softbody.processors.forces.angular_springs import directions_for
from ecs_softbody.processors.forces.shape_matching import ShapePull
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.solvers.forest import Forest
from ecs_softbody.processors.stage import Force, StageContext
from ecs_softbody.storage import Column, Store, Table, add_stage_columns, grown

add_stage_columns(
    Springs,
    "XpbdProcessor",
    tension=Column(
        dtype=np.float64,
        unit="N",
        doc="tension in the last substep; written by the solver `xpbd` only",
    ),
)
add_stage_columns(
    AngularSprings,
    "XpbdProcessor",
    torque=Column(
        dtype=np.float64, unit="N·m", doc="in the last substep; written by the solver `xpbd` only"
    ),
)


class XpbdProcessor(Force):
    """Adds the implicit (end-of-substep) forces of springs, angles, gas, areas and shapes. Runs at
    Order.XPBD.

    It comes after all other forces except resistance, healing, joints and contacts. The elements
    are solved in one order and then in reverse, since sweeps in one direction only would favour one
    side.
    """

    order = Order.XPBD
    components = (Springs, AngularSprings, PressureBody, AreaConstraint, ShapeMatching)
    reads = ("Particles",)
    writes = (
        "AngularSprings.torque",
        "AreaConstraint.area",
        "AreaConstraint.pressure",
        "Particles.force",
        "PressureBody.area",
        "PressureBody.pressure",
        "Springs.tension",
    )

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        self._buffers = buffers
        # Scratch of one substep, a record for each row: direction and law of a spring, of an
        # angular spring, of the gas and of the area of a ring. `_known` caches cosine and sine of
        # rest angles.
        self._line = np.zeros(0, LINE)
        self._bend = np.zeros(0, BEND)
        self._known = unknown_directions(0)
        self._gas = np.zeros(0, LAW)
        self._areas = np.zeros(0, LAW)
        self._forest = Forest(buffers)
        self._shapes = ShapePull(buffers)

    def process(self, dt: float) -> None:
        """Start from the tensions of the last substep, then solve forwards and backwards."""
        buffers = self._buffers
        self._line = grown_for(self._line, buffers[Springs].rows)
        self._bend = grown_for(self._bend, buffers[AngularSprings].rows)
        self._gas = grown_for(self._gas, buffers[PressureBody].values)
        self._areas = grown_for(self._areas, buffers[AreaConstraint].values)
        self._forest.find()
        # Each element starts from half of its last force. From zero, one sweep leaves cloth and
        # rings too long; from 0.9 of it, tangled networks grew to 5.9 times their kinetic energy,
        # from all of it to 83 times.
        self._begin_chains(dt)
        self._begin_rings(dt)
        # Springs in no loop are eliminated, not swept: 100 × 10 g + 10 kg at 10⁶ N/m stretch by the
        # exact 0.103 %, where sweeps leave 2.8 %.
        self._forest.solve(dt, self._line)
        if not self._has_others():
            # A heavy load is also implicit across its line there; the torque of that goes back to
            # its tree.
            self._forest.balance_torque()
            return
        # Rest shapes are no element of the sweeps: their damping is implicit, their stiffness
        # explicit.
        self._shapes.add(dt)
        self._sweep_springs(dt, backwards=False)
        self._sweep_angular_springs(dt, backwards=False)
        self._sweep_rings(dt, buffers[PressureBody], self._gas)
        if buffers[AreaConstraint].values.count:
            self._sweep_rings(dt, buffers[AreaConstraint], self._areas)
            self._sweep_rings(dt, buffers[PressureBody], self._gas)
        self._sweep_angular_springs(dt, backwards=True)
        self._sweep_springs(dt, backwards=True)
        # The forest is solved again, with the forces that the sweeps have added since.
        self._forest.solve(dt, self._line)
        self._forest.balance_torque()

    def rehearse(self, dt: float) -> None:
        """Solve ropes of all kinds."""
        self._forest.rehearse(dt)

    def _has_others(self) -> bool:
        """Return whether there is any element besides the springs of the forest."""
        rings = (AngularSprings, PressureBody, AreaConstraint, ShapeMatching)
        return not self._forest.holds_all or any(self._buffers[kind].values.count for kind in rings)

    def _begin_chains(self, dt: float) -> None:
        """Prepare the records of springs and angular springs, and add the forces they start from;
        springs of the forest start from none here.
        """
        motion = self._motion
        table = self._buffers[Springs]
        angular = self._buffers[AngularSprings]
        if table.rows.count:
            springs = table.rows.group(xpbd_springs.ImplicitSprings)
            forest = self._forest
            xpbd_springs.begin_springs(
                table.active_rows, springs, motion, forest.holds, dt, self._line, forest.link_force
            )
        if angular.rows.count:
            angles = angular.rows.group(xpbd_angular_springs.ImplicitAngles)
            self._known = directions_for(self._known, angular)
            xpbd_angular_springs.begin_angular_springs(
                angular.active_rows, angles, motion, self._known, dt, self._bend
            )

    def _begin_rings(self, dt: float) -> None:
        """Prepare the records of gas and areas, and add the forces they start from."""
        motion = self._motion
        gas = self._buffers[PressureBody]
        areas = self._buffers[AreaConstraint]
        if gas.values.count:
            outline = gas.rows["packed_outline"]
            rings = gas.values.group(GasRings)
            xpbd_rings.begin_gas(gas.active_slots, outline, rings, motion, dt, self._gas)
        if areas.values.count:
            outline = areas.rows["packed_outline"]
            kept = areas.values.group(AreaRings)
            xpbd_rings.begin_areas(areas.active_slots, outline, kept, motion, dt, self._areas)

    def _sweep_springs(self, dt: float, *, backwards: bool) -> None:
        table = self._buffers[Springs]
        if table.rows.count:
            motion = self._motion
            springs = table.rows.group(xpbd_springs.ImplicitSprings)
            xpbd_springs.sweep_springs(
                table.active_rows, backwards, springs, motion, self._forest.holds, self._line, dt
            )

    def _sweep_angular_springs(self, dt: float, *, backwards: bool) -> None:
        table = self._buffers[AngularSprings]
        if table.rows.count:
            springs = table.rows.group(xpbd_angular_springs.ImplicitAngles)
            xpbd_angular_springs.sweep_angular_springs(
                table.active_rows, backwards, springs, self._motion, dt, self._bend
            )

    def _sweep_rings(self, dt: float, table: Table, law: NDArray[np.void]) -> None:
        """Solve all rings of gas, or all areas, one after another; law: their records."""
        if table.values.count:
            outline = table.rows["packed_outline"]
            rings = table.values.group(xpbd_rings.Rings)
            xpbd_rings.sweep_rings(table.active_slots, outline, rings, self._motion, dt, law)

    @property
    def _motion(self) -> Motion:
        return self._buffers[Particles].rows.group(Motion)


def grown_for(array: NDArray[np.void], store: Store) -> NDArray[np.void]:
    """Return the array, or a longer one that has a row for each row of the store."""
    return array if len(array) >= store.count else grown(array, store.capacity)
