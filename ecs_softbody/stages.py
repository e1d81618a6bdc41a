"""Stages: the processors of one world, made once, and their places in the order of a substep."""

from __future__ import annotations

import esper

from ecs_softbody import processors
from ecs_softbody.collision.queries import Queries
from ecs_softbody.collision.space import CollisionSpace
from ecs_softbody.components import Attachment, Collider, Particles, StaticCollider
from ecs_softbody.kernels.workers import Workers
from ecs_softbody.pieces import Cutter
from ecs_softbody.processors import Order
from ecs_softbody.storage import Activity, PackedBuffers
from ecs_softbody.storage.columns import Floats

SPEED_LIMIT = 10_000.0
"""Default of `Simulation.speed_limit` [m/s]: the last line of defence, far above what games need."""

SOLVERS = ("saturated", "xpbd")
"""What the forces inside soft bodies can be found with (docs/solvers.md)."""

Placed = list[tuple[esper.Processor, Order]]


class Stages:
    """Every default processor of a simulation, and what they share."""

    def __init__(self, buffers: PackedBuffers, gravity: Floats, solver: str, workers: Workers) -> None:
        self._buffers, self._workers = buffers, workers
        activity = Activity(buffers)
        strength = processors.StrengthProcessor if solver == "xpbd" else processors.SaturationProcessor
        self.saturation = strength(buffers)
        self.muscles = processors.MusclesProcessor(buffers)
        self.integration = processors.IntegrationProcessor(buffers, SPEED_LIMIT, workers)
        self.space = CollisionSpace(
            buffers[Particles], buffers[Collider], buffers[StaticCollider], buffers[Attachment], gravity, activity
        )
        self.space.speed_limit = SPEED_LIMIT
        self.space.workers = workers
        self.joints = processors.JointProcessor(buffers, self.space)
        self._forces = self._make_forces(gravity, solver)
        force_stages = processors.ForceStages(buffers, activity, [stage for stage, _ in self._forces])
        self.sleep = processors.SleepProcessor(buffers, self.space, gravity, force_stages)
        self._guard = self._make_guard(solver)
        self.collision = processors.CollisionProcessor(buffers, self.space, self.sleep)
        self.cutter = Cutter(buffers)
        self.contact_events = processors.ContactEvents(self.space.tracker.pairs)
        sensors = self.space.sensors
        self.queries = Queries(sensors.bodies, sensors.walls, buffers[Particles], buffers[Collider])

    def _make_forces(self, gravity: Floats, solver: str) -> Placed:
        """Make the stages that add to Particles.force; they are run again for bodies that wake in a substep."""
        buffers, outlines = self._buffers, processors.Outlines(self._buffers)
        drag = processors.DragProcessor(buffers)
        pulls: Placed = [
            (processors.GravityProcessor(buffers, gravity), Order.GRAVITY),
            (processors.PointGravityProcessor(buffers), Order.POINT_GRAVITY),
        ]
        wind = processors.WindProcessor(buffers, outlines)
        buoyancy = processors.BuoyancyProcessor(buffers, outlines, gravity)
        joints: Placed = [(self.joints, Order.JOINTS)]
        if solver == "xpbd":
            resists: Placed = [(stage, Order.XPBD_DRAG) for stage in (drag, wind, buoyancy)]
            return [*pulls, (processors.XpbdProcessor(buffers), Order.XPBD), *resists, *joints]
        return [
            *pulls,
            (processors.SpringForceProcessor(buffers, self._workers), Order.SPRING_FORCE),
            (processors.AngularSpringForceProcessor(buffers), Order.ANGULAR_SPRING_FORCE),
            (processors.PressureForceProcessor(buffers), Order.PRESSURE_FORCE),
            (processors.AreaConstraintProcessor(buffers), Order.AREA_CONSTRAINT),
            (processors.ShapeMatchingProcessor(buffers), Order.SHAPE_MATCHING),
            (drag, Order.DRAG),
            (wind, Order.WIND),
            (buoyancy, Order.BUOYANCY),
            *joints,
        ]

    def _make_guard(self, solver: str) -> Placed:
        """Make what keeps numbers that are not finite from a stage that would pass them on."""
        return [(processors.FiniteGuardProcessor(self.sleep.guard), Order.GUARD)] if solver == "xpbd" else []

    def in_order(self) -> Placed:
        """Return all processors with their priorities, from the first of a substep to the last."""
        return [
            (processors.PackingProcessor(self._buffers), Order.PACKING),
            (self.sleep, Order.WAKING),
            (self.muscles, Order.MUSCLES),
            (self.saturation, Order.SATURATION),
            *self._forces,
            *self._guard,
            (self.collision, Order.COLLISION),
            (self.integration, Order.INTEGRATION),
            (processors.ContactCorrectionProcessor(self.space), Order.CONTACT_CORRECTION),
            (processors.PlasticityProcessor(self._buffers), Order.PLASTICITY),
            (processors.TearingProcessor(self._buffers, self.cutter), Order.TEARING),
            (processors.HealingProcessor(self._buffers), Order.HEALING),
        ]
