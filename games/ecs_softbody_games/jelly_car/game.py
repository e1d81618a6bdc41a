"""JellyCar: the game itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from ecs_softbody.play import Axis, Button, Controls, say
from ecs_softbody.rendering import Layer, Picture, palette, themes
from ecs_softbody_games.jelly_car.car import RADIUS, Car
from ecs_softbody_games.jelly_car.track import FLAG, SLOPE_DEGREES, SLOPE_FOOT, START, Track
from ecs_softbody_games.labs.lab import Lab

AHEAD = np.array((1.0, 0.8))
"""Where the camera looks from the car [m]."""
SLOPE_STOP = SLOPE_FOOT + 1.6
"""Where the scripted player stops on the slope [m]."""
STOP_FRAMES = 50
PROGRESS, PATIENCE = 0.4, 18
"""Where the scripted player takes more frames than this for so many metres, it hops, and then takes a run-up."""


class JellyCar(Lab):
    """Drive a car of jelly over hills, crates and a see-saw to the flag."""

    name: ClassVar[str] = "jelly-car"
    theme = themes.DESERT
    keeps_bodies: ClassVar[bool] = False
    title: ClassVar[str] = "Jelly car"
    tagline: ClassVar[str] = "Reach the flag, in one piece of jelly"
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
    scene: ClassVar[str | Path] = "track.toml"

    def build(self) -> None:
        """Make the car."""
        assert self.loaded is not None
        self.track = Track(self.loaded)
        self.car = Car(self.sim, START)
        self.parked = False
        self.time = 0.0
        self.stopped_for = 0
        self.mark, self.waited = START[0], -PATIENCE
        self.camera.limits = (-6.0, -2.2, 49.0, 30.0)

    def look_at_scene(self, dt: float) -> None:
        """Follow the car, and look ahead of it."""
        if dt == 0.0:
            self.camera.height = 7.2
            self.camera.jump_to(self.car.position + AHEAD)
        else:
            self.camera.zoom_to(7.2 + 0.12 * min(float(np.hypot(*self.car.velocity)), 8.0))
            self.camera.follow(self.car.position + AHEAD, self.car.velocity, dt=dt)

    def play(self, controls: Controls, dt: float) -> None:
        """Drive, brake, hop and lean."""
        way = controls.axis("drive")
        if controls.is_pressed("brake"):
            self.parked = True
        elif way:
            self.parked = False
        if self.parked:
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
        self.sounds.hum("engine", volume=0.16 + 0.24 * abs(way), pitch=0.6 + 0.12 * speed + 0.15 * abs(way))
        self.sounds.hum("roll", volume=0.06 * speed if self.car.is_grounded() else 0.0, pitch=0.7 + 0.08 * speed)

    def after_step(self, dt: float) -> None:
        """Keep the time, and look for the flag."""
        super().after_step(dt)
        self.time += dt
        if self.car.position[0] > FLAG and self.outcome is None:
            self.outcome = "won"
            self.car.brake()
            self.effects.burst(self.car.position, colour=palette.GOLD)
            self.effects.confetti((FLAG, 3.0))

    def outcome_text(self) -> str:
        """Return the time that it took."""
        return say("platformer.seconds", time=self.time)

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return what the dashboard shows."""
        return [
            ("time", f"{self.time:.1f} s"),
            ("speed", f"{3.6 * abs(float(self.car.velocity[0])):.0f} km/h"),
            ("torque", f"{abs(self.car.torque):.0f} N m"),
            ("brake", "on" if self.parked else "off"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add wheels, the sign at the slope and the flag."""
        super().draw(picture, alpha)
        self._draw_wheels(picture, alpha)
        foot = np.array((SLOPE_FOOT - 0.7, 0.0))
        picture.stroke([foot, np.add(foot, (0.0, 1.1))], 4.0, palette.STEEL, layer=Layer.DECOR)
        picture.text(
            f"{SLOPE_DEGREES:.0f}°", np.add(foot, (0.0, 1.2)), size=26, align="center", colour=palette.TEXT_ACCENT,
            space="world", layer=Layer.DECOR,
        )  # fmt: skip
        pole = np.array((FLAG, 0.0))
        picture.stroke([pole, np.add(pole, (0.0, 3.0))], 5.0, palette.STEEL, layer=Layer.DECOR)
        wave = 0.12 * np.sin(6.0 * self.time)
        flag = np.add(pole, [(0.0, 3.0), (1.1, 2.65 + wave), (0.0, 2.2)])
        picture.polygon(flag, palette.GOLD, layer=Layer.DECOR)

    def _draw_wheels(self, picture: Picture, alpha: float) -> None:
        """Draw a dark tyre with a rim and spokes that show how it turns."""
        for wheel in self.car.wheels:
            feet = self.seen_at(self.car.body, alpha)[wheel.rows]
            hub, ring = (position := self.seen_at(wheel.particles, alpha))[0], position[1:]
            picture.segments(np.tile(hub, (len(feet), 1)), feet, 6.0, palette.STEEL, layer=Layer.EYES - 2)
            away = ring - hub
            tyre = hub + away * (1.0 + wheel.particles.radius[:1] / np.hypot(*away.T)[:, None])
            picture.polygon(tyre, palette.GROUND_DEEP, outline=palette.STEEL, outline_width=4.0, layer=Layer.EYES - 1)
            picture.polygon(hub + 0.62 * away, palette.STEEL, layer=Layer.EYES)
            for row in range(0, len(ring), len(ring) // 5):
                picture.stroke([hub, hub + 0.55 * away[row]], 4.0, palette.GROUND, layer=Layer.EYES)
            picture.disc(hub, 0.22 * RADIUS, palette.GOLD, layer=Layer.EYES + 1)

    def autopilot(self) -> Controls:
        """Drive to the flag; stop on the slope for a moment, hop on the way, and free the car where it is stuck."""
        self.script_frame += 1
        x = float(self.car.position[0])
        if x > SLOPE_STOP and self.stopped_for < STOP_FRAMES:
            self.stopped_for += 1
            self.mark, self.waited = x, -2 * PATIENCE
            held = {"down"}
        else:
            held = self._get_on(x)
        if self.car.angle > 0.75:
            held -= {"right"}
        if 28.0 < x < 28.6:
            held.add("space")
        if abs(self.car.angle) > (0.6 if self.car.is_grounded() else 0.25):
            held.add("d" if self.car.angle > 0.0 else "a")
        pressed, released = held - self._held, self._held - held
        self._held = held
        return Controls(held=set(held), pressed=pressed, released=released)

    def _get_on(self, x: float) -> set[str]:
        """Drive on; where the car does not get on, hop, and if that does not help, back off for a run-up."""
        self.waited += 1
        if x > self.mark + PROGRESS or self.waited >= 4 * PATIENCE:
            self.mark, self.waited = x, 0
        if self.waited >= 3 * PATIENCE:
            return {"left"}
        return {"right", "space"} if self.waited >= PATIENCE and self.waited % PATIENCE < 4 else {"right"}
