"""Lines: ropes, nets and discs, the bodies that have no ring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering import palette
from ecs_softbody.rendering.curves import smooth_line
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Layer, Picture
from ecs_softbody.rendering.topology import Shape

Floats = NDArray[np.float64]
OUTLINE = 3.4
"""Width of the outlines of bodies in points."""


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


def draw_discs(picture: Picture, centers: Floats, radii: Floats, fill: Colour, outline: Colour, layer: int) -> None:
    """Draw one shaded disc per particle: centers (N, 2), radii (N,) [m]."""
    mesh, places = picture.mesh(layer), picture.to_pixels(centers)
    reach = np.maximum(radii * picture.view.scale, 3.0 * picture.point)[:, None]
    inner = reach - np.minimum(OUTLINE * picture.point, 0.5 * reach)
    opacity = fill[3] / 255 if len(fill) > 3 else 1.0
    mesh.add_ellipses(places, reach, rgba(outline))
    mesh.add_ellipses(places, inner, rgba(palette.darker(fill, 0.10)))
    light = palette.faded(palette.lighter(fill, 0.42), 0.75 * opacity)
    mesh.add_ellipses(places + inner * (-0.10, 0.20), 0.72 * inner, rgba(light), 1.0)
    glint = palette.faded((255, 255, 255), 0.6 * opacity)
    mesh.add_ellipses(places + inner * (-0.28, 0.48), inner * (0.26, 0.15), rgba(glint), 0.5)


def draw_net(
    picture: Picture, positions: Floats, radii: Floats, shape: Shape, fill: Colour, outline: Colour, layer: int
) -> None:
    """Draw a cloth or a framework: filled meshes, thin inner threads, and an edge as thick as its particles."""
    assert shape.links is not None
    places = picture.to_pixels(positions)
    faces, links = shape.faces, shape.links
    inner = np.zeros(len(links), bool)
    if faces is not None and len(faces):
        triangles = faces[:, [0, 1, 2, 0, 2, 3]]
        rows, local = np.unique(triangles, return_inverse=True)
        picture.mesh(layer).add_fill(places[rows], local.ravel(), rgba(fill))
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
