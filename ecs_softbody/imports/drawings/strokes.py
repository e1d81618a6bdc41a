"""Strokes: the area that a pen of some width covers along lines, with its joins and its caps."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.elementary.rows import directions, lengths
from ecs_softbody.imports.budget import Budget
from ecs_softbody.imports.reading import package
from ecs_softbody.indices import flatnonzero

SMOOTH = math.cos(math.radians(12.0))
"""Corners that turn by less than this belong to a curve and get no join."""
FEW = 40
"""Lines that are offset as one."""
WINDING = 2.0
"""Length of a piece, over how far it gets, from where on it may run over itself: FEWER lines are
offset as one then.
"""
FEWER = 8
"""Lines that are offset as one where a piece may run over itself."""
OVERLAP = 1e-4
"""Overlap of a join with the adjacent pieces, over half the width; pieces that merely touch may be
separated by rounding.
"""
ROUND = 24
"""Corners of a round join, or of a dot."""


class Pen(NamedTuple):
    """How a line is drawn."""

    width: float
    cap: str
    """butt, round or square."""
    join: str
    """miter, round or bevel; other values count as miter."""
    limit: float
    """Length of a miter over the width of the line, at most; a longer one is cut off."""


class Line(NamedTuple):
    """A part of a path."""

    points: Floats
    """Shape (N, 2), no point twice in a row; a single one where a line has no length."""
    closed: bool


def stroke_area(lines: list[Line], pen: Pen, budget: Budget) -> Any:
    """Return the area of a stroke as a shapely geometry.

    Lines are offset piece by piece, and the pieces joined by a union: an offset takes time that
    grows with the square of how often it runs over itself.
    """
    shapely = package("shapely")
    found = []
    for line in lines:
        pieces = _pieces(line, pen)
        budget.spend("pieces of strokes", len(pieces))
        found += list(shapely.make_valid(np.array(pieces, object)))
    if len(found) == 1:
        return found[0]
    return shapely.union_all(found) if found else shapely.Polygon()


def _pieces(line: Line, pen: Pen) -> list[Any]:
    """Return the stroke of a line as polygons: short pieces between its corners, joins and caps."""
    half = 0.5 * pen.width
    points = line.points
    if len(points) == 1:
        return [] if pen.cap == "butt" else [_dot(points[0], half, pen.cap)]
    if line.closed:
        points = np.concatenate((points, points[:1]))
    along = np.diff(points, axis=0)
    along /= lengths(along)[:, None]
    count = len(along)
    after = np.roll(along, -1, axis=0)
    cut = _is_cut(along, after, pen)
    if line.closed and 2 < count <= FEW and not cut.any():
        return [_offset(package("shapely").LinearRing(line.points), pen)]
    # Shapely takes an open line that ends where it begins as a ring, so that it is cut in two.
    back = {count // 2} if not line.closed and count > 1 and (points[0] == points[-1]).all() else {}
    ends = sorted({0, count, *back, *range(FEW, count, FEW), *(flatnonzero(cut[:-1]) + 1).tolist()})
    ends = [place for one, two in pairwise(ends) for place in _parts(points, one, two)] + [count]
    joined = np.array(ends[1:] if line.closed else ends[1:-1], np.int64)
    pieces = (
        _joins(points[joined], along[joined - 1], after[joined - 1], half, pen)
        if len(joined)
        else []
    )
    if not line.closed and pen.cap == "round":
        pieces += [_dot(points[0], half, "round"), _dot(points[-1], half, "round")]
    if not line.closed and pen.cap == "square":
        points = points.copy()
        points[0] -= half * along[0]
        points[-1] += half * along[-1]
    lines = [package("shapely").LineString(points[one : two + 1]) for one, two in pairwise(ends)]
    return pieces + list(_offset(lines, pen))


def _parts(points: Floats, start: int, end: int) -> range:
    """Return where parts of a piece of a line begin: the more it runs over itself, the longer its
    offset takes.
    """
    piece = points[start : end + 1]
    over_itself = lengths(np.diff(piece, axis=0)).sum() > WINDING * float(
        np.hypot(*(piece[-1] - piece[0]))
    )
    return range(start, end, FEWER if over_itself else FEW)


def _is_cut(before: Floats, after: Floats, pen: Pen) -> Any:
    """Return at which corners a miter would be too long: there the library does otherwise than a
    renderer.
    """
    straight = (before * after).sum(axis=1)
    if pen.join in ("round", "bevel"):
        return np.zeros(len(straight), bool)
    return np.sqrt(np.maximum(0.5 * (1.0 + straight), 0.0)) * max(pen.limit, 1.0) <= 1.0


def _offset(lines: Any, pen: Pen) -> Any:
    """Return the stroke of shapely lines, without caps."""
    join = pen.join if pen.join in ("round", "bevel") else "mitre"
    return package("shapely").buffer(
        lines,
        0.5 * pen.width,
        quad_segs=8,
        cap_style="flat",
        join_style=join,
        mitre_limit=max(pen.limit, 1.0),
    )


def _joins(corners: Floats, before: Floats, after: Floats, half: float, pen: Pen) -> list[Any]:
    """Return the joins between a line's pieces; `before` and `after` are the directions there."""
    shapely = package("shapely")
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    straight = (before * after).sum(axis=1)
    # The outer side is to the left of a turn to the right.
    out = np.where(turn < 0.0, 1.0, -1.0)[:, None]
    one = corners + half * out * np.column_stack((-before[:, 1], before[:, 0]))
    two = corners + half * out * np.column_stack((-after[:, 1], after[:, 0]))
    # A miter is 1 / sin(half the angle between the lines) widths long, the angle being pi less the
    # turn.
    sine = np.sqrt(np.maximum(0.5 * (1.0 + straight), 0.0))
    smooth = straight > SMOOTH
    pointed = smooth if pen.join in ("round", "bevel") else smooth | (sine * pen.limit >= 1.0)
    middle = one + two - 2.0 * corners
    size = lengths(middle)
    tips = (
        corners
        + middle
        / np.where(size > 0.0, size, 1.0)[:, None]
        * (half / np.where(sine > 1e-9, sine, 1.0))[:, None]
    )
    rounded = ~pointed & (pen.join == "round")
    cut = ~pointed & ~rounded & (straight > -1.0 + 1e-9)
    back = -OVERLAP * half * before
    on = OVERLAP * half * after
    around = [corners + on, corners + back, one + back]
    pieces = list(shapely.polygons(np.stack((*around, tips, two + on), axis=1)[pointed]))
    pieces += list(shapely.polygons(np.stack((*around, one, two, two + on), axis=1)[cut]))
    return pieces + [_dot(corner, half, "round") for corner in corners[rounded]]


def _dot(point: Floats, half: float, cap: str) -> Any:
    shapely = package("shapely")
    if cap == "square":
        return shapely.box(*(point - half), *(point + half))
    # The ring is outside of the circle as much as inside it, so that the areas are equal.
    angle = 2.0 * math.pi / ROUND
    radius = half * math.sqrt(angle / math.sin(angle))
    ring: Floats = directions(angle * np.arange(ROUND, dtype=np.float64))
    return shapely.Polygon(point + radius * ring)
