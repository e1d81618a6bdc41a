"""Muscles: a caterpillar that crawls by a wave, a frog that jumps, a balloon that carries a chick;
and their meals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Inflation, Muscles, Particles, PressureBody, Springs
from ecs_softbody.elementary import atan2
from ecs_softbody.play import FRAME, Controls, say
from ecs_softbody.rendering import Layer, Look, Picture, palette, themes
from ecs_softbody_games.labs.lab import Place
from ecs_softbody_games.labs.meals import Meal, all_of, draw_meal
from ecs_softbody_games.labs.toy import Toy
from ecs_softbody_games.stars import draw_key_above

CRAWL_HEIGHT, WORM_HALF = 0.42, 0.25
"""Height of the wave as a share of a spring's length, at half of the worm's height from its middle
[m].
"""
EASE = 0.12
"""Share of the way to its goal that the wave's height takes in a frame: no jerk when a key goes
down.
"""
CROUCH = 0.65
CROUCH_RATE = 2.0
LEAP = 1.0
LEAP_FRAMES = 8
"""Legs pull together to this share of their length while the key is down, and push to that one for
some frames.
"""
LEAN = 0.3
"""How much less those legs push that lean against the way it jumps; the others throw it there."""
LARGEST_GAS, SMALLEST_GAS = 26.0, 0.0
"""The balloon's gas as a share of what it began with."""
FAST, NIGHT = (40.0, 60.0), 90.0
"""All meals so soon are worth a star more each; then it is night, and too late [s]."""
DUSK, DARKEST, DARK = 50.0, 150, (14, 18, 58)
"""From when on it gets darker [s], how dark at last, of 255, and its colour."""
CROUCHES, AIMED, TOO_NEAR = 24, 0.5, 2.5
"""Frames for which the scripted player lets the frog crouch; a meal is above it when it is so near
[m]; a frog that has eaten its own keeps so far from the worm's [m].
"""

MOVERS = {"horizontal": "worm", "do": "frog", "vertical": "chick"}
"""Which creature each action moves; the chick stands on the balloon."""
LEARNT = 40
"""Frames for which a key has been held when the player knows what it moves."""
ARROW_HALF, HEADROOM = 0.45, 1.5
"""Half the width of an arrow, and how high above a meal it may hop [m]."""


class MusclesLab(Toy):
    """Three creatures, each moved by nothing but its own muscles, and seven meals until night."""

    name: ClassVar[str] = "muscles"
    theme = themes.POND_LIFE
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Muscles"
    tagline: ClassVar[str] = "Crawl, jump and breathe to seven meals before night"
    goal: ClassVar[str] = "muscles.goal"
    best_result: ClassVar[tuple[str, str]] = ("time", "{:.1f} s")
    keys: ClassVar[list[tuple[str, str]]] = [
        ("horizontal", "crawl, aim"),
        ("do", "hold and let go: jump"),
        ("vertical", "blow up, let out"),
    ]
    drag_with_mouse: ClassVar[bool] = False
    start_view = (-7.0, -0.4, 7.0, 3.4)
    scene: ClassVar[str | Path] = "muscles.toml"

    def build(self) -> None:
        """Find the creatures, and which of their muscles does what."""
        assert self.loaded is not None
        self.meals = all_of(self.loaded.data["meals"])
        self.worm, self.frog = self.named("worm"), self.named("frog")
        self.balloon, self.chick = self.named("balloon"), self.named("chick")
        self.worm_muscles, self.legs = self.get(self.worm, Muscles), self.get(self.frog, Muscles)
        self.pump, self.gas = (
            self.get(self.balloon, Inflation),
            self.get(self.balloon, PressureBody),
        )
        middle = self._driven(self.worm).mean(axis=1)[:, 1]
        self.worm_wave = (middle - middle.mean()) / WORM_HALF * CRAWL_HEIGHT
        self.worm_place = -np.array(self.worm_muscles.phase)
        self.leg_ways = np.diff(self._driven(self.frog), axis=1)[:, 0]
        self.crawl = 0.0
        self.heading = 1.0
        self.leap_frames = self.crouched = 0
        self.highest = 0.0
        self.moved = dict.fromkeys(MOVERS, 0)

    def _driven(self, creature: int) -> NDArray[np.float64]:
        """Return the ends of the springs that its muscles drive, shape (U, 2, 2) [m]."""
        pairs = self.get(creature, Springs).pairs[self.get(creature, Muscles).rows]
        return self.get(creature, Particles).position[pairs]

    def play(self, controls: Controls, dt: float) -> None:
        """Keys become amplitudes and targets; the muscles do the rest."""
        steer = controls.horizontal
        held = {"horizontal": steer, "vertical": controls.vertical, "do": controls.is_held("do")}
        for action, is_held in held.items():
            self.moved[action] += bool(is_held)
        self.crawl += (
            EASE * (abs(steer) - self.crawl) if abs(abs(steer) - self.crawl) > 0.01 else 0.0
        )
        if steer and steer != self.heading:
            self.heading = steer
            self.crawl = 0.0
            self.worm_muscles.phase = -steer * self.worm_place
        self.worm_muscles.amplitude = self.worm_wave * (
            self.crawl if steer or self.crawl > 0.02 else 0.0
        )
        self._jump(controls)
        if controls.vertical:
            goal = LARGEST_GAS if controls.vertical > 0.0 else SMALLEST_GAS
            self.pump.target = goal
        elif self.pump.target != self.pump.level:
            self.pump.target = self.pump.level

    def _legs(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which muscles of the frog are legs as it lies now, and to which side each leans:
        1, -1, or 0.

        A frog that has fallen on its side jumps with what were its width.
        """
        (x, y) = self.leg_ways.T
        (x_now, y_now) = np.diff(self._driven(self.frog), axis=1)[:, 0].T
        turned = atan2(float((x * y_now - y * x_now).sum()), float((x * x_now + y * y_now).sum()))
        cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[round(turned / (math.pi / 2)) % 4]
        along = cosine * x - sine * y
        up = sine * x + cosine * y
        return np.abs(up) > 1e-9, np.round(np.sign(along * up) * (np.abs(along) > 1e-9))

    def _jump(self, controls: Controls) -> None:
        legs, lean = self._legs()
        if controls.was_released("do"):
            self.leap_frames = LEAP_FRAMES
            self.legs.rate = np.inf
            weaker = LEAN * np.clip(-controls.horizontal * lean, 0.0, 1.0)
            self.legs.target = np.where(legs, LEAP - weaker, 1.0)
            self.sounds.play("hop")
        elif controls.is_held("do"):
            self.legs.rate = CROUCH_RATE
            self.legs.target = np.where(legs, CROUCH, 1.0)
        elif self.leap_frames > 0:
            self.leap_frames -= 1
        elif (self.legs.target != 1.0).any():
            self.legs.rate = CROUCH_RATE
            self.legs.target = 1.0

    def after_step(self, dt: float) -> None:
        """Let them eat what they reach, measure how high the frog comes, and see whether it is
        night.
        """
        super().after_step(dt)
        self.highest = max(self.highest, float(self.get(self.frog, Particles).position[:, 1].min()))
        for meal in self.left_over():
            if meal.is_reached_by(self.get(self.named(meal.eater), Particles).position):
                self._eat(meal)
        if not self.left_over():
            self.finish(self.stars, self.sim.time)
        elif self.sim.time >= NIGHT - 0.5 * FRAME:
            self.finish(0)

    def _eat(self, meal: Meal) -> None:
        meal.eaten = True
        self.get(self.named(meal.eater), Look).mood = "happy"
        self.effects.burst(meal.place, colour=palette.GOLD)
        self.effects.ring(meal.place, colour=palette.GOLD)
        self.sounds.play("coin", at=meal.place)

    def left_over(self, *eaters: str) -> list[Meal]:
        """Return the meals that are still there, of these creatures or of all."""
        return [
            meal for meal in self.meals if not meal.eaten and (not eaters or meal.eater in eaters)
        ]

    @property
    def stars(self) -> int:
        """Stars for having eaten all of it now."""
        return 1 + sum(self.sim.time <= time for time in FAST)

    def goal_place(self) -> Place | None:
        """Return where the next meal is."""
        return next((meal.place for meal in self.left_over()), None)

    def arrow_height(self, place: Place) -> float:
        """Return how far above a meal its arrow hops: over the head of who stands there."""
        skins = np.concatenate(
            [self.get(creature, Particles).position for creature in (self.worm, self.frog)]
        )
        near = skins[np.abs(skins[:, 0] - place[0]) < ARROW_HALF, 1] - place[1]
        return max(float(near.max()) - 0.4, 0.0) if len(near) and near.min() < HEADROOM else 0.0

    def outcome_text(self) -> str:
        """Return how long it took, or how many meals are left."""
        if self.outcome == "lost":
            return say("muscles.night", count=len(self.left_over()))
        return say("platformer.seconds", time=self.result)

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return what they have eaten, and how long they may go on."""
        return [
            ("meals", f"{len(self.meals) - len(self.left_over())} / {len(self.meals)}"),
            ("until night", f"{max(NIGHT - self.sim.time, 0.0):.0f} s"),
            ("highest jump", f"{self.highest:.1f} m"),
            ("gas", f"{100.0 * self.pump.level:.0f} %"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the meals and the dusk, and give the worm a face at the end that leads."""
        for meal in self.left_over():
            colour = self.get(self.named(meal.eater), Look).fill or palette.TEXT
            draw_meal(picture, meal, colour, self.sim.frame)
        dark = DARKEST * min(max((self.sim.time - DUSK) / (NIGHT - DUSK), 0.0), 1.0)
        if dark:
            corner = (picture.width, picture.height)
            picture.rectangle(
                (0.0, 0.0), corner, (*DARK, round(dark)), layer=Layer.EFFECTS + 1, space="screen"
            )
        super().draw(picture, alpha)
        position = self.seen_at(self.get(self.worm, Particles), alpha).reshape(3, -1, 2)
        end, neck = (
            (position[:, -1], position[:, -2])
            if self.heading > 0.0
            else (position[:, 0], position[:, 1])
        )
        middle = 0.5 * (end[1] + neck[1])
        up = 0.5 * (end[2] - end[0])
        ahead = (end[1] - neck[1]) / max(float(np.hypot(*(end[1] - neck[1]))), 1e-6)
        for eye in (middle + 0.35 * up, middle + 0.35 * up - 0.19 * ahead):
            picture.disc(eye, 0.085, palette.EYE_WHITE, layer=Layer.EYES)
            picture.disc(eye + 0.03 * ahead, 0.045, palette.EYE_PUPIL, layer=Layer.EYES)
        self._draw_keys(picture, alpha)

    def _draw_keys(self, picture: Picture, alpha: float) -> None:
        """Draw above each creature the key that moves it, until the player has used it, or when he
        needs help.
        """
        for action, creature in MOVERS.items():
            if self.outcome is None and (self.moved[action] < LEARNT or self.is_helped):
                skin = self.seen_at(self.get(self.named(creature), Particles), alpha)
                head = (float(skin[:, 0].mean()), float(skin[:, 1].max()) + 0.15)
                draw_key_above(picture, self.key_text(action), head, self.sim.frame)

    def _way_of_frog(self) -> float:
        """Return how far to the right it wants to go [m]: to its next meal or out of the worm's
        way; 0 to sit still.
        """
        frog = float(self.center_of(self.frog)[0])
        for meal in self.left_over("frog"):
            return meal.place[0] - frog
        in_its_way = [
            meal.place[0]
            for meal in self.left_over("worm")[:1]
            if abs(frog - meal.place[0]) < TOO_NEAR
        ]
        return math.copysign(TOO_NEAR, frog - in_its_way[0]) if in_its_way else 0.0

    def autopilot(self) -> Controls:
        """Crawl, jump and breathe to the next meal of each."""
        held: set[str] = set()
        for meal in self.left_over("chick")[:1]:
            held.add("up" if meal.place[1] > self.center_of(self.chick)[1] else "down")
        for meal in self.left_over("worm")[:1]:
            held.add("right" if meal.place[0] > self.center_of(self.worm)[0] else "left")
        way = self._way_of_frog()
        if way:
            if self.crouched:
                held.add("space")
            elif self._held & {"space"}:
                held -= {"left", "right"}
                held |= {"right" if way > 0.0 else "left"} if abs(way) > AIMED else set()
            rests = self.leap_frames == 0 and np.hypot(*self.velocity_of(self.frog)) < 0.3
            self.crouched = (
                self.crouched - 1
                if self.crouched
                else CROUCHES * (rests and "space" not in self._held)
            )
        pressed = held - self._held
        released = self._held - held
        self._held = held
        return Controls(held=set(held), pressed=pressed, released=released)
