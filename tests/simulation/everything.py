"""A world with one of everything: every component, and every way that bodies can meet."""

import numpy as np

from ecs_softbody import (
    AngularMuscles,
    AngularSprings,
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
    ShapeMatching,
    Simulation,
    Springs,
    StaticCollider,
    Tearing,
    Water,
    Wind,
    blueprints,
)


def add_everything(sim: Simulation) -> None:
    """Fill a world."""
    sim.spawn(StaticCollider([(-5, 0), (5, 0), (5, 4)], restitution=0.5))
    sim.spawn(StaticCollider([(0, -3)], radius=1.0, velocity=(0.1, 0.0)))
    sim.spawn(StaticCollider([(-1, 0.5), (1, 0.5)], one_way=(0, 1)))
    sim.spawn(
        *blueprints.blob((0, 2), 0.5),
        Drag(quadratic=0.1),
        ShapeMatching(stiffness=10.0),
        Inflation(),
    )
    sim.spawn(*blueprints.polygon([(2, 1), (3, 1), (2.5, 2)]))
    sim.spawn(*blueprints.ball((0, 4), 0.3, velocity=(0, -60)))
    sim.spawn(
        *blueprints.rod((-4, 1), (-2, 1)),
        Muscles([0, 2], amplitude=0.1, frequency=1.0),
        AngularMuscles([1]),
    )
    sim.spawn(*blueprints.rod((-4, 1), (-2, 1)))
    load = Particles([(9, 9), (9, 8)], mass=[np.inf, 1e4])
    sim.spawn(load, Springs([(0, 1)], stiffness=1e6))
    rope, *others = blueprints.rope((-4, 3), (-2, 3))
    sim.spawn(
        rope,
        *others[:-1],
        AngularSprings([(0, 1, 2)], stiffness=1.0),
        Collider(self_collision=True),
    )
    sim.spawn(
        PointGravity((0, 9), strength=1.0),
        Wind((1, 0), region=((0, 0), (5, 5))),
        Water(0.5, left=0.0),
    )
    sim.spawn(*blueprints.blob((3, 5), 0.5), PointGravity(strength=1.0))
    sim.spawn(
        *blueprints.box((8, 3), 1.0),
        Plasticity(yield_strain=0.1, yield_angle=0.1),
        Tearing(strain=0.2),
    )
    sim.spawn(
        *blueprints.polygon([(9, 1), (10, 1), (9.5, 2)]),
        Plasticity(yield_strain=0.1, creep_time=0.1),
    )
    add_joints(sim)


def add_joints(sim: Simulation) -> None:
    """Every joint, one that breaks at once, and one on a body that is cut."""
    chain = np.column_stack([np.arange(9), np.arange(1, 10)])
    line = Particles([(20 + 0.1 * k, 5) for k in range(10)], pinned=np.arange(10) == 0, radius=0.03)
    sim.spawn(
        line,
        DistanceLimits(chain, break_force=[1e-3, *[np.inf] * 8]),
        Collider(outline=range(10), closed=False),
    )
    car = sim.spawn(*blueprints.box((25, 3), 1.0))
    wheel = sim.spawn(*blueprints.wheel((25, 2), 0.3))
    sim.spawn(*blueprints.axle(car, wheel, (25, 2), speed=3.0, max_torque=5.0))
    sim.spawn(Attachment((car, None), rows=(0,), break_force=1e-3))
    sim.spawn(MouseJoint(car, target=(30, 3), max_force=1.0))
    parts = [sim.spawn(*blueprints.box((10.5 + k, 1.4), 0.9)) for k in range(2)]
    sim.spawn(
        Attachment(parts, at=(11, 1.4)),
        Motor(parts, speed=1.0),
        DistanceLimits([(0, 0)], between=parts),
    )
