"""Shadows: one soft dark ellipse where a body is near the ground below it."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.ground_below import find_ground_below, place_shadows
from ecs_softbody.rendering.palette import SHADOW, rgba
from ecs_softbody.rendering.picture import Picture

REACH = 4.0
"""Height [m] above the ground at which a shadow is gone."""


def draw_shadows(picture: Picture, chains: list[Floats], boxes: Floats) -> None:
    """Add the shadows of bodies on chains of points [m]; `boxes` (B, 8) as `add_bodies` returns
    them [px].
    """
    boxes = boxes[boxes[:, 7] > 0.0]
    if not len(boxes):
        return
    scale = picture.view.scale
    points = picture.view.to_pixels(np.concatenate(chains))
    ends = np.cumsum([len(chain) for chain in chains], dtype=np.int64)
    ground = np.empty(len(boxes))
    find_ground_below(points, ends, boxes[:, :2].copy(), ground)
    ellipses = np.empty((len(boxes), 5))
    count = place_shadows(boxes, ground, scale, REACH, 3.0 * picture.point, ellipses)
    if count:
        shadows = ellipses[:count]
        colours = np.empty((count, 4), np.float32)
        colours[:] = rgba(SHADOW)
        colours[:, 3] *= shadows[:, 4]
        picture.mesh(Layer.SHADOWS).add_ellipses(shadows[:, :2], shadows[:, 2:4], colours, 0.9)
