"""Muscles: a caterpillar that crawls by a wave, a frog that jumps, a balloon that carries a chick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Drag, Inflation, Muscles, Particles, Springs, StaticCollider, blueprints
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Layer, Look, Picture, palette, themes
from ecs_softbody_games.labs.lab import Act, Lab

CRAWL_HEIGHT, CRAWL_RATE, CRAWL_WAVES = 0.42, 1.7, 1.5
"""Height of the wave as a share of a spring's length, its frequency [Hz], and how many of them fit on the body."""
EASE = 0.12
"""Share of the way to its goal that the wave's height takes in a frame: no jerk when a key goes down."""
CROUCH, CROUCH_RATE = 0.65, 2.0
LEAP = 1.0
LEAP_FRAMES = 8
"""Legs pull together to this share of their length while the key is down, and push to that one for some frames."""
LEAN = 0.3
"""How much less those legs push that lean against the way it jumps; the others throw it there."""
LARGEST_GAS, SMALLEST_GAS = 26.0, 0.0
PUMP_RATE = 8.0
"""The balloon's gas as a share of what it began with, and how fast it changes [1/s]."""
CRADLE, TUBE = 4.4, 1.06
"""Where the balloon lies, and how far from there the walls around it are [m]."""


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
    ground: ClassVar[Sequence[tuple[float, float]]] = (
        (-6.9, 12.0), (-6.9, 0.0), (3.1, 0.0), (3.3, 0.4), (CRADLE, 0.1), (5.5, 0.4), (5.7, 0.0), (6.9, 0.0),
        (6.9, 12.0),
    )  # fmt: skip
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
        """Make the creatures."""
        self._make_worm()
        self._make_frog()
        self._make_balloon()
        self.leap_frames = 0
        self.highest = 0.0
        self.crawled = 0.0

    def _make_worm(self) -> None:
        body, springs, _, collider = blueprints.box(
            (-4.6, 0.3), (2.8, 0.5), rows=3, columns=13, mass=1.2, stiffness=900.0, damping=0.6, friction=0.9
        )
        along = parts_along(body, springs, 0)
        middle = body.position[springs.pairs[along]].mean(axis=1) - body.position.mean(axis=0)
        self.worm_wave = middle[:, 1] / 0.25 * CRAWL_HEIGHT
        self.worm_place = 2.0 * np.pi * CRAWL_WAVES * middle[:, 0] / 2.8
        self.worm_muscles = Muscles(along, frequency=CRAWL_RATE, phase=-self.worm_place)
        self.worm = self.add(body, springs, collider, self.worm_muscles, Look(fill=palette.GREEN))
        self.crawl, self.heading = 0.0, 1.0

    def _make_frog(self) -> None:
        body, springs, *others = blueprints.box(
            (-0.6, 0.6), (0.95, 0.8), rows=4, columns=5, mass=1.0, stiffness=700.0, shape_stiffness=60.0, friction=0.9
        )
        along = np.diff(body.position[springs.pairs], axis=1)[:, 0]
        legs = np.flatnonzero(np.abs(along[:, 1]) > 1e-9)
        self.leg_lean = np.round(np.sign(along[legs, 0] * along[legs, 1]) * (np.abs(along[legs, 0]) > 1e-9))

        self.legs = Muscles(legs, rate=CROUCH_RATE)
        self.frog = self.add(
            body, springs, *others, self.legs, Look(fill=palette.TEAL, eyes=2, eye_size=0.2, mood="happy")
        )

    def _make_balloon(self) -> None:
        skin = blueprints.blob((CRADLE, 0.75), 0.5, mass=0.6, stiffness=900.0, friction=0.9)
        self.gas = skin[2]
        self.pump = Inflation(rate=PUMP_RATE)
        self.balloon = self.add(*skin, self.pump, Drag(linear=0.03), Look(fill=palette.CORAL))
        for x in (CRADLE - TUBE, CRADLE + TUBE):
            wall = StaticCollider([(x, 0.4), (x, 3.4)], radius=0.05, friction=0.1)
            self.add(wall, Look(style="line", fill=palette.STEEL))
        self.chick = self.add(
            *blueprints.blob((CRADLE, 1.6), 0.3, mass=0.25, friction=0.9), Look(fill=palette.AMBER, eyes=2)
        )

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


def parts_along(body: Particles, springs: Springs, axis: int) -> NDArray[np.int64]:
    """Return the springs that lie along an axis: 0 is x, 1 is y."""
    along = np.diff(body.position[springs.pairs], axis=1)[:, 0]
    return np.flatnonzero(np.abs(along[:, 1 - axis]) < 1e-9)
