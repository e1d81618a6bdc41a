"""Clips: cuts shapes to clip paths and to the edges of drawings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ecs_softbody.imports.drawings.areas import cut_to, filled_area
from ecs_softbody.imports.drawings.context import Around, Context, Seen, link_of, moved_by
from ecs_softbody.imports.drawings.markup import local
from ecs_softbody.imports.drawings.measures import length_of, moved
from ecs_softbody.imports.drawings.paint import LINK
from ecs_softbody.imports.drawings.paths import SHAPES
from ecs_softbody.imports.reading import LARGEST_NUMBER, package

DEEPEST = 20
"""Clip paths of clip paths."""


def clipped(context: Context, inside: Around, found: list[Seen]) -> list[Seen]:
    """Return the shapes of an element, cut to its clip path."""
    text = inside.style.get("clip-path", "none")
    if not found or text == "none":
        return found
    clip = _clip_of(context, text, inside, found, ())
    return found if clip is None else cut(context, found, clip)


def _clip_of(
    context: Context, text: str, inside: Around, found: list[Seen], used: tuple[str, ...]
) -> Any:
    """Return the area inside a clip path [px], or None if there is no such clip path."""
    link = LINK.match(text)
    element = context.known.get(link[1]) if link else None
    if text == "none" or not found:
        return None
    if link is None or element is None or local(element.tag) != "clipPath":
        context.notes.add("a clip path that is none of the file's is not read")
        return None
    if link[1] in used or len(used) > DEEPEST:
        context.notes.add("a clip path that uses itself is not read")
        return None
    context.count()
    shapely = package("shapely")
    style = context.cascade.in_place(element)
    matrix = inside.matrix @ context.transform(style, inside.sizes)
    if element.get("clipPathUnits") == "objectBoundingBox":
        points = np.concatenate([ring for one in found for ring in one.outline])
        points = moved_by(points, np.linalg.inv(inside.matrix).astype(np.float64))
        low = points.min(axis=0)
        size = np.ptp(points, axis=0)
        if not (size > 0.0).all():
            return shapely.Polygon()
        matrix = matrix @ moved(*low.tolist()) @ np.diag((*size.tolist(), 1.0))
    around = Around(matrix, inside.sizes, style)
    parts = [part for child in element for part in _parts(context, child, around, (*used, link[1]))]
    area = shapely.union_all(parts) if parts else shapely.Polygon()
    more = _clip_of(context, style.get("clip-path", "none"), inside, found, (*used, link[1]))
    return area if more is None else cut_to(context.budget.owner, area, more, context.budget)


def _parts(
    context: Context, child: ElementTree.Element, around: Around, used: tuple[str, ...]
) -> list[Any]:
    """Return the areas of a shape in a clip path: its paint does not count, only where it is."""
    kind = local(child.tag)
    context.count()
    if kind == "text":
        context.notes.add("text in clip paths is not read")
    style = context.cascade.computed(child, around.style)
    inside = context.inside(child, style, around) if kind in (*SHAPES, "use") else None
    if inside is None or style.get("display") == "none":
        return []
    if kind == "use":
        target = context.known.get(link_of(child)[1:])
        if target is None or local(target.tag) not in SHAPES:
            return []
        x, y = (length_of(child.get(way), inside.sizes, way) or 0.0 for way in "xy")
        inside = replace(inside, matrix=inside.matrix @ moved(x, y))
        parts = _parts(context, target, inside, used)
    else:
        if style.get("visibility", "visible") in ("hidden", "collapse"):
            return []
        rings = [
            moved_by(line.points, inside.matrix) for line in context.lines(child, kind, inside)
        ]
        rings = [points for points in rings if (np.abs(points) < LARGEST_NUMBER).all()]
        even_odd = style.get("clip-rule") == "evenodd"
        parts = (
            [filled_area(context.budget.owner, rings, even_odd, context.finest, context.budget)]
            if rings
            else []
        )
    parts = [part for part in parts if not part.is_empty]
    seen = [Seen("", [], {}, [package("shapely").get_coordinates(part)], part) for part in parts]
    more = _clip_of(context, style.get("clip-path", "none"), inside, seen, used)
    return (
        parts
        if more is None
        else [cut_to(context.budget.owner, part, more, context.budget) for part in parts]
    )


def cut(context: Context, found: list[Seen], clip: Any, said: str = "") -> list[Seen]:
    """Cut shapes to an area and return them; `said` is noted if a shape loses some area."""
    shapely = package("shapely")
    left, bottom, right, top = clip.bounds if not clip.is_empty else (0.0,) * 4
    is_box = (
        not clip.is_empty and abs(clip.area - (right - left) * (top - bottom)) <= 1e-9 * clip.area
    )
    for one in found:
        if one.area is not None and not one.area.is_empty:
            low_x, low_y, high_x, high_y = one.area.bounds
            if not (
                is_box and low_x >= left and low_y >= bottom and high_x <= right and high_y <= top
            ):
                before = one.area.area
                called = context.called(one.name)
                one.area = cut_to(called, one.area, clip, context.budget)
                if said and one.area.area < before * (1.0 - 1e-3):
                    context.notes.add(said)
        lines = [(points, shapely.LineString(points)) for points in one.lines]
        context.budget.spend("strokes", sum(len(points) for points in one.lines))
        one.lines = [points for points, line in lines if line.intersects(clip)]
        if any(line.intersects(clip) and not line.within(clip) for _, line in lines):
            context.notes.add(
                "lines without a width are not cut: a clip path, or the page, ends before they do"
            )
    return found
