"""A small game to test the rendering with: two blobs, a rope and a disc above a ground."""

from __future__ import annotations

import esper
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.parallel.compiling import IS_PYTHON
from ecs_softbody.play import Controls, Game
from ecs_softbody.rendering import Look, Picture

needs_compiled_pixels = pytest.mark.skipif(
    IS_PYTHON, reason="drawing every pixel in plain Python takes minutes"
)


class BlobGarden(Game):
    name = "blob-garden"
    title = "Blob garden"
    tagline = "Push the blob"
    keys = [("← →", "push"), ("space", "hop")]  # noqa: RUF012 - as games write it
    drag_with_mouse = True

    def start(self) -> None:
        self.close()
        self.sim = Simulation(world=self.name)
        self.starts = getattr(self, "starts", 0) + 1
        self.frames = 0
        self.seen: list[Controls] = []
        self.sim.spawn(StaticCollider([(-9, 0), (9, 0)]), Look(style="ground"))
        self.hero = self.sim.spawn(
            *blueprints.blob((-1, 0.8), 0.6), Look(eyes=2, fill=(240, 60, 60))
        )
        self.sim.spawn(*blueprints.box((2, 0.6), (1, 1)), Look(eyes=2, mood="angry"))
        self.sim.spawn(*blueprints.rope((-4, 4), (-2, 4), segments=6, pin_start=True, pin_end=True))
        self.sim.spawn(*blueprints.ball((4, 1), 0.3))
        self.camera.jump_to((0, 2.5))

    def update(self, controls: Controls, dt: float) -> None:
        self.frames += 1
        self.seen.append(controls)
        with self.sim:
            velocity = esper.component_for_entity(self.hero, Particles).velocity
        velocity[:, 0] += 0.3 * controls.horizontal
        if controls.was_pressed("space"):
            velocity[:, 1] += 5.0
        if controls.was_pressed("w"):
            self.outcome = "won"
        if controls.was_pressed("l"):
            self.outcome = "lost"

    def draw(self, picture: Picture, alpha: float) -> None:
        picture.text("Score 7", (20, 670))

    def outcome_text(self) -> str:
        return "Seven points"

    def autopilot(self) -> Controls:
        return Controls(held={"right"}, pressed={"space"} if self.frames % 30 == 0 else set())

    @property
    def place(self) -> tuple[float, float]:
        with self.sim:
            x, y = esper.component_for_entity(self.hero, Particles).position.mean(axis=0)
        return float(x), float(y)
