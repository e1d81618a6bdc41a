"""Gates: walls that sink away while every plate that names them is pressed at the same time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ecs_softbody import Particles, StaticCollider
from ecs_softbody.rendering import Layer, Picture, palette
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.rules.rule import Rule
from ecs_softbody_games.jelly_platformer.seen import is_seen

SPEED = 3.0  # m/s
HEIGHT = 0.16  # m, of a plate
WHOLE = 0.9
"""Share of the hero's mass that a heavy plate needs."""


@dataclass(slots=True)
class Plate:
    """A plate in the floor: its middle [m], its width [m], the gate that it opens.

    Parts of a hero are too light for a `heavy` one, and only what has the tag "key" presses one
    that asks for a `key`.
    """

    at: tuple[float, float]
    width: float
    gate: str
    heavy: bool = False
    key: bool = False
    pressed: bool = False


class Gates(Rule):
    """In a level's file a gate has the tag "gate" and data `by` [m]; a plate the tag "plate" and
    data of a `Plate`.
    """

    def __init__(self, game: Course) -> None:
        super().__init__(game)
        scene = game.loaded
        assert scene is not None
        self.plates = [
            Plate(**scene.data_of(scene.name_of(plate))) for plate in scene.tagged("plate")
        ]
        self.walls = {
            scene.name_of(wall): game.sim.get(wall, StaticCollider) for wall in scene.tagged("gate")
        }
        self.left = {name: float(scene.data_of(name)["by"]) for name in self.walls}
        """How far each has to sink yet [m]."""
        self.opened: set[str] = set()
        self.keys_of_gates = [game.sim.get(key, Particles) for key in scene.tagged("key")]
        self.whole = float(game.hero.particles.mass.sum())

    def after_step(self, dt: float) -> None:
        """See which plates are pressed, and move what is open."""
        hero = self.game.hero.parts
        for plate in self.plates:
            (x, y) = plate.at
            half = 0.5 * plate.width
            on = [
                part
                for part in (self.keys_of_gates if plate.key else hero)
                if (
                    (np.abs(part.position[:, 0] - x) < half)
                    & (np.abs(part.position[:, 1] - y) < 2.0 * HEIGHT)
                ).any()
            ]
            least = WHOLE * self.whole if plate.heavy else 0.0
            pressed = bool(on) and sum(float(part.mass.sum()) for part in on) >= least
            if pressed and not plate.pressed:
                self.game.sounds.play("click", at=plate.at)
            plate.pressed = pressed
        for name, wall in self.walls.items():
            if name not in self.opened and self.is_due(name):
                self.open(name)
            moving = name in self.opened and self.left[name] > 0.0
            wall.velocity = (0.0, -SPEED if moving else 0.0)
            self.left[name] -= SPEED * dt * moving

    def is_due(self, name: str) -> bool:
        """Return whether a gate is to open."""
        plates = [plate.pressed for plate in self.plates if plate.gate == name]
        return bool(plates) and all(plates)

    def open(self, name: str) -> None:
        """Let a gate sink away for good."""
        self.opened.add(name)
        corner = np.asarray(self.walls[name].vertices).max(axis=0)
        self.game.sounds.play("pop", pitch=0.6)
        self.game.effects.dust(tuple(corner))
        self.game.camera.shake(0.3)

    def draw(self, picture: Picture, time: float) -> None:
        """Draw the plates; a heavy one has two stripes."""
        for plate in self.plates:
            (x, y) = plate.at
            half = 0.5 * plate.width
            if not is_seen(picture, x - half, x + half):
                continue
            high = 0.04 if plate.pressed or plate.gate in self.opened else HEIGHT
            lit = plate.gate in self.opened or plate.pressed
            fill = palette.TEAL if lit else palette.GOLD
            picture.rectangle(
                (x - half, y - 0.02), (x + half, y + high), fill, layer=Layer.GROUND + 2
            )
            for side in (-0.2, 0.2) if plate.heavy else ():
                place = x + side * plate.width
                picture.rectangle(
                    (place - 0.08, y - 0.02),
                    (place + 0.08, y + high),
                    palette.darker(fill, 0.5),
                    layer=Layer.GROUND + 3,
                )
