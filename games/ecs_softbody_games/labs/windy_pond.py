"""Windy pond: a duck that wind and tide bring to its nest, things of many densities, rain of them,
explosions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Collider, Particles, StaticCollider, Water, Wind, blueprints
from ecs_softbody.elementary import power_of
from ecs_softbody.play import Controls, say
from ecs_softbody.rendering import Layer, Look, Picture, draw_cached, palette, themes
from ecs_softbody_games.labs.lab import Act, Place
from ecs_softbody_games.labs.pond_looks import draw_duck, draw_foxes, draw_nest
from ecs_softbody_games.labs.toy import Toy

WATER_DENSITY = 1000.0
HIGHEST, LOWEST = 0.7, -1.2
"""Between these heights the level goes up and down [m]."""
TIDE = 0.8
GUST = 24.0
STRONGEST = 30.0
"""How fast the wind grows [m/s²], and how strong it gets [m/s]."""
CALM = 0.5
"""Share of the wind that is left after a second without a key."""
SHOWER = 4
"""Things of a rain; one falls in each frame."""
MOST = 26
"""The oldest thing from the sky goes when there are more."""
BLAST_RADIUS, BLAST = 2.6, 1500.0
"""How far an explosion reaches [m], and its impulse on a metre of outline [N·s/m]."""
BANG_STOP = 0.05
"""For so long the world stands still at an explosion [s]."""
STREAKS = 34
CLOUD_PACE, CLOUD_LEAN = 2.5, 0.7
"""How far wind carries the clouds [points/s for 1 m/s], and how far they lean in the strongest,
over their height.
"""
FIRM = 34.0
"""Of crates [Hz]."""
FAST = (20.0, 40.0)
"""A duck that is at home so soon [s] is worth a star more each."""
SITS = 40
"""Frames for which it has to sit in the nest, or to lie at a bank."""
BANK = 6.1
"""So far from the middle the foxes get it [m]."""
AHEAD = 1.2
"""How far the scripted player looks ahead [s]."""


class WindyPond(Toy):
    """A pond to stir, and a duck that wants to go home."""

    name: ClassVar[str] = "windy-pond"
    theme = themes.LAKE
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Windy pond"
    tagline: ClassVar[str] = "Bring the duck to its nest, by wind, flood and ebb"
    goal: ClassVar[str] = "pond.goal"
    best_result: ClassVar[tuple[str, str]] = ("time", "{:.1f} s")
    keys: ClassVar[list[tuple[str, str]]] = [
        ("horizontal", "wind"),
        ("vertical", "water level"),
        ("do", "rain of things"),
        ("click", "explosion"),
    ]
    drag_with_mouse: ClassVar[bool] = False
    view: ClassVar[tuple[float, float, float, float]] = (-8.0, -3.7, 8.0, 4.6)
    clear: ClassVar[float | None] = 2.05  # the foxes' ears
    scene: ClassVar[str | Path] = "windy_pond.toml"
    script: ClassVar[Sequence[Act]] = (
        Act(30, 32, "mouse_left", (4.6, -1.2)),
        Act(35, 90, "down"),
        Act(95, 220, "up"),
    )

    def build(self) -> None:
        """Find what the keys change."""
        self.random = np.random.default_rng(11)
        self.water = self.get(self.named("water"), Water)
        self.wind = self.get(self.named("wind"), Wind)
        self.duck, self.iron = self.named("duck"), self.named("iron")
        self.nest = self.get(self.named("nest"), StaticCollider).vertices.mean(axis=0)
        self.sat = self.ashore = 0
        self.ebbs = False
        self.fallen: list[int] = []
        self.due = 0
        self.bangs = self.thrown = 0
        self.streaks = self.random.uniform((-8.5, 0.4), (8.5, 4.6), (STREAKS, 2))

    def drop_box(self, x: float, y: float, side: float, ratio: float, angle: float = 0.0) -> int:
        """Add a crate with a share of the density of water; light ones are light in colour."""
        parts = blueprints.box(
            (x, y),
            side,
            rows=4,
            columns=4,
            density=ratio * WATER_DENSITY,
            angle=angle,
            frequency=FIRM,
        )
        colour = palette.mixed(
            palette.lighter(palette.AMBER, 0.4), palette.darker(palette.CORAL, 0.55), ratio
        )
        return self.add(*parts, Look(fill=colour))

    def play(self, controls: Controls, dt: float) -> None:
        """Wind and water follow the keys."""
        speed = float(self.wind.velocity[0])
        if controls.horizontal:
            speed = float(np.clip(speed + GUST * dt * controls.horizontal, -STRONGEST, STRONGEST))
        else:
            speed *= power_of(CALM, dt) if abs(speed) > 0.2 else 0.0
        if speed != self.wind.velocity[0]:
            self.wind.velocity = (speed, 0.0)
        if controls.vertical:
            self.water.level = float(
                np.clip(self.water.level + TIDE * dt * controls.vertical, LOWEST, HIGHEST)
            )
        self.sounds.hum(
            "wind",
            volume=min(abs(speed) / STRONGEST, 1.0),
            pitch=0.7 + 0.5 * abs(speed) / STRONGEST,
        )
        self.sounds.hum("water", volume=0.12)
        if controls.was_pressed("do"):
            self.due += SHOWER
            self.sounds.play("hop")
        if self.due:
            self.due -= 1
            self.drop_something()
        if controls.was_pressed("mouse_left"):
            self.bang(controls.pointer)

    def drop_something(self) -> None:
        """Let one thing fall from the sky."""
        x = self.random.uniform(-5.0, 5.0)
        y = self.random.uniform(5.2, 7.0)
        ratio = float(self.random.uniform(0.05, 1.3))
        size = float(self.random.uniform(0.3, 0.6))
        kind = int(self.random.integers(3))
        if kind == 0:
            self.fallen.append(
                self.drop_box(x, y, size, min(ratio, 1.0), float(self.random.uniform(0.0, 1.5)))
            )
        else:
            parts: tuple[Any, ...]
            if kind == 1:
                density = 0.3 * ratio * WATER_DENSITY
                parts = blueprints.blob(
                    (x, y), 0.6 * size, particles=16, density=density, frequency=80.0
                )
            else:
                parts = blueprints.ball((x, y), 0.4 * size, density=2.0 * ratio * WATER_DENSITY)
            look = Look(fill=palette.body_colour(self.thrown), eyes=2 if kind == 1 else 0)
            self.fallen.append(self.add(*parts, look))
            self.thrown += 1
        if len(self.fallen) > MOST:
            self.sim.despawn(self.fallen.pop(0))

    def bang(self, position: tuple[float, float]) -> None:
        """Blow up what is near."""
        self.bangs += 1
        self.sim.explode(position, radius=BLAST_RADIUS, impulse=BLAST, blocked=True)
        self.effects.ring(position, radius=0.6 * BLAST_RADIUS, colour=palette.GOLD, glow=1.0)
        self.effects.burst(position, colour=palette.AMBER, strength=2.5)
        if abs(position[1] - self.water.level) < BLAST_RADIUS:
            spray = palette.lighter(self.theme.water, 0.5)
            self.effects.splash((position[0], self.water.level), colour=spray, strength=2.5)
            self.effects.bubbles(position, strength=2.0)
        self.effects.sparks(position, colour=palette.AMBER, strength=1.5)
        self.effects.flash(palette.TEXT, 0.35)
        self.clock.hit_stop(BANG_STOP)
        self.camera.shake(0.7)
        self.sounds.play("boom", at=position)

    def after_step(self, dt: float) -> None:
        """Let the streaks go with the wind, and see whether the duck is at home, or at a bank."""
        super().after_step(dt)
        speed = float(self.wind.velocity[0])
        self.effects.blow_clouds(dt * CLOUD_PACE * speed, CLOUD_LEAN * speed / STRONGEST)
        self.streaks[:, 0] = (self.streaks[:, 0] + dt * speed + 8.5) % 17.0 - 8.5

        x, y = self.center_of(self.duck) - self.nest
        in_nest = abs(x) < 0.5 and 0.0 < y < 0.8 and self.share_under_water < 0.02
        self.sat = self.sat + 1 if in_nest else 0
        self.ashore = self.ashore + 1 if abs(x + self.nest[0]) > BANK else 0
        if self.sat >= SITS:
            self.finish(self.stars, self.sim.time)
        elif self.ashore >= SITS:
            self.finish(0)

    @property
    def share_under_water(self) -> float:
        """Share of the duck."""
        return float(self.get(self.duck, Collider).submerged_area) / (np.pi * 0.55**2)

    @property
    def stars(self) -> int:
        """Stars for a duck that is at home now."""
        return 1 + sum(self.sim.time <= time for time in FAST)

    def goal_place(self) -> Place | None:
        """Return where the nest is."""
        return float(self.nest[0]), float(self.nest[1])

    def outcome_text(self) -> str:
        """Return how long it took."""
        return (
            say("pond.fox")
            if self.outcome == "lost"
            else say("platformer.seconds", time=self.result)
        )

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return wind, water and the duck's share under water."""
        return [
            ("wind", f"{self.wind.velocity[0]:+.0f} m/s"),
            ("level", f"{self.water.level:+.1f} m"),
            ("duck under water", f"{100.0 * self.share_under_water:.0f} %"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the air that moves, the foxes, the duck and its nest."""
        places = [np.array((7.5 * side, 1.42)) for side in (-1.0, 1.0)]
        draw_cached(picture, "foxes", 0, lambda: draw_foxes(picture, places), space="world")
        self._draw_gazes(picture, np.array(places))
        bowl = self.get(self.named("nest"), StaticCollider).vertices
        draw_cached(picture, "nest", 0, lambda: draw_nest(picture, bowl), space="world")
        skin = self.seen_at(self.get(self.duck, Particles), alpha)
        draw_duck(picture, skin.mean(axis=0), skin[skin[:, 1].argmax()])
        speed = float(self.wind.velocity[0])
        if abs(speed) > 0.5:
            seen = self.streaks[self.streaks[:, 1] > self.water.level + 0.2]
            ends = seen + np.array((0.06 * speed, 0.0))
            colour = palette.faded(palette.TEXT, 0.35 * min(1.0, abs(speed) / 12.0))
            picture.segments(seen, ends, 2.0, colour, layer=Layer.DECOR)
        super().draw(picture, alpha)

    def _draw_gazes(self, picture: Picture, places: NDArray[np.float64]) -> None:
        """Draw the foxes' noses and pupils: they look at the duck."""
        look = self.center_of(self.duck) - places
        look *= 0.05 / np.hypot(look[:, :1], look[:, 1:])
        pupils = (places + look)[:, None] + ((-0.18, 0.08), (0.18, 0.08), (0.0, -0.1))
        radii = np.tile((0.05, 0.05, 0.07), len(places))
        picture.discs(pupils.reshape(-1, 2), radii, palette.EYE_PUPIL, layer=Layer.DECOR)

    def autopilot(self) -> Controls:
        """Let the water rise, blow the duck over the nest, and let it fall there."""
        controls = super().autopilot()
        if self.script_frame < self.script[-1].last:
            return controls
        away = float(self.center_of(self.duck)[0] - self.nest[0])
        speed = float(self.velocity_of(self.duck)[0])
        self.ebbs = abs(away) < 0.35 and (self.ebbs or abs(speed) < 0.6)
        goal = away + AHEAD * speed
        held = {"down" if self.ebbs else "up"}
        if abs(goal) > 0.1:
            held.add("left" if goal > 0.0 else "right")
        return Controls(held=held, pointer=controls.pointer)
