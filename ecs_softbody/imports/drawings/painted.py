"""Painted: which place one shape covers, by its fill and its stroke."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.imports.budget import Unreadable
from ecs_softbody.imports.drawings.areas import MOST_IN_SHAPE, filled_area, simplified
from ecs_softbody.imports.drawings.context import Around, Context, Seen, moved_by, placed, scale_of
from ecs_softbody.imports.drawings.measures import length_of
from ecs_softbody.imports.drawings.strokes import Line, Pen, stroke_area
from ecs_softbody.imports.reading import LARGEST_NUMBER, package
from ecs_softbody.imports.things import SIMPLER, check_crossings

LINES = ("rope", "sensor", "line")
"""Classes that an open line may have, which stays a line then."""
MOST_CROSSINGS = 8000
"""Of the lines of a stroke; they are pieces that become one, so there may be more than in an
outline.
"""
UNPAINTED = "what is not painted is left out"
"""Note on shapes without fill and stroke."""
MARKERS = ("marker", "marker-start", "marker-mid", "marker-end")
"""Properties of arrows and dots on lines, which are left out."""


def painted(
    context: Context, element: ElementTree.Element, kind: str, inside: Around
) -> list[Seen]:
    """Return the visible parts of a shape.

    The list is empty for a shape without lines; an unpainted shape has a part without an area.
    """
    lines = context.lines(element, kind, inside)
    if not lines:
        return []
    name = inside.name or element.get("id", "")
    outline = [moved_by(line.points, inside.matrix) for line in lines]
    near = [bool((np.abs(points) < LARGEST_NUMBER).all()) for points in outline]
    if not all(near):
        context.notes.add(f"what is farther away than {LARGEST_NUMBER:g} is left out")
        lines = [line for line, is_near in zip(lines, near, strict=True) if is_near]
        outline = [points for points, is_near in zip(outline, near, strict=True) if is_near]
    if not lines:
        return []
    seen = Seen(name, inside.words, inside.options, outline, opacity=inside.opacity)
    style = inside.style
    width = length_of(style.get("stroke-width"), inside.sizes, "r")
    if style.get("visibility", "visible") in ("hidden", "collapse"):
        context.notes.add(UNPAINTED)
        return [seen]
    _note_markers(context, style)
    flat = bool((np.ptp(np.concatenate([line.points for line in lines]), axis=0) <= 0.0).any())
    seen.fill = (
        context.painter.colour(style, "fill", "black", flat=flat) if kind != "line" else None
    )
    drawn = width is None or width > 0.0
    seen.stroke = context.painter.colour(style, "stroke", "none", flat=flat) if drawn else None
    if (seen.fill is None and seen.stroke is None) or inside.opacity <= 0.0:
        word = seen.words[0] if seen.words else ""
        said = f"{name or kind} is not painted, so it is no {word}; give it a fill or a stroke"
        context.notes.add(said if word else UNPAINTED)
        return [seen]
    if seen.words[:1] in ([word] for word in LINES) or "one_way" in seen.options:
        seen.lines = [
            one
            for one, line in zip(outline, lines, strict=True)
            if not line.closed and len(one) > 1
        ]
    kept = [
        number for number, one in enumerate(outline) if not any(one is line for line in seen.lines)
    ]
    called = context.called(name or kind)
    if seen.fill is not None and kept:
        even_odd = style.get("fill-rule") == "evenodd"
        rings = [outline[number] for number in kept]
        seen.area = filled_area(called, rings, even_odd, context.finest, context.budget)
    if seen.stroke is not None and kept:
        pen = Pen(
            1.0 if width is None else width, style.get("stroke-linecap", "butt"),
            style.get("stroke-linejoin", "miter"), _limit(style.get("stroke-miterlimit", "4")),
        )  # fmt: skip
        stroke = _stroke(context, called, [lines[number] for number in kept], pen, inside)
        seen.area = stroke if seen.area is None else package("shapely").union(seen.area, stroke)
    if (seen.area is None or seen.area.is_empty) and not seen.lines:
        context.notes.add("what has no area is left out")
    return [seen]


def _note_markers(context: Context, style: dict[str, str]) -> None:
    if any(style.get(name, "none") != "none" for name in MARKERS):
        context.notes.add("markers of lines are left out")


def _stroke(context: Context, called: str, lines: list[Line], pen: Pen, inside: Around) -> Any:
    """Return the area of a shape's stroke [px]."""
    shapely = package("shapely")
    style = inside.style
    dashes = style.get("stroke-dasharray", "none").strip()
    sizes = [length_of(one, inside.sizes, "r") or 0.0 for one in dashes.replace(",", " ").split()]
    if any(size > 0.0 for size in sizes) or "(" in dashes:
        context.notes.add("dashes are drawn through")
    if style.get("vector-effect") == "non-scaling-stroke":
        context.notes.add("vector-effect is not read: strokes are scaled along")
    if pen.width * scale_of(inside.matrix) > LARGEST_NUMBER:
        return shapely.Polygon()
    coarse = [_thinned(line, context.finest / scale_of(inside.matrix)) for line in lines]
    count = sum(len(line.points) for line in coarse)
    if count > MOST_IN_SHAPE:
        raise Unreadable(f"{called} has a stroke of more than {MOST_IN_SHAPE} points{SIMPLER}")
    context.budget.spend("strokes", count)
    drawn = [line.points for line in coarse if len(line.points) > 1]
    if drawn and not shapely.MultiLineString(drawn).is_simple:
        starts = np.concatenate([points[:-1] for points in drawn])
        ends = np.concatenate([points[1:] for points in drawn])
        count = check_crossings(called, starts, ends, context.budget, MOST_CROSSINGS)
        context.budget.spend("crossings of strokes", count)
    return placed(stroke_area(coarse, pen, context.budget), inside.matrix)


def _limit(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 4.0


def _thinned(line: Line, finest: float) -> Line:
    """Return a line without points that make no difference."""
    points: Floats = line.points
    if len(points) < 3:
        return line
    around = np.concatenate((points, points[:1])) if line.closed else points
    kept = simplified(around, finest)
    kept = kept[:-1] if line.closed else kept
    return Line(kept, line.closed) if len(kept) > 1 else line
