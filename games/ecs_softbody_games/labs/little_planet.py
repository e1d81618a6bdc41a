"""Little planet: gravity towards a point; a jelly walks and jumps around it, and throws balls into
orbits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles, blueprints
from ecs_softbody.elementary import dot, length
from ecs_softbody.play import Axis, Button, Controls, say
from ecs_softbody.rendering import Layer, Look, Picture, draw_cached, palette, themes
from ecs_softbody_games.labs.lab import Act, Place
from ecs_softbody_games.labs.planet_looks import draw_planet
from ecs_softbody_games.labs.toy import Toy

RADIUS = 2.3
SURFACE_GRAVITY = 9.8
STRENGTH = SURFACE_GRAVITY * RADIUS**2
WALK, GRIP, JUMP = 2.6, 14.0, 2.5
"""Speed of walking [m/s], how fast it is reached [1/s], speed of a jump [m/s]."""
FOOTING = 10
"""A hero that touched something less than this many frames ago can walk and jump: jellies are not
always on it.
"""
PATIENCE = 20
"""Frames for which a hero in the air remembers that it is to jump."""
TRAIL = 110
POLE_SHARE = 0.8
"""The letters of the magnets are no larger than this share of the way between them."""
BALLS, ORBITS = 6, 3
"""So many balls there are to throw, and so many of them are to go all around."""
WORTH = (3, 4)
"""With so many balls thrown or fewer there is a star more each."""
SLOWEST, FASTEST, CHARGE = 0.5, 1.5, 1.0
"""Of a throw: shares of the speed of a circle, and how much of that is added in a second of holding
the key.
"""
LEFT_FOR_EVER = 9.0
"""A ball that is so far from the middle has left [m]."""
FIRST_THROW, NEXT_THROW, HOLDS = 180, 210, 32
"""Frame of the scripted player's first throw, frames to the next one, and for how many it holds the
key.
"""


@dataclass(slots=True)
class Ball:
    """One that was thrown: how far it has come around [rad], and where it was."""

    angle: float
    turned: float = 0.0
    trail: list[NDArray[np.float64]] = field(default_factory=list)

    @property
    def orbits(self) -> bool:
        """Whether it has been all around."""
        return abs(self.turned) >= 2.0 * np.pi


class LittlePlanet(Toy):
    """A planet to walk around, and to throw balls around."""

    name: ClassVar[str] = "little-planet"
    theme = themes.SPACE
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Little planet"
    tagline: ClassVar[str] = "Throw three balls around it, not too hard, not too softly"
    goal: ClassVar[str] = "planet.goal"
    best_result: ClassVar[tuple[str, str]] = ("balls", "{}")
    actions: ClassVar[Mapping[str, Axis | Button]] = {
        "do": Button("space", "pad_a"),
        "throw": Button("up", "w", "pad_x"),
    }
    keys: ClassVar[list[tuple[str, str]]] = [
        ("horizontal", "walk"),
        ("do", "jump"),
        ("throw", "hold and let go: throw a ball"),
        ("mouse", "pull"),
    ]
    view: ClassVar[tuple[float, float, float, float]] = (-8.0, -4.9, 8.0, 4.9)
    start_view = (-4.0, 0.4, 4.0, 3.6)
    scene: ClassVar[str | Path] = "little_planet.toml"
    script: ClassVar[Sequence[Act]] = (Act(20, 130, "right"), Act(60, 62, "space"))

    def build(self) -> None:
        """Find who lives on the planet."""
        self.hero, self.moon = self.named("hero"), self.named("moon")
        self.magnets = [self.named("north"), self.named("south")]
        self.balls: dict[int, Ball] = {}
        self.thrown = 0
        self.speed = 0.0
        self.heading = 1.0
        self.trail: list[NDArray[np.float64]] = []
        self.jumps = self.footing = self.wish = 0
        self.turned = 0.0
        self.turns = 0.0
        self._before = 0.5 * np.pi  # above the middle

    def play(self, controls: Controls, dt: float) -> None:
        """Walk along the ground, whichever way that is."""
        body = self.get(self.hero, Particles)
        position = self.center_of(self.hero)
        velocity = self.velocity_of(self.hero)
        up = position / max(length(position), 1e-9)
        along = np.array((up[1], -up[0]))
        self.footing = FOOTING if (self.sim.touching == self.hero).any() else self.footing - 1
        stands = self.footing > 0
        self.heading = float(np.sign(controls.horizontal)) or self.heading
        if controls.horizontal and stands:
            lag = WALK * controls.horizontal - float(dot(velocity, along))
            body.velocity += min(GRIP * dt, 1.0) * lag * along
        self.wish = PATIENCE if controls.was_pressed("do") else self.wish - 1
        if self.wish > 0 and stands:
            body.velocity += JUMP * up
            self.jumps += 1
            self.footing = self.wish = 0
            self.sounds.play("hop")
        if self.thrown < BALLS and controls.is_held("throw"):
            self.speed = min(self.speed + CHARGE * dt, FASTEST) if self.speed else SLOWEST
        if self.speed and controls.was_released("throw"):  # not in the pause
            self.throw(position + 0.75 * up, up, self.heading * along)
            self.speed = 0.0
        elif not controls.is_held("throw"):
            self.speed = 0.0

    def throw(
        self, position: NDArray[np.float64], up: NDArray[np.float64], along: NDArray[np.float64]
    ) -> None:
        """Throw a ball along the ground, a little upwards."""
        circle = float(np.sqrt(STRENGTH / length(position)))
        velocity = self.speed * circle * along + 0.4 * up
        ball = blueprints.ball(position, 0.14, mass=0.1, velocity=velocity, restitution=0.7, mask=1)
        self.balls[self.sim.spawn(*ball, Look(fill=palette.body_colour(self.thrown)))] = Ball(
            angle_of(position)
        )
        self.thrown += 1
        self.sounds.play("hop", pitch=0.6 + 0.5 * self.speed)

    def after_step(self, dt: float) -> None:
        """Remember the ways, count the turns, and see how it ends."""
        super().after_step(dt)
        self.trail = [*self.trail[1 - TRAIL :], self.center_of(self.moon)]
        for entity in list(self.balls):
            self._follow_ball(entity, self.balls[entity])
        angle = angle_of(self.center_of(self.hero))
        self.turned += turn_between(self._before, angle)
        self._before = angle
        if self.orbiting >= ORBITS:
            self.finish(self.stars, self.thrown)
        elif self.thrown == BALLS and len(self.balls) < ORBITS:
            self.finish(0)

    def _follow_ball(self, entity: int, ball: Ball) -> None:
        """Count how far a ball is around; one that has hit something, or has left, is gone."""
        place = self.center_of(entity)
        if (self.sim.touching == entity).any() or np.hypot(*place) > LEFT_FOR_EVER:
            self.effects.burst(
                place, colour=self.get(entity, Look).fill or palette.TEXT, strength=0.7
            )
            self.sounds.play("pop", at=place)
            self.sim.despawn(entity)
            del self.balls[entity]
            return
        before = ball.orbits
        angle = angle_of(place)
        ball.turned += turn_between(ball.angle, angle)
        ball.angle = angle
        ball.trail = [*ball.trail[1 - TRAIL :], place]
        if ball.orbits and not before:
            self.effects.ring(place, colour=palette.GOLD)
            self.sounds.play("coin")

    @property
    def orbiting(self) -> int:
        """How many balls have been all around and still fly."""
        return sum(ball.orbits for ball in self.balls.values())

    @property
    def stars(self) -> int:
        """Stars with the balls that are thrown so far, or that are needed still."""
        return 1 + sum(max(self.thrown, ORBITS) <= most for most in WORTH)

    def goal_place(self) -> Place | None:
        """Return where the hero is."""
        x, y = self.center_of(self.hero)
        return float(x), float(y) + 0.4

    def outcome_text(self) -> str:
        """Return how many balls it took."""
        return (
            say("planet.fallen")
            if self.outcome == "lost"
            else say("planet.balls", count=self.thrown)
        )

    def energy_of(self, entity: int) -> float:
        """Return the energy of a ball per kilogram [J/kg]."""
        position = self.center_of(entity)
        velocity = self.velocity_of(entity)
        return float(0.5 * dot(velocity, velocity) - STRENGTH / np.hypot(*position))

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return how far around, and how the moon goes."""
        return [
            ("in orbit", f"{self.orbiting} / {ORBITS}"),
            ("balls left", str(BALLS - self.thrown)),
            ("moon's height", f"{np.hypot(*self.center_of(self.moon)) - RADIUS:.2f} m"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the planet, and the ways of what flies."""
        draw_cached(picture, "planet", 0, lambda: draw_planet(picture, RADIUS), space="world")
        for trail in (self.trail, *(ball.trail for ball in self.balls.values())):
            if len(trail) > 2:
                points = np.array(trail)
                shares = np.linspace(0.0, 0.5, len(points) - 1, dtype=np.float32)
                colours = np.tile(np.array((0.8, 0.84, 1.0, 1.0), np.float32), (len(shares), 1))
                colours[:, 3] = shares
                picture.segments(points[:-1], points[1:], 2.5, colours, layer=Layer.DECOR)
        apart = math.dist(*(self.center_of(entity) for entity in self.magnets))
        # Letters are larger in small pictures, so their size is limited.
        most = POLE_SHARE * picture.length_to_pixels(apart) / picture.point
        for entity, pole in zip(self.magnets, "NS", strict=True):
            picture.text(
                pole,
                self.center_of(entity),
                size=min(20.0, most),
                align="center",
                vertical="middle",
                layer=Layer.EYES,
                space="world",
            )
        if self.speed:
            self._draw_charge(picture)
        for entity, ball in self.balls.items():
            if ball.orbits:
                picture.disc(
                    self.center_of(entity),
                    0.26,
                    palette.faded(palette.GOLD, 0.4),
                    layer=Layer.EFFECTS,
                )
        super().draw(picture, alpha)

    def _draw_charge(self, picture: Picture) -> None:
        """Draw an arrow as long as the throw is fast; it is gold where the ball would stay up."""
        place = self.center_of(self.hero)
        up = place / np.hypot(*place)
        start = place + 0.75 * up
        colour = palette.GOLD if 0.9 < self.speed < 1.25 else palette.TEXT
        end = start + 1.4 * self.speed * self.heading * np.array((up[1], -up[0]))
        picture.arrow(start, end, colour, width=6.0, layer=Layer.EFFECTS)

    def autopilot(self) -> Controls:
        """Play the script, and throw until three balls fly."""
        after, now = divmod(self.script_frame - FIRST_THROW, NEXT_THROW)
        if now == 0 and after >= 0 and len(self.balls) < ORBITS:
            self.acts.append(Act(self.script_frame + 1, self.script_frame + 1 + HOLDS, "up"))
        return super().autopilot()


def angle_of(place: NDArray[np.float64]) -> float:
    """Return the direction of a place from the middle of the planet [rad]."""
    return float(np.arctan2(place[1], place[0]))


def turn_between(before: float, after: float) -> float:
    """Return the shortest turn from one direction to another [rad]."""
    return float((after - before + np.pi) % (2.0 * np.pi) - np.pi)
