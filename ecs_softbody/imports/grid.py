"""Grids: the outlines of cells that are full, and where numbers are in one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.imports.budget import Budget
from ecs_softbody.imports.reading import package
from ecs_softbody.indices import arange, argsort, flatnonzero, repeat, searchsorted, unique


def outlines_of(cells: Integers, low: Floats, cell: Floats, budget: Budget) -> list[Any]:
    """Return one shape of shapely that covers cells; none where there is none.

    Each run of cells in a row becomes a rectangle with a corner more wherever a run above or below
    begins or ends: such rectangles are a coverage, which shapely joins many times as fast as other
    polygons.

    Args:
        cells: row, from the bottom, and column of each (N, 2), in any order, of any sign.
        low: lower left corner of the cell (0, 0) [m].
        cell: width and height of a cell [m].
        budget: for joining them.
    """
    shapely = package("shapely")
    if not len(cells):
        return []
    first_row, first_column = cells.min(axis=0).tolist()
    low = low + np.array((first_column, first_row)) * cell
    # Corners of cells are numbered row by row; each row has `width` of them.
    width = int(cells[:, 1].max()) - first_column + 2
    numbered = np.unique((cells[:, 0] - first_row) * width + cells[:, 1] - first_column)
    change = flatnonzero(np.diff(numbered) != 1)
    left = numbered[np.append(0, change + 1)]
    right = numbered[np.append(change, len(numbered) - 1)] + 1
    budget.spend("runs", len(left))
    ends = np.unique(np.concatenate((left, right, left + width, right + width)))
    below = np.stack((searchsorted(ends, left), searchsorted(ends, right)), axis=1)
    above = np.stack((searchsorted(ends, right + width), searchsorted(ends, left + width)), axis=1)
    # The ring of each run goes there and back.
    first, last = np.stack((below, above), axis=1).reshape(-1, 2).T
    counts = np.abs(last - first) + 1
    within = arange(counts.sum()) - repeat(np.cumsum(counts, dtype=np.int64) - counts, counts)
    numbers = ends[repeat(first, counts) + repeat(np.sign(last - first), counts) * within]
    points = low + np.stack((numbers % width, numbers // width), axis=1) * cell
    rings = shapely.linearrings(
        points, indices=repeat(arange(len(left)), counts[::2] + counts[1::2])
    )
    joined = shapely.coverage_union_all(shapely.polygons(rings))
    # Before GEOS 3.14 a ring may touch itself where cells have a corner alone in common.
    return [_without_straight(joined if joined.is_valid else shapely.make_valid(joined))]


def _without_straight(shape: Any) -> Any:
    """Return polygons whose edges are upright or level, without corners at which an edge goes on as
    it was.
    """
    shapely = package("shapely")
    rings, parts = shapely.get_rings(shapely.get_parts(shape), return_index=True)
    points, whose = shapely.get_coordinates(rings, return_index=True)
    counts = shapely.get_num_coordinates(rings)
    last = np.cumsum(counts, dtype=np.int64) - 1  # where the first point is again
    before = arange(len(points)) - 1
    before[last - counts + 1] = last - 1
    after = arange(len(points)) + 1
    after[last] = 0
    turns = (points[before] != points) != (points != points[after])
    turns[last] = False
    kept = turns.any(axis=1)
    simple = shapely.linearrings(points[kept], indices=whose[kept])
    return shapely.multipolygons(shapely.polygons(simple, indices=parts))


def from_below(cells: Integers) -> Integers:
    """Return rows and columns (N, 2) with the rows counted upwards: row 0 becomes row -1."""
    return cells * (-1, 1) - (1, 0)


def places_of(numbers: Integers, budget: Budget) -> Iterator[tuple[int, Integers]]:
    """Yield each number in an array (N,), the smallest first, and the places where it is,
    in turn.
    """
    order = argsort(numbers, kind="stable")
    each, starts = unique(numbers[order], return_index=True)
    budget.spend("different tiles", len(each))
    parts = np.split(order, starts[1:]) if len(each) else []
    yield from zip(each.tolist(), parts, strict=True)
