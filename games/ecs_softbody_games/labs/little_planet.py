"""Little planet: gravity towards a point; jellies walk and jump around it, a moon goes round."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles, blueprints
from ecs_softbody.play import Controls, say
from ecs_softbody.rendering import Layer, Look, Picture, palette, themes
from ecs_softbody_games.labs.lab import Act, Lab

RADIUS, SURFACE_GRAVITY = 2.3, 9.8
STRENGTH = SURFACE_GRAVITY * RADIUS**2
WALK, GRIP, JUMP = 2.6, 14.0, 2.5
"""Speed of walking [m/s], how fast it is reached [1/s], speed of a jump [m/s]."""
FOOTING = 10
"""A hero that touched something less than this many frames ago can walk and jump: jellies are not always on it."""
PATIENCE = 20
"""Frames for which a hero in the air remembers that it is to jump."""
TRAIL = 110
PLANET = themes.SPACE.ground
HAZE = 1.55 * RADIUS
HAZE_COLOUR = (*palette.TEAL[:3], 70)
CRATERS = (
    (-0.8, 0.9, 0.42),
    (0.9, 0.3, 0.6),
    (-0.3, -1.1, 0.5),
    (-1.5, -0.3, 0.28),
    (1.1, -1.3, 0.3),
    (0.3, 1.6, 0.24),
)
"""Middles and sizes [m]."""


class LittlePlanet(Lab):
    """A planet to walk around."""

    name: ClassVar[str] = "little-planet"
    theme = themes.SPACE
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Little planet"
    tagline: ClassVar[str] = "Down is always towards the middle"
    keys: ClassVar[list[tuple[str, str]]] = [
        ("horizontal", "walk"),
        ("do", "jump"),
        ("↑", "throw a ball into orbit"),
        ("mouse", "pull"),
    ]
    view: ClassVar[tuple[float, float, float, float]] = (-8.0, -4.9, 8.0, 4.9)
    scene: ClassVar[str | Path] = "little_planet.toml"
    script: ClassVar[Sequence[Act]] = (
        Act(40, 330, "right"),
        Act(120, 122, "space"),
        Act(200, 202, "up"),
        Act(260, 262, "space"),
        Act(360, 620, "left"),
        Act(420, 422, "up"),
        Act(500, 502, "space"),
        Act(640, 710, "right"),
        Act(660, 662, "up"),
    )

    def build(self) -> None:
        """Find who lives on the planet."""
        self.hero, self.moon = self.named("hero"), self.named("moon")
        self.magnets = [self.named("north"), self.named("south")]
        self.trails: dict[int, list[NDArray[np.float64]]] = {self.moon: []}
        self.jumps = self.footing = self.wish = 0
        self.turned = 0.0
        self.turns = 0.0
        self._before = 0.5 * np.pi

    def play(self, controls: Controls, dt: float) -> None:
        """Walk along the ground, whichever way that is."""
        body = self.get(self.hero, Particles)
        position, velocity = self.center_of(self.hero), self.velocity_of(self.hero)
        up = position / max(float(np.hypot(*position)), 1e-9)
        along = np.array((up[1], -up[0]))
        self.footing = FOOTING if (self.sim.touching == self.hero).any() else self.footing - 1
        stands = self.footing > 0
        if controls.horizontal and stands:
            lag = WALK * controls.horizontal - float(velocity @ along)
            body.velocity += min(GRIP * dt, 1.0) * lag * along
        self.wish = PATIENCE if controls.was_pressed("do") else self.wish - 1
        if self.wish > 0 and stands:
            body.velocity += JUMP * up
            self.jumps += 1
            self.footing = self.wish = 0
            self.sounds.play("hop")
        if controls.was_pressed("up") and len(self.trails) < 6:
            self.throw(position + 0.75 * up, up, along)

    def throw(self, position: NDArray[np.float64], up: NDArray[np.float64], along: NDArray[np.float64]) -> None:
        """Throw a ball that goes round: fast enough along, a little upwards."""
        speed = float(np.sqrt(STRENGTH / np.hypot(*position)))
        ball = blueprints.ball(position, 0.14, mass=0.1, velocity=1.02 * speed * along + 0.4 * up, restitution=0.7)
        self.trails[self.add(*ball, Look(fill=palette.body_colour(len(self.trails))))] = []
        self.sounds.play("pop")

    def after_step(self, dt: float) -> None:
        """Remember the ways, and count the turns."""
        super().after_step(dt)
        for entity, trail in self.trails.items():
            trail.append(self.center_of(entity))
            del trail[:-TRAIL]
        angle = float(np.arctan2(*self.center_of(self.hero)[::-1]))
        self.turned += (angle - self._before + np.pi) % (2.0 * np.pi) - np.pi
        self._before = angle

    def energy_of(self, entity: int) -> float:
        """Return the energy of a ball per kilogram [J/kg]."""
        position, velocity = self.center_of(entity), self.velocity_of(entity)
        return float(0.5 * velocity @ velocity - STRENGTH / np.hypot(*position))

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return how far around, and how the moon goes."""
        return [
            ("around", say("planet.turns", turns=abs(self.turned) / (2.0 * np.pi))),
            ("moon's height", f"{np.hypot(*self.center_of(self.moon)) - RADIUS:.2f} m"),
            ("moon's energy", f"{self.energy_of(self.moon):.2f} J/kg"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw air and craters, and the ways of what flies."""
        picture.ellipse((0.0, 0.0), (HAZE, HAZE), HAZE_COLOUR, softness=0.6, layer=Layer.FAR)
        for x, y, size in CRATERS:
            picture.disc((x, y), size, palette.darker(PLANET, 0.3), layer=Layer.GROUND + 1)
            picture.disc((x + 0.04, y - 0.04), 0.86 * size, palette.darker(PLANET, 0.18), layer=Layer.GROUND + 1)
        for trail in self.trails.values():
            if len(trail) > 2:
                points = np.array(trail)
                shares = np.linspace(0.0, 0.5, len(points) - 1, dtype=np.float32)
                colours = np.tile(np.array((0.8, 0.84, 1.0, 1.0), np.float32), (len(shares), 1))
                colours[:, 3] = shares
                picture.segments(points[:-1], points[1:], 2.5, colours, layer=Layer.DECOR)
        for entity, pole in zip(self.magnets, "NS", strict=True):
            picture.text(
                pole, self.center_of(entity), size=20.0, align="center", vertical="middle", layer=Layer.EYES,
                space="world",
            )  # fmt: skip
        super().draw(picture, alpha)
