"""Effects: splashes, rising texts and flashes; purely visual, a fixed number of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering.palette import TEXT, Colour, faded, rgba
from ecs_softbody.rendering.texts.table import translated

if TYPE_CHECKING:
    from ecs_softbody.play.surfaces import Surfaces
    from ecs_softbody.rendering.picture import Picture

DROPS = 256
FALL = 14.0
"""How fast drops fall where gravity is that of the Earth or more [m/s²]."""
EARTH = 9.81
LEAVING = 0.04
"""For so long [s] a drop leaves what threw it, and nothing stops it."""
STAIN = 0.15
"""For so long [s] a drop is seen where it has hit something."""


@dataclass(slots=True)
class _RisingText:
    text: str
    position: tuple[float, float]
    colour: Colour
    size: float
    age: float = 0.0


class Effects:
    """Small visible things that live for a moment and touch nothing."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)
        self._position = np.zeros((DROPS, 2))
        self._velocity = np.zeros((DROPS, 2))
        self._radius = np.zeros(DROPS)
        self._age = np.full(DROPS, 9.0)
        self._life = np.full(DROPS, 0.5)
        self._colour = np.zeros((DROPS, 4), np.float32)
        self._landed = np.zeros(DROPS, np.bool_)
        self._next = 0
        self._texts: list[_RisingText] = []
        self._rings: list[list[float]] = []
        self._ring_colours: list[Colour] = []

    def clear(self) -> None:
        """Forget everything that is visible now."""
        self._age[:] = 9.0
        self._texts.clear()
        self._rings.clear()
        self._ring_colours.clear()

    def splash(
        self,
        point: ArrayLike,
        *,
        normal: ArrayLike = (0.0, 1.0),
        colour: Colour = TEXT,
        strength: float = 1.0,
        count: int | None = None,
    ) -> None:
        """Throw drops from a point [m] along a normal; strength 1 is a good landing."""
        number = int(np.clip(6 + 8 * strength, 4, 28)) if count is None else count
        rows = (self._next + np.arange(number)) % DROPS
        self._next = int((self._next + number) % DROPS)
        along = np.asarray(normal, np.float64)
        across = np.array((-along[1], along[0]))
        spread = self._random.uniform(-1.0, 1.0, (number, 1))
        speed = self._random.uniform(0.4, 1.0, (number, 1)) * (1.2 + 2.2 * min(strength, 2.5))
        self._position[rows] = np.asarray(point, np.float64)
        self._velocity[rows] = speed * (along * (1.0 - 0.6 * np.abs(spread)) + across * spread)
        self._radius[rows] = self._random.uniform(0.025, 0.07, number) * (0.7 + 0.3 * min(strength, 2.0))
        self._life[rows] = self._random.uniform(0.3, 0.65, number)
        self._age[rows] = 0.0
        self._landed[rows] = False
        self._colour[rows] = rgba(colour)

    def burst(self, point: ArrayLike, *, colour: Colour = TEXT, strength: float = 1.0) -> None:
        """Throw drops to all sides: something was collected, or popped."""
        for angle in np.linspace(0.0, 2.0 * np.pi, 4, endpoint=False):
            direction = (float(np.cos(angle)), float(np.sin(angle)))
            self.splash(point, normal=direction, colour=colour, strength=strength, count=5)

    def ring(self, point: ArrayLike, *, radius: float = 0.6, colour: Colour = TEXT) -> None:
        """Let a ring grow from a point [m] to a radius [m] and fade."""
        x, y = np.asarray(point, np.float64)
        self._rings.append([float(x), float(y), radius, 0.0])
        self._ring_colours.append(colour)

    def rising_text(self, text: str, point: ArrayLike, *, colour: Colour = TEXT, size: float = 30.0) -> None:
        """Let a short text rise from a point [m] and fade: "+1"."""
        x, y = np.asarray(point, np.float64)
        self._texts.append(_RisingText(translated(text), (float(x), float(y)), colour, size))

    def advance(self, dt: float, gravity: ArrayLike = (0.0, -EARTH), surfaces: Surfaces | None = None) -> None:
        """Move everything by one frame [s]; drops fall where gravity [m/s²] points, and end on surfaces."""
        self._age += dt
        self._move_drops(dt, np.asarray(gravity, np.float64), surfaces)
        for item in self._texts:
            item.age += dt
        self._texts = [item for item in self._texts if item.age < 1.0]
        for ring in self._rings:
            ring[3] += dt
        keep = [index for index, ring in enumerate(self._rings) if ring[3] < 0.45]
        self._rings = [self._rings[index] for index in keep]
        self._ring_colours = [self._ring_colours[index] for index in keep]

    def _move_drops(self, dt: float, pull: Floats, surfaces: Surfaces | None) -> None:
        rows = np.flatnonzero(self._age < self._life)
        if not len(rows):
            return
        flying = rows[~self._landed[rows]]
        self._velocity[flying] += FALL * dt / max(float(np.hypot(*pull)), EARTH) * pull
        self._velocity[flying] *= 1.0 - 1.2 * dt
        self._position[rows] += self._velocity[rows] * dt
        free = flying[self._age[flying] > LEAVING]
        if surfaces is None or not len(free):
            return
        way = self._velocity[free] * dt
        start = self._position[free] - way
        share = surfaces.shares_until_hit(start, self._position[free])
        met = np.isfinite(share)
        landed = free[met]
        self._position[landed] = start[met] + share[met, None] * way[met]
        self._velocity[landed] = 0.0
        self._landed[landed] = True
        self._life[landed] = np.minimum(self._life[landed], self._age[landed] + STAIN)

    def draw(self, picture: Picture, alpha: float = 1.0) -> None:
        """Add what is visible now."""
        from ecs_softbody.rendering.layers import Layer

        back = (1.0 - alpha) / 60.0
        alive = np.flatnonzero(self._age < self._life)
        if len(alive):
            left = 1.0 - self._age[alive] / self._life[alive]
            positions = self._position[alive] - back * self._velocity[alive]
            colours = self._colour[alive].copy()
            colours[:, 3] *= np.minimum(1.0, 2.0 * left)
            picture.discs(positions, self._radius[alive] * (0.35 + 0.65 * left), colours, layer=Layer.EFFECTS)
        turns = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
        circle = np.stack((np.cos(turns), np.sin(turns)), axis=1)
        for (x, y, radius, age), colour in zip(self._rings, self._ring_colours, strict=True):
            share = age / 0.45
            grown = radius * (1.0 - (1.0 - share) ** 3)
            tint = faded(colour, 1.0 - share)
            picture.stroke(circle * grown + (x, y), 5.0 * (1.0 - share) + 1.0, tint, closed=True, layer=Layer.EFFECTS)
        for item in self._texts:
            rise = 0.9 * (1.0 - (1.0 - item.age) ** 2)
            position = (item.position[0], item.position[1] + rise)
            tint = faded(item.colour, min(1.0, 2.5 * (1.0 - item.age)))
            picture.text(
                item.text, position, size=item.size, colour=tint, align="center", layer=Layer.EFFECTS, space="world"
            )
