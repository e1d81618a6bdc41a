"""Lines: ropes, nets and discs, the bodies that have no ring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.curves import smooth_line
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.scene.topology import Shape

OUTLINE = 3.4
"""Width of the outlines of bodies in points."""
DISC_MIDDLES = np.array([(0.0, 0.0), (0.0, 0.0), (-0.10, 0.20), (-0.28, 0.48)])
DISC_SIZES = np.array([(1.0, 1.0), (1.0, 1.0), (0.72, 0.72), (0.26, 0.15)])
DISC_SOFTNESS = np.array([0.0, 0.0, 1.0, 0.5], np.float32)
"""Rim, body, light and glint of a shaded disc, as shares of its inner radius."""


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
    """Draw a smooth rope through points (N, 2) [m], `radius` [m] thick, with outline and a line of light."""
    line = smooth_line(picture.to_pixels(points), closed) / picture.point
    width = max(2.0 * radius * picture.view.scale / picture.point, 3.0)
    edge = min(OUTLINE, 0.35 * width)
    picture.stroke(line, width, outline, closed=closed, layer=layer, space="screen")
    picture.stroke(line, width - 1.6 * edge, fill, closed=closed, layer=layer, space="screen")
    if width > 7.0:
        shine = palette.faded(palette.lighter(fill, 0.5), 0.6)
        lifted = line + np.array((-0.10 * width, 0.16 * width))
        picture.stroke(lifted, 0.16 * width, shine, closed=closed, layer=layer, space="screen")


def disc_tints(fill: Colour, outline: Colour) -> NDArray[np.float32]:
    """Return the colours of a shaded disc, rgba shares (4, 4): rim, body, light and glint."""
    opacity = fill[3] / 255 if len(fill) > 3 else 1.0
    light = palette.faded(palette.lighter(fill, 0.42), 0.75 * opacity)
    glint = palette.faded((255, 255, 255), 0.6 * opacity)
    return np.stack([rgba(colour) for colour in (outline, palette.darker(fill, 0.10), light, glint)])


def draw_discs(picture: Picture, centers: Floats, radii: Floats, tints: NDArray[np.float32], layer: int) -> None:
    """Draw N shaded discs: centers (N, 2), radii (N,) [m], tints (4, 4) or (N, 4, 4) as `disc_tints` gives them."""
    positions = picture.to_pixels(centers)[:, None]
    radius_px = np.maximum(radii * picture.view.scale, 3.0 * picture.point)[:, None, None]
    inner = radius_px - np.minimum(OUTLINE * picture.point, 0.5 * radius_px)
    size = inner * DISC_SIZES
    size[:, 0] = radius_px[:, 0]
    colours = np.broadcast_to(tints, (len(positions), 4, 4)).reshape(-1, 4)
    softness = np.tile(DISC_SOFTNESS, len(positions))
    middles = (positions + inner * DISC_MIDDLES).reshape(-1, 2)
    picture.mesh(layer).add_ellipses(middles, size.reshape(-1, 2), colours, softness)


def draw_net(
    picture: Picture, positions: Floats, radii: Floats, shape: Shape, fill: Colour, outline: Colour, layer: int
) -> None:
    """Draw a cloth or a framework: filled meshes, thin inner threads, and an edge as thick as its particles."""
    assert shape.links is not None
    pixels = picture.to_pixels(positions)
    faces, links = shape.faces, shape.links
    inner = np.zeros(len(links), bool)
    if faces is not None and len(faces):
        triangles = faces[:, [0, 1, 2, 0, 2, 3]]
        rows, local = np.unique(triangles, return_inverse=True)
        picture.mesh(layer).add_fill(pixels[rows], local.ravel(), rgba(fill))
        inner = _inner_links(links, faces)
    thread = palette.faded(palette.darker(fill, 0.22), 0.7 * (fill[3] / 255 if len(fill) > 3 else 1.0))
    threads, edges = links[inner], links[~inner]
    picture.segments(positions[threads[:, 0]], positions[threads[:, 1]], 1.6, thread, layer=layer)
    width = max(3.0, 2.0 * float(radii[shape.rows].mean()) * picture.view.scale / picture.point)
    knot = 0.5 * width / picture.view.scale * picture.point
    for size, colour in ((1.0, outline), (0.55, fill)):
        picture.segments(positions[edges[:, 0]], positions[edges[:, 1]], size * width, colour, layer=layer)
        picture.discs(positions[np.unique(edges)], size * knot, colour, layer=layer)


def _inner_links(links: NDArray[np.int64], faces: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which links lie between two meshes, or across one, shape (M,)."""
    count = int(max(links.max(), faces.max())) + 1
    sides = np.concatenate([np.sort(faces[:, [k, (k + 1) % 4]], axis=1) for k in range(4)])
    used, times = np.unique(sides[:, 0] * count + sides[:, 1], return_counts=True)
    ordered = np.sort(links, axis=1)
    border = used[times == 1]
    inner: NDArray[np.bool_] = np.isin(ordered[:, 0] * count + ordered[:, 1], border, invert=True)
    return inner & np.isin(links, faces).all(axis=1)
