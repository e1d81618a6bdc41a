"""Paths: the lines of a drawing's shapes, with curves approximated by short segments."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import directions
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.drawings.strokes import Line
from ecs_softbody.imports.reading import package
from ecs_softbody.imports.things import MOST_POINTS
from ecs_softbody.indices import arange

SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon")
"""Elements that are shapes."""
MOST_NUMBERS = 200_000
"""Of all paths and outlines, with their commands; each time that they are shown."""
FEWEST = 6.0
"""Lines for one curve at least, ..."""
MOST_SAMPLES = 48
"""... and at most."""
SAMPLES = 32.0
"""Lines for a curve as long as the drawing."""
COARSE = arange(17) / 16.0
"""Shares of the way along a curve at which its size is taken."""
CURVES = ("QuadraticBezier", "CubicBezier", "Arc")
"""Segments that are drawn as several lines."""
PARTS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[a-zA-Z]")
"""The numbers and commands of a path, to count them."""
NUMBERS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
"""The numbers of a list of points."""
FOREIGN = re.compile(r"[^MmZzLlHhVvCcSsQqTtAa0-9eE+\-.,\s]")
"""A letter that no path has; a path ends before it."""
COMMANDS = "MmZzLlHhVvCcSsQqTtAa"
"""Letters of the commands of a path."""
BEGIN = re.compile(r"\s*[Mm]")
"""How a path must begin."""
OF_THE_OTHER = re.compile(r"([QqTt][^A-DF-Za-df-z]*+)(?=[Ss])|([CcSs][^A-DF-Za-df-z]*+)(?=[Tt])")
"""A curve before a smooth one of the other kind, which then has its control where it begins."""


def count_numbers(text: str, budget: Budget, left: int) -> int:
    """Count a path's numbers and commands before parsing, and return the remaining limit."""
    count = sum(1 for _ in islice(PARTS.finditer(text), left + 1))
    if count > left:
        raise Unreadable(
            f"{budget.owner} has more than {MOST_NUMBERS} numbers and commands in its shapes"
        )
    budget.spend("numbers", count)
    # For each `z` the parser looks back at all that is behind the last `m`.
    parts = re.split("[mM]", text)
    budget.spend(
        "closings", sum(len(part) * ends for part in parts if (ends := part.lower().count("z")) > 1)
    )
    return left - count


def path_of(
    kind: str, attributes: dict[str, str], length: Callable[[str, str], float | None]
) -> Any:
    """Return the path of a shape, as svgelements has it; None if it has none.

    Args:
        kind: one of SHAPES.
        attributes: its geometry attributes.
        length: returns a length by the name of an attribute and its direction, x, y or r; None if
            the attribute is missing.
    """
    elements = package("svgelements")
    if kind == "path":
        return _as_far_as_it_goes(elements, _drawable(attributes.get("d", "")))
    if kind in ("polyline", "polygon"):
        numbers = [float(one) for one in NUMBERS.findall(attributes.get("points", ""))]
        corners = list(zip(numbers[::2], numbers[1::2], strict=False))
        if len(corners) < 2:
            return None
        said = " ".join(f"{x!r} {y!r}" for x, y in corners)
        return elements.Path(f"M{said}{'Z' if kind == 'polygon' else ''}")
    if kind == "line":
        x1, y1, x2, y2 = (length(name, name[0]) or 0.0 for name in ("x1", "y1", "x2", "y2"))
        return elements.Path(elements.Move((x1, y1)), elements.Line((x1, y1), (x2, y2)))
    if kind == "rect":
        return _rect(elements, length)
    x = length("cx", "x") or 0.0
    y = length("cy", "y") or 0.0
    if kind == "circle":
        rx = ry = length("r", "r") or 0.0
    else:
        rx, ry = _radii(length)
    return elements.Path(elements.Ellipse(x, y, rx, ry)) if rx > 0.0 and ry > 0.0 else None


def _rect(elements: Any, length: Callable[[str, str], float | None]) -> Any:
    width = length("width", "x") or 0.0
    height = length("height", "y") or 0.0
    if not (width > 0.0 and height > 0.0):
        return None
    rx, ry = (
        min(radius, 0.5 * side)
        for radius, side in zip(_radii(length), (width, height), strict=True)
    )
    return elements.Path(
        elements.Rect(length("x", "x") or 0.0, length("y", "y") or 0.0, width, height, rx, ry)
    )


def _radii(length: Callable[[str, str], float | None]) -> tuple[float, float]:
    """Return two radii; if only one is given, both are equal."""
    found = [
        max(one, -1.0) if (one := length(name, way)) is not None else -1.0
        for name, way in (("rx", "x"), ("ry", "y"))
    ]
    rx, ry = (one if one >= 0.0 else other for one, other in (found, found[::-1]))
    return max(rx, 0.0), max(ry, 0.0)


def _as_far_as_it_goes(elements: Any, text: str) -> Any:
    """Return a path without its last commands where they are not complete."""
    for _ in range(3):
        try:
            return elements.Path(text)
        except (ValueError, TypeError, IndexError, AttributeError):
            text = text[: max((text.rfind(letter) for letter in COMMANDS), default=0)]
    return elements.Path(text)


def _drawable(text: str) -> str:
    """Return a path as far as it can be drawn, up to the first invalid letter.

    A zero-length line separates curves of two kinds: svgelements mirrors the control point of the
    preceding curve even if it is of the other kind.
    """
    if not BEGIN.match(text):
        return ""
    wrong = FOREIGN.search(text)
    return OF_THE_OTHER.sub(r"\g<0>l0 0", text[: wrong.start()] if wrong else text)


def lines_of(path: Any, size: float, budget: Budget) -> list[Line]:
    """Return the subpaths of a path as lines; `size` is the drawing's size in the path's unit."""
    found = []
    for part in path.as_subpaths():
        points, closed = _points(part, size, budget)
        if len(points) and np.isfinite(points).all():
            found.append(Line(points, closed))
    return found


def _points(part: Any, size: float, budget: Budget) -> tuple[Floats, bool]:
    points: list[Any] = []
    closed = False
    drawn = False
    for segment in part:
        kind = type(segment).__name__
        if kind == "Move":
            points = [(segment.end.x, segment.end.y)]
            continue
        drawn = True
        if not points and segment.start is not None:
            points.append((segment.start.x, segment.start.y))
        if kind in CURVES:
            budget.spend("curves")
            points += _along(segment, size).tolist()
        elif segment.end is not None:
            points.append((segment.end.x, segment.end.y))
        closed = closed or kind == "Close"
        if len(points) > 20 * MOST_POINTS:
            raise Unreadable(f"{budget.owner} has a path of more than {20 * MOST_POINTS} points")
    if not drawn:
        return np.zeros((0, 2)), False
    found = np.array(points, float).reshape(-1, 2)
    apart = np.append(True, np.hypot(*np.diff(found, axis=0).T) > 0.0)
    found = found[apart]
    if (
        closed
        and len(found) > 2
        and np.hypot(*(found[0] - found[-1])) < 1e-9 * (1.0 + np.abs(found).max())
    ):
        found = found[:-1]
    return found, closed and len(found) > 1


def _along(curve: Any, size: float) -> Floats:
    """Return points (N, 2) on a curve after its start, more on relatively larger curves."""
    places = _places(curve)
    length = float(np.hypot(*np.ptp(places(COARSE), axis=0))) / size
    wanted = SAMPLES * math.sqrt(length) if math.isfinite(length) else 0.0
    count = int(min(max(FEWEST, wanted), MOST_SAMPLES))
    found: Floats = places(arange(1, count + 1) / count)
    return found


def _controls(curve: Any) -> list[Any]:
    """Return the points that make a curve of Bézier."""
    if type(curve).__name__ == "QuadraticBezier":
        return [curve.start, curve.control, curve.end]
    return [curve.start, curve.control1, curve.control2, curve.end]


def _bezier(controls: Floats) -> Callable[[Floats], Floats]:
    """Return a function for points (N, 2) on a Bézier curve with control points (3 or 4, 2)."""
    degree = len(controls) - 1
    powers = arange(degree + 1)
    times = np.array([math.comb(degree, power) for power in powers.tolist()])

    def places(shares: Floats) -> Floats:
        weights = times * shares[:, None] ** powers * (1.0 - shares)[:, None] ** powers[::-1]
        found: Floats = weights @ controls
        return found

    return places


def _places(arc: Any) -> Callable[[Floats], Floats]:
    """Return a function for points (N, 2) on a curve by its parameter, 0 to 1.

    Points of arcs are identical on all machines.
    """
    if type(arc).__name__ != "Arc":
        return _bezier(np.array([(one.x, one.y) for one in _controls(arc)]))
    middle = np.array((arc.center.x, arc.center.y))
    end = (arc.end.x, arc.end.y)
    sides = np.array(((arc.prx.x, arc.prx.y), (arc.pry.x, arc.pry.y))) - middle
    start = float(arc.get_start_t())
    sweep = float(arc.sweep)

    def places(shares: Floats) -> Floats:
        found: Floats = middle + directions(start + sweep * shares) @ sides
        found[shares == 1.0] = end
        return found

    return places
