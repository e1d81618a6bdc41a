"""Ground: draws static colliders as flat dark shapes with a light top edge.

The style of a collider tells how: "ground" is an open chain that is filled down to the bottom of
the picture, "solid" a filled closed chain, "room" a closed chain around the bodies, filled outside;
then "platform", "line" and "disc".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.indices import flatnonzero
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.land.ground_fill import PLANK
from ecs_softbody.rendering.land.strata import draw_strata
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.polygon_mesh import fill_polygon
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.world.look import Look

EDGE = 5.0
"""Width of the light top edge in points."""
OVER = 0.75
"""How far the edge stands over the ground [points], so that its soft side covers the hard one of
the fill.
"""
FACING_UP = 0.35
"""Cosine of the slope up to which an edge of the ground counts as its upper side: 70 degrees."""
AROUND = 70.0
"""Ground further outside of the view than this [points] is invisible, with any edge."""


def style_of(
    vertices: Floats, look: Look, *, closed: bool, one_way: bool, center: Floats | None
) -> str:
    """Return how to draw a static collider; `center` is the middle of all bodies.

    One vertex is a disc in any style.
    """
    if len(vertices) == 1 and look.style != "none":
        return "disc"
    if look.style != "auto":
        return look.style
    if closed:
        low = vertices.min(axis=0)
        high = vertices.max(axis=0)
        inside = center is not None and bool((center > low).all() and (center < high).all())
        return "room" if inside else "solid"
    if one_way:
        return "platform"
    steps = np.diff(vertices[:, 0])
    wide = abs(float(vertices[-1, 0] - vertices[0, 0])) > 2.5
    return "ground" if wide and bool((steps >= 0).all() or (steps <= 0).all()) else "line"


def is_out_of_view(
    picture: Picture, bounds: tuple[float, float, float, float], radius: float, style: str
) -> bool:
    """Return whether nothing is seen of a static collider: left, bottom, right, top of its
    vertices, radius [m].
    """
    left, bottom, right, top = picture.view.bounds
    margin = radius + AROUND * picture.point / picture.view.scale
    own_left, own_bottom, own_right, own_top = bounds
    is_left = own_right < left - margin
    is_right = own_left > right + margin
    if style == "ground":
        # The ground goes down to the bottom, and on behind walls that are higher than the picture.
        return (is_left or is_right) and own_top < top - margin
    if style == "room":
        return False
    return is_left or is_right or own_top < bottom - margin or own_bottom > top + margin


def draw_static(picture: Picture, vertices: Floats, radius: float, style: str, look: Look) -> None:
    """Add one static collider: vertices (V, 2) [m], radius = half the thickness of its segments
    [m].
    """
    layer = Layer.GROUND + look.layer_offset
    fill, edge = colours_of(picture, look)
    if style == "disc":
        picture.disc(vertices[0], radius, fill, outline=edge, layer=layer)
    elif style == "ground":
        draw_below(picture, vertices, look)
        draw_top(picture, vertices, look)
    elif style == "platform":
        _plank(picture, vertices, look, layer)
    elif style == "room":
        _fill_outside(picture, vertices, fill, edge, layer)
    elif style == "solid":
        picture.polygon(vertices, fill, layer=layer)
        loops = _loops(vertices)
        for loop in loops:
            picture.stroke(loop, 3.0, _dim(edge, picture.theme.ground), closed=True, layer=layer)
        for number, loop in enumerate(loops):
            for line in _facing_up(loop, hole=number > 0):
                picture.stroke(line, EDGE, edge, layer=layer)
    elif style in ("line", "link", "rope", "body", "discs"):
        width = max(2.0 * radius, 0.06)
        colour = look.fill or picture.theme.ground_edge
        picture.stroke(
            vertices, width, palette.faded(colour, look.opacity), metres=True, layer=layer
        )


def colours_of(picture: Picture, look: Look) -> tuple[Colour, Colour]:
    """Return the colours of a static collider: of its area and of its edge."""
    theme = picture.theme
    light = look.outline or (palette.lighter(look.fill, 0.4) if look.fill else theme.ground_edge)
    return palette.faded(look.fill or theme.ground, look.opacity), palette.faded(
        light, look.opacity
    )


def draw_edges(picture: Picture, vertices: Floats, style: str, look: Look) -> None:
    """Add the light edges of a static collider whose area has a picture, where its Look has an
    outline.
    """
    if look.outline is None:
        return
    layer = Layer.GROUND + look.layer_offset
    edge = palette.faded(look.outline, look.opacity)
    closed = style in ("solid", "room")
    picture.stroke(vertices, EDGE, edge, closed=closed, layer=layer)


def _dim(edge: Colour, ground: Colour) -> Colour:
    """Return the colour of the band between the light edge and the ground."""
    return palette.mixed(edge, ground, 0.62)


def draw_below(picture: Picture, vertices: Floats, look: Look) -> None:
    """Fill from a chain down to the bottom of the view, darker with depth, and behind walls to its
    sides.
    """
    layer = Layer.GROUND + look.layer_offset
    fill = colours_of(picture, look)[0]
    line = picture.to_pixels(vertices)
    if line[0, 0] > line[-1, 0]:
        line = line[::-1]
    line = _behind_walls(line, picture.width_px, picture.height_px)
    if line[-1, 0] < -50 or line[0, 0] > picture.width_px + 50:
        return
    floor = min(-8.0, float(line[:, 1].min()) - 8.0)
    below = np.column_stack((line[:, 0], np.full(len(line), floor, np.float64)))
    top = rgba(fill)
    deep = rgba(palette.mixed(fill, picture.theme.ground_deep, 0.8))
    high = float(line[:, 1].max())

    def shades(points: Floats) -> NDArray[np.float32]:
        """Return colours by height alone: no edge below a step."""
        share = ((high - points[:, 1:]) / max(high - floor, 1.0)).astype(np.float32)
        found: NDArray[np.float32] = top + (deep - top) * share
        return found

    if bool((np.diff(line[:, 0]) >= 0.0).all()):
        picture.mesh(layer).add_band(line, below, shades(line), deep)
    else:
        corners, triangles = fill_polygon(np.concatenate((line, below[-1:], below[:1])))
        picture.mesh(layer).add_fill(corners, triangles, shades(corners))


def draw_top(
    picture: Picture, vertices: Floats, look: Look, seen: tuple[float, float] | None = None
) -> None:
    """Add the layers below a chain, from left to right as far as they are `seen` [m],
    and its edge.
    """
    layer = Layer.GROUND + look.layer_offset
    (fill, edge) = colours_of(picture, look)
    theme = picture.theme
    if theme.strata is not None and look.fill is None:
        draw_strata(picture, vertices, palette.faded(theme.strata, look.opacity), layer, seen)
    points = picture.to_pixels(vertices) / picture.point
    if points[0, 0] > points[-1, 0]:
        points = points[::-1]
    picture.stroke(_inset(points, 9.0), 15.0, _dim(edge, fill), layer=layer, space="screen")
    picture.stroke(_inset(points, 0.5 * EDGE - OVER), EDGE, edge, layer=layer, space="screen")


def _behind_walls(line: Floats, width: int, height: int) -> Floats:
    """Return a chain from left to right [px], extended outwards if it ends in a wall higher than
    the picture.
    """
    sides = ((line[0], line[1], -60.0), (line[-1], line[-2], width + 60.0))
    for index, (end, inner, far) in enumerate(sides):
        outside = far < end[0] if index == 0 else far > end[0]
        if outside and end[1] >= height and end[1] - inner[1] > 4.0 * abs(end[0] - inner[0]):
            line = np.insert(line, index * len(line), (far, end[1]), axis=0)
    return line


def _inset(line: Floats, depth: float) -> Floats:
    """Return a chain (N, 2) moved by a depth to its right, into the ground below it and the cliffs
    beside it.
    """
    steps = np.diff(line, axis=0)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    line = line[np.append(True, lengths > 1e-9)]
    steps = steps[lengths > 1e-9]
    if not len(steps):
        return line
    normals = np.column_stack((steps[:, 1], -steps[:, 0])) / lengths[lengths > 1e-9, None]
    before = np.concatenate((normals[:1], normals))
    after = np.concatenate((normals, normals[-1:]))
    corner = before + after
    moved: Floats = line + depth * corner / np.maximum(0.5 * (corner**2).sum(axis=1), 0.4)[:, None]
    return moved


def _plank(picture: Picture, vertices: Floats, look: Look, layer: int) -> None:
    """Hang a plank below a chain."""
    fill = palette.faded(look.fill or palette.STEEL, look.opacity)
    inset = vertices - (0.0, 0.5 * PLANK)
    along = inset[-1] - inset[0]
    shorten = (
        along / max(float(np.hypot(*along)), 1e-9) * min(0.5 * PLANK, 0.4 * float(np.hypot(*along)))
    )
    inset[0] += shorten
    inset[-1] -= shorten
    outline = palette.faded(look.outline or palette.darker(fill, 0.55), look.opacity)
    rim = 3.0 * picture.point / picture.view.scale
    picture.stroke(inset, PLANK, outline, metres=True, layer=layer)
    picture.stroke(inset, PLANK - 2.0 * rim, fill, metres=True, layer=layer)
    shine = palette.faded(palette.lighter(fill, 0.55), look.opacity)
    picture.stroke(
        inset + np.array((0.0, 0.24 * PLANK)), 0.16 * PLANK, shine, metres=True, layer=layer
    )


def _fill_outside(
    picture: Picture, vertices: Floats, fill: Colour, edge: Colour, layer: int
) -> None:
    """Fill everything outside of a closed chain: one ring around the view, joined to the chain by a
    bridge.
    """
    left, bottom, right, top = picture.view.bounds
    low = np.minimum(vertices.min(axis=0), (left, bottom)) - 1.0
    high = np.maximum(vertices.max(axis=0), (right, top)) + 1.0
    inner = vertices[::-1] if signed_area(vertices) > 0.0 else vertices
    start = int(np.argmin(inner.sum(axis=1)))
    inner = np.roll(inner, -start, axis=0)
    outer = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    ring = picture.to_pixels(np.concatenate((outer, outer[:1], inner, inner[:1])))
    picture.mesh(layer).add_fill(*fill_polygon(ring), rgba(fill))
    walls = inner[::-1]
    picture.stroke(walls, 10.0, _dim(edge, fill), closed=True, layer=layer)
    picture.stroke(walls, 3.0, edge, closed=True, layer=layer)


def _loops(vertices: Floats) -> list[Floats]:
    """Return the outline of a closed chain, and its holes, to which it goes and comes back along
    the same lines.
    """
    points = [tuple(point) for point in vertices.tolist()]
    if len(set(points)) == len(points):
        return [vertices]
    sides = list(zip(points, [*points[1:], points[0]], strict=True))
    there = set(sides)
    following: dict[Any, list[Any]] = {}
    for a, b in sides:
        if (b, a) not in there:
            following.setdefault(a, []).append(b)
    loops = []
    while following:
        start = point = next(iter(following))
        loop = []
        while point in following:
            loop.append(point)
            onward = following[point].pop()
            if not following[point]:
                del following[point]
            point = onward
            if point == start:
                break
        loops.append(np.array(loop))
    return sorted(
        (loop for loop in loops if len(loop) > 2),
        key=lambda loop: -float(np.ptp(loop, axis=0).max()),
    )


def _facing_up(vertices: Floats, *, hole: bool = False) -> list[Floats]:
    """Return the parts of a closed chain whose outside, or inside where it is a hole, looks up, as
    lines.
    """
    if (signed_area(vertices) < 0.0) != hole:
        vertices = vertices[::-1]
    steps = np.roll(vertices, -1, axis=0) - vertices
    lengths = np.maximum(np.hypot(steps[:, 0], steps[:, 1]), 1e-9)
    up = -steps[:, 0] / lengths > FACING_UP
    if up.all() or not up.any():
        return [vertices] if up.all() else []
    count = len(vertices)
    lines: list[Any] = []
    start = int(flatnonzero(~up)[0])
    current: list[int] = []
    for offset in range(1, count + 1):
        index = (start + offset) % count
        if up[index]:
            current = current or [index]
            current.append((index + 1) % count)
        elif current:
            lines.append(vertices[current])
            current = []
    return lines
