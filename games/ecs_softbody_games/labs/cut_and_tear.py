"""Cut and tear: jellies and a rope to be cut with the mouse, a door to be broken, clay that keeps dents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles, blueprints
from ecs_softbody.play import Controls, say
from ecs_softbody.rendering import Layer, Look, Picture, palette, themes
from ecs_softbody_games.labs.lab import Act, Lab, Place

SHORTEST_CUT = 0.1
"""A line of the mouse that is shorter than this [m] cuts nothing."""
FLASH_FRAMES = 18
"""How long a cut is seen."""
CUT_STOP = 0.05
"""For so long the world stands still when something is cut or torn [s]."""
MOST_BALLS = 4


class CutAndTear(Lab):
    """A bench with a knife, a cannon and a lump of clay."""

    name: ClassVar[str] = "cut-and-tear"
    theme = themes.WORKSHOP
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Cut and tear"
    tagline: ClassVar[str] = "Slice jellies, drop an anvil, break the door"
    keys: ClassVar[list[tuple[str, str]]] = [("mouse", "draw a line: cut"), ("do", "shoot at the door")]
    drag_with_mouse: ClassVar[bool] = False
    view: ClassVar[tuple[float, float, float, float]] = (-6.9, -0.6, 6.9, 6.4)
    scene: ClassVar[str | Path] = "cut_and_tear.toml"
    script: ClassVar[Sequence[Act]] = (
        Act(50, 80, "mouse_left", (-5.9, 5.3), (-4.3, 5.5)),
        Act(125, 150, "mouse_left", (-3.2, 1.0), (-0.6, 0.5)),
        Act(185, 210, "mouse_left", (2.1, 1.9), (-0.5, 0.3)),
        Act(260, 264, "space"),
        Act(320, 345, "mouse_left", (-1.5, 5.6), (1.6, 4.5)),
        Act(390, 394, "space"),
        Act(440, 470, "mouse_left", (-6.3, 0.35), (6.3, 0.3)),
        Act(530, 534, "space"),
        Act(580, 605, "mouse_left", (-2.6, 1.3), (-1.6, -0.3)),
        Act(640, 665, "mouse_left", (0.2, 1.5), (1.2, -0.3)),
    )

    def build(self) -> None:
        """Take the knife."""
        self.clay, self.anvil = self.named("clay"), self.named("anvil")
        self.balls: list[int] = []
        self.knife: Place | None = None
        self.pointer: Place = (0.0, 0.0)
        self.flash: tuple[Place, Place, int] = ((0.0, 0.0), (0.0, 0.0), 0)
        self.cuts = self.tears = 0
        self.sim.on("body_cut", self.on_body_cut)
        self.sim.on("body_torn", self.on_body_torn)

    def on_body_cut(self, entity: int, pieces: tuple[int, ...]) -> None:
        """Count a cut."""
        self.cuts += 1
        for piece in pieces[:2]:
            body = self.get(piece, Particles)
            rim = body.position[np.argmin(self._distances(body.position))]
            self.effects.crumbs(rim, colour=self.get(piece, Look).fill or palette.TEXT, strength=0.3)

    def _distances(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far points [m] are from the line of the last cut."""
        start, way = np.array(self.flash[0]), np.subtract(self.flash[1], self.flash[0])
        return np.asarray(np.abs((points - start) @ (way[1], -way[0])))

    def on_body_torn(self, entity: int, pieces: tuple[int, ...]) -> None:
        """Count a tear, and let it crack."""
        self.tears += 1
        self.sounds.play("crack", at=self.center_of(pieces[0]))
        self.camera.shake(0.4)
        self.clock.hit_stop(CUT_STOP)
        self.effects.burst(self.center_of(pieces[0]), colour=palette.TEAL)
        self.effects.crumbs(self.center_of(pieces[0]), colour=palette.TEAL)

    def play(self, controls: Controls, dt: float) -> None:
        """Draw the knife along, and cut when the button is let go."""
        if controls.pointer is not None:
            self.pointer = controls.pointer
        if controls.was_pressed("mouse_left"):
            self.knife = self.pointer
        elif self.knife is not None and not controls.is_held("mouse_left"):
            self._cut(self.knife, self.pointer)
            self.knife = None
        if controls.was_pressed("do"):
            self._shoot()

    def _cut(self, start: Place, end: Place) -> None:
        if math.dist(start, end) >= SHORTEST_CUT:
            self.flash = (start, end, FLASH_FRAMES)
            if self.sim.cut(start, end):
                self.sounds.play("cut", at=np.add(start, end) / 2)
                self.clock.hit_stop(CUT_STOP)
                self.camera.kick(np.subtract(end, start))

    def _shoot(self) -> None:
        ball = blueprints.ball((6.4, 1.5 + 0.35 * (len(self.balls) % 3)), 0.28, mass=5.0, velocity=(-19.0, 2.0))
        self.balls.append(self.add(*ball, Look(fill=palette.PINK)))
        self.sounds.play("hop", pitch=0.7)
        if len(self.balls) > MOST_BALLS:
            self.sim.despawn(self.balls.pop(0))

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return what was done."""
        rest = self.get(self.clay, Particles).rest_offset if self.exists(self.clay) else np.zeros((1, 2))
        return [
            ("cuts", str(self.cuts)),
            ("tears", str(self.tears)),
            ("clay", say("cut.high", height=float(np.ptp(rest[:, 1])) + 0.11) if len(rest) > 1 else "in pieces"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the line of the knife, and the flash of a cut."""
        super().draw(picture, alpha)
        if self.knife is not None:
            picture.stroke([self.knife, self.pointer], 3.0, palette.TEXT_ACCENT, layer=Layer.EYES)
            picture.disc(self.pointer, 0.07, palette.TEXT_ACCENT, layer=Layer.EYES)
        start, end, left = self.flash
        if left > 0:
            bright = (*palette.TEXT[:3], round(255 * left / FLASH_FRAMES))
            picture.stroke([start, end], 1.0 + 6.0 * left / FLASH_FRAMES, bright, layer=Layer.EYES)

    def after_step(self, dt: float) -> None:
        """Let the flash fade."""
        super().after_step(dt)
        self.flash = (*self.flash[:2], max(self.flash[2] - 1, 0))
