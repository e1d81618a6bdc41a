"""Cut and tear: jellies and a rope to be cut with the mouse, a door to be broken, clay that keeps dents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ecs_softbody import Particles, Plasticity, Springs, StaticCollider, Tearing, blueprints
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Layer, Look, Picture, palette, themes
from ecs_softbody_games.labs.lab import Act, Lab, Place

SHORTEST_CUT = 0.1
"""A line of the mouse that is shorter than this [m] cuts nothing."""
FLASH_FRAMES = 18
"""How long a cut is seen."""
MOST_BALLS = 4
CLAY, ANVIL = -5.1, 4.6
"""Where the clay lies, and how high the anvil hangs [m]."""
DOOR = 3.6
STAR = [(math.cos(turn) * size, math.sin(turn) * size) for turn, size in
        zip(np.arange(10) * math.pi / 5 + math.pi / 2, [0.95, 0.5] * 5, strict=True)]  # fmt: skip


class CutAndTear(Lab):
    """A bench with a knife, a cannon and a lump of clay."""

    name: ClassVar[str] = "cut-and-tear"
    theme = themes.WORKSHOP
    title: ClassVar[str] = "Cut and tear"
    tagline: ClassVar[str] = "Slice jellies, drop an anvil, break the door"
    keys: ClassVar[list[tuple[str, str]]] = [("mouse", "draw a line: cut"), ("do", "shoot at the door")]
    drag_with_mouse: ClassVar[bool] = False
    view: ClassVar[tuple[float, float, float, float]] = (-6.9, -0.6, 6.9, 6.4)
    ground: ClassVar[Sequence[Place]] = ((-7.2, 12.0), (-7.2, 0.0), (7.2, 0.0), (7.2, 12.0))
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
        """Put everything on the bench."""
        self.clay = self.add(
            *blueprints.box((CLAY, 0.5), (1.9, 1.0), rows=5, columns=9, mass=3.0, frequency=14, friction=0.9),
            Plasticity(yield_strain=0.07), Look(fill=palette.SAND),
        )  # fmt: skip
        self._hang_anvil()
        self.add(*blueprints.blob((-1.9, 0.72), 0.7, particles=30), Look(fill=palette.CORAL, eyes=2, mood="happy"))
        self.add(*blueprints.polygon([(0.75 + x, 0.9 + y) for x, y in STAR]), Look(fill=palette.AMBER))
        self.add(*blueprints.cloth((0.0, 4.9), (2.4, 1.5), rows=8, columns=12), Look(fill=palette.VIOLET))
        self._build_door()
        self.balls: list[int] = []
        self.knife: Place | None = None
        self.pointer: Place = (0.0, 0.0)
        self.flash: tuple[Place, Place, int] = ((0.0, 0.0), (0.0, 0.0), 0)
        self.cuts = self.tears = 0
        self.sim.on("body_cut", self.on_body_cut)
        self.sim.on("body_torn", self.on_body_torn)

    def _hang_anvil(self) -> None:
        rope = self.add(
            *blueprints.rope((CLAY, 6.6), (CLAY, ANVIL), segments=8, pin_start=True, thickness=0.08),
            Look(fill=palette.STEEL),
        )  # fmt: skip
        anvil, *rest = blueprints.box(
            (CLAY, ANVIL - 0.35),
            (0.7, 0.6),
            rows=3,
            columns=3,
            mass=9.0,
            stiffness=9000.0,
            damping=4.0,
            shape_stiffness=3e5,
        )
        self.anvil = self.add(anvil, *rest, Look(fill=palette.STEEL))
        self.add(
            Springs([(8, 6), (8, 7), (8, 8)], stiffness=3000.0, damping=4.0, between=(rope, self.anvil)),
            Look(style="link", fill=palette.STEEL),
        )

    def _build_door(self) -> None:
        door, *rest = blueprints.box(
            (DOOR, 1.7),
            (0.34, 3.2),
            rows=20,
            columns=3,
            mass=2.0,
            frequency=40,
            damping_ratio=0.08,
            shape_stiffness=300.0,
        )
        door.pinned = (door.position[:, 1] < 0.2) | (door.position[:, 1] > 3.2)
        self.add(door, *rest, Tearing(strain=0.3), Look(fill=palette.TEAL))
        self.add(
            StaticCollider([(DOOR - 0.6, 3.45), (DOOR + 0.6, 3.45)], radius=0.1), Look(style="line", fill=palette.STEEL)
        )

    def on_body_cut(self, entity: int, pieces: tuple[int, ...]) -> None:
        """Count a cut."""
        self.cuts += 1

    def on_body_torn(self, entity: int, pieces: tuple[int, ...]) -> None:
        """Count a tear, and let it crack."""
        self.tears += 1
        self.sounds.play("bounce", pitch=1.4)
        self.camera.shake(0.4)
        self.effects.burst(self.center_of(pieces[0]), colour=palette.TEAL)

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
                self.sounds.play("squish", pitch=1.3)

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
            ("clay", f"{float(np.ptp(rest[:, 1])) + 0.11:.2f} m high" if len(rest) > 1 else "in pieces"),
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
