"""Eyes: they look where a body moves, blink, and show its mood."""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.indices import repeat
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.world.look import Look

BLINK_EVERY = 3.7
"""Time from one blink of a body to its next [s]."""
BLINK_TIME = 0.13
"""Time that eyes are closed in a blink [s]."""
FULL_GAZE = 3.0
"""Speed [m/s] at which the eyes look all the way to the side."""

COLOURS = np.stack([rgba(palette.EYE_PUPIL), rgba(palette.EYE_WHITE)] * 2)
"""Colours of the edge of an eye, its white, its pupil and the light in it (the glint)."""

SMILE = np.linspace(-1.0, 1.0, 9).tolist()
"""Places of the points of a closed eye, across it, over its size."""
LID = np.linspace(-0.25 * np.pi, 1.25 * np.pi, 25)
"""Directions of the points of a lid around its eye [rad]."""


class Eyes:
    """Draws the eyes of all bodies; remembers where each one looks, so that a gaze glides."""

    def __init__(self) -> None:
        # Where each entity looks, x and y within a circle of radius 1.
        self._gaze: dict[int, tuple[float, float]] = {}
        # Simulated time of the picture [s], and share of the way that a gaze glides in it.
        self._time = 0.0
        self._share = 1.0
        # Ellipses of the open eyes of this picture: x, y, half width, half height [px], opacity.
        self._whites: list[tuple[float, float, float, float, float]] = []
        self._pupils: list[tuple[float, float, float, float, float]] = []
        self._glints: list[tuple[float, float, float, float, float]] = []

    def begin(self, time: float) -> None:
        """Start a picture at a simulated time [s]."""
        passed = time - self._time
        self._time = time
        self._share = 1.0 - math.exp(-min(max(passed, 0.0), 1.0) / 0.09)
        if passed < 0.0:
            self._gaze.clear()
        self._whites = []
        self._pupils = []
        self._glints = []

    def add(
        self,
        picture: Picture,
        entity: int,
        look: Look,
        box: np.ndarray,
        velocity: tuple[float, float],
        fill: Colour,
    ) -> None:
        """Add the eyes of one body; `box` is its row of `add_bodies`, `velocity` its own [m/s]."""
        x, y, thickness, left, bottom, right, top, visible = box.tolist()
        if not visible or thickness < 3.0:
            return
        gaze_x, gaze_y = self._gaze_of(entity, velocity)
        squash = min(max((top - bottom) / max(right - left, 1e-6), 0.55), 1.35)
        size = look.eye_size * thickness
        x += 0.24 * thickness * gaze_x
        y += (0.16 + 0.12 * gaze_y) * thickness * min(squash, 1.0)
        count = 2 if look.eyes is True else int(look.eyes)
        apart = 1.28 * size if count > 1 else 0.0
        blinking = (self._time + 1.37 * entity) % BLINK_EVERY < BLINK_TIME
        for side in (-1.0, 1.0)[:count] if count > 1 else (1.0,):
            position = (x + side * apart, y)
            if look.mood in ("happy", "hurt") or (blinking and look.mood == "calm"):
                self._closed(picture, position, size, side, look.mood, fill, look.opacity)
                continue
            tall = size * min(squash, 1.12)
            self._whites.append((*position, size, tall, look.opacity))
            pupil = (position[0] + 0.38 * size * gaze_x, position[1] + 0.34 * tall * gaze_y)
            self._pupils.append((*pupil, 0.56 * size, 0.6 * tall, look.opacity))
            glint = (pupil[0] - 0.2 * size, pupil[1] + 0.24 * tall)
            self._glints.append((*glint, 0.2 * size, 0.2 * size, look.opacity))
            if look.mood == "angry":
                self._lid(picture, position, size, side, fill, look.opacity)

    def finish(self, picture: Picture, layer: int = Layer.EYES) -> None:
        """Add all open eyes at once."""
        if not self._whites:
            return
        edge = 0.9 * picture.point
        shades = [
            (x, y, rx + edge, ry + edge, 0.55 * opacity) for x, y, rx, ry, opacity in self._whites
        ]
        table = np.array(shades + self._whites + self._pupils + self._glints)
        colours = repeat(COLOURS, len(shades), axis=0)
        colours[:, 3] *= table[:, 4]
        picture.mesh(layer).add_ellipses(table[:, :2], table[:, 2:4], colours)

    def _gaze_of(self, entity: int, velocity: tuple[float, float]) -> tuple[float, float]:
        """Return where an entity looks now, on its way to the direction of its motion."""
        speed = math.hypot(*velocity)
        scale = min(speed / FULL_GAZE, 1.0) / max(speed, 1e-6)
        goal = (velocity[0] * scale, velocity[1] * scale) if math.isfinite(speed) else (0.0, 0.0)
        before = self._gaze.get(entity, (0.0, 0.0))
        share = self._share
        gaze = (
            before[0] + (goal[0] - before[0]) * share,
            before[1] + (goal[1] - before[1]) * share,
        )
        self._gaze[entity] = gaze
        return gaze

    @staticmethod
    def _closed(
        picture: Picture,
        position: tuple[float, float],
        size: float,
        side: float,
        mood: str,
        fill: Colour,
        opacity: float,
    ) -> None:
        x, y = position
        ink = palette.faded(
            palette.EYE_PUPIL if mood != "calm" else palette.darker(fill, 0.7), opacity
        )
        if mood == "hurt":
            line = [
                (x + side * size * 0.6, y + 0.6 * size),
                (x - side * size * 0.5, y),
                (x + side * size * 0.6, y - 0.6 * size),
            ]
        else:
            rise = 0.75 if mood == "happy" else -0.25
            line = [
                (x + 0.8 * size * turn, y + rise * size * (0.6 - turn * turn)) for turn in SMILE
            ]
        points = np.array(line) / picture.point
        picture.stroke(
            points, max(2.0, 0.3 * size / picture.point), ink, layer=Layer.EYES, space="screen"
        )

    @staticmethod
    def _lid(
        picture: Picture,
        position: tuple[float, float],
        size: float,
        side: float,
        fill: Colour,
        opacity: float,
    ) -> None:
        x, y = position
        edge = 1.1 * size * np.column_stack((side * np.cos(LID), np.sin(LID)))
        above = edge[edge[:, 1] > (0.42 + 0.36 * side * edge[:, 0] / size) * size]
        if len(above) < 3:
            return
        lid = (above + np.array((x, y))) / picture.point
        picture.polygon(
            lid,
            palette.faded(palette.darker(fill, 0.16), opacity),
            layer=Layer.EYES + 1,
            space="screen",
        )
        brow = palette.faded(palette.darker(fill, 0.62), opacity)
        width = max(2.0, 0.3 * size / picture.point)
        picture.stroke(lid[[0, -1]], width, brow, layer=Layer.EYES + 1, space="screen")
