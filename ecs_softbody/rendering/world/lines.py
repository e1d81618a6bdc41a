"""Lines: draws ropes, nets and discs, the bodies that have no ring (a closed outline)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.curves import smooth_line
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.world.topology import Shape

OUTLINE = 3.4
"""Width of the outlines of bodies in points."""
AROUND = 40.0
"""Distance outside of the view [points] beyond which nothing of a line is seen."""
OVERSHOOT = 0.25
"""Limit of the overshoot of a smooth line beyond its points, as a fraction of its width and height.
"""
DISC_MIDDLES = np.array([(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (-0.10, 0.20), (-0.28, 0.48)])
"""Places of the five parts of a shaded disc, see `DISC_SOFTNESS`, over its inner radius."""
DISC_SIZES = np.array([(1.0, 1.0), (1.0, 1.0), (0.22, 0.22), (0.72, 0.72), (0.26, 0.15)])
"""Radii of these parts across and up, over its inner radius; the rim has the outer radius."""
DISC_SOFTNESS = np.array([0.0, 0.0, 0.15, 1.0, 0.5], np.float32)
"""Softness of the edges of rim, body, spot, light and glint of a shaded disc; 1: a fade from the
middle.
"""
SPOT = 2
"""Index of the spot, which turns with the disc: a plain disc would not show that it rolls."""
SPOT_AT = 0.6
"""Distance of the spot from the middle, over the inner radius."""


def is_beside(picture: Picture, points: Floats, radius: float) -> bool:
    """Return whether nothing is seen of lines through points (N, 2), with particles of a radius
    [m].
    """
    left, bottom, right, top = picture.view.bounds
    low_x, low_y = points.min(axis=0).tolist()
    high_x, high_y = points.max(axis=0).tolist()
    swing = OVERSHOOT * (high_x - low_x + high_y - low_y)
    margin = radius + swing + AROUND * picture.point / picture.view.scale
    return bool(
        high_x < left - margin
        or low_x > right + margin
        or high_y < bottom - margin
        or low_y > top + margin
    )


def draw_rope(
    picture: Picture,
    points: Floats,
    radius: float,
    fill: Colour,
    outline: Colour,
    *,
    closed: bool = False,
    layer: int = Layer.BODIES,
) -> None:
    """Draw a smooth rope through points (N, 2) [m], `radius` [m] thick, with outline and a line of
    light.
    """
    line = smooth_line(picture.to_pixels(points), closed) / picture.point
    width = max(2.0 * radius * picture.view.scale / picture.point, 3.0)
    edge = min(OUTLINE, 0.35 * width)
    picture.stroke(line, width, outline, closed=closed, layer=layer, space="screen")
    picture.stroke(line, width - 1.6 * edge, fill, closed=closed, layer=layer, space="screen")
    if width > 7.0:
        shine = palette.faded(palette.lighter(fill, 0.5), 0.6)
        lifted = line + np.array((-0.10 * width, 0.16 * width))
        picture.stroke(lifted, 0.16 * width, shine, closed=closed, layer=layer, space="screen")


def disc_tints(fills: Floats, edges: Floats) -> NDArray[np.float32]:
    """Return the colours of shaded discs by tables (B, 4): rgba shares (B, 5, 4) of rim, body,
    spot, light, glint.
    """
    opacity = fills[:, 3] / 255
    light = palette.all_faded(palette.all_lighter(fills, 0.42), 0.75 * opacity)
    glint = palette.all_faded(np.full(fills.shape, 255.0), 0.6 * opacity)
    parts = edges, palette.all_darker(fills, 0.10), palette.all_darker(fills, 0.34), light, glint
    return palette.shares_of(np.stack(parts, axis=1))


def draw_discs(
    picture: Picture,
    centers: Floats,
    radii: Floats,
    angles: Floats,
    tints: NDArray[np.float32],
    layer: int,
) -> None:
    """Draw N shaded discs: centers (N, 2), radii (N,) [m], angles (N,) [rad], tints (N, 5, 4) of
    `disc_tints`.
    """
    positions = picture.to_pixels(centers)[:, None]
    radius_px = np.maximum(radii * picture.view.scale, 3.0 * picture.point)[:, None, None]
    inner = radius_px - np.minimum(OUTLINE * picture.point, 0.5 * radius_px)
    size = inner * DISC_SIZES
    size[:, 0] = radius_px[:, 0]
    colours = np.broadcast_to(tints, (len(positions), *tints.shape[-2:])).reshape(-1, 4)
    softness = np.empty((len(positions), len(DISC_SOFTNESS)))
    softness[:] = DISC_SOFTNESS
    middles = positions + inner * DISC_MIDDLES
    spot = middles[:, SPOT]
    far = SPOT_AT * inner[:, 0, 0]
    spot[:, 0] += far * np.cos(angles)
    spot[:, 1] += far * np.sin(angles)
    picture.mesh(layer).add_ellipses(
        middles.reshape(-1, 2), size.reshape(-1, 2), colours, softness.ravel()
    )


def draw_net(
    picture: Picture,
    positions: Floats,
    radii: Floats,
    shape: Shape,
    fill: Colour,
    outline: Colour,
    layer: int,
) -> None:
    """Draw a cloth or a framework: filled meshes, thin inner threads, and an edge as thick as its
    particles.
    """
    net = shape.net
    if len(net.triangles):
        picture.mesh(layer).add_fill(
            picture.to_pixels(positions[net.corners]), net.triangles, rgba(fill)
        )
    thread = palette.faded(
        palette.darker(fill, 0.22), 0.7 * (fill[3] / 255 if len(fill) > 3 else 1.0)
    )
    starts = positions[net.threads[:, 0]]
    ends = positions[net.threads[:, 1]]
    picture.segments(starts, ends, 1.6, thread, layer=layer)
    width = max(3.0, 2.0 * float(radii[shape.rows].mean()) * picture.view.scale / picture.point)
    knot = 0.5 * width / picture.view.scale * picture.point
    starts = positions[net.edges[:, 0]]
    ends = positions[net.edges[:, 1]]
    knots = positions[net.knots]
    for size, colour in ((1.0, outline), (0.55, fill)):
        picture.segments(starts, ends, size * width, colour, layer=layer)
        picture.discs(knots, size * knot, colour, layer=layer)
