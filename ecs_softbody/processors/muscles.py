"""MusclesProcessor: drives rest lengths, rest angles and gas in time."""

from __future__ import annotations

from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import AngularMuscles, AngularSprings, Inflation, Muscles, Particles, PressureBody, Springs
from ecs_softbody.kernels.inflation import drive_gas
from ecs_softbody.kernels.muscles import drive_rest_angles, drive_rest_lengths
from ecs_softbody.storage import Component, PackedBuffers


class MusclesProcessor(esper.Processor):
    """Writes what Muscles, AngularMuscles and Inflation drive. Runs at Order.MUSCLES, before all forces."""

    def __init__(self, buffers: PackedBuffers) -> None:
        self._buffers = buffers
        self._muscles, self._angular, self._pumps = buffers[Muscles], buffers[AngularMuscles], buffers[Inflation]
        self._version = -1
        self._substep = 0
        self.frame_time = 0.0
        """Simulated time when the frame began [s]."""

    def process(self, dt: float) -> None:
        """Write the values of the end of this substep."""
        self._substep = 1 if self._buffers.frame_start else self._substep + 1
        if not (self._muscles.bound or self._angular.bound or self._pumps.bound):
            return
        if self._version != self._buffers.version:
            self._version = self._buffers.version
            self._find_springs(Muscles, Springs, "pairs", "rest_length")
            self._find_springs(AngularMuscles, AngularSprings, "triples", "rest_angle")
            self._find_gas()
        time = self.frame_time + self._substep * dt
        if self._muscles.bound:
            self._drive_lengths(time, dt)
        if self._angular.bound:
            self._drive_angles(time, dt)
        if self._pumps.bound:
            self._drive_gas(time, dt)

    def _drive_lengths(self, time: float, dt: float) -> None:
        particles, springs, table = self._buffers[Particles], self._buffers[Springs], self._muscles
        muscles = table.rows
        drive_rest_lengths(
            table.active_rows,
            muscles["driven"],
            springs.rows["packed_pairs"],
            particles.rows["body"],
            muscles["amplitude"],
            muscles["frequency"],
            muscles["phase"],
            muscles["target"],
            muscles["rate"],
            time,
            dt,
            muscles["base"],
            muscles["level"],
            muscles["factor"],
            muscles["seen_frequency"],
            muscles["shift"],
            muscles["written"],
            particles.values["still_time"],
            springs.rows["rest_length"],
        )

    def _drive_angles(self, time: float, dt: float) -> None:
        particles, springs, table = self._buffers[Particles], self._buffers[AngularSprings], self._angular
        muscles = table.rows
        drive_rest_angles(
            table.active_rows,
            muscles["driven"],
            springs.rows["packed_triples"],
            particles.rows["body"],
            muscles["amplitude"],
            muscles["frequency"],
            muscles["phase"],
            muscles["target"],
            muscles["rate"],
            time,
            dt,
            muscles["base"],
            muscles["level"],
            muscles["seen_frequency"],
            muscles["shift"],
            muscles["written"],
            particles.values["still_time"],
            springs.rows["rest_angle"],
        )

    def _drive_gas(self, time: float, dt: float) -> None:
        particles, gas, table = self._buffers[Particles], self._buffers[PressureBody], self._pumps
        pumps = table.values
        drive_gas(
            table.active_slots,
            pumps["driven"],
            particles.rows.arrays["body"][pumps["particle_first"]],
            pumps["amplitude"],
            pumps["frequency"],
            pumps["phase"],
            pumps["target"],
            pumps["rate"],
            time,
            dt,
            pumps["base"],
            pumps["level"],
            pumps["factor"],
            pumps["seen_frequency"],
            pumps["shift"],
            pumps["written"],
            particles.values["still_time"],
            gas.values["nRT"],
        )

    def _find_springs(self, kind: type[Component], spring_kind: type[Component], index: str, rest: str) -> None:
        """Tell every muscle the packed row of its spring, again after anything came or went."""
        bound, springs_of = self._buffers[kind].bound, self._buffers[spring_kind].bound
        self._buffers[kind].rows["driven"][:] = -1  # rows of muscles that are gone drive nothing
        for entity, muscles in bound.items():
            span = slice(muscles.row_start, muscles.row_stop)
            own = {name: array[span] for name, array in muscles.row_arrays.items()}
            springs = springs_of.get(entity)
            if springs is None:
                own["driven"][:] = -1
                continue
            joined = springs.row_arrays[index][springs.row_start : springs.row_stop]
            is_new = not muscles.value_arrays["started"][muscles.slot]
            if is_new:
                own["ends"][:] = joined[own["rows"]]
            local = _local_rows(own["rows"], own["ends"], joined)
            own["driven"][:] = np.where(local < 0, -1, local + springs.row_start)
            if is_new:
                lengths = springs.row_arrays[rest][own["driven"]]
                _begin(own, lengths)
                muscles.value_arrays["started"][muscles.slot] = True

    def _find_gas(self) -> None:
        """Tell every pump the slot of its gas."""
        gas_of, table = self._buffers[PressureBody], self._buffers[Inflation]
        table.values["driven"][:] = -1  # slots of pumps that are gone drive nothing
        for entity, pump in table.bound.items():
            own = {name: array[pump.slot : pump.slot + 1] for name, array in pump.value_arrays.items()}
            gas = gas_of.bound.get(entity)
            own["driven"][0] = -1 if gas is None else gas.slot
            if gas is not None and not own["started"][0]:
                _begin(own, gas_of.values["nRT"][gas.slot : gas.slot + 1])
                own["started"][0] = True


def _begin(own: dict[str, NDArray[Any]], now: NDArray[np.float64]) -> None:
    """Start from what is there now: the muscles rest."""
    own["written"][:] = now
    own["base"][:] = np.where(np.isnan(own["base"]), now, own["base"])
    own["seen_frequency"][:] = own["frequency"]
    if "factor" in own:
        own["factor"][:] = own["level"][:] = 1.0


def _local_rows(rows: NDArray[np.int32], ends: NDArray[np.int32], joined: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return for each muscle the row of its spring among those now `joined`, -1 where it is gone.

    A spring that was torn takes its row with it, and others move up: so a row counts only with the right ends.
    """
    found = np.where(rows < len(joined), rows, -1).astype(np.int64)
    moved = (found < 0) | (joined[found] != ends).any(axis=1) if len(joined) else np.ones(len(rows), np.bool_)
    for muscle in np.flatnonzero(moved):
        same = np.flatnonzero((joined == ends[muscle]).all(axis=1))
        found[muscle] = same[0] if len(same) else -1
    return found
