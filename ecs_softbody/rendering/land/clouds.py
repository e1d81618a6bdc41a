"""Clouds: heaps of round puffs with a flat foot that drift through the sky; places come from time
alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.indices import arange, repeat
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture

CLOUDS = 6
"""Number of clouds."""
PUFFS = 6
"""Number of ellipses that a cloud is made of."""
LOW = 0.60
"""Lowest place of a cloud, as a share of the picture's height."""
HIGH = 0.92
"""Highest place of a cloud, as a share of the picture's height."""
SIZES = (0.045, 0.085)
"""Radius of the largest puff of a small and of a large cloud, in heights of the picture."""
NARROW = 0.8
"""In a narrow picture clouds are as large as in one this share of its width high."""
DRIFT = 5.0
"""Speed of clouds [points/s], before the factor for their size."""
PARALLAX = 0.03
"""Share of the camera's movement that clouds follow."""
SHADED = 0.12
"""How much darker the lower side of a cloud is, as a share of the way to the sky behind it."""
REACH = 2.6
"""Half the width of a cloud, in radii of its largest puff."""


class Carried(NamedTuple):
    """Effects of wind on the clouds of a sky."""

    away: float = 0.0
    """How far it has carried them to the right [points]."""
    lean: float = 0.0
    """How far their tops lean to the right, as a share of their height."""


CALM = Carried()
"""No wind has blown."""


@lru_cache(maxsize=8)
def _heaps(seed: int) -> tuple[Floats, Floats, Floats]:
    """Return the clouds of a sky: places (C, 2) as shares of it, puffs (C, P, 4): x, y, rx, ry in
    radii; radii (C,).
    """
    random = np.random.default_rng(seed)
    places = random.uniform((0.0, 0.0), (0.6, 1.0), (CLOUDS, 2))
    places[:, 0] = (places[:, 0] + arange(CLOUDS)) / CLOUDS
    puffs = np.empty((CLOUDS, PUFFS, 4))
    puffs[:, 0] = (0.0, 0.12, REACH, 0.34)  # the foot
    across = np.linspace(-1.55, 1.55, PUFFS - 1)
    radius = (1.0 - 0.3 * across**2 / 1.55**2) * random.uniform(0.62, 1.0, (CLOUDS, PUFFS - 1))
    puffs[:, 1:, 0] = across + random.uniform(-0.2, 0.2, (CLOUDS, PUFFS - 1))
    puffs[:, 1:, 1] = 0.62 * radius
    puffs[:, 1:, 2] = 1.12 * radius
    puffs[:, 1:, 3] = 0.8 * radius
    return places, puffs, random.uniform(*SIZES, CLOUDS)


def draw_clouds(picture: Picture, colour: Colour, time: float, carried: Carried = CALM) -> None:
    """Add the clouds of a sky at a time [s]; the alpha of their colour sets the contrast to the
    sky.
    """
    places, puffs, sizes = _heaps(sum(picture.theme.sky[-1][:3]))
    width = picture.width
    height = picture.height
    unit = min(height, NARROW * width)
    radius = (sizes * unit)[:, None]
    margin = REACH * SIZES[1] * unit
    moved = PARALLAX * picture.view.center[0] * height / picture.view.height
    pace = DRIFT * (0.7 + 6.0 * sizes)
    across = (
        places[:, 0] * (width + 2.0 * margin) + pace * time + carried.away * pace / DRIFT - moved
    ) % (width + 2.0 * margin) - margin
    up = (LOW + (HIGH - LOW) * places[:, 1]) * height
    heaps = (
        puffs[..., :2] + puffs[..., 1:2] * (carried.lean, 0.0) if carried.lean else puffs[..., :2]
    )
    places_now = np.empty((CLOUDS, 1, 2))
    places_now[:, 0, 0] = across
    places_now[:, 0, 1] = up
    middles = places_now + heaps * radius[..., None]
    sizes_px = (puffs[..., 2:] * radius[..., None]).reshape(-1, 2) * picture.point
    below, above = _tints(tuple(tuple(stop[:3]) for stop in picture.theme.sky), tuple(colour))
    mesh = picture.mesh(Layer.BACKGROUND + 2)
    for tint, lower in ((below, 0.16), (above, 0.0)):
        at = middles.copy()
        at[..., 1] -= lower * radius
        mesh.add_ellipses(at.reshape(-1, 2) * picture.point, sizes_px, tint)


@lru_cache(maxsize=8)
def _tints(
    sky: tuple[Colour, ...], colour: Colour
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the colours of all puffs (C P, 4), shaded and in the light, before a sky of these
    stops.
    """
    places, _, _ = _heaps(sum(sky[-1]))
    stops = np.array(sky) / 255.0
    levels = np.linspace(0.0, 1.0, len(stops))
    share = LOW + (HIGH - LOW) * places[:, 1]
    behind = np.column_stack([np.interp(share, levels, stops[:, part]) for part in range(3)])
    light = behind + (np.array(colour[:3]) / 255.0 - behind) * (
        (colour[3] if len(colour) > 3 else 255) / 255.0
    )
    tints = np.ones((2, CLOUDS, 4), np.float32)
    tints[0, :, :3] = light + SHADED * (behind - light)
    tints[1, :, :3] = light
    below, above = repeat(tints, PUFFS, axis=1)
    return below, above
