"""Lab: what every short scene needs: a world, ground, a fitting view, numbers in the corner, a
scripted player.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles, Simulation, StaticCollider
from ecs_softbody.play import Axis, Button, Controls, Game, translated
from ecs_softbody.rendering import Look, Picture, draw_cached, palette
from ecs_softbody_games.framing import framed

Place = tuple[float, float]
Kind = TypeVar("Kind")

WORLD_NUMBERS = itertools.count(1)
"""Every round has a world of its own, so that two games can live side by side."""
MARGIN = 22.0
PAD = 16.0
ROW = 32.0
LABEL_SIZE = 20.0
VALUE_SIZE = 23.0
GAP = 26.0
"""Sizes on the screen [points]."""
LOW_SCREEN = 450.0
"""Height of a screen [points] below which there is no room for a panel with all numbers."""
LOST = 2.0
"""What is further than this outside of the view [m] is put back."""
LOOKING = 30
"""Frames between two searches for what is lost."""


@dataclass(frozen=True, slots=True)
class Act:
    """What the scripted player does in the frames [first, last).

    Attributes:
        first: frame in which the keys go down.
        last: frame in which they come up again.
        keys: their names, parted by spaces; `mouse_left` is one of them.
        start: where the mouse is at first [m]; None leaves it where it was.
        end: where it has glided to at last [m]; None: it stays at `start`.
    """

    first: int
    last: int
    keys: str = ""
    start: Place | None = None
    end: Place | None = None

    def pointer(self, frame: int) -> Place | None:
        """Return where the mouse is in a frame of this act."""
        if self.start is None or self.end is None:
            return self.start
        share = (frame - self.first) / max(self.last - 1 - self.first, 1)
        (x0, y0) = self.start
        (x1, y1) = self.end
        return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


class Lab(Game):
    """Base class of the short scenes.

    A lab states `name`, `title`, `tagline`, `keys`, `view`, `ground` and `script`, and overrides
    `build`, `play` and `numbers`. One with a `scene` or `levels` has its world and its ground from
    that file, and finds them in `self.loaded`. A lab whose camera moves overrides `look_at_scene`.
    """

    drag_with_mouse: ClassVar[bool] = True
    view: ClassVar[tuple[float, float, float, float]] = (-7.0, -0.8, 7.0, 6.6)
    """Left, bottom, right, top [m] of what is to be seen above the key bar."""
    clear: ClassVar[float | None] = None
    """How high [m] things stand that the panels in the corners are not to cover; None: they may
    cover the scene.
    """
    rows: ClassVar[int] = 3
    """Of the panel with the numbers, where it is not to cover the scene."""
    rows_low: ClassVar[int] = 1
    """The same in a window that is low."""
    ground: ClassVar[Sequence[Place]] = ((-9.0, 12.0), (-9.0, 0.0), (9.0, 0.0), (9.0, 12.0))
    """A chain from left to right, filled downwards; none: no ground."""
    gravity: ClassVar[Place] = (0.0, -9.81)
    substeps: ClassVar[int] = 8
    actions: ClassVar[Mapping[str, Axis | Button]] = {"do": Button("space", "pad_a")}
    """One thing to do, besides the directions `controls.horizontal` and `controls.vertical`."""
    script: ClassVar[Sequence[Act]] = ()
    """What the scripted player does; it is played once."""
    keeps_bodies: ClassVar[bool] = True
    """Whether bodies that leave the view are put back to where they began."""

    def start(self) -> None:
        """Build the world and the scene in it."""
        if self.scene or self.levels:
            super().start()
        else:
            self.close()
            world = f"{self.name}-{next(WORLD_NUMBERS)}"
            self.sim = Simulation(gravity=self.gravity, substeps=self.substeps, world=world)
        self.effects.clear()
        self.acts = list(self.script)
        self.script_frame = -1
        self._held: set[str] = set()
        self._pointer: Place = (0.0, 0.0)
        self._homes: dict[int, NDArray[np.float64]] = {}
        if len(self.ground) and self.loaded is None:
            self.add(StaticCollider(self.ground, friction=0.9), Look(style="ground"))
        for entity in self.sim.entities(Particles):  # those of the scene file
            self._homes[entity] = self.center_of(entity)
        self.build()
        self._look_at_once()

    def build(self) -> None:
        """Add the bodies of the scene, and set whatever else a new round needs."""

    def play(self, controls: Controls, dt: float) -> None:
        """Do what the keys say."""

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return (label, value) pairs for the corner of the screen."""
        return ()

    def look_at_scene(self, dt: float) -> None:
        """Place the camera, once a frame, and with dt = 0 at once: here so that `view` fits above
        the key bar.
        """
        if dt > 0.0:
            return
        self.camera.fit(self.framed)

    @property
    def framed(self) -> tuple[float, float, float, float]:
        """What is seen of the view in this window."""
        rows = self.rows_low if self.is_low else self.rows
        return framed(
            self.view, self.camera, clear=self.clear, panel=MARGIN + 2.0 * PAD + ROW * rows
        )

    @property
    def is_low(self) -> bool:
        """Whether the screen is so low that a panel with all numbers would
        cover much of the scene.
        """
        return self.camera.screen_height < LOW_SCREEN

    def look_anew(self) -> None:
        """Place the camera anew where the window has another shape."""
        if (self.camera.aspect, self.camera.screen_height) != self._shape:
            self._look_at_once()

    def _look_at_once(self) -> None:
        self._shape = (self.camera.aspect, self.camera.screen_height)
        self.look_at_scene(0.0)

    def add(self, *components: Any) -> int:
        """Create an entity in the scene's world."""
        entity = self.sim.spawn(*components)
        for component in components:
            if isinstance(component, Particles):
                self._homes[entity] = component.position.mean(axis=0)
        return entity

    def named(self, name: str) -> int:
        """Return the entity of a name in the scene file."""
        assert self.loaded is not None
        return self.loaded[name]

    def get(self, entity: int, kind: type[Kind]) -> Kind:
        """Return the component of an entity."""
        with self.sim:
            return esper.component_for_entity(entity, kind)

    def exists(self, entity: int) -> bool:
        """Return whether an entity is still there."""
        with self.sim:
            return bool(esper.entity_exists(entity))

    def center_of(self, entity: int) -> NDArray[np.float64]:
        """Return the middle of a body's particles [m]."""
        return np.asarray(self.get(entity, Particles).position.mean(axis=0))

    def velocity_of(self, entity: int) -> NDArray[np.float64]:
        """Return the mean velocity of a body's particles [m/s]."""
        return np.asarray(self.get(entity, Particles).velocity.mean(axis=0))

    @staticmethod
    def seen_at(particles: Particles, alpha: float) -> NDArray[np.float64]:
        """Return where a body's particles are drawn, `alpha` of the way through the frame, shape
        (N, 2) [m].
        """
        return np.asarray(
            particles.frame_position + alpha * (particles.position - particles.frame_position)
        )

    def update(self, controls: Controls, dt: float) -> None:
        """Play one frame."""
        self.play(controls, dt)

    def after_step(self, dt: float) -> None:
        """Let the camera follow what has moved, and put back what is lost."""
        self.look_at_scene(dt)
        if self.keeps_bodies and self.sim.frame % LOOKING == 0:
            self._put_back()

    def _put_back(self) -> None:
        """Put what has left the view back to where it began, at rest."""
        left, bottom, right, top = self.view
        for entity, home in list(self._homes.items()):
            if not self.exists(entity):
                del self._homes[entity]
                continue
            body = self.get(entity, Particles)
            x, y = body.position.mean(axis=0)
            if left - LOST < x < right + LOST and bottom - LOST < y < top + LOST:
                continue
            body.position += home - (x, y)
            body.frame_position[:] = body.position
            body.velocity[:] = 0.0
            self.effects.ring(home)
            self.sounds.play("pop", at=home)

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the panel with the numbers."""
        self.draw_numbers(picture)

    def draw_numbers(self, picture: Picture, *, beside: float = 0.0, below: float = 0.0) -> None:
        """Draw the panel with the numbers in the upper right corner.

        Args:
            picture: to draw on.
            beside, below: what ends here [points] is there already: right of it where there is
                room, else below.
        """
        self.look_anew()
        most = 1 if self.is_low else None  # the first one matters most
        rows = [(translated(row[0]), translated(row[1])) for row in self.numbers() if row][:most]
        if rows:
            self._draw_rows(picture, rows, beside, below)

    @staticmethod
    def _draw_rows(
        picture: Picture, rows: list[tuple[str, str]], beside: float, below: float
    ) -> None:
        widths = [
            picture.text_width(label, LABEL_SIZE) + picture.text_width(value, VALUE_SIZE)
            for label, value in rows
        ]
        edge = picture.width - MARGIN - PAD
        top = picture.height - MARGIN
        left = edge - max(max(widths) + GAP, 170.0)
        top -= below if left - PAD < beside else 0.0
        lines = [top - PAD - 18 - ROW * index for index in range(len(rows))]
        labels, values = zip(*rows, strict=True)

        def draw_labels() -> None:
            picture.panel((left - PAD, top - 2 * PAD - ROW * len(rows) + 8), (edge + PAD, top))
            for label, y in zip(labels, lines, strict=True):
                picture.text(label, (left, y), size=LABEL_SIZE, colour=palette.TEXT_DIM)

        def draw_values() -> None:
            for value, y in zip(values, lines, strict=True):
                picture.text(value, (edge, y), size=VALUE_SIZE, align="right")

        draw_cached(picture, "labels", (labels, left, top), draw_labels)
        draw_cached(picture, "values", (values, top), draw_values)

    def autopilot(self) -> Controls:
        """Play the script."""
        self.script_frame += 1
        held: set[str] = set()
        for act in self.acts:
            if act.first <= self.script_frame < act.last:
                held |= set(act.keys.split())
                self._pointer = act.pointer(self.script_frame) or self._pointer
        pressed = held - self._held
        released = self._held - held
        self._held = held
        return Controls(held=set(held), pressed=pressed, released=released, pointer=self._pointer)
