"""SVG: the shapes of a drawing become ground, bodies and lines."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import directions
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.found import Found, Imported
from ecs_softbody.imports.reading import LARGEST_NUMBER, opened, package
from ecs_softbody.imports.shapes import polygons_of
from ecs_softbody.imports.svg_tree import checked, has_page, notes_of, prepared
from ecs_softbody.imports.things import MOST_ENTITIES, MOST_POINTS, Thing, check_crossings, found_of, is_known
from ecs_softbody.validation import check_number

MOST_IN_SHAPE = 4000
"""Points of a shape, when those that make no difference are left out."""
FINEST = 1.0 / 4000.0
"""Points that matter less than this, over the size of the drawing, are left out."""
MOST_SAMPLES = 48
"""Lines for one curve at most."""
SAMPLES = 32.0
"""Lines for a curve as long as the drawing."""
COARSE = np.arange(17) / 16.0
"""Shares of the way along a curve at which its size is taken."""
CURVES = ("QuadraticBezier", "CubicBezier", "Arc")


def svg(source: Any, *, height: float = 9.0, kind: str = "ground") -> Imported:
    """Return what an SVG drawing shows: closed shapes with their holes, and open lines.

    A shape's `class` says what it becomes: `ground`, `sensor`, `body` (soft, of any outline), `blob`, `ball`, `box`,
    `cloth`, and for an open line `rope`. Its attributes `data-NAME` are options of that, such as `data-friction="1"`,
    and its fill is its colour. Curves become lines of about a thousandth of the drawing's size.

    Args:
        source: the file.
        height: of the drawing [m]; its lower left corner is at (0, 0).
        kind: what shapes without such a class become.

    Raises:
        ValueError: where there is no such file, or it is no drawing; the message says what is wrong.
        RuntimeError: without the extra `import`.
    """
    height = check_number("svg", "height", height, above=0.0)
    if not is_known(kind):
        raise ValueError(f"svg.kind: {kind!r} is not allowed; expected ground, sensor, body, blob, ball, box or cloth")
    elements = package("svgelements")
    package("shapely")
    with opened("svg", source) as path:
        return _imported(elements, path, Budget(f"svg: {path.name}"), height, kind)


def _imported(elements: Any, path: Path, budget: Budget, height: float, kind: str) -> Imported:
    root = checked(path, budget)
    notes, page = notes_of(root), has_page(root)
    drawing = elements.SVG.parse(prepared(root, budget), ppi=96.0, reify=True)
    shapes = [one for one in drawing.elements() if isinstance(one, elements.Shape) and _is_seen(one)]
    paths = [(one, abs(elements.Path(one))) for one in shapes]
    size = _size(drawing if page else None, [found for _, found in paths], budget)
    lines = [_Drawn(elements, one, found, size, budget) for one, found in paths]
    box = _box(drawing if page else None, lines)
    if box is None:
        return Imported([], notes=[*notes, f"{path.name} shows no shapes"])
    scale = height / (box[3] - box[1])
    if not (math.isfinite(scale) and max(map(abs, box)) < LARGEST_NUMBER):
        raise Unreadable(
            f"svg: {path.name} reaches from {box[:2]} to {box[2:]}; expected numbers below {LARGEST_NUMBER}"
        )
    entities: list[Found] = []
    for number, line in enumerate(lines):
        called = line.name or f"shape {number + 1}"
        entities += _found(path, called, line, _Frame(box, scale, kind, notes, budget))
        if len(entities) > MOST_ENTITIES:
            raise Unreadable(f"svg: {path.name} has more than {MOST_ENTITIES} shapes")
    return Imported(entities, [], notes, (0.0, 0.0, (box[2] - box[0]) * scale, height))


def _is_seen(shape: Any) -> bool:
    values = shape.values
    return values.get("display") != "none" and values.get("visibility") not in ("hidden", "collapse")


class _Drawn:
    """A shape as rings of points [px], y down."""

    def __init__(self, elements: Any, shape: Any, path: Any, size: float, budget: Budget) -> None:
        values = shape.values
        self.name = str(shape.id or "")
        self.words = str(values.get("class") or "").split()
        self.options = {key[5:].replace("-", "_"): value for key, value in values.items() if key.startswith("data-")}
        self.even_odd = values.get("fill-rule") == "evenodd"
        filled = shape.fill is not None and shape.fill.value is not None
        stroked = shape.stroke is not None and shape.stroke.value is not None
        self.stroke = (shape.stroke.red, shape.stroke.green, shape.stroke.blue) if stroked else None
        self.fill = (shape.fill.red, shape.fill.green, shape.fill.blue) if filled else None
        self.lines: list[Floats] = []
        self.closed: list[bool] = []
        for part in path.as_subpaths():
            points, closed = _points(elements.Path(part), size, budget)
            if len(points) > 1 and np.isfinite(points).all():
                self.lines.append(points)
                self.closed.append(closed or (filled and not stroked))


def _points(part: Any, size: float, budget: Budget) -> tuple[Floats, bool]:
    """Return the points of a part of a path, curves as lines that are short beside the size of the drawing."""
    points: list[Any] = []
    closed = False
    for segment in part:
        kind = type(segment).__name__
        if kind == "Move":
            continue
        if not points and segment.start is not None:
            points.append((segment.start.x, segment.start.y))
        if kind in CURVES:
            budget.spend("curves")
            points += _along(segment, size).tolist()
        elif segment.end is not None:
            points.append((segment.end.x, segment.end.y))
        closed = closed or kind == "Close"
        if len(points) > 20 * MOST_POINTS:
            raise Unreadable("a path has too many points")
    found = np.array(points, float).reshape(-1, 2)
    if len(found) > 2 and np.hypot(*(found[0] - found[-1])) < 1e-9 * (1.0 + np.abs(found).max()):
        closed, found = True, found[:-1]
    apart = np.append(True, np.hypot(*np.diff(found, axis=0).T) > 0.0) if len(found) else np.zeros(0, np.bool_)
    return found[apart], closed


def _along(curve: Any, size: float) -> Floats:
    """Return points (N, 2) on a curve behind its start: more on one that is larger beside the size of the drawing."""
    places = _places(curve)
    length = float(np.hypot(*np.ptp(places(COARSE), axis=0))) / size
    wanted = SAMPLES * math.sqrt(length) if math.isfinite(length) else 0.0
    count = int(min(max(4.0, wanted), MOST_SAMPLES))
    found: Floats = places(np.arange(1, count + 1) / count)
    return found


def _places(arc: Any) -> Callable[[Floats], Floats]:
    """Return what gives points (N, 2) of a curve at shares of its way; of an arc, the same ones on every machine."""
    if type(arc).__name__ != "Arc":
        npoint: Callable[[Floats], Floats] = arc.npoint
        return npoint
    middle, end = np.array((arc.center.x, arc.center.y)), (arc.end.x, arc.end.y)
    sides = np.array(((arc.prx.x, arc.prx.y), (arc.pry.x, arc.pry.y))) - middle
    start, sweep = float(arc.get_start_t()), float(arc.sweep)

    def places(shares: Floats) -> Floats:
        found: Floats = middle + directions(start + sweep * shares) @ sides
        found[shares == 1.0] = end
        return found

    return places


def _page(drawing: Any) -> tuple[float, float] | None:
    """Return width and height of a drawing's page [px]."""
    try:
        width, height = float(drawing.width), float(drawing.height)
    except (AttributeError, TypeError, ValueError):
        return None
    return (width, height) if width > 0.0 and height > 0.0 and math.isfinite(width * height) else None


def _size(drawing: Any, paths: list[Any], budget: Budget) -> float:
    """Return the larger side of a drawing [px]: of its page, or of all it shows."""
    if (page := _page(drawing)) is not None:
        return max(page)
    ends = [(end.x, end.y) for path in paths for segment in path for end in (segment.start, segment.end) if end]
    curves = [segment for path in paths for segment in path if type(segment).__name__ in CURVES]
    budget.spend("curves", len(curves))
    every = [np.array(ends, float).reshape(-1, 2), *(_places(curve)(COARSE) for curve in curves)]
    points = np.concatenate(every)
    points = points[np.isfinite(points).all(axis=1)]
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    return size if size > 0.0 else 1.0


def _box(drawing: Any, lines: list[_Drawn]) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of the drawing [px]: its page, or all it shows."""
    every = [points for line in lines for points in line.lines]
    if not every:
        return None
    if (page := _page(drawing)) is not None:
        return 0.0, 0.0, *page
    points = np.concatenate(every)
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return float(left), float(top), float(right), float(max(bottom, top + 1e-6))


class _Frame(NamedTuple):
    """Where a drawing is [px], metres in a pixel, and what a shape without a class is."""

    box: tuple[float, float, float, float]
    scale: float
    kind: str
    notes: list[str]
    budget: Budget


def _found(path: Path, called: str, line: _Drawn, frame: _Frame) -> list[Found]:
    owner, (box, scale, kind, notes, budget) = f"svg: {path.name}, {called}", frame
    low = np.array((box[0], box[3]))
    word = next((one for one in line.words if is_known(one)), "")
    options: dict[str, Any] = {name: _value(value) for name, value in line.options.items()}
    rings = [(points - low) * (scale, -scale) for points in line.lines]
    found = []
    for points, closed in zip(rings, line.closed, strict=True):
        if not closed:
            chosen = word if word in ("rope", "sensor") else ""
            drawn = ({} if chosen else {"style": "line"}) | ({"fill": line.stroke} if line.stroke else {})
            found += found_of(Thing(owner, path, line.name, chosen, points, properties=drawn | options), budget)
    finest = FINEST * scale * float(max(box[2] - box[0], box[3] - box[1]))
    closed_rings = [points for points, closed in zip(rings, line.closed, strict=True) if closed]
    area = filled_area(owner, closed_rings, line.even_odd, finest, budget)
    for polygon in area:
        corners = np.asarray(polygon.exterior.coords)[:-1]
        thing = Thing(owner, path, line.name, word or kind, corners, polygon, angle=_turn_of(closed_rings))
        thing.properties = dict(options)
        if line.fill is not None and "fill" not in thing.properties:
            thing.properties["fill"] = line.fill
        found += found_of(thing, budget)
    if not found:
        notes.append(f"{called} has no area")
    return found


def _turn_of(rings: list[Floats]) -> float:
    """Return how a rectangle is turned [rad]; 0 where the rings are none."""
    if len(rings) != 1 or len(rings[0]) != 4:
        return 0.0
    sides = np.roll(rings[0], -1, axis=0) - rings[0]
    skew = np.abs((sides * np.roll(sides, -1, axis=0)).sum(axis=1)).max()
    return math.atan2(sides[0, 1], sides[0, 0]) if skew < 1e-6 * (sides**2).sum() else 0.0


def filled_area(owner: str, rings: list[Floats], even_odd: bool, finest: float, budget: Budget) -> list[Any]:
    """Return the polygons that rings fill, by the rule `evenodd`, or by `nonzero`: where they wind around it."""
    shapely = package("shapely")
    closed = [np.concatenate((ring, ring[:1])) for ring in rings if len(ring) >= 3]
    closed = [np.asarray(shapely.LineString(ring).simplify(finest).coords) for ring in closed]
    closed = [ring for ring in closed if len(ring) >= 4 and np.ptp(ring, axis=0).max() < LARGEST_NUMBER]
    if not closed:
        return []
    count = sum(len(ring) for ring in closed)
    if count > MOST_IN_SHAPE:
        raise Unreadable(f"{owner} has more than {MOST_IN_SHAPE} points")
    starts = np.concatenate([ring[:-1] for ring in closed])
    ends = np.concatenate([ring[1:] for ring in closed])
    lines = shapely.MultiLineString(closed)
    if not lines.is_simple:
        check_crossings(owner, starts, ends, budget)
        lines = shapely.node(lines)
    chosen, faces = [], shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    budget.spend("faces", len(faces))
    budget.spend("pairs of lines", len(faces) * count)
    for face in faces:
        turns = winding(starts, ends, np.asarray(face.representative_point().coords[0]))
        if (turns % 2 if even_odd else turns) != 0:
            chosen.append(face)
    return polygons_of(shapely.union_all(chosen)) if chosen else []


def winding(starts: Floats, ends: Floats, point: Floats) -> int:
    """Return how often rings of segments run around a point, counter-clockwise."""
    a, b = starts, ends
    side = (b[:, 0] - a[:, 0]) * (point[1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (point[0] - a[:, 0])
    up = (a[:, 1] <= point[1]) & (b[:, 1] > point[1]) & (side > 0.0)
    down = (a[:, 1] > point[1]) & (b[:, 1] <= point[1]) & (side < 0.0)
    return int(up.sum() - down.sum())


def _value(text: Any) -> Any:
    """Return what an attribute says: a number, true or false, or a word."""
    known = {"true": True, "false": False}
    if str(text).lower() in known:
        return known[str(text).lower()]
    try:
        number = float(text)
    except (TypeError, ValueError):
        return text
    return int(number) if number.is_integer() and abs(number) < 1e9 and "." not in str(text) else number
