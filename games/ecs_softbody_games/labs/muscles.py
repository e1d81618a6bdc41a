"""Muscles: a caterpillar that crawls by a wave, a frog that jumps, a balloon that carries a chick."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Inflation, Muscles, Particles, PressureBody, Springs
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Layer, Picture, palette, themes
from ecs_softbody_games.labs.lab import Act, Lab

CRAWL_HEIGHT, WORM_HALF = 0.42, 0.25
"""Height of the wave as a share of a spring's length, at half of the worm's height from its middle [m]."""
EASE = 0.12
"""Share of the way to its goal that the wave's height takes in a frame: no jerk when a key goes down."""
CROUCH, CROUCH_RATE = 0.65, 2.0
LEAP = 1.0
LEAP_FRAMES = 8
"""Legs pull together to this share of their length while the key is down, and push to that one for some frames."""
LEAN = 0.3
"""How much less those legs push that lean against the way it jumps; the others throw it there."""
LARGEST_GAS, SMALLEST_GAS = 26.0, 0.0
"""The balloon's gas as a share of what it began with."""


class MusclesLab(Lab):
    """Three creatures, each moved by nothing but its own muscles."""

    name: ClassVar[str] = "muscles"
    theme = themes.POND_LIFE
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Muscles"
    tagline: ClassVar[str] = "Crawl, jump and breathe by forces from inside"
    keys: ClassVar[list[tuple[str, str]]] = [
        ("horizontal", "crawl, aim"),
        ("do", "hold and let go: jump"),
        ("vertical", "blow up, let out"),
        ("mouse", "pull"),
    ]
    scene: ClassVar[str | Path] = "muscles.toml"
    script: ClassVar[Sequence[Act]] = (
        Act(20, 250, "right"),
        Act(60, 130, "up"),
        Act(60, 90, "space"),
        Act(170, 215, "space"),
        Act(200, 330, "up"),
        Act(270, 560, "left"),
        Act(300, 345, "space"),
        Act(400, 620, "down"),
        Act(430, 470, "space"),
        Act(560, 720, "right"),
        Act(650, 720, "up"),
        Act(600, 645, "space"),
    )

    def build(self) -> None:
        """Find the creatures, and which of their muscles does what."""
        self.worm, self.frog = self.named("worm"), self.named("frog")
        self.balloon, self.chick = self.named("balloon"), self.named("chick")
        self.worm_muscles, self.legs = self.get(self.worm, Muscles), self.get(self.frog, Muscles)
        self.pump, self.gas = self.get(self.balloon, Inflation), self.get(self.balloon, PressureBody)
        middle = self._driven(self.worm).mean(axis=1)[:, 1]
        self.worm_wave = (middle - middle.mean()) / WORM_HALF * CRAWL_HEIGHT
        self.worm_place = -np.array(self.worm_muscles.phase)
        along, up = np.diff(self._driven(self.frog), axis=1)[:, 0].T
        self.leg_lean = np.round(np.sign(along * up) * (np.abs(along) > 1e-9))
        self.crawl, self.heading = 0.0, 1.0
        self.leap_frames = 0
        self.highest = 0.0
        self.crawled = 0.0

    def _driven(self, creature: int) -> NDArray[np.float64]:
        """Return the ends of the springs that its muscles drive, shape (U, 2, 2) [m]."""
        pairs = self.get(creature, Springs).pairs[self.get(creature, Muscles).rows]
        return self.get(creature, Particles).position[pairs]

    def play(self, controls: Controls, dt: float) -> None:
        """Keys become amplitudes and targets; the muscles do the rest."""
        steer = controls.horizontal
        self.crawl += EASE * (abs(steer) - self.crawl) if abs(abs(steer) - self.crawl) > 0.01 else 0.0
        if steer and steer != self.heading:
            self.heading, self.crawl = steer, 0.0
            self.worm_muscles.phase = -steer * self.worm_place
        self.worm_muscles.amplitude = self.worm_wave * (self.crawl if steer or self.crawl > 0.02 else 0.0)
        self._jump(controls)
        if controls.vertical:
            goal = LARGEST_GAS if controls.vertical > 0.0 else SMALLEST_GAS
            self.pump.target = goal
        elif self.pump.target != self.pump.level:
            self.pump.target = self.pump.level

    def _jump(self, controls: Controls) -> None:
        if controls.was_released("do"):
            self.leap_frames = LEAP_FRAMES
            self.legs.rate = np.inf
            weaker = LEAN * np.clip(-controls.horizontal * self.leg_lean, 0.0, 1.0)
            self.legs.target = LEAP - weaker
            self.sounds.play("hop")
        elif controls.is_held("do"):
            self.legs.rate, self.legs.target = CROUCH_RATE, CROUCH
        elif self.leap_frames > 0:
            self.leap_frames -= 1
        elif (self.legs.target != 1.0).any():
            self.legs.rate, self.legs.target = CROUCH_RATE, 1.0

    def after_step(self, dt: float) -> None:
        """Measure how far and how high they come."""
        super().after_step(dt)
        self.crawled += abs(float(self.velocity_of(self.worm)[0])) * dt
        self.highest = max(self.highest, float(self.get(self.frog, Particles).position[:, 1].min()))

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return what the three have done."""
        return [
            ("crawled", f"{self.crawled:.1f} m"),
            ("highest jump", f"{self.highest:.1f} m"),
            ("gas", f"{100.0 * self.pump.level:.0f} %"),
            ("pressure", f"{self.gas.pressure:.0f} Pa"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Give the worm a face at the end that leads."""
        super().draw(picture, alpha)
        position = self.seen_at(self.get(self.worm, Particles), alpha).reshape(3, -1, 2)
        end, neck = (position[:, -1], position[:, -2]) if self.heading > 0.0 else (position[:, 0], position[:, 1])
        middle, up = 0.5 * (end[1] + neck[1]), 0.5 * (end[2] - end[0])
        ahead = (end[1] - neck[1]) / max(float(np.hypot(*(end[1] - neck[1]))), 1e-6)
        for eye in (middle + 0.35 * up, middle + 0.35 * up - 0.19 * ahead):
            picture.disc(eye, 0.085, palette.EYE_WHITE, layer=Layer.EYES)
            picture.disc(eye + 0.03 * ahead, 0.045, palette.EYE_PUPIL, layer=Layer.EYES)
