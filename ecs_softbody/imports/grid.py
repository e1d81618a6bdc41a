"""Grids: the outlines of cells that are full, and where numbers are in one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.imports.budget import Budget
from ecs_softbody.imports.reading import package


def outlines_of(full: Flags, low: Floats, cell: Floats, budget: Budget) -> list[Any]:
    """Return one shape of shapely that covers the full cells (rows from the bottom, columns); none where none is.

    Each run of cells in a row becomes a rectangle with a corner more wherever a run above or below begins or ends: such
    rectangles are a coverage, which shapely joins many times as fast as other polygons.

    Args:
        full: which cells are.
        low: lower left corner of the grid [m].
        cell: width and height of a cell [m].
        budget: for joining them.
    """
    shapely = package("shapely")
    change = np.diff(np.pad(full, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, start = np.nonzero(change == 1)
    stop = np.nonzero(change == -1)[1]
    budget.spend("runs", len(row))
    if not len(row):
        return []
    width = full.shape[1] + 1  # of the corners of all cells, which are numbered row by row
    left, right = row * width + start, row * width + stop
    ends = np.unique(np.concatenate((left, right, left + width, right + width)))
    below = np.stack((np.searchsorted(ends, left), np.searchsorted(ends, right)), axis=1)
    above = np.stack((np.searchsorted(ends, right + width), np.searchsorted(ends, left + width)), axis=1)
    first, last = np.stack((below, above), axis=1).reshape(-1, 2).T  # there and back, run by run
    counts = np.abs(last - first) + 1
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    numbers = ends[np.repeat(first, counts) + np.repeat(np.sign(last - first), counts) * within]
    points = low + np.stack((numbers % width, numbers // width), axis=1) * cell
    rings = shapely.linearrings(points, indices=np.repeat(np.arange(len(row)), counts[::2] + counts[1::2]))
    return [shapely.coverage_union_all(shapely.polygons(rings)).simplify(0.0)]


def places_of(numbers: Integers, budget: Budget) -> Iterator[tuple[int, Integers]]:
    """Yield each number above 0 in an array of any shape, the smallest first, and where it is (N, axes), in turn."""
    places = np.argwhere(numbers > 0)
    found = numbers[numbers > 0]
    order = np.argsort(found, kind="stable")
    each, starts = np.unique(found[order], return_index=True)
    budget.spend("different tiles", len(each))
    parts = np.split(places[order], starts[1:]) if len(each) else []
    yield from zip(each.tolist(), parts, strict=True)
