"""Pictures: soft bodies with the outline of a picture, which is also their skin."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError
from ecs_softbody.imports.reading import package
from ecs_softbody.imports.shapes import (
    ACROSS,
    RADIUS_SHARE,
    Hold,
    Mesh,
    body_of,
    mesh_of_polygon,
    polygons_of,
)
from ecs_softbody.indices import arange, reduceat
from ecs_softbody.rendering import Skin
from ecs_softbody.rendering.texture import Bytes, texture_of
from ecs_softbody.validation import check_number, check_point

FINEST = 256
"""Pixels across in which outlines are looked for."""
SMALLEST_PART = 0.01
"""Parts have at least this share of the area of the largest one."""
MOST_PARTS = 32
"""Limit of the parts of a picture; the smallest are left out."""
THICK = 0.7
"""Minimum fraction of the area left after trimming to the picture's edge; below it, the outline is
not trimmed.
"""


def picture(source: Any, center: ArrayLike, **options: Any) -> tuple[Any, ...]:
    """Return a soft body of the largest connected part of a picture, with its holes, to spawn.

    Args:
        source: a PNG file, or any other source of `Skin`. Transparent pixels are no part of the
            body.
        center: (x, y) of the middle of the picture [m].
        options: of `picture_parts`.

    Raises:
        ValueError: if there is no such picture, or it shows nothing.
        RuntimeError: without the extra `import`.
    """
    return picture_parts(source, center, **options)[0]


def picture_parts(
    source: Any,
    center: ArrayLike,
    *,
    height: float = 1.0,
    threshold: float = 0.5,
    spacing: float | None = None,
    mass: float | None = None,
    density: float | None = None,
    stiffness: float | None = None,
    hold: Hold = "shape",
    notes: list[str] | None = None,
    **collider: Any,
) -> list[tuple[Any, ...]]:
    """Return soft bodies of all connected parts of a picture, the largest first; see `picture`.

    There are 32 at most, none smaller than a hundredth of the largest.

    Args:
        source: a PNG file, or any other source of `Skin`.
        center: (x, y) of the middle of the picture [m].
        height: of the whole picture [m].
        threshold: how opaque a pixel is that belongs to the body, above 0 and at most 1.
        spacing: distance between particles [m]; a twelfth of the larger side by default.
        mass, density: of each body [kg], or of its material [kg/m²]: one of them.
        stiffness: of the springs [N/m]; 30 Hz by default.
        hold: `shape` pulls the body back to its shape as a whole; `springs` uses only more springs,
            which stay folded once folded.
        notes: a list that receives messages about parts that are left out.
        collider: options of its Collider, such as friction.
    """
    middle = check_point("picture", "center", center)
    height = check_number("picture", "height", height, above=0.0)
    if not 0.0 < (level := check_number("picture", "threshold", threshold)) <= 1.0:
        raise FieldError("picture", "threshold", threshold, "above 0 and at most 1")
    package("shapely")
    texture = texture_of("picture.source", source)
    # A saved scene names the file of a picture.
    shown = source if isinstance(source, str | os.PathLike) else texture
    rows = texture.height
    columns = texture.width
    scale = height / rows
    bodies = []
    for outline in _kept(source, outlines_of(texture.level(0)[:, :, 3], level), level, notes):
        polygon = _within(outline, rows, columns, None if spacing is None else spacing / scale)
        mesh = mesh_of_polygon(polygon, None if spacing is None else spacing / scale)
        uv = mesh.points / np.array((columns, rows))
        moved = Mesh(
            (mesh.points - 0.5 * np.array((columns, rows))) * scale + middle,
            *mesh[1:3],
            mesh.spacing * scale,
        )
        bodies.append(
            (
                *body_of(
                    "picture",
                    moved,
                    mass=mass,
                    density=density,
                    stiffness=stiffness,
                    hold=hold,
                    **collider,
                ),
                Skin(shown, uv=uv),
            )
        )
    return bodies


def _kept(source: Any, outlines: list[Any], level: float, notes: list[str] | None) -> list[Any]:
    """Return the outlines of a picture that become bodies; `notes` reports the others."""
    if not outlines:
        named = f"{Path(source).name}: " if isinstance(source, str | os.PathLike) else ""
        said = f"nothing in this picture is as opaque as {level:g}"
        raise FieldError(
            "picture", "source", source, "one that shows something", wrong=f"{named}{said}"
        )
    kept = [one for one in outlines if one.area >= SMALLEST_PART * outlines[0].area][:MOST_PARTS]
    if notes is not None and len(kept) < len(outlines):
        notes.append(
            f"{len(outlines) - len(kept)} of {len(outlines)} parts are left out, the smallest"
        )
    return kept


def _within(polygon: Any, rows: int, columns: int, spacing: float | None) -> Any:
    """Return a polygon whose particles end, with their radius, at the edge of the picture: nothing
    is beyond it.
    """
    left, bottom, right, top = polygon.bounds
    if spacing is None:  # the mesh's spacing is a fraction of the remaining size
        spacing = max(right - left, top - bottom) / (ACROSS + 2.0 * RADIUS_SHARE)
    radius = RADIUS_SHARE * spacing
    if min(left, bottom, columns - right, rows - top) >= radius:
        return polygon
    x, y = (radius if side > 4.0 * radius else 0.0 for side in (columns, rows))
    found = polygons_of(polygon & package("shapely").box(x, y, columns - x, rows - y))
    return found[0] if found and found[0].area > THICK * polygon.area else polygon


def outlines_of(opacity: Bytes, threshold: float) -> list[Any]:
    """Return the parts of a picture (H, W) as polygons of shapely [pixels, from the lower left],
    largest first.
    """
    step = max(1, -(-max(opacity.shape) // FINEST))
    polygons = _outlines(_shrunk(np.add, opacity, step), threshold, step)
    if not polygons and step > 1:
        # Parts are thinner than a block: use the most opaque pixel of each block.
        polygons = _outlines(_shrunk(np.maximum, opacity, step), threshold, step)
    page = package("shapely").box(0.0, 0.0, opacity.shape[1], opacity.shape[0])
    polygons = [part for polygon in polygons for part in polygons_of(polygon & page)]
    return sorted(polygons, key=lambda polygon: -polygon.area)


def _outlines(opacity: Floats, threshold: float, step: int) -> list[Any]:
    """Return the polygons [pixels] of blocks of `step` pixels that are opaque enough."""
    shapely = package("shapely")
    contourpy = package("contourpy")
    # Padding with edge values cuts opaque parts at the edge with sharp corners.
    padded = np.pad(opacity, 1, mode="edge")
    found = contourpy.contour_generator(z=padded, fill_type="OuterOffset").filled(
        threshold - 1e-9, np.inf
    )
    polygons = []
    for points, starts in zip(*found, strict=True):
        rings = [points[low : high - 1] for low, high in itertools.pairwise(starts)]
        rings = [(ring - 0.5) * step for ring in rings if len(ring) >= 3]
        if rings:
            polygon = shapely.Polygon(rings[0], rings[1:])
            polygons += polygons_of(polygon if polygon.is_valid else shapely.make_valid(polygon))
    return polygons


def _shrunk(how: np.ufunc, opacity: Bytes, step: int) -> Floats:
    """Return the mean (np.add) or the most (np.maximum) of blocks of pixels, 0 to 1, rows from the
    bottom.

    Blocks at the upper and the right edge may be smaller.
    """
    rows, columns = (arange(0, side, step) for side in opacity.shape)
    found = reduceat(
        how, reduceat(how, opacity[::-1], rows, axis=0, dtype=np.uint32), columns, axis=1
    ).astype(float)
    if how is np.add:
        sizes = [
            np.diff(np.append(at, side))
            for at, side in zip((rows, columns), opacity.shape, strict=True)
        ]
        found /= np.multiply.outer(*sizes)
    found /= 255.0
    return found
