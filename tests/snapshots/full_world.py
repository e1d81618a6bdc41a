"""A world with every component, and a script that cuts, explodes, despawns and spawns in it."""

from __future__ import annotations

import ecs_softbody as e
from benchmarks import state_hashes
from ecs_softbody import blueprints

FRAME = 1.0 / 60.0


def spawn_everything(sim: e.Simulation) -> list[int]:
    """Spawn bodies, joints, muscles, fields, walls; return the blobs, then the boxes."""
    blobs, boxes = state_hashes.spawn_everything(sim)
    # plain numbers: they are those of copies as well
    return [int(body) for body in (*blobs, *boxes)]


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
