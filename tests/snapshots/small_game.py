"""A small game with timers, random numbers and a world that changes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import ClassVar

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.play import Axis, Button, Controls, Game, Rewind


class Hop(Game):
    """A blob that hops; balls rain."""

    name = "hop"
    actions: ClassVar[Mapping[str, Axis | Button]] = {
        "move": Axis("left", "right"),
        "hop": Button("space"),
        "rewind": Button("z"),
    }

    def start(self) -> None:
        """Build the world."""
        self.close()
        self.sim = Simulation(world="hop", substeps=2)
        self.sim.spawn(StaticCollider([(-6, 3), (-6, 0), (6, 0), (6, 3)]))
        self.hero = self.sim.spawn(*blueprints.blob((0, 0.6), 0.5))
        self.balls: list[int] = []
        self.frames = 0
        self.score = {"hops": 0}
        self.clock.every(0.25, self.rain)
        self.rewinding = Rewind(self, seconds=1.0)

    def rain(self) -> None:
        """Drop a ball, and take the oldest away."""
        x = random.uniform(-4.0, 4.0)
        self.balls.append(self.sim.spawn(*blueprints.ball((x, 4.0), 0.15)))
        if len(self.balls) > 4:
            self.sim.despawn(self.balls.pop(0))

    def update(self, controls: Controls, dt: float) -> None:
        """Hop and roll."""
        if controls.is_held("rewind") and self.rewinding.back(3):
            return
        particles = self.sim.get(self.hero, Particles)
        particles.velocity[:, 0] += 4.0 * dt * controls.axis("move")
        if controls.was_pressed("hop"):
            particles.velocity[:, 1] += 4.0
            self.score["hops"] += 1

    def after_step(self, dt: float) -> None:
        """Count, and keep the moment."""
        self.frames += 1
        self.rewinding.note()

    def autopilot(self) -> Controls:
        """Hop now and then."""
        held = {"right"} if self.frames % 90 < 50 else {"left"}
        return Controls(
            held=held,
            pressed={"space"} if self.frames % 25 == 3 else set(),
            pointer=(0.1234567, 2.0),
        )
