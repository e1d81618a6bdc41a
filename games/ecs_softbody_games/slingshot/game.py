"""Slingshot: pull a soft shot back, let it go, and burst every grump with as few as you can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from ecs_softbody import ContactEvent, Particles
from ecs_softbody.play import Axis, Button, Controls, say
from ecs_softbody.rendering import Look, Picture, palette, themes
from ecs_softbody_games.slingshot import drawing
from ecs_softbody_games.slingshot.player import Player
from ecs_softbody_games.slingshot.round import Round
from ecs_softbody_games.slingshot.sling import split
from ecs_softbody_games.stars import keep_stars

WEAK = 1.5
"""The same of a weak spot, and only of a shot."""
SETTLING = 40
"""Frames at the start of a round in which nothing bursts: towers settle."""
RELOAD, LONGEST_WAIT, CHEER = 110, 420, 70
"""Frames until the next shot is in the pouch, until a round without shots is lost at the latest,
and from the last grump to the end.
"""
CALM, CALM_FRAMES = 0.4, 45
"""When nothing is faster than this [m/s] for so long, nothing more will happen."""
DEEPEST, FARTHEST = -3.0, 16.0
"""Whatever is below or beyond is gone [m]."""


class Slingshot(Round):
    """Ten rounds of towers and grumps."""

    name: ClassVar[str] = "slingshot"
    title: ClassVar[str] = "Slingshot"
    tagline: ClassVar[str] = "Burst every grump, with as few shots as you can"
    theme = themes.SUMMER
    start_view = (-9.2, -0.4, 9.2, 2.8)
    actions: ClassVar[Mapping[str, Axis | Button]] = {
        "angle": Axis("down s pad_down", "up w pad_up", "stick_y"),
        "pull": Axis("left a pad_left", "right d pad_right", "stick_x"),
        "shoot": Button("space", "pad_a"),
    }
    keys: ClassVar[list[tuple[str, str]]] = [
        ("mouse", "pull back, let go"),
        ("angle", "aim"),
        ("pull", "pull"),
        ("shoot", "shoot, split"),
    ]
    by_pointer: ClassVar[Sequence[str]] = ("angle", "pull")

    def __init__(self) -> None:
        super().__init__()
        self.on("contact_begin", self.hit)

    def start(self) -> None:
        """Build a round from its file, with a scripted player for it."""
        super().start()
        self.player = Player()

    def update(self, controls: Controls, dt: float) -> None:
        """Aim and shoot, or split what flies."""
        if self.outcome is not None or dt == 0.0:
            return
        if self.sling.shot is not None:
            if self.sling.aim(controls, dt):
                self.shoot()
        elif self.flying and controls.was_pressed("shoot", "mouse_left"):
            self.split()

    def shoot(self) -> None:
        """Let the shot go."""
        self.used += 1
        self.waited = 0
        self.calm = 0
        self.sounds.play("hop", pitch=0.8 + 0.3 * self.sling.pull)
        self.flying = [self.sling.let_go()]
        if self.sling.kind.splits and self.used == 1:
            self.clock.after(0.5, self.say_split)
        self.trail = []

    def say_split(self) -> None:
        """Say what splits a shot, above it."""
        if len(self.flying) == 1:
            place = np.add(self.sim.get(self.flying[0], Particles).center, (0.0, 0.6))
            self.effects.rising_text(f"{self.key_text('shoot')}!", place, colour=palette.TEXT)

    def split(self) -> None:
        """Split the shot in the air, where it is one that does."""
        if not self.sling.kind.splits or len(self.flying) > 1:
            return
        center = self.sim.get(self.flying[0], Particles).center
        self.effects.burst(center, colour=self.sling.kind.fill)
        self.sounds.play("pop", at=tuple(center))
        self.flying = split(self.sim, self.flying[0])

    def hit(self, event: ContactEvent) -> None:
        """Note what was hit harder than it stands."""
        if self.frame < SETTLING:
            return
        for entity, other in ((event.entity_a, event.entity_b), (event.entity_b, event.entity_a)):
            stands = self.strength.get(entity, np.inf)
            if entity in self.weak_spots and other in self.flying:
                stands = WEAK
            if event.speed > stands:
                self.doomed.append(entity)

    def after_step(self, dt: float) -> None:
        """Burst what was hit, load the next shot, and see whether the round has ended."""
        self.frame += 1
        for entity in [*self.doomed, *(target for target in self.targets if self.is_gone(target))]:
            self.burst(entity)
        self.doomed.clear()
        self.flying = [shot for shot in self.flying if not self.remove_if_gone(shot)]
        if self.flying and self.frame % 4 == 0 and self.waited < RELOAD:
            self.trail += [self.sim.get(shot, Particles).center for shot in self.flying]
        self.waited += 1
        self.go_on()

    def go_on(self) -> None:
        """Load the next shot; win a while after the last grump,
        lose when nothing more will happen.
        """
        if not self.targets:
            if self.waited >= CHEER:
                keep_stars(self, self.stars)
                self.saves.keep_best(
                    f"shots {self.level_number + 1}", self.used, better="lower", low=1
                )
                self.outcome = "won"
        elif self.sling.shot is None and self.used < len(self.shots):
            if self.waited >= RELOAD:
                self.flying = []
                self.sling.load(self.shots[self.used])
        elif self.sling.shot is None:
            fastest = max(
                np.abs(self.sim.get(one, Particles).velocity).max()
                for one in self.sim.entities(Particles)
            )
            self.calm = self.calm + 1 if fastest < CALM else 0
            if self.calm >= CALM_FRAMES or self.waited >= LONGEST_WAIT:
                self.failures[self.level_number] += 1
                self.outcome = "lost"

    def burst(self, entity: int) -> None:
        """Burst a grump or a weak spot."""
        if not self.sim.exists(entity):
            return
        center = self.sim.get(entity, Particles).center
        look = self.sim.get(entity, Look)
        fill = look.fill or palette.VIOLET
        self.sim.despawn(entity)
        self.effects.burst(center, colour=fill, strength=2.0)
        self.effects.ring(center, radius=1.1, colour=fill)
        self.camera.shake(0.35)
        self.clock.hit_stop(0.05)
        self.sounds.play("pop", vary=0.15, at=tuple(center))
        if entity in self.targets:
            self.targets.remove(entity)
            if not self.targets:
                self.waited = 0
                self.clock.slow_motion(0.3, 0.8)

    def is_gone(self, entity: int) -> bool:
        """Return whether a body has left the world."""
        x, y = self.sim.get(entity, Particles).center
        return bool(y < DEEPEST or abs(x) > FARTHEST)

    def remove_if_gone(self, shot: int) -> bool:
        """Take a shot that has left out of the world; return whether it has."""
        if not self.is_gone(shot):
            return False
        self.sim.despawn(shot)
        return True

    def outcome_text(self) -> str:
        """Return how many shots it took."""
        if self.outcome == "lost":
            return say("slingshot.helped" if self.is_helped else "slingshot.lost")
        return say("slingshot.shot" if self.used == 1 else "slingshot.shots", count=self.used)

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add the sling, its band, the path and the numbers."""
        self.look()
        drawing.draw(self, picture, alpha)

    def autopilot(self) -> Controls:
        """Pull and let go with the mouse, as the round's file says how."""
        return self.player.controls(self)
