"""Backdrop: sky, sun, stars, clouds and hills of a theme; distant things move slower than the world
(parallax: the share of the camera's movement that a thing follows).

The sky is drawn once for each size of the picture, hills once for each place of the camera; stars
and clouds in every picture.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.land.clouds import CALM, Carried, draw_clouds
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.theme import Hills, Sun

SAMPLES = 72
"""Number of points of a crest."""
ACROSS = np.linspace(-0.02, 1.02, SAMPLES)
"""Places of these points, in widths of the picture; they reach a little beyond both sides."""
CREST = 2.0
"""Width of the line that smooths a crest [px]."""
GRID = 80.0
"""Distance of the lines of a grid [points]."""
EMPTY_SKY = 0.45
"""Share of the picture's height above which stars are."""


def draw_backdrop(picture: Picture, time: float = 0.0, carried: Carried = CALM) -> None:
    """Fill the picture with the sky of its theme; `time` [s] lets stars twinkle and clouds drift.

    carried: displacement and lean of the clouds by wind.
    """
    theme = picture.theme
    size = (picture.width_px, picture.height_px, picture.point)
    picture.meshes.again(
        "sky", (size, theme), lambda: _draw_sky(picture), picture.texts, at_once=True
    )
    key = (picture.view, picture.point, theme)
    picture.meshes.again("hills", key, lambda: _draw_land(picture), picture.texts)
    if theme.stars:
        _draw_stars(picture, theme.stars, time)
    if theme.clouds is not None:
        draw_clouds(picture, theme.clouds, time, carried)


def _draw_sky(picture: Picture) -> None:
    """Add everything independent of the camera."""
    theme = picture.theme
    levels = np.linspace(0.0, picture.height, len(theme.sky))
    for low, high, below, above in zip(levels, levels[1:], theme.sky, theme.sky[1:], strict=False):
        corners = (0, float(low)), (picture.width, float(high))
        picture.rectangle(*corners, below, fill_top=above, layer=Layer.BACKGROUND, space="screen")
    if theme.sun is not None:
        _draw_sun(picture, theme.sun)


def _draw_land(picture: Picture) -> None:
    """Add everything that changes only with the camera."""
    if picture.theme.grid is not None:
        _draw_grid(picture, picture.theme.grid)
    for number, hills in enumerate(picture.theme.hills):
        _draw_hills(picture, hills, number)


def _draw_grid(picture: Picture, colour: palette.Colour) -> None:
    """Draw lines that move with the world."""
    x, y = np.asarray(picture.view.center) * picture.height / picture.view.height
    across = np.arange(-x % GRID, picture.width, GRID, dtype=np.float64)
    up = np.arange(-y % GRID, picture.height, GRID, dtype=np.float64)
    starts = np.concatenate(
        (np.column_stack((across, 0.0 * across)), np.column_stack((0.0 * up, up)))
    )
    ends = np.concatenate(
        (
            np.column_stack((across, 0.0 * across + picture.height)),
            np.column_stack((0.0 * up + picture.width, up)),
        )
    )
    picture.segments(starts, ends, 1.5, colour, layer=Layer.BACKGROUND + 1, space="screen")


@lru_cache(maxsize=16)
def _stars(count: int) -> tuple[Floats, Floats, Floats]:
    """Return places (shares of width and height), sizes [points] and phases of stars; equal counts
    give equal skies.
    """
    random = np.random.default_rng(count)
    places = random.uniform((0.0, EMPTY_SKY), (1.0, 1.0), (count, 2))
    return places, random.uniform(0.7, 1.9, count), random.uniform(0.0, 6.3, count)


def _draw_stars(picture: Picture, count: int, time: float) -> None:
    """Draw stars, which twinkle and hardly move."""
    places, sizes, phases = _stars(count)
    drift = picture.view.center[0] * 0.0012
    at = np.empty((count, 2))
    colours = np.empty((count, 4), np.float32)
    at[:, 0], at[:, 1] = (places[:, 0] - drift) % 1.0 * picture.width, places[:, 1] * picture.height
    colours[:, :3] = rgba(palette.TEXT)[:3]
    colours[:, 3] = 0.35 + 0.3 * np.sin(1.7 * time + phases)
    picture.discs(at, sizes, colours, layer=Layer.BACKGROUND + 1, space="screen")


def _draw_sun(picture: Picture, sun: Sun) -> None:
    """Draw a disc with two rings of glow."""
    middle = (sun.place[0] * picture.width, sun.place[1] * picture.height)
    radius = sun.size * picture.height
    layer = Layer.BACKGROUND + 2
    for wide in (5.0, 2.4):
        picture.ellipse(
            middle, (wide * radius,) * 2, sun.glow, softness=1.0, layer=layer, space="screen"
        )
    picture.disc(middle, radius, sun.colour, layer=layer, space="screen")


def _draw_hills(picture: Picture, hills: Hills, number: int) -> None:
    """Draw one row of hills; number: of the row, from the farthest on."""
    x_camera, y_camera = picture.view.center
    across = ACROSS * picture.width_px
    position = across / picture.height_px + hills.parallax * x_camera / picture.view.height * 4.0
    crest = hills.height + hills.size * crest_of(hills, position, number)
    top = (crest - 0.10 * hills.parallax * y_camera / picture.view.height) * picture.height_px
    crests = np.empty((SAMPLES, 2))
    feet = np.zeros((SAMPLES, 2))
    crests[:, 0] = feet[:, 0] = across
    crests[:, 1] = top
    foot = palette.mixed(hills.colour, picture.theme.sky[0], hills.haze)
    layer = Layer.BACKGROUND + 3 + number
    picture.mesh(layer).add_band(crests, feet, rgba(hills.colour), rgba(foot))
    picture.stroke(
        crests / picture.point, CREST / picture.point, hills.colour, layer=layer, space="screen"
    )


def crest_of(hills: Hills, position: Floats, number: int) -> Floats:
    """Return the height of a crest, about -1 to 1, at positions in heights of the picture."""
    x = position + 3.7 * number
    waves: Floats = np.sin(2.1 * x + 9 * hills.parallax) + 0.5 * np.sin(
        4.7 * x + 31 * hills.parallax
    )
    if hills.ridge == "peaks":
        return (
            np.abs((1.3 * x) % 2.0 - 1.0) * 1.6
            - 0.8
            + 0.5 * np.abs((3.1 * x + 0.4) % 2.0 - 1.0)
            + 0.2 * waves
        )
    if hills.ridge == "dunes":
        rise = (0.55 * x) % 1.0
        return 1.6 * np.minimum(rise / 0.7, (1.0 - rise) / 0.3) ** 1.4 - 0.7 + 0.25 * waves
    if hills.ridge == "mesas":
        return (
            np.clip(4.0 * np.sin(2.3 * x) + 2.0 * np.sin(5.3 * x + 1.0), -0.8, 0.9) + 0.05 * waves
        )
    if hills.ridge == "cliffs":
        return (
            np.clip(5.0 * np.cos(1.9 * x + 0.6), -0.9, 1.0)
            + 0.35 * np.sin(6.1 * x)
            + 0.15 * np.sin(13.7 * x)
        )
    return waves
