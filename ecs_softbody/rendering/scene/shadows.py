"""Shadows: one soft dark ellipse where a body is near the ground below it."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.ground_below import find_ground_below
from ecs_softbody.rendering.palette import SHADOW, rgba
from ecs_softbody.rendering.picture import Picture

REACH = 4.0
"""Height [m] above the ground at which a shadow is gone."""


def draw_shadows(picture: Picture, chains: list[Floats], boxes: Floats) -> None:
    """Add the shadows of bodies on chains of points [m]; `boxes` (B, 8) as `add_bodies` returns them [px]."""
    boxes = boxes[boxes[:, 7] > 0.0]
    if not len(boxes):
        return
    scale = picture.view.scale
    points = picture.view.to_pixels(np.concatenate(chains))
    ends = np.cumsum([len(chain) for chain in chains])
    ground = np.empty(len(boxes))
    find_ground_below(points, ends, boxes[:, :2].copy(), ground)
    clearance = (boxes[:, 4] - ground) / scale
    near = np.isfinite(ground) & (clearance < REACH)
    if not near.any():
        return
    share = 1.0 - np.clip(clearance[near], 0.0, REACH) / REACH
    half = 0.5 * (boxes[near, 5] - boxes[near, 3])
    wide = half * (0.75 + 0.35 * share)
    centers = np.column_stack((boxes[near, 0], ground[near] - 0.02 * scale))
    radii = np.column_stack((wide, np.maximum(0.16 * wide, 3.0 * picture.point)))
    colours = np.tile(rgba(SHADOW), (len(centers), 1))
    colours[:, 3] *= share**1.5
    picture.mesh(Layer.SHADOWS).add_ellipses(centers, radii, colours, 0.9)
