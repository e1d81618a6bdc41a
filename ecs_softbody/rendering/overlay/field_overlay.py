"""Fields in the debug overlay: the marks that each force declares, and a name for each field."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.processors.stage import Box, Circle, Flow, Mark, Outline, Spot
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation

ARROW_TIME = 0.12
"""An arrow is as long as the way of the flow in this time [s]."""
LONGEST = 1e4
"""Outlines of fields end at this coordinate [m], and no circle is drawn for a reach beyond it:
fields may be infinite.
"""
ARROWS = 5
"""Number of arrows across and up in the seen part of a flow."""
NAME_SIZE = 18.0
"""Height of the name of a field [points], as of the numbers in the overlay."""
CIRCLE = np.linspace(0.0, 2.0 * np.pi, 49)[:-1]
"""Angles of the corners of a circle [rad]."""


def draw_fields(sim: Simulation, picture: Picture) -> None:
    """Add the fields of a simulation, as a textbook would draw them."""
    for field, marks in sim.field_marks():
        name = type(field).__name__
        for mark in marks:
            _draw_mark(picture, mark)
            if name and not isinstance(mark, Flow):
                _name(picture, name, mark)
                name = ""


def _draw_mark(picture: Picture, mark: Mark) -> None:
    if isinstance(mark, Outline):
        _frame(picture, mark.box)
    elif isinstance(mark, Flow):
        _arrows(picture, mark)
    elif isinstance(mark, Spot):
        if np.isfinite(mark.center).all():
            colour = palette.COMPRESSED if mark.repels else palette.CONTACT
            spot = 6.0 * picture.point / picture.view.scale
            picture.disc(mark.center, spot, colour, layer=Layer.DEBUG)
    elif np.isfinite(mark.center).all() and mark.radius < LONGEST:
        rim = mark.center + mark.radius * np.column_stack((np.cos(CIRCLE), np.sin(CIRCLE)))
        picture.stroke(rim, 1.5, palette.TEXT_DIM, closed=True, layer=Layer.DEBUG)


def _arrows(picture: Picture, flow: Flow) -> None:
    """Draw arrows in the seen part of a box."""
    low, high = np.array(picture.view.bounds).reshape(2, 2)
    corner = np.maximum(flow.box[:2], low)
    other = np.minimum(flow.box[2:], high)
    if not (corner < other).all():
        return
    x, y = (np.linspace(corner[k], other[k], 2 * ARROWS + 1)[1::2] for k in range(2))
    starts: Floats = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    ends = starts + ARROW_TIME * flow.velocity(starts)
    for start, end in zip(starts, ends, strict=True):
        picture.arrow(start, end, palette.TEXT_DIM, layer=Layer.DEBUG)


def _frame(picture: Picture, box: Box) -> None:
    left, bottom = np.maximum(box[:2], -LONGEST)
    right, top = np.minimum(box[2:], LONGEST)
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    picture.stroke(corners, 1.5, palette.TEXT_DIM, closed=True, layer=Layer.DEBUG)


def _name(picture: Picture, name: str, mark: Outline | Circle | Spot) -> None:
    """Write a name at the upper left corner of an outline, or beside a point."""
    at: ArrayLike = (mark.box[0], mark.box[3]) if isinstance(mark, Outline) else mark.center
    if (np.abs(at) < LONGEST).all():
        picture.text(
            f" {name}",
            at,
            size=NAME_SIZE,
            colour=palette.TEXT_DIM,
            layer=Layer.DEBUG + 2,
            space="world",
        )
