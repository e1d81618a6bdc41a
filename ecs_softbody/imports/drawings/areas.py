"""Areas: fills rings by the fill rules of SVG and cuts areas to clip paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.reading import LARGEST_NUMBER, package
from ecs_softbody.imports.things import MOST_CROSSINGS, SIMPLER, check_crossings

MOST_IN_SHAPE = 20_000
"""Maximum number of points of a shape after simplification."""
AT_ONCE = 500
"""Points of a line that are simplified in one go."""
FEW_OF_ALL = 0.1
"""Share of the rings of a shape that are few."""
FEW = 100_000
"""Pairs of lines that cannot cross too often to be cut."""


def filled_area(
    owner: str, rings: list[Floats], even_odd: bool, finest: float, budget: Budget
) -> Any:
    """Return the area filled by rings as a shapely geometry, by the rule `evenodd` or `nonzero`."""
    shapely = package("shapely")
    closed = [np.concatenate((ring, ring[:1])) for ring in rings if len(ring) >= 3]
    closed = [ring for ring in closed if np.ptp(ring, axis=0).max() < LARGEST_NUMBER]
    closed = [simplified(ring, finest) for ring in closed]
    closed = [ring for ring in closed if len(ring) >= 4]
    if not closed:
        return shapely.Polygon()
    count = sum(len(ring) for ring in closed)
    if count > MOST_IN_SHAPE:
        raise Unreadable(f"{owner} has more than {MOST_IN_SHAPE} points{SIMPLER}")
    if len(closed) == 1 and (whole := shapely.Polygon(closed[0])).is_valid:
        return whole
    # Rings are compared in pairs, to find rings within others.
    budget.spend("pairs of lines", 2 * len(closed) ** 2)
    lines = shapely.MultiLineString(closed)
    if not lines.is_simple:
        check_crossings(owner, *_sides(closed), budget)
        lines = _crossed(lines, 1e-3 * finest)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    budget.spend("faces", len(faces))
    tree = shapely.STRtree([shapely.LineString(ring) for ring in closed])
    all_sides = _sides(closed)
    chosen = []
    for face in faces:
        point = face.representative_point()
        near = tree.query(point)  # others do not run around it
        # Selecting many rings takes longer than asking all of them.
        few = len(near) < FEW_OF_ALL * len(closed)
        sides = (
            all_sides
            if not few
            else _sides([closed[number] for number in near])
            if len(near)
            else None
        )
        turns = 0 if sides is None else winding(*sides, np.asarray(point.coords[0]))
        budget.spend("sides", 0.0 if sides is None else len(sides[0]))
        if (turns % 2 if even_odd else turns) != 0:
            chosen.append(face)
    try:
        found = shapely.coverage_union_all(chosen)  # they share whole sides
    except shapely.errors.GEOSException:
        # Shared sides differ by rounding where lines nearly coincide.
        return shapely.union_all(chosen)
    return found if found.is_valid else shapely.union_all(chosen)


def _crossed(lines: Any, grid: float) -> Any:
    """Return lines that are cut where they cross; on a grid where they all but lie on
    one another.
    """
    shapely = package("shapely")
    try:
        return shapely.node(lines)
    except shapely.errors.GEOSException:
        return shapely.union_all(shapely.get_parts(lines), grid_size=grid)


def simplified(points: Floats, finest: float) -> Floats:
    """Return a line (N, 2) without points that matter less than a length; part by part, since time
    grows with N².
    """
    shapely = package("shapely")
    parts = [
        shapely.LineString(points[low : low + AT_ONCE + 1])
        for low in range(0, len(points) - 1, AT_ONCE)
    ]
    found: Floats = np.concatenate(
        [points[:1], *(shapely.get_coordinates(one.simplify(finest))[1:] for one in parts)]
    )
    return found


def _sides(rings: list[Floats]) -> tuple[Floats, Floats]:
    """Return where the sides of closed rings begin and end."""
    return np.concatenate([ring[:-1] for ring in rings]), np.concatenate(
        [ring[1:] for ring in rings]
    )


def winding(starts: Floats, ends: Floats, point: Floats) -> int:
    """Return how often rings of segments run around a point, counter-clockwise."""
    a = starts
    b = ends
    side = (b[:, 0] - a[:, 0]) * (point[1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (point[0] - a[:, 0])
    up = (a[:, 1] <= point[1]) & (b[:, 1] > point[1]) & (side > 0.0)
    down = (a[:, 1] > point[1]) & (b[:, 1] <= point[1]) & (side < 0.0)
    return int(up.sum() - down.sum())


def cut_to(owner: str, area: Any, clip: Any, budget: Budget) -> Any:
    """Return the intersection of two areas."""
    shapely = package("shapely")
    if area.is_empty or clip.is_empty:
        return shapely.Polygon()
    budget.spend("faces")
    pairs = shapely.get_num_coordinates(area) * shapely.get_num_coordinates(clip)
    budget.spend("pairs of lines", pairs)
    if pairs > FEW:
        _check_cuts(owner, area, clip)
    return shapely.intersection(area, clip)


def _check_cuts(owner: str, area: Any, clip: Any) -> None:
    """Refuse outlines that cross one another too often."""
    one, two = (_segments(shape) for shape in (area, clip))
    few, many = (one, two) if len(one) < len(two) else (two, one)
    total = 0
    for start, end in few:
        low = np.minimum(start, end)
        high = np.maximum(start, end)
        near = (many.min(axis=1) <= high).all(axis=1) & (many.max(axis=1) >= low).all(axis=1)
        total += int(near.sum())
    if total > 20 * MOST_CROSSINGS:
        raise Unreadable(
            f"{owner} is cut by a clip path more than {MOST_CROSSINGS} times; expected "
            "simpler outlines"
        )


def _segments(shape: Any) -> Floats:
    shapely = package("shapely")
    rings = [
        shapely.get_coordinates(ring)
        for part in shapely.get_parts(shape)
        for ring in shapely.get_rings(part)
    ]
    found: Floats = np.concatenate([np.stack((ring[:-1], ring[1:]), axis=1) for ring in rings])
    return found
