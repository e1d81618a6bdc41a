"""A world with every component, and a script that cuts, explodes, despawns and spawns in it."""

from __future__ import annotations

import numpy as np

import ecs_softbody as e
from ecs_softbody import blueprints

FRAME = 1.0 / 60.0


def spawn_everything(sim: e.Simulation) -> list[int]:
    """Spawn bodies, joints, muscles, fields, walls; return the blobs, then the boxes."""
    spawn = sim.spawn
    spawn(e.StaticCollider([(-6, 12), (-6, 0), (-1, 0), (0, -0.4), (1, 0), (14, 0.5), (14, 12)], friction=0.4))
    spawn(e.StaticCollider([(-5, 2), (-2, 2)], one_way=(0, 1)))
    spawn(e.StaticCollider([(4, 1.5)], radius=0.6, angular_velocity=2.0, restitution=0.5))
    spawn(e.StaticCollider([(6, 1), (8, 1)], velocity=(0.1, 0.0), surface_velocity=0.5))
    spawn(e.StaticCollider([(-4, 1)], radius=0.7, sensor=True))
    blobs = [spawn(*blueprints.blob((-4 + 1.1 * k, 3 + 0.4 * k), 0.45, restitution=0.2 * (k % 3))) for k in range(5)]
    boxes = [spawn(*blueprints.box((-3 + 1.3 * k, 6), 0.8, shape_stiffness=1e4 * (k % 2))) for k in range(4)]
    spawn(*blueprints.rope((-5, 9), (2, 9), segments=20, pin_start=True))
    spawn(*blueprints.cloth((8, 5), (1.0, 1.0)))
    for k in range(10):
        spawn(*blueprints.ball((-4 + 0.8 * k, 10.5), 0.2, restitution=0.5))
    spawn(e.Attachment((boxes[0], boxes[1])), e.Motor((boxes[2], blobs[2]), speed=2.0, max_torque=5.0))
    spawn(e.MouseJoint(boxes[3], target=(2.0, 7.0)))
    links = e.Particles([(10 + 0.3 * k, 9) for k in range(8)], pinned=[True] + [False] * 7)
    spawn(links, e.DistanceLimits([(k, k + 1) for k in range(7)]))
    clay, *others = blueprints.box((11, 4), 1.0)
    spawn(clay, *others, e.Plasticity(yield_strain=0.05, yield_angle=0.1), e.Tearing(strain=0.8))
    ring, *others = blueprints.blob((12, 7), 0.5)
    spawn(ring, *others, e.Inflation(amplitude=0.3, frequency=1.0), e.Drag(linear=0.1, quadratic=0.2))
    worm, *others = blueprints.box((7, 4), 0.9)
    spawn(worm, *others, e.Muscles(np.arange(4), amplitude=0.3, frequency=2.0))
    spawn(e.Wind((3.0, 0.0)), e.Water(0.6), e.PointGravity((4.0, 5.0), strength=2.0))
    return [int(body) for body in (*blobs, *boxes)]  # plain numbers: they are those of copies as well


def run(sim: e.Simulation, bodies: list[int], frames: range) -> list[str]:
    """Step these frames, with what happens in them; return the hash after each."""
    hashes = []
    for frame in frames:
        if frame == 40:
            sim.cut((-6.0, 1.0), (14.0, 1.4), entity=[body for body in bodies if sim.exists(body)])
        if frame == 55:
            sim.explode((2.0, 1.0), radius=3.0, impulse=3.0)
            sim.spawn(*blueprints.blob((0.0, 8.0), 0.3))
        if frame == 70 and sim.exists(bodies[3]):
            sim.despawn(bodies[3])
        sim.step(FRAME)
        hashes.append(sim.state_hash())
    return hashes
