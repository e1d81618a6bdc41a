"""PlasticityProcessor: what every Plasticity keeps of stretching, bending and denting."""

from __future__ import annotations

import esper
import numpy as np

from ecs_softbody.components import AngularSprings, Particles, Plasticity, ShapeMatching, Springs
from ecs_softbody.kernels.plasticity import yield_angles, yield_lengths, yield_shapes
from ecs_softbody.storage import PackedBuffers, rows_beside


class PlasticityProcessor(esper.Processor):
    """Writes rest lengths, rest angles and rest shapes that have yielded. Runs at Order.PLASTICITY."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers, self._table = buffers, buffers[Plasticity]
        self._version = -1

    def process(self, dt: float) -> None:
        """Look at the shapes after this substep."""
        table, buffers = self._table, self._buffers
        if not table.bound:
            return
        particles = buffers[Particles]
        if self._version != buffers.version:
            self._version = buffers.version
            self._find_rows()
        values, rows = table.values, particles.rows
        active, still = table.active_slots, particles.values["still_time"]
        place = (rows["position"], rows["body"])
        laws = (values["yield_strain"], values["rate"], values["limit"], values["creep_time"])
        springs = buffers[Springs].rows
        yield_lengths(
            active, *place, values["spring_first"], values["spring_last"], springs["packed_pairs"],
            *laws, dt,
            springs["original_length"], springs["set_length"], springs["play"], springs["rest_length"], still,
        )  # fmt: skip
        angular = buffers[AngularSprings].rows
        yield_angles(
            active, *place, values["angular_first"], values["angular_last"], angular["packed_triples"],
            values["yield_angle"], values["rate"], values["angle_limit"], values["creep_time"], dt,
            angular["original_angle"], angular["set_angle"], angular["play"], angular["rest_angle"], still,
        )  # fmt: skip
        yield_shapes(
            active, rows["position"], rows["mass"], rows["body"], values["shape_first"], values["shape_last"],
            *laws, dt,
            rows["original_offset"], rows["set_offset"], rows["play"], rows["rest_offset"], still,
        )  # fmt: skip

    def _find_rows(self) -> None:
        """Find the rows of the springs, angular springs and particles of every body that yields."""
        buffers = self._buffers
        values = buffers[Plasticity].values
        for name, kind in (("spring", Springs), ("angular", AngularSprings)):
            rows_beside(buffers, Plasticity, kind, values[f"{name}_first"], values[f"{name}_last"])
        whole = [
            component.slot
            for entity, component in buffers[Plasticity].bound.items()
            if (shape := buffers[ShapeMatching].bound.get(entity)) is not None and shape.row_count == 0
        ]
        yields = np.zeros(values.count, np.bool_)
        yields[whole] = True
        values["shape_first"][:] = np.where(yields, values["particle_first"], 0)
        values["shape_last"][:] = np.where(yields, values["particle_last"], 0)
