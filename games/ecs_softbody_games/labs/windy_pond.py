"""Windy pond: things of many densities in water, a wind that the player turns, rain of things, explosions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ecs_softbody import Collider, Particles, Water, Wind, blueprints
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Layer, Look, Picture, palette, themes
from ecs_softbody_games.labs.lab import Act, Lab

WATER_DENSITY = 1000.0
HIGHEST, LOWEST = 0.7, -1.2
"""Between these heights the level goes up and down [m]."""
TIDE = 0.8
GUST = 24.0
STRONGEST = 30.0
"""How fast the wind grows [m/s²], and how strong it gets [m/s]."""
CALM = 0.5
"""Share of the wind that is left after a second without a key."""
MOST = 26
"""The oldest thing from the sky goes when there are more."""
BLAST_RADIUS, BLAST = 2.6, 1500.0
"""How far an explosion reaches [m], and its impulse on a metre of outline [N·s/m]."""
BANG_STOP = 0.05
"""For so long the world stands still at an explosion [s]."""
STREAKS = 34
FIRM = 34.0
"""Of crates [Hz]."""


class WindyPond(Lab):
    """A pond to stir."""

    name: ClassVar[str] = "windy-pond"
    theme = themes.LAKE
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Windy pond"
    tagline: ClassVar[str] = "What floats how deep? Wind, water, and a bang for a click"
    keys: ClassVar[list[tuple[str, str]]] = [
        ("horizontal", "wind"),
        ("vertical", "water level"),
        ("do", "rain of things"),
        ("click", "explosion"),
    ]
    drag_with_mouse: ClassVar[bool] = False
    view: ClassVar[tuple[float, float, float, float]] = (-8.0, -3.7, 8.0, 4.6)
    scene: ClassVar[str | Path] = "windy_pond.toml"
    script: ClassVar[Sequence[Act]] = (
        Act(60, 62, "space"),
        Act(110, 210, "right"),
        Act(170, 172, "space"),
        Act(230, 300, "up"),
        Act(300, 302, "mouse_left", (-0.6, -0.9)),
        Act(330, 470, "left"),
        Act(400, 402, "space"),
        Act(470, 472, "mouse_left", (-3.2, -0.8)),
        Act(500, 620, "down"),
        Act(560, 562, "space"),
        Act(640, 642, "mouse_left", (1.2, -1.9)),
        Act(650, 720, "right"),
    )

    def build(self) -> None:
        """Find what the keys change."""
        self.random = np.random.default_rng(11)
        self.water = self.get(self.named("water"), Water)
        self.wind = self.get(self.named("wind"), Wind)
        self.duck, self.iron = self.named("duck"), self.named("iron")
        self.fallen: list[int] = []
        self.bangs = self.thrown = 0
        self.streaks = self.random.uniform((-8.5, 0.4), (8.5, 4.6), (STREAKS, 2))

    def drop_box(self, x: float, y: float, side: float, ratio: float, angle: float = 0.0) -> int:
        """Add a crate with a share of the density of water; light ones are light in colour."""
        parts = blueprints.box(
            (x, y), side, rows=4, columns=4, density=ratio * WATER_DENSITY, angle=angle, frequency=FIRM
        )
        colour = palette.mixed(palette.lighter(palette.AMBER, 0.4), palette.darker(palette.CORAL, 0.55), ratio)
        return self.add(*parts, Look(fill=colour))

    def play(self, controls: Controls, dt: float) -> None:
        """Wind and water follow the keys."""
        speed = float(self.wind.velocity[0])
        if controls.horizontal:
            speed = float(np.clip(speed + GUST * dt * controls.horizontal, -STRONGEST, STRONGEST))
        else:
            speed *= CALM**dt if abs(speed) > 0.2 else 0.0
        if speed != self.wind.velocity[0]:
            self.wind.velocity = (speed, 0.0)
        if controls.vertical:
            self.water.level = float(np.clip(self.water.level + TIDE * dt * controls.vertical, LOWEST, HIGHEST))
        self.sounds.hum("wind", volume=min(abs(speed) / STRONGEST, 1.0), pitch=0.7 + 0.5 * abs(speed) / STRONGEST)
        self.sounds.hum("water", volume=0.12)
        if controls.was_pressed("do"):
            self.rain()
        if controls.was_pressed("mouse_left"):
            self.bang(controls.pointer)

    def rain(self) -> None:
        """Let some things fall from the sky."""
        for _ in range(4):
            x, y = self.random.uniform(-5.0, 5.0), self.random.uniform(5.2, 7.0)
            ratio, size = float(self.random.uniform(0.05, 1.3)), float(self.random.uniform(0.3, 0.6))
            kind = int(self.random.integers(3))
            if kind == 0:
                self.fallen.append(self.drop_box(x, y, size, min(ratio, 1.0), float(self.random.uniform(0.0, 1.5))))
                continue
            parts: tuple[Any, ...]
            if kind == 1:
                density = 0.3 * ratio * WATER_DENSITY
                parts = blueprints.blob((x, y), 0.6 * size, particles=16, density=density, frequency=80.0)
            else:
                parts = blueprints.ball((x, y), 0.4 * size, density=2.0 * ratio * WATER_DENSITY)
            self.fallen.append(
                self.add(*parts, Look(fill=palette.body_colour(self.thrown), eyes=2 if kind == 1 else 0))
            )
            self.thrown += 1
        while len(self.fallen) > MOST:
            self.sim.despawn(self.fallen.pop(0))
        self.sounds.play("hop")

    def bang(self, position: tuple[float, float]) -> None:
        """Blow up what is near."""
        self.bangs += 1
        self.sim.explode(position, radius=BLAST_RADIUS, impulse=BLAST, blocked=True)
        self.effects.ring(position, radius=0.6 * BLAST_RADIUS, colour=palette.GOLD)
        self.effects.burst(position, colour=palette.AMBER, strength=2.5)
        if abs(position[1] - self.water.level) < BLAST_RADIUS:
            self.effects.splash((position[0], self.water.level), colour=palette.lighter(palette.WATER), strength=2.5)
            self.effects.bubbles(position, strength=2.0)
        self.effects.sparks(position, colour=palette.AMBER, strength=1.5)
        self.effects.flash(palette.TEXT, 0.35)
        self.clock.hit_stop(BANG_STOP)
        self.camera.shake(0.7)
        self.sounds.play("boom", at=position)

    def after_step(self, dt: float) -> None:
        """Let the streaks go with the wind."""
        super().after_step(dt)
        self.streaks[:, 0] = (self.streaks[:, 0] + dt * self.wind.velocity[0] + 8.5) % 17.0 - 8.5

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return wind, water and the duck's share under water."""
        below = self.get(self.duck, Collider).submerged_area / (np.pi * 0.55**2)
        return [
            ("wind", f"{self.wind.velocity[0]:+.0f} m/s"),
            ("level", f"{self.water.level:+.1f} m"),
            ("afloat", str(self.afloat())),
            ("duck under water", f"{100.0 * below:.0f} %"),
        ]

    def afloat(self) -> int:
        """Return how many bodies the water carries."""
        return sum(
            self.get(entity, Particles).position[:, 1].min() > -3.0 and collider.submerged_area > 0.0
            for entity, collider in sorted(self.sim.buffers.components(Collider).items())
        )

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the air that moves."""
        speed = float(self.wind.velocity[0])
        if abs(speed) > 0.5:
            seen = self.streaks[self.streaks[:, 1] > self.water.level + 0.2]
            ends = seen + np.array((0.06 * speed, 0.0))
            colour = palette.faded(palette.TEXT, 0.35 * min(1.0, abs(speed) / 12.0))
            picture.segments(seen, ends, 2.0, colour, layer=Layer.DECOR)
        super().draw(picture, alpha)
