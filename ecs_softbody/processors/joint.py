"""JointProcessor: what holds the joints."""

from __future__ import annotations

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision import response
from ecs_softbody.collision.space import CollisionSpace
from ecs_softbody.components import Attachment, DistanceLimits, Motor, MouseJoint, Particles
from ecs_softbody.kernels.joint import solve_joints
from ecs_softbody.kernels.joint_arrays import Motion
from ecs_softbody.kernels.joint_bends import aim_bends
from ecs_softbody.kernels.joint_contacts import find_leaning
from ecs_softbody.kernels.joint_rows import aim_rows, find_couples, predict_particles, push_forces, soften_rows
from ecs_softbody.kernels.motor import drive
from ecs_softbody.processors.joint_breaking import JointBreaking
from ecs_softbody.processors.joint_rows import KINDS, NOBODY, JointRows
from ecs_softbody.storage import PackedBuffers
from ecs_softbody.storage.columns import Floats

PUSHES = np.array([
    response.NORMAL_X, response.NORMAL_Y, response.ALONG, response.GAP, response.IMPULSE, response.FRICTION_IMPULSE,
    response.FRICTION, response.SURFACE, response.ACTIVE,
])  # fmt: skip
"""What joints look at of a contact."""


class JointProcessor(esper.Processor):
    """Adds to Particles.force what makes all joints hold at the end of the substep. Runs at Order.JOINTS."""

    def __init__(self, buffers: PackedBuffers, space: CollisionSpace) -> None:
        self._buffers, self._space = buffers, space
        self._tables = [buffers[kind] for kind in KINDS]
        self._rows: JointRows | None = None
        self._version = -1
        self._seen_active: list[NDArray[np.int64]] = []
        self._predicted: Floats = np.zeros((0, 2))
        self._velocity: Floats = np.zeros((0, 2))
        self._kick: Floats = np.zeros((0, 2))
        self._leaning: Floats = np.zeros((0, 8))
        self._in_use: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._leans: NDArray[np.int8] = np.zeros(0, np.int8)
        self._breaking = JointBreaking(buffers)
        self._motors = buffers[Motor]

    @property
    def is_empty(self) -> bool:
        """Whether there is no joint that holds; motors drive but hold nothing."""
        attachments, limits, mice = self._tables
        return not (attachments.bound or limits.bound or mice.bound)

    def process(self, dt: float) -> None:
        """Add the forces of motors, then what holds all joints."""
        if self._motors.bound:
            self._drive(dt)
        if self.is_empty:
            self._rows = None
            return
        rows = self._current_rows()
        if rows.count:
            self._follow_activity(rows)
            self._read(rows)
            self._solve(rows, dt)
            self._remember(rows)

    def _drive(self, dt: float) -> None:
        table, motors = self._buffers[Particles], self._motors
        particles, values = table.rows, motors.values
        bodies = np.full((values.count, 2), NOBODY)
        for slot in np.flatnonzero(values["last"] > values["first"]):  # others are free
            rows = slice(values["first"][slot], values["last"][slot])
            of_owners = particles["body"][motors.rows["packed_rows"][rows]]
            if len(of_owners):  # else the slot is free
                bodies[slot, -len(of_owners) :] = of_owners
        driven = bodies[motors.active_slots].ravel()
        count = np.bincount(driven[driven != NOBODY], minlength=table.values.count)
        drive(
            motors.active_slots, bodies, count, table.values["first"], table.values["last"], particles["position"],
            particles["velocity"], particles["inverse_mass"], values["speed"], values["max_torque"], dt,
            particles["force"], values["load"], values["torque"],
        )  # fmt: skip

    def _current_rows(self) -> JointRows:
        """Return the rows, found anew where anything that they depend on has changed."""
        restructured = self._version != self._buffers.version
        if self._rows is None or not self._rows.is_current(self._buffers, restructured=restructured):
            self._rows = JointRows(self._buffers)
            self._seen_active = []
        self._version = self._buffers.version
        return self._rows

    def _follow_activity(self, rows: JointRows) -> None:
        """Leave out the joints of bodies that sleep or are frozen."""
        active = [table.active_slots for table in self._tables]
        if len(active) == len(self._seen_active) and all(
            now is seen for now, seen in zip(active, self._seen_active, strict=True)
        ):
            return
        self._seen_active = active
        for number, slots in enumerate(active):
            of_kind = rows.component == number
            rows.active[of_kind] = np.isin(rows.slot[of_kind], slots)

    def _read(self, rows: JointRows) -> None:
        """Read what a game may have written."""
        held, limits = rows.of(Attachment), rows.of(DistanceLimits)
        attachments = self._buffers[Attachment].values
        source = rows.source[held]
        rows.goal[held] = np.where(attachments["to_world"][source, None], attachments["at"][source], 0.0)
        if len(pulled := rows.of(MouseJoint)):
            rows.goal[pulled] = self._buffers[MouseJoint].values["target"][rows.source[pulled]]
        lengths, source = self._buffers[DistanceLimits].rows, rows.source[limits]
        rows.upper[limits] = lengths["maximum"][source]
        rows.lower[limits] = np.minimum(lengths["minimum"][source], rows.upper[limits])

    def _solve(self, rows: JointRows, dt: float) -> None:
        table = self._buffers[Particles]
        particles, spans = table.rows, (table.values["first"], table.values["last"])
        if len(self._predicted) < particles.count:
            self._predicted, self._velocity, self._kick = np.zeros((3, particles.capacity, 2))
            self._leaning, self._leans = np.zeros((particles.capacity, 8)), np.zeros(particles.capacity, np.int8)
            self._in_use = np.zeros(particles.capacity, np.bool_)
        self._lean(rows, dt)
        position, inverse_mass = particles["position"], particles["inverse_mass"]
        terms = (rows.term_first, rows.particle, rows.weight)
        predict_particles(rows.used, particles["velocity"], inverse_mass, particles["force"], dt, self._predicted)
        rows.alive[:] = rows.active
        aim_rows(
            rows.kind, rows.axis, *terms, rows.goal, position, inverse_mass, self._predicted, rows.alive, rows.gap,
            rows.direction,
        )  # fmt: skip
        aim_bends(
            rows.bend, rows.chain, *terms[:2], position, inverse_mass, rows.impulse, self._predicted, dt,
            rows.weight, rows.alive, rows.gap, rows.direction, rows.softness,
        )  # fmt: skip
        if len(pulled := rows.of(MouseJoint)):
            mice, source = self._buffers[MouseJoint].values, rows.source[pulled]
            soften_rows(
                pulled, rows.bodies, *spans, inverse_mass, mice["frequency"][source], mice["damping_ratio"][source], dt,
                rows.softness, rows.pull,
            )  # fmt: skip
            rows.ceiling[pulled] = mice["max_force"][source] * dt
        find_couples(
            rows.partner, *terms[:2], rows.bodies, *spans, position, inverse_mass, rows.gap, rows.alive, rows.direction,
            rows.couple,
        )  # fmt: skip
        motion = Motion(
            particles["body"], position, inverse_mass, self._predicted, self._velocity, self._kick, self._leaning,
            self._leans,
        )  # fmt: skip
        solve_joints(rows.columns, rows.groups, rows.matrix, motion, dt)
        push_forces(
            rows.impulse, *terms, rows.direction, rows.gap, rows.partner, rows.bodies, rows.couple, *spans, position,
            inverse_mass, dt, particles["force"],
        )  # fmt: skip

    def _lean(self, rows: JointRows, dt: float) -> None:
        """Find out which particles of joints were pressed against something in the last substep."""
        space, contacts = self._space, self._space.contacts
        count = contacts.count if space.is_up_to_date(self._buffers.version) else 0
        pushes = np.take(contacts.data[:count], PUSHES, axis=1)
        find_leaning(
            contacts.rows[:count], pushes, dt, space.offset,
            self._buffers[Particles].rows["body"], space.weight, self._buffers[Particles].rows["velocity"],
            space.walls.vertex_velocity, rows.used, self._in_use, self._leaning,
        )  # fmt: skip

    def _remember(self, rows: JointRows) -> None:
        """Add the impulses to those of the frame."""
        limits = rows.of(DistanceLimits)
        self._buffers[DistanceLimits].rows["impulse"][rows.source[limits]] -= rows.impulse[limits]
        for kind in (Attachment, MouseJoint):
            held = rows.of(kind)
            self._buffers[kind].values["impulse"][rows.source[held], rows.axis[held]] += rows.impulse[held]

    def measure(self, dt: float) -> None:
        """After the last substep of a frame of dt seconds: find the mean forces."""
        if not self.is_empty:
            self._breaking.measure(dt)

    def break_overloaded(self) -> None:
        """At the end of a frame: take away what carries too much, and tell so."""
        if self._rows is not None and self._rows.count and not self.is_empty:
            self._breaking.break_overloaded(self._rows)
