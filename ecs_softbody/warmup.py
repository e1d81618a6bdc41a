"""Warm-up: compile every kernel, or load it from the cache, on a tiny world of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import esper
import numpy as np

from ecs_softbody import processors as stages
from ecs_softbody.collision.blocks import Blocks
from ecs_softbody.collision.contacts import ContactList
from ecs_softbody.collision.queries import Queries, checked_filter
from ecs_softbody.collision.space import CollisionSpace
from ecs_softbody.components import (
    ALL,
    AngularMuscles,
    AngularSprings,
    AreaConstraint,
    Attachment,
    Collider,
    DistanceLimits,
    Drag,
    Inflation,
    Motor,
    MouseJoint,
    Muscles,
    Particles,
    Plasticity,
    PointGravity,
    PressureBody,
    ShapeMatching,
    Springs,
    StaticCollider,
    Tearing,
    Water,
    Wind,
)
from ecs_softbody.components.healing import Healing
from ecs_softbody.kernels.saturation import sum_shares
from ecs_softbody.kernels.workers import Workers
from ecs_softbody.pieces import Cutter
from ecs_softbody.processors.forest import Forest
from ecs_softbody.storage import Activity, PackedBuffers

WORLD = "ecs_softbody warm-up"
DT = 1.0 / 480.0


def warmup_steps(threads: int = 1) -> Iterator[tuple[int, int, str]]:
    """Run every stage of a substep once, yielding (done, total, name) after each; with threads also what they share.

    The caller's world is the current one whenever this yields.
    """
    before = esper.current_world
    esper.switch_world(WORLD)
    _spawn()
    calls = _stages(threads)
    esper.switch_world(before)
    try:
        for done, (name, call) in enumerate(calls, 1):
            before = esper.current_world
            esper.switch_world(WORLD)
            try:
                call()
            finally:
                esper.switch_world(before)
            yield done, len(calls), name
    finally:
        if esper.current_world != WORLD:
            esper.delete_world(WORLD)


def _spawn() -> None:
    """One ring of everything, a disc and a floor, all touching; inside the ring another one, across a wall."""
    ring = np.arange(4)
    esper.create_entity(
        Particles([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], radius=0.1),
        Springs(np.column_stack([ring, np.roll(ring, 1)]), stiffness=10.0, damping=0.1),
        Muscles([0]),
        AngularSprings([(0, 1, 2)], stiffness=1.0),
        AngularMuscles([0]),
        PressureBody(ring, nRT=1.0),
        Inflation(),
        AreaConstraint(ring, stiffness=1.0),
        ShapeMatching(stiffness=1.0),
        Drag(linear=0.1),
        Plasticity(yield_strain=1.0, yield_angle=1.0),
        Tearing(strain=10.0),
        Healing(ring, full_radius=0.1, time_left=1.0),
        Collider(outline=ring),
    )
    esper.create_entity(Particles([(0.5, 1.2)], radius=0.1), Collider(restitution=0.5))
    esper.create_entity(Particles([(5.0, 5.0), (6.0, 5.0)]), Springs([(0, 1)], stiffness=1.0))
    row = np.arange(8, 0, -1)
    esper.create_entity(  # a chain from its end to its start: springs that are sorted into a run
        Particles([(5.0, 5.0 + 0.1 * k) for k in range(9)]), Springs(np.column_stack([row - 1, row]), stiffness=1.0)
    )
    first = esper.create_entity(
        Particles([(5.0, 5.0), (6.0, 5.0), (6.0, 6.0)]), DistanceLimits([(0, 1), (1, 2)], minimum=0.5)
    )
    second = esper.create_entity(Particles([(6.5, 5.0), (7.0, 5.0), (7.0, 6.0)]))
    esper.create_entity(
        Attachment((first, second)), Motor((first, second), speed=1.0), MouseJoint(first, target=(5.0, 5.0))
    )
    esper.create_entity(
        Particles([(0.4, 0.4), (0.6, 0.4), (0.5, 0.6)], radius=0.01), Collider(outline=[0, 1, 2], self_collision=True)
    )
    esper.create_entity(Particles([(0.0, 3.0), (1.0, 3.0)], radius=0.1), Collider(outline=[0, 1], closed=False))
    esper.create_entity(PointGravity((0.0, 9.0), strength=1.0), Wind((1.0, 0.0)), Water(9.0))
    esper.create_entity(StaticCollider([(-1.0, -0.1), (2.0, -0.1)], surface_velocity=1.0, one_way=(0, 1)))
    esper.create_entity(StaticCollider([(0.5, 0.3), (0.5, 0.9)]))
    esper.create_entity(StaticCollider([(0.5, 0.5)], radius=0.2, sensor=True))


def _stages(threads: int) -> list[tuple[str, Callable[[], object]]]:
    buffers = PackedBuffers(Particles)
    activity, gravity = Activity(buffers), np.zeros(2)
    space = CollisionSpace(
        buffers[Particles], buffers[Collider], buffers[StaticCollider], buffers[Attachment], gravity, activity
    )
    sleep = stages.SleepProcessor(buffers, space, gravity, stages.ForceStages(buffers, activity, []))
    queries = Queries(space.sensors.bodies, space.sensors.walls, buffers[Particles], buffers[Collider])
    everything = checked_filter("warm-up", ALL, (), sensors=True)
    saturation, outlines = stages.SaturationProcessor(buffers), stages.Outlines(buffers)
    integration = stages.IntegrationProcessor(buffers, 1.0)
    saturation = stages.SaturationProcessor(buffers)
    joints = stages.JointProcessor(buffers, space)
    workers, found = Workers(threads), ContactList()
    workers.are_used = True

    def running(processor: esper.Processor) -> Callable[[], None]:
        return lambda: processor.process(DT)

    shared: list[tuple[str, Callable[[], object]]] = [
        ("springs, shared", running(stages.SpringForceProcessor(buffers, workers))),
        ("integration, shared", running(stages.IntegrationProcessor(buffers, 1.0, workers))),
        (
            "contacts of discs, shared",
            lambda: space.share_discs(found.all_rows, found.all_items, workers),
        ),
        ("motion and sweeps, shared", lambda: _share_motion(space, workers, buffers.version)),
        ("end of sharing", workers.dismiss),
    ]
    return [
        ("packing", running(stages.PackingProcessor(buffers))),
        ("waking", running(sleep)),
        ("muscles", running(stages.MusclesProcessor(buffers))),
        ("saturation", running(saturation)),
        ("written parameters", running(saturation)),
        ("advice", lambda: _advise(buffers)),
        ("gravity", running(stages.GravityProcessor(buffers, np.zeros(2)))),
        ("gravity of points", running(stages.PointGravityProcessor(buffers))),
        ("springs", running(stages.SpringForceProcessor(buffers))),
        ("angular springs", running(stages.AngularSpringForceProcessor(buffers))),
        ("pressure", running(stages.PressureForceProcessor(buffers))),
        ("area constraints", running(stages.AreaConstraintProcessor(buffers))),
        ("shape matching", running(stages.ShapeMatchingProcessor(buffers))),
        ("strength", running(stages.StrengthProcessor(buffers))),
        ("solver xpbd", running(stages.XpbdProcessor(buffers))),
        ("ropes of xpbd", lambda: Forest(buffers).rehearse(DT)),
        ("drag", running(stages.DragProcessor(buffers))),
        ("wind", running(stages.WindProcessor(buffers, outlines))),
        ("buoyancy", running(stages.BuoyancyProcessor(buffers, outlines, gravity))),
        ("explosions", lambda: _explode(buffers)),
        ("joints", running(joints)),
        ("joints under load", lambda: _load(joints)),
        ("bounds of bodies", lambda: space.prepare(buffers.version, DT, DT)),
        ("pairs of bodies", space.find_pairs),
        ("contacts", lambda: space.find_contacts(new_frame=True)),
        ("order of contacts", lambda: Blocks().put_in_order(ContactList(), Workers())),
        ("motion since then", lambda: space.find(buffers.version, DT, DT, new_frame=True)),
        ("motion of walls", lambda: space.walls.find_velocities(DT)),
        ("bodies that come apart", lambda: space.tangles.drive_apart(DT)),
        ("contact geometry", lambda: space.refresh(DT)),
        ("contact impulses", lambda: space.push(DT)),
        ("integration", running(integration)),
        ("speed limit", integration.limit),
        ("contact correction", running(stages.ContactCorrectionProcessor(space))),
        ("plasticity", running(stages.PlasticityProcessor(buffers))),
        ("tearing", running(stages.TearingProcessor(buffers, Cutter(buffers)))),
        ("healing", running(stages.HealingProcessor(buffers))),
        ("rolling", space.resist_rolling),
        ("falling asleep", lambda: sleep.rehearse(DT)),
        ("pairs that touch", space.tracker.start),
        ("rays", lambda: queries.cast((-1.0, 0.5), (2.0, 0.5), 0.0, everything, nearest_only=True)),
        ("points", lambda: queries.near((0.5, 0.5), 0.0, everything)),
        ("regions", lambda: queries.in_region((0.0, 0.0), (1.0, 1.0), everything)),
        ("nearest particle", lambda: queries.nearest_particle((0.5, 0.5), 1.0, everything)),
        *(shared if threads > 1 else []),
    ]


def _share_motion(space: CollisionSpace, workers: Workers, version: int) -> None:
    space.workers = workers
    space.prepare(version, DT, DT)
    space.is_settled(version, DT, new_frame=False)
    space.correct(DT)


def _explode(buffers: PackedBuffers) -> None:
    everybody = np.ones(buffers[Collider].values.count, np.bool_)
    everywhere = np.ones(buffers[Particles].rows.count, np.bool_)
    stages.throw_bodies(buffers, (0.5, 0.5), 1.0, 0.0, 1e-9, 1.0, everybody, everywhere)


def _advise(buffers: PackedBuffers) -> None:
    """Do what a warning about stiff springs does."""
    springs, particles = buffers[Springs].rows, buffers[Particles].rows
    room, nobody = np.zeros(particles.count), np.zeros(0, np.uint32)
    sum_shares(nobody, springs["packed_pairs"], particles["inverse_mass"], springs["stiffness"], DT * DT, room)


def _load(joints: stages.JointProcessor) -> None:
    joints.process(DT)
    joints.measure(DT)
    joints.break_overloaded()
