"""A small game with actions, levels, timers and handlers, to test the framework with."""

from __future__ import annotations

import itertools
from typing import Any

from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.play import Axis, Button, Controls, Game
from ecs_softbody.rendering import Picture

NUMBERS = itertools.count(1)
"""Every round has a world of its own."""


class Jumper(Game):
    name = "jumper"
    title = "Jumper"
    tagline = "Jump"
    actions = {  # noqa: RUF012 - as games write it
        "move": Axis("left a pad_left", "right d pad_right", "stick_x"),
        "jump": Button("space", "up", "pad_a"),
    }
    keys = [("move", "roll"), ("jump", "hop")]  # noqa: RUF012
    levels = (1.0, 2.0, 3.0)

    def __init__(self) -> None:
        super().__init__()
        self.touched: list[int] = []
        self.updates: list[float] = []
        self.jumps = self.starts = self.rings = 0
        self.events: list[object] = []
        self.on("contact_begin", self.events.append)
        self.on("contact_begin", lambda event: self.touched.append(self.level_number))

    def start(self) -> None:
        self.close()
        self.sim = Simulation(world=f"{self.name}-{next(NUMBERS)}")
        self.starts += 1
        self.sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
        self.ball = self.sim.spawn(*blueprints.ball((0.0, self.current_level), 0.3))
        self.clock.after(0.5, self.ring)
        self.camera.jump_to((0.0, 4.0))
        self.camera.zoom_to(20.0)

    def ring(self) -> None:
        self.rings += 1

    def update(self, controls: Controls, dt: float) -> None:
        self.updates.append(dt)
        self.moved = controls.axis("move")
        if controls.was_pressed("jump"):
            self.jumps += 1
            if self.sim.paused:
                self.sim.paused = False

    def draw(self, picture: Picture, alpha: float) -> None:
        places = self.sim.interpolated_positions(alpha)
        self.seen = float(places[:, 1].mean()) if len(places) else 0.0
        picture.text("at the top", (20, 690))


def frames(session: Any, count: int, **what: Any) -> None:
    """Run frames of a session; what is pressed is so in the first one."""
    for number in range(count):
        session.frame(Controls(**what) if number == 0 else Controls(held=set(what.get("held", ()))))
