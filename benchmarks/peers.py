"""The runners: each builds a scene, steps one frame at a time, and tells where the particles are."""

from __future__ import annotations

import itertools
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scenes import FRAME, GRAVITY, SUBSTEPS, Scene

WALL_HEIGHT = 1000.0


class Runner(Protocol):
    """What the benchmark needs of a peer."""

    label: str

    def step(self) -> None:
        """Run one frame."""

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""


class Ours:
    """ecs_softbody: one entity a body, discs that collide, 8 substeps."""

    label = "ecs_softbody, 8 substeps"

    def __init__(self, scene: Scene) -> None:
        from ecs_softbody import Collider, Particles, Simulation, Springs, StaticCollider

        self.sim = Simulation(
            gravity=(0.0, GRAVITY), substeps=SUBSTEPS, world=f"benchmark {scene.name}", sleeping=False
        )
        self.scene = scene
        self.bodies = []
        owner = scene.body[scene.pairs[:, 0]]
        for body in range(int(scene.body.max()) + 1):
            rows = np.flatnonzero(scene.body == body)
            particles = Particles(scene.position[rows], mass=scene.mass, radius=scene.radius, pinned=scene.pinned[rows])
            pairs = scene.pairs[owner == body] - rows[0]
            springs = Springs(pairs, stiffness=scene.stiffness, damping=scene.damping)
            collider = [Collider(friction=scene.friction)] if scene.room_width else []
            self.sim.spawn(particles, springs, *collider)
            self.bodies.append(particles)
        if scene.room_width:
            width = scene.room_width
            walls = [(0.0, WALL_HEIGHT), (0.0, 0.0), (width, 0.0), (width, WALL_HEIGHT)]
            self.sim.spawn(StaticCollider(walls, friction=scene.friction))

    def step(self) -> None:
        """Run one frame."""
        self.sim.step(FRAME)

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""
        return np.concatenate([body.position for body in self.bodies])


class Pymunk:
    """pymunk: circles that cannot turn, joined by DampedSpring, 8 steps of a frame."""

    def __init__(self, scene: Scene, iterations: int) -> None:
        import pymunk

        self.label = f"pymunk {pymunk.version}, 8 steps x {iterations} iterations"
        self.space = pymunk.Space()
        self.space.gravity = (0.0, GRAVITY)
        self.space.iterations = iterations
        self.bodies = []
        for place, pinned, body in zip(scene.position, scene.pinned, scene.body, strict=True):
            kind = pymunk.Body.STATIC if pinned else pymunk.Body.DYNAMIC
            mass_point = pymunk.Body(scene.mass, float("inf"), body_type=kind)
            mass_point.position = tuple(place)
            self.space.add(mass_point)
            if scene.room_width:
                disc = pymunk.Circle(mass_point, scene.radius)
                disc.friction = scene.friction
                disc.filter = pymunk.ShapeFilter(group=int(body) + 1)
                self.space.add(disc)
            self.bodies.append(mass_point)
        for (a, b), rest in zip(scene.pairs, scene.rest_length, strict=True):
            if scene.pinned[a] and scene.pinned[b]:
                continue
            spring = pymunk.DampedSpring(
                self.bodies[a], self.bodies[b], (0, 0), (0, 0), rest, scene.stiffness, scene.damping
            )
            self.space.add(spring)
        if scene.room_width:
            width = scene.room_width
            corners = [(0.0, WALL_HEIGHT), (0.0, 0.0), (width, 0.0), (width, WALL_HEIGHT)]
            for start, end in itertools.pairwise(corners):
                wall = pymunk.Segment(self.space.static_body, start, end, 0.0)
                wall.friction = scene.friction
                self.space.add(wall)

    def step(self) -> None:
        """Run one frame."""
        for _ in range(SUBSTEPS):
            self.space.step(FRAME / SUBSTEPS)

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""
        return np.array([body.position for body in self.bodies])
