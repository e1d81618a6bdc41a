"""pymunk: circles; those of soft bodies cannot turn and are joined by DampedSpring."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pymunk
from numpy.typing import NDArray

from peers import Setting
from scenes import FRAME, GRAVITY, SUBSTEPS, Scene

HASH_FROM = 10_000
"""From so many bodies on its spatial hash is tried as well."""
FASTEST, DEFAULT = 1, 10
"""Iterations."""
THICK = 2.0
"""Half the thickness of walls [m]; through thin ones balls are squeezed out of the room."""


class Pymunk:
    """A Space that takes `steps` steps of a frame, each with so many iterations."""

    def __init__(
        self, scene: Scene, iterations: int, steps: int = SUBSTEPS, *, spatial_hash: bool = False
    ) -> None:
        self.steps = steps
        self.space = pymunk.Space()
        self.space.gravity = (0.0, GRAVITY)
        self.space.iterations = iterations
        # it multiplies those of a pair
        self.surface = math.sqrt(scene.friction), math.sqrt(scene.restitution)
        if spatial_hash:
            self.space.use_spatial_hash(2.0 * float(scene.radius.mean()), 10 * len(scene.radius))
        self.bodies = [self._add_particle(scene, row) for row in range(len(scene.position))]
        for (a, b), rest in zip(scene.pairs, scene.rest_length, strict=True):
            if b >= scene.pinned_count:
                ends = self.bodies[a], self.bodies[b]
                self.space.add(
                    pymunk.DampedSpring(*ends, (0, 0), (0, 0), rest, scene.stiffness, scene.damping)
                )
        if scene.room_width:
            (left, top), (_, bottom), (right, _), _ = scene.wall()
            left = left - THICK
            bottom = bottom - THICK
            right = right + THICK
            for start, end in itertools.pairwise(
                [(left, top), (left, bottom), (right, bottom), (right, top)]
            ):
                wall = pymunk.Segment(self.space.static_body, start, end, THICK)
                wall.friction, wall.elasticity = self.surface
                self.space.add(wall)

    def _add_particle(self, scene: Scene, row: int) -> pymunk.Body:
        """Add a disc, as a mass point where it belongs to a soft body."""
        mass = float(scene.mass[row])
        radius = float(scene.radius[row])
        kind = pymunk.Body.STATIC if scene.pinned[row] else pymunk.Body.DYNAMIC
        moment = float("inf") if scene.is_soft else pymunk.moment_for_circle(mass, 0.0, radius)
        body = pymunk.Body(mass, moment, body_type=kind)
        body.position = tuple(scene.position[row])
        self.space.add(body)
        if scene.room_width:
            disc = pymunk.Circle(body, radius)
            disc.friction, disc.elasticity = self.surface
            disc.filter = pymunk.ShapeFilter(group=int(scene.body[row]) + 1 if scene.is_soft else 0)
            self.space.add(disc)
        return body

    def step(self) -> None:
        """Run one frame."""
        for _ in range(self.steps):
            self.space.step(FRAME / self.steps)

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""
        return np.array([body.position for body in self.bodies])


def settings(scene: Scene) -> list[Setting]:
    """Return its fastest setting and its default; rigid balls need one step only."""
    if scene.is_soft:
        return [
            (f"pymunk, {SUBSTEPS} steps × 1 iteration", lambda: Pymunk(scene, FASTEST)),
            (f"pymunk, {SUBSTEPS} steps × 10 iterations", lambda: Pymunk(scene, DEFAULT)),
        ]
    found: list[Setting] = [("pymunk, 1 step × 10 iterations", lambda: Pymunk(scene, DEFAULT, 1))]
    if scene.body_count >= HASH_FROM:
        label = "pymunk, 1 step × 10 iterations, spatial hash"
        found.append((label, lambda: Pymunk(scene, DEFAULT, 1, spatial_hash=True)))
    return found
