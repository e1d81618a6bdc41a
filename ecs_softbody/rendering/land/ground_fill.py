"""Ground fills: the area of static colliders, filled with a picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.indices import arange
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.mesh import Mesh
from ecs_softbody.rendering.mesh.polygon_mesh import fill_polygon
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.world.look import Look
from ecs_softbody.rendering.world.skin import Skin

PLANK = 0.28
"""Thickness of a platform [m]."""
DISC_CORNERS = 48
"""Number of corners that a disc with a picture is drawn with."""
DEEP = 12.0
"""Metres below the view to which ground reaches."""


class GroundFill(NamedTuple):
    """The area of a static collider with a picture: corners [px], places in the picture, triangles,
    tints (N, 4).
    """

    skin: Skin
    layer: int
    corners: Floats  # (N, 2) [px]
    uv: Floats  # (N, 2) shares of the picture's width and height
    triangles: NDArray[np.int32]  # (3 T,) corners
    tint: NDArray[np.float32]  # (N, 4)


def fill_of_ground(
    picture: Picture,
    skin: Skin,
    look: Look,
    vertices: Floats,
    style: str,
    *,
    radius: float,
    angle: float,
) -> GroundFill | None:
    """Return the area of a static collider that its picture covers; None for lines, which have
    none.

    Args:
        picture: the target.
        skin: of the collider; its one row is where the first vertex lies in the picture.
        look: of the collider.
        vertices: of the collider now (V, 2) [m].
        style: how the collider is drawn.
        radius: of a disc [m].
        angle: how far the collider has turned [rad].
    """
    area = _area(picture, vertices, style, radius)
    if area is None or not skin.row_count:
        return None
    area, triangles = fill_polygon(area)
    turned = (area - vertices[0]) @ np.array(
        ((np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle)))
    )
    uv = skin.uv[0] + turned * skin.per_metre
    tint = np.ones((len(area), 4), np.float32)
    tint[:, 3] = look.opacity
    return GroundFill(
        skin, Layer.GROUND - 1 + look.layer_offset, picture.to_pixels(area), uv, triangles, tint
    )


def _area(picture: Picture, vertices: Floats, style: str, radius: float) -> Floats | None:
    """Return the outline of the area that a collider of a style covers [m]."""
    if style == "disc":
        angles = 2.0 * np.pi * arange(DISC_CORNERS) / DISC_CORNERS
        disc: Floats = vertices[0] + radius * np.column_stack((np.cos(angles), np.sin(angles)))
        return disc
    if style == "platform" and len(vertices) > 1:
        return np.concatenate((vertices, vertices[::-1] - (0.0, PLANK)))
    left, bottom, right, top = picture.view.bounds
    if style == "ground" and len(vertices) > 1:
        floor = min(bottom, float(vertices[:, 1].min())) - DEEP
        ends = np.array(((vertices[-1, 0], floor), (vertices[0, 0], floor)))
        return np.concatenate((vertices, ends))
    if style == "room" and len(vertices) > 2:
        low = np.minimum(vertices.min(axis=0), (left, bottom)) - 1.0
        high = np.maximum(vertices.max(axis=0), (right, top)) + 1.0
        inner = vertices if signed_area(vertices) < 0.0 else vertices[::-1]
        inner = np.roll(inner, -int(np.argmin(inner.sum(axis=1))), axis=0)
        outer = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
        return np.concatenate((outer, outer[:1], inner, inner[:1]))
    return vertices if style == "solid" and len(vertices) > 2 else None


def draw_fills(picture: Picture, fills: list[GroundFill]) -> None:
    """Add filled ground to a scene, all with the same picture at once."""
    meshes: dict[tuple[int, int, bool], Mesh] = {}
    for fill in fills:
        key = (fill.layer, id(fill.skin.picture), fill.skin.repeats)
        if key not in meshes:
            meshes[key] = picture.mesh(fill.layer, fill.skin.picture, repeats=fill.skin.repeats)
        meshes[key].add_textured_fill(fill.corners, fill.uv, fill.triangles, fill.tint)
