"""Themes that are made: `class MyGame(Game): theme = themes.CANYON`; `dataclasses.replace` changes
one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.theme import DEFAULT, Hills, Sun, Theme, Weather

NIGHT = DEFAULT
"""Blue night over calm hills."""

DUSK = Theme(
    sky=((255, 176, 120), (226, 112, 124), (118, 72, 140), (44, 38, 92)),
    sun=Sun((0.78, 0.40), 0.075, (255, 232, 178), (255, 190, 120, 120)),
    stars=60, clouds=(255, 150, 150, 64),
    hills=(
        Hills((150, 84, 134), "peaks", 0.44, 0.09, 0.08, 0.55),
        Hills((98, 60, 116), "waves", 0.32, 0.07, 0.18, 0.35),
        Hills((62, 44, 92), "waves", 0.22, 0.05, 0.30, 0.15),
    ),
    ground=(58, 40, 78), ground_deep=(30, 22, 50), ground_edge=(255, 186, 130), strata=(82, 56, 98),
    tufts=(112, 176, 206),
    weather="fireflies", weather_colour=(255, 226, 140, 200),
    chords=((45, 57, 60, 64, 71), (50, 57, 62, 65, 69)),
)  # fmt: skip
"""The last light of an evening, with fireflies."""

DESERT = Theme(
    sky=((255, 236, 200), (252, 220, 170), (214, 214, 200), (150, 196, 214)),
    sun=Sun((0.2, 0.82), 0.055, (255, 250, 226), (255, 244, 190, 150)),
    hills=(
        Hills((232, 178, 134), "mesas", 0.46, 0.10, 0.07, 0.6),
        Hills((220, 150, 104), "dunes", 0.34, 0.08, 0.16, 0.4),
        Hills((206, 128, 84), "dunes", 0.22, 0.06, 0.28, 0.2),
    ),
    ground=(184, 96, 62),
    ground_deep=(112, 54, 42),
    ground_edge=(255, 214, 150),
    strata=(206, 118, 76),
    tufts=(214, 168, 92),
    weather="dust",
    weather_colour=(255, 244, 214, 120),
    chords=((43, 55, 59, 62, 66), (45, 57, 61, 64)),
)
"""A bright morning over red dunes."""

PAPER = Theme(
    sky=((250, 247, 238), (244, 240, 229)),
    hills=(),
    ground=(226, 218, 200),
    ground_deep=(206, 196, 176),
    ground_edge=(92, 84, 96),
    strata=(214, 205, 186),
    grid=(150, 170, 200, 46),
    water=(110, 170, 220),
    chords=((48, 60, 64, 67, 74), (41, 57, 60, 65)),
)
"""A sheet of squared paper with lines of ink."""

CANYON = Theme(
    sky=((255, 240, 238), (240, 216, 242), (204, 188, 238), (152, 156, 222)),
    sun=Sun((0.5, 0.9), 0.05, (255, 252, 236), (255, 240, 226, 130)),
    clouds=(255, 246, 250, 110),
    hills=(
        Hills((206, 186, 228), "cliffs", 0.62, 0.16, 0.06, 0.7),
        Hills((168, 142, 206), "cliffs", 0.46, 0.14, 0.13, 0.5),
        Hills((126, 102, 174), "cliffs", 0.28, 0.12, 0.24, 0.35),
    ),
    ground=(108, 80, 122),
    ground_deep=(60, 44, 82),
    ground_edge=(226, 240, 150),
    strata=(132, 100, 144),
    tufts=(196, 214, 130),
    water=(112, 122, 206),
    weather="pollen",
    weather_colour=(255, 252, 236, 170),
    chords=((40, 52, 59, 64, 66), (45, 57, 61, 66)),
)
"""Mist between cliffs, before the sun is over them."""

WORKSHOP = Theme(
    sky=((132, 84, 52), (98, 60, 40), (58, 36, 30)),
    sun=Sun((0.5, 1.02), 0.10, (255, 236, 190), (255, 206, 120, 150)),
    hills=(Hills((86, 54, 38), "mesas", 0.30, 0.05, 0.05, 0.4),),
    ground=(120, 74, 44),
    ground_deep=(70, 42, 30),
    ground_edge=(240, 190, 120),
    strata=(140, 88, 52),
    weather="dust",
    weather_colour=(255, 226, 170, 110),
    chords=((46, 58, 62, 65), (43, 58, 62, 67)),
)
"""A wooden bench below a lamp."""

LAKE = Theme(
    sky=((240, 246, 232), (208, 230, 212), (160, 206, 196), (120, 180, 184)),
    sun=Sun((0.16, 0.8), 0.05, (255, 255, 236), (255, 255, 220, 120)),
    clouds=(255, 255, 250, 120),
    hills=(
        Hills((160, 194, 186), "peaks", 0.52, 0.09, 0.06, 0.65),
        Hills((120, 168, 138), "waves", 0.42, 0.06, 0.14, 0.4),
        Hills((92, 146, 108), "waves", 0.33, 0.05, 0.22, 0.2),
    ),
    ground=(128, 114, 80),
    ground_deep=(78, 68, 54),
    ground_edge=(182, 222, 116),
    strata=(150, 134, 94),
    tufts=(116, 176, 72),
    water=(44, 134, 176),
    weather="pollen",
    weather_colour=(255, 255, 255, 150),
    chords=((50, 57, 62, 66, 69), (43, 55, 59, 66)),
)
"""A clear noon at a lake."""

SPACE = Theme(
    sky=((34, 22, 58), (18, 14, 40), (8, 8, 24)),
    sun=Sun((0.86, 0.64), 0.022, (255, 244, 220), (160, 120, 255, 70)), stars=220, hills=(),
    ground=(60, 96, 104), ground_deep=(28, 46, 60), ground_edge=(150, 220, 214), strata=None,
    weather="none",
    chords=((38, 50, 57, 64), (41, 53, 60, 64, 71)),
)  # fmt: skip
"""Deep space."""

POND_LIFE = Theme(
    sky=((206, 240, 164), (168, 228, 166), (122, 206, 186)),
    sun=Sun((0.5, 0.55), 0.42, (226, 246, 206, 120), (236, 252, 214, 120)),
    hills=(Hills((150, 206, 176), "waves", 0.24, 0.05, 0.10, 0.6),),
    ground=(70, 128, 118),
    ground_deep=(36, 84, 88),
    ground_edge=(240, 255, 214),
    strata=(90, 150, 132),
    weather="bubbles",
    weather_colour=(255, 255, 255, 110),
    chords=((51, 58, 63, 67), (48, 55, 63, 67, 74)),
)
"""A drop of water under a microscope."""

BLUEPRINT = Theme(
    sky=((36, 92, 160), (28, 78, 144)),
    hills=(), ground=(22, 62, 122), ground_deep=(16, 48, 100), ground_edge=(214, 232, 255),
    grid=(190, 216, 255, 50),
    chords=((44, 56, 63, 68), (49, 56, 61, 65, 72)),
)  # fmt: skip
"""White lines on blue paper."""

GRAPH_PAPER = Theme(
    sky=((234, 246, 232), (226, 242, 226)),
    hills=(),
    ground=(196, 222, 194),
    ground_deep=(176, 208, 178),
    ground_edge=(52, 96, 84),
    strata=(186, 214, 186),
    grid=(60, 150, 110, 62),
    water=(96, 170, 226),
    chords=((47, 59, 62, 66, 73), (40, 56, 59, 64)),
)
"""Green squares of an engineer's pad."""

SNOW = Theme(
    sky=((238, 244, 252), (206, 220, 240), (160, 184, 220)),
    hills=(
        Hills((206, 218, 236), "peaks", 0.50, 0.12, 0.07, 0.6),
        Hills((176, 194, 220), "waves", 0.34, 0.06, 0.18, 0.4),
    ),
    ground=(228, 238, 250),
    ground_deep=(142, 166, 204),
    ground_edge=(255, 255, 255),
    strata=(208, 222, 240),
    weather="snow",
    weather_colour=(255, 255, 255, 220),
    chords=((52, 59, 64, 71, 76), (48, 55, 64, 71)),
)
"""A white winter's day."""

VOLCANO = Theme(
    sky=((240, 98, 48), (150, 40, 44), (60, 18, 36), (26, 12, 26)),
    hills=(
        Hills((112, 34, 40), "peaks", 0.46, 0.13, 0.08, 0.5),
        Hills((64, 24, 34), "peaks", 0.30, 0.09, 0.20, 0.3),
    ),
    ground=(44, 26, 34), ground_deep=(22, 14, 22), ground_edge=(255, 140, 70), strata=(64, 34, 38),
    weather="embers", weather_colour=(255, 160, 70, 220),
    chords=((36, 48, 55, 63), (37, 49, 56, 61)),
)  # fmt: skip
"""Embers over black rock."""

SUMMER = Theme(
    sky=((226, 246, 255), (160, 218, 255), (96, 180, 246), (58, 140, 228)),
    sun=Sun((0.86, 0.84), 0.06, (255, 250, 205), (255, 244, 170, 150)),
    clouds=(255, 255, 255, 225),
    hills=(
        Hills((150, 200, 206), "peaks", 0.48, 0.10, 0.05, 0.6),
        Hills((142, 204, 128), "waves", 0.38, 0.07, 0.12, 0.35),
        Hills((104, 184, 92), "waves", 0.29, 0.06, 0.22, 0.15),
    ),
    ground=(124, 92, 58),
    ground_deep=(84, 58, 40),
    ground_edge=(122, 214, 78),
    strata=(146, 110, 70),
    tufts=(104, 186, 66),
    weather="pollen",
    weather_colour=(255, 255, 255, 190),
    chords=((43, 55, 62, 67, 71), (48, 60, 64, 67)),
)
"""A blue summer's day over green meadows."""

ThemeName = Literal[
    "night", "dusk", "desert", "paper", "canyon", "workshop", "lake", "space", "pond-life",
    "blueprint", "snow", "volcano", "graph-paper", "summer",
]  # fmt: skip

THEMES: dict[str, Theme] = {
    name: globals()[name.upper().replace("-", "_")] for name in get_args(ThemeName)
}
"""All of them by name."""


@dataclass(frozen=True)
class ThemeChoice:
    """A theme with changes; a scene file has it as `[theme]`.

    Attributes:
        name: which one.
        sky: colours from the horizon to the top, two or more.
        stars: how many twinkle.
        clouds: colour of the clouds in the sky, paler with less alpha.
        ground, ground_deep, ground_edge, strata, grid, water: colours, see `Theme`.
        weather, weather_colour: kind and colour of the particles that drift through the air.
    """

    name: ThemeName = "night"
    sky: tuple[Colour, ...] | None = None
    stars: int | None = None
    clouds: Colour | None = None
    ground: Colour | None = None
    ground_deep: Colour | None = None
    ground_edge: Colour | None = None
    strata: Colour | None = None
    grid: Colour | None = None
    water: Colour | None = None
    weather: Weather | None = None
    weather_colour: Colour | None = None

    def made(self) -> Theme:
        """Return the theme."""
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "name"}
        return replace(
            THEMES[self.name], **{name: value for name, value in given.items() if value is not None}
        )
