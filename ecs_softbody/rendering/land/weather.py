"""Weather: particles drifting through the air before and behind the world; their places are
functions of time, without any state.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import rgba
from ecs_softbody.rendering.picture import Picture

PARALLAX = (0.25, 0.9)
"""Share of the camera's movement that the farthest and the nearest particle follow."""


class Drift(NamedTuple):
    """How one kind of weather looks and moves."""

    particles: int  # how many are in the picture
    velocity: tuple[float, float]  # [points/s]
    sway: float  # how far it swings to the sides [points]
    size: tuple[float, float]  # smallest and largest radius [points]
    twinkle: float  # how fast it comes and goes [rad/s]; 0: always there


KINDS = {
    "pollen": Drift(40, (14.0, 5.0), 26.0, (1.2, 3.0), 0.7),
    "snow": Drift(110, (-22.0, -70.0), 18.0, (1.4, 4.2), 0.0),
    "rain": Drift(90, (-90.0, -900.0), 0.0, (1.0, 1.6), 0.0),
    "embers": Drift(60, (16.0, 64.0), 20.0, (1.0, 3.0), 2.3),
    "fireflies": Drift(26, (5.0, 3.0), 60.0, (1.6, 3.0), 1.9),
    "dust": Drift(45, (20.0, -6.0), 22.0, (0.8, 2.2), 0.9),
    "bubbles": Drift(30, (3.0, 26.0), 12.0, (2.0, 9.0), 0.0),
}
"""Looks and motions of all kinds of weather, by name."""
RAIN_LENGTH = 26.0
"""Length of a drop of rain [points]."""


@lru_cache(maxsize=16)
def _seeds(kind: str) -> Floats:
    """Return five numbers from 0 to 1 for each particle, shape (5, particles)."""
    return np.random.default_rng(len(kind)).uniform(0.0, 1.0, (5, KINDS[kind].particles))


def draw_weather(picture: Picture, time: float) -> None:
    """Add the weather of the picture's theme at a time [s]."""
    kind = picture.theme.weather
    if kind == "none":
        return
    drift = KINDS[kind]
    x, y, near, phase, pace = _seeds(kind)
    share = PARALLAX[0] + (PARALLAX[1] - PARALLAX[0]) * near
    moved = [place * picture.height / picture.view.height for place in picture.view.center]
    speed = (0.6 + 0.8 * pace) * time
    margin = 30.0
    width = picture.width + 2 * margin
    height = picture.height + 2 * margin
    swing = drift.sway * np.sin(0.8 * time * (0.5 + pace) + 6.3 * phase)
    across = (x * width + drift.velocity[0] * speed - share * moved[0] + swing) % width - margin
    up = (y * height + drift.velocity[1] * speed - share * moved[1]) % height - margin
    at = np.empty((drift.particles, 2))
    colours = np.empty((drift.particles, 4), np.float32)
    colours[:] = rgba(picture.theme.weather_colour)
    at[:, 0] = across
    at[:, 1] = up
    if drift.twinkle:
        colours[:, 3] *= 0.5 + 0.5 * np.sin(drift.twinkle * (0.6 + pace) * time + 6.3 * phase)
    radius = drift.size[0] + (drift.size[1] - drift.size[0]) * near
    if kind == "rain":
        way = np.asarray(drift.velocity) / np.hypot(*drift.velocity) * RAIN_LENGTH
        picture.segments(at, at - way, 1.5, colours, layer=Layer.FAR + 5, space="screen")
    elif kind == "bubbles":
        colours[:, 3] *= 0.4
        picture.discs(at, radius, colours, layer=Layer.FAR + 5, space="screen")
        colours[:, 3] *= 2.0
        picture.discs(
            at + 0.35 * radius[:, None] * (-1.0, 1.0),
            0.25 * radius,
            colours,
            layer=Layer.FAR + 5,
            space="screen",
        )
    else:
        picture.discs(at, radius, colours, layer=Layer.FAR + 5, space="screen")
