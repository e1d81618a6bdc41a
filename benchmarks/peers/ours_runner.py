"""ecs_softbody: one entity a body, discs that collide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Collider, Particles, Simulation, Springs, StaticCollider
from peers import Setting
from scenes import FRAME, GRAVITY, SUBSTEPS, Scene

BALL_SUBSTEPS, CROWD_SUBSTEPS, CROWD_FROM = 1, 2, 10_000
"""Substeps of balls, and of so many of them: the fewest with which 95 in 100 overlap by less than
0.05 radii.
"""


class Ours:
    """Nothing sleeps; springs have the stiffness and damping of the scene."""

    def __init__(self, scene: Scene, substeps: int = SUBSTEPS) -> None:
        world = f"benchmark {scene.name} {substeps}"
        self.sim = Simulation(
            gravity=(0.0, GRAVITY), substeps=substeps, world=world, sleeping=False
        )
        self.bodies = []
        first_rows = np.flatnonzero(np.diff(scene.body, prepend=-1))
        last_rows = np.append(first_rows[1:], len(scene.body))
        owner = scene.body[scene.pairs[:, 0]]
        starts, ends = (
            np.searchsorted(owner, np.arange(scene.body_count), side) for side in ("left", "right")
        )
        for body, (first, last) in enumerate(zip(first_rows, last_rows, strict=True)):
            rows = slice(first, last)
            parts = [
                Particles(scene.position[rows], mass=scene.mass[rows], radius=scene.radius[rows],
                          pinned=scene.pinned[rows])
            ]  # fmt: skip
            if scene.is_soft:
                pairs = scene.pairs[starts[body] : ends[body]] - first
                parts.append(Springs(pairs, stiffness=scene.stiffness, damping=scene.damping))
            if scene.room_width:
                parts.append(Collider(friction=scene.friction, restitution=scene.restitution))
            self.sim.spawn(*parts)
            self.bodies.append(parts[0])
        if scene.room_width:
            self.sim.spawn(StaticCollider(scene.wall(), friction=scene.friction))

    def step(self) -> None:
        """Run one frame."""
        self.sim.step(FRAME)

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""
        return np.concatenate([body.position for body in self.bodies])

    def close(self) -> None:
        """Give up the world."""
        self.sim.close()


def settings(scene: Scene) -> list[Setting]:
    """Return how ours runs: ratios are over the first.

    Balls have no springs, so they need few substeps.
    """
    found: list[Setting] = [(f"ecs_softbody, {SUBSTEPS} substeps", lambda: Ours(scene))]
    if not scene.is_soft:
        few = BALL_SUBSTEPS if scene.body_count < CROWD_FROM else CROWD_SUBSTEPS
        label = f"ecs_softbody, {few} substep{'s' if few > 1 else ''}"
        found.insert(0, (label, lambda: Ours(scene, few)))
    return found
