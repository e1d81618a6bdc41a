"""Fields in the debug overlay: wind, water and points of gravity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.components import PointGravity, Water, Wind
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation

ARROW_TIME = 0.12
"""An arrow is as long as the way of the air in this time [s]."""
LONGEST = 1e4
"""Frames of fields end at this coordinate [m], and no circle is drawn for a reach beyond it: fields
may be infinite.
"""
ARROWS = 5
"""Number of arrows across and up in the seen part of a wind."""


def draw_fields(sim: Simulation, picture: Picture) -> None:
    """Add the fields of a simulation, as a textbook would draw them."""
    low, high = np.array(picture.view.bounds).reshape(2, 2)
    for _, wind in sorted(sim.buffers.components(Wind).items()):
        corner = np.maximum(wind.low, low)
        other = np.minimum(wind.high, high)
        if (corner < other).all():
            _frame(picture, wind.low, wind.high)
            x, y = (np.linspace(corner[k], other[k], 2 * ARROWS + 1)[1::2] for k in range(2))
            starts = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
            for start in starts:
                picture.arrow(
                    start, start + ARROW_TIME * wind.velocity, palette.TEXT_DIM, layer=Layer.DEBUG
                )
    for _, water in sorted(sim.buffers.components(Water).items()):
        _frame(picture, (water.left, water.bottom), (water.right, water.level))
    for _, point in sorted(sim.buffers.components(PointGravity).items()):
        if np.isfinite(point.position).all():
            picture.disc(
                point.position,
                6.0 * picture.point / picture.view.scale,
                palette.CONTACT,
                layer=Layer.DEBUG,
            )
            if point.reach < LONGEST:
                angle = np.linspace(0.0, 2.0 * np.pi, 49)[:-1]
                rim = point.position + point.reach * np.column_stack((np.cos(angle), np.sin(angle)))
                picture.stroke(rim, 1.5, palette.TEXT_DIM, closed=True, layer=Layer.DEBUG)


def _frame(picture: Picture, low: ArrayLike, high: ArrayLike) -> None:
    left, bottom = np.maximum(low, -LONGEST)
    right, top = np.minimum(high, LONGEST)
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    picture.stroke(corners, 1.5, palette.TEXT_DIM, closed=True, layer=Layer.DEBUG)
