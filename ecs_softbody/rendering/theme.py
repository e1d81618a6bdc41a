"""Theme: the face of a game: sky, light, hills, ground, water and weather.

Themes that are made are in `themes`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Literal

from ecs_softbody.errors import FieldError
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.palette import Colour, check_colour, lighter

Ridge = Literal["waves", "peaks", "dunes", "mesas", "cliffs"]
FROM_ABOVE = (-0.42, 0.91)
"""Direction to the light under a sky without a sun."""
LOWEST = 0.35
"""A sun that stands lower lights as one at this share of the picture's height."""
LUMA = (0.2126, 0.7152, 0.0722)
"""Weights of red, green and blue in the brightness of a colour (Rec. 709)."""
GREY = 0.08
"""A sky whose channels differ by less than this share is grey."""
SHADE_LUMA = 24.0
"""Largest brightness of a shade, of 255."""
VIVID = 2.2
"""Factor of the distance of a shade's channels from its brightness: more vivid than the sky."""
PANEL_ALPHA = 208
"""Opacity of panels, of 255."""
CAP_ALPHA = 235
"""Opacity of key caps, of 255."""
CAP_LIGHT = 0.26
"""Share of white that a key cap has more than a shade."""
Weather = Literal["none", "pollen", "snow", "rain", "embers", "fireflies", "dust", "bubbles"]
RIDGES: tuple[Ridge, ...] = ("waves", "peaks", "dunes", "mesas", "cliffs")
"""Allowed values of `Hills.ridge`."""
WEATHERS: tuple[Weather, ...] = (
    "none",
    "pollen",
    "snow",
    "rain",
    "embers",
    "fireflies",
    "dust",
    "bubbles",
)
"""Allowed values of `Theme.weather`."""


@dataclass(frozen=True)
class Hills:
    """One row of hills far behind the world.

    Attributes:
        colour: of the crest; it fades into the sky's lowest colour towards the foot.
        ridge: the shape of the crest.
        height: of the crest, as a share of the picture's height.
        size: of its waves, as a share of the picture's height.
        parallax: share of the camera's movement that it follows; far ones less.
        haze: share of the sky's lowest colour at the foot.
    """

    colour: Colour
    ridge: Ridge = "waves"
    height: float = 0.3
    size: float = 0.07
    parallax: float = 0.2
    haze: float = 0.75

    def __post_init__(self) -> None:
        check_colour("Hills", "colour", self.colour)
        if self.ridge not in RIDGES:
            raise FieldError("Hills", "ridge", self.ridge, f"one of {', '.join(RIDGES)}")


@dataclass(frozen=True)
class Sun:
    """A sun, a moon or a lamp in the sky.

    Attributes:
        place: share of the picture's width and height at which it stands.
        size: radius, as a share of the picture's height.
        colour: of its disc.
        glow: of the light around it; its alpha sets the strength.
    """

    place: tuple[float, float]
    size: float = 0.06
    colour: Colour = palette.TEXT
    glow: Colour = (255, 240, 200, 60)

    def __post_init__(self) -> None:
        check_colour("Sun", "colour", self.colour)
        check_colour("Sun", "glow", self.glow)


@dataclass(frozen=True)
class Theme:
    """The look of a game behind and below its bodies; `Game.theme` of a class, or of one game.

    Attributes:
        sky: colours from the horizon to the top, two or more, at equal distances.
        sun: in the sky, or None.
        stars: how many twinkle in the upper part of the sky.
        clouds: colour of the clouds that drift through the upper sky, paler with less alpha; None
            for none.
        hills: rows of hills, the farthest first.
        ground: of solid ground at its surface.
        ground_deep: of ground far below.
        ground_edge: of the line on the ground.
        strata: colour of the layers and stones in the ground, None for plain ground.
        tufts: colour of the grass on the ground, None for bare ground.
        grid: colour of lines on the sky, a metre apart at usual zoom, None for none.
        water: of water without a colour of its own.
        weather: the kind of particles that drift through the air.
        weather_colour: of each of its particles.
        chords: of its quiet music: keys of each chord, 69 is the a of 440 Hz and 12 are an octave;
            none: no music.
    """

    sky: tuple[Colour, ...] = (palette.SKY_BOTTOM, palette.SKY_TOP)
    sun: Sun | None = None
    stars: int = 0
    clouds: Colour | None = None
    hills: tuple[Hills, ...] = (
        Hills((50, 58, 99), height=0.40, size=0.055, parallax=0.12),
        Hills((45, 51, 89), height=0.27, size=0.075, parallax=0.24),
    )
    ground: Colour = palette.GROUND
    ground_deep: Colour = palette.GROUND_DEEP
    ground_edge: Colour = palette.GROUND_EDGE
    strata: Colour | None = None
    tufts: Colour | None = None
    grid: Colour | None = None
    water: Colour = palette.WATER
    weather: Weather = "none"
    weather_colour: Colour = (255, 255, 255, 120)
    chords: tuple[tuple[int, ...], ...] = ((45, 57, 60, 64), (41, 57, 60, 65))

    def __post_init__(self) -> None:
        if not isinstance(self.sky, tuple | list) or len(self.sky) < 2:
            raise FieldError("Theme", "sky", self.sky, "two colours or more, from the horizon up")
        for colour in self.sky:
            check_colour("Theme", "sky", colour)
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type in ("Colour", "Colour | None") and value is not None:
                check_colour("Theme", field.name, value)
        if self.weather not in WEATHERS:
            raise FieldError("Theme", "weather", self.weather, f"one of {', '.join(WEATHERS)}")

    @property
    def light(self) -> tuple[float, float]:
        """Direction to the light on bodies, of length 1: towards the sun, and never from below."""
        if self.sun is None:
            return FROM_ABOVE
        across = 1.6 * (self.sun.place[0] - 0.5)
        up = max(self.sun.place[1] - 0.1, LOWEST)
        size = math.hypot(across, up)
        return across / size, up / size

    @property
    def shade(self) -> Colour:
        """Background of texts and keys: the colour of the upper sky, or of the ground under a grey
        sky, dark as night.
        """
        sky = self.sky[-1]
        return _shade_of(self.ground_edge if max(sky) - min(sky) < GREY * max(sky) else sky)

    @property
    def panel(self) -> Colour:
        """Background of numbers over the game."""
        return (*self.shade, PANEL_ALPHA)

    @property
    def key_cap(self) -> Colour:
        """Colour of the caps of keys, and of empty or inactive parts of a panel."""
        return (*lighter(self.shade, CAP_LIGHT), CAP_ALPHA)


@lru_cache(maxsize=64)
def _shade_of(colour: Colour) -> Colour:
    """Return a colour of the same hue, more vivid and darker."""
    luma = sum(weight * part for weight, part in zip(LUMA, colour[:3], strict=True))
    vivid = [max(luma + VIVID * (part - luma), 0.0) for part in colour[:3]]
    bright = sum(weight * part for weight, part in zip(LUMA, vivid, strict=True))
    return tuple(
        min(round(part * min(SHADE_LUMA, 0.8 * luma) / max(bright, 1.0)), 255) for part in vivid
    )


DEFAULT = Theme()
"""Theme of pictures that ask for none."""
