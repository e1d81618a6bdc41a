"""Box2D 2.3 through its Python bindings: circles; those of soft bodies cannot turn, joined by soft
distance joints.
"""

from __future__ import annotations

import itertools
import math

import Box2D
import numpy as np
from numpy.typing import NDArray

from peers import Setting
from scenes import FRAME, GRAVITY, SUBSTEPS, Scene


class PyBox2D:
    """A b2World that takes `steps` steps of a frame, with so many velocity and position iterations
    each.
    """

    def __init__(self, scene: Scene, steps: int, velocity: int, position: int) -> None:
        self.steps = steps
        self.iterations = (velocity, position)
        self.world = Box2D.b2World(gravity=(0.0, GRAVITY))
        self.bodies = [self._add_particle(scene, row) for row in range(len(scene.position))]
        inverse = np.where(scene.pinned, 0.0, 1.0 / scene.mass)
        for (a, b), rest in zip(scene.pairs.tolist(), scene.rest_length.tolist(), strict=True):
            together = inverse[a] + inverse[b]
            # it takes frequency and damping ratio of the pair instead of k and c
            if together > 0.0:
                turns = math.sqrt(scene.stiffness * together)
                self.world.CreateDistanceJoint(
                    bodyA=self.bodies[a],
                    bodyB=self.bodies[b],
                    localAnchorA=(0, 0),
                    localAnchorB=(0, 0),
                    length=rest,
                    frequencyHz=turns / (2.0 * math.pi),
                    dampingRatio=0.5 * scene.damping * together / turns,
                    collideConnected=True,
                )
        if scene.room_width:
            walls = self.world.CreateStaticBody()
            for ends in itertools.pairwise(scene.wall()):
                walls.CreateEdgeFixture(vertices=list(ends), friction=scene.friction)

    def _add_particle(self, scene: Scene, row: int) -> Box2D.b2Body:
        """Add a disc, as a mass point where it belongs to a soft body."""
        place = tuple(scene.position[row].tolist())
        radius = float(scene.radius[row])
        if scene.pinned[row]:
            return self.world.CreateStaticBody(position=place)
        body = self.world.CreateDynamicBody(
            position=place, fixedRotation=scene.is_soft, allowSleep=False
        )
        disc = Box2D.b2FixtureDef(
            shape=Box2D.b2CircleShape(radius=radius),
            density=float(scene.mass[row]) / (math.pi * radius**2),
            friction=scene.friction,
            restitution=scene.restitution,
            groupIndex=-1 - int(scene.body[row]) if scene.is_soft else 0,
        )
        if not scene.room_width:
            disc.maskBits = 0
        body.CreateFixture(disc)
        return body

    def step(self) -> None:
        """Run one frame."""
        for _ in range(self.steps):
            self.world.Step(FRAME / self.steps, *self.iterations)
            self.world.ClearForces()

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""
        return np.array([tuple(body.position) for body in self.bodies])


def settings(scene: Scene) -> list[Setting]:
    """Return its default, one step with 8 and 3 iterations, and small steps; the net holds in small
    steps only.
    """
    default: Setting = ("Box2D 2.3, 1 step × 8 and 3 iterations", lambda: PyBox2D(scene, 1, 8, 3))
    if not scene.room_width:
        return [
            (f"Box2D 2.3, {SUBSTEPS} steps × 1 iteration", lambda: PyBox2D(scene, SUBSTEPS, 1, 1))
        ]
    if not scene.is_soft:
        return [default]
    small: Setting = (
        f"Box2D 2.3, {SUBSTEPS} steps × 2 and 1 iterations",
        lambda: PyBox2D(scene, SUBSTEPS, 2, 1),
    )
    return [default, small]
