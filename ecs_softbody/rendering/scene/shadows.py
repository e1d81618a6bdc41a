"""Shadows: one soft dark ellipse where a body is near the ground below it."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering.layers import Layer
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
    starts = picture.view.to_pixels(np.concatenate([chain[:-1] for chain in chains]))
    ends = picture.view.to_pixels(np.concatenate([chain[1:] for chain in chains]))
    ground = highest_ground(starts, ends, boxes[:, 0], boxes[:, 1])
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


def highest_ground(starts: Floats, ends: Floats, x: Floats, y: Floats) -> Floats:
    """Return the height of the highest segment below each point, -inf where there is none; all [px]."""
    low, high = np.minimum(starts[:, 0], ends[:, 0]), np.maximum(starts[:, 0], ends[:, 0])
    run = ends[:, 0] - starts[:, 0]
    run = np.where(np.abs(run) < 1e-9, 1e-9, run)
    heights = starts[:, 1] + (ends[:, 1] - starts[:, 1]) * (x[:, None] - starts[:, 0]) / run
    below = (x[:, None] >= low) & (x[:, None] <= high) & (heights <= y[:, None])
    highest: Floats = np.where(below, heights, -np.inf).max(axis=1)
    return highest
