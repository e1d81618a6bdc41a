"""XpbdProcessor: springs, angular springs, gas, areas and rest shapes, solved together."""

from __future__ import annotations

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import AngularSprings, AreaConstraint, Particles, PressureBody, ShapeMatching, Springs
from ecs_softbody.kernels import xpbd_angular_springs, xpbd_rings, xpbd_springs
from ecs_softbody.kernels.shape_matching import accumulate_shape_matching_force
from ecs_softbody.kernels.xpbd_velocity import predict_velocity
from ecs_softbody.processors.forest import Forest
from ecs_softbody.storage import PackedBuffers, Store, Table, grown


class XpbdProcessor(esper.Processor):
    """Adds to Particles.force what the ends of the substep ask of all elements of soft bodies. Runs at Order.XPBD.

    It knows all other forces but those of contacts and joints, which come after it. The elements are taken up in one
    order and then in the opposite one: a sweep in one direction only would lean to one side.
    """

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._line, self._bend = np.zeros((0, 5)), np.zeros((0, 8))
        self._gas, self._areas = np.zeros((0, 4)), np.zeros((0, 4))
        self._forest = Forest(buffers)
        self._predicted, self._every_row = np.zeros((0, 2)), np.zeros(0, np.uint32)

    def process(self, dt: float) -> None:
        """Start from the pulls of the last substep, then solve forwards and backwards."""
        buffers = self._buffers
        self._line = with_room(self._line, buffers[Springs].rows)
        self._bend = with_room(self._bend, buffers[AngularSprings].rows)
        self._gas = with_room(self._gas, buffers[PressureBody].values)
        self._areas = with_room(self._areas, buffers[AreaConstraint].values)
        self._forest.find()
        self._begin_chains(dt)
        self._begin_rings(dt)
        self._forest.solve(dt, self._line)
        if not self._has_others():
            self._forest.turn_back()
            return
        self._match_shapes(dt)
        self._sweep_springs(dt, backwards=False)
        self._sweep_angular_springs(dt, backwards=False)
        self._sweep_rings(dt, buffers[PressureBody], self._gas)
        if buffers[AreaConstraint].values.count:
            self._sweep_rings(dt, buffers[AreaConstraint], self._areas)
            self._sweep_rings(dt, buffers[PressureBody], self._gas)
        self._sweep_angular_springs(dt, backwards=True)
        self._sweep_springs(dt, backwards=True)
        self._forest.solve(dt, self._line)
        self._forest.turn_back()

    def _has_others(self) -> bool:
        rings = (AngularSprings, PressureBody, AreaConstraint, ShapeMatching)
        return not self._forest.holds_all or any(self._buffers[kind].values.count for kind in rings)

    def _begin_chains(self, dt: float) -> None:
        particles = self._buffers[Particles].rows
        table, angular = self._buffers[Springs], self._buffers[AngularSprings]
        springs, angles = table.rows, angular.rows
        if springs.count:
            xpbd_springs.begin_springs(
                table.active_rows, particles["position"], particles["inverse_mass"], springs["packed_pairs"],
                springs["rest_length"], springs["effective_stiffness"], springs["effective_damping"],
                self._forest.holds, dt, self._line, self._forest.pull, springs["tension"], particles["force"],
            )  # fmt: skip
        if angles.count:
            xpbd_angular_springs.begin_angular_springs(
                angular.active_rows, particles["position"], particles["inverse_mass"], angles["packed_triples"],
                angles["rest_angle"], angles["arms"], angles["stiffness"], angles["damping"], dt, self._bend,
                angles["torque"], particles["force"],
            )  # fmt: skip

    def _begin_rings(self, dt: float) -> None:
        particles = self._buffers[Particles].rows
        state = (particles["position"], particles["inverse_mass"])
        gas, areas = self._buffers[PressureBody], self._buffers[AreaConstraint]
        if gas.values.count:
            values = gas.values
            xpbd_rings.begin_gas(
                gas.active_slots, *state, gas.rows["packed_outline"], values["first"], values["last"], values["nRT"],
                values["ambient_pressure"], values["orientation"], values["gas_share"], dt, self._gas,
                particles["force"], values["area"], values["pressure"],
            )  # fmt: skip
        if areas.values.count:
            values = areas.values
            xpbd_rings.begin_areas(
                areas.active_slots, *state, areas.rows["packed_outline"], values["first"], values["last"],
                values["stiffness"], values["damping"], values["rest_area"], values["orientation"], dt, self._areas,
                particles["force"], values["area"], values["pressure"],
            )  # fmt: skip

    def _match_shapes(self, dt: float) -> None:
        table, shapes = self._buffers[Particles], self._buffers[ShapeMatching]
        if not shapes.values.count:
            return
        particles, values = table.rows, shapes.values
        if len(self._predicted) < particles.count:
            self._predicted = np.zeros((particles.capacity, 2))
            self._every_row = np.arange(particles.capacity, dtype=np.uint32)
        predict_velocity(
            table.active_rows, particles["velocity"], particles["inverse_mass"], particles["force"], dt, self._predicted
        )
        accumulate_shape_matching_force(
            shapes.active_slots, particles["position"], self._predicted, particles["mass"], particles["rest_offset"],
            self._every_row, values["particle_first"], values["particle_last"], shapes.rows["packed_members"],
            shapes.rows["group"], shapes.rows["share"], shapes.rows["valence"], values["first"], values["last"],
            values["stiffness"], values["damping"], dt, True, particles["force"],
        )  # fmt: skip

    def _sweep_springs(self, dt: float, *, backwards: bool) -> None:
        particles, table = self._buffers[Particles].rows, self._buffers[Springs]
        springs = table.rows
        if springs.count:
            xpbd_springs.sweep_springs(
                table.active_rows, backwards, particles["velocity"], particles["inverse_mass"], springs["packed_pairs"],
                springs["effective_stiffness"], springs["effective_damping"], self._forest.holds, self._line, dt,
                springs["tension"], particles["force"],
            )  # fmt: skip

    def _sweep_angular_springs(self, dt: float, *, backwards: bool) -> None:
        particles, table = self._buffers[Particles].rows, self._buffers[AngularSprings]
        springs = table.rows
        if springs.count:
            xpbd_angular_springs.sweep_angular_springs(
                table.active_rows, backwards, particles["velocity"], particles["inverse_mass"],
                springs["packed_triples"], springs["damping"], self._bend, dt, springs["torque"], particles["force"],
            )  # fmt: skip

    def _sweep_rings(self, dt: float, table: Table, law: NDArray[np.float64]) -> None:
        particles, values = self._buffers[Particles].rows, table.values
        if values.count:
            xpbd_rings.sweep_rings(
                table.active_slots, particles["position"], particles["velocity"], particles["inverse_mass"],
                table.rows["packed_outline"], values["first"], values["last"], values["orientation"], law, dt,
                particles["force"], values["pressure"],
            )  # fmt: skip


def with_room(array: NDArray[np.float64], store: Store) -> NDArray[np.float64]:
    """Return the array, or a longer one that has a row for each row of the store."""
    return array if len(array) >= store.count else grown(array, store.capacity)
