"""SVG: the visible shapes of a drawing become ground, bodies and lines."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.drawings.cascade import Cascade
from ecs_softbody.imports.drawings.check import note_unknown
from ecs_softbody.imports.drawings.context import FINEST, Context, Seen
from ecs_softbody.imports.drawings.markup import root_of
from ecs_softbody.imports.drawings.measures import Sizes, length_of, numbers_of
from ecs_softbody.imports.drawings.painted import LINES
from ecs_softbody.imports.drawings.walk import Walk
from ecs_softbody.imports.drawings.words import Notes
from ecs_softbody.imports.found import Found, Imported
from ecs_softbody.imports.options import options_of, value_of
from ecs_softbody.imports.reading import LARGEST_NUMBER, opened, package, shortened
from ecs_softbody.imports.shapes import polygons_of
from ecs_softbody.imports.things import MOST_ENTITIES, Thing, found_of, is_known
from ecs_softbody.validation import check_number

UNMEASURED = 1000.0
"""Provisional page size of a drawing without one [px], until its bounds are known."""


TURNED = ("box", "cloth")
"""Kinds aligned with the sides of their shape."""
SMALLEST_PAGE = 1e-6
"""Smallest side of a page [px]."""


class _Frame(NamedTuple):
    """Bounds of a drawing [px], metres per pixel, and the class of shapes without one."""

    box: tuple[float, float, float, float]
    scale: float
    kind: str


def svg(source: Any, *, height: float = 9.0, kind: str = "ground") -> Imported:
    """Import an SVG drawing: areas with their holes, as a renderer paints them.

    Unpainted elements have no shape; strokes are as wide as drawn; parts outside a clip path or the
    page are cut off. A shape's `class` sets its kind: `ground`, `sensor`, `body` (soft, of any
    outline), `blob`, `ball`, `box`, `cloth`, and for an open line, which has no width, `rope`,
    `line` or `sensor`. Its attributes `data-NAME` are options of that kind, such as
    `data-friction="1"`, and its fill is its colour.

    Args:
        source: the file.
        height: of the drawing [m]; its lower left corner is at (0, 0).
        kind: of shapes without such a class.

    Raises:
        ValueError: if there is no such file, or it is no drawing; the message names the error.
        RuntimeError: without the extra `import`.
    """
    height = check_number("svg", "height", height, above=0.0)
    if not is_known(kind):
        raise FieldError("svg", "kind", kind, "ground, sensor, body, blob, ball, box or cloth")
    package("svgelements")
    package("shapely")
    with opened("svg", source) as path:
        return _imported(path, Budget(f"svg: {path.name}"), height, kind)


def _imported(path: Path, budget: Budget, height: float, kind: str) -> Imported:
    root = root_of(path, budget)
    notes = Notes()
    note_unknown(root, notes)
    box, seen = _seen(root, budget, notes)
    if not seen:
        notes.add(f"{path.name} shows no shapes")
        return Imported([], notes=notes.lines())
    scale = height / (box[3] - box[1])
    if not (math.isfinite(scale) and max(map(abs, box)) < LARGEST_NUMBER):
        raise Unreadable(
            f"svg: {path.name} reaches from {box[:2]} to {box[2:]}; expected numbers below "
            f"{LARGEST_NUMBER}"
        )
    entities: list[Found] = []
    for number, one in enumerate(seen, 1):
        entities += _found(
            path, one.name or f"shape {number}", one, _Frame(box, scale, kind), notes, budget
        )
        if len(entities) > MOST_ENTITIES:
            raise Unreadable(f"svg: {path.name} has more than {MOST_ENTITIES} shapes")
    return Imported(entities, [], notes.lines(), (0.0, 0.0, (box[2] - box[0]) * scale, height))


def _seen(
    root: ElementTree.Element, budget: Budget, notes: Notes
) -> tuple[tuple[float, float, float, float], list[Seen]]:
    """Return left, top, right and bottom of a drawing [px], and its visible shapes.

    The bounds are its page or, without one, the bounds of all shapes.
    """
    page = _page(root)
    if page is not None and not (min(page) > SMALLEST_PAGE and max(page) < LARGEST_NUMBER):
        said = f"its page is {page[0]:g} x {page[1]:g} px"
        raise Unreadable(
            f"{budget.owner}: {said}; expected sides from {SMALLEST_PAGE:g} to {LARGEST_NUMBER:g}"
        )
    cascade = Cascade(root, budget)
    if page is not None:
        return (0.0, 0.0, *page), Walk(Context(root, cascade, notes, max(page))).seen(*page)
    # Details that are left out depend on the size, which a drawing without a page has only after a
    # first walk. Notes of that walk are dropped: the second one has them again.
    first = Walk(Context(root, cascade, Notes(), UNMEASURED), whole=True).seen(
        UNMEASURED, UNMEASURED
    )
    rings = [
        points
        for one in first
        for points in (*one.outline, package("shapely").get_coordinates(one.area))
    ]
    rings = [points for points in rings if len(points)]
    if not rings:
        return (0.0, 0.0, 1.0, 1.0), []
    points = np.concatenate(rings)
    (left, top) = points.min(axis=0).tolist()
    (right, bottom) = points.max(axis=0).tolist()
    size = max(right - left, bottom - top) or 1.0
    seen = Walk(Context(root, cascade, notes, size), whole=True).seen(UNMEASURED, UNMEASURED)
    return (left, top, right, max(bottom, top + 1e-6)), seen


def _page(root: ElementTree.Element) -> tuple[float, float] | None:
    """Return width and height of a drawing's page [px], or None if not given."""
    box = numbers_of(root.get("viewBox", ""))
    view = (box[2], box[3]) if len(box) == 4 and box[2] > 0.0 and box[3] > 0.0 else None
    sizes = Sizes(*(view or (0.0, 0.0)))
    width, height = (
        found if found is not None and 0.0 < found < LARGEST_NUMBER else None
        for found in (
            length_of(root.get(name), sizes, way) for name, way in (("width", "x"), ("height", "y"))
        )
    )
    if width is not None and height is not None:
        return width, height
    if view is None:
        return None
    if width is not None:
        return width, width * view[1] / view[0]
    return (height * view[0] / view[1], height) if height is not None else view


def _found(
    path: Path, called: str, seen: Seen, frame: _Frame, notes: Notes, budget: Budget
) -> list[Found]:
    owner = f"svg: {path.name}, {called}"
    (box, scale, kind) = frame
    low = np.array((box[0], box[3]))
    word = (seen.words[0] if seen.words else kind).lower()
    options = _options(seen, word, notes)
    look = _look(seen)
    found = []
    for points in seen.lines:
        drawn = {} if word in LINES[:2] else {"style": "line"}
        stroke = {"fill": seen.stroke.rgb} if seen.stroke else {}
        corners = (points - low) * (scale, -scale)
        kept = word if word in LINES[:2] else ""
        thing = Thing(owner, path, seen.name, kept, corners, properties=drawn | stroke)
        found += _made(thing, options, seen, notes, budget)
    finest = FINEST * scale * max(box[2] - box[0], box[3] - box[1])
    rings = [(points - low) * (scale, -scale) for points in seen.outline]
    areas = polygons_of(seen.area) if seen.area is not None else []
    shapely = package("shapely")
    for area in areas:
        sizes = shapely.get_num_coordinates(shapely.get_rings(area)).astype(float)
        # Points count ahead of `simplify`, whose time grows with their pairs.
        budget.spend("pairs of points", (sizes**2).sum())
        placed = shapely.transform(area, lambda points: (points - low) * (scale, -scale))
        for polygon in polygons_of(placed.simplify(0.5 * finest)):
            if polygon.area < finest**2 or word == "rope":
                continue
            corners = np.asarray(polygon.exterior.coords)[:-1]
            angle = _turn_of(rings) if word in TURNED else 0.0
            thing = Thing(owner, path, seen.name, word, corners, polygon, angle=angle)
            thing.properties = look
            found += _made(thing, options, seen, notes, budget)
    if not found:
        closed = word == "rope"
        notes.add(
            f"{called} is closed, so it is no rope: that is an open line"
            if closed
            else "what has no area is left out"
        )
    return found


def _made(
    thing: Thing, options: dict[str, Any], seen: Seen, notes: Notes, budget: Budget
) -> list[Found]:
    """Return the entities made from a thing with options.

    For a shape without a class, invalid options are noted and left out, since they may be another
    program's attributes, such as `data-style="dark"`.
    """

    def made(chosen: dict[str, Any]) -> list[Found]:
        return found_of(replace(thing, properties=thing.properties | chosen), budget)

    wanted = {name: value for name, value in options.items() if (name, value) not in notes.strange}
    try:
        return made(wanted)
    except Unreadable:
        if seen.words or not wanted:
            raise
    kept: dict[str, Any] = {}
    # `picture` comes first: other options may be valid only with it.
    for name in sorted(wanted, key=lambda one: one != "picture"):
        try:
            made(kept | {name: wanted[name]})
            kept[name] = wanted[name]
        except Unreadable:
            notes.strange.add((name, wanted[name]))
            value = shortened(str(wanted[name]))
            notes.add(f"data-{name.replace('_', '-')} is left out: {value} is none of its values")
    return made(kept)


def _options(seen: Seen, word: str, notes: Notes) -> dict[str, Any]:
    """Return the properties that are options of the shape's kind; the others are noted."""
    known = options_of(word)
    found = {}
    for name, value in seen.options.items():
        if name in known:
            found[name] = value_of(value)
        elif any(
            name in options_of(one)
            for one in ("ground", "body", "blob", "box", "cloth", "rope", "ball")
        ):
            notes.add(f"data-{name.replace('_', '-')} is no option of {word} and left out")
        else:
            dashed = [one.replace("_", "-") for one in known]
            notes.unknown("attribute", name.replace("_", "-"), dashed, "data-")
    return found


def _look(seen: Seen) -> dict[str, Any]:
    """Return how a shape looks: its fill with its stroke around it, or its stroke alone."""
    paint = seen.fill or seen.stroke
    if paint is None:
        return {}
    opacity = paint.opacity * seen.opacity
    look: dict[str, Any] = {"fill": paint.rgb} | ({"opacity": opacity} if opacity < 1.0 else {})
    return look | ({"outline": seen.stroke.rgb} if seen.fill and seen.stroke else {})


def _turn_of(rings: list[Floats]) -> float:
    """Return how a rectangle is turned [rad]; 0 where the rings are none."""
    if len(rings) != 1 or len(rings[0]) != 4:
        return 0.0
    sides = np.roll(rings[0], -1, axis=0) - rings[0]
    skew = np.abs((sides * np.roll(sides, -1, axis=0)).sum(axis=1)).max()
    return math.atan2(sides[0, 1], sides[0, 0]) if skew < 1e-6 * (sides**2).sum() else 0.0
