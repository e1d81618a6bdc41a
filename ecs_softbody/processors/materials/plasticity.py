"""PlasticityProcessor: permanent stretching, bending and denting by every Plasticity.

A body with Plasticity yields: where its strain goes beyond a limit, the rest length of a spring,
the rest angle of an angular spring, or the rest shape follows it in part. `play` is the strain that
has yielded: it stays within the yield limit of the present strain (the formulas are in
kernels/materials/plasticity.py). This runs after the move, on the shapes that it has led to.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.components import AngularSprings, Particles, Plasticity, ShapeMatching, Springs
from ecs_softbody.kernels.materials.plasticity import (
    PlasticAngles,
    PlasticParticles,
    Plastics,
    PlasticSprings,
    yield_angles,
    yield_lengths,
    yield_shapes,
)
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Spawn, Stage, StageContext
from ecs_softbody.storage import Column, Value, add_stage_columns, rows_beside

add_stage_columns(
    Springs,
    "PlasticityProcessor",
    original_length=Column(dtype=np.float64, unit="m", doc="rest length before anything yielded"),
    set_length=Column(
        dtype=np.float64, unit="m", doc="rest length when last looked at for yielding"
    ),
    play=Column(dtype=np.float64, doc="strain that has yielded"),
)
add_stage_columns(
    AngularSprings,
    "PlasticityProcessor",
    original_angle=Column(dtype=np.float64, unit="rad", doc="rest angle before anything yielded"),
    set_angle=Column(
        dtype=np.float64, unit="rad", doc="rest angle when last looked at for yielding"
    ),
    play=Column(dtype=np.float64, unit="rad", doc="angle that has yielded"),
)
add_stage_columns(
    Particles,
    "PlasticityProcessor",
    original_offset=Column(
        2, dtype=np.float64, unit="m", doc="rest_offset before anything yielded"
    ),
    set_offset=Column(
        2, dtype=np.float64, unit="m", doc="rest_offset when last looked at for yielding"
    ),
    play=Column(2, dtype=np.float64, doc="strain of the shape that has yielded"),
)
add_stage_columns(
    Plasticity,
    "PlasticityProcessor",
    spring_first=Value(dtype=np.int64, doc="first row of the body's Springs"),
    spring_last=Value(dtype=np.int64, doc="row after the last of the body's Springs"),
    angular_first=Value(dtype=np.int64, doc="first row of the body's AngularSprings"),
    angular_last=Value(dtype=np.int64, doc="row after the last of the body's AngularSprings"),
    shape_first=Value(
        dtype=np.int64, doc="first row of the particles with a rest shape that yields"
    ),
    shape_last=Value(dtype=np.int64, doc="row after the last of them"),
)


class PlasticityProcessor(Stage):
    """Writes rest lengths, rest angles and rest shapes that have yielded.

    Runs at Order.PLASTICITY.
    """

    order = Order.PLASTICITY
    bound = ("_version",)
    components = (Plasticity,)
    reads = ("AngularSprings", "Particles", "Springs")
    writes = (
        "AngularSprings.original_angle",
        "AngularSprings.play",
        "AngularSprings.rest_angle",
        "AngularSprings.set_angle",
        "Particles.original_offset",
        "Particles.play",
        "Particles.rest_offset",
        "Particles.set_offset",
        "Particles.still_time",
        "Plasticity.*",
        "Springs.original_length",
        "Springs.play",
        "Springs.rest_length",
        "Springs.set_length",
    )

    def __init__(self, context: StageContext) -> None:
        self._buffers = context.buffers
        self._table = context.buffers[Plasticity]
        self._version = -1

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A body of clay."""
        springs = Springs([(0, 1)], stiffness=1.0)
        angles = AngularSprings([(0, 1, 2)], stiffness=1.0)
        shape = ShapeMatching(stiffness=1.0)
        clay = Plasticity(yield_strain=1.0, yield_angle=1.0)
        spawn(
            Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]),
            springs,
            angles,
            shape,
            clay,
        )

    def process(self, dt: float) -> None:
        """Write the rest lengths, rest angles and rest shapes that the strains of this substep have
        changed.
        """
        table = self._table
        buffers = self._buffers
        particles = buffers[Particles]
        if self._version != buffers.version:
            self._version = buffers.version
            self._find_rows()
        active = table.active_slots
        laws = table.values.group(Plastics)
        still = particles.values["still_time"]
        points = particles.rows.group(PlasticParticles)
        yield_lengths(active, laws, buffers[Springs].rows.group(PlasticSprings), points, still, dt)
        yield_angles(
            active, laws, buffers[AngularSprings].rows.group(PlasticAngles), points, still, dt
        )
        yield_shapes(active, laws, points, still, dt)

    def _find_rows(self) -> None:
        """Find the rows of the springs, angular springs and particles of every body that yields."""
        buffers = self._buffers
        values = buffers[Plasticity].values
        for name, kind in (("spring", Springs), ("angular", AngularSprings)):
            rows_beside(buffers, Plasticity, kind, values[f"{name}_first"], values[f"{name}_last"])
        # A rest shape yields where ShapeMatching holds the body as a whole, not in groups.
        whole = [
            component.slot
            for entity, component in buffers[Plasticity].bound.items()
            if (shape := buffers[ShapeMatching].bound.get(entity)) is not None
            and shape.row_count == 0
        ]
        yields = np.zeros(values.count, np.bool_)
        yields[whole] = True
        values["shape_first"][:] = np.where(yields, values["particle_first"], 0)
        values["shape_last"][:] = np.where(yields, values["particle_last"], 0)
