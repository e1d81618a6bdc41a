"""JellyCar: the game itself: five tracks, medals, and the ghost of the best run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from ecs_softbody.play import Axis, Button, Controls, say
from ecs_softbody.rendering import Picture, palette, themes
from ecs_softbody_games.jelly_car import drawing
from ecs_softbody_games.jelly_car.ride import Ride
from ecs_softbody_games.jelly_car.track import MEDALS, PARKING

AHEAD = np.array((2.0, 0.8))
"""Where the camera looks from the car [m], in a window that is wide enough."""
ROOM_AHEAD, ROOM_BEHIND = 0.29, 1.7
"""In a narrow one it looks this share of the width ahead, less so much [m]: the car stays in the
picture.
"""
TALL, NARROWEST = 7.2, 8.0
"""What is seen is at least so high and so wide [m]."""
STANDS = 0.35
"""Slower than this a car stands [m/s]."""
PARKED_FOR, ROOF_FOR = 20, 25
"""For so many frames a car has to stand behind the flag, and may lie on its roof."""
MEDAL_TEXTS = {"gold": "car.gold", "silver": "car.silver", "bronze": "car.bronze"}


class JellyCar(Ride):
    """Drive a car of jelly over five tracks to the flag."""

    name: ClassVar[str] = "jelly-car"
    theme = themes.DESERT
    keeps_bodies: ClassVar[bool] = False
    title: ClassVar[str] = "Jelly car"
    tagline: ClassVar[str] = "Reach the flag, wheels down, as fast as you can"
    keys: ClassVar[list[tuple[str, str]]] = [
        ("drive", "drive"),
        ("brake", "brake, and stay"),
        ("hop", "hop"),
        ("lean", "lean"),
    ]
    actions: ClassVar[Mapping[str, Axis | Button]] = {
        "drive": Axis("left pad_left", "right pad_right", "stick_x pad_rt"),
        "brake": Button("down", "pad_b", "pad_down"),
        "hop": Button("space", "pad_a"),
        "lean": Axis("a pad_lb", "d pad_rb"),
    }

    def look_at_scene(self, dt: float) -> None:
        """Follow the car, and look ahead of it."""
        height = max(TALL, NARROWEST / self.camera.aspect)
        ahead = max(ROOM_AHEAD * height * self.camera.aspect - ROOM_BEHIND, 0.0)
        place = self.car.position + np.minimum(AHEAD, (ahead, AHEAD[1]))
        if dt == 0.0:
            self.camera.height = height
            self.camera.jump_to(place)
        else:
            self.camera.zoom_to(height + 0.12 * min(float(np.hypot(*self.car.velocity)), 8.0))
            self.camera.follow(place, self.car.velocity, dt=dt)

    def play(self, controls: Controls, dt: float) -> None:
        """Drive, brake, hop and lean."""
        way = controls.axis("drive")
        if controls.is_pressed("brake"):
            self.parked = True
        elif way:
            self.parked = False
        if self.parked or self.outcome is not None:
            self.car.brake()
        else:
            self.car.drive(way)
        if controls.was_pressed("hop") and self.car.is_grounded():
            self.car.hop()
            self.sounds.play("hop")
        lean = -controls.axis("lean")
        if lean:
            self.car.lean(lean, dt)
        self.car.update()
        speed = float(np.hypot(*self.car.velocity))
        self.sounds.hum(
            "engine", volume=0.16 + 0.24 * abs(way), pitch=0.6 + 0.12 * speed + 0.15 * abs(way)
        )
        self.sounds.hum(
            "roll", volume=0.06 * speed if self.car.is_grounded() else 0.0, pitch=0.7 + 0.08 * speed
        )

    def after_step(self, dt: float) -> None:
        """Keep the time and the run, and see whether it has ended."""
        super().after_step(dt)
        if self.outcome is not None:
            return
        self.time += dt
        self.run.note(self.sim, self.car.chassis)
        x, y = self.car.position
        self.lay_for = self.lay_for + 1 if self.car.is_on_its_roof() else 0
        if self.lay_for >= ROOF_FOR or y < self.track.depth:
            self.failures[self.level_number] += 1
            self.sounds.play("splash" if y < self.track.depth else "crack")
            self.outcome = "lost"
        elif x > self.track.flag and (not self.track.stops or self._has_stopped(x)):
            self.win()

    def _has_stopped(self, x: float) -> bool:
        """Return whether the car has stood behind the flag for long enough."""
        stands = x < self.track.flag + PARKING and np.hypot(*self.car.velocity) < STANDS
        self.stood_for = self.stood_for + 1 if stands else 0
        return self.stood_for >= PARKED_FOR

    def win(self) -> None:
        """Keep time, medal and ghost."""
        self.outcome = "won"
        self.car.brake()  # nobody steers any more
        number = self.level_number + 1
        medal = self.track.medal_of(self.time)
        self.saves.keep_best(f"time {number}", self.time, better="lower", low=0.0)
        if medal:
            rank = len(MEDALS) - MEDALS.index(medal)
            self.saves.keep_best(f"medal {number}", rank, low=1, high=len(MEDALS))
        self.run.finish(self.time)
        self.effects.burst(self.car.position, colour=palette.GOLD)
        self.effects.confetti((self.track.flag, self.track.height(self.track.flag) + 3.0))

    def best_time(self, number: int) -> float | None:
        """Return the player's best time on a track, counted from 0 [s]; None for none."""
        return self.saves.number(f"time {number + 1}", None, low=0.0)

    def level_words(self, number: int) -> tuple[str, str]:
        """Return the player's best time on a track."""
        best = self.best_time(number)
        return "", "" if best is None else say("platformer.best", time=best)

    def outcome_text(self) -> str:
        """Return the time that it took and its medal, or how it was lost."""
        if self.outcome == "lost":
            return say("car.fell" if self.car.position[1] < self.track.depth else "car.roof")
        medal = self.track.medal_of(self.time)
        return say(MEDAL_TEXTS.get(medal, "platformer.seconds"), time=self.time)

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return what the dashboard shows."""
        best = self.best_time(self.level_number)
        return [
            ("time", f"{self.time:.1f} s"),
            ("your best", "-" if best is None else f"{best:.1f} s"),
            ("speed", f"{3.6 * abs(float(self.car.velocity[0])):.0f} km/h"),
            ("brake", "on" if self.parked else "off"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add wheels, signs, the flag, the ghost and the medals."""
        super().draw(picture, alpha)
        drawing.draw(self, picture, alpha)

    def autopilot(self) -> Controls:
        """Drive as the track's file says how."""
        return self.driver.controls()
