"""MusclesProcessor: drives rest lengths, rest angles and gas in time.

A muscle has a signal s = level + amplitude · sin(2π f t + phase); its level goes to a target at a
limited rate. It writes base · s to the rest length of a spring or to the nRT of gas, and base + s
to the rest angle of an angular spring (kernels/materials/muscles.py). Muscles drive springs,
AngularMuscles angular springs, Inflation (a pump) the gas.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import (
    AngularMuscles,
    AngularSprings,
    Inflation,
    Muscles,
    Particles,
    PressureBody,
    Springs,
)
from ecs_softbody.components.muscles import joined_by, spring_rows
from ecs_softbody.indices import arange
from ecs_softbody.kernels.materials.muscles import Drive, Driven, drive
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Spawn, Stage, StageContext
from ecs_softbody.storage import Column, Component, Value, add_stage_columns

DRIVES: tuple[tuple[type[Component], str, type[Column[Any] | Value[Any]]], ...] = (
    (Muscles, "m", Column),
    (AngularMuscles, "rad", Column),
    (Inflation, "J", Value),
)
"""Component of each kind of muscle, unit of its drive, and whether it is a column or a value."""
for kind, unit, declare in DRIVES:
    add_stage_columns(
        kind,
        "MusclesProcessor",
        factor=declare(
            dtype=np.float64, doc="share of base with the wave; 0 where angles are added"
        ),
        written=declare(dtype=np.float64, unit=unit, doc="driven value that was written last"),
        seen_frequency=declare(dtype=np.float64, unit="Hz", doc="frequency of the last substep"),
        shift=declare(
            dtype=np.float64, doc="turns that changes of frequency have left to make up for"
        ),
        driven=declare(
            dtype=np.int64, doc="row of the spring, or slot of the PressureBody; -1 without one"
        ),
    )


class MusclesProcessor(Stage):
    """Writes the values driven by Muscles, AngularMuscles and Inflation.

    Runs at Order.MUSCLES, before all forces.
    """

    order = Order.MUSCLES
    bound = ("_version",)
    components = (Muscles, AngularMuscles, Inflation)
    reads = ("AngularSprings", "Frame", "Particles", "PressureBody", "Springs")
    writes = (
        "AngularMuscles.*",
        "AngularSprings.rest_angle",
        "Inflation.*",
        "Muscles.*",
        "Particles.still_time",
        "PressureBody.nRT",
        "Springs.rest_length",
    )

    def __init__(self, context: StageContext) -> None:
        self._buffers = context.buffers
        self._frame = context.frame
        buffers = context.buffers
        self._muscles = buffers[Muscles]
        self._angular = buffers[AngularMuscles]
        self._pumps = buffers[Inflation]
        # Version of the buffers for which the driven rows were found.
        self._version = -1
        self._drive_lengths = PreparedCall(drive, self._lengths, buffers.replaced)
        self._drive_angles = PreparedCall(drive, self._angles, buffers.replaced)
        self._drive_gas = PreparedCall(drive, self._gas, buffers.replaced)

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A ring of all that muscles drive."""
        ring = arange(4)
        body = Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
        springs = Springs(np.column_stack([ring, np.roll(ring, 1)]), stiffness=10.0, damping=0.1)
        angles = AngularSprings([(0, 1, 2)], stiffness=1.0)
        gas = PressureBody(ring, nRT=1.0)
        spawn(body, springs, Muscles([0]), angles, AngularMuscles([0]), gas, Inflation())

    def process(self, dt: float) -> None:
        """Write the values that belong to the end of this substep of dt seconds."""
        if self._version != self._buffers.version:
            self._version = self._buffers.version
            self._find_springs(Muscles, Springs, "rest_length")
            self._find_springs(AngularMuscles, AngularSprings, "rest_angle")
            self._find_gas()
        # The first argument tells whether the signal is added to the base, or scales it.
        time = self._frame.time + self._frame.substep * dt
        if self._muscles.bound:
            self._drive_lengths(False, time, dt)
        if self._angular.bound:
            self._drive_angles(True, time, dt)
        if self._pumps.bound:
            self._drive_gas(False, time, dt)

    def _lengths(self) -> tuple[Any, ...]:
        springs = self._buffers[Springs].rows
        table = self._muscles
        driven = self._driven(springs["rest_length"], springs["packed_pairs"])
        return table.active_rows, table.rows.group(Drive), driven

    def _angles(self) -> tuple[Any, ...]:
        springs = self._buffers[AngularSprings].rows
        table = self._angular
        driven = self._driven(
            springs["rest_angle"], springs["packed_triples"], first_end=1, last_end=2
        )
        return table.active_rows, table.rows.group(Drive), driven

    def _gas(self) -> tuple[Any, ...]:
        """Return the arguments for the pumps: a span for each slot, their values, and the gas."""
        gas = self._buffers[PressureBody].values
        table = self._pumps
        slots = table.active_slots
        spans = np.column_stack((slots, slots + 1))
        return (
            spans,
            table.values.group(Drive),
            self._driven(gas["nRT"], gas["particle_first"][:, None]),
        )

    def _driven(
        self,
        value: NDArray[np.float64],
        ends: NDArray[np.uint32],
        first_end: int = 0,
        last_end: int = 0,
    ) -> Driven:
        """Return a driven column for the kernel, with the particles whose bodies a working drive
        keeps awake: `ends` (D, E), columns from `first_end` to before `last_end` (0: all columns).
        """
        particles = self._buffers[Particles]
        own = first_end, last_end or ends.shape[1]
        return Driven(value, ends, *own, particles.rows["body"], particles.values["still_time"])

    def _find_springs(self, kind: type[Component], spring_kind: type[Component], rest: str) -> None:
        """Find the packed row of the spring of every muscle, after anything came or went.

        kind: Muscles or AngularMuscles; spring_kind: class of the springs beside them; rest: the
        column that they drive.
        """
        bound = self._buffers[kind].bound
        springs_of = self._buffers[spring_kind].bound
        # Rows of removed muscles drive nothing.
        self._buffers[kind].rows["driven"][:] = -1
        for entity, muscles in bound.items():
            span = slice(muscles.row_start, muscles.row_stop)
            own = {name: array[span] for name, array in muscles.row_arrays.items()}
            springs = springs_of.get(entity)
            if springs is None:
                own["driven"][:] = -1
                continue
            # `local`: row of each muscle's spring in the component, -1 where it is gone. A new
            # muscle notes which particles its spring joins: by these it finds the spring later.
            is_new = not muscles.value_arrays["started"][muscles.slot]
            local = spring_rows(muscles, springs)
            if is_new:
                own["ends"][local >= 0] = joined_by(springs)[local[local >= 0]]
            own["driven"][:] = np.where(local < 0, -1, local + springs.row_start)
            # The rows of games and files say where the springs are now.
            np.copyto(own["rows"], local, where=local >= 0, casting="same_kind")
            if is_new:
                lengths = springs.row_arrays[rest][own["driven"]]
                _begin(own, lengths, scales=kind is Muscles)
                muscles.value_arrays["started"][muscles.slot] = True

    def _find_gas(self) -> None:
        """Find the slot of the gas of every pump."""
        gas_of = self._buffers[PressureBody]
        table = self._buffers[Inflation]
        table.values["driven"][:] = -1  # slots of pumps that are gone drive nothing
        for entity, pump in table.bound.items():
            own = {
                name: array[pump.slot : pump.slot + 1] for name, array in pump.value_arrays.items()
            }
            gas = gas_of.bound.get(entity)
            own["driven"][0] = -1 if gas is None else gas.slot
            if gas is not None and not own["started"][0]:
                _begin(own, gas_of.values["nRT"][gas.slot : gas.slot + 1], scales=True)
                own["started"][0] = True


def _begin(own: dict[str, NDArray[Any]], now: NDArray[np.float64], *, scales: bool) -> None:
    """Start muscles, given their columns by name; `now`: the present values that they drive."""
    own["written"][:] = now
    own["base"][:] = np.where(np.isnan(own["base"]), now, own["base"])
    own["seen_frequency"][:] = own["frequency"]
    if scales:
        own["factor"][:] = own["level"][:] = 1.0
