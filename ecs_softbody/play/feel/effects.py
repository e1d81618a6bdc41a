"""Effects: splashes, crumbs, dust, confetti, rising texts, rings and flashes, as `game.effects`.

They are in the picture only, and act on nothing. Drops, crumbs and the like are particles of a
fixed pool (particles.py); new ones replace the oldest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.indices import arange
from ecs_softbody.play.feel.cut_edges import CutEdges
from ecs_softbody.play.feel.iris import Iris
from ecs_softbody.play.feel.particles import EARTH, MOST, Particles
from ecs_softbody.rendering.explained import explained
from ecs_softbody.rendering.land.clouds import CALM, Carried
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import (
    BODY_COLOURS,
    TEXT,
    Colour,
    check_colour,
    faded,
    lighter,
    rgba,
)
from ecs_softbody.rendering.texts.table import translated
from ecs_softbody.validation import check_count, check_number, check_point

if TYPE_CHECKING:
    from ecs_softbody.play.feel.surfaces import Surfaces
    from ecs_softbody.rendering.picture import Picture

DUST: Colour = (224, 214, 198, 120)
"""Colour of dust, where nothing else is asked for."""
WIPE = 0.4
"""Duration of an iris's opening or closing [s]."""
ABOVE = 0.04
"""Distance from a surface [m] at which particles start: a contact of soft bodies lies slightly
below the surface.
"""
FLASHED = 0.12
"""Duration of a flash [s]."""


def _checked(asked: str, point: ArrayLike, strength: float) -> tuple[NDArray[np.float64], float]:
    """Return the checked point and strength of an effect; ValueError for an invalid point or
    number.
    """
    return check_point(f"Effects.{asked}", "point", point), check_number(
        f"Effects.{asked}", "strength", strength
    )


def _count(asked: str, count: int) -> int:
    return check_count(f"Effects.{asked}", "count", count, minimum=0, maximum=MOST)


@dataclass(slots=True)
class _RisingText:
    text: str
    position: tuple[float, float]
    colour: Colour
    size: float
    age: float = 0.0


@lru_cache(maxsize=256)
def _crumb_tints(colour: Colour) -> NDArray[np.float32]:
    """Return the colours (3, 4) of an object's crumbs."""
    return np.stack([rgba(lighter(colour, share)) for share in (0.0, 0.12, 0.3)]).astype(np.float32)


TURNS = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
"""Directions of the points of a ring [rad]."""
CIRCLE = np.stack((np.cos(TURNS), np.sin(TURNS)), axis=1)
"""Points of a ring of radius 1."""


class Effects:
    """Small short-lived visuals that touch nothing."""

    def __init__(self) -> None:
        self.flashes = True
        """Whether `flash` is enabled: the player's choice."""
        self._random = np.random.default_rng(7)
        self.particles = Particles()
        """All visible drops, crumbs, flakes and puffs."""
        self.iris = Iris()
        """A round opening that closes over the picture at the end of a round."""
        self.cut_edges = CutEdges()
        """Edges that shine where bodies were cut: `effects.cut_edges.add(sim, pieces)` in a handler
        of `body_cut`.
        """
        self.clouds = CALM
        """Distance that wind has carried the theme's clouds, and their lean."""
        # Texts, rings and their colours that are seen now; colour and age [s] of the last flash.
        self._texts: list[_RisingText] = []
        self._rings: list[list[float]] = []
        self._ring_colours: list[Colour] = []
        self._flash: tuple[Colour, float] = (TEXT, FLASHED)

    def clear(self) -> None:
        """Remove all effects."""
        self.particles.clear()
        self.iris.clear()
        self.cut_edges.clear()
        self.clouds = CALM
        self._texts.clear()
        self._rings.clear()
        self._ring_colours.clear()
        self._flash = (TEXT, FLASHED)

    @explained
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
        point, strength = _checked("splash", point, strength)
        number = (
            int(min(max(6 + 8 * strength, 4), 28)) if count is None else _count("splash", count)
        )
        speed = 1.2 + 2.2 * min(strength, 2.5)
        start = point + ABOVE * np.asarray(normal, np.float64)
        rows = self.particles.add(
            "drop", start, self._fan(number, normal, speed, 1.0), colour, self._random
        )
        self.particles.radius[rows] *= 0.7 + 0.3 * min(strength, 2.0)

    @explained
    def crumbs(
        self,
        point: ArrayLike,
        *,
        normal: ArrayLike | None = None,
        colour: Colour = TEXT,
        strength: float = 1.0,
    ) -> None:
        """Throw pieces of jelly from a point [m], along a normal or to all sides."""
        point, strength = _checked("crumbs", point, strength)
        number = int(min(max(5 + 7 * strength, 4), 26))
        speed = 1.6 + 2.0 * min(strength, 2.5)
        velocity = (
            self._all_sides(number, speed)
            if normal is None
            else self._fan(number, normal, speed, 1.0)
        )
        start = point + ABOVE * np.asarray((0.0, 0.0) if normal is None else normal)
        mixed = _crumb_tints(tuple(colour))[arange(number) % 3]
        self.particles.add("crumb", start, velocity, mixed, self._random)

    @explained
    def dust(
        self,
        point: ArrayLike,
        *,
        normal: ArrayLike = (0.0, 1.0),
        colour: Colour = DUST,
        strength: float = 1.0,
    ) -> None:
        """Raise dust to both sides of a point [m] on a surface with a normal; strength 1 is a good
        landing.
        """
        point, strength = _checked("dust", point, strength)
        number = int(min(max(3 + 5 * strength, 2), 14))
        up = np.asarray(normal, np.float64)
        across = np.array((up[1], -up[0])) * self._random.uniform(-1.0, 1.0, (number, 1))
        speed = 0.8 + 1.6 * min(strength, 2.0)
        rise = up * self._random.uniform(0.05, 0.4, (number, 1))
        self.particles.add("dust", point, speed * (across + rise), colour, self._random)

    @explained
    def sparks(self, point: ArrayLike, *, colour: Colour = TEXT, strength: float = 1.0) -> None:
        """Throw short bright streaks to all sides of a point [m]."""
        point, strength = _checked("sparks", point, strength)
        number = int(min(max(6 + 8 * strength, 4), 30))
        self.particles.add(
            "spark", point, self._all_sides(number, 3.0 + 3.0 * strength), colour, self._random
        )

    @explained
    def bubbles(self, point: ArrayLike, *, strength: float = 1.0) -> None:
        """Let bubbles rise from a point [m] under water; they end at its surface."""
        point, strength = _checked("bubbles", point, strength)
        number = int(min(max(3 + 6 * strength, 2), 20))
        self.particles.add(
            "bubble",
            point,
            self._all_sides(number, 0.8 * strength),
            (235, 248, 255, 150),
            self._random,
        )

    @explained
    def confetti(self, point: ArrayLike, *, count: int = 60) -> None:
        """Throw confetti up from a point [m]: for a win."""
        tints = np.stack([rgba(colour) for colour in BODY_COLOURS])
        self.particles.add(
            "confetti",
            check_point("Effects.confetti", "point", point),
            self._fan(_count("confetti", count), (0.0, 1.0), 9.0, 0.7),
            tints[arange(count) % len(tints)],
            self._random,
        )

    @explained
    def trail(self, point: ArrayLike, radius: float, colour: Colour) -> None:
        """Leave a fading shade of a fast object at a point [m]."""
        radius = check_number("Effects.trail", "radius", radius)
        rows = self.particles.add(
            "trail",
            check_point("Effects.trail", "point", point),
            np.zeros((1, 2)),
            faded(colour, 0.35),
            self._random,
        )
        self.particles.radius[rows] = radius

    @explained
    def stain(self, point: ArrayLike, along: ArrayLike, radius: float, colour: Colour) -> None:
        """Leave a stain of a radius [m] at a point [m] on a surface with a direction."""
        self.particles.add_stain(
            check_point("Effects.stain", "point", point),
            check_point("Effects.stain", "along", along),
            check_number("Effects.stain", "radius", radius),
            colour,
        )

    @explained
    def flash(self, colour: Colour = TEXT, strength: float = 0.5) -> None:
        """Tint the whole picture for a moment; strength 0 to 1."""
        if not self.flashes:
            return
        tint = check_colour("Effects.flash", "colour", colour)
        self._flash = (faded(tint, check_number("Effects.flash", "strength", strength)), 0.0)

    def blow_clouds(self, way: float, lean: float) -> None:
        """Carry the clouds of the theme to the right [points], and let them lean by a share of
        their height.
        """
        self.clouds = Carried(self.clouds.away + way, lean)

    def _fan(self, count: int, normal: ArrayLike, speed: float, wide: float) -> Floats:
        """Return velocities (count, 2) [m/s] about a normal, the fastest in the middle."""
        along = np.asarray(normal, np.float64)
        across = np.array((-along[1], along[0]))
        spread = self._random.uniform(-1.0, 1.0, (count, 1))
        speeds = self._random.uniform(0.4, 1.0, (count, 1)) * speed
        fan: Floats = speeds * (along * (1.0 - 0.6 * np.abs(spread)) + across * spread * wide)
        return fan

    def _all_sides(self, count: int, speed: float) -> Floats:
        """Return velocities (count, 2) [m/s] to all sides."""
        turns = self._random.uniform(0.0, 2.0 * np.pi, count)
        speeds = self._random.uniform(0.35, 1.0, count) * speed
        sides = np.empty((count, 2))
        sides[:, 0] = np.cos(turns) * speeds
        sides[:, 1] = np.sin(turns) * speeds
        return sides

    @explained
    def burst(self, point: ArrayLike, *, colour: Colour = TEXT, strength: float = 1.0) -> None:
        """Throw drops to all sides, for a collected or popped object."""
        for angle in np.linspace(0.0, 2.0 * np.pi, 4, endpoint=False):
            direction = (float(np.cos(angle)), float(np.sin(angle)))
            self.splash(point, normal=direction, colour=colour, strength=strength, count=5)

    @explained
    def wipe(self, point: ArrayLike, *, closing: bool, seconds: float = WIPE) -> None:
        """Close the picture on a point [m], or open it from there; a closed picture stays so until
        opened.
        """
        x, y = check_point("Effects.wipe", "point", point).tolist()
        seconds = check_number("Effects.wipe", "seconds", seconds, minimum=0.0)
        self.iris.begin((x, y), seconds, closing=closing)

    @explained
    def ring(
        self, point: ArrayLike, *, radius: float = 0.6, colour: Colour = TEXT, glow: float = 0.0
    ) -> None:
        """Let a ring grow from a point [m] to a radius [m] and fade; `glow` (0 to 1) is the
        brightness inside it.
        """
        x, y = check_point("Effects.ring", "point", point).tolist()
        radius = check_number("Effects.ring", "radius", radius, minimum=0.0)
        self._rings.append([x, y, radius, 0.0, check_number("Effects.ring", "glow", glow)])
        self._ring_colours.append(check_colour("Effects.ring", "colour", colour))

    @explained
    def rising_text(
        self, text: str, point: ArrayLike, *, colour: Colour = TEXT, size: float = 30.0
    ) -> None:
        """Let a short text rise from a point [m] and fade: "+1"."""
        x, y = check_point("Effects.rising_text", "point", point).tolist()
        tint = check_colour("Effects.rising_text", "colour", colour)
        size = check_number("Effects.rising_text", "size", size, above=0.0)
        self._texts.append(_RisingText(translated(text), (x, y), tint, size))

    def advance(
        self, dt: float, gravity: ArrayLike = (0.0, -EARTH), surfaces: Surfaces | None = None
    ) -> None:
        """Advance all effects by one frame [s]; drops fall along gravity [m/s²], and end on
        surfaces.
        """
        self.particles.advance(dt, np.asarray(gravity, np.float64), surfaces)
        self.iris.advance(dt)
        self.cut_edges.advance(dt)
        self._flash = (self._flash[0], self._flash[1] + dt)
        for item in self._texts:
            item.age += dt
        self._texts = [item for item in self._texts if item.age < 1.0]
        for ring in self._rings:
            ring[3] += dt
        keep = [index for index, ring in enumerate(self._rings) if ring[3] < 0.45]
        self._rings = [self._rings[index] for index in keep]
        self._ring_colours = [self._ring_colours[index] for index in keep]

    def draw(self, picture: Picture, alpha: float = 1.0, *, layer: int = Layer.EFFECTS) -> None:
        """Draw the active effects; drops, crumbs and confetti stand in a `layer`."""
        self.cut_edges.draw(picture, alpha)
        self.particles.draw(picture, alpha, layer)
        self.iris.draw(picture)
        tint, age = self._flash
        if age < FLASHED:
            whole = (picture.width, picture.height)
            colour = faded(tint, 1.0 - age / FLASHED)
            picture.rectangle((0.0, 0.0), whole, colour, layer=Layer.HUD - 6, space="screen")
        for (x, y, radius, age, glow), colour in zip(self._rings, self._ring_colours, strict=True):
            share = age / 0.45
            grown = radius * (1.0 - (1.0 - share) ** 3)
            if glow > 0.0:
                light = faded(lighter(colour, 0.6), glow * (1.0 - share) ** 2)
                picture.ellipse(
                    (x, y), (1.1 * grown, 1.1 * grown), light, softness=0.9, layer=Layer.EFFECTS
                )
            tint = faded(colour, 1.0 - share)
            picture.stroke(
                CIRCLE * grown + (x, y),
                5.0 * (1.0 - share) + 1.0,
                tint,
                closed=True,
                layer=Layer.EFFECTS,
            )
        for item in self._texts:
            rise = 0.9 * (1.0 - (1.0 - item.age) ** 2)
            position = (item.position[0], item.position[1] + rise)
            tint = faded(item.colour, min(1.0, 2.5 * (1.0 - item.age)))
            picture.text(
                item.text,
                position,
                size=item.size,
                colour=tint,
                align="center",
                layer=Layer.EFFECTS,
                space="world",
            )
